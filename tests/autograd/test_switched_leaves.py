"""Leaves that are told not to require a gradient after a graph has saved them."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_recorded_derivative_asks_the_leaf_again(dtype: str, lib: Any) -> None:
    x = lib.tensor([3.0, 4.0], requires_grad=True)
    y = x.clone()
    z = x * y.to(getattr(lib, dtype))
    x.requires_grad_(False)
    (g,) = lib.autograd.grad(z, y, lib.ones(2, dtype=getattr(lib, dtype)), create_graph=True)
    assert not g.requires_grad
    assert g.tolist() == [3.0, 4.0]

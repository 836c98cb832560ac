"""Nested transforms against PyTorch, and pinned values for what PyTorch is not needed for."""

from __future__ import annotations

import importlib
import warnings
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.testing import assert_close
from tests.func.compositions import FUNCTIONS, rows

ROWS = rows()


def names(lib: Any) -> dict[str, Any]:
    """What a row's code may use."""
    rng = np.random.default_rng(0)
    values = {n: rng.uniform(-1.5, 1.5, s) for n, s in {"x": 3, "y": 3, "w": 3, "A": (4, 3), "B": (4, 3)}.items()}
    found = {n: lib.tensor(v) for n, v in values.items()}
    found["w"].requires_grad_()
    found |= {"i": lib.tensor([2, 0, 1, 2]), "lib": lib, "F": lib.func, "vmap": lib.vmap}
    found["fwd"] = lib.autograd.forward_ad
    exec(FUNCTIONS, found)
    return found


def flat(tree: Any) -> list[Any]:
    if isinstance(tree, dict):
        tree = list(tree.values())
    return [leaf for part in tree for leaf in flat(part)] if isinstance(tree, (list, tuple)) else [tree]


def answers(lib: Any, code: str) -> tuple[list[Any], list[bool], list[Any]]:
    """The results, whether each requires a gradient, and their sum's gradient by w, None where nothing is tracked."""
    scope = names(lib)
    exec(code, scope)
    outs = flat(scope["out"])
    tracked = [t.requires_grad for t in outs]
    total = sum(t.sum() for t in outs if t.requires_grad) if any(tracked) else None
    grads = [] if total is None else [lib.autograd.grad(total, scope["w"], allow_unused=True)[0]]
    values = [t.detach().numpy() for t in outs]
    return values, tracked, [None if g is None else g.detach().numpy() for g in grads]


@pytest.mark.parametrize("name", ROWS)
def test_like_pytorch(name):
    torch = pytest.importorskip("torch")
    importlib.import_module("torch.func")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = answers(torch, ROWS[name])
    ours = answers(tp, ROWS[name])
    assert_close(ours[0], theirs[0], rtol=1e-9, atol=1e-11, check_dtype=True)
    assert ours[1] == theirs[1]
    assert [g is None for g in ours[2]] == [g is None for g in theirs[2]]
    assert_close([g for g in ours[2] if g is not None], [g for g in theirs[2] if g is not None], rtol=1e-8, atol=1e-10)

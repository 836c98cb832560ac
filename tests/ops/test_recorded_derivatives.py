"""Derivatives under `create_graph`: which of them depend on the leaf, and what a second pass finds, as in PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

import pytest

import tensorplay as tp

Function = Callable[[Any, Any], Any]


def edited(x: Any, name: str, *arguments: Any) -> Any:
    return getattr(x.clone(), name)(*arguments)


FLAT: list[tuple[str, Function]] = [
    ("relu", lambda lib, x: x.relu()),
    ("relu_", lambda lib, x: edited(x, "relu_")),
    ("abs", lambda lib, x: x.abs()),
    ("abs_", lambda lib, x: edited(x, "abs_")),
    ("abs of complex numbers on a ray", lambda lib, x: (x * (1 + 1j)).abs()),
    ("norm, p=1", lambda lib, x: x.norm(p=1, dim=1)),
    ("norm, p=inf", lambda lib, x: x.norm(p=inf, dim=1)),
    ("norm, p=-inf", lambda lib, x: x.norm(p=-inf)),
    ("x ** 1", lambda lib, x: x**1),
]
"""The derivative is recorded, though it moves in steps at most: the second derivative is 0, and no error."""

CONSTANT: list[tuple[str, Function]] = [
    ("x ** 0", lambda lib, x: x**0),
    ("zero_", lambda lib, x: edited(x, "zero_")),
    ("fill_", lambda lib, x: edited(x, "fill_", 3.0)),
    ("copy_ of a constant", lambda lib, x: edited(x, "copy_", lib.ones(2, 3))),
]
"""The derivative is zeros, and these depend on nothing, not even on the gradient that arrives."""

STEPPED: list[tuple[str, Function]] = [
    ("maximum", lambda lib, x: lib.maximum(x, lib.ones(2, 3))),
    ("minimum", lambda lib, x: lib.minimum(x, lib.ones(2, 3))),
    ("where", lambda lib, x: lib.where(x > 0, x, lib.zeros(2, 3))),
    ("max", lambda lib, x: x.max(1)[0]),
    ("min", lambda lib, x: x.min()),
    ("amax", lambda lib, x: x.amax(1)),
    ("amin", lambda lib, x: x.amin(1)),
    ("median", lambda lib, x: x.median()),
    ("sort", lambda lib, x: x.sort(1)[0]),
    ("x[x > 0]", lambda lib, x: x[x > 0]),
    ("sum", lambda lib, x: x.sum()),
]
"""The derivative depends on the gradient that arrives alone."""


@pytest.fixture(params=["tensorplay", "torch"])
def lib(request: pytest.FixtureRequest) -> Any:
    return pytest.importorskip(request.param)


def derivative(lib: Any, function: Function, arriving: bool = False) -> tuple[Any, Any, Any]:
    """A leaf, a gradient that arrives, and the recorded derivative."""
    x = lib.tensor([[-0.5, 0.0, 2.5], [1.25, -0.75, 0.5]], requires_grad=True)
    y = function(lib, x)
    g = lib.ones_like(y, requires_grad=arriving)
    return x, g, lib.autograd.grad(y, x, g, create_graph=True)[0]


def rows(table: list[tuple[str, Function]]) -> Any:
    return pytest.mark.parametrize("function", [f for _, f in table], ids=[name for name, _ in table])


@rows(FLAT)
def test_a_flat_derivative_is_recorded(lib: Any, function: Function) -> None:
    x, _, first = derivative(lib, function)
    assert first.requires_grad
    (second,) = lib.autograd.grad(first.sum(), x)
    assert (lib.zeros(2, 3) + second).abs().max() < 1e-6


@rows(CONSTANT)
def test_zeros_depend_on_nothing(lib: Any, function: Function) -> None:
    _, _, first = derivative(lib, function, arriving=True)
    assert not first.requires_grad
    assert first.tolist() == [[0.0] * 3] * 2


@rows(STEPPED)
def test_other_derivatives_depend_on_what_arrives(lib: Any, function: Function) -> None:
    assert not derivative(lib, function)[2].requires_grad
    x, g, first = derivative(lib, function, arriving=True)
    assert first.requires_grad
    back, beyond = lib.autograd.grad(first.sum(), (g, x), allow_unused=True)
    assert back.shape == g.shape
    assert beyond is None


def test_the_direction_of_a_complex_number_can_turn(lib: Any) -> None:
    z = lib.tensor([1 + 2j, -0.5 + 0.25j, 0j], requires_grad=True)
    (first,) = lib.autograd.grad((z * z + 1j * z).abs().sum(), z, create_graph=True)
    (second,) = lib.autograd.grad((first + 3).abs().sum(), z)
    expected = [1.4253 + 1.3742j, 1.2921 + 1.7129j, 0j]
    assert second.tolist() == pytest.approx(expected, abs=1e-3)


def test_an_infinite_gradient_meets_no_zero(lib: Any) -> None:
    x = lib.tensor([-1.0, 2.0], requires_grad=True)
    arriving = lib.tensor([inf, inf])
    assert lib.autograd.grad(x.relu(), x, arriving, create_graph=True)[0].tolist() == [0.0, inf]
    assert lib.autograd.grad(x**0, x, arriving)[0].tolist() == [0.0, 0.0]


def test_curvature_of_a_network_with_kinks() -> None:
    """A Hessian through relu and abs exists, and is that of the smooth parts."""
    x = tp.tensor([1.0, -2.0])
    assert tp.func.hessian(lambda v: ((v.relu() + v.abs()) ** 2).sum())(x).tolist() == [[8.0, 0.0], [0.0, 2.0]]
    assert tp.func.hessian(lambda v: v.relu().sum())(x).tolist() == [[0.0, 0.0], [0.0, 0.0]]

"""Derivatives at special points, here and in PyTorch."""

from __future__ import annotations

from functools import reduce
from typing import Any

import pytest

import tensorplay as tp
from tensorplay.testing import assert_close
from tests.autograd.special_points import NOT_YET, POINTS, Point, identifier

READY = [point for point in POINTS if not NOT_YET & set(point.needs)]
WAITING = [point for point in POINTS if NOT_YET & set(point.needs)]


def gradients(lib: Any, point: Point) -> list[Any]:
    leaves = [lib.tensor(values, dtype=lib.float64, requires_grad=True) for values in point.at]
    point.f(lib, *leaves).sum().backward()
    return [leaf.grad.tolist() for leaf in leaves]


def exists(name: str) -> bool:
    """Whether tensorplay has something of that dotted name."""
    missing = object()
    return reduce(lambda owner, part: getattr(owner, part, missing), name.split("."), tp) is not missing


@pytest.mark.filterwarnings("ignore:var")
@pytest.mark.parametrize("point", READY, ids=identifier)
def test_a_derivative(point: Point) -> None:
    assert_close(gradients(tp, point), list(point.gradients))


@pytest.mark.filterwarnings("ignore:var")
@pytest.mark.parametrize("point", POINTS, ids=identifier)
def test_pytorch_has_the_same_derivative(point: Point) -> None:
    torch = pytest.importorskip("torch")
    assert_close(gradients(torch, point), list(point.gradients))


@pytest.mark.parametrize("point", WAITING, ids=identifier)
def test_a_derivative_waits_for_its_operation(point: Point) -> None:
    there = [name for name in point.needs if name in NOT_YET and exists(name)]
    assert not there, f"{there} exist now: take them out of NOT_YET, so that the values of the row are checked"


def test_nothing_is_called_missing_that_no_row_waits_for() -> None:
    assert {name for point in POINTS for name in point.needs} >= NOT_YET


def test_sizes_of_0() -> None:
    x = tp.zeros(0, requires_grad=True)
    x.mean().backward()
    assert (x.grad.shape, str(tp.zeros(0).mean()), tp.zeros(0).sum().item()) == ((0,), "tensor(nan)", 0.0)

"""Derivatives by central differences, in float64: the independent answer that rules are held against.

A function here takes and returns NumPy arrays. `(f(x + h) - f(x - h)) / 2h` is wrong by about h² f'''/6,
and rounding costs about 1e-16 |f| / h, so h = 1e-6 gives some nine digits and, for second differences,
h = 1e-4 some seven. `tp.autograd.gradcheck` asks the same of functions of tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..autograd.differences import slopes, unit_directions

__all__ = ["FIRST_STEP", "SECOND_STEP", "directional", "gradient", "hessian", "jacobian", "second_directional"]

Array = np.ndarray[Any, Any]
Function = Callable[..., Any]

FIRST_STEP = 1e-6
SECOND_STEP = 1e-4


def jacobian(f: Function, xs: Sequence[Any], which: int = 0, step: float = FIRST_STEP) -> Array:
    """All of d f / d xs[which], of shape `f.shape + xs[which].shape`, one pair of calls an element.

    >>> jacobian(lambda x: x * x, [[1.0, 2.0]]).round(6)
    array([[2., 0.],
           [0., 4.]])
    """
    points = _points(xs)
    x = points[which]
    out = np.asarray(f(*points), np.float64)
    result = np.zeros((*out.shape, *x.shape))
    for index, direction in zip(np.ndindex(x.shape), unit_directions(x), strict=True):
        result[(..., *index)] = _along(f, points, [(points[which], direction)], step)
    return result


def gradient(f: Function, xs: Sequence[Any], g: Any = 1.0, which: int = 0, step: float = FIRST_STEP) -> Array:
    """The vector-Jacobian product `g @ J`: what a backward rule returns for xs[which] when `g` arrives.

    >>> gradient(lambda x, y: x * y, [[1.0, 2.0], [3.0, 4.0]], g=[1.0, 10.0]).round(6)
    array([ 3., 40.])
    """
    points = _points(xs)
    weights = np.asarray(g, np.float64)
    return jacobian(lambda *at: np.sum(weights * f(*at)), points, which, step)


def directional(f: Function, xs: Sequence[Any], vs: Sequence[Any], step: float = FIRST_STEP) -> Array:
    """The derivative of `f` at xs along vs, two calls whatever the size. None in vs holds that input still.

    >>> float(directional(np.sin, [0.0], [2.0]).round(6))
    2.0
    """
    points = _points(xs)
    return _along(f, points, [(p, v) for p, v in zip(points, vs, strict=True) if v is not None], step)


def second_directional(
    f: Function, xs: Sequence[Any], us: Sequence[Any], vs: Sequence[Any], step: float = SECOND_STEP
) -> Array:
    """The derivative along us of the derivative along vs, from values alone (four calls).

    >>> float(second_directional(lambda x: x**3, [2.0], [1.0], [1.0]).round(5))
    12.0
    """
    return directional(lambda *at: directional(f, at, vs, step), xs, us, step)


def hessian(f: Function, xs: Sequence[Any], which: int = 0, step: float = SECOND_STEP) -> Array:
    """All second derivatives of the one-element `f` by xs[which], from values alone.

    >>> hessian(lambda x: (x**3).sum(), [[1.0, 2.0]]).round(4)
    array([[ 6.,  0.],
           [ 0., 12.]])
    """
    return jacobian(lambda *at: jacobian(f, at, which, step), xs, which, step)


def _points(xs: Sequence[Any]) -> list[Any]:
    """Float inputs as float64 copies; integers and bools pass through, for they have no derivative."""
    arrays = [np.asarray(x) for x in xs]
    return [np.array(a, np.float64) if a.dtype.kind == "f" else a for a in arrays]


def _along(f: Function, points: list[Any], moving: list[tuple[Array, Any]], step: float) -> Array:
    return slopes(lambda: [np.asarray(f(*points))], moving, step)[0]

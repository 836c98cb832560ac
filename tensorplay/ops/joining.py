"""Ops that join tensors along a dimension, and that take them apart. Each is the adjoint of its neighbour."""

from __future__ import annotations

from itertools import accumulate, pairwise

from ..errors import ShapeError
from .base import arg, bad, ok
from .families import Shaping
from .indexing import GetItem

__all__ = ["Cat", "Split", "Stack", "Unbind"]


def _spans(sizes, dim):
    """The basic index of each piece of `sizes` along `dim`."""
    return [(*(slice(None),) * dim, slice(a, b)) for a, b in pairwise(accumulate(sizes, initial=0))]


def _rows(size, dim):
    """The basic index of each of `size` slices along `dim`."""
    return [(*(slice(None),) * dim, i) for i in range(size)]


class Cat(Shaping):
    """Joined along `dim`; each input receives its own piece of the gradient."""

    label, formula = "cat", r"[x_1, x_2, \dots]"
    linear = (("xs",),)
    promote = True
    local = {"xs": "its piece of g"}
    samples = [
        ok(arg(2, 3), arg(1, 3), dim=0),
        ok(arg(2, 1), arg(2, 0), arg(2, 2), dim=1),
        ok(arg(3), dim=0),
        bad("ShapeError", "Sizes of tensors must match except in dimension 0", arg(2, 3), arg(2, 2), dim=0),
    ]

    def forward(xp, *xs, dim):
        return xp.cat(xs, dim)

    def backward(xp, g, xs_shapes, dim):
        return tuple(xp.index(g, i) for i in _spans([shape[dim] for shape in xs_shapes], dim))

    @classmethod
    def explain(cls, arrays, params, error):
        dim = params["dim"]
        shapes = [tuple(a.shape) for a in arrays]
        if any(not s for s in shapes):
            return ShapeError("zero-dimensional tensor cannot be concatenated: unsqueeze it, or use stack()")
        for i, s in enumerate(shapes):
            if len(s) != len(shapes[0]):
                return ShapeError(f"Tensors must have same number of dimensions: got {len(shapes[0])} and {len(s)}")
            wrong = next((d for d, (m, n) in enumerate(zip(shapes[0], s, strict=True)) if d != dim and m != n), None)
            if wrong is not None:
                return ShapeError(
                    f"Sizes of tensors must match except in dimension {dim}. Expected size {shapes[0][wrong]} but got "
                    f"size {s[wrong]} for tensor number {i} in the list: shapes {list(shapes[0])} and {list(s)}"
                )
        return error


class Split(Shaping):
    """Views of the pieces of `sizes` along `dim`: the adjoint of Cat."""

    label, formula = "split", r"x \to x_1, x_2, \dots"
    linear = (("x",),)
    outputs, view = ("*",), True
    local = {"x": "the pieces of g, joined"}
    samples = [ok(arg(5), sizes=(2, 2, 1), dim=0), ok(arg(2, 3), sizes=(1, 2), dim=1), ok(arg(2, 0), sizes=(0,), dim=1)]

    def forward(xp, x, *, sizes, dim):
        return tuple(xp.index(x, i) for i in _spans(sizes, dim))

    def d_x(xp, g, dim):
        return xp.cat(g, dim)

    @classmethod
    def parts(cls, shape, params):
        return [(GetItem, {"index": i}) for i in _spans(params["sizes"], params["dim"])]


class Stack(Shaping):
    """Joined along a new dimension `dim`; each input receives its own slice of the gradient."""

    label, formula = "stack", r"[x_1; x_2; \dots]"
    linear = (("xs",),)
    promote = True
    local = {"xs": "its slice of g"}
    samples = [
        ok(arg(2, 3), arg(2, 3), dim=0),
        ok(arg(2), arg(2), arg(2), dim=1),
        ok(arg(), arg(), dim=0),
        ok(arg(0, 3), arg(0, 3), dim=1),
        bad("ShapeError", "stack expects each tensor to be equal size", arg(2), arg(3), dim=0),
    ]

    def forward(xp, *xs, dim):
        return xp.stack(xs, dim)

    def backward(xp, g, xs_shapes, dim):
        return tuple(xp.index(g, i) for i in _rows(len(xs_shapes), dim))

    @classmethod
    def explain(cls, arrays, params, error):
        shapes = [list(a.shape) for a in arrays]
        for i, shape in enumerate(shapes):
            if shape != shapes[0]:
                return ShapeError(
                    f"stack expects each tensor to be equal size, but got {shapes[0]} at entry 0 and "
                    f"{shape} at entry {i}"
                )
        return error


class Unbind(Shaping):
    """Views of the slices along `dim`, which goes away: the adjoint of Stack."""

    label, formula = "unbind", r"x \to x_1, x_2, \dots"
    linear = (("x",),)
    outputs, view = ("*",), True
    local = {"x": "the slices of g, stacked"}
    samples = [ok(arg(2, 3), dim=0), ok(arg(2, 3), dim=1), ok(arg(3), dim=0), ok(arg(2, 0), dim=0)]

    def forward(xp, x, *, dim):
        return tuple(xp.index(x, i) for i in _rows(x.shape[dim], dim))

    def d_x(xp, g, dim):
        return xp.stack(g, dim)

    @classmethod
    def parts(cls, shape, params):
        dim = params["dim"]
        return [(GetItem, {"index": i}) for i in _rows(shape[dim], dim)]

"""Reductions: many elements become one. `dim` is a tuple of dimensions, an int for Max and Min, or None for all."""

from __future__ import annotations

from .base import arg, bad, ok
from .families import Reduction, count, keep_shape

__all__ = ["Amax", "Amin", "ArgMax", "ArgMin", "Max", "Mean", "Min", "Sum"]

_DIMS = [
    ok(arg(2, 3), dim=None, keepdim=False),
    ok(arg(2, 3), dim=(1,), keepdim=False),
    ok(arg(2, 3), dim=(0,), keepdim=True),
    ok(arg(2, 3, 4), dim=(0, 2), keepdim=False),
    ok(arg(), dim=None, keepdim=False),
]
_EMPTY = [ok(arg(0, 3), dim=(0,), keepdim=False), ok(arg(2, 0), dim=None, keepdim=False)]
_NO_ELEMENT = [bad("EmptyReductionError", "Expected reduction dim", arg(0), dim=None, keepdim=False)]


class Sum(Reduction):
    """Sum over `dim`; each element receives the gradient of its sum."""

    label, formula = "Σ", r"\sum x"
    local = {"x": "g, repeated"}
    samples = _DIMS + _EMPTY

    def forward(xp, x, *, dim, keepdim):
        return xp.sum(x, dim, keepdim)

    def d_x(xp, g, x_shape, dim):
        return xp.expand(xp.reshape(g, keep_shape(x_shape, dim)), x_shape)


class Mean(Reduction):
    """Average over `dim`; each of the n elements receives 1/n of the gradient."""

    label, formula = "mean", r"\frac{1}{n}\sum x"
    local = {"x": "g / n, repeated"}
    samples = _DIMS

    def forward(xp, x, *, dim, keepdim):
        return xp.mean(x, dim, keepdim)

    def d_x(xp, g, x_shape, dim):
        return xp.expand(xp.reshape(g / max(count(x_shape, dim), 1), keep_shape(x_shape, dim)), x_shape)


def _share_ties(xp, g, x, out, dim):
    """The gradient of an extremum, split evenly between the elements that attain it."""
    kept = keep_shape(x.shape, dim)
    chosen = x == xp.expand(xp.reshape(out, kept), x.shape)
    share = xp.reshape(g, kept) / xp.sum(xp.cast(chosen, g.dtype), dim, True)
    return xp.where(chosen, xp.expand(share, x.shape), 0.0)


class Amax(Reduction):
    """Largest element over `dim`; ties share the gradient evenly."""

    label, formula = "max", r"\max x"
    local = {"x": "g to the largest, shared by ties"}
    samples = _DIMS + _NO_ELEMENT

    def forward(xp, x, *, dim, keepdim):
        return xp.amax(x, dim, keepdim)

    def d_x(xp, g, x, out, dim):
        return _share_ties(xp, g, x, out, dim)


class Amin(Reduction):
    """Smallest element over `dim`; ties share the gradient evenly."""

    label, formula = "min", r"\min x"
    local = {"x": "g to the smallest, shared by ties"}
    samples = _DIMS + _NO_ELEMENT

    def forward(xp, x, *, dim, keepdim):
        return xp.amin(x, dim, keepdim)

    def d_x(xp, g, x, out, dim):
        return _share_ties(xp, g, x, out, dim)


_ONE_DIM = [
    ok(arg(2, 3), dim=1, keepdim=False),
    ok(arg(2, 3), dim=0, keepdim=True),
    ok(arg(4), dim=0, keepdim=False),
    bad("EmptyReductionError", "Expected reduction dim", arg(2, 0), dim=1, keepdim=False),
]


def _to_index(xp, g, x_shape, indices, dim):
    """Each gradient goes to the one position its value was taken from."""
    kept = keep_shape(x_shape, dim)
    return xp.scatter(xp.reshape(g, kept), xp.reshape(indices, kept), dim, x_shape)


class Max(Reduction):
    """Largest element along one dimension and where it is; of ties, the first takes all of the gradient."""

    label, formula = "max", r"\max_d x"
    outputs, nondiff = ("values", "indices"), ("indices",)
    local = {"x": "g to the position of the largest"}
    samples = _ONE_DIM

    def forward(xp, x, *, dim, keepdim):
        indices = xp.argmax(x, dim, True)
        return xp.pick(x, indices, dim, keepdim)

    def d_x(xp, g, x_shape, indices, dim):
        return _to_index(xp, g, x_shape, indices, dim)


class Min(Reduction):
    """Smallest element along one dimension and where it is; of ties, the first takes all of the gradient."""

    label, formula = "min", r"\min_d x"
    outputs, nondiff = ("values", "indices"), ("indices",)
    local = {"x": "g to the position of the smallest"}
    samples = _ONE_DIM

    def forward(xp, x, *, dim, keepdim):
        indices = xp.argmin(x, dim, True)
        return xp.pick(x, indices, dim, keepdim)

    def d_x(xp, g, x_shape, indices, dim):
        return _to_index(xp, g, x_shape, indices, dim)


class ArgMax(Reduction):
    """Position of the largest element along one dimension, or in the flattened tensor. It has no gradient."""

    label, formula = "argmax", r"\arg\max x"
    nondiff = ("out",)
    samples = [ok(arg(2, 3), dim=1, keepdim=False), ok(arg(2, 3), dim=None, keepdim=False)]

    def forward(xp, x, *, dim, keepdim):
        return xp.argmax(x, dim, keepdim)


class ArgMin(Reduction):
    """Position of the smallest element along one dimension, or in the flattened tensor. It has no gradient."""

    label, formula = "argmin", r"\arg\min x"
    nondiff = ("out",)
    samples = [ok(arg(2, 3), dim=1, keepdim=False), ok(arg(2, 3), dim=None, keepdim=False)]

    def forward(xp, x, *, dim, keepdim):
        return xp.argmin(x, dim, keepdim)

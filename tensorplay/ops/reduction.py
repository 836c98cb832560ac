"""Reductions: many elements become one. `dim` is a tuple of dimensions, an int for Max and Min, or None for all."""

from __future__ import annotations

from math import inf, prod, sqrt

from .base import arg, bad, ok
from .cumulative import products_before
from .families import Reduction, complex_numbers, count, keep_shape, no_slope

__all__ = [
    "Amax", "Amin", "ArgMax", "ArgMin", "LogSumExp", "Max", "MaxOfAll", "Mean", "Min", "MinOfAll", "Norm", "Prod",
    "Std", "Sum", "Var", "share_evenly", "to_index",
]  # fmt: skip

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
    linear = (("x",),)
    local = {"x": "g, repeated"}
    samples = _DIMS + _EMPTY

    def forward(xp, x, *, dim, keepdim):
        return xp.sum(x, dim, keepdim)

    def d_x(xp, g, x_shape, dim):
        return xp.expand(xp.reshape(g, keep_shape(x_shape, dim)), x_shape)


class Mean(Reduction):
    """Average over `dim`; each of the n elements receives 1/n of the gradient."""

    label, formula = "mean", r"\frac{1}{n}\sum x"
    linear = (("x",),)
    local = {"x": "g / n, repeated"}
    samples = _DIMS

    def forward(xp, x, *, dim, keepdim):
        return xp.mean(x, dim, keepdim)

    def d_x(xp, g, x_shape, dim):
        return xp.expand(xp.reshape(g / max(count(x_shape, dim), 1), keep_shape(x_shape, dim)), x_shape)


def share_ties(xp, g, x, out, dim):
    """The gradient of an extremum, split evenly between the elements that attain it. No element attains NaN: NaN."""
    kept = keep_shape(x.shape, dim)
    chosen = xp.cast(x == xp.expand(xp.reshape(out, kept), x.shape), g.dtype)
    return chosen * xp.div(xp.reshape(g, kept), xp.sum(chosen, dim, True))


def share_evenly(xp, g, x, out, dim):
    """The gradient of an element that was chosen, split evenly between all that are equal to it, or NaN as it is."""
    kept = keep_shape(x.shape, dim)
    value = xp.expand(xp.reshape(out, kept), x.shape)
    chosen = xp.where(value == value, x == value, x != x)
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
        return share_ties(xp, g, x, out, dim)


class Amin(Reduction):
    """Smallest element over `dim`; ties share the gradient evenly."""

    label, formula = "min", r"\min x"
    local = {"x": "g to the smallest, shared by ties"}
    samples = _DIMS + _NO_ELEMENT

    def forward(xp, x, *, dim, keepdim):
        return xp.amin(x, dim, keepdim)

    def d_x(xp, g, x, out, dim):
        return share_ties(xp, g, x, out, dim)


_OF_ALL = [ok(arg(2, 3), keepdim=False), ok(arg(2, 2), keepdim=True), ok(arg(), keepdim=False)]


class MaxOfAll(Reduction):
    """Largest of all elements, NaN if there is one; those equal to it share the gradient evenly."""

    label, formula = "max", r"\max x"
    local = {"x": "g to the largest, shared by ties"}
    samples = [*_OF_ALL, bad("EmptyReductionError", "max(): Expected reduction dim", arg(0), keepdim=False)]

    def forward(xp, x, *, keepdim):
        return xp.amax(x, None, keepdim)

    def d_x(xp, g, x, out):
        return share_evenly(xp, g, x, out, None)


class MinOfAll(Reduction):
    """Smallest of all elements, NaN if there is one; those equal to it share the gradient evenly."""

    label, formula = "min", r"\min x"
    local = {"x": "g to the smallest, shared by ties"}
    samples = [*_OF_ALL, bad("EmptyReductionError", "min(): Expected reduction dim", arg(0), keepdim=False)]

    def forward(xp, x, *, keepdim):
        return xp.amin(x, None, keepdim)

    def d_x(xp, g, x, out):
        return share_evenly(xp, g, x, out, None)


_ONE_DIM = [
    ok(arg(2, 3), dim=1, keepdim=False),
    ok(arg(2, 3), dim=0, keepdim=True),
    ok(arg(4), dim=0, keepdim=False),
    bad("EmptyReductionError", "Expected reduction dim", arg(2, 0), dim=1, keepdim=False),
]


def to_index(xp, g, x_shape, indices, dim):
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
        return to_index(xp, g, x_shape, indices, dim)


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
        return to_index(xp, g, x_shape, indices, dim)


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


# ------------------------------------------------------------------------------- products and sizes


class Prod(Reduction):
    """Product of all elements or along one dimension. Its rule does not divide, so zeros do no harm."""

    label, formula = "Π", r"\prod x"
    local = {"x": "g · the product of the other elements"}
    samples = [
        ok(arg(2, 3), dim=None, keepdim=False),
        ok(arg(2, 3), dim=1, keepdim=False),
        ok(arg(2, 3, 2), dim=1, keepdim=True),
        ok(arg(), dim=None, keepdim=False),
        ok(arg(0, 3), dim=0, keepdim=False),
        ok(arg(3, values=[0.0, 2.0, 3.0]), dim=None, keepdim=False),
        ok(arg(2, 3, values=[[0.0, 0.0, 3.0], [4.0, 0.0, 5.0]]), dim=1, keepdim=False),
    ]

    def forward(xp, x, *, dim, keepdim):
        return xp.prod(x, dim, keepdim)

    def d_x(xp, g, x, dim):
        shape = x.shape if dim is not None else (prod(x.shape),)
        along = dim or 0
        rows = xp.conj(xp.reshape(x, shape))
        after = xp.flip(products_before(xp, xp.flip(rows, (along,)), along), (along,))
        others = products_before(xp, rows, along) * after
        return xp.reshape(xp.reshape(g, keep_shape(shape, along)) * others, x.shape)


class Norm(Reduction):
    """The p-norm over `dim`, (Σ |x|ᵖ)^(1/p): 2 is the length, inf the largest |x|, 0 counts what is not 0.

    Its gradient where the norm is 0 is 0: of all directions in which a length grows, none is preferred.
    """

    label, formula = "‖x‖", r"\lVert x \rVert_p"
    local = {"x": "g · sign(x) · (|x| / out)ᵖ⁻¹, and 0 where out is 0"}
    samples = [
        ok(arg(2, 3), p=2, dim=None, keepdim=False),
        ok(arg(2, 3), p=2, dim=(1,), keepdim=False),
        ok(arg(2, 3, 2), p=2, dim=(0, 2), keepdim=True),
        ok(arg(0, 3), p=2, dim=(0,), keepdim=False),
        ok(arg(), p=2, dim=None, keepdim=False),
        ok(arg(2, 3), p=1, dim=(1,), keepdim=False),
        ok(arg(2, 3), p=3, dim=(0,), keepdim=True),
        ok(arg(2, 3, low=0.3), p=1.5, dim=(1,), keepdim=False),
        ok(arg(2, 3, low=0.3), p=-1, dim=(1,), keepdim=False),
        ok(arg(2, 3), p=0, dim=(1,), keepdim=False),
        ok(arg(2, 3), p=inf, dim=(1,), keepdim=False),
        ok(arg(2, 3), p=-inf, dim=None, keepdim=False),
    ]

    def forward(xp, x, *, p, dim, keepdim):
        return xp.norm(x, p, dim, keepdim)

    def d_x(xp, g, x, out, p, dim):
        kept = keep_shape(x.shape, dim)
        if p == 0:  # a count: it moves in steps
            return no_slope(xp, x)
        if p in (inf, -inf):
            return share_evenly(xp, g, xp.abs(x), out, dim) * xp.sign(x)
        g, out = xp.reshape(g, kept), xp.reshape(out, kept)
        if p == 1:
            return g * xp.sign(x)
        nothing = out == 0
        whole = xp.where(nothing, 1.0, out)
        if p == 2:
            return g * xp.where(nothing, 0.0, x / whole)
        size = xp.where(x == 0, 1.0, xp.abs(x))  # sign(0) makes it 0 again, without 0 to a negative power
        return g * xp.where(nothing, 0.0, xp.sign(x) * xp.pow(size / whole, p - 1))


class LogSumExp(Reduction):
    """log Σ exp(x) over `dim`, shifted by the largest x so that nothing overflows; -inf for no elements."""

    label, formula = "log Σ exp", r"\log \sum e^x"
    floating = True
    local = {"x": "g · exp(x − out), the softmax"}
    samples = [
        *_DIMS,
        ok(arg(3, values=[100.0, 101.0, -100.0]), dim=None, keepdim=False),
    ]

    def forward(xp, x, *, dim, keepdim):
        if not count(x.shape, dim):
            return xp.log(xp.sum(xp.exp(x), dim, keepdim))
        top = xp.amax(xp.cast(xp.stop(x), xp.abs(x).dtype), dim, True)
        top = xp.where(xp.abs(top) == inf, 0.0, top)  # inf - inf is NaN
        out = xp.log(xp.sum(xp.exp(x - top), dim, True)) + top
        if keepdim:
            return out
        left = () if dim is None else tuple(n for d, n in enumerate(x.shape) if d not in dim)
        return xp.reshape(out, left)

    def d_x(xp, g, x, out, dim):
        kept = keep_shape(x.shape, dim)
        return xp.reshape(g, kept) * xp.conj(xp.exp(x - xp.reshape(out, kept)))


_SPREADS = [
    ok(arg(2, 3), dim=None, keepdim=False, correction=1),
    ok(arg(2, 3), dim=(1,), keepdim=False, correction=1),
    ok(arg(2, 3, 2), dim=(0, 2), keepdim=True, correction=0),
    ok(arg(3, 0), dim=(0,), keepdim=False, correction=1),
]


def _moved(xp, g, x, dim, correction):
    """What a gradient of the variance sends to x: each element's distance from the mean, times 2 / (n - correction).

    Of all elements, where n is too small for the correction, it is NaN or infinite and does not move, as in PyTorch.
    """
    away = x - xp.mean(x, dim, True)
    left = count(x.shape, dim) - correction
    if dim is None and left <= 0:
        return g * xp.cast(xp.div(xp.abs(xp.stop(away)), 0), x.dtype)
    return g * (away * (2 / left if left else inf))


class Var(Reduction):
    """Variance over `dim`: the squared distances from the mean, added up and divided by n - correction."""

    label, formula = "var", r"\frac{1}{n - c}\sum (x - \bar{x})^2"
    local = {"x": "g · 2 (x − mean) / (n − c)"}
    samples = _SPREADS

    def forward(xp, x, *, dim, keepdim, correction):
        away = x - xp.mean(x, dim, True)
        size = xp.abs(away) if complex_numbers(x) else away
        return xp.div(xp.sum(size * size, dim, keepdim), max(count(x.shape, dim) - correction, 0))

    def d_x(xp, g, x, dim, correction):
        return _moved(xp, xp.reshape(g, keep_shape(x.shape, dim)), x, dim, correction)


class Std(Reduction):
    """Standard deviation over `dim`, the root of the variance; where it is 0 its gradient is 0."""

    label, formula = "std", r"\sqrt{v}, v = \frac{1}{n - c}\sum (x - \bar{x})^2"
    local = {"x": "g · (x − mean) / ((n − c) · out), and 0 where out is 0"}
    samples = _SPREADS

    def forward(xp, x, *, dim, keepdim, correction):
        away = x - xp.mean(x, dim, True)
        return xp.div(xp.norm(away, 2, dim, keepdim), sqrt(max(count(x.shape, dim) - correction, 0)))

    def d_x(xp, g, x, out, dim, correction):
        kept = keep_shape(x.shape, dim)
        g, out = xp.reshape(g, kept), xp.reshape(out, kept)
        nothing = out == 0
        half = xp.where(nothing, 0.0, g / xp.where(nothing, 1.0, 2 * out))
        return _moved(xp, half, x, dim, correction)

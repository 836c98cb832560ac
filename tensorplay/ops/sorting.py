"""Order: sorting, and the element in the middle. Of equal elements the one that came first stays first."""

from __future__ import annotations

from math import inf

from ..errors import EmptyReductionError
from .base import arg, bad, ok
from .families import Reduction, Sorting
from .reduction import share_evenly, to_index

__all__ = ["ArgSort", "KthValue", "Median", "MedianOfAll", "Mode", "NanMedian", "NanMedianOfAll", "Sort"]

_DIMS = [
    ok(arg(4), dim=0, descending=False),
    ok(arg(2, 3), dim=1, descending=True),
    ok(arg(2, 3, 2), dim=1, descending=False),
    ok(arg(2, 0), dim=1, descending=True),
]


def _order(xp, x, dim, descending):
    """The positions along `dim` from the smallest to the largest (NaN), or from the largest down; ties in order."""
    if not descending:
        return xp.argsort(x, dim)
    return (x.shape[dim] - 1) - xp.flip(xp.argsort(xp.flip(x, (dim,)), dim), (dim,))


class Sort(Sorting):
    """The elements in order along `dim`, and where each was."""

    label, formula = "sort", r"\mathrm{sort}(x)"
    outputs, nondiff = ("values", "indices"), ("indices",)
    local = {"x": "g, put back in the old order"}
    samples = _DIMS

    def forward(xp, x, *, dim, descending):
        indices = _order(xp, x, dim, descending)
        return xp.gather(x, indices, dim), indices

    def d_x(xp, g, x_shape, indices, dim):
        return xp.scatter(g, indices, dim, x_shape)


class ArgSort(Sorting):
    """Where each element of the sorted tensor was. It has no gradient."""

    label, formula = "argsort", r"\mathrm{argsort}(x)"
    nondiff = ("out",)
    samples = _DIMS

    def forward(xp, x, *, dim, descending):
        return _order(xp, x, dim, descending)


def _middle(xp, x, dim):
    """Where the median is along `dim`, which is kept: of an even count the lower one; the first NaN if there is one."""
    n = x.shape[dim]
    numbers = xp.sum(xp.cast(x == x, "int64"), (dim,), True)  # NaN is not equal to itself, and sorts last
    return xp.gather(xp.argsort(x, dim), xp.where(numbers == n, (n - 1) // 2, numbers), dim)


class Chosen(Reduction, abstract=True):
    """One element along one dimension, and where it is: the gradient goes there."""

    outputs, nondiff = ("values", "indices"), ("indices",)

    def d_x(xp, g, x_shape, indices, dim):
        return to_index(xp, g, x_shape, indices, dim)

    @classmethod
    def explain(cls, arrays, params, error):
        dim = params["dim"]
        if arrays[0].shape[dim]:
            return error
        return EmptyReductionError(
            f"{cls.label}(): Expected reduction dim {dim} to have non-zero size. The shape is "
            f"{list(arrays[0].shape)}: nothing has no {cls.label}"
        )


class Median(Chosen):
    """The middle element along one dimension, the lower one of an even count, and where it is."""

    label, formula = "median", r"\mathrm{med}_d\, x"
    local = {"x": "g to the position of the median"}
    samples = [
        ok(arg(2, 3), dim=1, keepdim=False),
        ok(arg(4, 3), dim=0, keepdim=True),
        ok(arg(4), dim=0, keepdim=False),
        bad("EmptyReductionError", "median(): Expected reduction dim 1 to have non-zero size", arg(2, 0), dim=1,
            keepdim=False),
    ]  # fmt: skip

    def forward(xp, x, *, dim, keepdim):
        return xp.pick(x, _middle(xp, x, dim), dim, keepdim)


class MedianOfAll(Reduction):
    """The middle of all elements, the lower one of an even count; elements equal to it share the gradient evenly."""

    label, formula = "median", r"\mathrm{med}\, x"
    local = {"x": "g to the median, shared by ties"}
    samples = [ok(arg(5), keepdim=False), ok(arg(2, 3), keepdim=True), ok(arg(), keepdim=False)]

    def forward(xp, x, *, keepdim):
        return _all_equal_to(xp, x, _middle, keepdim)

    def d_x(xp, g, x, out):
        return share_evenly(xp, g, x, out, None)


def _all_equal_to(xp, x, middle, keepdim):
    """The middle element, made of all that are equal to it: as in the rule, they all have a part in it."""
    flat = xp.reshape(x, (-1,))
    value = xp.stop(xp.reshape(xp.gather(flat, middle(xp, flat, 0), 0), ()))
    equal = xp.where(value == value, x == value, x != x)
    return xp.amax(xp.where(equal, x, -inf), None, keepdim)


def _middle_number(xp, x, dim):
    """Where the median of all that is not NaN is along `dim`, which is kept; the first position if all is NaN."""
    numbers = xp.sum(xp.cast(x == x, "int64"), (dim,), True)
    half = xp.cast(xp.div(xp.maximum(numbers - 1, 0), 2), "int64")
    return xp.gather(xp.argsort(x, dim), half, dim)


class NanMedian(Median):
    """The middle along one dimension of the elements that are not NaN, and where it is; NaN if all are."""

    formula = r"\mathrm{med}_{d,\, x \ne \mathrm{NaN}}\, x"

    def forward(xp, x, *, dim, keepdim):
        return xp.pick(x, _middle_number(xp, x, dim), dim, keepdim)


class NanMedianOfAll(MedianOfAll):
    """The middle of all elements that are not NaN; elements equal to it share the gradient evenly."""

    formula = r"\mathrm{med}_{x \ne \mathrm{NaN}}\, x"

    def forward(xp, x, *, keepdim):
        return _all_equal_to(xp, x, _middle_number, keepdim)


class KthValue(Chosen):
    """The k-th smallest element along one dimension, counted from 1, and where it is; NaN counts as the largest."""

    label, formula = "k-th", r"x_{(k)}"
    local = {"x": "g to the position of the k-th smallest"}
    samples = [
        ok(arg(2, 3), k=2, dim=1, keepdim=False),
        ok(arg(4, 3), k=4, dim=0, keepdim=True),
        ok(arg(4), k=1, dim=0, keepdim=False),
    ]

    def forward(xp, x, *, k, dim, keepdim):
        order = xp.argsort(x, dim)
        return xp.pick(x, xp.index(order, (*(slice(None),) * dim, slice(k - 1, k))), dim, keepdim)


class Mode(Chosen):
    """The most frequent element along one dimension, the smallest of several, and where it is last."""

    label, formula = "mode", r"\mathrm{mode}_d\, x"
    local = {"x": "g to the position of the mode"}
    samples = [
        ok(arg(2, 3), dim=1, keepdim=False),
        ok(arg(4, kind="int", values=[3, 1, 3, 2]), dim=0, keepdim=True),
        ok(arg(1, 3), dim=0, keepdim=False),
        bad("EmptyReductionError", "mode(): Expected reduction dim 1 to have non-zero size", arg(2, 0), dim=1,
            keepdim=False),
    ]  # fmt: skip

    def forward(xp, x, *, dim, keepdim):
        order = xp.argsort(x, dim)
        run = _run_lengths(xp, xp.gather(xp.stop(x), order, dim), order, dim)
        return xp.pick(x, xp.gather(order, xp.argmax(run, dim, True), dim), dim, keepdim)


def _run_lengths(xp, x, order, dim):
    """How many equal elements in a row end at each position along `dim`: the longest run ends at the largest number."""
    n, before = x.shape[dim], (slice(None),) * dim
    later = xp.index(x, (*before, slice(1, n)))
    at = xp.reshape(xp.arange(n), (n, *(1,) * (len(x.shape) - dim - 1)))
    starts = xp.where(later != xp.index(x, (*before, slice(0, n - 1))), xp.index(at, (slice(1, n),)), 0)
    first = 0 * xp.index(order, (*before, slice(0, 1)))
    return at - xp.cummax(xp.cat([first, starts], dim), dim)

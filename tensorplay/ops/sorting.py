"""Order: sorting, and the element in the middle. Of equal elements the one that came first stays first."""

from __future__ import annotations

from math import inf

from ..errors import EmptyReductionError
from .base import arg, bad, ok
from .families import Reduction, Sorting
from .reduction import share_ties, to_index

__all__ = ["ArgSort", "Median", "MedianOfAll", "Sort"]

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


class Median(Reduction):
    """The middle element along one dimension, the lower one of an even count, and where it is."""

    label, formula = "median", r"\mathrm{med}_d\, x"
    outputs, nondiff = ("values", "indices"), ("indices",)
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

    def d_x(xp, g, x_shape, indices, dim):
        return to_index(xp, g, x_shape, indices, dim)

    @classmethod
    def explain(cls, arrays, params, error):
        dim = params["dim"]
        if arrays[0].shape[dim]:
            return error
        return EmptyReductionError(
            f"median(): Expected reduction dim {dim} to have non-zero size. The shape is {list(arrays[0].shape)}: "
            "nothing has no middle"
        )


class MedianOfAll(Reduction):
    """The middle of all elements, the lower one of an even count; elements equal to it share the gradient evenly."""

    label, formula = "median", r"\mathrm{med}\, x"
    local = {"x": "g to the median, shared by ties"}
    samples = [ok(arg(5), keepdim=False), ok(arg(2, 3), keepdim=True), ok(arg(), keepdim=False)]

    def forward(xp, x, *, keepdim):
        flat = xp.reshape(x, (-1,))
        value = xp.stop(xp.reshape(xp.gather(flat, _middle(xp, flat, 0), 0), ()))
        equal = xp.where(value == value, x == value, x != x)
        return xp.amax(xp.where(equal, x, -inf), None, keepdim)  # as in the rule, all that are equal have a part in it

    def d_x(xp, g, x, out):
        return share_ties(xp, g, x, out, None)

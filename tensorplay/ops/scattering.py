"""Ops that take values into the elements at given positions: by multiplying, or by keeping the larger or smaller."""

from __future__ import annotations

from typing import Any

from .base import arg, ok
from .families import Indexing

__all__ = ["Embedding", "ScatterExtreme", "ScatterProd"]

_INDEX = arg(2, 2, kind="int", values=[[0, 0], [2, 1]])
_LINE = arg(3, kind="int", values=[1, 1, 0])


class ScatterProd(Indexing):
    """`x` with each `v` multiplied in along `dim` at `index`."""

    fits = True
    label, formula = "scatter·", r"x \prod_{i} v"
    local = {"x": "g · product of what came in", "v": "g at the index · product of all others"}
    samples = [
        ok(arg(2, 3, low=0.5), arg(2, 2, low=0.5), _INDEX, dim=1),
        ok(arg(2, low=0.5), arg(3, low=0.5), _LINE, dim=0),
        ok(arg(2, 0), arg(2, 0), arg(2, 0, kind="int"), dim=1),
    ]

    def forward(xp, x, v, index, *, dim):
        return xp.fold(x, v, index, dim, "multiply")

    def d_x(xp, g, x, v, index, dim):
        """The product of the others; where x is 0 it comes from a product that starts with 1."""
        start = xp.where(x == 0, 1, x)
        return g * xp.conj(xp.div(xp.fold(start, v, index, dim, "multiply"), start))

    def d_v(xp, g, x, v, index, out, dim):
        """As for x; but of several zeros at one place, each has another beside it: then nothing moves."""
        zero = xp.cast(v == 0, v.dtype)
        alone = zero * xp.gather(xp.scatter(zero, index, dim, x.shape), index, dim) == 1
        others = xp.fold(x, xp.where(alone, 1, v), index, dim, "multiply")
        ordinary = xp.div(xp.gather(g * xp.conj(out), index, dim), xp.conj(xp.where(v == 0, 1, v)))
        return xp.where(alone, xp.gather(g * xp.conj(others), index, dim), ordinary)


class ScatterExtreme(Indexing):
    """`x`, or the largest (smallest) `v` that comes to its place along `dim`, if that is larger (smaller)."""

    fits = True
    label, formula = "scatter max", r"\max(x, \max_{i} v)"
    local = {"x": "g where x is the result, shared by ties", "v": "g where v is the result, shared by ties"}
    samples = [
        ok(arg(2, 3), arg(2, 2), _INDEX, dim=1, how="maximum"),
        ok(arg(2), arg(3), _LINE, dim=0, how="minimum"),
        ok(arg(2, 0), arg(2, 0), arg(2, 0, kind="int"), dim=1, how="maximum"),
    ]

    def forward(xp, x, v, index, *, dim, how):
        return xp.fold(x, v, index, dim, how)

    def d_x(xp, g, x, v, index, out, dim):
        mine, _, share = _shares(xp, g, x, v, index, out, dim)
        return mine * share

    def d_v(xp, g, x, v, index, out, dim):
        _, brought, share = _shares(xp, g, x, v, index, out, dim)
        return brought * xp.gather(share, index, dim)


def _shares(xp: Any, g: Any, x: Any, v: Any, index: Any, out: Any, dim: int) -> tuple[Any, Any, Any]:
    """1 where x is the result, 1 where v is, and g divided by how many are."""
    mine = xp.cast(x == out, x.dtype)
    brought = xp.cast(v == xp.gather(out, index, dim), x.dtype)
    return mine, brought, xp.div(g, mine + xp.scatter(brought, index, dim, x.shape))


class Embedding(Indexing):
    """The rows of `weight` at `index`; those of the row `padding` do not change it in training."""

    label, formula = "embedding", r"W_{i}"
    linear = (("weight",),)
    local = {"weight": "zeros with g added at the indices"}
    samples = [
        ok(arg(3, 2), arg(2, 2, kind="int", values=[[0, 1], [1, 1]]), padding=None, by_frequency=False),
        ok(arg(3, 2), arg(2, kind="int", values=[1, 0]), padding=2, by_frequency=False),
        ok(arg(3, 2), arg(kind="int", values=2), padding=None, by_frequency=False),
    ]

    def forward(xp, weight, index, *, padding, by_frequency):
        return xp.take(weight, (index,))

    def d_weight(xp, g, weight_shape, index, padding, by_frequency):
        g = g if padding is None else xp.where(xp.reshape(index == padding, (*index.shape, 1)), 0.0, g)
        summed = xp.add_at(g, (index,), weight_shape)
        if not by_frequency:
            return summed
        ones = xp.cast(xp.reshape(index == index, (*index.shape, 1)), g.dtype)
        counts = xp.add_at(ones, (index,), (weight_shape[0], 1))
        return xp.div(summed, xp.maximum(counts, 1))

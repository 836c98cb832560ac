"""Ops that pick elements by position. Each linear one stands beside its adjoint.

`GetItem` takes what NumPy calls a basic index (integers, slices, None): a view. `Index` takes integer
arrays for the leading dimensions; the public `x[...]` brings every mixed index to these two.
"""

from __future__ import annotations

from .base import arg, bad, ok
from .families import Indexing

__all__ = ["AddAt", "Gather", "GetItem", "Index", "Put", "Scatter"]

_ROWS = arg(3, kind="int", values=[1, 0, 1])


class GetItem(Indexing):
    """Elements at a basic index: a view."""

    label, formula = "[ ]", r"x[i]"
    linear = (("x",),)
    view = True
    local = {"x": "zeros with g put at the index"}
    samples = [
        ok(arg(2, 3), index=(0,)),
        ok(arg(2, 3), index=(slice(None), 1)),
        ok(arg(4), index=(slice(1, 4, 2),)),
        ok(arg(2, 3), index=(None, slice(None), 2)),
        ok(arg(0, 3), index=(slice(None), 1)),
        ok(arg(), index=(None,)),
        bad("IndexingError", "out of bounds", arg(2), index=(5,)),
    ]

    def forward(xp, x, *, index):
        return xp.index(x, index)

    def d_x(xp, g, x_shape, index):
        return xp.put(g, index, x_shape)


class Put(Indexing):
    """Zeros of `shape` with x at a basic index: the adjoint of GetItem."""

    label, formula = "put", r"\mathrm{put}_i(x)"
    linear = (("x",),)
    local = {"x": "g at the index"}
    samples = [
        ok(arg(3), index=(0,), shape=(2, 3)),
        ok(arg(2), index=(slice(None), 1), shape=(2, 3)),
        ok(arg(0), index=(slice(None), 1), shape=(0, 3)),
        ok(arg(), index=(1,), shape=(3,)),
    ]

    def forward(xp, x, *, index, shape):
        return xp.put(x, index, shape)

    def d_x(xp, g, index):
        return xp.index(g, index)


class Index(Indexing):
    """Elements at integer arrays, one for each leading dimension; repeats are allowed and their gradients add."""

    label, formula = "[ ]", r"x[i]"
    linear = (("x",),)
    local = {"x": "zeros with g added at the indices"}
    samples = [
        ok(arg(2, 3), _ROWS),
        ok(arg(2, 2), _ROWS, arg(3, kind="int", values=[0, 0, 1])),
        ok(arg(2, 3), arg(0, kind="int", values=[])),
        ok(arg(2, 3), arg(kind="int", values=1)),
        bad("IndexingError", "out of bounds", arg(2), arg(1, kind="int", values=[7])),
    ]

    def forward(xp, x, *ix):
        return xp.take(x, ix)

    def backward(xp, g, x_shape, ix):
        return (xp.add_at(g, ix, x_shape),) + (None,) * len(ix)


class AddAt(Indexing):
    """Zeros of `shape` to which x is added at integer arrays: the adjoint of Index (scatter-add)."""

    label, formula = "scatter+", r"\sum_{i} x"
    linear = (("x",),)
    local = {"x": "g at the indices"}
    samples = [
        ok(arg(3, 3), _ROWS, shape=(2, 3)),
        ok(arg(0, 3), arg(0, kind="int", values=[]), shape=(2, 3)),
    ]

    def forward(xp, x, *ix, shape):
        return xp.add_at(x, ix, shape)

    def backward(xp, g, ix):
        return (xp.take(g, ix),) + (None,) * len(ix)


class Gather(Indexing):
    """out[i][j] = x[index[i][j]][j] along `dim`; `index` has the rank of x."""

    label, formula = "gather", r"x[i]"
    linear = (("x",),)
    local = {"x": "zeros with g added at the indices"}
    samples = [
        ok(arg(2, 3), arg(2, 2, kind="int", values=[[0, 0], [2, 1]]), dim=1),
        ok(arg(3), arg(2, kind="int", values=[2, 2]), dim=0),
        ok(arg(3), arg(0, kind="int", values=[]), dim=0),
    ]

    def forward(xp, x, index, *, dim):
        return xp.gather(x, index, dim)

    def d_x(xp, g, x_shape, index, dim):
        return xp.scatter(g, index, dim, x_shape)


class Scatter(Indexing):
    """Zeros of `shape` to which x is added along `dim` at `index`: the adjoint of Gather."""

    label, formula = "scatter+", r"\sum_{i} x"
    linear = (("x",),)
    local = {"x": "g at the indices"}
    samples = [
        ok(arg(2, 2), arg(2, 2, kind="int", values=[[0, 0], [2, 1]]), dim=1, shape=(2, 3)),
        ok(arg(0), arg(0, kind="int", values=[]), dim=0, shape=(3,)),
    ]

    def forward(xp, x, index, *, dim, shape):
        return xp.scatter(x, index, dim, shape)

    def d_x(xp, g, index, dim):
        return xp.gather(g, index, dim)

"""Ops behind in-place edits: the new value of a tensor, or of the tensor that a view shows, as a function of the old.

An edit of memory has no derivative; what the memory holds afterwards has. `x.add_(y)` is recorded as Add, and
these are the ops for edits that replace: all of x (`Copy`, `Fill`), the part that a view shows (`CopySlices`),
the elements at index arrays (`IndexPut`; `IndexAdd` adds to them).
"""

from __future__ import annotations

from functools import reduce

from ..errors import ShapeError
from .base import arg, bad, ok
from .families import Indexing, broadcast_shapes, no_slope
from .indexing import GetItem
from .shaping import Permute

__all__ = ["Copy", "CopySlices", "Fill", "IndexAdd", "IndexPut"]

_ROWS = arg(3, kind="int", values=[1, 0, 2])
_REPEATED = arg(3, kind="int", values=[1, 0, 1])


class Copy(Indexing):
    """`v`, broadcast and cast to what `x` was; nothing of x remains, so its gradient is zero."""

    label, formula = "copy", "v"
    linear = (("v",),)
    fits = True
    local = {"x": "0", "v": "g"}
    samples = [
        ok(arg(2, 3), arg(2, 3)),
        ok(arg(2, 3), arg(3)),
        ok(arg(2), arg()),
        ok(arg(0), arg(0)),
        bad("ShapeError", "The size of tensor a (2) must match the size of tensor b (3)", arg(2), arg(3)),
        bad("ShapeError", "output with shape [2] doesn't match the broadcast shape [3, 2]", arg(2), arg(3, 2)),
    ]

    def forward(xp, x, v):
        return xp.expand(xp.cast(v, x.dtype), x.shape)

    def d_x(xp, g):
        return no_slope(xp, g)

    def d_v(xp, g):
        return g

    @classmethod
    def explain(cls, arrays, params, error):
        if not isinstance(error, ValueError):
            return error
        old, new = (tuple(getattr(a, "shape", ())) for a in arrays)
        try:
            wider = broadcast_shapes(old, new)
        except ShapeError as clearer:
            return clearer
        return ShapeError(f"output with shape {list(old)} doesn't match the broadcast shape {list(wider)}")


class Fill(Copy):
    """Every element becomes the number v."""

    label = "fill"
    samples = [ok(arg(2, 3), arg()), ok(arg(), arg())]

    def forward(xp, x, v):
        return xp.expand(xp.cast(v, x.dtype), x.shape)


class CopySlices(Indexing):
    """`x` with `v` where the chain of views `steps` looks: an edit of a view, as its base sees it."""

    label, formula = "copy slices", r"x \leftarrow_i v"
    linear = (("x", "v"),)
    fits = True
    local = {"x": "g, with 0 where the view looks", "v": "the view of g"}
    samples = [
        ok(arg(3), arg(), steps=((GetItem, {"index": (1,)}),)),
        ok(arg(2, 3), arg(3), steps=((Permute, {"dims": (1, 0)}), (GetItem, {"index": (slice(None), 1)}))),
        ok(arg(2, 2), arg(1, 2), steps=((GetItem, {"index": (slice(0, 1),)}),)),
    ]

    def forward(xp, x, v, *, steps):
        return xp.put_view(x, v, steps)

    def d_x(xp, g, steps):
        return xp.put_view(g, 0.0, steps)

    def d_v(xp, g, steps):
        return xp.view(g, steps)


class IndexPut(Indexing):
    """`x` with `v`, broadcast, at integer arrays on the leading dimensions (x[i] = v)."""

    label, formula = "[ ] =", r"x_i \leftarrow v"
    linear = (("x", "v"),)
    fits = True
    local = {"x": "g, with 0 at the indices", "v": "g at the indices"}
    samples = [
        ok(arg(4), arg(3), _ROWS),
        ok(arg(3, 2), arg(3, 2), _ROWS),
        ok(arg(3, 2), arg(), _ROWS),
        ok(arg(2, 2), arg(2), arg(2, kind="int", values=[0, 1]), arg(2, kind="int", values=[1, 1])),
    ]

    def forward(xp, x, v, *ix):
        return xp.put_at(x, ix, v)

    def d_x(xp, g, ix):
        return xp.put_at(g, ix, 0.0)

    def d_v(xp, g, v_shape, ix):
        return xp.sum_to(xp.take(g, ix), v_shape)


class IndexAdd(Indexing):
    """`x` with `v`, broadcast, added at integer arrays on the leading dimensions; at a repeated index, every time."""

    label, formula = "[ ] +=", r"x_i \leftarrow x_i + v"
    linear = (("x", "v"),)
    fits = True
    local = {"x": "g", "v": "g at the indices"}
    samples = [
        ok(arg(4), arg(3), _REPEATED),
        ok(arg(3, 2), arg(3, 2), _REPEATED),
        ok(arg(3, 2), arg(), _REPEATED),
        ok(arg(1), arg(1), arg(2, kind="int", values=[0, 0])),  # v is stretched, and as large as x
        ok(arg(2, 2), arg(2), arg(2, kind="int", values=[0, 0]), arg(2, kind="int", values=[1, 1])),
    ]

    def forward(xp, x, v, *ix):
        place = reduce(broadcast_shapes, (i.shape for i in ix)) + x.shape[len(ix) :]
        return x + xp.add_at(xp.expand(xp.cast(v, x.dtype), place), ix, x.shape)

    def d_x(xp, g):
        return g

    def d_v(xp, g, v_shape, ix):
        return xp.sum_to(xp.take(g, ix), v_shape)

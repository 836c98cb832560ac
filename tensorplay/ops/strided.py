"""Views that step through memory in their own way, and other arrangements of the same numbers, with their adjoints."""

from __future__ import annotations

from math import prod

from ..errors import ShapeError
from .base import arg, bad, ok
from .families import Shaping

__all__ = ["AsStrided", "Contiguous", "DiagEmbed", "Diagonal", "Repeat", "Roll", "Tril", "Triu", "Unfold"]


def _put_back(order):
    """The permutation that undoes `order`."""
    return tuple(sorted(range(len(order)), key=order.__getitem__))


def _front(rank, *dims):
    """The order of dimensions with `dims` first."""
    return (*dims, *(d for d in range(rank) if d not in dims))


def _on_diagonal(xp, x, shape, offset, dim1, dim2):
    """Zeros of `shape` with the last dimension of x on the diagonal of two dimensions."""
    order = _front(len(shape), dim1, dim2)
    size = x.shape[-1]
    places = (xp.arange(size) + max(-offset, 0), xp.arange(size) + max(offset, 0))
    first = xp.permute(x, _front(len(x.shape), len(x.shape) - 1))
    return xp.permute(xp.add_at(first, places, tuple(shape[d] for d in order)), _put_back(order))


class Contiguous(Shaping):
    """A copy whose elements lie in memory in order; the gradient passes unchanged."""

    label, formula = "contiguous", r"x"
    linear = (("x",),)
    local = {"x": "g"}
    samples = [ok(arg(2, 3)), ok(arg()), ok(arg(0, 3))]

    def forward(xp, x):
        return xp.in_order(x)

    def d_x(xp, g):
        return g


class Diagonal(Shaping):
    """The elements x[i, i + offset] of two dimensions, as a last dimension: a view."""

    label, formula = "diagonal", r"\mathrm{diag}(x)"
    linear = (("x",),)
    view = True
    local = {"x": "zeros with g on the diagonal"}
    samples = [
        ok(arg(2, 3), offset=0, dim1=0, dim2=1),
        ok(arg(3, 2), offset=-1, dim1=0, dim2=1),
        ok(arg(2, 3, 2), offset=1, dim1=2, dim2=0),
        ok(arg(2, 2), offset=3, dim1=0, dim2=1),
    ]

    def forward(xp, x, *, offset, dim1, dim2):
        return xp.diagonal(x, offset, dim1, dim2)

    def d_x(xp, g, x_shape, offset, dim1, dim2):
        return _on_diagonal(xp, g, x_shape, offset, dim1, dim2)


class DiagEmbed(Shaping):
    """Zeros of `shape` with the last dimension of x on a diagonal: the adjoint of Diagonal."""

    label, formula = "diag embed", r"\mathrm{diag}(x)"
    linear = (("x",),)
    local = {"x": "the diagonal of g"}
    samples = [
        ok(arg(2), shape=(2, 2), offset=0, dim1=0, dim2=1),
        ok(arg(3, 2), shape=(3, 3, 3), offset=-1, dim1=0, dim2=2),
        ok(arg(0), shape=(1, 1), offset=1, dim1=0, dim2=1),
    ]

    def forward(xp, x, *, shape, offset, dim1, dim2):
        return _on_diagonal(xp, x, shape, offset, dim1, dim2)

    def d_x(xp, g, offset, dim1, dim2):
        return xp.diagonal(g, offset, dim1, dim2)


class Unfold(Shaping):
    """Windows of `size` elements along `dim`, `step` apart; they become a last dimension: a view, with overlaps."""

    label, formula = "unfold", r"x_{i s \,\dots\, i s + n}"
    linear = (("x",),)
    view = True
    local = {"x": "zeros with g added where the windows lie"}
    samples = [
        ok(arg(5), dim=0, size=2, step=1),
        ok(arg(2, 5), dim=1, size=2, step=3),
        ok(arg(3, 2), dim=0, size=3, step=1),
        ok(arg(2, 3, 2), dim=1, size=2, step=1),
    ]

    def forward(xp, x, *, dim, size, step):
        return xp.unfold(x, dim, size, step)

    def d_x(xp, g, x_shape, dim, size, step):
        rank = len(x_shape)
        order = _front(rank, dim)
        first = xp.permute(g, _front(rank + 1, dim, rank))
        count = g.shape[dim]
        places = xp.reshape(xp.arange(count) * step, (count, 1)) + xp.reshape(xp.arange(size), (1, size))
        return xp.permute(xp.add_at(first, (places,), tuple(x_shape[d] for d in order)), _put_back(order))


class AsStrided(Shaping):
    """Memory read at other sizes and steps: out[i, j] is `offset + i·stride[0] + j·stride[1]` elements after x's first.

    `like` are the steps of x itself. Its adjoint goes through memory, too: what arrives is added there, and read
    as x reads it. Where several elements of x are one in memory, each receives its share.
    """

    label, formula = "as strided", r"\mathrm{strided}(x)"
    linear = (("x",),)
    view = True
    local = {"x": "g, added in memory and read as x is"}
    samples = [
        ok(arg(2, 3), size=(2, 2), stride=(1, 2), offset=1, like=(3, 1)),
        ok(arg(6), size=(3, 3), stride=(1, 1), offset=0, like=(1,)),
        ok(arg(2, 3), size=(3,), stride=(2,), offset=0, like=(1, 2)),
        ok(arg(2, 3), size=(), stride=(), offset=4, like=(3, 1)),
        ok(arg(3), size=(2, 0), stride=(1, 1), offset=0, like=(1,)),
        bad("ShapeError", "out of bounds for storage", arg(3), size=(4,), stride=(1,), offset=0, like=(1,)),
    ]

    def forward(xp, x, *, size, stride, offset, like):
        return xp.as_strided(x, size, stride, offset, like)

    def d_x(xp, g, x_shape, size, stride, offset, like):
        low = min(offset, 0)
        total = 1 + max(_reach(x_shape, like), offset + _reach(size, stride)) - low
        there = (_places(xp, size, stride, offset - low),)
        mine = _places(xp, x_shape, like, -low)
        memory = xp.add_at(xp.reshape(g, (prod(size),)), there, (total,))
        back = xp.take(memory, (mine,))
        if _overlapping(x_shape, like):
            ones = xp.cast(mine == mine, g.dtype)
            back = xp.div(back, xp.take(xp.add_at(ones, (mine,), (total,)), (mine,)))
        return xp.reshape(back, x_shape)

    @classmethod
    def explain(cls, arrays, params, error):
        if not isinstance(error, (TypeError, ValueError)):
            return error
        return ShapeError(
            f"setStorage: sizes {list(params['size'])}, strides {list(params['stride'])} and offset {params['offset']} "
            f"are out of bounds for storage of this tensor of shape {list(arrays[0].shape)}: {error}"
        )


def _reach(size, stride):
    """How far the last element lies after the first."""
    return sum((n - 1) * s for n, s in zip(size, stride, strict=True)) if 0 not in size else 0


def _overlapping(size, stride):
    """Whether two elements are one in memory (or might be: then a share of one is the whole)."""
    reached = 0
    for step, n in sorted((s, n) for s, n in zip(stride, size, strict=True) if n > 1):
        if step <= reached:
            return True
        reached += (n - 1) * step
    return False


def _places(xp, size, stride, offset):
    """Where each element lies in memory, in order."""
    rank = len(size)
    total = xp.reshape(xp.arange(1) + offset, (1,) * rank)
    for d, (n, step) in enumerate(zip(size, stride, strict=True)):
        total = total + xp.reshape(xp.arange(n) * step, (1,) * d + (n,) + (1,) * (rank - d - 1))
    return xp.reshape(total, (prod(size),))


class Roll(Shaping):
    """Moved along `dims` by `shifts`; what leaves at the end comes in again at the start."""

    label, formula = "roll", r"\mathrm{roll}(x)"
    linear = (("x",),)
    local = {"x": "g, rolled back"}
    samples = [
        ok(arg(4), shifts=(1,), dims=(0,)),
        ok(arg(2, 3), shifts=(1, -1), dims=(0, 1)),
        ok(arg(0, 2), shifts=(3,), dims=(0,)),
    ]

    def forward(xp, x, *, shifts, dims):
        return _rolled(xp, x, shifts, dims)

    def d_x(xp, g, shifts, dims):
        return _rolled(xp, g, tuple(-s for s in shifts), dims)


def _rolled(xp, x, shifts, dims):
    for shift, dim in zip(shifts, dims, strict=True):
        cut = -shift % max(x.shape[dim], 1)
        lead = (slice(None),) * dim
        x = xp.cat([xp.index(x, (*lead, slice(cut, None))), xp.index(x, (*lead, slice(0, cut)))], dim)
    return x


class Repeat(Shaping):
    """Copies of x side by side, `repeats` times along each dimension; repeats in front make new dimensions."""

    label, formula = "repeat", r"\mathrm{repeat}(x)"
    linear = (("x",),)
    local = {"x": "Σ g over the copies"}
    samples = [
        ok(arg(2, 3), repeats=(2, 1)),
        ok(arg(3), repeats=(2, 2)),
        ok(arg(), repeats=(3,)),
        ok(arg(2), repeats=(0,)),
        ok(arg(1, 2), repeats=(1, 1)),
    ]

    def forward(xp, x, *, repeats):
        old = (1,) * (len(repeats) - len(x.shape)) + tuple(x.shape)
        apart = xp.reshape(x, tuple(m for n in old for m in (1, n)))
        wide = xp.expand(apart, tuple(m for r, n in zip(repeats, old, strict=True) for m in (r, n)))
        return xp.reshape(xp.in_order(wide), tuple(r * n for r, n in zip(repeats, old, strict=True)))

    def d_x(xp, g, x_shape, repeats):
        old = (1,) * (len(repeats) - len(x_shape)) + tuple(x_shape)
        apart = xp.reshape(g, tuple(m for r, n in zip(repeats, old, strict=True) for m in (r, n)))
        return xp.reshape(xp.sum(apart, tuple(range(0, 2 * len(old), 2)), False), x_shape)


def _part(xp, x, diagonal, lower):
    """x with zeros above (`lower`) or below a diagonal of its last two dimensions."""
    rows, columns = x.shape[-2:]
    distance = xp.reshape(xp.arange(columns), (1, columns)) - xp.reshape(xp.arange(rows), (rows, 1))
    return xp.where(distance <= diagonal if lower else distance >= diagonal, x, 0)


class Tril(Shaping):
    """The lower triangle of matrices, x[i, j] where j - i <= diagonal; zeros elsewhere. It is its own adjoint."""

    label, formula = "tril", r"\mathrm{tril}(x)"
    linear = (("x",),)
    local = {"x": "the lower triangle of g"}
    samples = [ok(arg(3, 3), diagonal=0), ok(arg(2, 2, 3), diagonal=1), ok(arg(0, 2), diagonal=0)]

    def forward(xp, x, *, diagonal):
        return _part(xp, x, diagonal, True)

    def d_x(xp, g, diagonal):
        return _part(xp, g, diagonal, True)


class Triu(Shaping):
    """The upper triangle of matrices, x[i, j] where j - i >= diagonal; zeros elsewhere. It is its own adjoint."""

    label, formula = "triu", r"\mathrm{triu}(x)"
    linear = (("x",),)
    local = {"x": "the upper triangle of g"}
    samples = [ok(arg(3, 3), diagonal=0), ok(arg(2, 2, 3), diagonal=1), ok(arg(2, 0), diagonal=0)]

    def forward(xp, x, *, diagonal):
        return _part(xp, x, diagonal, False)

    def d_x(xp, g, diagonal):
        return _part(xp, g, diagonal, False)

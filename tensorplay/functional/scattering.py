"""Values put, added or taken in at positions that a tensor holds: along one dimension, or element by element."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from .. import ops
from ..apply import apply, apply1
from ..errors import ArgumentTypeError, DTypeError, IndexingError, NotATensorError, PositionError, ShapeError
from ..inplace import SPOKEN
from ..lifting import values
from ..ops.families import normal_dim
from ..positions import check_positions, cut, grid, line_of, on_dim, scattered, single
from ..tensor import Tensor, rank, wrap

__all__ = ["index_add", "index_copy", "index_fill", "scatter", "scatter_add", "scatter_reduce"]

HOW = {"prod": "multiply", "amax": "maximum", "amin": "minimum"}


# ----------------------------------------------------------------------- whole slices along a dimension


def index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: float = 1) -> Tensor:
    """A copy of `input` with alpha · source[k] added to the slice index[k] along `dim`, at a repeated one every time.

    `index` has one dimension, of the size that `source` has along `dim`; all other sizes are those of `input`.
    Raises IndexingError for a slice that does not exist, ShapeError and DTypeError where the two do not fit.

    >>> import tensorplay as tp
    >>> tp.index_add(tp.zeros(3), 0, tp.tensor([0, 2, 0]), tp.tensor([1.0, 2.0, 3.0]))
    tensor([4., 0., 2.])
    """
    dim = normal_dim(dim, rank(input))
    index = line_of("index_add_", index, (IndexingError, "Index is supposed to be a vector"), DTypeError)
    _check_same(input, source, "index_add_(): self ({}) and source ({}) must have the same scalar type")
    _check_added(input, dim, index, source)
    _check_slices(index, dim, input, PositionError, "index out of range in self: ")
    return on_dim(ops.IndexAdd, input, dim, index, source if alpha == 1 else _times(source, alpha))


def index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """A copy of `input` whose slice index[k] along `dim` is source[k]. Which of several at one place stays is not said.

    Shapes and errors as for `index_add`.

    >>> import tensorplay as tp
    >>> tp.index_copy(tp.zeros(3), 0, tp.tensor([2, 0]), tp.tensor([1.0, 2.0]))
    tensor([2., 0., 1.])
    """
    dim = normal_dim(dim, rank(input))
    index = line_of("index_copy_", index, (IndexingError, "Index should have dimension 1 or 0"), DTypeError)
    _check_same(input, source, "index_copy_(): self and source expected to have the same dtype, but got {} and {}")
    if source.ndim and rank(input) and source.ndim != rank(input):
        raise IndexingError(
            f"index_copy_(): When source and destination are not scalars, their dimensionality must match. Source "
            f"dimensionality ({source.ndim}), destination dimensionality ({rank(input)})"
        )
    _check_copied(input, dim, index, source)
    _check_slices(index, dim, input, IndexingError, "index_copy_(): ")
    return on_dim(ops.IndexPut, input, dim, index, source)


def index_fill(input: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    """A copy of `input` whose slices at `index` along `dim` hold `value`, a number or a tensor of one number.

    Positions may count from the end. Raises IndexingError for one that does not exist, ShapeError for more values.

    >>> import tensorplay as tp
    >>> tp.index_fill(tp.zeros(2, 3), 1, tp.tensor([0, -1]), 7)
    tensor([[7., 0., 7.],
            [7., 0., 7.]])
    """
    dim = normal_dim(dim, rank(input))
    if isinstance(index, Tensor) and index._array.dtype != np.int64:
        raise IndexingError(f"index_fill_(): Expected dtype int64 for index, got {index.dtype}: convert with .long()")
    index = line_of("index_fill_", index, (ShapeError, "Index has to be a vector/scalar"), DTypeError)
    value = single(input, value, "index_fill_")
    size = input.shape[dim] if rank(input) else 1
    check_positions(index, dim, size, lowest=-size)
    line = apply(ops.IndexPut, wrap(np.zeros(size, bool)), wrap(np.asarray(True)), index)
    mask = apply1(ops.Reshape, line, {"shape": (-1,) + (1,) * (rank(input) - dim - 1) if rank(input) else ()})
    return apply(ops.Where, mask, value, input)  # each element once, however often a position is repeated


def _times(source: Tensor, alpha: float) -> Tensor:
    """alpha · source in the source's dtype."""
    return apply(ops.Mul, source, apply1(ops.Cast, wrap(np.asarray(alpha)), {"dtype": source._array.dtype}))


def _check_same(input: Tensor, source: Any, text: str) -> None:
    if not isinstance(source, Tensor):
        raise NotATensorError(f"argument 'source' must be Tensor, not {type(source).__name__}: write tp.tensor(...)")
    if source._array.dtype != input._array.dtype:
        words = (SPOKEN.get(t._array.dtype.name, t.dtype) for t in (input, source))
        raise DTypeError(f"{text.format(*words)}: convert one with source.to(input.dtype)")


def _rest(x: Tensor, dim: int) -> tuple[int, ...]:
    return x.shape[:dim] + x.shape[dim + 1 :]


def _check_added(input: Tensor, dim: int, index: Tensor, source: Tensor) -> None:
    if source.ndim != rank(input) or _rest(source, dim) != _rest(input, dim):
        raise ShapeError(
            "source tensor shape must match self tensor shape, excluding the specified dimension. Got "
            f"self.shape = {list(input.shape)} source.shape = {list(source.shape)}"
        )
    size = source.shape[dim] if source.ndim else 1
    if size != index.shape[0]:
        raise ShapeError(
            f"index_add_(): Number of indices ({index.shape[0]}) should be equal to source.size(dim): ({size}), "
            f"for dim: {dim}"
        )


def _check_copied(input: Tensor, dim: int, index: Tensor, source: Tensor) -> None:
    if not source.ndim:
        if index.shape[0] != 1:
            raise IndexingError(
                f"index_copy_(): When source is scalar, index should have one element (got {index.shape[0]})"
            )
        return
    if rank(input) and _rest(source, dim) != _rest(input, dim):
        raise ShapeError(
            f"index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: "
            f"{list(_rest(input, dim))} at dimension {dim} and source slice shape: {list(_rest(source, dim))}"
        )
    if source.shape[dim] != index.shape[0]:
        raise IndexingError(
            f"index_copy_(): Number of indices ({index.shape[0]}) should be equal to source.size(dim) "
            f"({source.shape[dim]})"
        )


def _check_slices(index: Tensor, dim: int, input: Tensor, error: type[IndexingError], opening: str) -> None:
    check_positions(index, dim, input.shape[dim] if rank(input) else 1, 0, error, opening)


# ---------------------------------------------------------------------------------- element by element


def scatter(
    input: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None, reduce: Any = None
) -> Tensor:
    """A copy of `input` with out[index[i][j]][j] = src[i][j] for dim 0, and so on; `src` may be a number.

    `index` has the rank of `input` and is no larger than `src`, nor, apart from `dim`, than `input`. Which of several
    values at one place stays is not said. With `reduce`, "add" or "multiply", they change what is there instead.
    Raises PositionError for a position that does not exist, ShapeError and DTypeError where things do not fit.

    >>> import tensorplay as tp
    >>> tp.scatter(tp.zeros(2, 3), 1, tp.tensor([[0], [2]]), 1.0)
    tensor([[1., 0., 0.],
            [0., 0., 1.]])
    """
    dim = normal_dim(dim, rank(input))
    if (src is None) == (value is None):
        raise ArgumentTypeError("scatter() needs either src, a tensor or a number, or value: got " + repr((src, value)))
    if reduce not in (None, "add", "multiply"):
        raise DTypeError(f"reduce argument must be either add or multiply. Got {reduce!r}")
    given = src if isinstance(src, Tensor) else single(input, value if src is None else src, "scatter")
    index = scattered("scatter", input, dim, index, src if isinstance(src, Tensor) else None)
    if not index._array.size:
        return apply1(ops.Clone, input)
    return _scattered(input, dim, index, given, reduce)


def _scattered(input: Tensor, dim: int, index: Tensor, given: Tensor, reduce: str | None) -> Tensor:
    x, index = _line(input), _line(index)
    given = cut(_line(given), index.shape) if given.ndim else given
    if reduce == "multiply":
        given = apply1(ops.Expand, given, {"shape": index.shape})
        out = apply(ops.ScatterProd, x, given, index, dim=dim)
    else:
        out = apply(ops.IndexPut if reduce is None else ops.IndexAdd, x, given, *grid(index, dim))
    return out if rank(input) else apply1(ops.Reshape, out, {"shape": ()})


def _line(x: Tensor) -> Tensor:
    """A single number as a tensor of one dimension."""
    return x if x.ndim else apply1(ops.Reshape, x, {"shape": (1,)})


def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """A copy of `input` to which out[index[i][j]][j] += src[i][j] for dim 0, and so on, at a repeated place every time.

    Shapes and errors as for `scatter`.

    >>> import tensorplay as tp
    >>> tp.scatter_add(tp.zeros(3), 0, tp.tensor([0, 2, 0]), tp.tensor([1.0, 2.0, 3.0]))
    tensor([4., 0., 2.])
    """
    dim = normal_dim(dim, rank(input))
    index = scattered("scatter_add", input, dim, index, src)
    return _scattered(input, dim, index, src, "add") if index._array.size else apply1(ops.Clone, input)


def scatter_reduce(
    input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """A copy of `input` in which the values of `src` that come to one place are reduced to one.

    `reduce` is "sum", "prod", "mean", "amax" or "amin"; what stood there takes part in it unless `include_self` is
    False. Shapes and errors as for `scatter`. The gradient of the largest (smallest) is shared by ties.

    >>> import tensorplay as tp
    >>> tp.scatter_reduce(tp.zeros(2), 0, tp.tensor([0, 0, 1]), tp.tensor([1.0, 4.0, 2.0]), "mean", include_self=False)
    tensor([2.5000, 2.0000])
    """
    dim = normal_dim(dim, rank(input))
    index = scattered("scatter_reduce", input, dim, index, src)
    if reduce not in ("sum", "mean", *HOW):
        raise DTypeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    if not index._array.size:
        return apply1(ops.Clone, input)
    x, index = _line(input), _line(index)
    out = _reduced(x, dim, index, cut(_line(src), index.shape), reduce, include_self)
    return out if rank(input) else apply1(ops.Reshape, out, {"shape": ()})


def _reduced(x: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, include_self: bool) -> Tensor:
    places = grid(index, dim)
    if not include_self:
        x = apply(ops.IndexPut, x, wrap(np.asarray(_neutral(reduce, x._array.dtype))), *places)
    if reduce == "prod":
        return apply(ops.ScatterProd, x, src, index, dim=dim)
    if reduce in HOW:
        return apply(ops.ScatterExtreme, x, src, index, dim=dim, how=HOW[reduce])
    total = apply(ops.IndexAdd, x, src, *places)
    return total if reduce == "sum" else _divided(total, x, dim, index, include_self)


def _neutral(reduce: str, dtype: Any) -> Any:
    """What changes no result of the reduction, in that dtype."""
    if reduce in ("amax", "amin"):
        low = reduce == "amax"
        if dtype.kind in "iu":
            return dtype.type(np.iinfo(dtype).min if low else np.iinfo(dtype).max)
        return dtype.type(not low if dtype.kind == "b" else -inf if low else inf)
    return dtype.type(reduce == "prod")


def _divided(total: Tensor, x: Tensor, dim: int, index: Tensor, include_self: bool) -> Tensor:
    """The mean of a sum: divided by how many came to each place; whole numbers are rounded down."""
    ones = apply1(ops.Cast, values(np.equal, index, index), {"dtype": np.dtype(np.int64)})
    count = apply(ops.Scatter, ones, index, dim=dim, shape=x.shape)
    count = values(np.add, count, 1) if include_self else values(np.maximum, count, 1)
    if x._array.dtype.kind in "biu":
        return apply1(ops.Cast, values(np.floor_divide, total, count), {"dtype": x._array.dtype})
    return apply(ops.Div, total, apply1(ops.Cast, count, {"dtype": x._array.dtype}))

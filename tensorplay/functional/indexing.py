"""Elements picked, or put, at positions that a tensor holds."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import ops
from ..apply import apply, apply1
from ..errors import DTypeError, IndexingError, NotATensorError, PositionError, ShapeError
from ..indexing import getitem
from ..lifting import values
from ..ops.families import broadcast_shapes, normal_dim
from ..placing import index_put_, placed
from ..positions import check_positions, line_of, stretched
from ..tensor import Tensor, rank

__all__ = ["gather", "index_put", "index_select", "take", "take_along_dim"]


def gather(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """out[i][j] = input[index[i][j]][j] for dim 0, and so on; gradients of repeated positions add.

    >>> import tensorplay as tp
    >>> tp.gather(tp.tensor([[1.0, 2.0], [3.0, 4.0]]), 1, tp.tensor([[0], [1]]))
    tensor([[1.],
            [4.]])
    """
    dim = normal_dim(dim, rank(input))
    _check_gather(input, dim, index)
    if rank(input) and index.ndim:
        return apply(ops.Gather, input, index, dim=dim)
    line, at = (apply1(ops.Reshape, x, {"shape": (-1,)}) for x in (input, index))
    return apply1(ops.Reshape, apply(ops.Gather, line, at, dim=0), {"shape": index.shape})


def _check_gather(input: Tensor, dim: int, index: Tensor) -> None:
    if not isinstance(index, Tensor):
        raise NotATensorError(f"gather(): argument 'index' (position 3) must be Tensor, not {type(index).__name__}")
    if index._array.dtype not in (np.int64, np.int32):
        raise DTypeError(f"gather(): Expected dtype int64 for index, got {index.dtype}: convert with index.long()")
    if max(index.ndim, 1) != max(rank(input), 1):
        raise ShapeError(
            f"Index tensor must have the same number of dimensions as input tensor: got {list(index.shape)} "
            f"for an input of shape {list(input.shape)}"
        )
    if any(m > n for d, (m, n) in enumerate(zip(index.shape, input.shape, strict=False)) if d != dim):
        raise ShapeError(
            f"Size does not match: expected index {list(index.shape)} to be no larger than "
            f"input {list(input.shape)} apart from dimension {dim}"
        )
    if index._array.size:
        check_positions(index, dim, input.shape[dim] if rank(input) else 1, 0, PositionError)


def index_put(input: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    """A copy of `input` with `values`, broadcast, at index tensors on the leading dimensions.

    With `accumulate` they are added to what is there, at a repeated position every time; without it, which of the
    values a repeated position gets is not said. Raises DTypeError if the dtypes differ, IndexingError for a
    position that does not exist, ShapeError for values that do not fit.

    >>> import tensorplay as tp
    >>> tp.index_put(tp.zeros(3), (tp.tensor([0, 0, 2]),), tp.tensor([1.0, 2.0, 3.0]), accumulate=True)
    tensor([3., 0., 3.])
    """
    aim = placed(input, indices, values, accumulate, "index_put")
    if aim.front is input:
        return apply(aim.op, input, aim.values, *aim.ix)
    return index_put_(apply1(ops.Clone, input), indices, values, accumulate)


def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """The slices of `input` at `index` along `dim`, in that order; one may come several times.

    (…, n, …) with an index (k,) gives (…, k, …). Raises IndexingError for a slice that does not exist or an index of
    more than one dimension.

    >>> import tensorplay as tp
    >>> tp.index_select(tp.tensor([[1, 2, 3], [4, 5, 6]]), 1, tp.tensor([2, 0]))
    tensor([[3, 1],
            [6, 4]])
    """
    dim = normal_dim(dim, rank(input))
    index = line_of("index_select", index, (IndexingError, "Index is supposed to be a vector"), DTypeError)
    if not rank(input) and index.shape[0] != 1:
        raise ShapeError(
            f"index_select(): Index to scalar can have only 1 value, got {index.shape[0]} value(s): there is one number"
        )
    check_positions(index, dim, input.shape[dim] if rank(input) else 1, 0, opening="index out of range in self: ")
    if rank(input):
        return getitem(input, (*(slice(None),) * dim, index))
    return apply1(ops.Clone, input)


def take(input: Tensor, index: Tensor) -> Tensor:
    """The elements of `input`, counted through as if it had one dimension, at `index`: the shape is that of `index`.

    Positions may count from the end. Raises IndexingError for one that does not exist.

    >>> import tensorplay as tp
    >>> tp.take(tp.tensor([[1, 2], [3, 4]]), tp.tensor([[0, -1]]))
    tensor([[1, 4]])
    """
    rank(input)
    if not isinstance(index, Tensor):
        raise NotATensorError(f"take(): argument 'index' (position 2) must be Tensor, not {type(index).__name__}")
    if index._array.dtype != np.int64:
        raise DTypeError(f"take(): Expected a long tensor for index, but got {index.dtype}: convert with index.long()")
    size = input._array.size
    if index._array.size and not size:
        raise IndexingError("take(): tried to take from an empty tensor: it has no elements")
    check_positions(index, 0, size, -size, opening=f"out of range: tried to access a tensor of {size} elements: ")
    return apply(ops.Index, apply1(ops.Reshape, input, {"shape": (-1,)}), index)


def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    """The elements of `input` at `indices` along `dim`, where the other dimensions are stretched to fit each other.

    Without `dim` both are flattened first. What `argsort` or `argmax(keepdim=True)` gives picks the elements it found.
    Raises ShapeError where the ranks differ, PositionError for a position that does not exist.

    >>> import tensorplay as tp
    >>> x = tp.tensor([[1.0, 5.0], [8.0, 3.0]])
    >>> tp.take_along_dim(x, x.argmax(1, keepdim=True), 1)
    tensor([[5.],
            [8.]])
    """
    _check_along(input, indices, dim)
    if dim is None:
        flat, at = (apply1(ops.Reshape, x, {"shape": (-1,)}) for x in (input, indices))
        return take_along_dim(flat, at, 0)
    dim = normal_dim(dim, rank(input))
    size = input.shape[dim] if rank(input) else 1
    check_positions(indices, dim, size, -size, PositionError)
    rest = broadcast_shapes(_without(input.shape, dim), _without(indices.shape, dim))
    index = apply(ops.Where, values(np.less, indices, 0), apply(ops.Add, indices, size), indices)
    return apply(ops.Gather, *(stretched(x, (*rest[:dim], x.shape[dim], *rest[dim:])) for x in (input, index)), dim=dim)


def _without(shape: tuple[int, ...], dim: int) -> tuple[int, ...]:
    return shape[:dim] + shape[dim + 1 :]


def _check_along(input: Tensor, indices: Any, dim: int | None) -> None:
    rank(input)
    if not isinstance(indices, Tensor):
        raise NotATensorError(f"take_along_dim(): argument 'indices' must be Tensor, not {type(indices).__name__}")
    if indices._array.dtype != np.int64:
        raise DTypeError(f"torch.take_along_dim(): dtype of indices should be Long but got {indices.dtype}")
    if dim is not None and indices.ndim != rank(input):
        raise ShapeError(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, but got "
            f"{input.ndim} dimensions for input, and {indices.ndim} dimensions for indices"
        )

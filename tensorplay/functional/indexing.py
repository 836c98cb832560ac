"""Elements picked, or put, at positions that a tensor holds."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..apply import apply
from ..errors import DTypeError, ShapeError
from ..indexing import check_positions, placed
from ..lifting import plain
from ..ops.families import normal_dim
from ..tensor import Tensor, rank

__all__ = ["gather", "index_put"]


def gather(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """out[i][j] = input[index[i][j]][j] for dim 0, and so on; gradients of repeated positions add.

    >>> import tensorplay as tp
    >>> tp.gather(tp.tensor([[1.0, 2.0], [3.0, 4.0]]), 1, tp.tensor([[0], [1]]))
    tensor([[1.],
            [4.]])
    """
    dim = normal_dim(dim, rank(input))
    _check_gather(input, dim, index)
    return apply(ops.Gather, input, index, dim=dim)


def _check_gather(input: Tensor, dim: int, index: Tensor) -> None:
    if index._array.dtype.kind not in "iu":
        raise DTypeError(f"gather(): Expected dtype int64 for index, got {index.dtype}: convert with index.long()")
    if index.ndim != rank(input):
        raise ShapeError(
            f"Index tensor must have the same number of dimensions as input tensor: got {list(index.shape)} "
            f"for an input of shape {list(input.shape)}"
        )
    if any(m > n for d, (m, n) in enumerate(zip(index.shape, input.shape, strict=True)) if d != dim):
        raise ShapeError(
            f"Size does not match: expected index {list(index.shape)} to be no larger than "
            f"input {list(input.shape)} apart from dimension {dim}"
        )
    if index._array.size and rank(input):
        check_positions(plain(index._array), dim, input.shape[dim], lowest=0)


def index_put(input: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    """A copy of `input` with `values`, broadcast, at index tensors on the leading dimensions.

    With `accumulate` they are added to what is there, at a repeated position every time; without it, which of the
    values a repeated position gets is not said. Raises DTypeError if the dtypes differ, IndexingError for a
    position that does not exist, ShapeError for values that do not fit.

    >>> import tensorplay as tp
    >>> tp.index_put(tp.zeros(3), (tp.tensor([0, 0, 2]),), tp.tensor([1.0, 2.0, 3.0]), accumulate=True)
    tensor([3., 0., 3.])
    """
    op, ix = placed(input, indices, values, accumulate, "index_put")
    return apply(op, input, values, *ix)

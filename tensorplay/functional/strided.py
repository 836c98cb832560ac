"""Diagonals, triangles, windows, rolls, turns and repetitions."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import ops
from ..apply import apply1
from ..arrays.memory import place, steps
from ..errors import DimensionError, DTypeError, RangeError, ShapeError
from ..indexing import getitem
from ..ops.families import normal_dim
from ..tensor import Tensor, rank, wrap
from ..views import owned
from .common import repeated
from .shaping import flip, reshape, transpose

__all__ = [
    "as_strided",
    "diag",
    "diag_embed",
    "diagflat",
    "diagonal",
    "fliplr",
    "flipud",
    "repeat_interleave",
    "roll",
    "rot90",
    "tile",
    "tril",
    "triu",
]


def _two(dim1: int, dim2: int, size: int) -> tuple[int, int]:
    """Two different dimensions."""
    first, second = normal_dim(dim1, size), normal_dim(dim2, size)
    if first == second:
        raise ShapeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return first, second


# ------------------------------------------------------------------------------------------ diagonals


def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """The elements x[i, i + offset] of two dimensions, as a last dimension: a view.

    Raises DimensionError for a dimension that is not there, ShapeError if both are the same.

    >>> import tensorplay as tp
    >>> tp.diagonal(tp.tensor([[1, 2, 3], [4, 5, 6]]), 1)
    tensor([2, 6])
    """
    first, second = _two(dim1, dim2, rank(input))
    return apply1(ops.Diagonal, input, {"offset": offset, "dim1": first, "dim2": second})


def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Matrices with the last dimension of `input` on their diagonal, zeros elsewhere; `dim1` and `dim2` are theirs.

    Raises DimensionError for a dimension that is not there, ShapeError if both are the same.

    >>> import tensorplay as tp
    >>> tp.diag_embed(tp.tensor([1, 2]))
    tensor([[1, 0],
            [0, 2]])
    """
    width = rank(input) + 1
    first, second = _two(dim1, dim2, width)
    side = input.shape[-1] + abs(offset) if input.shape else 0
    rest = iter(input.shape[:-1])
    shape = tuple(side if d in (first, second) else next(rest) for d in range(width))
    return apply1(ops.DiagEmbed, input, {"shape": shape, "offset": offset, "dim1": first, "dim2": second})


def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """Of a matrix its diagonal (a copy), of a vector the matrix that has it as diagonal.

    Raises ShapeError for any other number of dimensions.

    >>> import tensorplay as tp
    >>> tp.diag(tp.tensor([[1, 2], [3, 4]]))
    tensor([1, 4])
    """
    if rank(input) not in (1, 2):
        raise ShapeError(
            f"diag(): Supports 1D or 2D tensors. Got {rank(input)}D: diagonal() takes the last two of more"
        )
    if input.ndim == 1:
        return diag_embed(input, diagonal)
    view = apply1(ops.Diagonal, input, {"offset": diagonal, "dim1": 0, "dim2": 1})
    return apply1(ops.Clone, view)


def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """The matrix that has all elements of `input` as its diagonal.

    >>> import tensorplay as tp
    >>> tp.diagflat(tp.tensor([1, 2]), 1)
    tensor([[0, 1, 0],
            [0, 0, 2],
            [0, 0, 0]])
    """
    rank(input)
    return diag_embed(reshape(input, (-1,)), offset)


def tril(input: Tensor, diagonal: int = 0) -> Tensor:
    """The lower triangle of matrices, up to the diagonal that many places above the main one; zeros elsewhere.

    Raises ShapeError for fewer than two dimensions.

    >>> import tensorplay as tp
    >>> tp.tril(tp.ones(2, 3))
    tensor([[1., 0., 0.],
            [1., 1., 0.]])
    """
    return apply1(ops.Tril, _matrices(input, "tril"), {"diagonal": diagonal})


def triu(input: Tensor, diagonal: int = 0) -> Tensor:
    """The upper triangle of matrices, from the diagonal that many places above the main one on; zeros elsewhere.

    Raises ShapeError for fewer than two dimensions.

    >>> import tensorplay as tp
    >>> tp.triu(tp.ones(2, 3), 1)
    tensor([[0., 1., 1.],
            [0., 0., 1.]])
    """
    return apply1(ops.Triu, _matrices(input, "triu"), {"diagonal": diagonal})


def _matrices(input: Tensor, name: str) -> Tensor:
    if rank(input) < 2:
        raise ShapeError(f"{name}: input tensor must have at least 2 dimensions, got shape {list(input.shape)}")
    return input


# ---------------------------------------------------------------------------------------- by strides


def as_strided(input: Tensor, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None) -> Tensor:
    """The memory of a tensor at other sizes and steps, counted in elements: a view, whose elements may overlap.

    Without `storage_offset` it starts at the first element of `input`. Gradients are added up where elements
    overlap. Raises ShapeError for steps that are negative or lead out of the memory.

    >>> import tensorplay as tp
    >>> tp.as_strided(tp.arange(4), (2, 3), (1, 1))
    tensor([[0, 1, 2],
            [1, 2, 3]])
    """
    rank(input)
    size, stride = tuple(size), tuple(stride)
    array = input._array
    known = isinstance(array, np.ndarray)
    like, (start, total) = (steps(array), place(array)) if known else _in_order(input.shape)
    at = start if storage_offset is None else storage_offset
    _check_strides(size, stride, at, total)
    return apply1(ops.AsStrided, input, {"size": size, "stride": stride, "offset": at - start, "like": like})


def _in_order(shape: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, int]]:
    """The strides, start and size of memory that has its elements in order: that of an example inside `vmap`."""
    like, total = [], 1
    for n in reversed(shape):
        like.append(total)
        total *= n
    return tuple(reversed(like)), (0, total)


def _check_strides(size: tuple[int, ...], stride: tuple[int, ...], at: int, total: int) -> None:
    if len(size) != len(stride):
        raise ShapeError(f"mismatch in length of strides and shape: got sizes {list(size)} and strides {list(stride)}")
    if any(s < 0 for s in stride):
        raise ShapeError(f"as_strided: Negative strides are not supported at the moment, got strides: {list(stride)}")
    if any(n < 0 for n in size):
        raise ShapeError(f"as_strided: Trying to create tensor with negative dimension {min(size)}: {list(size)}")
    if at < 0:
        raise ShapeError(f"Tensor: invalid storage offset {at}: it is counted from the start of the memory")
    last = at + sum((n - 1) * s for n, s in zip(size, stride, strict=True))
    if last >= total and 0 not in size:
        raise ShapeError(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {at} require a storage of "
            f"{last + 1} elements and are out of bounds for storage of {total}"
        )


# ------------------------------------------------------------------------------------ moved and turned


def roll(input: Tensor, shifts: int | Sequence[int], dims: int | Sequence[int] = ()) -> Tensor:
    """Moved along `dims` by `shifts`; what leaves at the end comes in at the start. Without `dims`: as one row.

    Raises ShapeError if there are not as many shifts as dimensions, DimensionError for one that is not there.

    >>> import tensorplay as tp
    >>> tp.roll(tp.tensor([1, 2, 3, 4]), 1)
    tensor([4, 1, 2, 3])
    """
    ways = tuple(shifts) if isinstance(shifts, (tuple, list)) else (shifts,)
    along = tuple(dims) if isinstance(dims, (tuple, list)) else (dims,)
    if not along and len(ways) == 1:
        flat = apply1(ops.Roll, reshape(input, (-1,)), {"shifts": ways, "dims": (0,)})
        return owned(reshape(flat, input.shape))
    if len(ways) != len(along) or not ways:
        raise ShapeError(f"shifts and dimensions must align. shifts: {len(ways)}, dims:{len(along)}")
    if not rank(input):
        raise DimensionError(f"Dimension specified as {along[0]} but tensor has no dimensions")
    return apply1(ops.Roll, input, {"shifts": ways, "dims": tuple(normal_dim(d, rank(input)) for d in along)})


def rot90(input: Tensor, k: int = 1, dims: Sequence[int] = (0, 1)) -> Tensor:
    """Turned by k · 90° in the plane of two dimensions, from the first towards the second: a copy.

    Raises ShapeError unless `dims` are two different dimensions.

    >>> import tensorplay as tp
    >>> tp.rot90(tp.tensor([[1, 2], [3, 4]]))
    tensor([[2, 4],
            [1, 3]])
    """
    if len(dims) != 2:
        raise ShapeError(f"expected total rotation dims == 2, but got dims = {len(dims)}")
    if rank(input) < 2:
        raise ShapeError(f"expected total dims >= 2, but got total dims = {rank(input)}")
    a, b = (normal_dim(d, rank(input)) for d in dims)
    if a == b:
        raise ShapeError(f"expected rotation dims to be different, but got dim0 = {dims[0]} and dim1 = {dims[1]}")
    turns = k % 4
    if turns == 0:
        return apply1(ops.Clone, input)
    if turns == 2:
        return flip(input, (a, b))
    return owned(transpose(flip(input, (b if turns == 1 else a,)), a, b))


def fliplr(input: Tensor) -> Tensor:
    """The columns in reverse order: a copy. Raises ShapeError for fewer than two dimensions.

    >>> import tensorplay as tp
    >>> tp.fliplr(tp.tensor([[1, 2], [3, 4]]))
    tensor([[2, 1],
            [4, 3]])
    """
    if rank(input) < 2:
        raise ShapeError(f"Input must be >= 2-d: fliplr() turns columns, and got shape {list(input.shape)}")
    return flip(input, (1,))


def flipud(input: Tensor) -> Tensor:
    """The rows in reverse order: a copy. Raises ShapeError for a single number.

    >>> import tensorplay as tp
    >>> tp.flipud(tp.tensor([[1, 2], [3, 4]]))
    tensor([[3, 4],
            [1, 2]])
    """
    if not rank(input):
        raise ShapeError("Input must be >= 1-d: flipud() turns rows, and got a single number")
    return flip(input, (0,))


# ------------------------------------------------------------------------------------------ repeated


def tile(input: Tensor, *dims: Any) -> Tensor:
    """Copies side by side, that many along each of the last dimensions; those in front become new ones.

    >>> import tensorplay as tp
    >>> tp.tile(tp.tensor([1, 2]), (2, 2))
    tensor([[1, 2, 1, 2],
            [1, 2, 1, 2]])
    """
    times = _whole(dims)
    return repeated(input, (1,) * (rank(input) - len(times)) + times)


def _whole(sizes: tuple[Any, ...]) -> tuple[int, ...]:
    """Numbers given one by one or as a sequence."""
    given = sizes[0] if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)) else sizes
    return tuple(operator.index(n) for n in given)


def repeat_interleave(
    input: Tensor, repeats: Any = None, dim: int | None = None, *, output_size: int | None = None
) -> Tensor:
    """Each element (of a dimension) that many times in a row; `repeats` is a number, or a tensor of one for each.

    Without `dim` all elements in one row. `repeat_interleave(repeats)` gives the positions: i, repeats[i] times.
    Raises ShapeError if there are not as many repeats as elements, RangeError for negative ones.

    >>> import tensorplay as tp
    >>> tp.repeat_interleave(tp.tensor([1, 2]), tp.tensor([1, 3]))
    tensor([1, 2, 2, 2])
    """
    if repeats is None:
        return wrap(_positions(input, input.shape[0] if rank(input) == 1 else 0, output_size))
    x = reshape(input, (-1,)) if dim is None else input
    at = normal_dim(dim or 0, rank(x))
    x = x if x.ndim else reshape(x, (1,))
    if not isinstance(repeats, Tensor):
        repeats = wrap(np.asarray(operator.index(repeats)))
    chosen = wrap(_positions(repeats, x.shape[at], output_size))
    return getitem(x, (*(slice(None),) * at, chosen))


def _positions(repeats: Tensor, size: int, output_size: int | None) -> np.ndarray:
    """Each position as often as it is repeated."""
    times = repeats._array
    if times.dtype not in (np.int32, np.int64):
        raise DTypeError(f"repeats has to be Long or Int tensor: got {repeats.dtype}, convert it with .long()")
    if times.ndim > 1:
        raise ShapeError(f"repeats must be 0-dim or 1-dim tensor, got shape {list(repeats.shape)}")
    if times.ndim and times.size not in (1, size):
        raise ShapeError(
            "repeats must have the same size as input along dim, but got "
            f"repeats.size(0) = {times.size} and input.size(dim) = {size}"
        )
    if (times < 0).any():
        raise RangeError(f"Repeats must be non-negative, got {times.min()}")
    found = np.repeat(np.arange(size), times)
    if output_size is not None and output_size != found.size:
        raise ShapeError(f"allocated size does not match required size: output_size={output_size}, not {found.size}")
    return found

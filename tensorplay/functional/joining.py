"""Tensors joined along a dimension, and taken apart into views."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

from .. import ops
from ..apply import apply
from ..arrays.dtypes import promote_types
from ..errors import DimensionError, EmptyListError, NotATensorError, ShapeError
from ..ops.families import normal_dim
from ..tensor import Tensor, rank
from .common import either
from .dimensions import atleast_1d, atleast_2d, atleast_3d
from .shaping import reshape

__all__ = [
    "cat",
    "chunk",
    "column_stack",
    "concat",
    "concatenate",
    "dstack",
    "hstack",
    "row_stack",
    "split",
    "split_with_sizes",
    "stack",
    "unbind",
    "vstack",
]


def cat(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Tensors joined along a dimension they all have; each receives its own piece of the gradient.

    Raises ShapeError if sizes differ elsewhere.

    >>> import tensorplay as tp
    >>> tp.cat([tp.ones(2), tp.zeros(1)])
    tensor([1., 1., 0.])
    """
    xs = _several(tensors, "cat")
    kept = xs if all(x.ndim == 1 for x in xs) else [x for x in xs if x.shape != (0,)]  # PyTorch skips empty vectors
    joined = apply(ops.Cat, *kept, dim=normal_dim(dim, rank(kept[0])))
    return joined if len(kept) == len(xs) else joined.to(reduce(promote_types, (x.dtype for x in xs)))


concat = concatenate = cat


def stack(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Tensors of one shape joined along a new dimension.

    Raises ShapeError if the shapes differ.

    >>> import tensorplay as tp
    >>> tp.stack([tp.ones(2), tp.zeros(2)])
    tensor([[1., 1.],
            [0., 0.]])
    """
    xs = _several(tensors, "stack")
    return apply(ops.Stack, *xs, dim=normal_dim(dim, rank(xs[0]) + 1))


def hstack(tensors: Sequence[Tensor]) -> Tensor:
    """Tensors side by side: joined along the second dimension, vectors along their only one.

    >>> import tensorplay as tp
    >>> tp.hstack([tp.tensor([[1], [2]]), tp.tensor([[3], [4]])])
    tensor([[1, 3],
            [2, 4]])
    """
    xs = atleast_1d(_several(tensors, "hstack"))
    return cat(xs, 0 if xs[0].ndim == 1 else 1)


def vstack(tensors: Sequence[Tensor]) -> Tensor:
    """Tensors below each other: joined along the first dimension; vectors are rows.

    >>> import tensorplay as tp
    >>> tp.vstack([tp.tensor([1, 2]), tp.tensor([3, 4])])
    tensor([[1, 2],
            [3, 4]])
    """
    return cat(atleast_2d(_several(tensors, "vstack")))


row_stack = vstack


def dstack(tensors: Sequence[Tensor]) -> Tensor:
    """Tensors behind each other: joined along the third dimension; vectors and matrices get one of size 1.

    >>> import tensorplay as tp
    >>> tp.dstack([tp.tensor([1, 2]), tp.tensor([3, 4])])
    tensor([[[1, 3],
             [2, 4]]])
    """
    return cat(atleast_3d(_several(tensors, "dstack")), 2)


def column_stack(tensors: Sequence[Tensor]) -> Tensor:
    """Vectors as columns, and matrices, side by side.

    >>> import tensorplay as tp
    >>> tp.column_stack([tp.tensor([1, 2]), tp.tensor([3, 4])])
    tensor([[1, 3],
            [2, 4]])
    """
    columns = [x if x.ndim > 1 else reshape(x, (x.numel(), 1)) for x in _several(tensors, "column_stack")]
    return cat(columns, 1)


def _several(tensors: Sequence[Tensor], name: str) -> list[Tensor]:
    if isinstance(tensors, Tensor):
        raise NotATensorError(
            f"{name}(): argument 'tensors' must be tuple of Tensors, not Tensor: write {name}([x, y])"
        )
    xs = list(tensors)
    if not xs:
        raise EmptyListError(f"{name} expects a non-empty list of Tensors, got none")
    for x in xs:
        rank(x)
    return xs


def split(tensor: Tensor, split_size_or_sections: Any = None, dim: int = 0, **named: Any) -> tuple[Tensor, ...]:
    """Views of pieces along a dimension: of one size (the last may be smaller), or of the sizes listed.

    >>> import tensorplay as tp
    >>> tp.split(tp.arange(5), 2)
    (tensor([0, 1]), tensor([2, 3]), tensor([4]))
    """
    dim = normal_dim(dim, rank(tensor))
    total = _size(tensor, dim, "split")
    pieces = either(split_size_or_sections, named, "split_size")
    if not isinstance(pieces, int):
        return split_with_sizes(tensor, pieces, dim)
    return apply(ops.Split, tensor, sizes=_equal(total, pieces), dim=dim)


def split_with_sizes(input: Tensor, split_sizes: Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
    """Views of pieces of the sizes listed, along a dimension. Raises ShapeError if they do not sum to its size.

    >>> import tensorplay as tp
    >>> tp.split_with_sizes(tp.arange(4), [1, 3])
    (tensor([0]), tensor([1, 2, 3]))
    """
    dim = normal_dim(dim, rank(input))
    total, sizes = _size(input, dim, "split_with_sizes"), tuple(split_sizes)
    if sum(sizes) != total or any(n < 0 for n in sizes):
        raise ShapeError(
            f"split_with_sizes expects split_sizes to sum exactly to {total} (input tensor's size at dimension "
            f"{dim}), but got split_sizes={list(sizes)}"
        )
    return apply(ops.Split, input, sizes=sizes, dim=dim)


def _equal(total: int, size: int) -> tuple[int, ...]:
    if size < 0:
        raise ShapeError(f"split expects split_size be non-negative, but got split_size={size}")
    if size == 0 and total:
        raise ShapeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {total}")
    if total == 0:
        return (0,)
    return tuple(min(size, total - start) for start in range(0, total, size))


def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Views of at most `chunks` pieces of equal size along a dimension (the last may be smaller).

    >>> import tensorplay as tp
    >>> [len(piece) for piece in tp.chunk(tp.arange(7), 3)]
    [3, 3, 1]
    """
    dim = normal_dim(dim, rank(input))
    if chunks <= 0:
        raise ShapeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    total = _size(input, dim, "chunk")
    return split(input, -(-total // chunks), dim) if total else split(input, [0] * chunks, dim)


def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """Views of the slices along a dimension, which goes away.

    >>> import tensorplay as tp
    >>> tp.unbind(tp.tensor([[1, 2], [3, 4]]))
    (tensor([1, 2]), tensor([3, 4]))
    """
    dim = normal_dim(dim, rank(input))
    if not input.shape:
        raise DimensionError("Dimension specified as 0 but tensor has no dimensions: unbind() takes slices apart")
    return apply(ops.Unbind, input, dim=dim)


def _size(x: Tensor, dim: int, name: str) -> int:
    if not x.shape:
        raise ShapeError(f"{name} expects at least a 1-dimensional tensor, got a single number")
    return x.shape[dim]

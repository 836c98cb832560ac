"""Tensors joined along a dimension, and taken apart into views."""

from __future__ import annotations

from collections.abc import Sequence

from .. import ops
from ..apply import apply
from ..errors import DimensionError, EmptyListError, NotATensorError, ShapeError
from ..ops.families import normal_dim
from ..tensor import Tensor, rank

__all__ = ["cat", "chunk", "concat", "split", "stack", "unbind"]


def cat(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Tensors joined along a dimension they all have; each receives its own piece of the gradient.

    Raises ShapeError if sizes differ elsewhere.

    >>> import tensorplay as tp
    >>> tp.cat([tp.ones(2), tp.zeros(1)])
    tensor([1., 1., 0.])
    """
    xs = _several(tensors, "cat")
    kept = xs if all(x.ndim == 1 for x in xs) else [x for x in xs if x.shape != (0,)]  # PyTorch skips empty vectors
    return apply(ops.Cat, *kept, dim=normal_dim(dim, rank(kept[0])))


concat = cat


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


def split(tensor: Tensor, split_size_or_sections: int | Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
    """Views of pieces along a dimension: of one size (the last may be smaller), or of the sizes listed.

    >>> import tensorplay as tp
    >>> tp.split(tp.arange(5), 2)
    (tensor([0, 1]), tensor([2, 3]), tensor([4]))
    """
    dim = normal_dim(dim, rank(tensor))
    total = _size(tensor, dim, "split")
    if isinstance(split_size_or_sections, int):
        sizes = _equal(total, split_size_or_sections)
    else:
        sizes = tuple(split_size_or_sections)
        if sum(sizes) != total or any(n < 0 for n in sizes):
            raise ShapeError(
                f"split_with_sizes expects split_sizes to sum exactly to {total} (input tensor's size at dimension "
                f"{dim}), but got split_sizes={list(sizes)}"
            )
    return apply(ops.Split, tensor, sizes=sizes, dim=dim)


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

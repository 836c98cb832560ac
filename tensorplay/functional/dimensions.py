"""Dimensions in another order, more of them, and stretched to a common shape: all views."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from .. import ops
from ..apply import apply1
from ..errors import IndexingError, NotATensorError, ShapeError
from ..ops import families
from ..ops.families import normal_dim
from ..tensor import Tensor, rank
from .common import conjugated, matrices_turned
from .pointwise import clone
from .shaping import expand, permute, reshape, transpose

__all__ = [
    "adjoint",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "broadcast_shapes",
    "broadcast_tensors",
    "broadcast_to",
    "moveaxis",
    "movedim",
    "narrow",
    "numel",
    "ravel",
    "select",
    "swapaxes",
    "swapdims",
    "t",
    "unflatten",
]

Dims = int | Sequence[int]


# ------------------------------------------------------------------------------------ in another order


def t(input: Tensor) -> Tensor:
    """The transpose of a matrix, tᵢⱼ = xⱼᵢ: a view; a vector and a single number stay as they are.

    Raises ShapeError for more than two dimensions.

    >>> import tensorplay as tp
    >>> tp.t(tp.tensor([[1, 2], [3, 4]]))
    tensor([[1, 3],
            [2, 4]])
    """
    if rank(input) > 2:
        raise ShapeError(
            f"t() expects a tensor with <= 2 dimensions, but self is {rank(input)}D: use mT or transpose(dim0, dim1)"
        )
    return permute(input, tuple(reversed(range(rank(input)))))


def swapaxes(input: Tensor, axis0: int, axis1: int) -> Tensor:
    """`transpose` under NumPy's name: two dimensions exchanged, a view.

    >>> import tensorplay as tp
    >>> tp.swapaxes(tp.ones(2, 3), 0, 1).shape
    (3, 2)
    """
    return transpose(input, axis0, axis1)


def swapdims(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """`transpose` under another name: two dimensions exchanged, a view.

    >>> import tensorplay as tp
    >>> tp.swapdims(tp.ones(2, 3), 0, 1).shape
    (3, 2)
    """
    return transpose(input, dim0, dim1)


def movedim(input: Tensor, source: Dims, destination: Dims) -> Tensor:
    """Dimensions moved from `source` to `destination`, the others kept in their order: a view.

    Raises DimensionError for a dimension that is not there, ShapeError for one named twice.

    >>> import tensorplay as tp
    >>> tp.movedim(tp.ones(2, 3, 4), 0, -1).shape
    (3, 4, 2)
    """
    start, end = (_each(d, rank(input)) for d in (source, destination))
    if len(start) != len(end):
        raise ShapeError(
            f"movedim: Invalid source or destination dims: source ({list(start)} dims) should contain the same number "
            f"of dims as destination ({list(end)} dims)"
        )
    for name, dims in (("source", start), ("destination", end)):
        if len(set(dims)) != len(dims):
            raise ShapeError(f"movedim: repeated dim in `{name}` ({list(dims)}): name each dimension once")
    rest = iter(d for d in range(rank(input)) if d not in start)
    there = dict(zip(end, start, strict=True))
    return permute(input, tuple(there[d] if d in there else next(rest) for d in range(rank(input))))


def _each(dims: Dims, size: int) -> tuple[int, ...]:
    found = (dims,) if not isinstance(dims, (tuple, list)) else dims
    return tuple(normal_dim(d, size) for d in found) if size else ()


def moveaxis(input: Tensor, source: Dims, destination: Dims) -> Tensor:
    """`movedim` under NumPy's name.

    >>> import tensorplay as tp
    >>> tp.moveaxis(tp.ones(2, 3, 4), (0, 1), (1, 0)).shape
    (3, 2, 4)
    """
    return movedim(input, source, destination)


def adjoint(input: Tensor) -> Tensor:
    """The last two dimensions exchanged, and complex numbers conjugated: xᴴ.

    Raises ShapeError for a vector.

    >>> import tensorplay as tp
    >>> tp.adjoint(tp.tensor([[1 + 2j, 3.0]]))[0, 0].item()
    (1-2j)
    """
    return conjugated(matrices_turned(input, "tensor.adjoint()"))


# ------------------------------------------------------------------------------- more and fewer of them


def ravel(input: Tensor) -> Tensor:
    """All elements in one dimension: a view where memory is in order, else a copy.

    >>> import tensorplay as tp
    >>> tp.ravel(tp.tensor([[1, 2], [3, 4]]))
    tensor([1, 2, 3, 4])
    """
    rank(input)
    flat = reshape(input, (-1,))
    return flat if flat.is_contiguous() else clone(flat)


def unflatten(input: Tensor, dim: int, sizes: Sequence[int]) -> Tensor:
    """One dimension as several of `sizes`, of which one may be -1: what `flatten` undoes.

    Raises ShapeError if the sizes do not multiply to that of the dimension.

    >>> import tensorplay as tp
    >>> tp.unflatten(tp.ones(4, 6), 1, (2, -1)).shape
    (4, 2, 3)
    """
    at, sizes = normal_dim(dim, rank(input)), tuple(sizes)
    if not sizes:
        raise ShapeError("unflatten: sizes must be non-empty")
    if not input.shape:
        raise IndexingError("unflatten: a single number has no dimension to be taken apart")
    size = input.shape[at]
    known = reduce(lambda m, n: m * n, (n for n in sizes if n != -1), 1)
    fits = known == size if -1 not in sizes else known > 0 and size % known == 0
    if not fits or sizes.count(-1) > 1:
        raise ShapeError(
            f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {at} ({size}) in the input "
            "tensor"
        )
    full = tuple(size // known if n == -1 else n for n in sizes)
    return reshape(input, (*input.shape[:at], *full, *input.shape[at + 1 :]))


def _at_least(name: str, grow: Callable[[Tensor], Tensor], tensors: tuple[Any, ...]) -> Any:
    several = len(tensors) != 1 or isinstance(tensors[0], (tuple, list))
    given = tensors[0] if several and len(tensors) == 1 else tensors
    for x in given:
        if not isinstance(x, Tensor):
            raise NotATensorError(f"{name}() takes tensors, or one list of them, not {type(x).__name__}: got {x!r}")
    return tuple(map(grow, given)) if several else grow(given[0])


def atleast_1d(*tensors: Any) -> Any:
    """Each tensor with at least one dimension: single numbers become vectors of one element. A tuple for several.

    >>> import tensorplay as tp
    >>> tp.atleast_1d(tp.tensor(3))
    tensor([3])
    """
    return _at_least("atleast_1d", lambda x: x if x.ndim else reshape(x, (1,)), tensors)


def atleast_2d(*tensors: Any) -> Any:
    """Each tensor with at least two dimensions: vectors become rows. A tuple for several.

    >>> import tensorplay as tp
    >>> tp.atleast_2d(tp.tensor([1, 2]))
    tensor([[1, 2]])
    """
    return _at_least("atleast_2d", _rows, tensors)


def _rows(x: Tensor) -> Tensor:
    return x if x.ndim >= 2 else apply1(ops.Reshape, x, {"shape": (1,) * (2 - x.ndim) + x.shape})


def atleast_3d(*tensors: Any) -> Any:
    """Each tensor with at least three dimensions: matrices get a last one of size 1. A tuple for several.

    >>> import tensorplay as tp
    >>> tp.atleast_3d(tp.ones(2, 3)).shape
    (2, 3, 1)
    """
    return _at_least("atleast_3d", _deep, tensors)


def _deep(x: Tensor) -> Tensor:
    return x if x.ndim >= 3 else apply1(ops.Reshape, x, {"shape": (*_rows(x).shape, 1)})


def numel(input: Tensor) -> int:
    """How many elements a tensor has.

    >>> import tensorplay as tp
    >>> tp.numel(tp.ones(2, 3))
    6
    """
    rank(input)
    return input._array.size


# ----------------------------------------------------------------------------------- parts of one


def select(input: Tensor, dim: int, index: int) -> Tensor:
    """The slice at one index of a dimension, which goes away: the view x[:, …, index].

    Raises IndexingError for an index that is not there.

    >>> import tensorplay as tp
    >>> tp.select(tp.tensor([[1, 2], [3, 4]]), 1, -1)
    tensor([2, 4])
    """
    if not rank(input):
        raise IndexingError("select() cannot be applied to a 0-dim tensor.")
    at, index = normal_dim(dim, rank(input)), operator.index(index)
    size = input.shape[at]
    if not -size <= index < size:
        raise IndexingError(
            f"select(): index {index} out of range for tensor of size {list(input.shape)} at dimension {at}: "
            f"it must be at least {-size} and below {size}"
        )
    return apply1(ops.GetItem, input, {"index": (*(slice(None),) * at, index)})


def narrow(input: Tensor, dim: int, start: Any, length: int) -> Tensor:
    """The `length` elements of a dimension from `start` on: a view.

    Raises ShapeError where that reaches over the end, IndexingError for a start that is not there.

    >>> import tensorplay as tp
    >>> tp.narrow(tp.arange(5), 0, 1, 3)
    tensor([1, 2, 3])
    """
    if not rank(input):
        raise ShapeError("narrow() cannot be applied to a 0-dim tensor.")
    at = normal_dim(dim, rank(input))
    size, start, length = input.shape[at], operator.index(start), operator.index(length)
    if length < 0:
        raise ShapeError(f"narrow(): length must be non-negative, got {length}")
    if not -size <= start <= size:
        raise IndexingError(f"start out of range (expected to be in range of [{-size}, {size}], but got {start})")
    start = start + size if start < 0 else start
    if start + length > size:
        raise ShapeError(f"start ({start}) + length ({length}) exceeds dimension size ({size}).")
    return apply1(ops.GetItem, input, {"index": (*(slice(None),) * at, slice(start, start + length))})


# ------------------------------------------------------------------------------------------ stretched


def broadcast_shapes(*shapes: Any) -> tuple[int, ...]:
    """The shape that tensors of these shapes stretch to together. Raises ShapeError if they do not fit.

    >>> import tensorplay as tp
    >>> tp.broadcast_shapes((2, 1), (3,))
    (2, 3)
    """
    found = [(s,) if isinstance(s, int) else tuple(s) for s in shapes]
    for shape in found:
        if any(n < 0 for n in shape):
            raise ShapeError(f"Trying to create tensor with negative dimension ({min(shape)}): {list(shape)}")
    return reduce(families.broadcast_shapes, found, ())


def broadcast_to(input: Tensor, size: Sequence[int]) -> Tensor:
    """Stretched to a shape without copying, as `expand` does.

    >>> import tensorplay as tp
    >>> tp.broadcast_to(tp.tensor([1, 2]), (2, 2))
    tensor([[1, 2],
            [1, 2]])
    """
    return expand(input, tuple(size))


def broadcast_tensors(*tensors: Any) -> tuple[Tensor, ...]:
    """All stretched to their common shape: views. Raises ShapeError if they do not fit.

    >>> import tensorplay as tp
    >>> [x.shape for x in tp.broadcast_tensors(tp.ones(2, 1), tp.ones(3))]
    [(2, 3), (2, 3)]
    """
    given = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)) else tensors
    for x in given:
        rank(x)
    shape = broadcast_shapes(*(x.shape for x in given))
    return tuple(expand(x, shape) for x in given)

"""Families of ops: what is common to many is said once, here.

A family fixes the shape rule and the words of its error, whether gradients are summed back to a
broadcast input, and (by its name) how a batching namespace runs it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from math import prod
from operator import index
from typing import Any

from ..errors import DimensionError, DimensionTypeError, DTypeError, EmptyReductionError, IndexingError, ShapeError
from .base import Op

__all__ = [
    "Broadcasting",
    "Contraction",
    "Cumulative",
    "Fused",
    "Indexing",
    "Pointwise",
    "Reduction",
    "Shaping",
    "Sorting",
    "broadcast_shapes",
    "complex_numbers",
    "count",
    "keep_shape",
    "no_slope",
    "normal_dim",
    "normal_dims",
    "product_error",
]

Shape = tuple[int, ...]


# ------------------------------------------------------------------------------------- shape rules


def normal_dim(dim: int, rank: int) -> int:
    """A dimension counted from the front; negative ones count from the end, as in PyTorch.

    >>> normal_dim(-1, 3)
    2
    """
    if not isinstance(dim, int):
        dim = _whole(dim)
    room = max(rank, 1)
    if not -room <= dim < room:
        raise DimensionError(
            f"Dimension out of range (expected to be in range of [{-room}, {room - 1}], but got {dim})"
        )
    return dim % room


def _whole(dim: Any) -> int:
    """A dimension given as a whole number of another type, such as NumPy's."""
    try:
        return index(dim)
    except TypeError:
        raise DimensionTypeError(f"argument 'dim' must be int, not {type(dim).__name__}: got {dim!r}") from None


def normal_dims(dim: int | Sequence[int] | None, rank: int) -> tuple[int, ...] | None:
    """Several dimensions, each once; None and () mean all, and so does any dimension of a single number.

    >>> normal_dims((0, -1), 3)
    (0, 2)
    """
    if dim is None:
        return None
    dims = tuple(normal_dim(d, rank) for d in (dim if isinstance(dim, (tuple, list)) else (dim,)))
    if len(set(dims)) != len(dims):
        twice = next(d for d in dims if dims.count(d) > 1)
        raise ShapeError(f"dim {twice} appears multiple times in the list of dims: {dim}; name each dimension once")
    return dims if rank and dims else None


def keep_shape(shape: Shape, dim: int | tuple[int, ...] | None) -> Shape:
    """The shape with reduced dimensions kept as 1.

    >>> keep_shape((2, 3), (1,))
    (2, 1)
    """
    if dim is None:
        return (1,) * len(shape)
    dims = (dim,) if isinstance(dim, int) else dim
    return tuple(1 if i in dims else n for i, n in enumerate(shape))


def count(shape: Shape, dim: int | tuple[int, ...] | None) -> int:
    """How many elements go into one result of a reduction."""
    if dim is None:
        return prod(shape)
    return prod(shape[d] for d in ((dim,) if isinstance(dim, int) else dim) if shape)


def no_slope(xp: Any, g: Any) -> Any:
    """Zeros in the form of `g` that depend on nothing: the derivative of what does not move."""
    return xp.put_view(xp.stop(g), 0.0, ())


def complex_numbers(x: Any) -> bool:
    """Whether the numbers of an array of any namespace are complex."""
    return getattr(x.dtype, "kind", "") == "c" or getattr(x.dtype, "is_complex", False)


def broadcast_shapes(a: Shape, b: Shape) -> Shape:
    """The common shape of two operands; sizes must agree, or one of them be 1, counted from the right.

    >>> broadcast_shapes((4, 1), (3,))
    (4, 3)
    """
    rank = max(len(a), len(b))
    pairs = zip((1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b, strict=True)
    result = []
    for i, (m, n) in enumerate(pairs):
        if m != n and m != 1 and n != 1:
            raise ShapeError(
                f"The size of tensor a ({m}) must match the size of tensor b ({n}) at non-singleton dimension {i}. "
                f"Shapes {list(a)} and {list(b)} are aligned at the right; paired sizes must be equal or 1. "
                f"Reshape or unsqueeze one operand."
            )
        result.append(n if m == 1 else m)
    return tuple(result)


def _shape(x: Any) -> Shape:
    return tuple(x.shape) if hasattr(x, "shape") else ()


# ---------------------------------------------------------------------------------------- families


class Pointwise(Op, abstract=True):
    """One input, each element on its own."""

    family = "pointwise"
    floating = True


class Broadcasting(Op, abstract=True):
    """Two inputs stretched to a common shape, element by element."""

    family = "broadcasting"
    promote = fits = True

    @classmethod
    def explain(cls, arrays: tuple[Any, ...], params: dict[str, Any], error: Exception) -> Exception:
        try:
            reduce(broadcast_shapes, map(_shape, arrays))
        except ShapeError as clearer:
            return clearer
        if isinstance(error, OverflowError):
            return DTypeError(f"value cannot be converted to the other operand's type without overflow: {error}")
        return error


class Reduction(Op, abstract=True):
    """Many elements become one, along `dim` (a tuple, or None for all)."""

    family = "reduction"

    @classmethod
    def explain(cls, arrays: tuple[Any, ...], params: dict[str, Any], error: Exception) -> Exception:
        if isinstance(error, ValueError):
            name = cls.__name__.lower().removesuffix("ofall")
            name = name[1:] if name in ("amax", "amin") and params.get("dim") is None else name
            return EmptyReductionError(
                f"{name}(): Expected reduction dim with at least one element, got a tensor of shape "
                f"{list(_shape(arrays[0]))}: the {cls.label} of nothing is not defined"
            )
        return error


class Cumulative(Op, abstract=True):
    """Each element becomes a result of all up to it, along `dim` (an int)."""

    family = "cumulative"


class Sorting(Op, abstract=True):
    """The elements in the order of their values, along `dim` (an int)."""

    family = "sorting"


class Shaping(Op, abstract=True):
    """The same numbers in another arrangement."""

    family = "shaping"


class Indexing(Op, abstract=True):
    """Some of the elements, chosen by position; the adjoint puts or adds them back."""

    family = "indexing"

    @classmethod
    def explain(cls, arrays: tuple[Any, ...], params: dict[str, Any], error: Exception) -> Exception:
        if isinstance(error, IndexError):
            return IndexingError(f"{error} (indexing a tensor of shape {list(_shape(arrays[0]))})")
        return error


class Contraction(Op, abstract=True):
    """Sums of products over shared dimensions."""

    family = "contraction"
    promote = fits = True

    @classmethod
    def explain(cls, arrays: tuple[Any, ...], params: dict[str, Any], error: Exception) -> Exception:
        return product_error(_shape(arrays[0]), _shape(arrays[1]), error)


def product_error(a: Shape, b: Shape, error: Exception) -> Exception:
    """Why matrices of these shapes cannot be multiplied; `error` itself where the shapes are not to blame."""
    if len(a) >= 2 and len(b) >= 2 and a[-1] == b[-2]:
        try:
            broadcast_shapes(a[:-2], b[:-2])
        except ShapeError as clearer:
            return clearer
        return error
    text = f"{'x'.join(map(str, a[-2:]))} and {'x'.join(map(str, b[-2:]))}"
    return ShapeError(
        f"mat1 and mat2 shapes cannot be multiplied ({text}): the columns of the first must equal the rows "
        f"of the second. Transpose one of them (x.T) or check the order."
    )


class Fused(Op, abstract=True):
    """Several steps in one, with a rule of their own."""

    family = "fused"

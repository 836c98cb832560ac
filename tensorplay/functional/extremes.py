"""The largest and the smallest elements, and where they are."""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import ops
from ..apply import apply, apply1
from ..errors import ArgumentTypeError, DTypeError, EmptyReductionError, UnsupportedDTypeError
from ..ops.families import count, normal_dim, normal_dims
from ..tensor import Tensor, rank
from .common import Dim, ValuesIndices, alone
from .pointwise import maximum, minimum

__all__ = ["amax", "amin", "aminmax", "argmax", "argmin", "max", "min"]


class AminmaxResult(NamedTuple):
    """What `aminmax` returns."""

    min: Tensor
    max: Tensor


def amax(input: Tensor, dim: Dim = (), keepdim: bool = False) -> Tensor:
    """Largest element of all, or along `dim`; ties share the gradient evenly.

    Raises UnsupportedDTypeError for complex numbers.

    >>> import tensorplay as tp
    >>> tp.amax(tp.tensor([[1.0, 4.0], [3.0, 2.0]]), 1)
    tensor([4., 3.])
    """
    dims = normal_dims(dim, rank(input))
    _ordered(input, "amax", 0 not in input.shape)
    return apply1(ops.Amax, input, {"dim": dims, "keepdim": keepdim})


def amin(input: Tensor, dim: Dim = (), keepdim: bool = False) -> Tensor:
    """Smallest element of all, or along `dim`; ties share the gradient evenly.

    Raises UnsupportedDTypeError for complex numbers.

    >>> import tensorplay as tp
    >>> tp.amin(tp.tensor([[1.0, 4.0], [3.0, 2.0]]), 1)
    tensor([1., 2.])
    """
    dims = normal_dims(dim, rank(input))
    _ordered(input, "amin", 0 not in input.shape)
    return apply1(ops.Amin, input, {"dim": dims, "keepdim": keepdim})


def aminmax(input: Tensor, *, dim: int | None = None, keepdim: bool = False) -> AminmaxResult:
    """Smallest and largest element, of all or along `dim`; ties share the gradient evenly.

    Raises EmptyReductionError for no elements, UnsupportedDTypeError for complex numbers.

    >>> import tensorplay as tp
    >>> tp.aminmax(tp.tensor([3.0, 1.0, 2.0])).max
    tensor(3.)
    """
    along = None if dim is None else normal_dim(dim, rank(input))
    if not count(tuple(input.shape), along):
        raise EmptyReductionError(
            "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity. Expected "
            f"reduction dim to have non-zero size, got a tensor of shape {list(input.shape)}"
        )
    return AminmaxResult(amin(input, along, keepdim), amax(input, along, keepdim))


def max(input: Tensor, dim: Any = None, keepdim: bool = False, *, other: Tensor | None = None) -> Any:
    """Largest element of all; or (values, indices) along one dimension; or, given another tensor, `maximum`.

    Of all, equal elements share the gradient evenly; along a dimension the first of them takes all of it. NaN counts
    as the largest. Raises DTypeError for complex numbers, ArgumentTypeError for `keepdim` without `dim`.

    >>> import tensorplay as tp
    >>> tp.max(tp.tensor([[1.0, 4.0], [3.0, 2.0]]), 1).indices
    tensor([1, 0])
    """
    if isinstance(dim, Tensor) or other is not None:
        return maximum(input, dim if other is None else other)
    return _extremum(ops.Max if dim is not None else ops.MaxOfAll, input, dim, keepdim)


def min(input: Tensor, dim: Any = None, keepdim: bool = False, *, other: Tensor | None = None) -> Any:
    """Smallest element of all; or (values, indices) along one dimension; or, given another tensor, `minimum`.

    It shares out the gradient as `max` does, raises the same errors, and NaN counts as the smallest.

    >>> import tensorplay as tp
    >>> tp.min(tp.tensor([3.0, 1.0, 2.0]))
    tensor(1.)
    """
    if isinstance(dim, Tensor) or other is not None:
        return minimum(input, dim if other is None else other)
    return _extremum(ops.Min if dim is not None else ops.MinOfAll, input, dim, keepdim)


def _extremum(op: type[ops.Op], input: Tensor, dim: int | None, keepdim: bool) -> Any:
    """Of all elements, or along one dimension. A single number is its own, at position 0."""
    name = op.__name__[:3].lower()
    size = rank(input)
    _ordered(input, name)
    if dim is None:
        if keepdim:
            raise ArgumentTypeError(
                f"{name}() received an invalid combination of arguments: keepdim belongs to one dimension, so name it "
                "(dim=…)"
            )
        return apply1(op, input, {"keepdim": False})
    dim = normal_dim(dim, size)
    return ValuesIndices(*(apply(op, input, dim=dim, keepdim=keepdim) if size else alone(input)))


def _ordered(input: Tensor, name: str, some: bool = True) -> None:
    """Raise UnsupportedDTypeError for numbers that are in no order, if there are some."""
    rank(input)
    if some and input.dtype.is_complex:
        raise UnsupportedDTypeError(
            f"{name}(): does not support complex input, got {input.dtype}: complex numbers are in no order. Take "
            "x.abs(), for one"
        )


def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Position of the largest element, in the flattened tensor or along `dim`. It has no gradient.

    Of equal elements the first is taken, and NaN before all. Raises DTypeError for bools and complex numbers.

    >>> import tensorplay as tp
    >>> tp.argmax(tp.tensor([1.0, 9.0, 2.0]))
    tensor(1)
    """
    return _position(ops.ArgMax, input, dim, keepdim)


def argmin(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Position of the smallest element, in the flattened tensor or along `dim`. It has no gradient.

    Of equal elements the first is taken, and NaN before all. Raises DTypeError for bools and complex numbers.

    >>> import tensorplay as tp
    >>> tp.argmin(tp.tensor([1.0, 9.0, 0.0]))
    tensor(2)
    """
    return _position(ops.ArgMin, input, dim, keepdim)


def _position(op: type[ops.Op], input: Tensor, dim: int | None, keepdim: bool) -> Tensor:
    along = None if dim is None else normal_dim(dim, rank(input))
    kind = "complex" if input.dtype.is_complex else "bool" if input._array.dtype.kind == "b" else ""
    if kind:
        why = "complex numbers are in no order" if kind == "complex" else "convert with x.int() first"
        raise DTypeError(f"{op.__name__.lower()}(): does not support {kind} input: {why}")
    return apply(op, input, dim=along if rank(input) else None, keepdim=keepdim)

"""Order: sorting, and the element in the middle."""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import ops
from ..apply import apply, apply1
from ..errors import EmptyReductionError, UnsupportedDTypeError
from ..ops.families import normal_dim
from ..tensor import Tensor, rank
from .common import alone

__all__ = ["argsort", "median", "sort"]


class SortResult(NamedTuple):
    """What `sort` returns."""

    values: Tensor
    indices: Tensor


class MedianResult(NamedTuple):
    """What `median` along a dimension returns."""

    values: Tensor
    indices: Tensor


def _ordered(input: Tensor, name: str) -> None:
    """Raise UnsupportedDTypeError for numbers that are in no order."""
    if input._array.dtype.kind == "c":
        raise UnsupportedDTypeError(
            f"{name} does not support complex dtypes: complex numbers are in no order. Sort x.abs(), for one"
        )


def sort(input: Tensor, dim: int = -1, descending: bool = False, *, stable: bool = False) -> SortResult:
    """The elements in order along `dim` as `values`, and where each was as `indices`.

    Equal elements stay in their order, whatever `stable` says; NaN counts as the largest. The gradient of each
    value goes to the position it came from. Raises UnsupportedDTypeError for complex numbers.

    >>> import tensorplay as tp
    >>> tp.sort(tp.tensor([3.0, 1.0, 2.0])).indices
    tensor([1, 2, 0])
    """
    dim = normal_dim(dim, rank(input))
    _ordered(input, "Sort")
    if not rank(input):
        return SortResult(*alone(input))
    return SortResult(*apply(ops.Sort, input, dim=dim, descending=bool(descending)))


def argsort(input: Tensor, dim: int = -1, descending: bool = False, *, stable: bool = False) -> Tensor:
    """Where each element of the sorted tensor was: the `indices` of `sort`. It has no gradient.

    >>> import tensorplay as tp
    >>> tp.argsort(tp.tensor([3.0, 1.0, 2.0]), descending=True)
    tensor([0, 2, 1])
    """
    dim = normal_dim(dim, rank(input))
    _ordered(input, "Sort")
    if not rank(input):
        return alone(input)[1]
    return apply(ops.ArgSort, input, dim=dim, descending=bool(descending))


def median(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The middle of all elements; or (values, indices) along one dimension. Of an even count it is the lower middle.

    NaN if one element is NaN. Along a dimension the gradient goes to the position in `indices`; elements equal to
    the median of all share its gradient evenly. Raises EmptyReductionError where there is nothing along `dim`.

    >>> import tensorplay as tp
    >>> tp.median(tp.tensor([4.0, 1.0, 3.0, 2.0]))
    tensor(2.)
    >>> tp.median(tp.tensor([[1.0, 5.0, 3.0], [9.0, 8.0, 7.0]]), 1).values
    tensor([3., 8.])
    """
    if input._array.dtype.kind in "bc":
        raise UnsupportedDTypeError(f'"median_cpu" not implemented for {input.dtype}: take the median of real numbers')
    if dim is None:
        return _median_of_all(input)
    dim = normal_dim(dim, rank(input))
    if not rank(input):
        return MedianResult(*alone(input))
    return MedianResult(*apply(ops.Median, input, dim=dim, keepdim=keepdim))


def _median_of_all(input: Tensor) -> Tensor:
    """Of no elements NaN, with a gradient of size 0."""
    real = input._array.dtype.kind == "f"
    if input._array.size:
        flat = apply1(ops.Reshape, input, {"shape": (-1,)})
        return apply1(ops.MedianOfAll, input, {"keepdim": False}) if real else median(flat, 0).values
    if not real:
        raise EmptyReductionError(
            "median(): Expected reduction dim to have non-zero size, got a tensor of size 0: "
            "nothing has no middle, and whole numbers have no NaN to say so"
        )
    return apply1(ops.Mean, input, {"dim": None, "keepdim": False})

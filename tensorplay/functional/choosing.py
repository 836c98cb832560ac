"""One element chosen for its place in the order: the middle one, the k-th, the most frequent, quantiles."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..apply import apply, apply1
from ..errors import EmptyReductionError, RangeError, UnsupportedDTypeError
from ..ops.families import normal_dim
from ..tensor import Tensor, rank
from .common import ValuesIndices, alone

__all__ = ["kthvalue", "median", "mode", "nanmedian"]


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
    return _median("median", input, dim, keepdim)


def nanmedian(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The middle of all elements that are not NaN; or (values, indices) along one dimension. NaN if all are NaN.

    It is otherwise as `median`.

    >>> import tensorplay as tp
    >>> tp.nanmedian(tp.tensor([4.0, float("nan"), 3.0]))
    tensor(3.)
    """
    return _median("nanmedian", input, dim, keepdim)


def _median(name: str, input: Tensor, dim: int | None, keepdim: bool) -> Any:
    """Of whole numbers and along one dimension the same op; numbers with NaN have one of their own."""
    size = rank(input)
    if input._array.dtype.kind in "bc":
        raise UnsupportedDTypeError(f'"median_cpu" not implemented for {input.dtype}: take the median of real numbers')
    nan = name == "nanmedian"
    if dim is None:
        return _median_of_all(input, ops.NanMedianOfAll if nan else ops.MedianOfAll)
    dim = normal_dim(dim, size)
    op = ops.NanMedian if nan else ops.Median
    return ValuesIndices(*(apply(op, input, dim=dim, keepdim=keepdim) if size else alone(input)))


def _median_of_all(input: Tensor, op: type[ops.Op]) -> Tensor:
    """Of no elements NaN, with a gradient of size 0."""
    real = input.dtype.is_floating_point
    if input._array.size:
        flat = apply1(ops.Reshape, input, {"shape": (-1,)})
        return apply1(op, input, {"keepdim": False}) if real else median(flat, 0).values
    if not real:
        raise EmptyReductionError(
            "median(): Expected reduction dim to have non-zero size, got a tensor of size 0: "
            "nothing has no middle, and whole numbers have no NaN to say so"
        )
    return apply1(ops.Mean, input, {"dim": None, "keepdim": False})


def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> ValuesIndices:
    """The k-th smallest element along `dim`, counted from 1, and where it is. NaN counts as the largest.

    The gradient goes to the position in `indices`: of equal elements, in their order. Raises EmptyReductionError where
    there is nothing along `dim`, RangeError for a k that is not between 1 and the size of the dimension.

    >>> import tensorplay as tp
    >>> tp.kthvalue(tp.tensor([30.0, 10.0, 20.0]), 2).values
    tensor(20.)
    """
    dim = normal_dim(dim, rank(input))
    _with_order(input, "kthvalue", "bc")
    size = _some(input, "kthvalue", dim)
    if not 1 <= k <= size:
        raise RangeError(
            f"kthvalue(): selected number k out of range for dimension {dim}: got {k}, and there are {size} elements"
        )
    if not rank(input):
        return ValuesIndices(*alone(input))
    return ValuesIndices(*apply(ops.KthValue, input, k=int(k), dim=dim, keepdim=keepdim))


def mode(input: Tensor, dim: int = -1, keepdim: bool = False) -> ValuesIndices:
    """The most frequent element along `dim`, the smallest of several, and the last place where it is.

    The gradient goes to that place. NaN is equal to nothing. Raises EmptyReductionError where there is nothing along
    `dim`, UnsupportedDTypeError for complex numbers.

    >>> import tensorplay as tp
    >>> tp.mode(tp.tensor([3, 1, 2, 1])).values
    tensor(1)
    """
    dim = normal_dim(dim, rank(input))
    _with_order(input, "mode", "c")
    _some(input, "mode", dim)
    if not rank(input):
        return ValuesIndices(*alone(input))
    return ValuesIndices(*apply(ops.Mode, input, dim=dim, keepdim=keepdim))


def _with_order(input: Tensor, name: str, kinds: str) -> None:
    if input._array.dtype.kind in kinds and input.ndim and input._array.size:
        raise UnsupportedDTypeError(f'"{name}_cpu" not implemented for {input.dtype}: convert to real numbers first')


def _some(input: Tensor, name: str, dim: int) -> int:
    """The size of a dimension. Raises EmptyReductionError if it is 0."""
    size = input.shape[dim] if input.ndim else 1
    if not size:
        raise EmptyReductionError(
            f"{name}(): Expected reduction dim {dim} to have non-zero size. The shape is {list(input.shape)}: "
            f"nothing has no {name}"
        )
    return size

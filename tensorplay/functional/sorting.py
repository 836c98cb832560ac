"""Order: sorting, and the largest few."""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import ops
from ..apply import apply, apply1
from ..errors import ArgumentTypeError, RangeError, UnsupportedDTypeError
from ..ops.families import normal_dim
from ..tensor import Tensor, rank
from .common import alone

__all__ = ["argsort", "msort", "sort", "topk"]


class SortResult(NamedTuple):
    """What `sort` returns."""

    values: Tensor
    indices: Tensor


class TopkResult(NamedTuple):
    """What `topk` returns."""

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


def msort(input: Tensor) -> Tensor:
    """The elements in order along the first dimension: the values of `sort(input, 0)`.

    >>> import tensorplay as tp
    >>> tp.msort(tp.tensor([[3, 1], [2, 4]]))
    tensor([[2, 1],
            [3, 4]])
    """
    return sort(input, 0).values


def topk(input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> TopkResult:
    """The k largest elements along `dim`, the largest first, or the k smallest; and where each was.

    Of equal elements the first ones are taken, and NaN counts as the largest. They are in order whatever `sorted`
    says. The gradient of each value goes to the position it came from. Raises RangeError for a k that is larger than
    the dimension.

    >>> import tensorplay as tp
    >>> tp.topk(tp.tensor([3.0, 1.0, 2.0]), 2).values
    tensor([3., 2.])
    """
    dim = normal_dim(dim, rank(input))
    k = _how_many(k, input.shape[dim] if input.ndim else 1)
    if input._array.dtype.kind in "bc":
        raise UnsupportedDTypeError(f"topk does not support {input.dtype} on CPU: convert to real numbers first")
    if not input.ndim:
        return TopkResult(*alone(input))
    order = apply(ops.ArgSort, input, dim=dim, descending=bool(largest))
    indices = apply(ops.Clone, apply1(ops.GetItem, order, {"index": (*(slice(None),) * dim, slice(k))}))
    return TopkResult(apply(ops.Gather, input, indices, dim=dim), indices)


def _how_many(k: Any, size: int) -> int:
    if isinstance(k, bool) or not hasattr(k, "__index__"):
        raise ArgumentTypeError(f"topk(): argument 'k' (position 2) must be int, not {type(k).__name__}: got {k!r}")
    k = int(k)
    if not 0 <= k <= size:
        raise RangeError(f"selected index k out of range: got {k} for a dimension of size {size}")
    return k

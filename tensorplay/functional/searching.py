"""Where a value belongs among sorted ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays.dtypes import int32, int64
from ..errors import DTypeError, NotATensorError, ShapeError, UnsupportedDTypeError
from ..lifting import readable
from ..tensor import Tensor, rank, wrap

__all__ = ["bucketize", "searchsorted"]


def searchsorted(
    sorted_sequence: Tensor,
    input: Any,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
) -> Tensor:
    """For each value of `input` how many elements of `sorted_sequence` are smaller: where it keeps the order.

    With `right`, or side="right", those that are equal are counted too. The sequence has one dimension; or its rows
    belong to the rows of `input`, and all sizes but the last agree. `sorter` holds the positions that would sort it,
    as `argsort` gives. Raises ShapeError where the shapes do not fit, DTypeError for contradicting options.

    >>> import tensorplay as tp
    >>> tp.searchsorted(tp.tensor([1, 3, 5]), tp.tensor([3, 6]))
    tensor([1, 3])
    """
    if not rank(sorted_sequence):
        raise ShapeError("torch.searchsorted(): boundaries tensor should have positive dimension, but got 0 dimension")
    sequence, values = readable(sorted_sequence), _values(input, "searchsorted")
    _check_rows(sequence, values)
    if sorter is not None:
        sequence = _sorted(sequence, sorter)
    return _found(sequence, values, _side(side, right), out_int32)


def bucketize(input: Any, boundaries: Tensor, *, out_int32: bool = False, right: bool = False) -> Tensor:
    """The number of the bucket between `boundaries`, which are sorted, that each value of `input` falls into.

    A value equal to a boundary falls into the bucket before it, or with `right` into the one after it. Raises
    ShapeError if `boundaries` has not one dimension.

    >>> import tensorplay as tp
    >>> tp.bucketize(tp.tensor([0.5, 1.0, 7.0]), tp.tensor([1.0, 2.0]))
    tensor([0, 0, 2])
    """
    if rank(boundaries) != 1:
        raise ShapeError(f"boundaries tensor must be 1 dimension, but got dim({boundaries.ndim})")
    return _found(readable(boundaries), _values(input, "bucketize"), "right" if right else "left", out_int32)


def _values(input: Any, name: str) -> Any:
    if isinstance(input, Tensor):
        return readable(input)
    if isinstance(input, (int, float, np.number)):
        return np.asarray(input)
    raise NotATensorError(f"{name}(): argument 'input' must be Tensor or a number, not {type(input).__name__}")


def _side(side: str | None, right: bool) -> str:
    if side not in (None, "left", "right"):
        raise DTypeError(f"torch.searchsorted(): side can only be 'left' or 'right' but got {side}")
    if side == "left" and right:
        raise DTypeError(
            "torch.searchsorted(): side and right can't be set to opposites, got side of left while right was True"
        )
    return "right" if right else side or "left"


def _check_rows(sequence: Any, values: Any) -> None:
    if sequence.ndim == 1:
        return
    if not values.ndim:
        raise ShapeError(
            "torch.searchsorted(): input value can be a scalar only when boundaries tensor dimension is 1, but we got "
            f"boundaries tensor dim({sequence.ndim}) and input value's dim(0)"
        )
    if sequence.shape[:-1] != values.shape[:-1]:
        raise ShapeError(
            "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries "
            f"tensor and input value tensor must match, but we got boundaries tensor {list(sequence.shape)} and input "
            f"value tensor {list(values.shape)}"
        )


def _sorted(sequence: Any, sorter: Tensor) -> Any:
    """The sequence in the order that `sorter` says."""
    order: Any = readable(sorter)
    if order.shape != sequence.shape:
        raise ShapeError(
            f"torch.searchsorted(): boundary and sorter must have the same size, but got boundary tensor "
            f"{list(sequence.shape)} and got sorter tensor {list(order.shape)}"
        )
    if order.dtype != np.int64:
        raise DTypeError(f"torch.searchsorted(): sorter must be a tensor of long dtype but got dtype {sorter.dtype}")
    if order.size and (order.min() < 0 or order.max() >= sequence.shape[-1]):
        raise ShapeError(f"torch.searchsorted(): sorter index out of range: there are {sequence.shape[-1]} elements")
    return np.take_along_axis(sequence, order, -1)


def _found(sequence: Any, values: Any, side: str, out_int32: bool) -> Tensor:
    for array in (sequence, values):
        if array.dtype.kind == "c":
            raise UnsupportedDTypeError(
                f'"searchsorted" not implemented for {array.dtype.name}: order is for real numbers; convert first'
            )
    search: Any = np.searchsorted if sequence.ndim == 1 else _by_rows
    place = search(sequence, values, side)
    return wrap(np.asarray(place, (int32 if out_int32 else int64).numpy))


def _by_rows(sequence: Any, values: Any, side: str) -> Any:
    """All rows at once: in the common order, the place of a value less how many of the values come before it.

    Stable sorting puts what stands first in front of its equals: the values for "left", the sequence for "right".
    """
    n, m = sequence.shape[-1], values.shape[-1]
    first, second = (values, sequence) if side == "left" else (sequence, values)
    joined = np.concatenate([first, second], -1)
    own = slice(m) if side == "left" else slice(n, None)
    return _ranks(joined)[..., own] - _ranks(values)


def _ranks(x: Any) -> Any:
    """The place of each element in the sorted row."""
    order = np.argsort(x, -1, kind="stable")
    places = np.empty_like(order)
    np.put_along_axis(places, order, np.broadcast_to(np.arange(x.shape[-1]), x.shape), -1)
    return places

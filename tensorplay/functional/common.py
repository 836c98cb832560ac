"""What several families share: the type of `dim`, the dtype of a sum, the order of a single number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .. import ops
from ..apply import apply1
from ..arrays.dtypes import float32, int64
from ..errors import ShapeError
from ..tensor import Tensor, rank, wrap

__all__ = [
    "Dim",
    "ValuesIndices",
    "alone",
    "conjugated",
    "either",
    "in_single",
    "matrices_turned",
    "narrowed",
    "repeated",
    "widened",
]


Dim = int | tuple[int, ...] | None


class ValuesIndices(NamedTuple):
    """Elements chosen along a dimension, and where each was."""

    values: Tensor
    indices: Tensor


def widened(input: Tensor, dtype: Any) -> Tensor:
    """In the dtype asked for; but whole numbers of any width add up and multiply as int64."""
    if dtype is not None:
        input = input.to(dtype)
    return input.to(int64) if input._array.dtype.kind in "biu" else input


def narrowed(found: Tensor, dtype: Any) -> Tensor:
    """A result of `widened` numbers, in the dtype asked for."""
    return found if dtype is None else found.to(dtype)


def in_single(compute: Callable[[Tensor], Tensor], input: Tensor) -> Tensor:
    """`compute(input)`; of half precision in single precision, rounded once at the end, as PyTorch does."""
    dtype = input.dtype
    if not (dtype.is_floating_point and dtype.itemsize == 2):
        return compute(input)
    return compute(input.to(float32)).to(dtype)


def alone(input: Tensor) -> tuple[Tensor, Tensor]:
    """A single number is its own, at position 0."""
    return apply1(ops.Clone, input), wrap(np.asarray(0))


def conjugated(input: Tensor) -> Tensor:
    """The complex conjugate; real numbers as they are."""
    return apply1(ops.Conj, input) if input.dtype.is_complex else input


def matrices_turned(input: Tensor, name: str) -> Tensor:
    """The last two dimensions exchanged; a single number stays. Raises ShapeError for a vector; `name` says where."""
    size = rank(input)
    if size == 1:
        raise ShapeError(
            f"{name} is only supported on matrices or batches of matrices. Got 1-D tensor: x[:, None] is a column, "
            "x[None] a row"
        )
    return apply1(ops.Permute, input, {"dims": (*range(size - 2), size - 1, size - 2) if size else ()})


def repeated(input: Tensor, times: tuple[int, ...]) -> Tensor:
    """Copies of a tensor side by side: what `Tensor.repeat` and `tile` do."""
    if len(times) < rank(input):
        raise ShapeError(
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor: got "
            f"{list(times)} for a tensor of shape {list(input.shape)}"
        )
    if any(n < 0 for n in times):
        raise ShapeError(f"Trying to create tensor with negative dimension: repeats are at least 0, got {list(times)}")
    return apply1(ops.Repeat, input, {"repeats": times})


def either(first: Any, named: dict[str, Any], *names: str) -> Any:
    """The first argument if it is given, or what stands under one of the names that PyTorch has for it."""
    return first if first is not None else next((named[name] for name in names if name in named), None)

"""Nested lists of numbers become an array: their shape, their dtype, and a clear word if they are ragged.

NumPy alone is no help here: it would make floats float64, and integers of any size silently wrap.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import DataError, DTypeError, NestingError, RaggedError, ScalarError, UnsupportedDTypeError
from ..source import warn
from . import dtypes
from .dtypes import DType

__all__ = ["cast", "from_sequence"]

_NUMBERS = {int, float, bool}


def cast(array: Any, dtype: np.dtype[Any]) -> np.ndarray:
    """A copy of `array` with this dtype."""
    # Infinity to integers, complex to real: the caller asked for it, NumPy need not warn.
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
        return np.array(array, dtype, order="C")


def from_sequence(data: Any, wanted: np.dtype[Any] | None = None) -> np.ndarray:
    """A new array of these numbers; without `wanted`, of the dtype PyTorch would choose.

    Raises RaggedError for rows of different length, DTypeError for a whole number too large for its dtype,
    ScalarError for a tensor of several elements where a number is expected.

    >>> from_sequence([[1, 2], [3, 4.5]])
    array([[1. , 2. ],
           [3. , 4.5]], dtype=float32)
    """
    kinds: set[type] = set()
    shape = _lengths(data)
    plain = _plain(data, kinds, len(shape))
    _check_rectangle(plain, shape)
    found = wanted or _dtype_of_kinds(kinds)
    if found.kind != "c" and any(issubclass(kind, complex) for kind in kinds):
        raise DataError(f"must be real number, not complex: got {data!r} for dtype {dtypes.of(found)}")
    try:
        # Floats go through float64, so that a float in an integer dtype is cut off and not refused.
        array = np.array(plain, found if found.kind in "iub" and kinds <= {int, bool} else None)
    except OverflowError:
        raise DTypeError(f"value cannot be converted to type {dtypes.of(found)} without overflow: {data!r}") from None
    return cast(array, found) if array.dtype != found else array


def _plain(data: Any, kinds: set[type], depth: int) -> Any:
    """Lists of lists of numbers, with the tensors and arrays inside unpacked; `kinds` collects the numbers' types.

    `depth` is how deep the numbers are expected; a tensor in the place of a number is one.
    """
    if hasattr(data, "_array"):  # a tensor, which this layer does not know
        return _unpacked(_detached(data), kinds) if depth else _number(data, kinds)
    if isinstance(data, np.ndarray):
        return _unpacked(data, kinds)
    if isinstance(data, (bool, int, float, complex, np.generic)):
        kinds.add(type(data))
        return data
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        here = set(map(type, data))
        if here <= _NUMBERS:
            kinds |= here
            return data
        return [_plain(item, kinds, depth - 1) for item in data]
    if hasattr(data, "__array__"):
        return _unpacked(np.asarray(data), kinds)
    if not isinstance(data, (str, bytes)):
        raise UnsupportedDTypeError(
            f"Could not infer dtype of {type(data).__name__}: a tensor is made from numbers, got {data!r}"
        )
    raise DataError(
        f"invalid data type '{type(data).__name__}': a tensor is made from numbers, (nested) lists or tuples of "
        f"numbers, or arrays, got {data!r}"
    )


def _number(tensor: Any, kinds: set[type]) -> Any:
    """The one number of a tensor inside a list."""
    array = _detached(tensor)
    if array.size != 1:
        raise ScalarError(
            "only one element tensors can be converted to Python scalars: a list of numbers has a tensor of shape "
            f"{list(array.shape)} in it. tp.stack(list) joins tensors of one shape, and gradients flow back to them"
        )
    return _unpacked(array.reshape(()), kinds)[()]


def _detached(tensor: Any) -> np.ndarray:
    """The numbers of a tensor inside a list."""
    if tensor.requires_grad:
        warn(
            "a tensor with requires_grad=True inside a list is copied as plain numbers: "
            "no gradient will flow back to it through the new tensor",
            UserWarning,
        )
    array: np.ndarray = tensor.detach().numpy()
    return array


def _unpacked(data: np.ndarray, kinds: set[type]) -> np.ndarray:
    kinds.add(dtypes.of(data.dtype).numpy.type)
    return data


def _dtype_of_kinds(kinds: set[type]) -> np.dtype[Any]:
    """The dtype all these types of numbers fit into; floats without numbers to go by."""
    python = {bool: dtypes.bool_, int: dtypes.int64, float: dtypes.get_default_dtype()}
    python[complex] = dtypes.default_complex_dtype()
    result: DType | None = None
    for kind in kinds:
        found = python.get(kind) or dtypes.of(np.dtype(kind))
        result = found if result is None else dtypes.promote_types(result, found)
    return (result or dtypes.get_default_dtype()).numpy


def _lengths(data: Any) -> tuple[int, ...]:
    """The shape, if the first item of each level is like all others. A tensor is a number, an array is not."""
    lengths: list[int] = []
    while isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        lengths.append(len(data))
        if not data:
            return tuple(lengths)
        data = data[0]
    alone = hasattr(data, "_array") or not hasattr(data, "__array__")
    return tuple(lengths) if alone else (*lengths, *np.shape(data))


def _check_rectangle(data: Any, shape: tuple[int, ...], dim: int = 0) -> None:
    """Raise RaggedError at the first place where the nesting departs from `shape`."""
    if isinstance(data, np.ndarray) and data.shape == shape[dim:]:
        return
    length = len(data) if isinstance(data, Sequence) or (isinstance(data, np.ndarray) and data.ndim) else None
    if length is None and dim == len(shape):
        return
    if dim == len(shape):
        raise NestingError(f"expected a number at dim {dim} (got a sequence of length {length}): {data!r}")
    if length != shape[dim]:
        got = data if length is None else length
        raise RaggedError(
            f"expected sequence of length {shape[dim]} at dim {dim} (got {got}). "
            "All rows of a tensor have the same length."
        )
    if dim + 1 < len(shape) or not set(map(type, data)) <= _NUMBERS:
        for item in data:
            _check_rectangle(item, shape, dim + 1)

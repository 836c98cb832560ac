"""Which elements there are, and how many of each: answered without a gradient."""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np

from ..errors import ArgumentTypeError, DimensionError, RangeError, ShapeError, UnsupportedDTypeError
from ..lifting import readable
from ..ops.families import normal_dim
from ..tensor import Tensor, rank, wrap

__all__ = ["bincount", "histc", "unique", "unique_consecutive"]


# ------------------------------------------------------------------------------------ different elements


def unique(
    input: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False, dim: Any = None
) -> Any:
    """The different elements in order, or the different slices along `dim`; every NaN is one of its own.

    With `return_inverse` also which of them each element is, with `return_counts` also how often each is there, as a
    tuple. They are in order whatever `sorted` says. There is no gradient. Raises UnsupportedDTypeError for complex
    numbers, ShapeError for slices of no elements.

    >>> import tensorplay as tp
    >>> tp.unique(tp.tensor([3, 1, 3]), return_inverse=True, return_counts=True)
    (tensor([1, 3]), tensor([1, 0, 1]), tensor([1, 2]))
    """
    array, axis = _prepared(input, dim)
    shape = array.shape if axis is None else (array.shape[axis],)
    if axis is not None and not array.shape[axis]:
        none = np.zeros(0, np.int64)
        return _answer(array, none, none, return_inverse, return_counts)
    exact = array.astype(np.float32) if array.itemsize == 2 and input.dtype.is_floating_point else array  # orders NaN
    found, inverse, counts = np.unique(exact, False, True, True, axis, equal_nan=False)
    return _answer(found.astype(array.dtype), inverse.reshape(shape), counts, return_inverse, return_counts)


def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: Any = None
) -> Any:
    """The elements, or slices along `dim`, without those that are equal to the one before; NaN is equal to nothing.

    The further results are as those of `unique`, and so are the errors.

    >>> import tensorplay as tp
    >>> tp.unique_consecutive(tp.tensor([1, 1, 2, 2, 1]))
    tensor([1, 2, 1])
    """
    array, axis = _prepared(input, dim)
    shape = array.shape if axis is None else (array.shape[axis],)
    rows = array.reshape(-1) if axis is None else np.moveaxis(array, axis, 0)
    first = np.ones(len(rows), bool)
    first[1:] = (rows[1:] != rows[:-1]).reshape(max(len(rows) - 1, 0), -1).any(1) if len(rows) > 1 else True
    inverse = np.cumsum(first) - 1
    counts = np.bincount(inverse) if len(rows) else np.zeros(0, np.int64)
    found = rows[first] if axis is None else np.moveaxis(rows[first], 0, axis)
    return _answer(found, inverse.reshape(shape), counts, return_inverse, return_counts)


def _prepared(input: Tensor, dim: Any) -> tuple[Any, int | None]:
    """The numbers, and the dimension along which slices are compared."""
    size = rank(input)
    if input.dtype.is_complex:
        raise UnsupportedDTypeError(f'"unique" not implemented for {input.dtype}: complex numbers are in no order')
    array = readable(input)
    if dim is None:
        return array, None
    if not size:
        raise DimensionError(f"Dimension specified as {dim} but tensor has no dimensions: leave dim out")
    axis = normal_dim(dim, size)
    if 0 in array.shape and array.shape[axis]:
        raise ShapeError(
            "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied: the shape is "
            f"{list(array.shape)}, and dim is {axis}"
        )
    return array, axis


def _answer(found: Any, inverse: Any, counts: Any, return_inverse: bool, return_counts: bool) -> Any:
    more = [wrap(np.asarray(x, np.int64)) for x, asked in ((inverse, return_inverse), (counts, return_counts)) if asked]
    result = wrap(np.array(found))
    return (result, *more) if more else result


# --------------------------------------------------------------------------------------------- counting


def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often each number 0, 1, 2, … is in a vector of whole numbers; with `weights`, the sum of theirs.

    The result goes up to the largest number there is, and has at least `minlength` elements. It has no gradient.
    Raises DTypeError, ShapeError or RangeError for numbers that cannot be counted or weights that do not fit.

    >>> import tensorplay as tp
    >>> tp.bincount(tp.tensor([0, 2, 2]))
    tensor([1, 0, 2])
    """
    array = readable(input) if rank(input) == 1 else None
    if array is not None and array.dtype.kind not in "iu":
        raise UnsupportedDTypeError(f'"bincount_cpu" not implemented for {input.dtype}: whole numbers can be counted')
    if array is None or (array.size and array.min() < 0):
        raise ShapeError(
            "bincount only supports 1-d non-negative integral inputs: got "
            + (f"shape {list(input.shape)}" if array is None else f"{array.min()}")
        )
    if minlength < 0:
        raise RangeError(f"minlength should be >= 0, got {minlength}")
    whole = array.astype(np.int64)
    if weights is None or not array.size:
        return wrap(np.bincount(whole, minlength=minlength).astype(np.int64))
    return wrap(_weighed(whole, weights, minlength))


def _weighed(array: Any, weights: Tensor, minlength: int) -> Any:
    if rank(weights) != 1 or len(weights) != len(array):
        raise ShapeError(
            f"weights should be 1-d and have the same length as input: got shape {list(weights.shape)} for "
            f"{len(array)} numbers"
        )
    numbers = readable(weights)
    kept = numbers.dtype if numbers.dtype == np.float32 else np.dtype(np.float64)
    return np.bincount(array, numbers.real.astype(np.float64), minlength).astype(kept)


def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """How many elements lie in each of `bins` equal parts of the range from `min` to `max`, both included.

    If the two are equal, the range is that of the elements. Elements outside, and NaN, are not counted. There is no
    gradient. Raises RangeError for a range that is turned around or not finite, and for less than one part.

    >>> import tensorplay as tp
    >>> tp.histc(tp.tensor([1.0, 2.0, 1.0]), bins=4, min=0, max=3)
    tensor([0., 2., 1., 0.])
    """
    rank(input)
    if not input.dtype.is_floating_point:
        raise UnsupportedDTypeError(f'"histogram_cpu" not implemented for {input.dtype}: convert with x.float() first')
    if isinstance(bins, bool) or not hasattr(bins, "__index__"):
        raise ArgumentTypeError(f"histc(): argument 'bins' (position 1) must be int, not {type(bins).__name__}")
    if bins <= 0:
        raise RangeError(f"torch.histogram(): bins must be > 0, but got {bins} for dimension 0")
    array = readable(input)
    low, high = _range(array, min, max)
    numbers = array[(array >= low) & (array <= high)].astype(np.float64)
    places = np.minimum(((numbers - low) * (bins / (high - low))).astype(np.int64), bins - 1)
    return wrap(np.bincount(places, minlength=bins).astype(array.dtype))


def _range(array: Any, low: float, high: float) -> tuple[float, float]:
    """The range to count in: that of the elements where none is given, and one wide around a single number."""
    if low == high and array.size:
        low, high = float(array.min()), float(array.max())
    if not (isfinite(low) and isfinite(high)):
        raise RangeError(f"torch.histc: range of [{low}, {high}] is not finite: name min and max")
    if low == high:
        low, high = low - 1, high + 1
    if low > high:
        raise RangeError(f"torch.histc: max must be larger than min: got {high} and {low}")
    return low, high

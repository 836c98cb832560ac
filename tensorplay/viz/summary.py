"""What a picture says about an array: small ones whole, large ones by their least, mean and largest number."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays.batch import Batched
from ..arrays.dual import Dual

__all__ = ["Summary", "array_of", "number_text", "shape_text", "summarise"]

WHOLE = 6
"""Arrays with up to this many elements are written out in a box."""

EXACT = 64
"""Arrays with up to this many elements keep their exact numbers in the summary."""


@dataclass(frozen=True, slots=True)
class Summary:
    """A copy of what there is to say about an array; it holds no array.

    `text` is for reading (rounded); `exact` has the Python numbers in row-major order, None for large arrays;
    `least`, `mean`, `largest` are over the finite elements, None if there is none; `bad` counts NaN and infinity.
    """

    shape: tuple[int, ...]
    dtype: str
    text: str
    exact: tuple[Any, ...] | None = None
    least: float | None = None
    mean: float | None = None
    largest: float | None = None
    bad: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON. Complex numbers and NaN become text."""
        exact = None if self.exact is None else [_plain(value) for value in self.exact]
        stats = {"least": self.least, "mean": self.mean, "largest": self.largest}
        head = {"shape": list(self.shape), "dtype": self.dtype, "text": self.text}
        return {**head, "exact": exact, **stats, "bad": self.bad}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Summary:
        """The inverse of `to_dict`."""
        exact = data["exact"]
        if exact is not None:
            exact = tuple(_number(value) for value in exact)
        return cls(**{**data, "shape": tuple(data["shape"]), "exact": exact})


def summarise(value: Any, whole: int = WHOLE) -> Summary:
    """Summarise an array, a tensor or a Python number.

    >>> import numpy as np
    >>> summarise(np.array([1.0, 2.5])).text
    '[1.0, 2.5]'
    >>> summarise(np.arange(1000.0)).text
    '0.0 to 999.0, mean 499.5'
    """
    array = np.asarray(array_of(value))
    exact = tuple(array.ravel().tolist()) if array.size <= EXACT else None
    least, mean, largest, bad = _statistics(array)
    if array.size <= whole:
        text = _whole_text(array.tolist(), array.dtype)
    else:
        text = _short_text(array, least, mean, largest, bad)
    return Summary(tuple(array.shape), str(array.dtype), text, exact, least, mean, largest, bad)


def array_of(thing: Any) -> Any:
    """The array of a tensor: the whole batch inside vmap, the value without its tangent; else the thing itself."""
    array = getattr(thing, "_array", thing)
    if isinstance(array, Batched | Dual):
        return array_of(array.data if isinstance(array, Batched) else array.primal)
    return array


def number_text(value: Any, significant: int = 4) -> str:
    """A number for reading: about four significant digits, always recognisable as a float.

    >>> [number_text(x) for x in (6.0, 1 / 3, 1234.567, 2e-7, 3, True)]
    ['6.0', '0.3333', '1234.6', '2e-7', '3', 'True']
    """
    if isinstance(value, complex):
        imaginary = number_text(value.imag, significant)
        sign = "" if imaginary.startswith("-") else "+"
        return f"{number_text(value.real, significant)}{sign}{imaginary}j"
    if not isinstance(value, float):
        return str(value)
    if not math.isfinite(value) or value == 0:
        return str(value)
    if 1e-4 <= abs(value) < 1e6:
        digits = max(significant, len(str(int(abs(value)))) + 1)
        text = f"{value:.{digits}g}"
        return text if "." in text else text + ".0"
    mantissa, exponent = f"{value:.{significant - 1}e}".split("e")
    return f"{mantissa.rstrip('0').rstrip('.')}e{int(exponent)}"


def shape_text(shape: tuple[int, ...] | None) -> str:
    """A shape for reading.

    >>> shape_text((2, 3)), shape_text((5,)), shape_text(()), shape_text(None)
    ('2×3', '5', 'scalar', 'shape unknown')
    """
    if shape is None:
        return "shape unknown"
    return "×".join(map(str, shape)) if shape else "scalar"


def _statistics(array: np.ndarray[Any, Any]) -> tuple[float | None, float | None, float | None, int]:
    if array.dtype.kind not in "fiub" or array.size == 0:
        bad = int(array.size - np.isfinite(array).sum()) if array.dtype.kind == "c" else 0
        return None, None, None, bad
    numbers = array.astype(np.float64)
    finite = numbers[np.isfinite(numbers)]
    bad = int(numbers.size - finite.size)
    if finite.size == 0:
        return None, None, None, bad
    # dividing first keeps the mean of huge numbers finite
    mean = float((finite / finite.size).sum()) if np.abs(finite).max() > 1e300 else float(finite.mean())
    return float(finite.min()), mean, float(finite.max()), bad


def _whole_text(value: Any, dtype: np.dtype[Any]) -> str:
    # only a few elements, but an empty shape such as (0, 3) nests too: the depth is that of the array
    if isinstance(value, list):
        return "[" + ", ".join(_whole_text(item, dtype) for item in value) + "]"
    return number_text(value)


def _short_text(
    array: np.ndarray[Any, Any], least: float | None, mean: float | None, largest: float | None, bad: int
) -> str:
    bad_text = f", {bad} not finite" if bad else ""
    if least is None or mean is None or largest is None:
        return f"{array.size} numbers{bad_text}"
    if array.dtype.kind == "b":
        return f"{int(np.count_nonzero(array))} of {array.size} true"
    if array.dtype.kind in "iu":
        return f"{int(least)} to {int(largest)}, mean {number_text(mean, 3)}"
    if least == largest:
        return f"all {number_text(least)}{bad_text}"
    low, high, middle = (number_text(number, 3) for number in (least, largest, mean))
    return f"{low} to {high}, mean {middle}{bad_text}"


def _plain(value: Any) -> Any:
    """JSON has no NaN, infinity or complex numbers: they travel as text."""
    if isinstance(value, complex) or (isinstance(value, float) and not math.isfinite(value)):
        return str(value)
    return value


def _number(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    return complex(value) if "j" in value else float(value)

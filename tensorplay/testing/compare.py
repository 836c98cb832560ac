"""`assert_close`: are two results the same, up to rounding? If not, say where and by how much."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from ..tensor import Tensor

__all__ = ["assert_close", "tolerances"]

_BY_WIDTH: dict[int, tuple[float, float]] = {2: (1e-3, 1e-5), 4: (1.3e-6, 1e-5), 8: (1e-7, 1e-7)}
_KINDS = {"b": "bool", "i": "integer", "u": "integer", "f": "floating point", "c": "complex"}


def assert_close(
    actual: Any,
    expected: Any,
    rtol: float | None = None,
    atol: float | None = None,
    *,
    equal_nan: bool = True,
    check_dtype: bool = False,
    name: str = "result",
) -> None:
    """Raise AssertionError unless `actual` is `expected` up to `|a - e| <= atol + rtol · |e|`.

    Tensors, arrays, numbers, strings, None, and lists, tuples and dicts of them. A tensor may stand
    for an array. Otherwise types are exact: True is not 1, 1 is not 1.0, a number is not a 0-d array,
    a list is not a tuple, and an array of integers is not one of floats. Shapes must be equal: nothing
    is broadcast. float32 may stand for float64 unless `check_dtype` is true.
    The tolerance left out follows from the narrower of the two dtypes (see `tolerances`).

    >>> import numpy as np
    >>> assert_close([0.1 + 0.2, "a"], [0.3, "a"])
    >>> assert_close(np.ones((3, 1)), np.ones(3))
    Traceback (most recent call last):
        ...
    AssertionError: result: shapes differ
      got       shape (3, 1)
      expected  shape (3,)
    """
    _Comparison(rtol, atol, equal_nan, check_dtype).compare(actual, expected, name)


def tolerances(*dtypes: Any) -> tuple[float, float]:
    """(rtol, atol) for results of these dtypes: those of the narrowest; (0, 0) unless floats are among them.

    >>> tolerances("float64", "float32")
    (1.3e-06, 1e-05)
    """
    widths = [np.finfo(dtype).dtype.itemsize for dtype in map(np.dtype, dtypes) if dtype.kind in "fc"]
    return _BY_WIDTH.get(min(widths), _BY_WIDTH[8]) if widths else (0.0, 0.0)


class _Comparison:
    """One call's settings, and a method for each sort of value."""

    def __init__(self, rtol: float | None, atol: float | None, equal_nan: bool, check_dtype: bool) -> None:
        self.rtol = rtol
        self.atol = atol
        self.equal_nan = equal_nan
        self.check_dtype = check_dtype

    def compare(self, actual: Any, expected: Any, where: str) -> None:
        got, want = _sort(actual), _sort(expected)
        if got != want:
            _fail(where, "types differ", _told(actual), _told(expected))
        compare: Callable[[Any, Any, str], None] = getattr(self, "_" + _METHODS.get(want, "exact"))
        compare(actual, expected, where)

    def _exact(self, actual: Any, expected: Any, where: str) -> None:
        if actual != expected:
            _fail(where, "values differ", repr(actual), repr(expected))

    def _sequences(self, actual: Sequence[Any], expected: Sequence[Any], where: str) -> None:
        if len(actual) != len(expected):
            _fail(where, "lengths differ", f"{len(actual)} items", f"{len(expected)} items")
        for index, (got, want) in enumerate(zip(actual, expected, strict=True)):
            self.compare(got, want, f"{where}[{index}]")

    def _mappings(self, actual: Mapping[Any, Any], expected: Mapping[Any, Any], where: str) -> None:
        if actual.keys() != expected.keys():
            _fail(where, "keys differ", repr(list(actual)), repr(list(expected)))
        for key, want in expected.items():
            self.compare(actual[key], want, f"{where}[{key!r}]")

    def _numbers(self, actual: complex, expected: complex, where: str) -> None:
        self._elements(np.asarray(actual), np.asarray(expected), where)

    def _arrays(self, actual: Any, expected: Any, where: str) -> None:
        got, want = _array(actual), _array(expected)
        if got.shape != want.shape:
            _fail(where, "shapes differ", f"shape {got.shape}", f"shape {want.shape}")
        same = got.dtype == want.dtype if self.check_dtype else _kind(got) == _kind(want)
        if not same:
            _fail(where, "dtypes differ", f"dtype {got.dtype}", f"dtype {want.dtype}")
        self._elements(got, want, where)

    def _elements(self, got: np.ndarray, want: np.ndarray, where: str) -> None:
        rtol, atol = tolerances(got.dtype, want.dtype)
        rtol = rtol if self.rtol is None else self.rtol
        atol = atol if self.atol is None else self.atol
        wrong = ~_close(got, want, rtol, atol, self.equal_nan)
        if wrong.any():
            _fail_elements(got, want, wrong, where, rtol, atol)


_METHODS = {"number": "numbers", "array": "arrays", "list": "sequences", "tuple": "sequences", "dict": "mappings"}
_METHODS |= {"bool": "exact", "int": "exact", "float": "numbers", "complex": "numbers"}


def _sort(value: Any) -> str:
    """What sort of thing this is; two values of different sorts are never close."""
    if isinstance(value, Tensor | np.ndarray):
        return "array"
    if isinstance(value, np.generic):
        value = value.item()
    for cls in (bool, int, float, complex, str, bytes, type(None), list, dict):
        if type(value) is cls:
            return cls.__name__
    if isinstance(value, tuple):
        return "tuple"
    raise TypeError(
        f"assert_close cannot compare a {type(value).__name__}: expected tensors, arrays, numbers, strings, None, "
        "or lists, tuples and dicts of them"
    )


def _array(value: Any) -> np.ndarray:
    return value._array if isinstance(value, Tensor) else value


def _kind(array: np.ndarray) -> str:
    return _KINDS.get(array.dtype.kind, str(array.dtype))


def _close(got: np.ndarray, want: np.ndarray, rtol: float, atol: float, equal_nan: bool) -> np.ndarray:
    """Element by element; infinities must be equal, and integers and bools are compared exactly at tolerance 0."""
    if got.dtype.kind not in "fc" and rtol == atol == 0:
        return np.asarray(got == want)
    wide = np.complex128 if "c" in (got.dtype.kind, want.dtype.kind) else np.float64
    got, want = got.astype(wide), want.astype(wide)
    with np.errstate(all="ignore"):
        near = np.isfinite(want) & (abs(got - want) <= atol + rtol * abs(want))
    both_nan = np.isnan(got) & np.isnan(want) & equal_nan
    return np.asarray((got == want) | near | both_nan)


def _fail_elements(
    got: np.ndarray, want: np.ndarray, wrong: np.ndarray, where: str, rtol: float, atol: float
) -> NoReturn:
    index = tuple(int(i) for i in np.argwhere(wrong)[0]) if wrong.ndim else ()
    place = f" at index {index}" if wrong.ndim else ""
    size = f"\n  {int(wrong.sum())} of {wrong.size} elements differ, shape {got.shape}" if wrong.ndim else ""
    one, other = got[index].item(), want[index].item()
    allowed = f"allowed {atol:g} + {rtol:g} · |expected|"
    gap = "" if _not_numbers(one, other) else f"\n  difference {abs(one - other):.3g}, {allowed}"
    _fail(where, "values differ", f"{one!r}{place}", f"{other!r}", gap + size)


def _not_numbers(*values: Any) -> bool:
    return any(isinstance(v, bool) or not math.isfinite(abs(v)) for v in values)


def _told(value: Any) -> str:
    if isinstance(value, Tensor | np.ndarray):
        return f"{type(value).__name__} of shape {tuple(value.shape)}"
    text = repr(value)
    return f"{type(value).__name__} {text if len(text) <= 60 else text[:57] + '...'}"


def _fail(where: str, what: str, got: str, expected: str, more: str = "") -> NoReturn:
    raise AssertionError(f"{where}: {what}\n  got       {got}\n  expected  {expected}{more}")

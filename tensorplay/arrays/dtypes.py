"""The kinds of numbers a tensor can hold, and the kind that comes out when two of them meet.

`DType` is what users see (`tensorplay.float32`); inside, arrays carry NumPy dtypes. The promotion
rules are PyTorch's, which differ from NumPy's in two ways: an integer meeting a floating dtype takes
that dtype whatever its width (int64 with float32 is float32), and Python numbers and 0-d tensors are
weak: they only decide when they are of a higher kind than everything that has dimensions.
"""

from __future__ import annotations

import builtins
from functools import cache
from typing import Any

import numpy as np

from ..errors import ArgumentTypeError, UnsupportedDTypeError

__all__ = [
    "DType",
    "as_numpy",
    "can_cast",
    "complex64",
    "complex128",
    "float16",
    "float32",
    "float64",
    "get_default_dtype",
    "int8",
    "int16",
    "int32",
    "int64",
    "of",
    "promote_types",
    "result_dtype",
    "result_type",
    "set_default_dtype",
    "uint8",
]

_BOOL, _INTEGER, _FLOATING, _COMPLEX = range(4)
_CATEGORIES = {"b": _BOOL, "i": _INTEGER, "u": _INTEGER, "f": _FLOATING, "c": _COMPLEX}


class DType:
    """What kind of number a tensor holds: a name, the NumPy dtype behind it, and what can be done with it.

    >>> import tensorplay as tp
    >>> tp.float32
    tensorplay.float32
    >>> tp.int64.is_floating_point, tp.float16.itemsize
    (False, 2)
    """

    __slots__ = ("category", "is_complex", "is_floating_point", "is_signed", "itemsize", "name", "numpy")

    def __init__(self, name: str) -> None:
        self.name = name
        self.numpy: np.dtype[Any] = np.dtype(name)
        self.category = _CATEGORIES[self.numpy.kind]
        self.is_floating_point = self.category == _FLOATING
        self.is_complex = self.category == _COMPLEX
        self.is_signed = self.numpy.kind in "ifc"
        self.itemsize = self.numpy.itemsize

    def __repr__(self) -> str:
        return f"tensorplay.{self.name}"

    def __reduce__(self) -> tuple[Any, ...]:
        # There is one object per dtype: copies and pickles find it again by its NumPy dtype.
        return (of, (self.numpy,))


float16, float32, float64 = DType("float16"), DType("float32"), DType("float64")
int8, int16, int32, int64, uint8 = DType("int8"), DType("int16"), DType("int32"), DType("int64"), DType("uint8")
complex64, complex128 = DType("complex64"), DType("complex128")
bool_ = DType("bool")

ALL = (bool_, uint8, int8, int16, int32, int64, float16, float32, float64, complex64, complex128)
"""Every dtype, from the weakest to the strongest."""

_FROM_NUMPY = {dtype.numpy: dtype for dtype in ALL}
_FROM_NAME = {dtype.name: dtype for dtype in ALL}
_FROM_NAME |= {"half": float16, "float": float32, "double": float64, "short": int16, "int": int32, "long": int64}
_FROM_NAME |= {"cfloat": complex64, "cdouble": complex128}
_FROM_TYPE = {builtins.bool: bool_, builtins.int: int64, builtins.float: float64, builtins.complex: complex128}

_default = float32
_default_complex = complex64


# -------------------------------------------------------------------------------------- conversions


def of(dtype: np.dtype[Any]) -> DType:
    """The `DType` of a NumPy dtype. Raises UnsupportedDTypeError for kinds a tensor cannot hold.

    >>> import numpy as np
    >>> of(np.dtype("int32"))
    tensorplay.int32
    """
    try:
        return _FROM_NUMPY[dtype]
    except KeyError:
        raise UnsupportedDTypeError(
            f"can't convert np.ndarray of type {np.dtype(dtype)}: a tensor holds one of "
            f"{', '.join(d.name for d in ALL)}. Convert the array first, for example with array.astype('float32')."
        ) from None


def as_dtype(dtype: DType | str | np.dtype[Any] | type | None) -> DType:
    """The `DType` meant by a dtype, a name, a NumPy dtype or a Python type; None means the default dtype."""
    if dtype.__class__ is DType:
        return dtype
    if dtype is None:
        return _default
    if isinstance(dtype, str):
        found = _FROM_NAME.get(dtype.removeprefix("tensorplay."))
    elif isinstance(dtype, type) and dtype in _FROM_TYPE:
        found = _FROM_TYPE[dtype]
    else:
        found = _from_numpy_like(dtype)
    if found is None:
        raise _unknown(dtype)
    return found


def is_dtype_name(name: str) -> builtins.bool:
    """Whether a text names a dtype, and so no device."""
    return name.removeprefix("tensorplay.") in _FROM_NAME


def as_numpy(dtype: DType | str | np.dtype[Any] | type | None) -> np.dtype[Any]:
    """The NumPy dtype meant by a dtype, a name, a NumPy dtype or a Python type; None means the default dtype.

    As in PyTorch, the type `float` means float64 while the name "float" means float32.

    >>> as_numpy(float16), as_numpy("long"), as_numpy(None)
    (dtype('float16'), dtype('int64'), dtype('float32'))
    """
    return as_dtype(dtype).numpy


def _from_numpy_like(dtype: Any) -> DType | None:
    try:
        return of(np.dtype(dtype))
    except TypeError:
        return None


def _unknown(dtype: object) -> TypeError:
    return TypeError(
        f"invalid dtype: got {dtype!r}, expected one of {', '.join(map(repr, ALL))} "
        "(or its name, a NumPy dtype, or one of the types bool, int, float, complex)"
    )


# -------------------------------------------------------------------------------- the default dtype


def get_default_dtype() -> DType:
    """The dtype that Python floats become: float32 unless `set_default_dtype` changed it.

    >>> import tensorplay as tp
    >>> tp.get_default_dtype()
    tensorplay.float32
    """
    return _default


def set_default_dtype(dtype: DType | str | np.dtype[Any] | type) -> None:
    """Choose the dtype that Python floats become. Raises TypeError unless it is a floating dtype.

    >>> import tensorplay as tp
    >>> tp.set_default_dtype(tp.float64)
    >>> tp.tensor([1.0]).dtype
    tensorplay.float64
    >>> tp.set_default_dtype(tp.float32)
    """
    global _default, _default_complex
    chosen = as_dtype(dtype)
    if not chosen.is_floating_point:
        raise TypeError(f"only floating-point types are supported as the default type, got {chosen}")
    _default = chosen
    _default_complex = complex128 if chosen is float64 else complex64


def default_complex_dtype() -> DType:
    """The dtype that Python complex numbers become: complex64, or complex128 if the default is float64."""
    return _default_complex


# ----------------------------------------------------------------------------------------- promotion


@cache
def promote_types(type1: DType, type2: DType) -> DType:
    """The smallest dtype that both can become without a change of kind. Raises ArgumentTypeError for what is no dtype.

    >>> promote_types(int64, float16), promote_types(uint8, int8), promote_types(float64, complex64)
    (tensorplay.float16, tensorplay.int16, tensorplay.complex128)
    """
    _need_dtypes("promote_types", type1=type1, type2=type2)
    first, second = (type2, type1) if type1.category < type2.category else (type1, type2)
    if first.category >= _FLOATING and second.category < _FLOATING:
        return first
    # NumPy and PyTorch agree once a whole number no longer meets a floating one, except for half
    # precision with complex: complex32 does not exist here, so complex64 is the answer in both.
    return of(np.promote_types(first.numpy, second.numpy))


def can_cast(from_: DType, to: DType) -> builtins.bool:
    """Whether an edit in place may store one dtype in the other: digits may be lost, but not the kind of number.

    Bool, whole, floating, complex: no kind becomes one before it. Raises ArgumentTypeError for what is no dtype.

    >>> can_cast(float64, float16), can_cast(float16, int64), can_cast(int64, uint8)
    (True, False, True)
    """
    _need_dtypes("can_cast", from_=from_, to=to)
    return from_.category <= to.category


def result_type(tensor: Any, other: Any) -> DType:
    """The dtype of an operation on two tensors or numbers: numbers and 0-d tensors decide only by a higher kind.

    >>> import tensorplay as tp
    >>> tp.result_type(tp.ones(2, dtype=tp.int32), 1.5), tp.result_type(tp.ones(2), tp.ones((), dtype=tp.float64))
    (tensorplay.float32, tensorplay.float32)
    """
    return of(result_dtype(tensor, other))


def _need_dtypes(function: str, **dtypes: Any) -> None:
    for place, (name, dtype) in enumerate(dtypes.items(), 1):
        if dtype.__class__ is not DType:
            raise ArgumentTypeError(
                f"{function}(): argument '{name}' (position {place}) must be a dtype, such as tp.float32, "
                f"not {type(dtype).__name__}: got {dtype!r}"
            )


def result_dtype(*operands: Any) -> np.dtype[Any]:
    """The dtype of an operation on these arrays and Python numbers, by PyTorch's rules.

    Operands are arrays (or anything with `dtype` and `ndim`) and Python or NumPy scalars.

    >>> import numpy as np
    >>> result_dtype(np.ones(2, "int32"), np.ones(2, "int64"))
    dtype('int64')
    >>> result_dtype(np.ones(2, "float32"), np.ones((), "float64"))
    dtype('float32')
    >>> result_dtype(np.ones(2, "int64"), 0.5)
    dtype('float32')
    """
    if not operands:
        raise TypeError("result_dtype needs at least one operand, got none")
    sized: DType | None = None
    zero_d: DType | None = None
    number: DType | None = None
    for operand in operands:
        ndim = getattr(operand, "ndim", None)
        if ndim is None or isinstance(operand, np.generic):
            number = _widen(number, _of_number(operand))
        elif ndim == 0:
            zero_d = _widen(zero_d, _dtype_of(operand))
        else:
            sized = _widen(sized, _dtype_of(operand))
    return _combine(sized, _combine(zero_d, number)).numpy  # type: ignore[union-attr]


def _dtype_of(operand: Any) -> DType:
    dtype = operand.dtype
    return dtype if dtype.__class__ is DType else of(dtype)


def _of_number(number: Any) -> DType:
    """Numbers are int64, bool, or the default floating or complex dtype."""
    kind = number.dtype.kind if isinstance(number, np.generic) else None
    if kind == "b" or number.__class__ is builtins.bool:
        return bool_
    if kind in ("i", "u") or isinstance(number, builtins.int):
        return int64
    if kind == "f" or isinstance(number, builtins.float):
        return _default
    if kind == "c" or isinstance(number, builtins.complex):
        return _default_complex
    raise TypeError(f"cannot promote {type(number).__name__}: expected arrays, tensors or Python numbers")


def _widen(first: DType | None, second: DType) -> DType:
    return second if first is None else promote_types(first, second)


def _combine(strong: DType | None, weak: DType | None) -> DType | None:
    """`strong` decides, unless `weak` is of a higher kind."""
    if strong is None or weak is None:
        return strong or weak
    if weak.category <= strong.category:
        return strong
    if weak.is_complex and strong.is_floating_point:
        # A complex number does not shrink what was precise: float64 with 1j is complex128.
        return complex128 if strong is float64 else complex64
    return weak


# The short names come last: below this line `bool`, `int`, `float` are dtypes, not the built-ins.
half, float, double = float16, float32, float64
short, int, long = int16, int32, int64
cfloat, cdouble = complex64, complex128
bool = bool_

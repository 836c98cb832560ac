"""Comparisons, element by element or of whole tensors. They have no gradient and are not recorded."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import ops
from ..arrays.dtypes import get_default_dtype
from ..errors import ArgumentTypeError, DTypeError, ToleranceError
from ..inplace import SPOKEN
from ..lifting import readable, values
from ..operands import NUMBERS, compared, need_tensors
from ..tensor import Tensor

__all__ = [
    "allclose", "eq", "equal", "ge", "greater", "greater_equal", "gt", "isclose", "le", "less", "less_equal", "lt",
    "ne", "not_equal",
]  # fmt: skip


# -------------------------------------------------------------------------------- element by element


def eq(input: Tensor, other: Any) -> Tensor:
    """Where the two are equal; `other` may be a number; shapes broadcast. It is `input == other`.

    >>> import tensorplay as tp
    >>> tp.eq(tp.tensor([1, 2]), tp.tensor([1, 3]))
    tensor([ True, False])
    """
    return _checked(operator.eq, input, other)


def ne(input: Tensor, other: Any) -> Tensor:
    """Where the two differ; `other` may be a number; shapes broadcast. It is `input != other`.

    >>> import tensorplay as tp
    >>> tp.ne(tp.tensor([1, 2]), 1)
    tensor([False,  True])
    """
    return _checked(operator.ne, input, other)


def lt(input: Tensor, other: Any) -> Tensor:
    """Where input < other; `other` may be a number; shapes broadcast. Raises UnsupportedDTypeError for complex numbers.

    >>> import tensorplay as tp
    >>> tp.lt(tp.tensor([1, 2, 3]), 2)
    tensor([ True, False, False])
    """
    return _checked(operator.lt, input, other)


def le(input: Tensor, other: Any) -> Tensor:
    """Where input <= other; `other` may be a number; shapes broadcast. Raises UnsupportedDTypeError for complex ones.

    >>> import tensorplay as tp
    >>> tp.le(tp.tensor([1, 2, 3]), 2)
    tensor([ True,  True, False])
    """
    return _checked(operator.le, input, other)


def gt(input: Tensor, other: Any) -> Tensor:
    """Where input > other; `other` may be a number; shapes broadcast. Raises UnsupportedDTypeError for complex numbers.

    >>> import tensorplay as tp
    >>> tp.gt(tp.tensor([1, 2, 3]), 2)
    tensor([False, False,  True])
    """
    return _checked(operator.gt, input, other)


def ge(input: Tensor, other: Any) -> Tensor:
    """Where input >= other; `other` may be a number; shapes broadcast. Raises UnsupportedDTypeError for complex ones.

    >>> import tensorplay as tp
    >>> tp.ge(tp.tensor([1, 2, 3]), 2)
    tensor([False,  True,  True])
    """
    return _checked(operator.ge, input, other)


not_equal, less, less_equal, greater, greater_equal = ne, lt, le, gt, ge


def _checked(function: Callable[[Any, Any], Any], input: Any, other: Any) -> Tensor:
    name = function.__name__
    need_tensors(name, input=input)
    if not isinstance(other, (Tensor, *NUMBERS, np.ndarray)):
        raise ArgumentTypeError(f"{name}() compares with a Tensor or a number, not {type(other).__name__}: {other!r}")
    return compared(function, input, other)


def isclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    """Where |input - other| <= atol + rtol · |other|, or both are the same infinity; with `equal_nan` also both NaN.

    Raises DTypeError for two dtypes, ToleranceError for a negative tolerance.

    >>> import tensorplay as tp
    >>> tp.isclose(tp.tensor([1.0, 2.0]), tp.tensor([1.0 + 1e-7, 2.1]))
    tensor([ True, False])
    """
    need_tensors("isclose", input=input, other=other)
    _check_close(input, other, rtol, atol)
    return values(lambda a, b: _close(a, b, rtol, atol, equal_nan), input, other)


def _check_close(input: Tensor, other: Tensor, rtol: float, atol: float) -> None:
    if input.dtype is not other.dtype:
        first, second = (SPOKEN.get(x.dtype.name, x.dtype) for x in (input, other))
        raise DTypeError(f"{first} did not match {second}: compare tensors of one dtype, as with x.to(y.dtype)")
    for name, size in (("rtol", rtol), ("atol", atol)):
        if size < 0:
            raise ToleranceError(f"{name} must be greater than or equal to zero, but got {size}")


def _close(a: Any, b: Any, rtol: float, atol: float, equal_nan: bool) -> Any:
    if a.dtype.kind in "biu":
        a, b = (x.astype(get_default_dtype().numpy) for x in (a, b))
    try:
        same = (a == b) | ((a != a) & (b != b)) if equal_nan else a == b
    except ValueError as error:
        raise ops.Add.explain((a, b), {}, error) from None
    with np.errstate(all="ignore"):
        apart = abs(a - b)
        return same | (np.isfinite(apart) & (apart <= atol + abs(rtol * b)))


# ---------------------------------------------------------------------------------------- as a whole


def allclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Whether |input - other| <= atol + rtol · |other| everywhere: `isclose` of all elements.

    >>> import tensorplay as tp
    >>> tp.allclose(tp.ones(2), tp.ones(2) + 1e-9)
    True
    """
    need_tensors("allclose", input=input, other=other)
    return bool(readable(isclose(input, other, rtol, atol, equal_nan)).all())


def equal(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape and elements.

    >>> import tensorplay as tp
    >>> tp.equal(tp.ones(2), tp.ones(3))
    False
    """
    need_tensors("equal", input=input, other=other)
    return bool(np.array_equal(readable(input), readable(other)))

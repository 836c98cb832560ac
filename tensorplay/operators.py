"""Operators, comparisons and indexing of tensors, attached to the class.

`x + y` is one call to a short path of `apply.py`; `x[...]` and the augmented forms (`+=`) lead to
`indexing.py` and `inplace.py`. Comparisons have no gradient and are not recorded.
"""

from __future__ import annotations

import builtins
import operator
from typing import Any

import numpy as np

from . import functional, indexing, inplace, ops
from .apply import apply1, apply2, apply_number
from .arrays.dtypes import result_dtype
from .autograd.modes import recording
from .errors import DerivativeError, DTypeError, UnsupportedDTypeError
from .lifting import readable, values
from .tensor import Tensor, wrap

__all__ = ["allclose", "equal", "isfinite", "isnan"]


def _arithmetic(name: str, op: Any) -> None:
    """`x + y` and `y + x`; a foreign operand may handle the tensor itself."""

    def straight(self: Tensor, other: Any) -> Any:
        return apply2(op, self, other) if isinstance(other, Tensor) else apply_number(op, self, other)

    def reflected(self: Tensor, other: Any) -> Any:
        return apply_number(op, self, other, first=True)

    straight.__name__, reflected.__name__ = f"__{name}__", f"__r{name}__"
    setattr(Tensor, straight.__name__, straight)
    setattr(Tensor, reflected.__name__, reflected)


_ARITHMETIC = {"add": ops.Add, "sub": ops.Sub, "mul": ops.Mul, "truediv": ops.Div, "pow": ops.Pow}
for _name, _op in _ARITHMETIC.items():
    _arithmetic(_name, _op)


def _negative(self: Tensor) -> Tensor:
    return apply1(ops.Neg, self)


def _floor_divide(self: Tensor, other: Any, swapped: bool = False) -> Any:
    """⌊x / y⌋, in the common dtype. Its derivative is 0 almost everywhere and of no use, so it is never recorded."""
    if not isinstance(other, (Tensor, builtins.int, builtins.float, np.generic, np.ndarray)):
        return NotImplemented
    if recording() and (self.requires_grad or getattr(other, "requires_grad", False)):
        raise DerivativeError(
            "derivative for floor_divide is not implemented: a quotient that is rounded down has slope 0 between its "
            "steps. Divide a detached tensor (x.detach() // y), or do it inside tp.no_grad()"
        )
    return values(_floored, other, self) if swapped else values(_floored, self, other)


def _floored(x: Any, y: Any) -> Any:
    dtype = result_dtype(x, y)
    if dtype.kind == "c":
        raise DTypeError("floor_divide is not implemented for complex numbers: they are in no order, so none is below")
    x, y = np.asarray(x, dtype), np.asarray(y, dtype)
    if x.dtype.kind in "iu" and not y.all():
        raise DTypeError("ZeroDivisionError: integers have no infinity. Divide floats, as in x.float() // y")
    try:
        with np.errstate(all="ignore"):
            return x // y
    except ValueError as error:
        raise ops.Add.explain((x, y), {}, error) from None


def _invert(self: Tensor) -> Tensor:
    if self._array.dtype.kind not in "iub":
        raise UnsupportedDTypeError(
            f"~ (operator.invert) is only implemented on integer and Boolean-type tensors, not {self.dtype}: "
            "a mask comes from a comparison, as in ~(x > 0); the opposite number is -x"
        )
    return values(operator.invert, self)


def _matmul(self: Tensor, other: Any) -> Any:
    return functional.matmul(self, other) if isinstance(other, Tensor) else NotImplemented


_SPECIAL = {
    "__neg__": _negative,
    "__pos__": lambda self: self,
    "__abs__": functional.abs,
    "__invert__": _invert,
    "__matmul__": _matmul,
    "__floordiv__": _floor_divide,
    "__rfloordiv__": lambda self, other: _floor_divide(self, other, swapped=True),
    "__getitem__": indexing.getitem,
    "__setitem__": indexing.setitem,
}
for _name, _function in _SPECIAL.items():
    setattr(Tensor, _name, _function)


_AUGMENTED = {"iadd": inplace.add_, "isub": inplace.sub_, "imul": inplace.mul_, "itruediv": inplace.div_,
              "ipow": inplace.pow_}  # fmt: skip
for _name, _function in _AUGMENTED.items():
    setattr(Tensor, f"__{_name}__", _function)


# ----------------------------------------------------------------------------------------- comparison


def _comparison(name: str) -> None:
    function = getattr(operator, name)

    def compare(self: Tensor, other: Any) -> Any:
        if not isinstance(other, (Tensor, builtins.int, builtins.float, builtins.complex, np.generic, np.ndarray)):
            return NotImplemented
        a, b = self._array, other._array if isinstance(other, Tensor) else other
        try:
            if a.__class__ is np.ndarray and (b is other or b.__class__ is np.ndarray):
                return wrap(np.asarray(function(*_alike(a, b))))
            return values(lambda a, b: function(*_alike(a, b)), self, other)  # inside a transform
        except ValueError as error:
            raise ops.Add.explain((self, np.asarray(other)), {}, error) from None

    compare.__name__ = f"__{name}__"
    compare.__doc__ = f"Element-wise comparison; a boolean tensor without gradient ({name})."
    setattr(Tensor, f"__{name}__", compare)

    def method(self: Tensor, other: Any) -> Any:
        result = compare(self, other)
        if result is NotImplemented:
            raise TypeError(f"{name}() compares with a Tensor or a number, not {type(other).__name__}")
        return result

    method.__name__, method.__doc__ = name, compare.__doc__
    setattr(Tensor, name, method)


def _alike(a: Any, b: Any) -> tuple[Any, Any]:
    """Arrays of two dtypes in their common one; a 0-d float64 does not make a float32 vector look inexact."""
    if a.__class__ is not np.ndarray or b.__class__ is not np.ndarray or a.dtype == b.dtype:
        return a, b
    dtype = result_dtype(a, b)
    return a.astype(dtype, copy=False), b.astype(dtype, copy=False)


for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    _comparison(_name)


def isnan(input: Tensor) -> Tensor:
    """Which elements are NaN.

    >>> import tensorplay as tp
    >>> tp.isnan(tp.tensor([0.0, float("nan")]))
    tensor([False,  True])
    """
    return values(np.isnan, input)


def isfinite(input: Tensor) -> Tensor:
    """Which elements are neither infinite nor NaN.

    >>> import tensorplay as tp
    >>> tp.isfinite(tp.tensor([0.0, float("inf")]))
    tensor([ True, False])
    """
    return values(np.isfinite, input)


def allclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Whether |input - other| <= atol + rtol · |other| everywhere.

    >>> import tensorplay as tp
    >>> tp.allclose(tp.ones(2), tp.ones(2) + 1e-9)
    True
    """
    return bool(np.allclose(readable(input), readable(other), rtol, atol, equal_nan))


def equal(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape and elements.

    >>> import tensorplay as tp
    >>> tp.equal(tp.ones(2), tp.ones(3))
    False
    """
    return bool(np.array_equal(readable(input), readable(other)))

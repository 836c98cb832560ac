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


def _matmul(self: Tensor, other: Any) -> Any:
    return functional.matmul(self, other) if isinstance(other, Tensor) else NotImplemented


_SPECIAL = {
    "__neg__": _negative,
    "__pos__": lambda self: self,
    "__abs__": functional.abs,
    "__invert__": lambda self: wrap(np.asarray(~self._array)),
    "__matmul__": _matmul,
    "__getitem__": indexing.getitem,
    "__setitem__": indexing.setitem,
}
for _name, _function in _SPECIAL.items():
    setattr(Tensor, _name, _function)


_AUGMENTED = {"iadd": inplace.add_, "isub": inplace.sub_, "imul": inplace.mul_, "itruediv": inplace.div_}
for _name, _function in _AUGMENTED.items():
    setattr(Tensor, f"__{_name}__", _function)


# ----------------------------------------------------------------------------------------- comparison


def _comparison(name: str) -> None:
    function = getattr(operator, name)

    def compare(self: Tensor, other: Any) -> Any:
        if not isinstance(other, (Tensor, builtins.int, builtins.float, builtins.complex, np.generic, np.ndarray)):
            return NotImplemented
        a, b = _alike(self._array, other._array if isinstance(other, Tensor) else other)
        try:
            return wrap(np.asarray(function(a, b)))
        except ValueError as error:
            raise ops.Add.explain((a, np.asarray(b)), {}, error) from None

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
    return wrap(np.isnan(input._array))


def isfinite(input: Tensor) -> Tensor:
    """Which elements are neither infinite nor NaN.

    >>> import tensorplay as tp
    >>> tp.isfinite(tp.tensor([0.0, float("inf")]))
    tensor([ True, False])
    """
    return wrap(np.isfinite(input._array))


def allclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Whether |input - other| <= atol + rtol · |other| everywhere.

    >>> import tensorplay as tp
    >>> tp.allclose(tp.ones(2), tp.ones(2) + 1e-9)
    True
    """
    return bool(np.allclose(input._array, other._array, rtol, atol, equal_nan))


def equal(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape and elements.

    >>> import tensorplay as tp
    >>> tp.equal(tp.ones(2), tp.ones(3))
    False
    """
    return bool(np.array_equal(input._array, other._array))

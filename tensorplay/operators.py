"""Operators, comparisons and indexing of tensors, attached to the class.

`x + y` is one call to a short path of `apply.py`; `x[...]` and the augmented forms (`+=`) lead to
`indexing.py` and `inplace.py`. Comparisons have no gradient and are not recorded.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from . import functional, indexing, inplace, ops
from .apply import apply1, apply2, apply_number
from .arrays.dtypes import of
from .errors import ArgumentTypeError, ConversionError
from .operands import NUMBERS, compared
from .tensor import Tensor, wrap

__all__: list[str] = []


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


def _other(name: str, function: Any) -> None:
    """`x % y` and `y % x`, by a function of two operands; a foreign operand may handle the tensor itself."""

    def straight(self: Tensor, other: Any) -> Any:
        return function(self, other) if isinstance(other, _OPERANDS) else NotImplemented

    def reflected(self: Tensor, other: Any) -> Any:
        return function(other, self) if isinstance(other, _OPERANDS) else NotImplemented

    straight.__name__, reflected.__name__ = f"__{name}__", f"__r{name}__"
    setattr(Tensor, straight.__name__, straight)
    setattr(Tensor, reflected.__name__, reflected)


_OPERANDS = (Tensor, *NUMBERS, np.ndarray)
_OTHERS = {
    "floordiv": functional.floor_divide,
    "mod": functional.remainder,
    "and": functional.bitwise_and,
    "or": functional.bitwise_or,
    "xor": functional.bitwise_xor,
    "lshift": functional.bitwise_left_shift,
    "rshift": functional.bitwise_right_shift,
}
for _name, _made in _OTHERS.items():
    _other(_name, _made)
    setattr(Tensor, f"__i{_name}__", inplace.twin(_made, f"__i{_name}__"))


def _matmul(self: Tensor, other: Any, swapped: bool = False) -> Any:
    """x @ y; as in x * y, an array becomes a tensor."""
    if isinstance(other, np.ndarray):
        other = wrap(other)
    if not isinstance(other, Tensor):
        return NotImplemented
    return functional.matmul(other, self) if swapped else functional.matmul(self, other)


_SPECIAL = {
    "__neg__": _negative,
    "__pos__": lambda self: self,
    "__abs__": functional.abs,
    "__invert__": functional.bitwise_not,
    "__matmul__": _matmul,
    "__rmatmul__": lambda self, other: _matmul(self, other, swapped=True),
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
        return compared(function, self, other) if isinstance(other, _OPERANDS) else NotImplemented

    compare.__name__ = f"__{name}__"
    compare.__doc__ = f"Element-wise comparison; a boolean tensor without gradient ({name})."
    setattr(Tensor, f"__{name}__", compare)


for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    _comparison(_name)


# ------------------------------------------------------------------------------- NumPy's functions


_REFLECTED = {
    np.add: "__radd__", np.subtract: "__rsub__", np.multiply: "__rmul__", np.true_divide: "__rtruediv__",
    np.power: "__rpow__", np.floor_divide: "__rfloordiv__", np.matmul: "__rmatmul__", np.less: "__gt__",
    np.less_equal: "__ge__", np.greater: "__lt__", np.greater_equal: "__le__", np.equal: "__eq__",
    np.not_equal: "__ne__", np.remainder: "__rmod__", np.bitwise_and: "__rand__", np.bitwise_or: "__ror__",
    np.bitwise_xor: "__rxor__", np.left_shift: "__rlshift__", np.right_shift: "__rrshift__",
}  # fmt: skip
"""What `array + tensor` is for the tensor: NumPy asks by its own function, as in np.add(array, tensor)."""


def _ufunc(self: Tensor, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
    """np.exp(x) and its kind: a tensor of what NumPy computes. Nothing of it is recorded, so x may not require grad.

    An operator that meets an array on its left is the tensor's own, and recorded.
    """
    if method == "__call__" and not options and len(inputs) == 2 and isinstance(inputs[0], (np.ndarray, np.generic)):
        name = _REFLECTED.get(ufunc)
        if name is not None:
            return getattr(inputs[1], name)(inputs[0])
    written = inputs[:1] if method == "at" else options.get("out", ())
    if any(isinstance(x, Tensor) for x in written):
        raise ArgumentTypeError(
            f"return arrays must be of ArrayType: np.{ufunc.__name__} would write into a tensor without a trace. "
            "Edit it with its own methods (x.add_, x[i] = …), or write into x.detach().numpy()"
        )
    result = getattr(ufunc, method)(*(_for_numpy(ufunc, x) for x in inputs), **options)
    if written or result is None:
        return result
    return tuple(map(_from_numpy, result)) if isinstance(result, tuple) else _from_numpy(result)


def _for_numpy(ufunc: Any, x: Any) -> Any:
    if not isinstance(x, Tensor):
        return x
    if x.requires_grad:
        name = ufunc.__name__
        instead = f"tp.{name}" if hasattr(functional, name) else "an operation on tensors"
        raise ConversionError(
            "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead: "
            f"np.{name} would not be recorded. Where a gradient is to flow, use {instead}"
        )
    return x.numpy()


def _from_numpy(value: Any) -> Tensor:
    array = np.asarray(value)
    of(array.dtype)
    return wrap(array)


def _wrapped(self: Tensor, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
    """What NumPy's other functions (np.reshape, np.cumsum) made of a tensor, as a tensor."""
    return _from_numpy(array)


Tensor.__array_ufunc__, Tensor.__array_wrap__ = _ufunc, _wrapped  # type: ignore[attr-defined]


# -------------------------------------------------------------------------------------- about values

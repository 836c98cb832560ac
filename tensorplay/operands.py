"""What functions of two operands share: which may be numbers, the factor `alpha`, how a quotient is rounded.

Beside it the in-place forms that need this, and the comparison behind functions and operators.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from . import inplace, ops
from .apply import apply, apply2
from .arrays.dtypes import DType, of, result_dtype
from .errors import ArgumentTypeError, DTypeError, NotATensorError, UnsupportedDTypeError
from .lifting import plain, values
from .ops import Op
from .tensor import Tensor, wrap

__all__ = [
    "NUMBERS", "add_", "applied", "as_operand", "common_dtype", "compared", "div_", "float_power_", "need_tensors",
    "refuse_zero", "rounding_op", "scaled", "sub_",
]  # fmt: skip

NUMBERS = (bool, int, float, complex, np.generic)

_ROUNDING: dict[Any, type[Op]] = {None: ops.Div, "floor": ops.FloorDivide, "trunc": ops.TruncDivide}


def applied(op: type[Op], x: Any, y: Any) -> Tensor:
    """The op on two operands, tensors or numbers."""
    both = isinstance(x, Tensor) and isinstance(y, Tensor)
    return apply2(op, x, y) if both else apply(op, x, y)


def need_tensors(function: str, **operands: Any) -> None:
    """Raise NotATensorError for the first operand that is no tensor."""
    for place, (name, x) in enumerate(operands.items(), 1):
        if not isinstance(x, Tensor):
            raise NotATensorError(
                f"{function}(): argument '{name}' (position {place}) must be Tensor, not {type(x).__name__}: "
                "tp.tensor(...) makes one"
            )


def as_operand(function: str, name: str, x: Any) -> Tensor:
    """A tensor as it is; a number as one of no dimension. Raises NotATensorError for anything else."""
    if isinstance(x, Tensor):
        return x
    if isinstance(x, np.ndarray):
        return wrap(x)
    if isinstance(x, NUMBERS):
        return wrap(np.asarray(x, result_dtype(x)))
    raise NotATensorError(
        f"{function}(): argument '{name}' must be a Tensor or a number, not {type(x).__name__}: got {x!r}"
    )


def common_dtype(*operands: Any) -> DType:
    """The dtype that an operation on these tensors and numbers has."""
    return of(result_dtype(*(x._array if isinstance(x, Tensor) else x for x in operands)))


def scaled(input: Any, other: Any, alpha: Any) -> Any:
    """alpha · other, in the dtype that it will have with `input`.

    Raises ArgumentTypeError for a factor that is no number, DTypeError for one of a higher kind than the operands.
    """
    if alpha.__class__ is int and alpha == 1:
        return other
    if not isinstance(alpha, NUMBERS):
        raise ArgumentTypeError(f"argument 'alpha' must be Number, not {type(alpha).__name__}: got {alpha!r}")
    dtype = common_dtype(input, other)
    _check_factor(alpha, dtype)
    if not isinstance(other, Tensor):
        return other if dtype.name == "bool" and alpha else other * alpha
    return (other.to(dtype) * alpha).to(dtype)


def _check_factor(alpha: Any, dtype: DType) -> None:
    if isinstance(alpha, (bool, np.bool_)) and dtype.name != "bool":
        raise DTypeError(f"Boolean alpha only supported for Boolean results: got alpha={alpha} for {dtype}")
    if isinstance(alpha, (float, np.floating)) and not (dtype.is_floating_point or dtype.is_complex):
        raise DTypeError(
            f"For integral input tensors, argument alpha must not be a floating point number: got {alpha} for {dtype}. "
            "Convert with x.float() first"
        )
    if isinstance(alpha, (complex, np.complexfloating)) and not dtype.is_complex:
        raise DTypeError(f"For non-complex input tensors, argument alpha must not be a complex number: got {alpha}")


def rounding_op(mode: Any) -> type[Op]:
    """The op that divides and rounds so. Raises DTypeError for a mode that there is not."""
    if mode not in _ROUNDING:
        raise DTypeError(f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found {mode!r}")
    return _ROUNDING[mode]


def refuse_zero(input: Any, other: Any) -> None:
    """Raise DTypeError where whole numbers would be divided by 0: they have no infinity."""
    kind = common_dtype(input, other)
    if kind.is_floating_point or kind.is_complex:
        return
    if not np.all(plain(other._array) if isinstance(other, Tensor) else other):
        raise DTypeError("ZeroDivisionError: integers have no infinity. Divide floats, as in x.float() // y")


# ------------------------------------------------------------------------------------------- in place


def div_(input: Tensor, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """`div` in place."""
    if rounding_mode is None:
        return inplace.div_(input, other)
    op = rounding_op(rounding_mode)
    refuse_zero(input, other)
    return inplace.edit(op, input, other, name="div_")


def add_(input: Tensor, other: Any, *, alpha: float = 1) -> Tensor:
    """input += alpha · other, in place."""
    return inplace.add_(input, scaled(input, other, alpha))


def sub_(input: Tensor, other: Any, *, alpha: float = 1) -> Tensor:
    """input -= alpha · other, in place."""
    return inplace.sub_(input, scaled(input, other, alpha))


def float_power_(input: Tensor, exponent: Any) -> Tensor:
    """`float_power` in place. Raises DTypeError for a tensor that is not in double precision."""
    dtype = "complex128" if common_dtype(input, exponent).is_complex else "float64"
    if input.dtype.name != dtype:
        raise DTypeError(
            f"the base given to float_power_ has dtype {input.dtype} but the operation's result requires dtype "
            f"{dtype}: use x.double(), or float_power"
        )
    return inplace.edit(ops.Pow, input, exponent, name="float_power_")


# ----------------------------------------------------------------------------------------- comparison


def compared(function: Callable[[Any, Any], Any], x: Tensor, y: Any) -> Tensor:
    """The comparison of a tensor with a tensor, a number or an array."""
    a, b = x._array, y._array if isinstance(y, Tensor) else y
    try:
        if a.__class__ is np.ndarray and (b is y or b.__class__ is np.ndarray):
            return wrap(np.asarray(function(*_alike(function, a, b))))
        return values(lambda a, b: function(*_alike(function, a, b)), x, y)  # inside a transform
    except ValueError as error:
        raise ops.Add.explain((x, np.asarray(y)), {}, error) from None


def _alike(function: Callable[[Any, Any], Any], a: Any, b: Any) -> tuple[Any, Any]:
    """Arrays of two dtypes in their common one; a 0-d float64 does not make a float32 vector look inexact."""
    if "c" in (getattr(a, "dtype", a).kind, _kind(b)) and function not in (operator.eq, operator.ne):
        raise UnsupportedDTypeError(
            f'"{function.__name__}" is not implemented for complex numbers: they are in no order. Compare x.abs()'
        )
    if a.__class__ is not np.ndarray or b.__class__ is not np.ndarray or a.dtype == b.dtype:
        return a, b
    dtype = result_dtype(a, b)
    return a.astype(dtype, copy=False), b.astype(dtype, copy=False)


def _kind(x: Any) -> str:
    return "c" if isinstance(x, complex) else getattr(getattr(x, "dtype", None), "kind", "")

"""Rounded quotients, remainders, and the powers that are always floating."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..arrays.dtypes import complex128, float64
from ..autograd.modes import recording
from ..errors import DerivativeError, NotATensorError
from ..operands import applied, as_operand, common_dtype, need_tensors, refuse_zero, scaled
from ..tensor import Tensor
from .pointwise import div, pow, sub

__all__ = ["float_power", "floor_divide", "fmod", "remainder", "rsub", "true_divide"]


def true_divide(input: Any, other: Any) -> Tensor:
    """Element-wise quotient: `div` without rounding.

    >>> import tensorplay as tp
    >>> tp.true_divide(tp.tensor([1, 3]), 2)
    tensor([0.5000, 1.5000])
    """
    return div(input, other)


def floor_divide(input: Any, other: Any) -> Tensor:
    """The quotient rounded down, ⌊input / other⌋, in the common dtype; shapes broadcast. It is `input // other`.

    Raises DerivativeError if it would be recorded, DTypeError for whole numbers divided by 0 and for complex ones.

    >>> import tensorplay as tp
    >>> tp.floor_divide(tp.tensor([7, -7]), 2)
    tensor([ 3, -4])
    """
    if recording() and any(isinstance(x, Tensor) and x.requires_grad for x in (input, other)):
        raise DerivativeError(
            "derivative for floor_divide is not implemented: a quotient that is rounded down has slope 0 between its "
            "steps. Divide a detached tensor (x.detach() // y), do it inside tp.no_grad(), or say that the slopes of 0 "
            "are meant: tp.div(x, y, rounding_mode='floor')"
        )
    refuse_zero(input, other)
    return applied(ops.FloorDivide, input, other)


def remainder(input: Any, other: Any) -> Tensor:
    """What is left of `input` after whole steps of `other`, with the sign of `other`. It is `input % other`.

    input - other · ⌊input / other⌋; ∂/∂input = 1, ∂/∂other = -⌊input / other⌋; shapes broadcast.
    Raises DTypeError for whole numbers divided by 0, UnsupportedDTypeError for bool and complex ones.

    >>> import tensorplay as tp
    >>> tp.remainder(tp.tensor([5.0, -5.0]), 3)
    tensor([2., 1.])
    """
    refuse_zero(input, other)
    return applied(ops.Remainder, input, _divisor("remainder", other))


def fmod(input: Tensor, other: Any) -> Tensor:
    """What is left of `input` after whole steps of `other` towards 0, with the sign of `input`.

    input - other · trunc(input / other); ∂/∂input = 1, ∂/∂other = -trunc(input / other); shapes broadcast.
    Raises DTypeError for whole numbers divided by 0, UnsupportedDTypeError for bool and complex ones.

    >>> import tensorplay as tp
    >>> tp.fmod(tp.tensor([5.0, -5.0]), 3)
    tensor([ 2., -2.])
    """
    need_tensors("fmod", input=input)
    refuse_zero(input, other)
    return applied(ops.Fmod, input, _divisor("fmod", other))


def _divisor(function: str, other: Any) -> Tensor:
    return as_operand(function, "other", other)


def rsub(input: Tensor, other: Any, *, alpha: float = 1) -> Tensor:
    """The difference the other way round, other - alpha · input; shapes broadcast.

    >>> import tensorplay as tp
    >>> tp.rsub(tp.tensor([1.0, 2.0]), 10)
    tensor([9., 8.])
    """
    need_tensors("rsub", input=input)
    ops.Sub.check((getattr(other, "_array", other), input._array), None)
    return sub(other, scaled(other, input, alpha))


def float_power(input: Any, exponent: Any) -> Tensor:
    """Element-wise power in double precision, whatever the dtypes: float64, or complex128 if one of them is complex.

    Raises NotATensorError if both are numbers.

    >>> import tensorplay as tp
    >>> tp.float_power(tp.tensor([2, 4]), -1)
    tensor([0.5000, 0.2500], dtype=tensorplay.float64)
    """
    if not isinstance(input, Tensor) and not isinstance(exponent, Tensor):
        raise NotATensorError(f"float_power() expects a tensor, but got {input!r} and {exponent!r}: input ** exponent")
    dtype = complex128 if common_dtype(input, exponent).is_complex else float64
    widened = (x.to(dtype) if isinstance(x, Tensor) else x for x in (input, exponent))
    return pow(*widened)

"""Functions of two operands and more: lengths, logarithms of sums, signs, steps and mixtures."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import ops
from ..apply import apply
from ..autograd.modes import recording
from ..errors import DerivativeError, DTypeError
from ..inplace import SPOKEN
from ..lifting import values
from ..operands import applied, as_operand, common_dtype, need_tensors
from ..tensor import Tensor
from .pointwise import add, div, mul

__all__ = ["addcdiv", "addcmul", "copysign", "heaviside", "hypot", "lerp", "logaddexp", "logaddexp2", "xlogy"]


def hypot(input: Tensor, other: Tensor) -> Tensor:
    """The longest side of a right triangle, √(input² + other²), without overflow in between; shapes broadcast.

    ∂/∂input = input / √(input² + other²), NaN at the origin.

    >>> import tensorplay as tp
    >>> tp.hypot(tp.tensor([3.0, 5.0]), tp.tensor([4.0, 12.0]))
    tensor([ 5., 13.])
    """
    need_tensors("hypot", input=input, other=other)
    return applied(ops.Hypot, input, other)


def logaddexp(input: Tensor, other: Tensor) -> Tensor:
    """ln(e^input + e^other), without overflow in between; ∂/∂input = 1 / (1 + e^(other - input)); shapes broadcast.

    >>> import tensorplay as tp
    >>> tp.logaddexp(tp.tensor([0.0, 1000.0]), tp.tensor([0.0, 1000.0]))
    tensor([6.9315e-01, 1.0007e+03])
    """
    need_tensors("logaddexp", input=input, other=other)
    return applied(ops.LogAddExp, input, other)


def logaddexp2(input: Tensor, other: Tensor) -> Tensor:
    """log₂(2^input + 2^other), without overflow in between; ∂/∂input = 1 / (1 + 2^(other - input)); shapes broadcast.

    >>> import tensorplay as tp
    >>> tp.logaddexp2(tp.tensor([0.0, 3.0]), tp.tensor([0.0, 3.0]))
    tensor([1., 4.])
    """
    need_tensors("logaddexp2", input=input, other=other)
    return applied(ops.LogAddExp2, input, other)


def xlogy(input: Any, other: Any) -> Tensor:
    """input · ln other, and 0 where `input` is 0; NaN where `other` is; one of the two may be a number.

    ∂/∂input = ln other (0 where input is 0 and other <= 0), ∂/∂other = input / other; shapes broadcast.

    >>> import tensorplay as tp
    >>> tp.xlogy(tp.tensor([0.0, 2.0]), tp.tensor([0.0, 1.5]))
    tensor([0.0000, 0.8109])
    """
    return applied(ops.Xlogy, as_operand("xlogy", "input", input), as_operand("xlogy", "other", other))


def copysign(input: Tensor, other: Any) -> Tensor:
    """The size of `input` with the sign of `other`, a tensor or a number; -0.0 has one, too. Shapes broadcast.

    ∂/∂input is 1 or -1, and 0 where input is 0; ∂/∂other is 0.

    >>> import tensorplay as tp
    >>> tp.copysign(tp.tensor([1.0, -2.0]), -1)
    tensor([-1., -2.])
    """
    need_tensors("copysign", input=input)
    return applied(ops.CopySign, input, as_operand("copysign", "other", other))


def heaviside(input: Tensor, values: Tensor) -> Tensor:
    """The unit step: 0 below 0, 1 above, and `values` at 0, in the dtype of both; shapes broadcast.

    Raises DTypeError for complex numbers or two dtypes, DerivativeError if it would be recorded.

    >>> import tensorplay as tp
    >>> tp.heaviside(tp.tensor([-1.5, 0.0, 2.0]), tp.tensor([0.5]))
    tensor([0.0000, 0.5000, 1.0000])
    """
    need_tensors("heaviside", input=input, values=values)
    if input.dtype is not values.dtype or input.dtype.is_complex:
        raise DTypeError(
            f"heaviside is not yet implemented for tensors with different dtypes, or complex ones: got {input.dtype} "
            f"and {values.dtype}. Convert one, as in values.to(input.dtype)"
        )
    if recording() and (input.requires_grad or values.requires_grad):
        raise DerivativeError(
            "derivative for heaviside is not implemented: a step has slope 0 beside it and none at it. "
            "Take it of a detached tensor (x.detach()), or inside tp.no_grad()"
        )
    return _step(input, values)


def _step(input: Tensor, at_zero: Tensor) -> Tensor:
    def stepped(x: Any, v: Any) -> Any:
        try:
            return np.where(x == 0, v, x > 0).astype(v.dtype)
        except ValueError as error:
            raise ops.Add.explain((x, v), {}, error) from None

    return values(stepped, input, at_zero)


# --------------------------------------------------------------------------------------- of three


def lerp(input: Tensor, end: Tensor, weight: Any) -> Tensor:
    """A mixture, input + weight · (end - input): `input` for weight 0, `end` for weight 1; shapes broadcast.

    ∂/∂input = 1 - weight, ∂/∂end = weight, ∂/∂weight = end - input. Raises DTypeError unless all tensors have one
    dtype, UnsupportedDTypeError for whole numbers.

    >>> import tensorplay as tp
    >>> tp.lerp(tp.tensor([1.0, 2.0]), tp.tensor([3.0, 6.0]), 0.25)
    tensor([1.5000, 3.0000])
    """
    need_tensors("lerp", input=input, end=end)
    for name, x in (("end", end), ("weight", weight)):
        if isinstance(x, Tensor) and x.dtype is not input.dtype:
            raise DTypeError(f"expected dtype {input.dtype} for `{name}` but got dtype {x.dtype}: convert one of them")
    return apply(ops.Lerp, input, end, weight)


def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: float = 1) -> Tensor:
    """input + value · tensor1 · tensor2; shapes broadcast.

    >>> import tensorplay as tp
    >>> tp.addcmul(tp.ones(2), tp.tensor([1.0, 2.0]), tp.tensor([3.0, 4.0]), value=0.5)
    tensor([2.5000, 5.0000])
    """
    need_tensors("addcmul", input=input, tensor1=tensor1, tensor2=tensor2)
    return _added("addcmul", input, mul(tensor1, tensor2), value)


def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: float = 1) -> Tensor:
    """input + value · tensor1 / tensor2; shapes broadcast. Raises DTypeError for the quotient of whole numbers.

    >>> import tensorplay as tp
    >>> tp.addcdiv(tp.ones(2), tp.tensor([1.0, 2.0]), tp.tensor([4.0, 4.0]), value=2)
    tensor([1.5000, 2.0000])
    """
    need_tensors("addcdiv", input=input, tensor1=tensor1, tensor2=tensor2)
    kind = common_dtype(tensor1, tensor2)
    if not (kind.is_floating_point or kind.is_complex):
        raise DTypeError(
            f"Integer division with addcdiv is no longer supported: got {SPOKEN[kind.name]} tensors. "
            "Convert with tensor1.float(), or add the rounded quotient: input + value * (tensor1 // tensor2)"
        )
    return _added("addcdiv", input, div(tensor1, tensor2), value)


def _added(name: str, input: Tensor, part: Tensor, value: Any) -> Tensor:
    kind = common_dtype(input, part)
    if kind.name == "bool":
        raise DTypeError(f"{name} is not implemented for Bool: convert with x.long() first")
    if not (kind.is_floating_point or kind.is_complex):
        value = int(value)  # as PyTorch: the factor takes the dtype of what it multiplies
    return add(input, part if value == 1 else mul(part, value))

"""Rounding, and signs; what moves in steps has the slope 0."""

from __future__ import annotations

import builtins
from typing import Any

from .. import ops
from ..apply import apply1
from ..errors import DTypeError, UnsupportedDTypeError
from ..operands import need_tensors
from ..tensor import Tensor
from .pointwise import abs, div, mul, neg, sub

__all__ = [
    "absolute", "ceil", "fix", "floor", "frac", "negative", "positive", "round", "sgn", "sign", "trunc",
]  # fmt: skip


def floor(input: Tensor) -> Tensor:
    """The next whole number below each element; whole numbers stay; the slope is 0.

    >>> import tensorplay as tp
    >>> tp.floor(tp.tensor([1.5, -1.5]))
    tensor([ 1., -2.])
    """
    return _stepped(ops.Floor, input)


def ceil(input: Tensor) -> Tensor:
    """The next whole number above each element; whole numbers stay; the slope is 0.

    >>> import tensorplay as tp
    >>> tp.ceil(tp.tensor([1.5, -1.5]))
    tensor([ 2., -1.])
    """
    return _stepped(ops.Ceil, input)


def trunc(input: Tensor) -> Tensor:
    """Each element without what follows the point; whole numbers stay; the slope is 0.

    >>> import tensorplay as tp
    >>> tp.trunc(tp.tensor([1.5, -1.5]))
    tensor([ 1., -1.])
    """
    return _stepped(ops.Trunc, input)


def sgn(input: Tensor) -> Tensor:
    """The direction of each element: -1, 0 or 1, and x / |x| for complex numbers.

    >>> import tensorplay as tp
    >>> tp.sgn(tp.tensor([3.0, -2.0]))
    tensor([ 1., -1.])
    """
    return apply1(ops.Clone if input.dtype.name == "bool" else ops.Sign, input)


fix, absolute, negative = trunc, abs, neg


def sign(input: Tensor) -> Tensor:
    """-1, 0 or 1 for each element; the slope is 0. Raises UnsupportedDTypeError for complex numbers: `sgn` takes them.

    >>> import tensorplay as tp
    >>> tp.sign(tp.tensor([3.0, 0.0, -2.0]))
    tensor([ 1.,  0., -1.])
    """
    need_tensors("sign", input=input)
    if input.dtype.is_complex:
        raise UnsupportedDTypeError("Unlike NumPy, sign doesn't support complex tensors: use sgn(x), which is x / |x|")
    return apply1(ops.Clone if input.dtype.name == "bool" else ops.Sign, input)


def frac(input: Tensor) -> Tensor:
    """What follows the point, x - trunc(x), with the sign of x; the slope is 1. Floating-point numbers only.

    >>> import tensorplay as tp
    >>> tp.frac(tp.tensor([1.5, -2.25]))
    tensor([ 0.5000, -0.2500])
    """
    need_tensors("frac", input=input)
    if not input.dtype.is_floating_point:
        raise UnsupportedDTypeError(f"frac is not implemented for {input.dtype}: whole numbers have no such part")
    return sub(input, trunc(input))


def round(input: Tensor, *, decimals: int = 0) -> Tensor:
    """The nearest whole number, halves to the even one, or the nearest with `decimals` digits; the slope is 0.

    >>> import tensorplay as tp
    >>> tp.round(tp.tensor([0.5, 1.5, -2.7])), tp.round(tp.tensor([1.2345]), decimals=2)
    (tensor([ 0.,  2., -3.]), tensor([1.2300]))
    """
    if not decimals:
        return _stepped(ops.Round, input)
    need_tensors("round", input=input)
    if not input.dtype.is_floating_point:
        raise UnsupportedDTypeError(f"round with decimals is not implemented for {input.dtype}: use x.float() first")
    scale = 10.0 ** builtins.abs(decimals)
    if decimals > 0:
        return div(apply1(ops.Round, mul(input, scale)), scale)
    return mul(apply1(ops.Round, div(input, scale)), scale)


def positive(input: Tensor) -> Tensor:
    """The tensor itself, +x. Raises DTypeError for truth values.

    >>> import tensorplay as tp
    >>> tp.positive(tp.tensor([3.0, -2.0]))
    tensor([ 3., -2.])
    """
    need_tensors("positive", input=input)
    if input.dtype.name == "bool":
        raise DTypeError("The `+` operator, on a bool tensor is not supported: convert with m.long() first")
    return input


def _stepped(op: Any, input: Tensor) -> Tensor:
    """Rounded; whole numbers are already, and truth values are refused."""
    need_tensors(op.__name__.lower(), input=input)
    kind = input._array.dtype.kind
    if kind == "b":
        raise UnsupportedDTypeError(f"{op.__name__.lower()} is not implemented for 'Bool': convert with m.long() first")
    return apply1(ops.Clone if kind in "iu" else op, input)

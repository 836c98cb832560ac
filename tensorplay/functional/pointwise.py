"""Arithmetic, choice and copies, element by element; the shapes of two operands broadcast."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import ops
from ..apply import apply, apply1, apply2, apply_number
from ..errors import ArgumentTypeError, DTypeError
from ..lifting import readable
from ..operands import applied, need_tensors, refuse_zero, rounding_op, scaled
from ..tensor import Tensor, wrap

__all__ = [
    "abs", "add", "clone", "detach", "div", "divide", "maximum", "minimum", "mul", "multiply", "neg", "pow", "sub",
    "subtract", "where",
]  # fmt: skip


# -------------------------------------------------------------------------------------- two operands


def add(input: Any, other: Any, *, alpha: float = 1) -> Tensor:
    """Element-wise sum, input + alpha · other; shapes broadcast. Raises DTypeError for an alpha of a higher kind.

    >>> import tensorplay as tp
    >>> tp.add(tp.tensor([1.0, 2.0]), 10)
    tensor([11., 12.])
    """
    return _both(ops.Add, input, other if alpha.__class__ is int and alpha == 1 else scaled(input, other, alpha))


def sub(input: Any, other: Any, *, alpha: float = 1) -> Tensor:
    """Element-wise difference, input - alpha · other; shapes broadcast. Raises DTypeError for bool operands.

    >>> import tensorplay as tp
    >>> tp.sub(tp.tensor([1.0, 2.0]), 1)
    tensor([0., 1.])
    """
    if alpha.__class__ is int and alpha == 1:
        return _both(ops.Sub, input, other)
    ops.Sub.check(tuple(getattr(x, "_array", x) for x in (input, other)), None)
    return _both(ops.Sub, input, scaled(input, other, alpha))


def mul(input: Any, other: Any) -> Tensor:
    """Element-wise product; shapes broadcast; ∂(xy)/∂x = y.

    >>> import tensorplay as tp
    >>> tp.mul(tp.tensor([1.0, 2.0]), tp.tensor([3.0, 4.0]))
    tensor([3., 8.])
    """
    return _both(ops.Mul, input, other)


def div(input: Any, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """Element-wise quotient; shapes broadcast; whole numbers give floating ones; ∂(x/y)/∂y = -x/y².

    With `rounding_mode` "floor" it is rounded down, with "trunc" towards 0, in the common dtype; the slopes are 0 then.
    Raises DTypeError for another mode, and for whole numbers that are divided by 0 and rounded.

    >>> import tensorplay as tp
    >>> tp.div(tp.tensor([1, 3]), 2), tp.div(tp.tensor([7, -7]), 2, rounding_mode="trunc")
    (tensor([0.5000, 1.5000]), tensor([ 3, -3]))
    """
    if rounding_mode is None:
        return _both(ops.Div, input, other)
    op = rounding_op(rounding_mode)
    refuse_zero(input, other)
    return applied(op, input, other)


subtract, multiply, divide = sub, mul, div


def pow(input: Any, exponent: Any) -> Tensor:
    """Element-wise power; one of the two may be a number; ∂xʸ/∂x = y xʸ⁻¹, ∂xʸ/∂y = xʸ ln x.

    >>> import tensorplay as tp
    >>> tp.pow(tp.tensor([2.0, 3.0]), 2)
    tensor([4., 9.])
    """
    return _both(ops.Pow, input, exponent)


def _both(op: Any, x: Any, y: Any) -> Tensor:
    """The op on two operands, of which one may be a number; each kind takes the shortest way."""
    if isinstance(x, Tensor):
        if isinstance(y, Tensor):
            return apply2(op, x, y)
        result = apply_number(op, x, y)
    else:
        result = apply_number(op, y, x, first=True) if isinstance(y, Tensor) else NotImplemented
    return apply(op, x, y) if result is NotImplemented else result


def maximum(input: Tensor, other: Tensor) -> Tensor:
    """The larger of two, element by element; NaN where one is. Equals each get half of the gradient.

    Raises NotATensorError for a number: `clamp` takes one.

    >>> import tensorplay as tp
    >>> tp.maximum(tp.tensor([1.0, 5.0]), tp.tensor([3.0, 2.0]))
    tensor([3., 5.])
    """
    need_tensors("maximum", input=input, other=other)
    return apply2(ops.Maximum, input, other)


def minimum(input: Tensor, other: Tensor) -> Tensor:
    """The smaller of two, element by element; NaN where one is. Equals each get half of the gradient.

    Raises NotATensorError for a number: `clamp` takes one.

    >>> import tensorplay as tp
    >>> tp.minimum(tp.tensor([1.0, 5.0]), tp.tensor([3.0, 2.0]))
    tensor([1., 2.])
    """
    need_tensors("minimum", input=input, other=other)
    return apply2(ops.Minimum, input, other)


def where(condition: Tensor, input: Any = None, other: Any = None) -> Any:
    """`input` where the condition holds, `other` elsewhere; all three broadcast, and numbers are taken.

    A derivative that is infinite in the branch not taken still gives NaN further up (0 · inf): make that
    branch harmless first, with a second `where` inside it.

    With the condition alone: the positions that are not 0, an index tensor for each dimension, as `nonzero` gives them.
    Raises DTypeError for a condition that is not of bools, ArgumentTypeError for just one of the others.

    >>> import tensorplay as tp
    >>> tp.where(tp.tensor([True, False]), tp.tensor([1.0, 2.0]), 0.0)
    tensor([1., 0.])
    >>> tp.where(tp.tensor([0, 5, 6]))
    (tensor([1, 2]),)
    """
    need_tensors("where", condition=condition)
    if input is None and other is None:
        return tuple(map(wrap, np.nonzero(np.atleast_1d(readable(condition)))))
    if input is None or other is None:
        raise ArgumentTypeError("where() takes a condition alone, or a condition with two others: got one of them")
    if condition._array.dtype.kind != "b":
        raise DTypeError(
            f"where expected condition to be a boolean tensor, but got {condition.dtype}: compare first, as in x > 0"
        )
    return apply(ops.Where, condition, input, other)


# --------------------------------------------------------------------------------------- one operand


def neg(input: Tensor) -> Tensor:
    """Negative of each element.

    >>> import tensorplay as tp
    >>> tp.neg(tp.tensor([1.0, -2.0]))
    tensor([-1.,  2.])
    """
    return apply1(ops.Neg, input)


def abs(input: Tensor) -> Tensor:
    """Absolute value of each element; d/dx |x| = sign(x), 0 at 0.

    >>> import tensorplay as tp
    >>> tp.abs(tp.tensor([-3.0, 2.0]))
    tensor([3., 2.])
    """
    return apply1(ops.Abs, input)


def clone(input: Tensor) -> Tensor:
    """A copy with memory of its own, still part of the graph.

    >>> import tensorplay as tp
    >>> tp.clone(tp.ones(2))
    tensor([1., 1.])
    """
    if input._cell is None and isinstance(input._array, np.ndarray):  # out of inference mode: an ordinary tensor
        return wrap(input._array.copy())
    return apply1(ops.Clone, input)


def detach(input: Tensor) -> Tensor:
    """The same memory, cut off from the graph.

    >>> import tensorplay as tp
    >>> tp.detach(tp.ones(2, requires_grad=True)).requires_grad
    False
    """
    return input.detach()

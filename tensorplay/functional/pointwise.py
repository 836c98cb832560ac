"""Arithmetic, choice and copies, element by element; the shapes of two operands broadcast."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import ops
from ..apply import apply, apply1, apply2
from ..errors import DTypeError
from ..tensor import Tensor, wrap

__all__ = ["abs", "add", "clone", "detach", "div", "maximum", "minimum", "mul", "neg", "pow", "sub", "where"]


# -------------------------------------------------------------------------------------- two operands


def add(input: Any, other: Any, *, alpha: float = 1) -> Tensor:
    """Element-wise sum, input + alpha · other; shapes broadcast.

    >>> import tensorplay as tp
    >>> tp.add(tp.tensor([1.0, 2.0]), 10)
    tensor([11., 12.])
    """
    return input + (other if alpha == 1 else other * alpha)


def sub(input: Any, other: Any, *, alpha: float = 1) -> Tensor:
    """Element-wise difference, input - alpha · other; shapes broadcast.

    >>> import tensorplay as tp
    >>> tp.sub(tp.tensor([1.0, 2.0]), 1)
    tensor([0., 1.])
    """
    return input - (other if alpha == 1 else other * alpha)


def mul(input: Any, other: Any) -> Tensor:
    """Element-wise product; shapes broadcast; ∂(xy)/∂x = y.

    >>> import tensorplay as tp
    >>> tp.mul(tp.tensor([1.0, 2.0]), tp.tensor([3.0, 4.0]))
    tensor([3., 8.])
    """
    return input * other


def div(input: Any, other: Any) -> Tensor:
    """Element-wise quotient; shapes broadcast; whole numbers give floating ones; ∂(x/y)/∂y = -x/y².

    >>> import tensorplay as tp
    >>> tp.div(tp.tensor([1, 3]), 2)
    tensor([0.5000, 1.5000])
    """
    return input / other


def pow(input: Any, exponent: Any) -> Tensor:
    """Element-wise power; one of the two may be a number; ∂xʸ/∂x = y xʸ⁻¹, ∂xʸ/∂y = xʸ ln x.

    >>> import tensorplay as tp
    >>> tp.pow(tp.tensor([2.0, 3.0]), 2)
    tensor([4., 9.])
    """
    return input**exponent


def maximum(input: Tensor, other: Tensor) -> Tensor:
    """The larger of two, element by element; where they are equal each gets half of the gradient.

    >>> import tensorplay as tp
    >>> tp.maximum(tp.tensor([1.0, 5.0]), tp.tensor([3.0, 2.0]))
    tensor([3., 5.])
    """
    return apply2(ops.Maximum, input, other) if isinstance(other, Tensor) else apply(ops.Maximum, input, other)


def minimum(input: Tensor, other: Tensor) -> Tensor:
    """The smaller of two, element by element; where they are equal each gets half of the gradient.

    >>> import tensorplay as tp
    >>> tp.minimum(tp.tensor([1.0, 5.0]), tp.tensor([3.0, 2.0]))
    tensor([1., 2.])
    """
    return apply2(ops.Minimum, input, other) if isinstance(other, Tensor) else apply(ops.Minimum, input, other)


def where(condition: Tensor, input: Any, other: Any) -> Tensor:
    """`input` where the condition holds, `other` elsewhere; all three broadcast.

    A derivative that is infinite in the branch not taken still gives NaN further up (0 · inf): make that
    branch harmless first, with a second `where` inside it.

    >>> import tensorplay as tp
    >>> tp.where(tp.tensor([True, False]), tp.tensor([1.0, 2.0]), 0.0)
    tensor([1., 0.])
    """
    if not isinstance(condition, Tensor) or condition._array.dtype.kind != "b":
        got = condition.dtype if isinstance(condition, Tensor) else type(condition).__name__
        raise DTypeError(f"where expected condition to be a boolean tensor, but got {got}: compare first, as in x > 0")
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

"""Public functions of tensors, with PyTorch's names and argument order. Each is thin: one op, or a few.

Most are also methods of `Tensor` (see `methods.py`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import ops
from .apply import apply, apply1, apply2
from .arrays.dtypes import int64
from .elementary import atan2, cos, log2, sin
from .errors import DTypeError, ShapeError
from .indexing import index_put
from .joining import cat, chunk, concat, split, stack, unbind
from .ops.families import normal_dim, normal_dims
from .reductions import cumprod, cumsum, norm, prod, std, var
from .shaping import expand, flatten, flip, gather, permute, reshape, squeeze, transpose, unsqueeze, view
from .sorting import argsort, median, sort
from .tensor import Tensor, rank, wrap
from .views import owned

__all__ = [
    "abs", "add", "amax", "amin", "argmax", "argmin", "argsort", "atan2", "cat", "chunk", "clone", "concat",
    "cos", "cumprod", "cumsum", "detach", "div", "exp", "expand", "flatten", "flip", "gather", "index_put", "log",
    "log2", "matmul", "max", "maximum", "mean", "median", "min", "minimum", "mul", "neg", "norm", "permute",
    "pow", "prod", "relu", "reshape", "sigmoid", "sin", "sort", "split", "sqrt", "squeeze", "stack", "std", "sub",
    "sum", "tanh", "transpose", "unbind", "unsqueeze", "var", "view", "where",
]  # fmt: skip

Dim = int | tuple[int, ...] | None


class MaxResult(NamedTuple):
    """What `max` and `min` along a dimension return."""

    values: Tensor
    indices: Tensor


# ------------------------------------------------------------------------------------- two operands


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


def matmul(input: Tensor, other: Tensor) -> Tensor:
    """Matrix product, out[i, j] = Σₖ input[i, k] · other[k, j]; leading dimensions broadcast.

    A 1-d operand counts as a row (left) or a column (right) and that dimension is dropped again.
    Raises ShapeError if the inner sizes differ.

    >>> import tensorplay as tp
    >>> tp.matmul(tp.eye(2), tp.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([[1., 2.],
            [3., 4.]])
    """
    left, right = rank(input), rank(other)
    if left >= 2 and right >= 2:
        return apply2(ops.MatMul, input, other)
    if left == 0 or right == 0:
        raise ShapeError(f"both arguments to matmul need to be at least 1D, but they are {left}D and {right}D")
    out = apply2(ops.MatMul, unsqueeze(input, 0) if left == 1 else input, unsqueeze(other, 1) if right == 1 else other)
    out = owned(squeeze(out, -1)) if right == 1 else out
    return owned(squeeze(out, -1 if right == 1 else -2)) if left == 1 else out


# -------------------------------------------------------------------------------------- one operand


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


def exp(input: Tensor) -> Tensor:
    """Exponential of each element; d/dx eˣ = eˣ.

    >>> import tensorplay as tp
    >>> tp.exp(tp.tensor([0.0, 1.0]))
    tensor([1.0000, 2.7183])
    """
    return apply1(ops.Exp, input)


def log(input: Tensor) -> Tensor:
    """Natural logarithm of each element; -inf at 0, NaN below; d/dx ln x = 1/x.

    >>> import tensorplay as tp
    >>> tp.log(tp.tensor([1.0, 0.0]))
    tensor([0., -inf])
    """
    return apply1(ops.Log, input)


def sqrt(input: Tensor) -> Tensor:
    """Square root of each element; d/dx √x = 1 / (2√x), infinite at 0.

    >>> import tensorplay as tp
    >>> tp.sqrt(tp.tensor([4.0, 9.0]))
    tensor([2., 3.])
    """
    return apply1(ops.Sqrt, input)


def tanh(input: Tensor) -> Tensor:
    """Hyperbolic tangent of each element; d/dx = 1 - tanh².

    >>> import tensorplay as tp
    >>> tp.tanh(tp.tensor([0.0, 1.0]))
    tensor([0.0000, 0.7616])
    """
    return apply1(ops.Tanh, input)


def sigmoid(input: Tensor) -> Tensor:
    """Logistic function of each element, σ = 1 / (1 + e⁻ˣ); dσ/dx = σ(1 - σ).

    >>> import tensorplay as tp
    >>> tp.sigmoid(tp.tensor([0.0, 2.0]))
    tensor([0.5000, 0.8808])
    """
    return apply1(ops.Sigmoid, input)


def relu(input: Tensor) -> Tensor:
    """max(x, 0) of each element; the gradient at 0 is 0.

    >>> import tensorplay as tp
    >>> tp.relu(tp.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """
    return apply1(ops.Relu, input)


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


# -------------------------------------------------------------------------------------- many to one


def sum(input: Tensor, dim: Dim = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Sum of all elements, or along `dim` (one dimension or several).

    >>> import tensorplay as tp
    >>> tp.sum(tp.ones(2, 3), 1)
    tensor([3., 3.])
    """
    dims = normal_dims(dim, rank(input))
    if dtype is not None:
        input = input.to(dtype)
    elif input._array.dtype.kind in "biu":  # whole numbers of any width add up as int64
        input = input.to(int64)
    return apply1(ops.Sum, input, {"dim": dims, "keepdim": keepdim})


def mean(input: Tensor, dim: Dim = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Average of all elements, or along `dim`. Raises DTypeError for whole numbers; NaN for no elements.

    >>> import tensorplay as tp
    >>> tp.mean(tp.tensor([1.0, 2.0, 6.0]))
    tensor(3.)
    """
    dims = normal_dims(dim, rank(input))
    if dtype is not None:
        input = input.to(dtype)
    if input._array.dtype.kind not in "fc":
        raise DTypeError(
            "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype, "
            f"got {input.dtype}: convert with x.float() first"
        )
    return apply1(ops.Mean, input, {"dim": dims, "keepdim": keepdim})


def amax(input: Tensor, dim: Dim = None, keepdim: bool = False) -> Tensor:
    """Largest element along `dim`; ties share the gradient evenly.

    >>> import tensorplay as tp
    >>> tp.amax(tp.tensor([[1.0, 4.0], [3.0, 2.0]]), 1)
    tensor([4., 3.])
    """
    return apply1(ops.Amax, input, {"dim": normal_dims(dim, rank(input)), "keepdim": keepdim})


def amin(input: Tensor, dim: Dim = None, keepdim: bool = False) -> Tensor:
    """Smallest element along `dim`; ties share the gradient evenly.

    >>> import tensorplay as tp
    >>> tp.amin(tp.tensor([[1.0, 4.0], [3.0, 2.0]]), 1)
    tensor([1., 2.])
    """
    return apply1(ops.Amin, input, {"dim": normal_dims(dim, rank(input)), "keepdim": keepdim})


def max(input: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    """Largest element of all; or (values, indices) along one dimension; or, given a tensor, `maximum`.

    Along a dimension the first of equal elements takes all of the gradient.

    >>> import tensorplay as tp
    >>> tp.max(tp.tensor([[1.0, 4.0], [3.0, 2.0]]), 1).indices
    tensor([1, 0])
    """
    if isinstance(dim, Tensor):
        return maximum(input, dim)
    if dim is None:
        return amax(input)
    return _along(ops.Max, input, dim, keepdim)


def min(input: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    """Smallest element of all; or (values, indices) along one dimension; or, given a tensor, `minimum`.

    >>> import tensorplay as tp
    >>> tp.min(tp.tensor([3.0, 1.0, 2.0]))
    tensor(1.)
    """
    if isinstance(dim, Tensor):
        return minimum(input, dim)
    if dim is None:
        return amin(input)
    return _along(ops.Min, input, dim, keepdim)


def _along(op: type[ops.Op], input: Tensor, dim: int, keepdim: bool) -> MaxResult:
    """Extremum along one dimension. A single number is its own, at position 0."""
    dim = normal_dim(dim, rank(input))
    if not rank(input):
        return MaxResult(clone(input), wrap(np.asarray(0)))
    return MaxResult(*apply(op, input, dim=dim, keepdim=keepdim))


def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Position of the largest element, in the flattened tensor or along `dim`. It has no gradient.

    >>> import tensorplay as tp
    >>> tp.argmax(tp.tensor([1.0, 9.0, 2.0]))
    tensor(1)
    """
    dim = None if dim is None or not rank(input) else normal_dim(dim, rank(input))
    return apply(ops.ArgMax, input, dim=dim, keepdim=keepdim)


def argmin(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Position of the smallest element, in the flattened tensor or along `dim`. It has no gradient.

    >>> import tensorplay as tp
    >>> tp.argmin(tp.tensor([1.0, 9.0, 0.0]))
    tensor(2)
    """
    dim = None if dim is None or not rank(input) else normal_dim(dim, rank(input))
    return apply(ops.ArgMin, input, dim=dim, keepdim=keepdim)

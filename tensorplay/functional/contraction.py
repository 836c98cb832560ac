"""Products summed over a shared dimension."""

from __future__ import annotations

from .. import ops
from ..apply import apply2
from ..errors import DTypeError
from ..ops.contraction import flat_error
from ..tensor import Tensor, rank
from ..views import owned
from .shaping import squeeze, unsqueeze

__all__ = ["matmul"]


def matmul(input: Tensor, other: Tensor) -> Tensor:
    """Matrix product, out[i, j] = Σₖ input[i, k] · other[k, j]; leading dimensions broadcast.

    A 1-d operand counts as a row (left) or a column (right) and that dimension is dropped again.
    Raises ShapeError if the inner sizes differ, DTypeError for operands of two dtypes.

    >>> import tensorplay as tp
    >>> tp.matmul(tp.eye(2), tp.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([[1., 2.],
            [3., 4.]])
    """
    left, right = rank(input), rank(other)
    if input._array.dtype is not other._array.dtype and input.dtype != other.dtype:
        raise DTypeError(
            f"expected m1 and m2 to have the same dtype, but got: {input.dtype} != {other.dtype}. "
            f"Products convert nothing: convert one of them with .to(dtype)"
        )
    if left >= 2 and right >= 2:
        return apply2(ops.MatMul, input, other)
    if left == 0 or right == 0:
        raise flat_error("matmul", input.shape, other.shape)
    out = apply2(ops.MatMul, unsqueeze(input, 0) if left == 1 else input, unsqueeze(other, 1) if right == 1 else other)
    out = owned(squeeze(out, -1)) if right == 1 else out
    return owned(squeeze(out, -1 if right == 1 else -2)) if left == 1 else out

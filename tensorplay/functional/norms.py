"""Lengths and distances."""

from __future__ import annotations

from math import inf
from typing import Any

from .. import ops
from ..apply import apply, apply1, apply2
from ..arrays.dtypes import as_numpy, of
from ..errors import DTypeError, EmptyReductionError, NormOrderError, NotATensorError
from ..ops.families import keep_shape, normal_dims
from ..tensor import Tensor, rank
from .common import Dim, in_single

__all__ = ["dist", "norm"]


def norm(
    input: Tensor, p: float | str | None = "fro", dim: Dim = None, keepdim: bool = False, dtype: Any = None
) -> Tensor:
    """The p-norm of all elements, or along `dim`: (Σ |x|ᵖ)^(1/p). "fro" is 2, the length.

    "nuc" is the nuclear norm of matrices: the sum of their singular values.

    inf gives the largest |x| and -inf the smallest, 0 the number of elements that are not 0. The gradient of a norm
    that is 0 is 0. Raises DTypeError for whole numbers, NormOrderError for an order that does not exist.

    >>> import tensorplay as tp
    >>> tp.norm(tp.tensor([3.0, 4.0]))
    tensor(5.)
    >>> tp.norm(tp.tensor([[3.0, -4.0], [0.0, 0.0]]), 1, dim=1)
    tensor([7., 0.])
    """
    dims = normal_dims(dim, rank(input))
    _check_dtype(input, dtype)
    input = input if dtype is None else input.to(dtype)
    if p == "nuc":
        return _nuclear(input, dims, keepdim)
    order = _order(p)
    _check_some(input, order, dims)
    return in_single(lambda x: apply1(ops.Norm, x, {"p": order, "dim": dims, "keepdim": keepdim}), input)


def dist(input: Tensor, other: Tensor, p: float = 2) -> Tensor:
    """The p-norm of the difference of two tensors, stretched to a common shape. Its gradient where they meet is 0.

    >>> import tensorplay as tp
    >>> tp.dist(tp.tensor([1.0, 5.0]), tp.tensor([4.0, 1.0]))
    tensor(5.)
    """
    rank(input)
    if not isinstance(other, Tensor):
        raise NotATensorError(f"dist(): argument 'other' (position 2) must be Tensor, not {type(other).__name__}")
    return norm(apply2(ops.Sub, input, other), p)


def _check_dtype(input: Tensor, dtype: Any) -> None:
    if not (input.dtype.is_floating_point or input.dtype.is_complex):
        raise DTypeError(
            "linalg.vector_norm: Expected a floating point or complex tensor as input. "
            f"Got {input.dtype}: convert with x.float() first"
        )
    if dtype is not None and input.dtype.is_complex and not of(as_numpy(dtype)).is_complex:
        raise DTypeError(
            f"linalg.vector_norm: the dtype of the input ({input.dtype}) should be convertible without narrowing to "
            f"the specified dtype ({dtype}): a real number has no room for the imaginary part"
        )


def _nuclear(input: Tensor, dims: tuple[int, ...] | None, keepdim: bool) -> Tensor:
    """The sum of the singular values of matrices."""
    size = rank(input)
    if size < 2:
        raise NormOrderError(
            "linalg.matrix_norm: The input tensor A must have at least 2 dimensions: the nuclear norm is one of "
            f"matrices, and the shape is {list(input.shape)}"
        )
    rows = tuple(range(size)) if dims is None else dims
    if len(rows) != 2:
        raise NormOrderError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {' '.join(map(str, rows))}")
    order = (*(d for d in range(size) if d not in rows), *rows)
    values = apply(ops.Svd, apply1(ops.Permute, input, {"dims": order}), full_matrices=False)[1]
    out = apply1(ops.Sum, values, {"dim": (size - 2,), "keepdim": False})
    return apply1(ops.Reshape, out, {"shape": keep_shape(tuple(input.shape), rows)}) if keepdim else out


def _order(p: Any) -> float:
    """The order as a number. Raises NormOrderError for a word that names none here."""
    if p is None or p == "fro":
        return 2
    try:
        return p if isinstance(p, (int, float)) else float(p)
    except (TypeError, ValueError):
        raise NormOrderError(
            f"linalg.matrix_norm: Order {p} not supported: expected a number, inf, -inf or 'fro'"
        ) from None


def _check_some(input: Tensor, p: float, dims: tuple[int, ...] | None) -> None:
    """Raise EmptyReductionError for a norm of nothing that would have to be infinite."""
    sizes = [input.shape[d] for d in (range(rank(input)) if dims is None else dims)]
    if 0 in sizes and (p < 0 or p == inf):
        raise EmptyReductionError(
            f"linalg.vector_norm cannot compute the {p} norm on an empty tensor because the operation does not have "
            f"an identity: the shape is {list(input.shape)}"
        )

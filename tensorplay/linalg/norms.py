"""Norms of vectors and matrices, singular values, condition numbers: what `linalg` says with `ord`."""

from __future__ import annotations

from math import inf
from typing import Any

from .. import ops
from ..apply import apply, apply1
from ..errors import DTypeError, EmptyReductionError, LinAlgError, NormOrderError, ShapeError
from ..functional.common import Dim
from ..functional.decompositions import inverse
from ..functional.extremes import amax, amin
from ..functional.pointwise import abs, div, mul
from ..functional.reduction import sum
from ..functional.shaping import permute, reshape
from ..inplace import SPOKEN
from ..matrices import matrices
from ..ops.families import normal_dim, normal_dims
from ..tensor import Tensor, rank

__all__ = ["cond", "matrix_norm", "norm", "svdvals", "vector_norm"]

_WORDS = ("fro", "nuc")


def _floating(name: str, x: Tensor, dtype: Any) -> Tensor:
    """x in the dtype asked for. Raises DTypeError for whole numbers."""
    for kind, what in ((x.dtype, "Expected a floating point or complex tensor as input. Got"),
                       (dtype, "dtype should be floating point or complex, but got")):  # fmt: skip
        if kind is not None and not (kind.is_floating_point or kind.is_complex):
            raise DTypeError(f"linalg.{name}: {what} {SPOKEN.get(kind.name, kind.name)}: use x.float()")
    if dtype is None:
        return x
    if x.dtype.is_complex and not dtype.is_complex:
        raise DTypeError(f"linalg.{name}: dtype should be complex for complex inputs, but got {dtype}")
    return x.to(dtype)


def vector_norm(x: Tensor, ord: float = 2, dim: Dim = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Norm of vectors, (Σ |x|ᵒʳᵈ)^(1/ord), over `dim` or all: inf is the largest |x|, 0 counts what is not 0.

    Raises DTypeError for whole numbers, EmptyReductionError for an infinite or negative order of nothing.

    >>> import tensorplay as tp
    >>> tp.linalg.vector_norm(tp.tensor([3.0, -4.0]))
    tensor(5.)
    """
    x = _floating("vector_norm", x, dtype)
    if isinstance(ord, str):
        raise NormOrderError(f"linalg.vector_norm: Order {ord} not supported: expected a number, inf or -inf")
    dims = normal_dims(dim, rank(x))
    sizes = [x.shape[d] for d in (range(rank(x)) if dims is None else dims)]
    if 0 in sizes and (ord < 0 or ord == inf):
        raise EmptyReductionError(
            f"linalg.vector_norm cannot compute the {ord} norm on an empty tensor because the operation does not have "
            f"an identity: the shape is {list(x.shape)}"
        )
    return apply1(ops.Norm, x, {"p": ord, "dim": dims, "keepdim": keepdim})


def matrix_norm(
    A: Tensor, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: Any = None
) -> Tensor:
    """Norm of matrices: "fro" of all elements, "nuc" the sum of the singular values, 2 and -2 the largest and least.

    1 and -1 are the largest and least sum of a column of |A|, inf and -inf of a row. Raises NormOrderError,
    ShapeError, DTypeError for whole numbers.

    >>> import tensorplay as tp
    >>> tp.linalg.matrix_norm(tp.tensor([[1.0, -2.0], [3.0, 4.0]]), ord=1)
    tensor(6.)
    """
    A = _floating("matrix_norm", A, dtype)
    if rank(A) < 2:
        raise ShapeError(f"linalg.matrix_norm: The input tensor A must have at least 2 dimensions, got {list(A.shape)}")
    dims = (dim,) if isinstance(dim, int) else tuple(dim)
    if len(dims) != 2:
        raise ShapeError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {list(dims)}")
    if ord not in (*_WORDS, 1, -1, 2, -2, inf, -inf):
        raise NormOrderError(
            f"linalg.matrix_norm: Order {ord} not supported: expected 'fro', 'nuc', 1, -1, 2, -2, inf or -inf"
        )
    rows, columns = (normal_dim(d, rank(A)) for d in dims)
    if rows == columns:
        raise ShapeError(f"linalg.matrix_norm: dims must be different. Got {list(dims)}")
    if ord == "fro":
        return apply1(ops.Norm, A, {"p": 2, "dim": (rows, columns), "keepdim": keepdim})
    rest = [d for d in range(rank(A)) if d not in (rows, columns)]
    out = _of_last(permute(A, (*rest, rows, columns)), ord)
    return reshape(out, [1 if d in (rows, columns) else n for d, n in enumerate(A.shape)]) if keepdim else out


def _of_last(A: Tensor, ord: Any) -> Tensor:
    """The norm of the last two dimensions."""
    if ord in ("nuc", 2, -2):
        values = svdvals(A)
        if ord == "nuc":
            return sum(values, -1)
    else:
        values = sum(abs(A), -2 if ord in (1, -1) else -1)
    if values.shape[-1] == 0:
        if ord in ("nuc", 2, 1, inf):
            return sum(values, -1)
        raise EmptyReductionError(
            f"linalg.matrix_norm(): Expected reduction dim to have a size other than 0: the shape is {list(A.shape)}"
        )
    return (amax if ord > 0 else amin)(values, -1)


def norm(input: Tensor, ord: Any = None, dim: Dim = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """`vector_norm` of all elements or along one `dim`, `matrix_norm` for two dimensions with an order, or a matrix.

    Raises ShapeError for an order without `dim` and more than two dimensions, NormOrderError, DTypeError.

    >>> import tensorplay as tp
    >>> tp.linalg.norm(tp.tensor([[3.0, 0.0], [0.0, 4.0]]), 2)
    tensor(4.)
    """
    dims = None if dim is None else (dim,) if isinstance(dim, int) else tuple(dim)
    if ord is None:
        return vector_norm(input, 2, dims, keepdim, dtype=dtype)
    if dims is None and rank(input) not in (1, 2):
        raise ShapeError(
            f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {rank(input)}D: name dim"
        )
    if dims is not None and len(dims) > 2:
        raise ShapeError(f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {list(dims)}")
    if len(dims) == 2 if dims is not None else rank(input) == 2:
        return matrix_norm(input, ord, (0, 1) if dims is None else dims, keepdim, dtype=dtype)
    return vector_norm(input, ord, dims, keepdim, dtype=dtype)


def svdvals(A: Tensor, *, driver: str | None = None) -> Tensor:
    """Singular values of matrices, descending. `driver` is for GPUs, and refused.

    >>> import tensorplay as tp
    >>> tp.linalg.svdvals(tp.tensor([[3.0, 0.0], [0.0, 4.0]]))
    tensor([4., 3.])
    """
    if driver is not None:
        raise LinAlgError(f"linalg.svd: keyword argument `driver=` is only supported on GPUs, got {driver!r}")
    return apply(ops.Svd, matrices("svd", A), full_matrices=False)[1]


def cond(A: Tensor, p: Any = None) -> Tensor:
    """Condition number ‖A‖ · ‖A⁻¹‖: how much A can magnify a relative error; infinite for a singular matrix.

    By default, and for 2, the largest over the least singular value; for -2 the least over the largest.
    Raises ShapeError, DTypeError, and LinAlgError for a batch in which some are singular and p is neither.

    >>> import tensorplay as tp
    >>> tp.linalg.cond(tp.tensor([[8.0, 0.0], [0.0, 2.0]]))
    tensor(4.)
    """
    matrices("cond", A, square=p not in (None, 2, -2))
    if p in (None, 2, -2):
        values = svdvals(A)
        first, last = values[..., 0], values[..., -1]
        return div(last, first) if p == -2 else div(first, last)
    size = matrix_norm(A, p)
    try:
        return mul(size, matrix_norm(inverse(A), p))
    except LinAlgError:
        if rank(A) > 2:
            raise
        return size.new_tensor(inf)

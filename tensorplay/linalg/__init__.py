"""Linear algebra under PyTorch's names: `tp.linalg`. Matrices are the last two dimensions, all before is a batch.

Norms, inverses, solving, determinants, factors,  What cannot be done with a matrix, since it is singular
or not positive-definite, is a `LinAlgError` that says which matrix of the batch it is and where it fails.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .. import ops
from ..apply import apply
from ..creation import ones_like
from ..errors import DTypeError, LinAlgError, ShapeError
from ..functional import decompositions as old
from ..functional.contraction import matmul
from ..functional.cumulative import cumprod
from ..functional.decompositions import QrResult, SlogdetResult
from ..functional.joining import cat
from ..functional.pointwise import mul
from ..functional.reduction import sum
from ..functional.shaping import expand, squeeze, transpose, unsqueeze
from ..functional.strided import diagonal as diagonal_of
from ..matrices import (
    best_order,
    conjugate,
    cross_along,
    factor,
    matrices,
    mirrored,
    pseudoinverse,
    same_dtype,
    same_matrix,
)
from ..tensor import Tensor, constant, rank, wrap
from .least_squares import lstsq, matrix_rank
from .norms import cond, matrix_norm, norm, svdvals, vector_norm

__all__ = [
    "LinAlgError", "cholesky", "cond", "cross", "det", "diagonal", "eigh", "eigvalsh", "inv", "inv_ex", "lstsq",
    "matmul", "matrix_norm", "matrix_power", "matrix_rank", "multi_dot", "norm", "pinv", "qr", "slogdet",
    "solve", "solve_triangular", "svd", "svdvals", "vander", "vecdot", "vector_norm",
]  # fmt: skip


class InvExResult(NamedTuple):
    """Inverses, and for each the number of the zero on its diagonal, 0 for none."""

    inverse: Tensor
    info: Tensor


class SvdResult(NamedTuple):
    """U, the singular values, and the conjugate transpose of V."""

    U: Tensor
    S: Tensor
    Vh: Tensor


class EighResult(NamedTuple):
    """Eigenvalues, ascending, and eigenvectors as columns."""

    eigenvalues: Tensor
    eigenvectors: Tensor


# --------------------------------------------------------------------------- inverses, determinants


def inv(A: Tensor) -> Tensor:
    """Inverse of square matrices. Raises LinAlgError for a singular one, ShapeError, DTypeError.

    >>> import tensorplay as tp
    >>> tp.linalg.inv(tp.tensor([[0.0, 2.0], [1.0, 0.0]]))
    tensor([[0.0000, 1.0000],
            [0.5000, 0.0000]])
    """
    return old.inverse(A)


def inv_ex(A: Tensor, *, check_errors: bool = False) -> InvExResult:
    """Inverses with a report instead of an error: `info` is 0, or the number of the zero on the diagonal.

    The inverse of a singular matrix is then NaN. With `check_errors` LinAlgError is raised after all.

    >>> import tensorplay as tp
    >>> tp.linalg.inv_ex(tp.zeros(2, 2)).info
    tensor(1, dtype=tensorplay.int32)
    """
    matrices("inv_ex", A, square=True)
    try:
        return InvExResult(inv(A), wrap(np.zeros(tuple(A.shape[:-2]), np.int32)))
    except LinAlgError:
        if check_errors:
            raise
    from ..arrays.matrices import zero_pivot

    numbers = constant(A).numpy()
    info = np.zeros(numbers.shape[:-2], np.int32)
    for at in np.ndindex(info.shape):
        info[at] = zero_pivot(numbers[at])
    bad = wrap(info[..., None, None] != 0)
    whole = inv(A.masked_fill(bad, 0.0) + bad.to(A.dtype) * same_matrix(A))
    return InvExResult(whole.masked_fill(bad, float("nan")), wrap(info))


def det(A: Tensor) -> Tensor:
    """Determinant of square matrices.

    >>> import tensorplay as tp
    >>> tp.linalg.det(tp.eye(3) * 2)
    tensor(8.)
    """
    return old.det(A)


def slogdet(A: Tensor) -> SlogdetResult:
    """(sign, log |det|) of square matrices.

    >>> import tensorplay as tp
    >>> tp.linalg.slogdet(tp.eye(2)).logabsdet
    tensor(0.)
    """
    return old.slogdet(A)


def pinv(A: Tensor, *, atol: Any = None, rtol: Any = None, hermitian: bool = False) -> Tensor:
    """Pseudoinverse; singular values up to max(atol, rtol · the largest) are taken for 0.

    By default rtol is eps · max(m, n), or 0 where atol is given. `hermitian`: only the lower triangle is read.
    Raises LinAlgError for a tensor of several cutoffs.

    >>> import tensorplay as tp
    >>> tp.linalg.pinv(tp.tensor([[2.0, 0.0], [0.0, 0.0]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.0000]])
    """
    matrices("pinv", A, square=hermitian)
    return pseudoinverse(mirrored(A, False) if hermitian else A, atol, rtol)


# ------------------------------------------------------------------------------------------- solving


def _is_vector(A: Tensor, B: Tensor) -> bool:
    """Whether B is a vector, or one for each matrix of the batch."""
    return rank(B) == 1 or (rank(A) - 1 == rank(B) and tuple(A.shape[:-1]) == tuple(B.shape))


def solve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor:
    """The X of A · X = B (or X · A = B, if not `left`); B holds columns, or is one vector for each matrix.

    More exact, and faster, than inv(A) @ B. Raises LinAlgError for a singular A, ShapeError, DTypeError.

    >>> import tensorplay as tp
    >>> tp.linalg.solve(tp.tensor([[2.0, 0.0], [0.0, 4.0]]), tp.tensor([2.0, 2.0]))
    tensor([1.0000, 0.5000])
    """
    matrices("solve", A, square=True)
    same_dtype("linalg.solve", A, B)
    if _is_vector(A, B):
        _fits("solve", A, unsqueeze(B, -1), left=True)
        return squeeze(apply(ops.Solve, A, unsqueeze(B, -1)), -1)
    matrices("solve", B)
    _fits("solve", A, B, left)
    if left:
        return apply(ops.Solve, A, B)
    return transpose(apply(ops.Solve, transpose(A, -2, -1), transpose(B, -2, -1)), -2, -1)


def _fits(name: str, A: Tensor, B: Tensor, left: bool) -> None:
    if A.shape[-1] != B.shape[-2 if left else -1]:
        equation, sizes = ("AX", (A, B)) if left else ("XA", (A, B))
        shapes = " and ".join(f"{x.shape[-2]}x{x.shape[-1]}" for x in sizes)
        raise ShapeError(f"linalg.{name}: Incompatible shapes of A and B for the equation {equation} = B ({shapes})")


def solve_triangular(A: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False) -> Tensor:
    """The X of A · X = B (or X · A = B, if not `left`) for triangular A; the other triangle is not read.

    With `unitriangular` the diagonal is taken to be 1 and is not read. A zero there gives infinities and NaN.

    >>> import tensorplay as tp
    >>> tp.linalg.solve_triangular(tp.tensor([[2.0, 1.0], [0.0, 1.0]]), tp.tensor([[4.0], [2.0]]), upper=True)
    tensor([[1.],
            [2.]])
    """
    matrices("solve_triangular", A, square=True)
    if rank(B) < 2:
        raise ShapeError(
            f"linalg.solve_triangular: The input tensor B must have at least 2 dimensions, got {list(B.shape)}"
        )
    same_dtype("linalg.solve_triangular", A, B)
    _fits("solve_triangular", A, B, left)
    how = {"upper": upper == left, "unitriangular": unitriangular}
    if left:
        return apply(ops.SolveTriangular, A, B, **how)
    return transpose(apply(ops.SolveTriangular, transpose(A, -2, -1), transpose(B, -2, -1), **how), -2, -1)


# ------------------------------------------------------------------------------------------- factors


def cholesky(A: Tensor, *, upper: bool = False) -> Tensor:
    """Lower triangular L with A = L · Lᴴ, or Lᴴ with `upper`. Raises LinAlgError unless A is positive-definite.

    Only that triangle of A is read; the gradient is Hermitian.

    >>> import tensorplay as tp
    >>> tp.linalg.cholesky(tp.tensor([[4.0, 2.0], [2.0, 2.0]]), upper=True)
    tensor([[2., 1.],
            [0., 1.]])
    """
    return factor("cholesky", A, upper)


def qr(A: Tensor, mode: str = "reduced") -> QrResult:
    """(Q, R) with A = Q · R: "reduced" or "complete" columns of Q, or only R for "r" (then Q is empty).

    Backward of "complete" raises LinAlgError for more rows than columns: the added ones are arbitrary.

    >>> import tensorplay as tp
    >>> tp.linalg.qr(tp.ones(3, 2), "complete").Q.shape
    (3, 3)
    """
    if mode not in ("reduced", "complete", "r"):
        raise LinAlgError(
            f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or 'complete'"
        )
    q, r = apply(ops.Qr, matrices("qr", A), mode="complete" if mode == "complete" else "reduced")
    return QrResult(wrap(np.zeros(0, A.dtype.numpy)) if mode == "r" else q, r)


def svd(A: Tensor, full_matrices: bool = True, *, driver: str | None = None) -> SvdResult:
    """(U, S, Vᴴ) with A = U · diag(S) · Vᴴ, S descending; square U and V with `full_matrices`.

    Vectors are known up to a sign or phase, and added ones are arbitrary: a loss should not depend on that. Their
    gradient is infinite where singular values are equal. `driver` is for GPUs, and refused.

    >>> import tensorplay as tp
    >>> tp.linalg.svd(tp.tensor([[3.0, 0.0], [0.0, 4.0]])).S
    tensor([4., 3.])
    """
    if driver is not None:
        raise LinAlgError(f"linalg.svd: keyword argument `driver=` is only supported on GPUs, got {driver!r}")
    return SvdResult(*apply(ops.Svd, matrices("svd", A), full_matrices=full_matrices))


def _triangle(name: str, A: Tensor, UPLO: str) -> Tensor:
    if str(UPLO).upper() not in ("L", "U"):
        raise LinAlgError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}: it says which triangle is read")
    return mirrored(matrices(name, A, square=True), UPLO.upper() == "U")


def eigh(A: Tensor, UPLO: str = "L") -> EighResult:
    """Eigenvalues, ascending, and eigenvectors of Hermitian matrices: A = V · diag(λ) · Vᴴ.

    Only one triangle is read; the gradient is Hermitian. Vectors are known up to a sign or phase, and their gradient
    is infinite where eigenvalues are equal.

    >>> import tensorplay as tp
    >>> tp.linalg.eigh(tp.tensor([[2.0, 1.0], [1.0, 2.0]])).eigenvalues
    tensor([1., 3.])
    """
    return EighResult(*apply(ops.Eigh, _triangle("eigh", A, UPLO)))


def eigvalsh(A: Tensor, UPLO: str = "L") -> Tensor:
    """Eigenvalues of Hermitian matrices, ascending; one triangle is read.

    >>> import tensorplay as tp
    >>> tp.linalg.eigvalsh(tp.tensor([[2.0, 1.0], [1.0, 2.0]]))
    tensor([1., 3.])
    """
    return apply(ops.Eigh, _triangle("eigvalsh", A, UPLO))[0]


# ------------------------------------------------------------------------------------------ products


def matrix_power(A: Tensor, n: int) -> Tensor:
    """Product of n copies of square matrices; the identity for 0, of the inverse for n < 0.

    >>> import tensorplay as tp
    >>> tp.linalg.matrix_power(tp.eye(2) * 2, 3)
    tensor([[8., 0.],
            [0., 8.]])
    """
    return old.matrix_power(A, n)


def multi_dot(tensors: Any) -> Tensor:
    """Product of matrices in the order of brackets that needs the fewest multiplications; the ends may be vectors.

    >>> import tensorplay as tp
    >>> tp.linalg.multi_dot([tp.ones(2), tp.ones(2, 3), tp.ones(3)])
    tensor(6.)
    """
    tensors = list(tensors)
    if len(tensors) < 2:
        raise ShapeError(f"multi_dot(): expected at least 2 tensors but got {len(tensors)}")
    row, column = rank(tensors[0]) == 1, rank(tensors[-1]) == 1
    if row:
        tensors[0] = unsqueeze(tensors[0], 0)
    if column:
        tensors[-1] = unsqueeze(tensors[-1], 1)
    for number, tensor in enumerate(tensors):
        if rank(tensor) != 2:
            raise ShapeError(f"multi_dot(): tensor {number} must be 2D but got {rank(tensor)}D")
    out = best_order(tensors)
    out = squeeze(out, -1) if column else out
    return squeeze(out, 0) if row else out


def vecdot(x: Tensor, y: Tensor, *, dim: int = -1) -> Tensor:
    """Σ conj(x) · y along one dimension; the others broadcast. Raises DTypeError for whole numbers.

    >>> import tensorplay as tp
    >>> tp.linalg.vecdot(tp.ones(2, 3), tp.ones(3))
    tensor([3., 3.])
    """
    if not (x.dtype.is_floating_point or x.dtype.is_complex):
        raise DTypeError(f"linalg.vecdot: Expected a floating point or complex tensor as input. Got {x.dtype}")
    return sum(mul(conjugate(x), y), dim)


def cross(input: Tensor, other: Tensor, *, dim: int = -1) -> Tensor:
    """Cross product of vectors of three numbers along `dim`; the other dimensions broadcast.

    >>> import tensorplay as tp
    >>> tp.linalg.cross(tp.tensor([1.0, 0.0, 0.0]), tp.tensor([0.0, 1.0, 0.0]))
    tensor([0., 0., 1.])
    """
    return cross_along(input, other, dim)


def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """The diagonals of matrices, as a last dimension: a view.

    >>> import tensorplay as tp
    >>> tp.linalg.diagonal(tp.ones(4, 2, 3)).shape
    (4, 2)
    """
    return diagonal_of(A, offset, dim1, dim2)


def vander(x: Tensor, N: int | None = None) -> Tensor:
    """Powers 0 to N - 1 of the elements of vectors, (…, n) -> (…, n, N); N is n unless given.

    >>> import tensorplay as tp
    >>> tp.linalg.vander(tp.tensor([2, 3]), N=3)
    tensor([[1, 2, 4],
            [1, 3, 9]])
    """
    if x.dtype.name in ("bool", "float16", "bfloat16"):
        raise DTypeError(
            f"linalg.vander supports floating point, complex, and integer tensors, but got {x.dtype}: use x.float()"
        )
    if rank(x) == 0:
        raise ShapeError("linalg.vander: Expected dim of x to be at least 1, got a single number")
    size = x.shape[-1] if N is None else N
    if size <= 1 and N is not None:
        raise ShapeError(f"linalg.vander: N must be greater than 1, got {N}")
    column = unsqueeze(x, -1)
    if size <= 1:
        return ones_like(column)
    powers = cumprod(expand(column, (*x.shape, size - 1)), -1)
    return cat((ones_like(column).to(powers.dtype), powers), -1)

"""Inverses, determinants and factors of matrices, under the names that PyTorch has outside `linalg`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .. import ops
from ..apply import apply, apply1
from ..errors import ArgumentTypeError
from ..matrices import adjoint, factor, matrices, pseudoinverse, same_matrix
from ..tensor import Tensor, constant, rank, wrap
from .contraction import matmul
from .elementary import log
from .pointwise import add, clone, where

__all__ = [
    "cholesky", "det", "inverse", "logdet", "matrix_power", "pinverse", "qr", "slogdet", "svd",
]  # fmt: skip


class SlogdetResult(NamedTuple):
    """The sign of a determinant (a phase, for complex numbers) and the logarithm of its size."""

    sign: Tensor
    logabsdet: Tensor


class QrResult(NamedTuple):
    """Orthonormal columns and an upper triangle."""

    Q: Tensor
    R: Tensor


class OldSvdResult(NamedTuple):
    """U, the singular values, and V itself, not its conjugate transpose."""

    U: Tensor
    S: Tensor
    V: Tensor


# --------------------------------------------------------------------------- inverses, determinants


def inverse(input: Tensor) -> Tensor:
    """Inverse of square matrices, x · x⁻¹ = 1; leading dimensions are a batch.

    Raises LinAlgError for a singular matrix, ShapeError for one that is not square, DTypeError for whole numbers.

    >>> import tensorplay as tp
    >>> tp.inverse(tp.tensor([[2.0, 0.0], [0.0, 4.0]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.2500]])
    """
    return apply1(ops.Inverse, matrices("inv", input, square=True))


def det(input: Tensor) -> Tensor:
    """Determinant of square matrices, (…, n, n) -> (…). A singular matrix has a gradient too: its cofactors.

    Raises ShapeError for a matrix that is not square, DTypeError for whole numbers.

    >>> import tensorplay as tp
    >>> tp.det(tp.tensor([[2.0, 1.0], [0.0, 4.0]]))
    tensor(8.)
    """
    return apply(ops.Det, matrices("det", input, square=True))


def slogdet(input: Tensor) -> SlogdetResult:
    """(sign, log |det|) of square matrices: for determinants too large or too small for their dtype.

    Raises ShapeError for a matrix that is not square, DTypeError for whole numbers.

    >>> import tensorplay as tp
    >>> tp.slogdet(-tp.eye(3)).sign
    tensor(-1.)
    """
    return SlogdetResult(*apply(ops.Slogdet, matrices("slogdet", input, square=True)))


def logdet(input: Tensor) -> Tensor:
    """Logarithm of the determinant of square matrices: NaN where it is negative, -inf where it is 0.

    Raises ShapeError for a matrix that is not square, DTypeError for whole numbers.

    >>> import tensorplay as tp
    >>> tp.logdet(tp.eye(3))
    tensor(0.)
    """
    sign, size = slogdet(input)
    if input.dtype.is_complex:
        return add(log(sign), size)
    negative: Any = constant(sign) == -1
    return where(negative, float("nan"), size)


def matrix_power(input: Tensor, n: int) -> Tensor:
    """Product of n copies of square matrices, by repeated squaring; the identity for 0, of the inverse for n < 0.

    Raises ShapeError for a matrix that is not square, LinAlgError for n < 0 and a singular one.

    >>> import tensorplay as tp
    >>> tp.matrix_power(tp.tensor([[1.0, 1.0], [0.0, 1.0]]), 5)
    tensor([[1., 5.],
            [0., 1.]])
    """
    if not isinstance(n, int) or isinstance(n, bool):
        raise ArgumentTypeError(f"matrix_power(): argument 'n' (position 2) must be int, not {type(n).__name__}")
    if rank(input) < 2 or input.shape[-1] != input.shape[-2]:
        matrices("matrix_power", input.float() if input.dtype.name.startswith(("int", "uint")) else input, square=True)
    if n == 0:
        return clone(same_matrix(input))
    factor, out = inverse(input) if n < 0 else input, None
    left = -n if n < 0 else n
    while True:
        if left & 1:
            out = factor if out is None else matmul(out, factor)
        left >>= 1
        if not left:
            return clone(out) if out is input else out  # type: ignore[return-value]
        factor = matmul(factor, factor)


def pinverse(input: Tensor, rcond: float = 1e-15) -> Tensor:
    """Pseudoinverse of matrices of any shape; singular values up to rcond · the largest are taken for 0.

    Raises DTypeError for whole numbers, ShapeError for a vector.

    >>> import tensorplay as tp
    >>> tp.pinverse(tp.tensor([[2.0], [0.0]]))
    tensor([[0.5000, 0.0000]])
    """
    return pseudoinverse(input, None, rcond)


# --------------------------------------------------------------------------------------------- factors


def cholesky(input: Tensor, upper: bool = False) -> Tensor:
    """Lower triangular L with x = L · Lᴴ, of Hermitian positive-definite matrices; with `upper` its transpose.

    Only that triangle of x is read; the gradient is Hermitian. Raises LinAlgError unless x is positive-definite,
    ShapeError for a matrix that is not square, DTypeError for whole numbers.

    >>> import tensorplay as tp
    >>> tp.cholesky(tp.tensor([[4.0, 2.0], [2.0, 2.0]]))
    tensor([[2., 0.],
            [1., 1.]])
    """
    return factor("cholesky", input, upper)


def qr(input: Tensor, some: bool = True) -> QrResult:
    """(Q, R) with x = Q · R, orthonormal columns and an upper triangle; all columns of Q if not `some`.

    Raises DTypeError for whole numbers, ShapeError for a vector.

    >>> import tensorplay as tp
    >>> tp.qr(tp.ones(3, 2)).R.shape
    (2, 2)
    """
    return QrResult(*apply(ops.Qr, matrices("qr", input), mode="reduced" if some else "complete"))


def svd(input: Tensor, some: bool = True, compute_uv: bool = True) -> OldSvdResult:
    """(U, S, V) with x = U · diag(S) · Vᴴ; square U and V if not `some`, zeros if not `compute_uv`.

    `linalg.svd` gives Vᴴ instead. Raises DTypeError for whole numbers, ShapeError for a vector.

    >>> import tensorplay as tp
    >>> tp.svd(tp.tensor([[3.0, 0.0], [0.0, 4.0]])).S
    tensor([4., 3.])
    """
    matrices("svd", input)
    if compute_uv:
        u, s, vh = apply(ops.Svd, input, full_matrices=not some)
        return OldSvdResult(u, s, adjoint(vh))
    s = apply(ops.Svd, input, full_matrices=False)[1]
    *lead, m, n = input.shape
    u, v = (wrap(np.zeros((*lead, size, size), input.dtype.numpy)) for size in (m, n))
    return OldSvdResult(u, s, v)

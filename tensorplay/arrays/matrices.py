"""Matrices in NumPy's LAPACK: solving, determinants, factors. Leading dimensions are a batch.

What LAPACK reports as a bare failure becomes an error that says which matrix failed, and where: looked for only
after the failure, with SciPy.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..errors import LinAlgError

__all__ = [
    "cholesky", "cofactor", "det", "eigh", "inv", "qr", "slogdet", "solve", "solve_triangular", "svd",
]  # fmt: skip

Array = np.ndarray[Any, Any]


# ------------------------------------------------------------------------------------------- failures


def _first(x: Array, failure: Any) -> tuple[str, int]:
    """Where the first matrix fails: in words for a batch, and the number that `failure` finds (0 for none)."""
    for at in np.ndindex(x.shape[:-2]):
        number = failure(x[at])
        if number:
            place = int(np.ravel_multi_index(at, x.shape[:-2])) if at else 0
            return f"(Batch element {place}): " if at else "", number
    return "", 0


def zero_pivot(matrix: Array) -> int:
    """The number, from 1, of the first zero on the diagonal of U in P·L·U; 0 if there is none."""
    from scipy.linalg import lu_factor

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pivots = lu_factor(matrix, check_finite=False)[0].diagonal()
    zeros = np.flatnonzero(pivots == 0)
    return int(zeros[0]) + 1 if zeros.size else 0


def _minor(matrix: Array) -> int:
    """The order of the first leading minor that is not positive."""
    from scipy.linalg import lapack

    name = {"f": "spotrf", "d": "dpotrf", "F": "cpotrf", "D": "zpotrf"}[matrix.dtype.char]
    return int(getattr(lapack, name)(matrix, lower=1)[1])


def _singular(name: str, x: Array, what: str) -> LinAlgError:
    where, number = _first(x, zero_pivot)
    return LinAlgError(
        f"linalg.{name}: {where}The diagonal element {number} is zero, {what} because the input matrix is singular: "
        f"its rows depend on each other. Check the matrix (tp.linalg.matrix_rank), or use tp.linalg.pinv or lstsq"
    )


def _where_finite(function: Any, x: Array) -> Any:
    """The factors of the matrices; all NaN for those with an infinity or NaN, which LAPACK gives up on."""
    finite: Any = np.isfinite(x).all((-2, -1))
    if finite.all():
        return tuple(function(x))
    outs = tuple(function(np.where(finite[..., None, None], x, x.dtype.type(0))))
    for out in outs:
        out[~finite] = np.nan
    return outs


# ---------------------------------------------------------------------------- inverses and determinants


def inv(x: Array) -> Array:
    """The inverse; LinAlgError for a singular matrix."""
    try:
        return np.linalg.inv(x)
    except np.linalg.LinAlgError:
        raise _singular("inv", x, "the inversion could not be completed") from None


def solve(a: Array, b: Array) -> Array:
    """The X of a X = b; LinAlgError for a singular a."""
    try:
        return np.linalg.solve(a, b)
    except np.linalg.LinAlgError:
        raise _singular("solve", a, "the solver failed") from None


def solve_triangular(a: Array, b: Array, upper: bool, unitriangular: bool) -> Array:
    """By LAPACK's general solver, which finds nothing to eliminate below an upper triangle; a lower one is turned."""
    a = np.triu(a) if upper else np.tril(a)
    if unitriangular:
        a[..., range(a.shape[-1]), range(a.shape[-1])] = 1
    if not upper:
        a, b = a[..., ::-1, ::-1], b[..., ::-1, :]
    try:
        out = np.linalg.solve(a, b)
    except np.linalg.LinAlgError:
        out = _back_substituted(a, b)
    return out if upper else out[..., ::-1, :]


@np.errstate(all="ignore")
def _back_substituted(a: Array, b: Array) -> Array:
    """Row by row from below; a zero on the diagonal makes infinities and NaN."""
    n = a.shape[-1]
    lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    out = np.array(np.broadcast_to(b, (*lead, *b.shape[-2:])), np.result_type(a, b))
    for i in range(n - 1, -1, -1):
        known = (a[..., i : i + 1, i + 1 :] @ out[..., i + 1 :, :])[..., 0, :]
        out[..., i, :] = (out[..., i, :] - known) / a[..., i, i][..., None]
    return out


@np.errstate(all="ignore")
def det(x: Array) -> Array:
    """The determinant."""
    return np.asarray(np.linalg.det(x))


@np.errstate(all="ignore")
def slogdet(x: Array) -> tuple[Array, Array]:
    """Sign and logarithm of the determinant."""
    sign, size = np.linalg.slogdet(x)
    return np.asarray(sign), np.asarray(size)


def cofactor(x: Array) -> Array:
    """The derivative of the determinant, det(x) x⁻ᵀ where there is an inverse; from U S Vᴴ, so that none is needed."""
    u, s, vh = np.linalg.svd(x)
    ones = np.ones_like(s[..., :1])
    before = np.cumprod(np.concatenate([ones, s], -1), -1)[..., :-1]
    after = np.cumprod(np.concatenate([ones, s[..., ::-1]], -1), -1)[..., :-1][..., ::-1]
    turn = np.asarray(np.linalg.det(u) * np.linalg.det(vh)).conj()[..., None, None]
    return np.conj(turn * ((u * (before * after)[..., None, :]) @ vh)).astype(x.dtype, copy=False)


# ---------------------------------------------------------------------------------------------- factors


def cholesky(x: Array) -> Array:
    """The lower factor; LinAlgError unless x is positive-definite."""
    try:
        return np.linalg.cholesky(x)
    except np.linalg.LinAlgError:
        where, order = _first(x, _minor)
        raise LinAlgError(
            f"linalg.cholesky: {where}The factorization could not be completed because the input is not "
            f"positive-definite (the leading minor of order {order} is not positive-definite). A covariance matrix "
            f"may be so by rounding: add a small multiple of the identity, x + 1e-6 * tp.eye(n)"
        ) from None


def qr(x: Array, mode: str) -> tuple[Array, Array]:
    """Orthonormal columns and an upper triangle."""
    how: Any = mode
    q, r = np.linalg.qr(x, how)
    return q, r


def svd(x: Array, full_matrices: bool) -> tuple[Array, Array, Array]:
    """U, S and Vᴴ; LinAlgError for NaN."""
    if np.isnan(x).any():
        raise LinAlgError(
            f"linalg.svd: The algorithm failed to converge because the input matrix contained non-finite values: "
            f"{int(np.isnan(x).sum())} of {x.size} elements are NaN. Find out where they come from (tp.isnan)"
        )
    return _where_finite(lambda y: np.linalg.svd(y, full_matrices), x)


def eigh(x: Array) -> tuple[Array, Array]:
    """Eigenvalues and eigenvectors, from the lower triangle."""
    return _where_finite(np.linalg.eigh, x)

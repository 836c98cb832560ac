"""Inverses, determinants and factors of matrices. Leading dimensions are a batch.

The rules are those of the literature on matrix derivatives; each class names its source.
"""

from __future__ import annotations

from math import prod
from typing import Any

from ..errors import LinAlgError
from .base import Op, arg, bad, ok
from .families import broadcast_shapes, complex_numbers

__all__ = [
    "Cholesky", "Cofactor", "Decomposition", "Det", "Eigh", "Inverse", "Pinv", "Qr", "Slogdet", "Solve",
    "SolveTriangular", "Svd",
]  # fmt: skip

# Matrices that stay invertible when their elements change places.
_SQUARE = arg(2, 2, values=[[3.0, 1.0], [0.5, 2.0]])
_THREE = arg(3, 3, values=[[4.0, 1.1, -0.6], [0.8, 3.0, 0.3], [-0.9, 0.5, 2.0]])
_STACK = arg(2, 2, 2, values=[[[3.0, 1.0], [0.5, 2.0]], [[-2.0, 0.4], [1.2, 2.5]]])
_SINGULAR = arg(2, 2, values=[[1.0, 2.0], [2.0, 4.0]])
_NONE = arg(0, 0)
_POSITIVE = arg(2, 2, values=[[3.0, 1.0], [0.5, 2.0]])
_POSITIVES = arg(2, 3, 3, values=[[[4.0, 1.1, -0.6], [0.8, 3.0, 0.3], [-0.9, 0.5, 2.0]]] * 2)


class Decomposition(Op, abstract=True):
    """Matrices (…, m, n) taken apart, or solved with."""

    family = "decomposition"


# --------------------------------------------------------------------------------- pieces of the rules


def _h(xp: Any, x: Any) -> Any:
    return xp.T(xp.conj(x))


def _mask(xp: Any, rows: int, columns: int) -> tuple[Any, Any]:
    """The numbers of the rows and of the columns, as a column and a row."""
    return xp.reshape(xp.arange(rows), (rows, 1)), xp.reshape(xp.arange(columns), (1, columns))


def _on_diagonal(xp: Any, x: Any, other: Any) -> Any:
    """x on the diagonal, `other` elsewhere; either may be a number."""
    shape = x.shape if hasattr(x, "shape") else other.shape
    i, j = _mask(xp, shape[-2], shape[-1])
    return xp.where(i == j, x, other)


def _diagonal_matrix(xp: Any, x: Any) -> Any:
    """The matrices that have the last dimension of x as their diagonal."""
    n = x.shape[-1]
    return _on_diagonal(xp, xp.expand(xp.reshape(x, (*x.shape, 1)), (*x.shape, n)), 0.0)


def _hermitian(xp: Any, x: Any) -> Any:
    return (x + _h(xp, x)) / 2


def _mirrored(xp: Any, x: Any) -> Any:
    """The lower triangle and its mirror image, with a real diagonal."""
    i, j = _mask(xp, x.shape[-2], x.shape[-1])
    low = xp.where(i > j, x, 0.0)
    return low + _h(xp, low) + _on_diagonal(xp, _hermitian(xp, x), 0.0)


def _row(xp: Any, x: Any) -> Any:
    return xp.reshape(x, (*x.shape[:-1], 1, x.shape[-1]))


def _column(xp: Any, x: Any) -> Any:
    return xp.reshape(x, (*x.shape, 1))


def _numbers(xp: Any, x: Any) -> Any:
    """One number for each matrix, as matrices of one element."""
    return xp.reshape(x, (*x.shape, 1, 1))


# ------------------------------------------------------------------------------------ inverses, solving


class Inverse(Decomposition):
    """The inverse of square matrices. d(x⁻¹) = -x⁻¹ dx x⁻¹ (Petersen and Pedersen, The Matrix Cookbook, eq. 40)."""

    label, formula = "inv", r"x^{-1}"
    local = {"x": "-outᵀ · g · outᵀ"}
    samples = [ok(_SQUARE), ok(_STACK), ok(_NONE), bad("LinAlgError", "The diagonal element 2 is zero", _SINGULAR)]

    def forward(xp, x):
        return xp.inv(x)

    def d_x(xp, g, out):
        t = _h(xp, out)
        return -(t @ g @ t)


class Solve(Decomposition):
    """The X of A X = B. The gradient of B is A⁻ᵀ g, that of A is -A⁻ᵀ g Xᵀ (Giles 2008, section 2.3.1)."""

    label, formula = "solve", r"a^{-1} b"
    promote = True
    local = {"a": "-(a⁻ᵀ · g) · outᵀ", "b": "a⁻ᵀ · g"}
    samples = [
        ok(_SQUARE, arg(2, 3)),
        ok(_STACK, arg(2, 1)),
        ok(_SQUARE, arg(3, 2, 2)),
        ok(_NONE, arg(0, 2)),
        bad("LinAlgError", "the input matrix is singular", _SINGULAR, arg(2, 1)),
    ]

    def forward(xp, a, b):
        return xp.solve(a, b)

    def d_a(xp, g, a, out):
        return xp.sum_to(-(xp.solve(_h(xp, a), g) @ _h(xp, out)), a.shape)

    def d_b(xp, g, a, b_shape):
        return xp.sum_to(xp.solve(_h(xp, a), g), b_shape)

    @classmethod
    def explain(cls, arrays, params, error):
        return _lead_error(arrays, error)


def _lead_error(arrays: Any, error: Exception) -> Exception:
    """The error of leading dimensions that do not fit, or the error itself."""
    try:
        broadcast_shapes(tuple(arrays[0].shape[:-2]), tuple(arrays[1].shape[:-2]))
    except Exception as clearer:
        return clearer
    return error


class SolveTriangular(Decomposition):
    """The X of A X = B for triangular A: the rules of `Solve`, kept to the triangle (Giles 2008, section 2.3.1)."""

    label, formula = "solve_triangular", r"a^{-1} b"
    promote = True
    local = {"a": "-(a⁻ᵀ · g) · outᵀ, its triangle", "b": "a⁻ᵀ · g"}
    samples = [
        ok(_THREE, arg(3, 2), upper=True, unitriangular=False),
        ok(_STACK, arg(2, 1), upper=False, unitriangular=False),
        ok(_SQUARE, arg(3, 2, 2), upper=True, unitriangular=True),
        ok(_NONE, arg(0, 2), upper=False, unitriangular=False),
    ]

    def forward(xp, a, b, *, upper, unitriangular):
        return xp.solve_triangular(a, b, upper, unitriangular)

    def d_a(xp, g, a, out, upper, unitriangular):
        full = -(xp.solve_triangular(_h(xp, a), g, not upper, unitriangular) @ _h(xp, out))
        i, j = _mask(xp, a.shape[-1], a.shape[-1])
        i, j = (i, j) if upper else (j, i)
        return xp.sum_to(xp.where(i < j if unitriangular else i <= j, full, 0.0), a.shape)

    def d_b(xp, g, a, b_shape, upper, unitriangular):
        return xp.sum_to(xp.solve_triangular(_h(xp, a), g, not upper, unitriangular), b_shape)

    @classmethod
    def explain(cls, arrays, params, error):
        return _lead_error(arrays, error)


class Pinv(Decomposition):
    """The pseudoinverse, singular values up to the cutoff taken for 0 (Golub and Pereyra 1973, eq. 4.12)."""

    label, formula = "pinv", r"x^{+}"
    local = {"x": "-Pᵀ g Pᵀ + (1 - xP) gᵀ P Pᵀ + Pᵀ P gᵀ (1 - Px), P = out"}
    samples = [
        ok(arg(3, 2, values=[[3.0, 0.5], [1.0, 2.0], [-0.7, 1.5]]), atol=0.0, rtol=1e-9),
        ok(arg(2, 2, 3), atol=0.0, rtol=1e-9),
        ok(_SQUARE, atol=0.01, rtol=0.0),
        ok(arg(0, 3), atol=0.0, rtol=1e-9),
    ]

    def forward(xp, x, *, atol, rtol):
        u, s, vh = xp.svd(x, False)
        if prod(s.shape) == 0:
            return xp.reshape(xp.T(xp.copy(x)), (*x.shape[:-2], x.shape[-1], x.shape[-2]))
        cutoff = xp.maximum(xp.amax(s, (len(s.shape) - 1,), True) * rtol, atol)
        weights = xp.where(s > cutoff, xp.div(1, xp.where(s > cutoff, s, 1.0)), 0.0)
        return _h(xp, vh) @ (_column(xp, weights) * _h(xp, u))

    def d_x(xp, g, x, out):
        p, t, gt = out, _h(xp, out), _h(xp, g)
        right, left = gt @ p @ t, t @ p @ gt
        return right - x @ (p @ right) + left - (left @ p) @ x - t @ g @ t


# ---------------------------------------------------------------------------------------- determinants


class Det(Decomposition):
    """The determinant. Its derivative is the matrix of cofactors (Jacobi; Magnus and Neudecker 2019, chapter 8)."""

    label, formula = "det", r"\det x"
    fits = True  # the result has another shape than x: for the general path
    local = {"x": "g · the cofactors of x"}
    samples = [ok(_SQUARE), ok(_THREE), ok(_STACK), ok(_NONE)]

    def forward(xp, x):
        return xp.det(x)

    def d_x(xp, g, x):
        return _numbers(xp, g) * xp.conj(xp.cofactor(x))


class Cofactor(Decomposition):
    """The cofactors of square matrices, det(x) x⁻ᵀ, for singular ones too. Their own derivative needs the inverse."""

    label, formula = "cof", r"\det(x)\, x^{-\top}"
    local = {"x": "(Σ g · out) x⁻ᵀ - out · gᵀ · x⁻ᵀ"}
    samples = [ok(_SQUARE), ok(_THREE), ok(_STACK)]

    def forward(xp, x):
        return xp.cofactor(x)

    def d_x(xp, g, x, out):
        rank = len(x.shape)
        out, t = xp.conj(out), _h(xp, xp.inv(x))
        return xp.sum(g * out, (rank - 2, rank - 1), True) * t - out @ xp.T(g) @ t


class Slogdet(Decomposition):
    """The sign of the determinant and the logarithm of its size; d log det x = tr(x⁻¹ dx) (Matrix Cookbook, eq. 43)."""

    label, formula = "slogdet", r"\mathrm{sign}, \log \lvert \det x \rvert"
    outputs = ("sign", "logabsdet")
    local = {"x": "g · x⁻ᵀ"}
    samples = [ok(_SQUARE), ok(_THREE), ok(_STACK), ok(_NONE)]

    def forward(xp, x):
        return xp.slogdet(x)

    def backward(xp, g, x, sign):
        slope = g[1]
        if complex_numbers(x):
            turn = xp.conj(g[0]) * sign
            slope = slope - (turn - xp.conj(turn)) / 2
        else:  # a real sign moves in jumps; its gradient still has the graph of g
            slope = slope + g[0] * 0
        return (_numbers(xp, slope) * _h(xp, xp.inv(x)),)


# --------------------------------------------------------------------------------------------- factors


class Cholesky(Decomposition):
    """The lower triangular L of x = L Lᴴ, of the Hermitian part of x (Murray 2016, eq. 8)."""

    label, formula = "cholesky", r"L, x = L L^{\top}"
    local = {"x": "½ L⁻ᵀ · mirrored(Lᵀ g) · L⁻¹"}
    samples = [
        ok(_POSITIVE),
        ok(_POSITIVES),
        ok(_NONE),
        bad("LinAlgError", "the leading minor of order 2 is not positive-definite", _SINGULAR),
    ]

    def forward(xp, x):
        return xp.cholesky(_hermitian(xp, x))

    def d_x(xp, g, out):
        up = _h(xp, out)
        half = xp.solve_triangular(up, _mirrored(xp, up @ g) / 2, True, False)
        return _h(xp, xp.solve_triangular(up, _h(xp, half), True, False))


class Qr(Decomposition):
    """Orthonormal Q and upper triangular R with x = Q R (Walter and Lehmann 2010; Liao, Liu, Wang and Xiang 2019)."""

    label, formula = "qr", r"Q, R, x = Q R"
    outputs = ("q", "r")
    local = {"x": "(g_Q + Q mirrored(R g_Rᵀ - g_Qᵀ Q)) R⁻ᵀ"}
    samples = [
        ok(_THREE, mode="reduced"),
        ok(arg(3, 2, values=[[3.0, 0.5], [1.0, 2.0], [-0.7, 1.5]]), mode="reduced"),
        ok(arg(2, 2, 3, values=[[[3.0, 0.5, 1.0], [1.0, 2.0, -0.7]]] * 2), mode="complete"),
        ok(arg(0, 2), mode="reduced"),
    ]

    def forward(xp, x, *, mode):
        return xp.qr(x, mode)

    def backward(xp, g, x, q, r, mode):
        gq, gr = g
        rows, columns = x.shape[-2], x.shape[-1]
        if mode == "complete" and rows > columns:
            raise LinAlgError(
                "The QR decomposition is not differentiable when mode='complete' and nrows > ncols, here "
                f"{rows} > {columns}: the added columns of Q are any that complete it. Use mode='reduced'"
            )
        if rows >= columns:
            return (_tall(xp, gq, gr, q, r),)
        left, right = (..., slice(rows)), (..., slice(rows, columns))
        more = gq + xp.index(x, right) @ _h(xp, xp.index(gr, right))
        first = _tall(xp, more, xp.index(gr, left), q, xp.index(r, left))
        return (xp.cat([first, q @ xp.index(gr, right)], len(x.shape) - 1),)


def _tall(xp: Any, gq: Any, gr: Any, q: Any, r: Any) -> Any:
    """The rule for at least as many rows as columns."""
    inner = gq + q @ _mirrored(xp, r @ _h(xp, gr) - _h(xp, gq) @ q)
    return _h(xp, xp.solve_triangular(r, _h(xp, inner), True, False))


def _gaps(xp: Any, x: Any) -> Any:
    """x[j] - x[i] of the numbers of the last dimension, 1 on the diagonal."""
    return _on_diagonal(xp, 1.0, _row(xp, x) - _column(xp, x))


class Eigh(Decomposition):
    """Eigenvalues, ascending, and eigenvectors of the Hermitian part of x (Giles 2008, section 3.1)."""

    label, formula = "eigh", r"\lambda, V, x = V \Lambda V^{\top}"
    outputs, none_ok = ("eigenvalues", "eigenvectors"), True
    local = {"x": "V (g_λ + (Vᵀ g_V) / (λⱼ - λᵢ)) Vᵀ"}
    samples = [ok(_SQUARE), ok(_POSITIVES), ok(_NONE)]

    def forward(xp, x):
        return xp.eigh(_hermitian(xp, x))

    def backward(xp, g, eigenvalues, eigenvectors):
        gl, gv = g
        turned = _h(xp, eigenvectors)
        inner = 0.0 if gl is None else _diagonal_matrix(xp, gl)
        if gv is not None:
            inner = inner + _on_diagonal(xp, 0.0, (turned @ gv) / _gaps(xp, eigenvalues))
        return (_hermitian(xp, eigenvectors @ _like(xp, inner, gv, eigenvectors) @ turned),)


def _like(xp: Any, inner: Any, given: Any, factor: Any) -> Any:
    """The inner matrix in the dtype of the factors around it."""
    return inner if given is not None or not complex_numbers(factor) else inner + factor * 0


class Svd(Decomposition):
    """x = U diag(S) Vᴴ, S descending (Townsend 2016; the phase of complex vectors: Wan and Zhang 2019).

    With `full_matrices` the added vectors are any that complete the bases: what a loss sends to them is left out.
    """

    label, formula = "svd", r"U, S, V^{\top}, x = U \Sigma V^{\top}"
    outputs, none_ok = ("u", "s", "vh"), True
    local = {"x": "U (skew(Uᵀ g_U) / E · S + S · skew(Vᵀ g_V) / E + g_S) Vᵀ, E = sⱼ² - sᵢ²"}
    samples = [
        ok(_THREE, full_matrices=True),
        ok(arg(3, 2, values=[[3.0, 0.5], [1.0, 2.0], [-0.7, 1.5]]), full_matrices=False),
        ok(arg(2, 2, 3, values=[[[3.0, 0.5, 1.0], [1.0, 2.0, -0.7]]] * 2), full_matrices=False),
        ok(arg(0, 2), full_matrices=False),
    ]

    def forward(xp, x, *, full_matrices):
        return xp.svd(x, full_matrices)

    def backward(xp, g, u, s, vh):
        gu, gs, gvh = g
        k = s.shape[-1]
        u, gu = (_cut(xp, y, (..., slice(k))) for y in (u, gu))
        vh, gvh = (_cut(xp, y, (..., slice(k), slice(None))) for y in (vh, gvh))
        inner = 0.0 if gs is None else _diagonal_matrix(xp, gs)
        outside = None
        if gu is not None:
            turned = _h(xp, u) @ gu
            inner = inner + _from_left(xp, turned - _h(xp, turned), s)
            if u.shape[-2] > k:
                outside = ((gu - u @ turned) / _row(xp, s)) @ vh
        if gvh is not None:
            turned = vh @ _h(xp, gvh)
            skew = turned - _h(xp, turned)
            inner = inner + _column(xp, s) * _on_diagonal(xp, 0.0, skew / _squared_gaps(xp, s))
            if vh.shape[-1] > k:
                more = (u / _row(xp, s)) @ (gvh - _h(xp, turned) @ vh)
                outside = more if outside is None else outside + more
        inner = _like(xp, inner, gu if gu is not None else gvh, u)
        sent = u @ inner @ vh
        return (sent if outside is None else sent + outside,)


def _cut(xp: Any, y: Any, index: Any) -> Any:
    return None if y is None else xp.index(y, index)


def _squared_gaps(xp: Any, s: Any) -> Any:
    return _on_diagonal(xp, 1.0, (_row(xp, s) - _column(xp, s)) * (_row(xp, s) + _column(xp, s)))


def _from_left(xp: Any, skew: Any, s: Any) -> Any:
    """What the left vectors send to the inner matrix; of complex ones, the phase on the diagonal too."""
    off = _on_diagonal(xp, 0.0, skew / _squared_gaps(xp, s)) * _row(xp, s)
    return off + _on_diagonal(xp, skew / (2 * _row(xp, s)), 0.0) if complex_numbers(skew) else off

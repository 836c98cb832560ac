"""Inverses, determinants, factors and norms. Vectors of a factor are compared in what does not depend on their sign."""

from __future__ import annotations

ROWS = {
    "det": [
        "lib.det(q)",
        "q.det()",
        "qs.det()",
        "e[:, :0].det()",
        "(q * 0).det()",
        "q[:2, :2].det()",
        "lib.ones(3, 3).det()",
    ],
    "logdet": ["lib.logdet(h)", "h.logdet()", "hs.logdet()", "(-h).logdet()"],
    "slogdet": ["lib.slogdet(q)", "q.slogdet()", "hs.slogdet()", "e[:, :0].slogdet()", "q.slogdet().logabsdet"],
    "inverse": ["lib.inverse(q)", "q.inverse()", "hs.inverse()", "e[:, :0].inverse()"],
    "pinverse": ["lib.pinverse(a)", "a.pinverse()", "q.pinverse(1e-9)", "x.pinverse()"],
    "cholesky": ["lib.cholesky(h)", "h.cholesky()", "hs.cholesky(True)", "h.cholesky(upper=True)"],
    "qr": ["lib.qr(q)", "q.qr()", "a.qr()", "a.T.qr()", "a.T.qr(some=False).Q.shape", "qs.qr().R"],
    "svd": ["lib.svd(a).S", "a.svd().S", "a.svd(some=False).V.shape", "a.svd(compute_uv=False)", "q.svd().U.abs()"],
    "linalg.norm": [
        *(
            "lib.linalg.norm(a)",
            "lib.linalg.norm(x)",
            "lib.linalg.norm(v, 3)",
            "lib.linalg.norm(a, 2)",
            "lib.linalg.norm(a, -2)",
        ),
        *(
            "lib.linalg.norm(a, 'nuc')",
            "lib.linalg.norm(a, 'fro')",
            "lib.linalg.norm(a, 1)",
            "lib.linalg.norm(a, -inf)",
        ),
        *("lib.linalg.norm(x, dim=1)", "lib.linalg.norm(x, inf, dim=(0, 2))", "lib.linalg.norm(x, 2, (1, 2), True)"),
        *(
            "lib.linalg.norm(v, 0)",
            "lib.linalg.norm(v, -1)",
            "lib.linalg.norm(a, ord=1, dim=1, keepdim=True)",
            "lib.linalg.norm(e)",
        ),
    ],
    "linalg.vector_norm": [
        *(
            "lib.linalg.vector_norm(a)",
            "lib.linalg.vector_norm(a, 3, 1)",
            "lib.linalg.vector_norm(a, inf, keepdim=True)",
        ),
        *("lib.linalg.vector_norm(x, 1, (0, 2))", "lib.linalg.vector_norm(e, 2, 0)", "lib.linalg.vector_norm(a, 0.5)"),
        *("lib.linalg.vector_norm(a, ord=2, dim=-1)", "lib.linalg.vector_norm(f, dtype=lib.float64)"),
    ],
    "linalg.matrix_norm": [
        *(
            "lib.linalg.matrix_norm(a)",
            "lib.linalg.matrix_norm(x, 2)",
            "lib.linalg.matrix_norm(x, 'nuc', keepdim=True)",
        ),
        *(
            "lib.linalg.matrix_norm(x, 1, (0, 1))",
            "lib.linalg.matrix_norm(x, -1, (1, 0))",
            "lib.linalg.matrix_norm(a, inf)",
        ),
        *(
            "lib.linalg.matrix_norm(a, -inf)",
            "lib.linalg.matrix_norm(a, -2)",
            "lib.linalg.matrix_norm(x, 2, (0, 2), True)",
        ),
        *(
            "lib.linalg.matrix_norm(e)",
            "lib.linalg.matrix_norm(e, 'nuc')",
            "lib.linalg.matrix_norm(f, dtype=lib.float64)",
        ),
    ],
    "linalg.inv": ["lib.linalg.inv(q)", "lib.linalg.inv(hs)", "lib.linalg.inv(e[:, :0])"],
    "linalg.solve": [
        *("lib.linalg.solve(q, h)", "lib.linalg.solve(q, v)", "lib.linalg.solve(qs, a)", "lib.linalg.solve(q, a.T)"),
        *(
            "lib.linalg.solve(q, a, left=False)",
            "lib.linalg.solve(qs, hs)",
            "lib.linalg.solve(h, qs)",
            "lib.linalg.solve(qs, h)",
        ),
        *("lib.linalg.solve(e[:, :0], e)", "lib.linalg.solve(qs, x, left=False)", "lib.linalg.solve(qs, v)"),
    ],
    "linalg.det": ["lib.linalg.det(q)", "lib.linalg.det(qs)"],
    "linalg.slogdet": ["lib.linalg.slogdet(q)", "lib.linalg.slogdet(hs).sign"],
    "linalg.cholesky": [
        *("lib.linalg.cholesky(h)", "lib.linalg.cholesky(hs)", "lib.linalg.cholesky(h, upper=True)"),
        *("lib.linalg.cholesky(h + q.triu(1)).abs()", "lib.linalg.cholesky(hs).abs()", "lib.linalg.cholesky(e[:, :0])"),
    ],
    "linalg.qr": [
        *(
            "lib.linalg.qr(q)",
            "lib.linalg.qr(a)",
            "lib.linalg.qr(a.T)",
            "lib.linalg.qr(a, 'complete')",
            "lib.linalg.qr(qs, mode='r').R",
        ),
        *(
            "lib.linalg.qr(a.T, 'complete').Q.shape",
            "lib.linalg.qr(e)",
            "lib.linalg.qr(x)",
            "lib.linalg.qr(q, 'r').Q.shape",
        ),
    ],
    "linalg.svd": [
        *(
            "lib.linalg.svd(a).S",
            "lib.linalg.svd(a, False).U.abs()",
            "lib.linalg.svd(a.T, full_matrices=False).Vh.abs()",
        ),
        *("lib.linalg.svd(a).Vh.shape", "lib.linalg.svd(x).S", "lib.linalg.svd(e).S", "lib.linalg.svd(e).Vh.shape"),
        *("(lambda r: r.U * r.S @ r.Vh)(lib.linalg.svd(a, False))", "(lambda r: r.U @ r.Vh)(lib.linalg.svd(q))"),
    ],
    "linalg.svdvals": ["lib.linalg.svdvals(a)", "lib.linalg.svdvals(x)", "lib.linalg.svdvals(e)"],
    "linalg.eigh": [
        *(
            "lib.linalg.eigh(h).eigenvalues",
            "lib.linalg.eigh(h + h.mH).eigenvectors.abs()",
            "lib.linalg.eigh(hs, 'U').eigenvalues",
        ),
        *("lib.linalg.eigh(q, 'U').eigenvalues", "lib.linalg.eigh(q, UPLO='L').eigenvalues"),
        *("(lambda r: r.eigenvectors * r.eigenvalues @ r.eigenvectors.mH)(lib.linalg.eigh(h + h.mH))",),
    ],
    "linalg.eigvalsh": ["lib.linalg.eigvalsh(h)", "lib.linalg.eigvalsh(qs, 'U')", "lib.linalg.eigvalsh(e[:, :0])"],
    "linalg.pinv": [
        *(
            "lib.linalg.pinv(a)",
            "lib.linalg.pinv(x)",
            "lib.linalg.pinv(a.T)",
            "lib.linalg.pinv(q, rtol=1e-3)",
            "lib.linalg.pinv(e)",
        ),
        *("lib.linalg.pinv(q, atol=0.1)", "lib.linalg.pinv(h + h.mH, hermitian=True)"),
    ],
    "linalg.lstsq": [
        *("lib.linalg.lstsq(a.T, q).solution", "lib.linalg.lstsq(q, h).solution", "lib.linalg.lstsq(a, b).solution"),
        *(
            "lib.linalg.lstsq(a.T, q, driver='gels').residuals",
            "lib.linalg.lstsq(a.T, q).rank",
            "lib.linalg.lstsq(q, v).solution",
        ),
        *("lib.linalg.lstsq(a.T, q, driver='gelsd').singular_values", "lib.linalg.lstsq(qs, hs).solution"),
    ],
    "linalg.matrix_power": ["lib.linalg.matrix_power(q, 3)", "lib.linalg.matrix_power(h, -2)"],
    "linalg.matrix_rank": [
        *(
            "lib.linalg.matrix_rank(a)",
            "lib.linalg.matrix_rank(x)",
            "lib.linalg.matrix_rank(q, atol=1.0)",
            "lib.linalg.matrix_rank(e)",
        ),
        *(
            "lib.linalg.matrix_rank(h, hermitian=True)",
            "lib.linalg.matrix_rank(q, rtol=0.5)",
        ),
    ],
    "linalg.multi_dot": [
        "lib.linalg.multi_dot([a, q, h])",
        "lib.linalg.multi_dot([v, q, o])",
        "lib.linalg.multi_dot((a, q))",
    ],
    "linalg.solve_triangular": [
        *("lib.linalg.solve_triangular(h, q, upper=True)", "lib.linalg.solve_triangular(hs, q, upper=False)"),
        *(
            "lib.linalg.solve_triangular(h, a, upper=True, left=False)",
            "lib.linalg.solve_triangular(q, h, upper=False, unitriangular=True)",
        ),
        *(
            "lib.linalg.solve_triangular(hs, x, upper=False, left=False, unitriangular=True)",
            "lib.linalg.solve_triangular(h * 0, q, upper=True)",
        ),
    ],
    "linalg.matmul": ["lib.linalg.matmul(a, q)"],
    "linalg.vecdot": [
        "lib.linalg.vecdot(a, b)",
        "lib.linalg.vecdot(x, v)",
        "lib.linalg.vecdot(a, b, dim=0)",
        "lib.linalg.vecdot(e, e)",
    ],
    "linalg.cross": ["lib.linalg.cross(a, b)", "lib.linalg.cross(q, h, dim=0)", "lib.linalg.cross(x, a[None])"],
    "linalg.diagonal": [
        "lib.linalg.diagonal(x)",
        "lib.linalg.diagonal(a, offset=1)",
        "lib.linalg.diagonal(x, dim1=0, dim2=2)",
    ],
    "linalg.vander": ["lib.linalg.vander(v)", "lib.linalg.vander(a, N=2)", "lib.linalg.vander(v, N=5)"],
    "linalg.cond": [
        *(
            "lib.linalg.cond(q)",
            "lib.linalg.cond(x)",
            "lib.linalg.cond(q, -2)",
            "lib.linalg.cond(h, 1)",
            "lib.linalg.cond(qs, 'fro')",
        ),
        *("lib.linalg.cond(q * 0, 1)", "lib.linalg.cond(q, 'nuc')", "lib.linalg.cond(q, p=inf)"),
    ],
}

INVALID = {
    "det": ["a.det()", "v.det()", "i[:, :2].det()"],
    "logdet": ["a.logdet()"],
    "slogdet": ["a.slogdet()", "i[:, :2].slogdet()"],
    "inverse": ["a.inverse()", "(q * 0).inverse()", "lib.ones(2, 2, 2).inverse()"],
    "pinverse": ["v.pinverse()", "i.pinverse()"],
    "cholesky": ["a.cholesky()", "(-h).cholesky()"],
    "qr": ["v.qr()", "i.qr()"],
    "svd": ["v.svd()", "i.svd()"],
    "linalg.norm": [
        "lib.linalg.norm(x, 2)",
        "lib.linalg.norm(a, 3)",
        "lib.linalg.norm(a, 'x')",
        "lib.linalg.norm(i)",
        "lib.linalg.norm(x, 2, (0, 1, 2))",
    ],
    "linalg.vector_norm": [
        "lib.linalg.vector_norm(e, -1)",
        "lib.linalg.vector_norm(e, inf)",
        "lib.linalg.vector_norm(a, dtype=lib.int32)",
        "lib.linalg.vector_norm(a, 2, 7)",
    ],
    "linalg.matrix_norm": [
        "lib.linalg.matrix_norm(v)",
        "lib.linalg.matrix_norm(a, 3)",
        "lib.linalg.matrix_norm(x, 2, (1, 1))",
        "lib.linalg.matrix_norm(i)",
    ],
    "linalg.inv": ["lib.linalg.inv(a)", "lib.linalg.inv(v)", "lib.linalg.inv(q * 0)", "lib.linalg.inv(i[:, :2])"],
    "linalg.solve": [
        "lib.linalg.solve(a, b)",
        "lib.linalg.solve(q, a)",
        "lib.linalg.solve(q * 0, v)",
        "lib.linalg.solve(q, v.double())",
        "lib.linalg.solve(qs, v[:2])",
    ],
    "linalg.det": ["lib.linalg.det(a)"],
    "linalg.slogdet": ["lib.linalg.slogdet(a)"],
    "linalg.cholesky": ["lib.linalg.cholesky(a)", "lib.linalg.cholesky(-h)", "lib.linalg.cholesky(-hs)"],
    "linalg.qr": ["lib.linalg.qr(v)", "lib.linalg.qr(a, 'x')"],
    "linalg.svd": ["lib.linalg.svd(v)", "lib.linalg.svd(n)", "lib.linalg.svd(a, driver='gesvd')"],
    "linalg.svdvals": ["lib.linalg.svdvals(v)"],
    "linalg.eigh": ["lib.linalg.eigh(a)", "lib.linalg.eigh(h, 'X')"],
    "linalg.eigvalsh": ["lib.linalg.eigvalsh(a)"],
    "linalg.pinv": ["lib.linalg.pinv(v)", "lib.linalg.pinv(a, hermitian=True)"],
    "linalg.lstsq": ["lib.linalg.lstsq(q, a)", "lib.linalg.lstsq(q, h, driver='x')", "lib.linalg.lstsq(q, h.double())"],
    "linalg.matrix_power": ["lib.linalg.matrix_power(a, 2)"],
    "linalg.matrix_rank": ["lib.linalg.matrix_rank(v)"],
    "linalg.multi_dot": [
        "lib.linalg.multi_dot([v])",
        "lib.linalg.multi_dot([a, x, a])",
        "lib.linalg.multi_dot([a, b])",
    ],
    "linalg.solve_triangular": [
        "lib.linalg.solve_triangular(a, q, upper=True)",
        "lib.linalg.solve_triangular(q, v, upper=True)",
        "lib.linalg.solve_triangular(q, a, upper=True)",
    ],
    "linalg.matmul": ["lib.linalg.matmul(a, b)"],
    "linalg.vecdot": ["lib.linalg.vecdot(i, j)", "lib.linalg.vecdot(a, v[:2])"],
    "linalg.cross": ["lib.linalg.cross(a, v)", "lib.linalg.cross(a, b, dim=0)"],
    "linalg.diagonal": ["lib.linalg.diagonal(v)"],
    "linalg.vander": ["lib.linalg.vander(s)", "lib.linalg.vander(v, N=1)"],
    "linalg.cond": ["lib.linalg.cond(v)", "lib.linalg.cond(a, 1)", "lib.linalg.cond(q, 3)"],
}

_HALF = "LAPACK has no half precision, and PyTorch answers only where there is nothing to compute"
_REAL = "the diagonal of L is real: PyTorch lets its imaginary part pull; ours agrees with finite differences"
_FACTORS = ("lib.cholesky(h)", "h.cholesky()", "hs.cholesky(True)", "h.cholesky(upper=True)")
_FACTORS += ("lib.linalg.cholesky(h)", "lib.linalg.cholesky(hs)", "lib.linalg.cholesky(h, upper=True)")
_EMPTY = ("e[:, :0].det()", "lib.linalg.cholesky(e[:, :0])", "lib.linalg.solve(e[:, :0], e)", "lib.linalg.svd(e).S")
_EMPTY += ("lib.linalg.svd(e).Vh.shape", "lib.linalg.svdvals(e)", "lib.linalg.eigvalsh(e[:, :0])")
_ORDERS = ("complex64 gradient", "complex128 gradient", "complex128 second")

DEVIATIONS = {
    **{f"{expression}  # float16 refused": _HALF for expression in _EMPTY},
    **{f"{expression}  # {order}": _REAL for expression in _FACTORS for order in _ORDERS},
    "lib.linalg.eigvalsh(e[:, :0])  # refused": "whole numbers are refused whether there are any or not",
    "(q * 0).det()  # second": "the derivative of a matrix of cofactors is computed from an inverse",
}

"""Products of matrices and vectors."""

from __future__ import annotations

ROWS = {
    "matmul": [
        *(
            "lib.matmul(a, q)",
            "a.matmul(q)",
            "a @ q",
            "a @ v",
            "v @ q",
            "v @ o",
            "x @ q",
            "q @ x.mT",
            "qs @ hs",
            "x @ qs",
        ),
        *("e @ q", "e.T @ e", "v @ qs", "qs @ v", "n @ q", "x[:, :, :0] @ q[:0]", "x @ qs[:1]", "x[:, None] @ qs"),
    ],
    "mm": ["lib.mm(a, q)", "a.mm(q)", "e.mm(q)", "e.T.mm(e)", "n.mm(q)", "q.mm(mat2=h)"],
    "bmm": ["lib.bmm(qs, hs)", "x.bmm(qs)", "x[:0].bmm(qs[:0])", "x.bmm(mat2=qs)"],
    "mv": ["lib.mv(a, v)", "a.mv(v)", "e.mv(v)", "a[:, :0].mv(v[:0])", "a.mv(vec=o)"],
    "dot": ["lib.dot(v, o)", "v.dot(o)", "v[:0].dot(o[:0])", "v.dot(tensor=o)"],
    "vdot": ["lib.vdot(v, o)", "v.vdot(o)", "v[:0].vdot(o[:0])"],
    "inner": [
        *("lib.inner(v, o)", "a.inner(b)", "x.inner(a)", "a.inner(v)", "s.inner(a)", "a.inner(s)"),
        *("e.inner(a)", "a[:, :0].inner(b[:, :0])"),
    ],
    "outer": ["lib.outer(v, o)", "v.outer(o)", "v[:0].outer(o)", "v.outer(vec2=i[0])", "v.outer(f[0])"],
    "ger": ["lib.ger(v, o)", "v.ger(o)"],
    "addmm": [
        *("lib.addmm(a, b, q)", "a.addmm(b, q)", "lib.addmm(a, b, q, beta=2, alpha=3)", "v.addmm(b, q)"),
        *("n.addmm(b, q, beta=0)", "a.addmm_(b, q)", "a.addmm_(b, q, beta=0, alpha=2)", "s.addmm(a, q)"),
        *("a.addmm(b, q, alpha=0)", "e.addmm(e, q)", "a.addmm(a[:, :0], q[:0])"),
    ],
    "addmv": [
        *("lib.addmv(v, q, o)", "v.addmv(q, o, beta=2, alpha=3)", "s.addmv(q, v)", "v.addmv_(h, o)"),
        *("v.addmv(q, o, beta=0)", "v.addmv(q[:, :0], o[:0])"),
    ],
    "addr": [
        *(
            "lib.addr(q, v, o)",
            "q.addr(v, o, beta=2, alpha=3)",
            "s.addr(v, o)",
            "q.addr_(v, o)",
            "q.addr(v, o, beta=0)",
        ),
    ],
    "addbmm": [
        *("lib.addbmm(q, qs, hs)", "q.addbmm(qs, hs, beta=2, alpha=3)", "q.addbmm_(qs, hs)", "v.addbmm(qs, hs)"),
        *("q.addbmm(qs, hs, beta=0)",),
    ],
    "baddbmm": [
        *("lib.baddbmm(x, x, qs)", "x.baddbmm(x, qs, beta=2, alpha=3)", "a.baddbmm(x, qs)", "x.baddbmm_(x + 0, qs)"),
        *("x.baddbmm(x, qs, beta=0)", "s.baddbmm(x, qs)"),
    ],
    "einsum": [
        *(
            "lib.einsum('ij,jk->ik', a, q)",
            "lib.einsum('ij,jk', a, q)",
            "lib.einsum('ii', q)",
            "lib.einsum('ii->i', q)",
        ),
        *("lib.einsum('ij->ji', a)", "lib.einsum('ij->', a)", "lib.einsum('i,j->ij', v, o)", "lib.einsum('i,i', v, o)"),
        *(
            "lib.einsum('bij,bjk->bik', qs, hs)",
            "lib.einsum('...ij,...jk', x, qs)",
            "lib.einsum('...ij,jk->...ik', x, q)",
        ),
        *(
            "lib.einsum('...', s)",
            "lib.einsum(',', s, s)",
            "lib.einsum('ij,ij->ij', a, b)",
            "lib.einsum('i...->...', a)",
        ),
        *("lib.einsum(a, [0, 1], q, [1, 2], [0, 2])", "lib.einsum(a, [0, 1], q, [1, 2])", "lib.einsum(q, [0, 0])"),
        *(
            "lib.einsum(x, [..., 0], v, [0])",
            "lib.einsum('bn,anm,bm->ba', a, qs, b)",
            "lib.einsum(' i j , j k -> k i ', a, q)",
        ),
        *("lib.einsum('ij,j->i', a, v[:1])", "lib.einsum('bii->b', qs)", "lib.einsum('bii,i->b', qs, v)"),
        *(
            "lib.einsum('ij,kj->ik', [a, b])",
            "lib.einsum('Ab,bC', a, q)",
            "lib.einsum('ij,j->i', e, v)",
            "lib.einsum('iij->j', qs[:, :2])",
        ),
        *(
            "lib.einsum('i...,i...', x, x)",
            "lib.einsum('...i,...i->...', a, x)",
            "lib.einsum('ij,jk,kl->il', a, q, h)",
            "lib.einsum('i->', v[:0])",
        ),
    ],
    "tensordot": [
        *(
            "lib.tensordot(a, q, 1)",
            "lib.tensordot(a, b)",
            "lib.tensordot(x, qs, dims=([2], [1]))",
            "lib.tensordot(v, o, 0)",
        ),
        *(
            "lib.tensordot(x, qs, ([0, 2], [0, 1]))",
            "lib.tensordot(x, a, ([-2, -1], [0, 1]))",
            "lib.tensordot(e, a, ([1], [1]))",
        ),
    ],
    "kron": ["lib.kron(a, b)", "a.kron(q)", "v.kron(a)", "s.kron(a)", "x.kron(v)", "e.kron(a)", "s.kron(s)"],
    "cross": [
        *("lib.cross(v, o)", "v.cross(o)", "a.cross(b)", "a.cross(b, 1)", "a.cross(b, dim=-1)", "q.cross(h)"),
        *("q.cross(h, 1)", "qs.cross(hs)", "x.cross(a[None], 2)"),
    ],
    "trace": ["lib.trace(a)", "a.trace()", "q.trace()", "e.trace()"],
    "cdist": [
        *(
            "lib.cdist(a, b)",
            "lib.cdist(a, b, 1)",
            "lib.cdist(a, b, p=3)",
            "lib.cdist(a, b, inf)",
            "lib.cdist(a, b, 0)",
        ),
        *(
            "lib.cdist(x, q)",
            "lib.cdist(x, qs, 1.5)",
            "lib.cdist(e, a)",
            "lib.cdist(a, e)",
            "lib.cdist(a[:, :0], b[:, :0])",
        ),
        *(
            "lib.cdist(a, a)",
            "lib.cdist(k, k, 1)",
            "lib.cdist(k, k, 3)",
            "lib.cdist(k, k, inf)",
            "lib.cdist(a, a, 0.5)",
        ),
        *(
            "lib.cdist(a, b, compute_mode='use_mm_for_euclid_dist')",
            "lib.cdist(a, b, 0.5)",
            "lib.cdist(x[:, None], qs)",
        ),
    ],
    "chain_matmul": ["lib.chain_matmul(a, q, h)", "lib.chain_matmul(a, q)", "lib.chain_matmul(a.T, a, q, b.T)"],
    "matrix_power": [
        *(
            "lib.matrix_power(q, 3)",
            "q.matrix_power(2)",
            "q.matrix_power(0)",
            "q.matrix_power(1)",
            "h.matrix_power(-1)",
        ),
        *("hs.matrix_power(-2)", "qs.matrix_power(5)", "e[:, :0].matrix_power(2)"),
    ],
    "nn.functional.bilinear": [
        *("lib.nn.functional.bilinear(a, b, qs)", "lib.nn.functional.bilinear(x, x, qs, v[:2])"),
        *("lib.nn.functional.bilinear(v, o, qs)",),
    ],
}

INVALID = {
    "matmul": [
        "a @ b",
        "a @ s",
        "s @ s",
        "a @ 2",
        "a @ v[:2]",
        "x @ qs[[0, 1, 0]]",
        "a @ q.double()",
        "lib.matmul(a)",
        "m @ m.T",
        "a @ 'x'",
    ],
    "mm": ["a.mm(b)", "a.mm(v)", "x.mm(qs)", "a.mm(q.double())", "a.mm(2)"],
    "bmm": ["x.bmm(q)", "x.bmm(qs[:1])", "x.bmm(x)", "x.bmm(qs.double())"],
    "mv": ["a.mv(q)", "v.mv(v)", "a.mv(v[:2])", "a.mv(v.double())"],
    "dot": ["v.dot(a)", "v.dot(o[:2])", "v.dot(o.double())", "v.dot(2)"],
    "vdot": ["v.vdot(a)", "v.vdot(o[:2])", "v.vdot(o.double())"],
    "inner": ["a.inner(v[:2])", "a.inner(b.double())"],
    "outer": ["a.outer(v)", "v.outer(a)", "s.outer(v)"],
    "ger": ["a.ger(v)"],
    "addmm": [
        "a.addmm(b, b)",
        "v[:2].addmm(b, q)",
        "a.addmm(b, q.double())",
        "a.double().addmm(b, q)",
        "v.addmm_(b, q)",
    ],
    "addmv": ["v.addmv(q, q)", "v[:2].addmv(q, o)", "v.addmv(q.double(), o)"],
    "addr": ["q.addr(q, v)", "v[:2].addr(v, o)"],
    "addbmm": ["q.addbmm(q, q)", "q.addbmm(qs, hs[:1])"],
    "baddbmm": ["x.baddbmm(q, q)", "x.baddbmm(x, x)"],
    "einsum": [
        *("lib.einsum('ij,jk', a, b)", "lib.einsum('ij->ik', a)", "lib.einsum('ij->ii', a)", "lib.einsum('i', a)"),
        *(
            "lib.einsum('ij,jk', a)",
            "lib.einsum('ij', a, b)",
            "lib.einsum('i$', a)",
            "lib.einsum('ij')",
            "lib.einsum()",
        ),
        *(
            "lib.einsum('...->i', a)",
            "lib.einsum('ijk', a)",
            "lib.einsum('i,i', v, o.double())",
            "lib.einsum('......', a)",
        ),
    ],
    "tensordot": [
        *(
            "lib.tensordot(a, q)",
            "lib.tensordot(a, b, -1)",
            "lib.tensordot(a, b, 5)",
            "lib.tensordot(a, b, ([0], [0, 1]))",
        ),
        *("lib.tensordot(a, b, ([0, 0], [0, 0]))", "lib.tensordot(a, b, ([7], [0]))", "lib.tensordot(a, b.double())"),
    ],
    "cross": ["a.cross(v)", "a.cross(b, 0)", "a[:, :2].cross(b[:, :2])", "a.cross(b, 5)"],
    "trace": ["v.trace()", "x.trace()"],
    "cdist": [
        *("lib.cdist(a, a[:, :2])", "lib.cdist(v, a)", "lib.cdist(a, b, -1)", "lib.cdist(a, b, compute_mode='x')"),
        *("lib.cdist(i, j)", "lib.cdist(z, w)", "lib.cdist(a, b.double())"),
    ],
    "chain_matmul": ["lib.chain_matmul(a, b)", "lib.chain_matmul(a, v)"],
    "matrix_power": ["a.matrix_power(2)", "q.matrix_power(1.5)", "v.matrix_power(2)", "(q * 0).matrix_power(-1)"],
    "nn.functional.bilinear": ["lib.nn.functional.bilinear(a, b, q)", "lib.nn.functional.bilinear(a, v, qs)"],
}

_LOOKED_FIRST = "PyTorch looks for the third size before it asks how many there are; ours says what is wrong"
_CONSTANT = "x⁰ is the identity whatever x is: it needs no graph, and no gradient is zero"

DEVIATIONS = {
    "q.addbmm(q, q)  # error": _LOOKED_FIRST,
    "x.baddbmm(q, q)  # error": _LOOKED_FIRST,
    "lib.nn.functional.bilinear(a, b, q)  # error": _LOOKED_FIRST,
    "a.addmm(a[:, :0], q[:0])  # bool error": "PyTorch fills with a number; ours adds nothing to the input",
    "lib.cdist(k, k, inf)  # gradient": "equal largest differences share the gradient, as in every other norm",
    "q.matrix_power(0)  # recorded": _CONSTANT,
    "q.matrix_power(0)  # gradient": _CONSTANT,
    "q.matrix_power(0)  # second": _CONSTANT,
}

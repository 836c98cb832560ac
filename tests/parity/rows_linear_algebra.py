"""Products of matrices, and what is computed of them."""

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
}

DEVIATIONS: dict[str, str] = {}

"""Rows of a table looked up by number, and reduced bag by bag."""

from __future__ import annotations

_F = "lib.nn.functional"
_BAG = f"{_F}.embedding_bag"

ROWS = {
    "nn.functional.embedding": [
        *(f"{_F}.embedding(i, q)", f"{_F}.embedding(i[0].int(), a)", f"{_F}.embedding(i[0, 0], q)"),
        *(f"{_F}.embedding(i, q, padding_idx=1)", f"{_F}.embedding(i, q, -2)", f"{_F}.embedding(i[:0], q)"),
        *(f"{_F}.embedding(i, q, scale_grad_by_freq=True)", f"{_F}.embedding(i, h, 0, None, 2.0, True)"),
        *(f"{_F}.embedding(i, q.detach(), max_norm=1.5)", f"{_F}.embedding(i, q.detach(), None, 1.0, 1.0)"),
        f"{_F}.embedding(i, q, max_norm=0.5).detach()",
    ],
    "nn.functional.embedding_bag": [
        *(f"{_BAG}(i, q, mode='{mode}')" for mode in ("sum", "mean", "max")),
        *(f"{_BAG}(i[0], q, i[0] * 3, mode='{mode}', include_last_offset=True)" for mode in ("sum", "mean")),
        *(f"{_BAG}(i.reshape(-1), q, i[0] * 4, mode='{mode}')" for mode in ("sum", "mean", "max")),
        *(f"{_BAG}(i, q, mode='{mode}', padding_idx=1)" for mode in ("sum", "mean", "max")),
        *(f"{_BAG}(i[0], q, i[0] * 3, mode='{mode}')" for mode in ("sum", "mean", "max")),
        *(
            f"{_BAG}(i, q, per_sample_weights=a, mode='sum')",
            f"{_BAG}(i[0], q, i[1] - i[1], per_sample_weights=v, mode='sum')",
        ),
        *(f"{_BAG}(i, k.T, mode='max')", f"{_BAG}(i, q.detach(), max_norm=1.0, mode='sum')"),
        f"{_BAG}(i, q, scale_grad_by_freq=True, mode='sum')",
    ],
}

INVALID = {
    "nn.functional.embedding": [
        *(f"{_F}.embedding(i + 3, q)", f"{_F}.embedding(-i, q)", f"{_F}.embedding(q, q)", f"{_F}.embedding(i, v)"),
        *(f"{_F}.embedding(i, q, padding_idx=3)", f"{_F}.embedding(i, q, padding_idx=-4)", f"{_F}.embedding([0], q)"),
        *(f"{_F}.embedding(t, q)", f"{_F}.embedding(i)", f"{_F}.embedding(q, i)"),
    ],
    "nn.functional.embedding_bag": [
        *(f"{_BAG}(i[0], q)", f"{_BAG}(i, q, i[0])", f"{_BAG}(i[0], q, i[0] + 1)", f"{_BAG}(i[0], q, i[0] * 9)"),
        *(
            f"{_BAG}(i + 3, q)",
            f"{_BAG}(q, q)",
            f"{_BAG}(i, q, mode='min')",
            f"{_BAG}(i[None], q)",
            f"{_BAG}(i[0], q, v)",
        ),
        *(
            f"{_BAG}(i, q, per_sample_weights=v, mode='sum')",
            f"{_BAG}(i, q, per_sample_weights=a)",
            f"{_BAG}(i[0], q, s)",
        ),
        *(f"{_BAG}(i, q, per_sample_weights=i, mode='sum')", f"{_BAG}(i, q, padding_idx=3)"),
    ],
}

DEVIATIONS = {
    f"{_BAG}(i, q, scale_grad_by_freq=True, mode='sum')  # gradient": (
        "PyTorch on the CPU divides by how often another number was looked up: it takes the count at the wrong place"
    ),
}

"""`nn.functional`: what is not a function of the library itself."""

from __future__ import annotations

F = "lib.nn.functional"

ROWS = {
    "nn.functional.linear": [
        *(
            f"{F}.linear(a, q)",
            f"{F}.linear(a, q, v)",
            f"{F}.linear(x, q, bias=v)",
            f"{F}.linear(v, q)",
            f"{F}.linear(a, v)",
        ),
        *(f"{F}.linear(e, q, v)", f"{F}.linear(a, a)", f"{F}.linear(v, q, v)"),
    ],
    "nn.functional.mse_loss": [
        *(f"{F}.mse_loss(a, b)", f"{F}.mse_loss(a, b, reduction='sum')", f"{F}.mse_loss(a, b, reduction='none')"),
        *(f"{F}.mse_loss(e, e)", f"{F}.mse_loss(s, s)", f"{F}.mse_loss(a, row)", f"{F}.mse_loss(n, a)"),
    ],
    "nn.functional.cross_entropy": [
        *(
            f"{F}.cross_entropy(a, i[:, 0])",
            f"{F}.cross_entropy(a, i[:, 0], reduction='sum')",
            f"{F}.cross_entropy(v, i[0, 0])",
        ),
        *(f"{F}.cross_entropy(a, i[:, 0], reduction='none')", f"{F}.cross_entropy(a, p)", f"{F}.cross_entropy(x, i)"),
        *(f"{F}.cross_entropy(a, i[:, 0], weight=p[0])", f"{F}.cross_entropy(a, i[:, 0], ignore_index=1)"),
        *(f"{F}.cross_entropy(a, i[:, 0], label_smoothing=0.1)", f"{F}.cross_entropy(a * 1000, i[:, 0])"),
    ],
    **{
        f"nn.functional.{name}": [f"{F}.{name}(a)", f"{F}.{name}(k)", f"{F}.{name}(n)"]
        for name in ("relu", "sigmoid", "tanh")
    },
    **{
        f"nn.functional.{name}": [f"{F}.{name}(a, 1)", f"{F}.{name}(a, dim=0)", f"{F}.{name}(x, -1)"]
        for name in ("softmax", "log_softmax")
    },
}

INVALID = {
    "nn.functional.linear": [
        f"{F}.linear(a, b.T)",
        f"{F}.linear(a, s)",
        f"{F}.linear(1, q)",
        f"{F}.linear(a, q, v[:2])",
    ],
    "nn.functional.mse_loss": [f"{F}.mse_loss(a, b, reduction='x')", f"{F}.mse_loss(a, v[:2])", f"{F}.mse_loss(a, 1)"],
    "nn.functional.cross_entropy": [
        *(
            f"{F}.cross_entropy(a, i[:, 0], reduction='x')",
            f"{F}.cross_entropy(a, i[:, 0] + 5)",
            f"{F}.cross_entropy(a, i)",
        ),
        *(f"{F}.cross_entropy(a, i[:, 0].float())", f"{F}.cross_entropy(s, i[0, 0])", f"{F}.cross_entropy(a, i[0])"),
    ],
}

DEVIATIONS: dict[str, str] = {}

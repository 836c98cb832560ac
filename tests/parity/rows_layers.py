"""`nn.functional`: convolution, pooling, padding, normalisation, dropout."""

from __future__ import annotations

F = "lib.nn.functional"
_WIDE = {1: "x", 2: "x[None]", 3: "x[None, None]"}


def _pools() -> dict[str, list[str]]:
    found = {}
    for n, x in _WIDE.items():
        size = str((1,) * (n - 1) + (2,)) if n > 1 else "2"
        for kind in ("avg_pool", "max_pool"):
            call = f"{F}.{kind}{n}d({x}, {size}"
            found[f"nn.functional.{kind}{n}d"] = [f"{call})", f"{call}, stride=1)", f"{call}, ceil_mode=True)"]
        for kind in ("adaptive_avg_pool", "adaptive_max_pool"):
            found[f"nn.functional.{kind}{n}d"] = [f"{F}.{kind}{n}d({x}, 1)", f"{F}.{kind}{n}d({x}, 2)"]
        found[f"nn.functional.lp_pool{n}d"] = [f"{F}.lp_pool{n}d({x}.abs(), 2.0, {size})"]
    return found


ROWS = {
    **_pools(),
    "nn.functional.conv1d": [f"{F}.conv1d(x, x)", f"{F}.conv1d(x, x, v[:2], padding=1)", f"{F}.conv1d(x, x, stride=2)"],
    "nn.functional.conv2d": [f"{F}.conv2d(x[None], x[None])", f"{F}.conv2d(x[None], x[None], v[:1], padding=1)"],
    "nn.functional.conv3d": [f"{F}.conv3d(x[None, None], x[None, None])"],
    "nn.functional.conv_transpose1d": [f"{F}.conv_transpose1d(x, x)", f"{F}.conv_transpose1d(x, x, v[:2], stride=2)"],
    "nn.functional.conv_transpose2d": [f"{F}.conv_transpose2d(x[None], x[None])"],
    "nn.functional.fold": [f"{F}.fold(q[:, :2].T[:, :, None].transpose(0, 1)[:2], (1, 2), (1, 2))"],
    "nn.functional.pad": [
        *(f"{F}.pad(a, (1, 2))", f"{F}.pad(a, (1, 0, 0, 1), value=2.0)", f"{F}.pad(x, (1, 1), mode='reflect')"),
        *(f"{F}.pad(x, (1, 1), mode='replicate')", f"{F}.pad(x, (1, 1), mode='circular')", f"{F}.pad(x, (-1, 1))"),
    ],
    "nn.functional.batch_norm": [
        *(f"{F}.batch_norm(a, None, None, training=True)", f"{F}.batch_norm(a, v, o.abs(), v, o)"),
        f"{F}.batch_norm(x, None, None, v[:2], o[:2], True)",
    ],
    "nn.functional.layer_norm": [f"{F}.layer_norm(a, (3,))", f"{F}.layer_norm(a, (3,), v, o)"],
    "nn.functional.group_norm": [f"{F}.group_norm(x, 1)", f"{F}.group_norm(x, 2, v[:2], o[:2])"],
    "nn.functional.instance_norm": [f"{F}.instance_norm(x)", f"{F}.instance_norm(x, weight=v[:2], bias=o[:2])"],
    "nn.functional.rms_norm": [f"{F}.rms_norm(a, (3,))", f"{F}.rms_norm(a, (3,), v, 1e-3)"],
    "nn.functional.local_response_norm": [f"{F}.local_response_norm(x, 2)"],
    **{
        f"nn.functional.{name}": [f"{F}.{name}({x}, 0.5, training=False)", f"{F}.{name}({x}, 0.0)"]
        for name, x in {
            **{"dropout": "a", "alpha_dropout": "a", "feature_alpha_dropout": "x"},
            **{f"dropout{n}d": x for n, x in _WIDE.items()},
        }.items()
    },
}

INVALID = {
    "nn.functional.conv1d": [f"{F}.conv1d(x, a)", f"{F}.conv1d(a, a)"],
    "nn.functional.pad": [f"{F}.pad(a, (1,))", f"{F}.pad(a, (1, 1), mode='x')"],
    "nn.functional.layer_norm": [f"{F}.layer_norm(a, (2,))"],
    "nn.functional.group_norm": [f"{F}.group_norm(x, 3)"],
    "nn.functional.dropout": [f"{F}.dropout(a, 1.5)"],
}

_BIAS = "the gradient of a bias is a constant, which PyTorch records all the same: other directions are compared then"
DEVIATIONS: dict[str, str] = {
    f"{F}.{call}  # second": _BIAS
    for call in (
        "conv1d(x, x, v[:2], padding=1)",
        "conv2d(x[None], x[None], v[:1], padding=1)",
        "conv_transpose1d(x, x, v[:2], stride=2)",
        "batch_norm(x, None, None, v[:2], o[:2], True)",
        "layer_norm(a, (3,), v, o)",
        "instance_norm(x, weight=v[:2], bias=o[:2])",
    )
}

"""`nn.functional`: activations."""

from __future__ import annotations

F = "lib.nn.functional"


def _of(name: str, *more: str) -> list[str]:
    """At ordinary numbers, at ties and zeros, at none, with other settings."""
    return [*(f"{F}.{name}({x})" for x in ("a", "k", "e", "s")), *(f"{F}.{name}({given})" for given in more)]


_SETTINGS = {
    "hardtanh": ("a, -0.5, 2.0",),
    "hardswish": ("a * 4",),
    "relu6": ("a * 4",),
    "elu": ("a, alpha=0.5",),
    "selu": (),
    "celu": ("a, alpha=2.0",),
    "leaky_relu": ("a, 0.2",),
    "gelu": ("a, approximate='tanh'",),
    "logsigmoid": ("a * 20",),
    "hardshrink": ("a, 1.0",),
    "tanhshrink": (),
    "softsign": (),
    "softplus": ("a, beta=2.0, threshold=3.0",),
    "softshrink": ("a, 1.0",),
    "hardsigmoid": ("a * 4",),
    "silu": (),
    "mish": (),
}

ROWS = {
    **{f"nn.functional.{name}": _of(name, *more) for name, more in _SETTINGS.items()},
    "nn.functional.threshold": [f"{F}.threshold(a, 0.5, 2.0)", f"{F}.threshold(k, 1.0, 0.0)"],
    "nn.functional.prelu": [f"{F}.prelu(a, v)", f"{F}.prelu(a, v[:1])", f"{F}.prelu(x, v[:2])"],
    "nn.functional.glu": [f"{F}.glu(x, 0)", f"{F}.glu(x, dim=1)"],
    "nn.functional.softmin": [f"{F}.softmin(a, 1)", f"{F}.softmin(a, dim=0)", f"{F}.softmin(x, -1)"],
}

INVALID = {
    "nn.functional.glu": [f"{F}.glu(a)", f"{F}.glu(s)"],
    "nn.functional.prelu": [f"{F}.prelu(a, v[:2])", f"{F}.prelu(a, 0.5)"],
    "nn.functional.gelu": [f"{F}.gelu(a, approximate='x')"],
    "nn.functional.softmin": [f"{F}.softmin(a, 2)"],
}

_SIXTH = "PyTorch's slope is 1/6 in single precision whatever the dtype, ours is in the dtype's own"
DEVIATIONS: dict[str, str] = {f"{F}.hardsigmoid({x})  # float64 gradient": _SIXTH for x in ("a", "k", "s", "a * 4")}

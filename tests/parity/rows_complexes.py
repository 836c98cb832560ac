"""Complex numbers, and masks of special numbers."""

from __future__ import annotations


def _of_one(name: str) -> list[str]:
    """A function of one tensor, without an in-place form."""
    return [*(f"lib.{name}({x})" for x in ("a", "n", "z")), *(f"{x}.{name}()" for x in ("a", "k", "n", "e", "s", "m"))]


ROWS = {
    **{
        name: _of_one(name)
        for name in ("isinf", "isposinf", "isneginf", "isreal", "signbit", "conj", "angle", "conj_physical")
    },
    "resolve_conj": ["lib.resolve_conj(a)", "z.resolve_conj()", "z.conj().resolve_conj()"],
    "is_complex": ["lib.is_complex(a)", "z.is_complex()", "m.is_complex()"],
    "complex": ["lib.complex(a, b)", "lib.complex(a, row)", "lib.complex(e, e)", "lib.complex(s, s)"],
    "polar": ["lib.polar(p, a)", "lib.polar(p, row)", "lib.polar(e, e)", "lib.polar(s, s)"],
}
ROWS["conj_physical"] += ["a.conj_physical_()", "z.conj_physical_()"]
ROWS["angle"] += ["z.angle()"]

INVALID = {
    **{name: [f"lib.{name}(1.0)"] for name in ("isinf", "isposinf", "isneginf", "isreal", "signbit", "conj", "angle")},
    "complex": ["lib.complex(a, 1.0)", "lib.complex(a, i)", "lib.complex(i, i)", "lib.complex(a, v[:2])"],
    "polar": ["lib.polar(a, 1.0)", "lib.polar(i, i)", "lib.polar(p, v[:2])"],
}

_HALF = "PyTorch answers in complex32, which this library does not have and NumPy cannot read"
DEVIATIONS: dict[str, str] = {f"{call}  # float16 error": _HALF for call in ROWS["complex"]}

"""Functions of one tensor, element by element: powers, logarithms, angles, special functions, rounding, signs."""

from __future__ import annotations

from tests.parity.rows import float_unary


def _inside(name: str) -> list[str]:
    """Of numbers between -1 and 1, and of others, where the result is NaN."""
    return [f"lib.{name}(u)", f"u.{name}()", f"u.{name}_()", *(f"{x}.{name}()" for x in ("a", "k", "n", "e", "s", "m"))]


ROWS = {
    **{
        name: float_unary(name)
        for name in (
            *("exp2", "expm1", "rsqrt", "reciprocal", "square", "tan", "atan", "arctan", "sinh", "cosh", "asinh"),
            *("arcsinh", "deg2rad", "rad2deg", "erf", "erfc", "lgamma", "digamma", "log10", "log1p"),
            *("absolute", "negative", "sgn", "sign", "floor", "ceil", "trunc", "fix", "frac", "round"),
        )
    },
    **{
        name: _inside(name)
        for name in ("asin", "arcsin", "acos", "arccos", "atanh", "arctanh", "acosh", "arccosh", "erfinv")
    },
    "positive": ["lib.positive(a)", "a.positive()", "e.positive()", "lib.positive(m)"],
}
ROWS["round"] += ["lib.round(a, decimals=1)", "a.round(decimals=-1)", "lib.round(k / 2)", "a.round_(decimals=1)"]

INVALID = {
    **{name: [f"lib.{name}(1.0)"] for name in ("exp2", "erf", "tan", "square", "sign", "positive", "deg2rad", "frac")},
    "floor": ["lib.floor(1.0)", "z.floor()", "m.floor()"],
    "round": ["lib.round(1.0)", "z.round()", "a.round(1)"],
}

_NAN = "PyTorch answers 0 or NaN, depending on the dtype: NaN has no sign, and stays NaN"
_TRIGAMMA = "PyTorch's trigamma is exact to about ten digits, and large instead of infinite at its poles"
DEVIATIONS: dict[str, str] = {
    **{
        f"lib.{name}(n)  # {dtype} value": _NAN
        for name in ("sgn", "sign")
        for dtype in ("float16", "float32", "float64")
    },
    **{f"{x}  # float64 second": _TRIGAMMA for x in ("lib.lgamma(a)", "a.lgamma()", "a.lgamma_()")},
    **{f"lib.lgamma({x})  # float64 second": _TRIGAMMA for x in "knsx"},
    **{f"{x}  # float64 gradient": _TRIGAMMA for x in ("lib.digamma(a)", "a.digamma()", "a.digamma_()")},
    **{f"lib.digamma({x})  # gradient": _TRIGAMMA for x in "knsxu"},
}

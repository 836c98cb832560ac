"""Exponentials and logarithms of other kinds, roots, the error function and the gamma function."""

from __future__ import annotations

import math

from .base import arg, ok
from .families import Broadcasting, Pointwise

__all__ = [
    "Digamma",
    "Erf",
    "Erfc",
    "Erfinv",
    "Exp2",
    "Expm1",
    "Lgamma",
    "Log1p",
    "Log10",
    "Reciprocal",
    "Rsqrt",
    "Zeta",
]  # fmt: skip

_SHAPES = [ok(arg(2, 3)), ok(arg()), ok(arg(0, 3))]
_POSITIVE = [ok(arg(2, 3, low=0.3)), ok(arg(low=0.3)), ok(arg(0, 3))]
_INSIDE = [ok(arg(4, values=[-0.8, -0.3, 0.2, 0.7])), ok(arg(values=0.4)), ok(arg(0, 3))]


class Exp2(Pointwise):
    """Power of two."""

    label, formula = "2ˣ", r"2^{x}"
    local = {"x": "g · out · ln 2"}
    samples = _SHAPES

    def forward(xp, x):
        return xp.exp2(x)

    def d_x(xp, g, out):
        return g * xp.conj(out) * math.log(2)


class Expm1(Pointwise):
    """Exponential minus one, exact near 0."""

    label, formula = "eˣ−1", r"e^{x} - 1"
    local = {"x": "g · (out + 1)"}
    samples = _SHAPES

    def forward(xp, x):
        return xp.expm1(x)

    def d_x(xp, g, out):
        return g * (xp.conj(out) + 1)


class Log10(Pointwise):
    """Logarithm to base 10."""

    label, formula = "log₁₀", r"\log_{10} x"
    local = {"x": "g / (x · ln 10)"}
    samples = _POSITIVE

    def forward(xp, x):
        return xp.log10(x)

    def d_x(xp, g, x):
        return xp.div(g, xp.conj(x) * math.log(10))


class Log1p(Pointwise):
    """Logarithm of one plus x, exact near 0."""

    label, formula = "ln(1+x)", r"\ln(1 + x)"
    local = {"x": "g / (1 + x)"}
    samples = _POSITIVE

    def forward(xp, x):
        return xp.log1p(x)

    def d_x(xp, g, x):
        return xp.div(g, xp.conj(x) + 1)


class Rsqrt(Pointwise):
    """One over the square root."""

    label, formula = "1/√", r"1/\sqrt{x}"
    local = {"x": "−g · out³ / 2"}
    samples = _POSITIVE

    def forward(xp, x):
        return xp.div(1, xp.sqrt(x))

    def d_x(xp, g, out):
        return g * xp.conj(out * out * out) * -0.5


class Reciprocal(Pointwise):
    """One over x."""

    label, formula = "1/x", r"1/x"
    local = {"x": "−g · out²"}
    samples = _POSITIVE

    def forward(xp, x):
        return xp.div(1, x)

    def d_x(xp, g, out):
        return -g * xp.conj(out * out)


class Erf(Pointwise):
    """The error function."""

    label, formula = "erf", r"\mathrm{erf}\, x"
    refuses = "c"
    local = {"x": "g · 2/√π · e^(−x²)"}
    samples = _SHAPES

    def forward(xp, x):
        return xp.erf(x)

    def d_x(xp, g, x):
        return g * xp.exp(-(x * x)) * (2 / math.sqrt(math.pi))


class Erfc(Pointwise):
    """One minus the error function, exact where that is near 1."""

    label, formula = "erfc", r"1 - \mathrm{erf}\, x"
    refuses = "c"
    local = {"x": "−g · 2/√π · e^(−x²)"}
    samples = _SHAPES

    def forward(xp, x):
        return xp.erfc(x)

    def d_x(xp, g, x):
        return g * xp.exp(-(x * x)) * (-2 / math.sqrt(math.pi))


class Erfinv(Pointwise):
    """Inverse of the error function."""

    label, formula = "erf⁻¹", r"\mathrm{erf}^{-1} x"
    refuses = "c"
    local = {"x": "g · √π/2 · e^(out²)"}
    samples = _INSIDE

    def forward(xp, x):
        return xp.erfinv(x)

    def d_x(xp, g, out):
        return g * xp.exp(out * out) * (math.sqrt(math.pi) / 2)


class Lgamma(Pointwise):
    """Logarithm of the gamma function's size."""

    label, formula = "lnΓ", r"\ln|\Gamma(x)|"
    refuses = "c"
    local = {"x": "g · ψ(x)"}
    samples = _POSITIVE

    def forward(xp, x):
        return xp.lgamma(x)

    def d_x(xp, g, x):
        return g * xp.digamma(x)


class Digamma(Pointwise):
    """Slope of the logarithm of the gamma function."""

    label, formula = "ψ", r"\psi(x)"
    refuses = "c"
    local = {"x": "g · ψ′(x)"}
    samples = _POSITIVE

    def forward(xp, x):
        return xp.digamma(x)

    def d_x(xp, g, x):
        return g * xp.zeta(2.0, x)


class Zeta(Broadcasting):
    """Hurwitz's zeta function: the sum of 1 / (x + k)ˢ over k = 0, 1, 2, …, for a number s that has no gradient."""

    label, formula = "ζ", r"\zeta(s, x)"
    floating = True
    refuses = "c"
    local = {"x": "−g · s · ζ(s + 1, x)"}
    samples = [ok(2.0, arg(2, 3, low=0.3)), ok(3.0, arg(low=0.3)), ok(2.0, arg(0, 3))]

    def forward(xp, s, x):
        return xp.zeta(s, x)

    def d_x(xp, g, s, x):
        return g * (-s * xp.zeta(s + 1, x))

"""Angles and their inverses, hyperbolic ones too, element by element."""

from __future__ import annotations

from .base import arg, ok
from .families import Pointwise, complex_numbers

__all__ = ["Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Cosh", "Sinh", "Tan"]  # fmt: skip

_SHAPES = [ok(arg(2, 3)), ok(arg()), ok(arg(0, 3))]
_INSIDE = [ok(arg(4, values=[-0.8, -0.3, 0.2, 0.7])), ok(arg(values=0.4)), ok(arg(0, 3))]
_BEYOND = [ok(arg(3, values=[1.3, 2.0, 4.5])), ok(arg(values=1.7)), ok(arg(0, 3))]


class Tan(Pointwise):
    """Tangent of an angle in radians."""

    label, formula = "tan", r"\tan x"
    local = {"x": "g · (1 + out²)"}
    samples = _SHAPES

    def forward(xp, x):
        return xp.tan(x)

    def d_x(xp, g, out):
        return g * xp.conj(1 + out * out)


class Asin(Pointwise):
    """The angle in [-π/2, π/2] whose sine is x."""

    label, formula = "asin", r"\arcsin x"
    local = {"x": "g / √(1 − x²)"}
    samples = _INSIDE

    def forward(xp, x):
        return xp.asin(x)

    def d_x(xp, g, x):
        return xp.div(g, xp.conj(xp.sqrt(1 - x * x)))


class Acos(Pointwise):
    """The angle in [0, π] whose cosine is x."""

    label, formula = "acos", r"\arccos x"
    local = {"x": "−g / √(1 − x²)"}
    samples = _INSIDE

    def forward(xp, x):
        return xp.acos(x)

    def d_x(xp, g, x):
        return -xp.div(g, xp.conj(xp.sqrt(1 - x * x)))


class Atan(Pointwise):
    """The angle in [-π/2, π/2] whose tangent is x."""

    label, formula = "atan", r"\arctan x"
    local = {"x": "g / (1 + x²)"}
    samples = _SHAPES

    def forward(xp, x):
        return xp.atan(x)

    def d_x(xp, g, x):
        return xp.div(g, xp.conj(1 + x * x))


class Sinh(Pointwise):
    """Hyperbolic sine."""

    label, formula = "sinh", r"\sinh x"
    local = {"x": "g · cosh x"}
    samples = _SHAPES

    def forward(xp, x):
        return xp.sinh(x)

    def d_x(xp, g, x):
        return g * xp.conj(xp.cosh(x))


class Cosh(Pointwise):
    """Hyperbolic cosine."""

    label, formula = "cosh", r"\cosh x"
    local = {"x": "g · sinh x"}
    samples = _SHAPES

    def forward(xp, x):
        return xp.cosh(x)

    def d_x(xp, g, x):
        return g * xp.conj(xp.sinh(x))


class Asinh(Pointwise):
    """Inverse hyperbolic sine."""

    label, formula = "asinh", r"\mathrm{arsinh}\, x"
    local = {"x": "g / √(x² + 1)"}
    samples = _SHAPES

    def forward(xp, x):
        return xp.asinh(x)

    def d_x(xp, g, x):
        return xp.div(g, xp.conj(xp.sqrt(x * x + 1)))


class Acosh(Pointwise):
    """Inverse hyperbolic cosine, for x of at least 1."""

    label, formula = "acosh", r"\mathrm{arcosh}\, x"
    local = {"x": "g / √((x − 1)(x + 1))"}
    samples = _BEYOND

    def forward(xp, x):
        return xp.acosh(x)

    def d_x(xp, g, x):
        if not complex_numbers(x):  # one root: below -1, where the value is NaN, the slope is a number as in PyTorch
            return xp.div(g, xp.sqrt(x * x - 1))
        return xp.div(g, xp.conj(xp.sqrt(x - 1) * xp.sqrt(x + 1)))


class Atanh(Pointwise):
    """Inverse hyperbolic tangent, for x between -1 and 1."""

    label, formula = "atanh", r"\mathrm{artanh}\, x"
    local = {"x": "g / (1 − x²)"}
    samples = _INSIDE

    def forward(xp, x):
        return xp.atanh(x)

    def d_x(xp, g, x):
        return xp.div(g, xp.conj(1 - x * x))

"""More element-wise functions: sine, cosine, the logarithm to base 2, the angle of a point, and what moves in steps."""

from __future__ import annotations

import math

from ..errors import UnsupportedDTypeError
from .base import arg, bad, ok
from .families import Broadcasting, Pointwise, complex_numbers, no_slope

__all__ = ["Atan2", "Cos", "Gate", "Log2", "Sign", "Sin"]

_SHAPES = [ok(arg(2, 3)), ok(arg()), ok(arg(0, 3))]


class Sin(Pointwise):
    """Sine of an angle in radians."""

    label, formula = "sin", r"\sin x"
    local = {"x": "g · cos x"}
    samples = _SHAPES

    def forward(xp, x):
        return xp.sin(x)

    def d_x(xp, g, x):
        return g * xp.conj(xp.cos(x))


class Cos(Pointwise):
    """Cosine of an angle in radians."""

    label, formula = "cos", r"\cos x"
    local = {"x": "−g · sin x"}
    samples = _SHAPES

    def forward(xp, x):
        return xp.cos(x)

    def d_x(xp, g, x):
        return -g * xp.conj(xp.sin(x))


class Log2(Pointwise):
    """Logarithm to base 2."""

    label, formula = "log₂", r"\log_2 x"
    local = {"x": "g / (x · ln 2)"}
    samples = [ok(arg(2, 3, low=0.3)), ok(arg(low=0.3)), ok(arg(0, 3))]

    def forward(xp, x):
        return xp.log2(x)

    def d_x(xp, g, x):
        return xp.div(g, xp.conj(x) * math.log(2))


def _share(xp, y, x):
    """1 / (x² + y²), and 0 at the origin, where no direction is right: so are the derivatives of this."""
    square = x * x + y * y
    origin = square == 0
    return xp.where(origin, 0.0, xp.div(1, xp.where(origin, 1.0, square)))


class Atan2(Broadcasting):
    """The angle of the point (x, y), seen from the origin, in [-π, π]; at the origin both gradients are 0."""

    label, formula = "atan2", r"\mathrm{atan2}(y, x)"
    floating = True
    local = {"y": "g · x / (x² + y²)", "x": "−g · y / (x² + y²)"}
    samples = [
        ok(arg(2, 3), arg(2, 3)),
        ok(arg(2, 3), arg(3, low=0.5)),
        ok(arg(4, 1, low=0.5), arg(1, 3)),
        ok(arg(low=0.5), arg(2)),
        ok(arg(0, 3), arg(3)),
        bad("ShapeError", "must match the size of tensor b", arg(2), arg(3)),
    ]

    def forward(xp, y, x):
        return xp.atan2(y, x)

    def d_y(xp, g, y, x):
        return g * (x * _share(xp, y, x))

    def d_x(xp, g, y, x):
        return g * (-y * _share(xp, y, x))

    @classmethod
    def explain(cls, arrays, params, error):
        if isinstance(error, TypeError) and any(getattr(getattr(a, "dtype", None), "kind", "") == "c" for a in arrays):
            return UnsupportedDTypeError("atan2 is not implemented for complex numbers: it takes two real coordinates")
        return super().explain(arrays, params, error)


# --------------------------------------------------------------------------------- slopes of 0


class Sign(Pointwise):
    """The direction of x: -1, 0 or 1, so real numbers have the slope 0; x / |x| for complex ones, which can turn."""

    label, formula = "sign", r"\mathrm{sign}\, x"
    floating = False
    local = {"x": "0"}
    samples = _SHAPES

    def forward(xp, x):
        return xp.sign(x)

    def d_x(xp, g, x, out):
        if not complex_numbers(x):
            return no_slope(xp, g)
        size = xp.abs(x)
        along = out * ((xp.conj(out) * g + out * xp.conj(g)) / 2)
        return xp.where(size == 0, 0.0, (g - along) / xp.where(size == 0, 1.0, size))


class Gate(Broadcasting):
    """x where the switch y is above 0, else 0: what Relu does to a gradient. It moves with y in steps: a slope of 0."""

    label, formula = "gate", r"x\,[y > 0]"
    linear = (("x",),)
    local = {"x": "g where y > 0, else 0", "y": "0"}
    samples = [ok(arg(2, 3), arg(2, 3)), ok(arg(), arg()), ok(arg(0, 3), arg(0, 3))]

    def forward(xp, x, y):
        return xp.gate(x, y)

    def d_x(xp, g, y):
        return xp.gate(g, y)

    def d_y(xp, g):
        return no_slope(xp, g)

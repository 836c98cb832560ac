"""More ops of two or three operands: rounded quotients and their remainders, larger and smaller, bounds, and mixtures.

What moves in steps has the slope 0, or, as a remainder does, the slope of what lies between two steps.
"""

from __future__ import annotations

from .base import arg, bad, ok
from .families import Broadcasting, complex_numbers, no_slope

__all__ = [
    "Clamp", "ClampMax", "ClampMin", "CopySign", "FloorDivide", "Fmax", "Fmin", "Fmod", "Hypot", "Lerp", "LogAddExp",
    "LogAddExp2", "Remainder", "TruncDivide", "Xlogy",
]  # fmt: skip

_UNEQUAL = bad("ShapeError", "must match the size of tensor b", arg(2), arg(3))
_PAIRS = [ok(arg(2, 3), arg(2, 3)), ok(arg(4, 1), arg(1, 3)), ok(arg(), arg(2)), ok(arg(0, 3), arg(3)), _UNEQUAL]
_MIXED = arg(4, values=[-1.7, -0.4, 0.6, 1.9])
_STEPS = [
    ok(_MIXED, arg(4, values=[0.5, -0.9, 1.5, 0.8])),
    ok(arg(2, 1, values=[[5.3], [-4.6]]), arg(3, values=[1.0, 2.0, -3.0])),
    ok(arg(values=2.3), arg(2, values=[0.7, -0.7])),
    ok(_MIXED, 0.75),
    ok(arg(0, 3), arg(3, low=0.5)),
    _UNEQUAL,
]


def _is_whole(x):
    """Whether an array of any namespace holds whole numbers."""
    dtype = getattr(x, "dtype", None)
    return getattr(getattr(dtype, "numpy", dtype), "kind", "iu" if isinstance(x, int) else "f") in "iu"


def _truncated(xp, x, y):
    """x / y without what follows the point. (An infinite quotient has no remainder, so it is kept.)"""
    if _is_whole(x) and _is_whole(y):
        return xp.floor_divide(x - xp.fmod(x, y), y)
    quotient = xp.div(x, y)
    return xp.where(quotient - quotient == 0, quotient - xp.fmod(quotient, 1), quotient)


# --------------------------------------------------------------------------- quotients and remainders


class FloorDivide(Broadcasting):
    """The quotient x / y, rounded down; it moves in steps, so its slopes are 0."""

    label, formula = "⌊x/y⌋", r"\lfloor x / y \rfloor"
    refuses = "bc"
    local = {"x": "0", "y": "0"}
    samples = _STEPS

    def forward(xp, x, y):
        return xp.floor_divide(x, y)

    def d_x(xp, g):
        return no_slope(xp, g)

    def d_y(xp, g):
        return no_slope(xp, g)


class TruncDivide(Broadcasting):
    """The quotient x / y, rounded towards 0; it moves in steps, so its slopes are 0."""

    label, formula = "trunc", r"\mathrm{trunc}(x / y)"
    refuses = "bc"
    local = {"x": "0", "y": "0"}
    samples = _STEPS

    def forward(xp, x, y):
        return _truncated(xp, x, y)

    def d_x(xp, g):
        return no_slope(xp, g)

    def d_y(xp, g):
        return no_slope(xp, g)


class Remainder(Broadcasting):
    """What is left of x after whole steps of y, x - y ⌊x / y⌋: it has the sign of y."""

    label, formula = "%", r"x - y \lfloor x / y \rfloor"
    infix = True
    refuses = "bc"
    local = {"x": "g", "y": "−g · ⌊x / y⌋"}
    samples = _STEPS

    def forward(xp, x, y):
        return xp.remainder(x, y)

    def d_x(xp, g):
        return g

    def d_y(xp, g, x, y):
        return -g * xp.stop(xp.floor_divide(x, y))


class Fmod(Broadcasting):
    """What is left of x after whole steps of y towards 0, x - y trunc(x / y): it has the sign of x."""

    label, formula = "fmod", r"x - y\,\mathrm{trunc}(x / y)"
    refuses = "bc"
    local = {"x": "g", "y": "−g · trunc(x / y)"}
    samples = _STEPS

    def forward(xp, x, y):
        return xp.fmod(x, y)

    def d_x(xp, g):
        return g

    def d_y(xp, g, x, y):
        return -g * xp.stop(_truncated(xp, x, y))


# ------------------------------------------------------------------------------------ larger, smaller


class Fmax(Broadcasting):
    """The larger of two, and the number where the other is NaN; of equals the first gets the gradient."""

    label, formula = "fmax", r"\max(x, y)"
    refuses = "c"
    local = {"x": "g where x >= y or y is NaN", "y": "g elsewhere"}
    samples = _PAIRS

    def forward(xp, x, y):
        return xp.fmax(x, y)

    def d_x(xp, g, x, y):
        return xp.where(x >= y, g, xp.where(y != y, g, 0.0))

    def d_y(xp, g, x, y):
        return xp.where(x >= y, 0.0, xp.where(y != y, 0.0, g))


class Fmin(Broadcasting):
    """The smaller of two, and the number where the other is NaN; of equals the first gets the gradient."""

    label, formula = "fmin", r"\min(x, y)"
    refuses = "c"
    local = {"x": "g where x <= y or y is NaN", "y": "g elsewhere"}
    samples = _PAIRS

    def forward(xp, x, y):
        return xp.fmin(x, y)

    def d_x(xp, g, x, y):
        return xp.where(x <= y, g, xp.where(y != y, g, 0.0))

    def d_y(xp, g, x, y):
        return xp.where(x <= y, 0.0, xp.where(y != y, 0.0, g))


_BOUNDED = arg(5, values=[-1.5, -0.3, 0.2, 0.9, 1.8])


class ClampMin(Broadcasting):
    """x, but at least `low`; where they are equal x gets the gradient."""

    label, formula = "clamp ≥", r"\max(x, l)"
    refuses = "c"
    local = {"x": "g where x >= low", "low": "g where x < low"}
    samples = [ok(_BOUNDED, -0.5), ok(_BOUNDED, arg(values=0.4)), *_PAIRS]

    def forward(xp, x, low):
        return xp.maximum(x, low)

    def d_x(xp, g, x, low):
        return xp.where(x >= low, g, 0.0)

    def d_low(xp, g, x, low):
        return xp.where(x < low, g, 0.0)


class ClampMax(Broadcasting):
    """x, but at most `high`; where they are equal x gets the gradient."""

    label, formula = "clamp ≤", r"\min(x, h)"
    refuses = "c"
    local = {"x": "g where x <= high", "high": "g where x > high"}
    samples = [ok(_BOUNDED, 0.5), ok(_BOUNDED, arg(values=0.4)), *_PAIRS]

    def forward(xp, x, high):
        return xp.minimum(x, high)

    def d_x(xp, g, x, high):
        return xp.where(x <= high, g, 0.0)

    def d_high(xp, g, x, high):
        return xp.where(x > high, g, 0.0)


class Clamp(Broadcasting):
    """x between `low` and `high`: the gradient goes to x inside, on the bounds too, else to the bound that is taken.

    Where low > high, the result is high.
    """

    label, formula = "clamp", r"\min(\max(x, l), h)"
    refuses = "c"
    local = {
        "x": "g where low <= x <= high",
        "low": "g where x < low < high",
        "high": "g where x > high or low > high",
    }
    samples = [
        ok(_BOUNDED, -0.5, 1.0),
        ok(_BOUNDED, arg(values=-0.7), arg(5, low=0.4)),
        ok(_BOUNDED, arg(values=0.7), arg(values=-0.4)),
        ok(arg(4, 1), arg(3, low=-2.0, high=-0.5), arg(1, 3, low=0.5)),
        ok(arg(0, 3), -1.0, 1.0),
        bad("ShapeError", "must match the size of tensor b", arg(2), arg(3), arg(2)),
    ]

    def forward(xp, x, low, high):
        return xp.minimum(xp.maximum(x, low), high)

    def d_x(xp, g, x, low, high):
        return xp.where(x >= low, xp.where(x <= high, g, 0.0), 0.0)

    def d_low(xp, g, x, low, high):
        return xp.where(x < low, xp.where(low < high, g, 0.0), 0.0)

    def d_high(xp, g, x, low, high):
        return xp.where(x > high, g, xp.where(high < low, g, 0.0))


# ----------------------------------------------------------------------------------- smooth functions


class Hypot(Broadcasting):
    """The longest side of a right triangle, √(x² + y²), without overflow in between."""

    label, formula = "hypot", r"\sqrt{x^{2} + y^{2}}"
    floating = True
    refuses = "c"
    local = {"x": "g · x / out", "y": "g · y / out"}
    samples = [ok(arg(2, 3, low=0.3), arg(2, 3)), ok(arg(4, 1, low=0.5), arg(3)), ok(arg(low=0.3), arg(2)),
               ok(arg(0, 3), arg(3)), _UNEQUAL]  # fmt: skip

    def forward(xp, x, y):
        return xp.hypot(x, y)

    def d_x(xp, g, x, out):
        return g * xp.div(x, out)

    def d_y(xp, g, y, out):
        return g * xp.div(y, out)


class LogAddExp(Broadcasting):
    """The logarithm of a sum of exponentials, ln(eˣ + eʸ), without overflow in between."""

    label, formula = "logaddexp", r"\ln(e^{x} + e^{y})"
    floating = True
    local = {"x": "g / (1 + e^(y − x))", "y": "g / (1 + e^(x − y))"}
    samples = _PAIRS

    def forward(xp, x, y):
        if not complex_numbers(x):
            return xp.logaddexp(x, y)
        first = xp.abs(xp.exp(x - y)) >= 1
        large, small = xp.where(first, x, y), xp.where(first, y, x)
        return large + xp.log(1 + xp.exp(small - large))

    def d_x(xp, g, x, y):
        return xp.div(g, xp.conj(1 + xp.exp(y - x)))

    def d_y(xp, g, x, y):
        return xp.div(g, xp.conj(1 + xp.exp(x - y)))


class LogAddExp2(Broadcasting):
    """The logarithm to base 2 of a sum of powers of 2, log₂(2ˣ + 2ʸ), without overflow in between."""

    label, formula = "logaddexp2", r"\log_2(2^{x} + 2^{y})"
    floating = True
    refuses = "c"
    local = {"x": "g / (1 + 2^(y − x))", "y": "g / (1 + 2^(x − y))"}
    samples = _PAIRS

    def forward(xp, x, y):
        return xp.logaddexp2(x, y)

    def d_x(xp, g, x, y):
        return xp.div(g, 1 + xp.pow(2.0, y - x))

    def d_y(xp, g, x, y):
        return xp.div(g, 1 + xp.pow(2.0, x - y))


class Xlogy(Broadcasting):
    """x ln y, and 0 where x is 0, whatever y is (but NaN)."""

    label, formula = "xlogy", r"x \ln y"
    floating = True
    refuses = "c"
    local = {"x": "g · ln y", "y": "g · x / y"}
    samples = [
        ok(arg(2, 3), arg(2, 3, low=0.3)),
        ok(arg(4, 1), arg(3, low=0.3)),
        ok(arg(), arg(2, low=0.3)),
        ok(arg(2, values=[0.0, 1.0]), arg(2, low=0.3)),
        ok(arg(0, 3), arg(3)),
        _UNEQUAL,
    ]

    def forward(xp, x, y):
        return xp.xlogy(x, y)

    def d_x(xp, g, x, y):
        slope = g * xp.log(y)
        return xp.where(x == 0, xp.where(y <= 0, 0.0, slope), slope)

    def d_y(xp, g, x, y):
        return xp.div(g * x, y)


class CopySign(Broadcasting):
    """The size of x with the sign of y."""

    label, formula = "copysign", r"|x|\,\mathrm{sign}\,y"
    floating = True
    refuses = "c"
    local = {"x": "g · out / x, 0 where x is 0", "y": "0"}
    samples = [ok(arg(2, 3, low=0.3), arg(2, 3)), ok(arg(4, 1, high=-0.3), arg(1, 3)), ok(arg(low=0.3), arg(2)),
               ok(arg(2, 3, low=0.3), -1.0), ok(arg(0, 3), arg(3)), _UNEQUAL]  # fmt: skip

    def forward(xp, x, y):
        return xp.copysign(x, y)

    def d_x(xp, g, x, out):
        return g * xp.stop(xp.where(x == 0, 0.0, xp.div(out, x)))

    def d_y(xp, g):
        return no_slope(xp, g)


class Lerp(Broadcasting):
    """A mixture of two, x + w (y - x): x where w is 0, y where w is 1, exactly."""

    label, formula = "lerp", r"x + w\,(y - x)"
    refuses = "biu"
    local = {"x": "g · (1 − w)", "y": "g · w", "w": "g · (y − x)"}
    samples = [
        ok(arg(2, 3), arg(2, 3), 0.25),
        ok(arg(2, 3), arg(3), 0.75),
        ok(arg(4, 1), arg(1, 3), arg(3, low=-0.5, high=1.5)),
        ok(arg(), arg(), arg(2)),
        ok(arg(0, 3), arg(3), arg()),
        bad("ShapeError", "must match the size of tensor b", arg(2), arg(3), 0.5),
    ]

    def forward(xp, x, y, w):
        way = y - x
        near, far = x + w * way, y - way * (1 - w)
        if isinstance(w, (int, float, complex)):
            return near if abs(w) < 0.5 else far
        return xp.where(xp.abs(w) < 0.5, near, far)

    def d_x(xp, g, w):
        return g * xp.conj(1 - w)

    def d_y(xp, g, w):
        return g * xp.conj(w)

    def d_w(xp, g, x, y):
        return g * xp.conj(y - x)

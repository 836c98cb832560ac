"""Element-wise ops. In each rule `g` is the gradient that arrived, ∂L/∂out."""

from __future__ import annotations

import math

from ..errors import DTypeError, UnsupportedDTypeError
from .base import arg, bad, ok
from .families import Broadcasting, Pointwise, complex_numbers, no_slope

__all__ = [
    "Abs", "Add", "Cast", "Clone", "Conj", "Div", "Exp", "Log", "Maximum", "Minimum", "Mul", "Neg", "Pow", "Relu",
    "Sigmoid", "Sqrt", "Sub", "Tanh", "Where",
]  # fmt: skip

_PAIRS = [
    ok(arg(2, 3), arg(2, 3)),
    ok(arg(2, 3), arg(3)),
    ok(arg(4, 1), arg(1, 3)),
    ok(arg(), arg(2)),
    ok(arg(0, 3), arg(3)),
    ok(arg(2, 3), 2.5),
    bad("ShapeError", "must match the size of tensor b", arg(2), arg(3)),
]
_SHAPES = [ok(arg(2, 3)), ok(arg()), ok(arg(0, 3))]
_POSITIVE = [ok(arg(2, 3, low=0.3)), ok(arg(low=0.3)), ok(arg(0, 3))]


# ------------------------------------------------------------------------------------- two operands


def _is_bool(x):
    return isinstance(x, bool) or getattr(getattr(x, "dtype", None), "kind", "") == "b"


class Add(Broadcasting):
    """Sum, x + y."""

    label, formula = "+", r"x + y"
    infix = True
    local = {"x": "g", "y": "g"}
    samples = _PAIRS

    def forward(xp, x, y):
        return x + y

    def d_x(xp, g):
        return g

    def d_y(xp, g):
        return g


class Sub(Broadcasting):
    """Difference, x - y."""

    label, formula = "−", r"x - y"
    infix = True
    local = {"x": "g", "y": "−g"}
    samples = _PAIRS

    def forward(xp, x, y):
        return x - y

    def d_x(xp, g):
        return g

    def d_y(xp, g):
        return -g

    @classmethod
    def check(cls, arrays, dtype):
        if bools := sum(map(_is_bool, arrays)):
            raise DTypeError(
                f"Subtraction, the `-` operator, with {'two bool tensors' if bools > 1 else 'a bool tensor'} is not "
                "supported: compare them (a != b), invert a mask with ~m, or convert with m.long() first"
            )


class Mul(Broadcasting):
    """Element-wise product, x · y."""

    label, formula = "×", r"x \cdot y"
    infix = True
    local = {"x": "g · y", "y": "g · x"}
    samples = _PAIRS

    def forward(xp, x, y):
        return x * y

    def d_x(xp, g, y):
        return g * xp.conj(y)

    def d_y(xp, g, x):
        return g * xp.conj(x)


class Div(Broadcasting):
    """Quotient, x / y."""

    label, formula = "÷", r"x / y"
    infix = True
    floating = True
    local = {"x": "g / y", "y": "−g · x / y²"}
    samples = [
        ok(arg(2, 3), arg(2, 3, low=0.5)),
        ok(arg(2, 3), arg(3, low=0.5)),
        ok(arg(), arg(2, low=0.5)),
        ok(arg(2, 3), 2.5),
        ok(2.0, arg(3, low=0.5)),
        ok(arg(0, 3), arg(3, low=0.5)),
        bad("ShapeError", "must match the size of tensor b", arg(2), arg(3)),
    ]

    def forward(xp, x, y):
        return xp.div(x, y)

    def d_x(xp, g, y):
        return xp.div(g, xp.conj(y))

    def d_y(xp, g, x, y):
        return -xp.div(g * xp.conj(xp.div(x, y)), xp.conj(y))


class Pow(Broadcasting):
    """Power, x ** y.

    At the edges the rule is PyTorch's: d(x**0)/dx = 0 everywhere, d(0**y)/dy = 0 for real y >= 0.
    """

    label, formula = "xʸ", r"x^{y}"
    local = {"x": "g · y · xʸ⁻¹", "y": "g · xʸ · ln x"}
    samples = [
        ok(arg(2, 3, low=0.3), 3),
        ok(arg(2, 3, low=0.3), 2.5),
        ok(arg(2, 3), 2),
        ok(arg(2, 3, low=0.3), arg(3)),
        ok(2.0, arg(3)),
        ok(arg(), 3),
        ok(arg(0, 3), 2.5),
        bad("ShapeError", "must match the size of tensor b", arg(2), arg(3)),
    ]

    def forward(xp, x, y):
        return xp.pow(x, y)

    def d_x(xp, g, x, y):
        if isinstance(y, (int, float)):
            return no_slope(xp, g) if y == 0 else g * xp.conj(y * xp.pow(x, y - 1))
        return xp.where(y == 0, 0.0, g * xp.conj(y * xp.pow(x, y - 1)))

    def d_y(xp, g, x, y, out):
        flat = y == xp.abs(y) if complex_numbers(y) else y >= 0
        if isinstance(x, (int, float)):
            slope = g * xp.conj(out * _ln(x))
            return xp.where(flat, 0.0, slope) if x == 0 else slope
        slope = g * xp.conj(out * xp.log(x))
        return xp.where(x == 0, xp.where(flat, 0.0, slope), slope)

    @classmethod
    def check(cls, arrays, dtype):
        if dtype.kind == "b":
            raise UnsupportedDTypeError("pow is not implemented for bool numbers: convert with m.long() first")
        if dtype.kind in "iu" and isinstance(arrays[1], int) and arrays[1] < 0:  # an array of powers may be negative
            raise DTypeError("Integers to negative integer powers are not allowed: convert with x.float() first")


def _ln(number):  # -inf at 0, NaN below, as for tensors
    return math.log(number) if number > 0 else -math.inf if number == 0 else math.nan


class Maximum(Broadcasting):
    """The larger of two, max(x, y); equals each get half of the gradient, and by a NaN both get all of it."""

    label, formula = "max", r"\max(x, y)"
    local = {"x": "g where x > y, g/2 where equal", "y": "g where y > x, g/2 where equal"}
    samples = _PAIRS

    def forward(xp, x, y):
        return xp.maximum(x, y)

    def d_x(xp, g, x, y):
        return xp.where(x == y, g / 2, xp.where(x < y, 0.0, g))

    def d_y(xp, g, x, y):
        return xp.where(x == y, g / 2, xp.where(x > y, 0.0, g))


class Minimum(Broadcasting):
    """The smaller of two, min(x, y); equals each get half of the gradient, and by a NaN both get all of it."""

    label, formula = "min", r"\min(x, y)"
    local = {"x": "g where x < y, g/2 where equal", "y": "g where y < x, g/2 where equal"}
    samples = _PAIRS

    def forward(xp, x, y):
        return xp.minimum(x, y)

    def d_x(xp, g, x, y):
        return xp.where(x == y, g / 2, xp.where(x > y, 0.0, g))

    def d_y(xp, g, x, y):
        return xp.where(x == y, g / 2, xp.where(x < y, 0.0, g))


class Where(Broadcasting):
    """x where the condition c holds, else y. The branch not taken receives 0, not 0 times its derivative."""

    label, formula = "where", r"c\,?\,x : y"
    promote_from = 1
    local = {"x": "g where c, else 0", "y": "0 where c, else g"}
    samples = [
        ok(arg(2, 3, kind="bool"), arg(2, 3), arg(2, 3)),
        ok(arg(3, kind="bool"), arg(2, 3), arg()),
        ok(arg(2, 3, kind="bool"), arg(2, 3), 0.0),
        ok(arg(0, 3, kind="bool"), arg(0, 3), arg(3)),
    ]

    def forward(xp, c, x, y):
        return xp.where(c, x, y)

    def d_x(xp, g, c):
        return xp.where(c, g, 0.0)

    def d_y(xp, g, c):
        return xp.where(c, 0.0, g)


# -------------------------------------------------------------------------------------- one operand


class Neg(Pointwise):
    """Negative, -x."""

    label, formula = "−", r"-x"
    linear = (("x",),)
    floating = False
    local = {"x": "−g"}
    samples = _SHAPES

    def forward(xp, x):
        return -x

    def d_x(xp, g):
        return -g

    @classmethod
    def explain(cls, arrays, params, error):
        if isinstance(error, TypeError) and "boolean" in str(error):
            return DTypeError("Negation, the `-` operator, on a bool tensor is not supported: invert a mask with ~x")
        return error


class Abs(Pointwise):
    """Absolute value, |x|; its gradient at 0 is 0."""

    label, formula = "|x|", r"|x|"
    floating = False
    local = {"x": "g · sign(x)"}
    samples = _SHAPES

    def forward(xp, x):
        return xp.abs(x)

    def d_x(xp, g, x):
        return g * xp.sign(x)


class Exp(Pointwise):
    """Exponential, e to the x."""

    label, formula = "exp", r"e^{x}"
    local = {"x": "g · out"}
    samples = _SHAPES

    def forward(xp, x):
        return xp.exp(x)

    def d_x(xp, g, out):
        return g * xp.conj(out)


class Log(Pointwise):
    """Natural logarithm, ln x."""

    label, formula = "ln", r"\ln x"
    local = {"x": "g / x"}
    samples = _POSITIVE

    def forward(xp, x):
        return xp.log(x)

    def d_x(xp, g, x):
        return xp.div(g, xp.conj(x))


class Sqrt(Pointwise):
    """Square root; its gradient at 0 is infinite."""

    label, formula = "√", r"\sqrt{x}"
    local = {"x": "g / (2 · out)"}
    samples = _POSITIVE

    def forward(xp, x):
        return xp.sqrt(x)

    def d_x(xp, g, out):
        return xp.div(g, 2 * xp.conj(out))


class Tanh(Pointwise):
    """Hyperbolic tangent."""

    label, formula = "tanh", r"\tanh x"
    local = {"x": "g · (1 − out²)"}
    samples = _SHAPES

    def forward(xp, x):
        return xp.tanh(x)

    def d_x(xp, g, out):
        return g * xp.conj(1 - out * out)


class Sigmoid(Pointwise):
    """Logistic function, 1 / (1 + e^-x)."""

    label, formula = "σ", r"\frac{1}{1 + e^{-x}}"
    local = {"x": "g · out · (1 − out)"}
    samples = _SHAPES

    def forward(xp, x):
        return xp.sigmoid(x)

    def d_x(xp, g, out):
        return g * xp.conj(out * (1 - out))


class Relu(Pointwise):
    """Rectifier, max(x, 0); its gradient at 0 is 0."""

    label, formula = "relu", r"\max(x, 0)"
    floating = False
    local = {"x": "g where out > 0, else 0"}
    samples = _SHAPES

    def forward(xp, x):
        return xp.relu(x)

    def d_x(xp, g, out):
        return xp.gate(g, out)


class Clone(Pointwise):
    """A copy with memory of its own; the gradient passes unchanged."""

    label, formula = "clone", r"x"
    linear = (("x",),)
    floating = False
    local = {"x": "g"}
    samples = _SHAPES

    def forward(xp, x):
        return xp.copy(x)

    def d_x(xp, g):
        return g


class Conj(Pointwise):
    """Complex conjugate; the identity for real numbers."""

    label, formula = "conj", r"\bar{x}"
    linear = (("x",),)
    floating = False
    local = {"x": "conj(g)"}
    samples = _SHAPES

    def forward(xp, x):
        return xp.conj(x)

    def d_x(xp, g):
        return xp.conj(g)


class Cast(Pointwise):
    """The same values in another dtype; the gradient is cast back at the engine's edge."""

    label, formula = "cast", r"x"
    linear = (("x",),)
    floating = False
    fits = True
    local = {"x": "g, cast back"}
    samples = [ok(arg(2, 3), dtype="float64"), ok(arg(), dtype="float64"), ok(arg(0, 3), dtype="float64")]

    def forward(xp, x, *, dtype):
        return xp.cast(x, dtype)

    def d_x(xp, g):
        return g

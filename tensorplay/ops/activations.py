"""Activation functions of networks, element by element."""

from __future__ import annotations

import math

from .base import arg, ok
from .families import Pointwise

__all__ = [
    "Elu", "Gelu", "HardShrink", "HardSigmoid", "HardSwish", "HardTanh", "LeakyRelu", "LogSigmoid", "Silu",
    "SoftPlus", "SoftShrink", "SoftSign", "Threshold",
]  # fmt: skip


class Threshold(Pointwise):
    """x above a threshold, else a fixed value."""

    label, formula = "threshold", r"x > t\,?\,x : v"
    refuses = "c"
    local = {"x": "g where x > t, else 0"}
    samples = [
        ok(arg(5, values=[-2.5, -0.7, 0.3, 0.8, 4.1]), threshold=0.1, value=2.0),
        ok(arg(values=0.4), threshold=0.1, value=2.0),
        ok(arg(0, 3), threshold=0.1, value=2.0),
    ]

    def forward(xp, x, *, threshold, value):
        return xp.where(x <= threshold, value, x)

    def d_x(xp, g, x, threshold):
        return xp.where(x <= threshold, 0.0, g)


class HardTanh(Pointwise):
    """x, held between two bounds."""

    label, formula = "hardtanh", r"\min(\max(x, a), b)"
    refuses = "c"
    local = {"x": "g inside, else 0"}
    samples = [
        ok(arg(5, values=[-2.5, -0.7, 0.3, 0.8, 4.1]), low=-1.0, high=1.0),
        ok(arg(values=0.4), low=-1.0, high=1.0),
        ok(arg(0, 3), low=-1.0, high=1.0),
    ]

    def forward(xp, x, *, low, high):
        return xp.where(x < low, low, xp.where(x > high, high, x))

    def d_x(xp, g, x, low, high):
        return xp.where(x <= low, 0.0, xp.where(x >= high, 0.0, g))


class Elu(Pointwise):
    """Exponential linear unit."""

    label, formula = "elu", r"x > 0\,?\,cx : a(e^{bx} - 1)"
    refuses = "c"
    local = {"x": "g · c above 0, else g · a b e^(b x)"}
    samples = [
        ok(arg(5, values=[-2.5, -0.7, 0.3, 0.8, 4.1]), alpha=1.5, scale=1.1, speed=0.8),
        ok(arg(values=0.4), alpha=1.5, scale=1.1, speed=0.8),
        ok(arg(0, 3), alpha=1.5, scale=1.1, speed=0.8),
    ]

    def forward(xp, x, *, alpha, scale, speed):
        return xp.where(x <= 0, scale * alpha * xp.expm1(speed * xp.where(x <= 0, x, 0.0)), scale * x)

    def d_x(xp, g, x, alpha, scale, speed):
        return g * xp.where(x <= 0, scale * alpha * speed * xp.exp(speed * xp.where(x <= 0, x, 0.0)), scale)


class LeakyRelu(Pointwise):
    """x above 0, a small multiple of it below."""

    label, formula = "leaky_relu", r"x > 0\,?\,x : sx"
    refuses = "c"
    local = {"x": "g above 0, else g · s"}
    samples = [
        ok(arg(5, values=[-2.5, -0.7, 0.3, 0.8, 4.1]), slope=0.1),
        ok(arg(values=0.4), slope=0.1),
        ok(arg(0, 3), slope=0.1),
    ]

    def forward(xp, x, *, slope):
        return xp.where(x > 0, x, x * slope)

    def d_x(xp, g, x, slope):
        return xp.where(x > 0, g, g * slope)


class Gelu(Pointwise):
    """x times the normal distribution's share below it."""

    label, formula = "gelu", r"x\,\Phi(x)"
    refuses = "c"
    local = {"x": "g · (Φ(x) + x φ(x))"}
    samples = [ok(arg(5, values=[-2.5, -0.7, 0.3, 0.8, 4.1])), ok(arg(values=0.4)), ok(arg(0, 3))]

    def forward(xp, x):
        return x * 0.5 * xp.erfc(x * -math.sqrt(0.5))

    def d_x(xp, g, x):
        return g * (0.5 * xp.erfc(x * -math.sqrt(0.5)) + x * xp.exp(x * x * -0.5) * (1 / math.sqrt(2 * math.pi)))


class LogSigmoid(Pointwise):
    """Logarithm of the logistic function."""

    label, formula = "ln σ", r"\ln \sigma(x)"
    refuses = "c"
    local = {"x": "g · σ(−x)"}
    samples = [ok(arg(5, values=[-2.5, -0.7, 0.3, 0.8, 4.1])), ok(arg(values=0.4)), ok(arg(0, 3))]

    def forward(xp, x):
        return xp.minimum(x, 0) - xp.log1p(xp.exp(-xp.abs(x)))

    def d_x(xp, g, x):
        return g * xp.sigmoid(-x)


class HardShrink(Pointwise):
    """x, or 0 within λ of 0."""

    label, formula = "hardshrink", r"|x| > \lambda\,?\,x : 0"
    refuses = "c"
    local = {"x": "g where |x| > λ, else 0"}
    samples = [
        ok(arg(5, values=[-2.5, -0.7, 0.3, 0.8, 4.1]), lambd=0.5),
        ok(arg(values=0.4), lambd=0.5),
        ok(arg(0, 3), lambd=0.5),
    ]

    def forward(xp, x, *, lambd):
        return xp.where(xp.abs(x) <= lambd, 0.0, x)

    def d_x(xp, g, x, lambd):
        return xp.where(xp.abs(x) <= lambd, 0.0, g)


class SoftShrink(Pointwise):
    """x, moved towards 0 by λ."""

    label, formula = "softshrink", r"\mathrm{sign}(x)\max(|x| - \lambda, 0)"
    refuses = "c"
    local = {"x": "g where |x| > λ, else 0"}
    samples = [
        ok(arg(5, values=[-2.5, -0.7, 0.3, 0.8, 4.1]), lambd=0.5),
        ok(arg(values=0.4), lambd=0.5),
        ok(arg(0, 3), lambd=0.5),
    ]

    def forward(xp, x, *, lambd):
        return xp.where(x > lambd, x - lambd, xp.where(x < -lambd, x + lambd, x * 0.0))

    def d_x(xp, g, x, lambd):
        return xp.where(xp.abs(x) <= lambd, 0.0, g)


class SoftSign(Pointwise):
    """x / (1 + |x|)."""

    label, formula = "softsign", r"x / (1 + |x|)"
    refuses = "c"
    local = {"x": "g / (1 + |x|)²"}
    samples = [ok(arg(5, values=[-2.5, -0.7, 0.3, 0.8, 4.1])), ok(arg(values=0.4)), ok(arg(0, 3))]

    def forward(xp, x):
        return xp.div(x, 1 + xp.abs(x))

    def d_x(xp, g, x):
        return xp.div(g, (1 + xp.abs(x)) * (1 + xp.abs(x)))


class SoftPlus(Pointwise):
    """A smooth rectifier, ln(1 + e^(βx)) / β."""

    label, formula = "softplus", r"\ln(1 + e^{\beta x}) / \beta"
    refuses = "c"
    local = {"x": "g · σ(β x)"}
    samples = [
        ok(arg(5, values=[-2.5, -0.7, 0.3, 0.8, 4.1]), beta=1.5, threshold=20.0),
        ok(arg(values=0.4), beta=1.5, threshold=20.0),
        ok(arg(0, 3), beta=1.5, threshold=20.0),
    ]

    def forward(xp, x, *, beta, threshold):
        return xp.where(
            x * beta > threshold, x, xp.div(xp.maximum(x * beta, 0) + xp.log1p(xp.exp(-xp.abs(x * beta))), beta)
        )

    def d_x(xp, g, x, beta, threshold):
        return xp.where(x * beta > threshold, g, g * xp.sigmoid(x * beta))


class HardSigmoid(Pointwise):
    """A sigmoid of three straight pieces."""

    label, formula = "hardsigmoid", r"\min(\max(x + 3, 0), 6) / 6"
    refuses = "c"
    local = {"x": "g / 6 between −3 and 3, else 0"}
    samples = [ok(arg(5, values=[-2.5, -0.7, 0.3, 0.8, 4.1])), ok(arg(values=0.4)), ok(arg(0, 3))]

    def forward(xp, x):
        return xp.minimum(xp.maximum(x + 3, 0), 6) / 6

    def d_x(xp, g, x):
        return xp.where(xp.abs(x) < 3, g / 6, 0.0)


class HardSwish(Pointwise):
    """x times the hard sigmoid."""

    label, formula = "hardswish", r"x \min(\max(x + 3, 0), 6) / 6"
    refuses = "c"
    local = {"x": "g · (x / 3 + 1/2) between −3 and 3"}
    samples = [ok(arg(5, values=[-2.5, -0.7, 0.3, 0.8, 4.1])), ok(arg(values=0.4)), ok(arg(0, 3))]

    def forward(xp, x):
        return x * xp.minimum(xp.maximum(x + 3, 0), 6) / 6

    def d_x(xp, g, x):
        return xp.where(x <= -3, 0.0, xp.where(x >= 3, g, g * (x / 3 + 0.5)))


class Silu(Pointwise):
    """x times its logistic function."""

    label, formula = "silu", r"x\,\sigma(x)"
    refuses = "c"
    local = {"x": "g · σ (1 + x (1 − σ))"}
    samples = [ok(arg(5, values=[-2.5, -0.7, 0.3, 0.8, 4.1])), ok(arg(values=0.4)), ok(arg(0, 3))]

    def forward(xp, x):
        return x * xp.sigmoid(x)

    def d_x(xp, g, x):
        return g * (xp.sigmoid(x) * (1 + x * (1 - xp.sigmoid(x))))

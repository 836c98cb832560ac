"""Rounding: what moves in steps, with the slope 0."""

from __future__ import annotations

from .base import arg, ok
from .families import Pointwise, no_slope

__all__ = ["Ceil", "Floor", "Round", "Trunc"]  # fmt: skip

_STEPS = [ok(arg(2, 2, values=[[-1.7, -0.4], [0.6, 1.9]])), ok(arg(values=2.3)), ok(arg(0, 3))]


class Floor(Pointwise):
    """The next whole number below."""

    label, formula = "⌊x⌋", r"\lfloor x \rfloor"
    floating = False
    refuses = "c"
    local = {"x": "0"}
    samples = _STEPS

    def forward(xp, x):
        return xp.floor(x)

    def d_x(xp, g):
        return no_slope(xp, g)


class Ceil(Pointwise):
    """The next whole number above."""

    label, formula = "⌈x⌉", r"\lceil x \rceil"
    floating = False
    refuses = "c"
    local = {"x": "0"}
    samples = _STEPS

    def forward(xp, x):
        return xp.ceil(x)

    def d_x(xp, g):
        return no_slope(xp, g)


class Round(Pointwise):
    """The nearest whole number; halves go to the even one."""

    label, formula = "round", r"\mathrm{round}(x)"
    floating = False
    refuses = "c"
    local = {"x": "0"}
    samples = _STEPS

    def forward(xp, x):
        return xp.round(x)

    def d_x(xp, g):
        return no_slope(xp, g)


class Trunc(Pointwise):
    """The whole number without what follows the point."""

    label, formula = "trunc", r"\mathrm{trunc}(x)"
    floating = False
    refuses = "c"
    local = {"x": "0"}
    samples = _STEPS

    def forward(xp, x):
        return xp.trunc(x)

    def d_x(xp, g):
        return no_slope(xp, g)

"""Rounding: what moves in steps, with the slope 0."""

from __future__ import annotations

from .base import arg, ok
from .families import Pointwise, no_slope

__all__ = ["Ceil", "Floor", "Round", "Trunc"]  # fmt: skip

_STEPS = [ok(arg(2, 2, values=[[-1.7, -0.4], [0.6, 1.9]])), ok(arg(values=2.3)), ok(arg(0, 3))]


class _Step(Pointwise, abstract=True):
    """A whole number near x: constant but for its steps, where its slope is taken as 0, too."""

    floating = False
    refuses = "c"
    local = {"x": "0"}
    samples = _STEPS

    def d_x(xp, g):
        return no_slope(xp, g)


class Floor(_Step):
    """The next whole number below."""

    label, formula = "⌊x⌋", r"\lfloor x \rfloor"

    def forward(xp, x):
        return xp.floor(x)


class Ceil(_Step):
    """The next whole number above."""

    label, formula = "⌈x⌉", r"\lceil x \rceil"

    def forward(xp, x):
        return xp.ceil(x)


class Round(_Step):
    """The nearest whole number; halves go to the even one."""

    label, formula = "round", r"\mathrm{round}(x)"

    def forward(xp, x):
        return xp.round(x)


class Trunc(_Step):
    """The whole number without what follows the point."""

    label, formula = "trunc", r"\mathrm{trunc}(x)"

    def forward(xp, x):
        return xp.trunc(x)

"""Sums of products over shared dimensions."""

from __future__ import annotations

from .base import arg, bad, ok
from .families import Contraction

__all__ = ["MatMul"]


class MatMul(Contraction):
    """Matrix product over the last two dimensions, leading ones broadcast: out[i, j] = Σₖ x[i, k] y[k, j]."""

    label, formula = "@", r"x\,y"
    local = {"x": "g · yᵀ", "y": "xᵀ · g"}
    samples = [
        ok(arg(2, 3), arg(3, 4)),
        ok(arg(5, 2, 3), arg(3, 4)),
        ok(arg(5, 2, 3), arg(5, 3, 4)),
        ok(arg(0, 3), arg(3, 2)),
        bad("ShapeError", "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)", arg(2, 3), arg(2, 3)),
    ]

    def forward(xp, x, y):
        return x @ y

    def d_x(xp, g, y):
        return g @ xp.T(xp.conj(y))

    def d_y(xp, g, x):
        return xp.T(xp.conj(x)) @ g

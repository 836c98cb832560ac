"""Several steps in one op, with a rule of their own: fewer passes over memory, and no overflow on the way.

A hidden output (`logp`) serves the first-order rule on arrays. Namespaces that record or transform the
rule take the composite body instead, which starts from the inputs, so higher orders stay right.
"""

from __future__ import annotations

from .base import arg, bad, ok
from .families import Fused, Indexing

__all__ = ["CrossEntropy", "LogSoftmax", "Softmax"]

_DIMS = [ok(arg(2, 3), dim=1), ok(arg(2, 3), dim=0), ok(arg(4), dim=0), ok(arg(2, 3, 2), dim=1), ok(arg(0, 3), dim=1)]


class Softmax(Fused):
    """Exponentials that sum to one along `dim`: exp(x) / Σ exp(x)."""

    label, formula = "softmax", r"\frac{e^{x}}{\sum e^{x}}"
    floating = True
    local = {"x": "(g − Σ g · out) · out"}
    samples = _DIMS

    def forward(xp, x, *, dim):
        return xp.softmax(x, dim)

    def d_x(xp, g, out, dim):
        return (g - xp.sum(g * out, (dim,), True)) * out


class LogSoftmax(Fused):
    """Logarithm of the softmax along `dim`: x - ln Σ exp(x), computed without overflow."""

    label, formula = "log softmax", r"x - \ln \sum e^{x}"
    floating = True
    local = {"x": "g − exp(out) · Σ g"}
    samples = _DIMS

    def forward(xp, x, *, dim):
        return xp.log_softmax(x, dim)

    def d_x(xp, g, out, dim):
        return g - xp.exp(out) * xp.sum(g, (dim,), True)


class CrossEntropy(Fused):
    """Cross-entropy of scores x (N, C) with classes t (N,): out[n] = -log softmax(x[n])[t[n]].

    Its gradient is softmax(x) - onehot(t). The classes have no gradient.
    """

    label, formula = "cross-entropy", r"-\ln \mathrm{softmax}(x)_{t}"
    outputs, hidden = ("out", "logp"), 1
    floating = True
    local = {"x": "(softmax(x) − onehot(t)) · g"}
    samples = [
        ok(arg(4, 3), arg(4, kind="int", values=[0, 2, 1, 1])),
        ok(arg(0, 3), arg(0, kind="int", values=[])),
        bad("IndexingError", "out of bounds", arg(1, 3), arg(1, kind="int", values=[3])),
    ]

    def forward(xp, x, t):
        return xp.cross_entropy(x, t)

    def d_x(xp, g, x, t, logp):
        return xp.cross_entropy_grad(g, x, t, logp)

    explain = Indexing.explain  # a class out of range is an index out of range

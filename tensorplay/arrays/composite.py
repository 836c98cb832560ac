"""Bodies built from other names: what every namespace gets for free, and may replace by something faster.

`xp` is the namespace itself. The shift by the maximum keeps `exp` from overflowing and cancels in the
result, so its derivative is nothing: `stop` hides it, or recording a softmax would also record an
argmax and a scatter.
"""

from __future__ import annotations

from math import inf, prod
from typing import TYPE_CHECKING, Any

__all__ = ["Composite"]


class Composite:
    """A namespace in which only the elementary names remain to be written."""

    level = 0
    """The transform whose arrays it computes with (see `levels.py`)."""

    if TYPE_CHECKING:  # the elementary names, which each namespace writes itself

        def __getattr__(self, name: str) -> Any: ...

    @staticmethod
    def stop(x: Any) -> Any:
        """A constant with the value of x. Only recording namespaces have something to do here."""
        return x

    def mean(xp, x: Any, dim: Any, keepdim: bool) -> Any:
        size = prod(x.shape) if dim is None else prod(x.shape[d] for d in dim)
        return xp.div(xp.sum(x, dim, keepdim), size)

    def in_order(xp, x: Any) -> Any:
        return xp.copy(x)

    def norm(xp, x: Any, p: float, dim: Any, keepdim: bool) -> Any:
        size = xp.abs(x)
        if p in (inf, -inf):
            return (xp.amax if p > 0 else xp.amin)(size, dim, keepdim)
        if p == 0:
            return xp.sum(xp.cast(size != 0, size.dtype), dim, keepdim)
        if p == 1:
            return xp.sum(size, dim, keepdim)
        if p == 2:
            return xp.sqrt(xp.sum(size * size, dim, keepdim))
        return xp.pow(xp.sum(xp.pow(size, p), dim, keepdim), 1 / p)

    def cummax(xp, x: Any, dim: int) -> Any:
        return xp._running(xp.maximum, x, dim)

    def cummin(xp, x: Any, dim: int) -> Any:
        return xp._running(xp.minimum, x, dim)

    def logcumsumexp(xp, x: Any, dim: int) -> Any:
        return xp._running(xp._log_of_both, x, dim)

    def _running(xp, join: Any, x: Any, dim: int) -> Any:
        """The results of `join` over all elements so far, in log n steps that each double how far back they look."""
        n, s, before = x.shape[dim], 1, (slice(None),) * dim
        while s < n:
            joined = join(xp.index(x, (*before, slice(s, n))), xp.index(x, (*before, slice(0, n - s))))
            x = xp.cat([xp.index(x, (*before, slice(0, s))), joined], dim)
            s *= 2
        return x

    def _log_of_both(xp, x: Any, y: Any) -> Any:
        """log(exp(x) + exp(y)) = top + log(1 + exp(low - top)), where top has the larger real part."""
        real = xp.abs(x).dtype
        first = xp.cast(xp.stop(x), real) >= xp.cast(xp.stop(y), real)
        top, low = xp.where(first, x, y), xp.where(first, y, x)
        out = top + xp.log(1 + xp.exp(xp.where(xp.abs(top) == inf, 0.0, low - top)))  # inf - inf is NaN
        return xp.where(low == low, out, low)

    def sigmoid(xp, x: Any) -> Any:
        return xp.div(1, 1 + xp.exp(-x))

    def relu(xp, x: Any) -> Any:
        return xp.maximum(x, 0)

    def gate(xp, x: Any, y: Any) -> Any:
        return xp.where(y > 0, x, 0.0)

    def pick(xp, x: Any, indices: Any, dim: int, keepdim: bool) -> tuple[Any, Any]:
        """The values at `indices` (kept dimension) along `dim`, and the indices, both with `dim` kept or dropped."""
        values = xp.gather(x, indices, dim)
        if keepdim:
            return values, indices
        shape = indices.shape[:dim] + indices.shape[dim + 1 :]
        return xp.reshape(values, shape), xp.reshape(indices, shape)

    def stack(xp, xs: Any, dim: int) -> Any:
        return xp.cat([xp.reshape(x, (*x.shape[:dim], 1, *x.shape[dim:])) for x in xs], dim)

    def view(xp, x: Any, steps: Any) -> Any:
        for op, params in steps:
            x = op.forward(xp, x, **params)
        return x

    def softmax(xp, x: Any, dim: int) -> Any:
        e = xp.exp(x - xp.stop(xp.amax(x, (dim,), True)))
        return e / xp.sum(e, (dim,), True)

    def log_softmax(xp, x: Any, dim: int) -> Any:
        shifted = x - xp.stop(xp.amax(x, (dim,), True))
        return shifted - xp.log(xp.sum(xp.exp(shifted), (dim,), True))

    def cross_entropy(xp, x: Any, t: Any) -> tuple[Any, Any]:
        logp = xp.log_softmax(x, 1)
        picked = xp.gather(logp, xp.reshape(t, (*t.shape, 1)), 1)
        return -xp.reshape(picked, t.shape), logp

    def cross_entropy_grad(xp, g: Any, x: Any, t: Any, logp: Any) -> Any:
        """From x, not from `logp`: a rule that is differentiated again must show where everything came from."""
        column = xp.reshape(g, (*g.shape, 1))
        return xp.softmax(x, 1) * column - xp.scatter(column, xp.reshape(t, (*t.shape, 1)), 1, x.shape)

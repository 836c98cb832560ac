"""Running sums and products along one dimension."""

from __future__ import annotations

from .base import arg, ok
from .families import Cumulative

__all__ = ["Cummax", "Cummin", "Cumprod", "Cumsum", "LogCumsumExp", "products_before"]

_DIMS = [ok(arg(4), dim=0), ok(arg(2, 3), dim=0), ok(arg(2, 3, 2), dim=1), ok(arg(2, 0), dim=1), ok(arg(1), dim=0)]


def _slice(xp, x, dim, start, stop):
    """The positions from `start` up to `stop` along `dim`."""
    return xp.index(x, (*(slice(None),) * dim, slice(start, stop)))


def products_before(xp, x, dim):
    """At each position the product of all elements before it along `dim`: 1 at the first."""
    one = xp.put_view(_slice(xp, x, dim, 0, 1), 1.0, ())
    return xp.cumprod(xp.cat([one, _slice(xp, x, dim, 0, max(x.shape[dim] - 1, 0))], dim), dim)


def _backwards(xp, g, x, dim):
    """h with h[k] = g[k] + x[k+1] · h[k+1] along `dim`, in log n steps.

    After the step of size s, h[k] holds the terms g[k] ... g[k+2s-1], and a[k] = x[k+1] · ... · x[k+2s].
    """
    n = x.shape[dim]
    h, a, s = g, _slice(xp, x, dim, 1, n), 1
    while s < n:
        near = _slice(xp, h, dim, 0, n - s) + a * _slice(xp, h, dim, s, n)
        h = xp.cat([near, _slice(xp, h, dim, n - s, n)], dim)
        room = max(n - 2 * s, 0)
        a = _slice(xp, a, dim, 0, room) * _slice(xp, a, dim, s, s + room)
        s *= 2
    return h


class Cumsum(Cumulative):
    """Running sum along `dim`: out[k] = x[0] + … + x[k]."""

    label, formula = "Σ…", r"\sum_{i \le k} x_i"
    linear = (("x",),)
    local = {"x": "running sum of g from the end"}
    samples = _DIMS

    def forward(xp, x, *, dim):
        return xp.cumsum(x, dim)

    def d_x(xp, g, dim):
        return xp.flip(xp.cumsum(xp.flip(g, (dim,)), dim), (dim,))


_ZEROS = [arg(4, values=[2.0, 0.0, 3.0, -1.0]), arg(2, 3, values=[[2.0, 0.0, 0.0], [1.0, 4.0, 0.0]])]


class Cumprod(Cumulative):
    """Running product along `dim`: out[k] = x[0] · … · x[k]. Its rule does not divide, so zeros do no harm."""

    label, formula = "Π…", r"\prod_{i \le k} x_i"
    local = {"x": "Σ g of every product x is in, times its other factors"}
    samples = [*_DIMS, ok(_ZEROS[0], dim=0), ok(_ZEROS[1], dim=1)]

    def forward(xp, x, *, dim):
        return xp.cumprod(x, dim)

    def d_x(xp, g, x, dim):
        if x.shape[dim] <= 1:  # one factor: the product is the element itself
            return g
        x = xp.conj(x)
        return products_before(xp, x, dim) * _backwards(xp, g, x, dim)


class LogCumsumExp(Cumulative):
    """Logarithm of the running sum of exponentials along `dim`: out[k] = log(exp(x[0]) + … + exp(x[k]))."""

    label, formula = "log Σ… exp", r"\log \sum_{i \le k} e^{x_i}"
    local = {"x": "Σ g of every result x is in, times exp(x − that result)"}
    samples = [*_DIMS, ok(arg(3, values=[100.0, 101.0, -100.0]), dim=0)]

    def forward(xp, x, *, dim):
        return xp.logcumsumexp(x, dim)

    def d_x(xp, g, x, out, dim):
        """With h[k] = g[k] + exp(out[k] - out[k+1]) · h[k+1]: the results grow, so no power overflows."""
        if not x.shape[dim]:
            return g
        n = x.shape[dim]
        step = xp.exp(_slice(xp, out, dim, 0, n - 1) - _slice(xp, out, dim, 1, n))
        steps = xp.conj(xp.cat([_slice(xp, out, dim, 0, 1), step], dim))  # the first one is never read
        return _backwards(xp, g, steps, dim) * xp.conj(xp.exp(x - out))


def _where_reached(xp, x, best, dim):
    """Where along `dim` the extremum so far was last met; of NaN, once there is one, the last NaN so far."""
    size = (x.shape[dim], *(1,) * (len(x.shape) - dim - 1))
    here = xp.where(x == x, x == best, x != x)
    return xp.cummax(xp.where(here, xp.reshape(xp.arange(x.shape[dim]), size), 0), dim)


class Cummax(Cumulative):
    """Largest element so far along `dim`, and where it is; of ties, the last one so far."""

    label, formula = "max…", r"\max_{i \le k} x_i"
    outputs, nondiff = ("values", "indices"), ("indices",)
    local = {"x": "g of every result that is x, added up"}
    samples = _DIMS

    def forward(xp, x, *, dim):
        indices = _where_reached(xp, x, xp.cummax(xp.stop(x), dim), dim)
        return xp.gather(x, indices, dim), indices

    def d_x(xp, g, x_shape, indices, dim):
        return xp.scatter(g, indices, dim, x_shape)


class Cummin(Cumulative):
    """Smallest element so far along `dim`, and where it is; of ties, the last one so far."""

    label, formula = "min…", r"\min_{i \le k} x_i"
    outputs, nondiff = ("values", "indices"), ("indices",)
    local = {"x": "g of every result that is x, added up"}
    samples = _DIMS

    def forward(xp, x, *, dim):
        indices = _where_reached(xp, x, xp.cummin(xp.stop(x), dim), dim)
        return xp.gather(x, indices, dim), indices

    def d_x(xp, g, x_shape, indices, dim):
        return xp.scatter(g, indices, dim, x_shape)

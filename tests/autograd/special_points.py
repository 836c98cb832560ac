"""Derivatives at special points, as data: kinks, ties, poles, zeros and sizes of 0."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

NAN, INF = math.nan, math.inf


class Point(NamedTuple):
    """One derivative: its row, what it is, f(tp, *leaves), the leaves' float64 values, and the gradients of f(…).sum().

    `needs` names the operations beyond the first ones; a point whose operations are in `NOT_YET` waits for them.
    """

    row: str
    what: str
    f: Callable[..., Any]
    at: tuple[Any, ...]
    gradients: tuple[Any, ...]
    needs: tuple[str, ...] = ()


def identifier(point: Point) -> str:
    return f"{point.row} {point.what}"


NOT_YET = {"nn.functional.l1_loss"}
"""Operations of the rows that do not exist. Whoever adds one takes its name out, and its values are checked."""

# fmt: off
POINTS = [
    Point("B7.1", "relu at 0", lambda tp, x: x.relu(), ([0.0, -0.0],), ([0.0, 0.0],)),
    Point("B7.1", "abs at 0", lambda tp, x: x.abs(), ([0.0, -0.0],), ([0.0, 0.0],)),
    Point("B7.1", "sign", lambda tp, x: x.sign(), ([0.0, 2.0],), ([0.0, 0.0],), ("Tensor.sign",)),
    Point("B7.1", "round at the step", lambda tp, x: x.round(), ([0.5, 1.0],), ([0.0, 0.0],), ("Tensor.round",)),
    Point("B7.1", "floor at the step", lambda tp, x: x.floor(), ([0.5, 1.0],), ([0.0, 0.0],), ("Tensor.floor",)),
    Point("B7.1", "l1_loss at 0", lambda tp, x: tp.nn.functional.l1_loss(x, tp.ones(2, dtype=tp.float64)),
          ([1.0, 3.0],), ([0.0, 0.5],), ("nn.functional.l1_loss",)),
    Point("B7.1", "sqrt at 0", lambda tp, x: x.sqrt(), ([0.0],), ([INF],)),
    Point("B7.1", "log at 0", lambda tp, x: x.log(), ([0.0],), ([INF],)),
    Point("B7.1", "x ** 0.5 at 0", lambda tp, x: x ** 0.5, ([0.0],), ([INF],)),

    Point("B7.2", "leaky_relu at 0", lambda tp, x: tp.nn.functional.leaky_relu(x, 0.25), ([0.0],), ([0.25],),
          ("nn.functional.leaky_relu",)),
    Point("B7.2", "elu at 0", lambda tp, x: tp.nn.functional.elu(x), ([0.0],), ([1.0],), ("nn.functional.elu",)),
    Point("B7.2", "relu6 at 0 and 6", lambda tp, x: tp.nn.functional.relu6(x), ([0.0, 6.0, 3.0],), ([0.0, 0.0, 1.0],),
          ("nn.functional.relu6",)),
    Point("B7.2", "hardtanh at ±1", lambda tp, x: tp.nn.functional.hardtanh(x), ([-1.0, 1.0, 0.5],),
          ([0.0, 0.0, 1.0],), ("nn.functional.hardtanh",)),
    Point("B7.2", "clamp on a bound and outside", lambda tp, x: x.clamp(-1, 1), ([-1.0, 1.0, 0.5, -2.0, 2.0],),
          ([1.0, 1.0, 1.0, 0.0, 0.0],), ("Tensor.clamp",)),

    Point("B7.3", "max() of ties", lambda tp, x: x.max(), ([1.0, 3.0, 3.0, 3.0],), ([0.0, 1 / 3, 1 / 3, 1 / 3],)),
    Point("B7.3", "min() of ties", lambda tp, x: x.min(), ([2.0, 2.0, 5.0],), ([0.5, 0.5, 0.0],)),
    Point("B7.3", "amax of ties", lambda tp, x: x.amax(), ([1.0, 3.0, 3.0, 2.0],), ([0.0, 0.5, 0.5, 0.0],)),
    Point("B7.3", "amax(dim) of ties", lambda tp, x: x.amax(1), ([[3.0, 3.0], [1.0, 0.0]],),
          ([[0.5, 0.5], [1.0, 0.0]],)),
    Point("B7.3", "amin(dim) of ties", lambda tp, x: x.amin(0), ([[3.0, 3.0], [3.0, 0.0]],),
          ([[0.5, 0.0], [0.5, 1.0]],)),
    Point("B7.3", "inf-norm of ties", lambda tp, x: x.norm(p=INF), ([-3.0, 3.0, 1.0],), ([-0.5, 0.5, 0.0],),
          ("Tensor.norm",)),
    Point("B7.3", "max(dim) of ties", lambda tp, x: x.max(0)[0], ([1.0, 3.0, 3.0, 2.0],), ([0.0, 1.0, 0.0, 0.0],)),
    Point("B7.3", "min(dim) of ties", lambda tp, x: x.min(1)[0], ([[5.0, 5.0], [1.0, 0.0]],),
          ([[1.0, 0.0], [0.0, 1.0]],)),
    Point("B7.3", "topk of ties", lambda tp, x: x.topk(1)[0], ([3.0, 3.0, 1.0],), ([1.0, 0.0, 0.0],), ("Tensor.topk",)),
    Point("B7.3", "max-pool of ties", lambda tp, x: tp.nn.functional.max_pool1d(x, 3), ([[[3.0, 3.0, 3.0]]],),
          ([[[1.0, 0.0, 0.0]]],), ("nn.functional.max_pool1d",)),

    Point("B7.4", "maximum of equals", lambda tp, x, y: tp.maximum(x, y), ([1.0, 2.0], [1.0, 5.0]),
          ([0.5, 0.0], [0.5, 1.0])),
    Point("B7.4", "minimum of equals", lambda tp, x, y: tp.minimum(x, y), ([1.0, 2.0], [1.0, 5.0]),
          ([0.5, 1.0], [0.5, 0.0])),
    Point("B7.4", "median of an even count", lambda tp, x: x.median(), ([4.0, 1.0, 3.0, 2.0],), ([0.0, 0.0, 0.0, 1.0],),
          ("Tensor.median",)),

    Point("B7.5", "norm at 0", lambda tp, x: x.norm(), ([0.0, 0.0, 0.0],), ([0.0, 0.0, 0.0],), ("Tensor.norm",)),
    Point("B7.5", "norm of rows, one of zeros", lambda tp, x: x.norm(dim=1), ([[0.0, 0.0, 0.0], [1.0, 2.0, 2.0]],),
          ([[0.0, 0.0, 0.0], [1 / 3, 2 / 3, 2 / 3]],), ("Tensor.norm",)),
    Point("B7.5", "linalg.norm at 0", lambda tp, x: tp.linalg.norm(x), ([0.0],), ([0.0],), ("linalg.norm",)),
    Point("B7.5", "sqrt(sum x²) at 0", lambda tp, x: (x ** 2).sum().sqrt(), ([0.0, 0.0],), ([NAN, NAN],)),
    Point("B7.5", "hypot at the origin", lambda tp, x, y: tp.hypot(x, y), ([0.0], [0.0]), ([NAN], [NAN]), ("hypot",)),

    Point("B7.6", "atan2 at the origin", lambda tp, y, x: tp.atan2(y, x), ([0.0], [0.0]), ([0.0], [-0.0]), ("atan2",)),
    Point("B7.6", "1/x at 0", lambda tp, x: 1 / x, ([0.0],), ([-INF],)),
    Point("B7.6", "acos at 1", lambda tp, x: tp.acos(x), ([1.0],), ([-INF],), ("acos",)),

    Point("B7.7", "x ** 0", lambda tp, x: x ** 0, ([0.0, 2.0],), ([0.0, 0.0],)),
    Point("B7.7", "0 ** y by y, and by the base", lambda tp, x, y: x ** y, ([0.0, 0.0], [0.0, 2.0]),
          ([0.0, 0.0], [0.0, 0.0])),
    Point("B7.7", "a number 0 ** y", lambda tp, y: 0 ** y, ([3.0, 0.0],), ([0.0, 0.0],)),
    Point("B7.7", "(-2) ** y", lambda tp, y: (-2.0) ** y, ([2.0],), ([NAN],)),
    Point("B7.7", "(-8) ** 3 by the base", lambda tp, x: x ** 3, ([-8.0],), ([192.0],)),
    Point("B7.7", "x ** 2 and x ** 1 at 0", lambda tp, x: x ** 2 + x ** 1, ([0.0],), ([1.0],)),

    Point("B7.8", "prod with one zero", lambda tp, x: x.prod(), ([0.0, 2.0, 3.0],), ([6.0, 0.0, 0.0],),
          ("Tensor.prod",)),
    Point("B7.8", "prod with two zeros", lambda tp, x: x.prod(), ([0.0, 0.0, 3.0],), ([0.0, 0.0, 0.0],),
          ("Tensor.prod",)),
    Point("B7.8", "the second order of prod with two zeros", lambda tp, x: _second(tp, x.prod(), x, 2),
          ([2.0, 3.0, 0.0, 0.0],), ([0.0, 0.0, 0.0, 6.0],), ("Tensor.prod",)),
    Point("B7.8", "std of equal values", lambda tp, x: x.std(), ([2.0, 2.0, 2.0],), ([0.0, 0.0, 0.0],),
          ("Tensor.std",)),
    Point("B7.8", "var of one value", lambda tp, x: x.var(), ([[1.0]],), ([[NAN]],), ("Tensor.var",)),

    Point("B7.9", "where, the branch not taken infinite", lambda tp, x: tp.where(x <= 0, (x * 10).exp(), 1 + x),
          ([100.0],), ([NAN],)),
    Point("B7.9", "the double where", lambda tp, x: tp.where(
        x <= 0, (tp.where(x <= 0, x, tp.zeros_like(x)) * 10).exp(), 1 + x), ([100.0],), ([1.0],)),
    Point("B7.9", "where with a zero branch", lambda tp, x: tp.where(x > 0, x.sqrt(), tp.zeros_like(x)), ([0.0, 4.0],),
          ([NAN, 0.25],)),
    Point("B7.9", "logsumexp of all −inf", lambda tp, x: x.logsumexp(0), ([-INF, -INF],), ([NAN, NAN],),
          ("Tensor.logsumexp",)),

    Point("B7.10", "remainder", lambda tp, a, b: tp.remainder(a, b), ([-7.0, 7.5], [3.0, 2.0]),
          ([1.0, 1.0], [3.0, -3.0]),
          ("remainder",)),
    Point("B7.10", "fmod", lambda tp, a, b: tp.fmod(a, b), ([-7.0], [3.0]), ([1.0], [2.0]), ("fmod",)),

    Point("B7.11", "mean() of size 0", lambda tp, x: x.mean(), ([],), ([],)),
    Point("B7.11", "sum() of size 0", lambda tp, x: x.sum(), ([],), ([],)),
    Point("B7.11", "mean(dim) over size 0", lambda tp, x: x.mean(1), ([[], []],), ([[], []],)),
    Point("B7.11", "a repeated index", lambda tp, x: x[[0, 0, 1]] * tp.tensor([1.0, 10.0, 100.0]), ([1.0, 2.0, 3.0],),
          ([11.0, 100.0, 0.0],)),
    Point("B7.11", "a repeated index into rows",
          lambda tp, x: x[tp.tensor([3, 1, 3])] * tp.tensor([[1.0], [2.0], [4.0]]),
          ([[0.0], [0.0], [0.0], [0.0]],), ([[0.0], [2.0], [0.0], [5.0]],)),
    Point("B7.11", "gather", lambda tp, x: x.gather(0, tp.tensor([0, 0])) * tp.tensor([0.25, 0.5]), ([0.1],),
          ([0.75],)),
    Point("B7.11", "embedding", lambda tp, x: tp.nn.functional.embedding(tp.tensor([1, 1]), x), ([[0.0], [0.0]],),
          ([[0.0], [2.0]],), ("nn.functional.embedding",)),
]


def _second(tp: Any, y: Any, x: Any, which: int) -> Any:
    """One element of the gradient of y, to be differentiated again."""
    return tp.autograd.grad(y, x, create_graph=True)[0][which]

"""How the op tests run an op and its rules in one namespace, without the tape."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorplay.testing.samples import Case


def forward(xp: Any, case: Case, inputs: Sequence[Any]) -> tuple[Any, ...]:
    """All outputs, hidden ones included, as a tuple."""
    out = case.op.forward(xp, *inputs, **case.params)
    return out if isinstance(out, tuple) else (out,)


def backward(xp: Any, case: Case, inputs: Sequence[Any], outs: tuple[Any, ...], g: Any) -> tuple[Any, ...]:
    """What the rules send to the inputs that can have a gradient, before any summing to a broadcast shape."""
    wanted = case.differentiable()
    mask = sum(1 << i for i in wanted)
    plan = case.op.plans[(mask, len(inputs)) if case.op.star else mask]
    several = case.op.several
    cells = [[0] for _ in inputs]
    out_cells = [[0] for _ in outs] if several else [0]
    saved, _versions = plan.keep(outs if several else outs[0], case.params, *inputs, out_cells, *cells)
    if plan.many:  # the other outputs were not used
        g = [g, *(xp.put_view(out, 0.0, ()) for out in outs[1:])]
    grads = plan.pull(xp, g, saved)
    return tuple(grads[i] for i in wanted)


def seed_for(case: Case, out: Any) -> Any:
    """A gradient for the first output: numbers in [0.5, 1.5), the same in every run."""
    rng = np.random.default_rng(zlib.crc32(f"{case} g".encode()))
    return np.asarray(rng.uniform(0.5, 1.5, np.shape(out)), np.asarray(out).dtype)


def moved(move: Callable[[Any], Any], values: Sequence[Any]) -> list[Any]:
    """The arrays taken into another namespace; numbers stay."""
    return [move(value) if isinstance(value, np.ndarray) else value for value in values]

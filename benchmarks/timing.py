"""How it is measured: the libraries take turns in one process, round after round.

On a machine that is not quiet a single number means little. Within a round each library does the
same number of steps one right after the other, so what disturbs one disturbs the other; the ratio
is the median over the rounds' ratios.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from statistics import median
from time import perf_counter

import numpy as np

from benchmarks.rows import Row, Workload

__all__ = ["Measurement", "check_same", "measure"]

ROUNDS = 41
SLICE = 0.02  # seconds a library gets in a round: long against the clock, short against disturbances

Measurement = dict[str, float]
"""Microseconds a step by library, and "ratio": the first library's time over the second's."""


def measure(workloads: Mapping[str, Workload], rounds: int = ROUNDS) -> Measurement:
    """Median microseconds a step of each workload, in interleaved rounds."""
    steps = {name: workload.step for name, workload in workloads.items()}
    repeats = max(_repeats(step) for step in steps.values())
    taken: dict[str, list[float]] = {name: [] for name in steps}
    order = list(steps)
    for _ in range(rounds):
        order.reverse()  # neither is always the one that finds the cache warm
        for name in order:
            taken[name].append(_time(steps[name], repeats) / repeats * 1e6)
    result = {name: median(times) for name, times in taken.items()}
    if len(taken) > 1:
        ours, peer = list(taken.values())[:2]
        result["ratio"] = median(a / b for a, b in zip(ours, peer, strict=True))
    return result


def _repeats(step: Callable[[], object]) -> int:
    """How many steps fill a slice."""
    repeats = 1
    while (taken := _time(step, repeats)) < SLICE:
        repeats = max(repeats + 1, int(repeats * min(10.0, 1.2 * SLICE / max(taken, 1e-9))))
    return repeats


def _time(step: Callable[[], object], repeats: int) -> float:
    gc.collect()  # so that no library pays for the garbage of the one before
    start = perf_counter()
    for _ in range(repeats):
        step()
    return perf_counter() - start


def check_same(row: Row, workloads: Mapping[str, Workload]) -> float:
    """The largest difference between what the libraries compute.

    Raises AssertionError if it is more than single precision explains: a time for something else
    would mean nothing.
    """
    results = [workload.numbers() for workload in workloads.values()]
    largest = 0.0
    for other in results[1:]:
        for ours, theirs in zip(results[0], other, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5, err_msg=row.name)
            largest = max(largest, float(np.abs(ours - theirs).max()))
    return largest

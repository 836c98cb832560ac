"""Numba kernels, each beside its NumPy twin.

Which of the two runs depends on sizes and settings alone, never on the state of a cache, so the same
program gives the same bits on every machine of a kind. A kernel is compiled on first use and cached
per user; `TENSORPLAY_KERNELS=off` or `NUMBA_DISABLE_JIT=1` leaves everything to the twins.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from .. import events

__all__ = ["SCATTER_FROM", "add_at", "cache_folder", "enabled"]

Array = np.ndarray[Any, Any]

SCATTER_FROM = 4096
"""Elements from which the compiled scatter-add runs. np.add.at took 8.5 ms where the kernel takes 0.61 ms
(embedding gradient); below this size the call costs as much as it saves."""

_compiled: dict[str, Callable[..., None]] = {}


def enabled() -> bool:
    """Whether compiled kernels may run in this process."""
    return os.environ.get("TENSORPLAY_KERNELS", "on") != "off" and os.environ.get("NUMBA_DISABLE_JIT", "0") != "1"


def cache_folder() -> Path:
    """Where compiled kernels are kept: per user, or where TENSORPLAY_CACHE says."""
    chosen = os.environ.get("TENSORPLAY_CACHE")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or Path.home() / ".cache"
    return Path(base) / "tensorplay" / "kernels"


# ---------------------------------------------------------------------------------- compiling once


@contextmanager
def _cached_in(folder: Path) -> Any:
    """Numba reads its cache folder when a function is decorated; other people's functions keep theirs."""
    import numba

    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        numba.config.CACHE_DIR = before


def _compile(function: Callable[..., None]) -> Callable[..., None]:
    import numba

    try:
        folder = cache_folder()
        folder.mkdir(parents=True, exist_ok=True)
        with _cached_in(folder):
            return numba.njit(cache=True, nogil=True)(function)
    except (OSError, RuntimeError):  # nowhere to write: compile for this process only
        return numba.njit(nogil=True)(function)


def _launch(function: Callable[..., None], *arrays: Any) -> None:
    """Run the compiled form of a function that writes into given arrays."""
    name = function.__name__.strip("_")
    start = perf_counter()
    first = name not in _compiled
    if first:
        _compiled[name] = _compile(function)
    _compiled[name](*arrays)
    seconds = perf_counter() - start
    if first and seconds > 1 and _was_compiled(_compiled[name]):
        print(f"tensorplay: compiled the kernel {name!r} in {seconds:.1f} s (kept for next time)", file=sys.stderr)
    if events.listeners:
        events.emit(events.KernelLaunched(name, "cpu", seconds))


def _was_compiled(kernel: Any) -> bool:
    """Whether the first call had to compile, rather than load what an earlier process kept."""
    return bool(kernel.stats.cache_misses) or not kernel.stats.cache_hits


# ------------------------------------------------------------------------------------- scatter-add


def _scatter_add(out: Array, rows: Array, x: Array) -> None:
    """out[rows[i], :] += x[i, :], in order, so that repeated rows add up. The plain twin of the kernel is np.add.at."""
    for i in range(rows.shape[0]):
        row = rows[i]  # looked up once, so that the inner loop vectorises: 0.34 -> 0.08 ms for 4096 rows of 64
        for j in range(x.shape[1]):
            out[row, j] += x[i, j]


def _flat_rows(ix: tuple[Array, ...], sizes: tuple[int, ...]) -> Array:
    """Several index arrays for leading dimensions as one: the row number when those dimensions are flattened."""
    flat: Any = 0
    for index, size in zip(ix, sizes, strict=True):
        if index.size and (index.min() < -size or index.max() >= size):
            raise IndexError(f"index out of bounds for dimension with size {size}")
        flat = flat * size + np.where(index < 0, index + size, index)
    return np.asarray(flat)


def add_at(x: Array, ix: tuple[Array, ...], shape: tuple[int, ...]) -> Array:
    """Zeros of `shape` with x added at integer arrays for the leading dimensions (the adjoint of x[ix])."""
    out = np.zeros(shape, x.dtype)
    if x.size < SCATTER_FROM or x.dtype.kind not in "fiu" or x.dtype.itemsize < 4 or not enabled():
        np.add.at(out, ix, x)
        return out
    lead = len(ix)
    rows = _flat_rows(ix, shape[:lead])
    flat = np.ascontiguousarray(np.broadcast_to(x, rows.shape + shape[lead:])).reshape(rows.size, -1)
    _launch(_scatter_add, out.reshape(-1, flat.shape[1]), rows.reshape(-1), flat)
    return out

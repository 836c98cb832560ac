"""Finite differences: what a derivative is, before any rule says so.

Everything that checks a rule against numbers comes down to the one quotient in `slopes`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

__all__ = ["moved", "slopes", "unit_directions"]

Array = np.ndarray[Any, Any]


def slopes(call: Callable[[], Sequence[Array]], moving: Sequence[tuple[Array, Any]], step: float) -> list[Array]:
    """The derivative of what `call` returns along a direction: (f(x + h·d) − f(x − h·d)) / 2h.

    `moving` holds (array, direction) pairs: the arrays are the memory that `call` reads. They are written to,
    and hold their own numbers again afterwards, also when `call` raises.

    >>> x = np.array([3.0])
    >>> float(slopes(lambda: [x**2], [(x, [1.0])], 1e-6)[0][0].round(6))
    6.0
    """
    with moved(moving, -step):
        behind = [np.array(out) for out in call()]  # copied: the result may be the memory that moves
    with moved(moving, step):
        ahead = [np.array(out) for out in call()]
    return [np.asarray((a - b) / (2 * step)) for a, b in zip(ahead, behind, strict=True)]


@contextmanager
def moved(moving: Sequence[tuple[Array, Any]], step: float) -> Iterator[None]:
    """Inside the block each array holds x + step · direction."""
    before = [array.copy() for array, _ in moving]
    try:
        for (array, direction), x in zip(moving, before, strict=True):
            array[...] = x + step * np.asarray(direction)
        yield
    finally:
        for (array, _), x in zip(moving, before, strict=True):
            array[...] = x


def unit_directions(array: Array) -> Iterator[Array]:
    """One direction an element, in order: 1 there and 0 elsewhere."""
    for index in np.ndindex(array.shape):
        direction = np.zeros(array.shape, array.dtype)
        direction[index] = 1
        yield direction

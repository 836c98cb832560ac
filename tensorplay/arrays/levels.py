"""Levels: which transforms are running, the innermost last.

A transform such as `vmap` puts what it works on into arrays of its own kind (`Batched`, `Dual`) and gives them
its level: a number larger than that of every transform around it. An operation belongs to the highest level
among its inputs; what lies inside those arrays is computed one level further down. Level 0 is plain arrays.
All tensors of one level are a layer: each layer records its own graph.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

__all__ = ["Frame", "entered", "epoch", "frame_of", "frames", "innermost", "level_of", "next_level", "pop", "push"]

next_level = itertools.count(1).__next__
"""One counter for the process: a level is never used twice, so an array that outlives its transform is noticed."""


epoch = [-1]
"""When the latest transform began or ended that cannot follow edits of what was there before (`lifting.moment`).
A tensor notes it where it is made, beside its version."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One running transform."""

    kind: str
    """"vmap", "jvp", "dual" (forward_ad.dual_level) or "grad" (every transform that runs a backward pass)."""
    level: int = 0
    """0 for "grad": it records in the layer it finds."""
    space: Any = None
    """What its arrays compute in."""
    randomness: str = "error"
    """What a random function does inside vmap."""
    born: int | None = None
    """When it began; None where it may edit what was made before, as a vmap may."""
    inputs: Any = ()
    """The tensors it differentiates by, as its function sees them."""


_frames: ContextVar[tuple[Frame, ...]] = ContextVar("tensorplay_transforms", default=())
frames = _frames.get
"""The running transforms of this thread, outermost first."""


def level_of(array: Any) -> int:
    """The level of the transform an array belongs to; 0 for plain arrays and numbers."""
    space = getattr(array, "space", None)
    return 0 if space is None else space.level


def frame_of(level: int) -> Frame | None:
    """The running transform of this level; None if it has ended."""
    return next((frame for frame in frames() if frame.level == level), None)


def innermost() -> int:
    """The level of the innermost transform that has arrays of its own; 0 outside of all."""
    return max((frame.level for frame in frames()), default=0)


def push(frame: Frame) -> None:
    """Begin a transform that `pop` ends."""
    _frames.set((*frames(), frame))


def pop(frame: Frame) -> None:
    """End a transform that `push` began."""
    _frames.set(tuple(f for f in frames() if f is not frame))


@contextmanager
def entered(frame: Frame) -> Iterator[Frame]:
    """A transform that runs while the block does; what was begun inside ends with it."""
    token = _frames.set((*frames(), frame))
    try:
        yield frame
    finally:
        _frames.reset(token)

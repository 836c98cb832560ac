"""The memory behind NumPy arrays: who owns it, and views of it that NumPy has no function for."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["laid_out", "place", "steps", "window"]

Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]


def _owner(x: Array) -> Array:
    """The whole memory that x shows a part of, as one row."""
    while isinstance(x.base, np.ndarray):
        x = x.base
    order = np.argsort([-s for s in x.strides], kind="stable")
    return x.transpose(order).reshape(-1)


def steps(x: Array) -> Shape:
    """The strides in elements."""
    return tuple(s // x.itemsize for s in x.strides)


def place(x: Array) -> tuple[int, int]:
    """Where the first element of x lies in its memory, and how large that is, in elements.

    >>> place(np.arange(6).reshape(2, 3)[1])
    (3, 6)
    """
    memory = _owner(x)
    return (_address(x) - _address(memory)) // x.itemsize, memory.size


def _address(x: Array) -> int:
    return x.__array_interface__["data"][0]


def window(x: Array, shape: Shape, strides: Shape, offset: int) -> Array:
    """A view of x's memory with these strides, from `offset` bytes after x's first element on.

    Raises ValueError where that leaves the memory. Unlike `np.lib.stride_tricks.as_strided`, NumPy can tell
    of the result whose memory it shows.
    """
    memory = _owner(x)
    if x.size == 0 or 0 in shape:
        return np.empty(shape, x.dtype)
    out = np.ndarray(shape, x.dtype, memory, _address(x) - _address(memory) + offset, strides)
    out.flags.writeable = x.flags.writeable
    return out


def laid_out(x: Array, strides: Shape) -> Array:
    """x with these strides, in elements: itself if it has them, else a copy."""
    if all(s == t or n == 1 for s, t, n in zip(steps(x), strides, x.shape, strict=True)):
        return x
    length = 1 + sum((n - 1) * s for n, s in zip(x.shape, strides, strict=True)) if x.size else 0
    memory = np.zeros(length, x.dtype)
    out = window(memory, x.shape, tuple(s * x.itemsize for s in strides), 0)
    out[...] = x
    return out

"""What the ops of `ops/strided.py` must give, in plain NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np


def diag_embed(x: np.ndarray, shape: tuple[int, ...], offset: int, dim1: int, dim2: int) -> np.ndarray:
    out = np.zeros(shape, x.dtype)
    for *lead, k in np.ndindex(x.shape):
        place: list[Any] = list(lead)
        for dim, number in sorted(((dim1, k + max(-offset, 0)), (dim2, k + max(offset, 0)))):
            place.insert(dim, number)
        out[tuple(place)] = x[(*lead, k)]
    return out


def unfold(x: np.ndarray, dim: int, size: int, step: int) -> np.ndarray:
    starts = range(0, x.shape[dim] - size + 1, step)
    windows = [np.moveaxis(np.take(x, range(s, s + size), dim), dim, -1) for s in starts]
    return np.stack(windows, dim)


def as_strided(x: np.ndarray, size: Any, stride: Any, offset: int, like: Any) -> np.ndarray:
    memory = {sum(i * s for i, s in zip(at, like, strict=True)): x[at] for at in np.ndindex(x.shape)}
    out = np.zeros(size, x.dtype)
    for at in np.ndindex(*size):
        out[at] = memory[offset + sum(i * s for i, s in zip(at, stride, strict=True))]
    return out


REFERENCES: dict[str, Any] = {
    "AsStrided": as_strided,
    "Contiguous": lambda x: x,
    "DiagEmbed": diag_embed,
    "Diagonal": lambda x, offset, dim1, dim2: np.diagonal(x, offset, dim1, dim2),
    "Repeat": lambda x, repeats: np.tile(x, repeats),
    "Roll": lambda x, shifts, dims: np.roll(x, shifts, dims),
    "Tril": lambda x, diagonal: np.tril(x, diagonal),
    "Triu": lambda x, diagonal: np.triu(x, diagonal),
    "Unfold": unfold,
}

"""What the ops of `ops/scattering.py` must give, in plain NumPy, one position after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def folded(x: np.ndarray, v: np.ndarray, index: np.ndarray, dim: int, take_in: Callable[[Any, Any], Any]) -> np.ndarray:
    out = x.copy()
    for place in np.ndindex(index.shape):
        target = list(place)
        target[dim] = int(index[place])
        out[tuple(target)] = take_in(out[tuple(target)], v[place])
    return out


EXTREMES: dict[str, Callable[[Any, Any], Any]] = {"maximum": max, "minimum": min}

REFERENCES: dict[str, Callable[..., Any]] = {
    "Embedding": lambda weight, index, padding, by_frequency: weight[index],
    "ScatterExtreme": lambda x, v, index, dim, how: folded(x, v, index, dim, EXTREMES[how]),
    "ScatterProd": lambda x, v, index, dim: folded(x, v, index, dim, lambda old, new: old * new),
}

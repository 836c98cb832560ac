"""What the ops of reductions, running results and choices must give, in plain NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def along(choose: Callable[..., int]) -> Callable[..., Any]:
    """A position chosen in each row along `dim`, and the element there."""

    def both(x: np.ndarray, dim: int, keepdim: bool, **params: Any) -> tuple[Any, Any]:
        places = np.apply_along_axis(lambda row: choose(row.tolist(), **params), dim, x)
        indices = np.expand_dims(places, dim)
        values = np.take_along_axis(x, indices, dim)
        return (values, indices) if keepdim else (values.squeeze(dim), indices.squeeze(dim))

    return both


def kth(row: list[float], k: int) -> int:
    return sorted(range(len(row)), key=lambda i: (row[i], i))[k - 1]


def mode(row: list[float]) -> int:
    most = max(row.count(v) for v in row)
    value = min(v for v in row if row.count(v) == most)
    return max(i for i, v in enumerate(row) if v == value)


def nan_median(row: list[float]) -> int:
    numbers = [v for v in row if v == v]
    return kth(row, (len(numbers) - 1) // 2 + 1)


def so_far(better: Callable[[Any, Any], bool]) -> Callable[..., Any]:
    def both(x: np.ndarray, dim: int) -> tuple[Any, Any]:
        def places(row: np.ndarray) -> np.ndarray:
            best, found = 0, []
            for i, v in enumerate(row):
                best = i if better(v, row[best]) or v == row[best] else best
                found.append(best)
            return np.array(found, np.int64)

        indices = np.apply_along_axis(places, dim, x).astype(np.int64) if x.size else np.zeros(x.shape, np.int64)
        return np.take_along_axis(x, indices, dim), indices

    return both


def log_sum_exp(x: np.ndarray, dim: Any, keepdim: bool) -> Any:
    with np.errstate(divide="ignore"):
        return np.logaddexp.reduce(x, dim, keepdims=keepdim, initial=-np.inf)


def nan_median_of_all(x: np.ndarray, keepdim: bool) -> Any:
    return np.float64(np.sort(x, axis=None)[(np.isfinite(x).sum() - 1) // 2]).reshape((1,) * x.ndim * keepdim)


REFERENCES: dict[str, Callable[..., Any]] = {
    "Cummax": so_far(lambda new, old: new > old),
    "Cummin": so_far(lambda new, old: new < old),
    "KthValue": along(kth),
    "LogCumsumExp": lambda x, dim: np.logaddexp.accumulate(x, dim),
    "LogSumExp": log_sum_exp,
    "MaxOfAll": lambda x, keepdim: x.max(keepdims=keepdim),
    "MinOfAll": lambda x, keepdim: x.min(keepdims=keepdim),
    "Mode": along(mode),
    "NanMedian": along(nan_median),
    "NanMedianOfAll": lambda x, keepdim: nan_median_of_all(x, keepdim).astype(x.dtype),
}

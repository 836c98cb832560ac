"""The elementwise names: for each, where NumPy keeps it, or SciPy (`special.`). Every namespace reads these tables.

What a namespace does not write itself it gets from here by `fill`: a new elementwise name is one line.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

__all__ = ["BINARY", "UNARY", "fill", "ufunc"]

UNARY: dict[str, str] = {
    "abs": "absolute",
    "cos": "cos",
    "exp": "exp",
    "log": "log",
    "log2": "log2",
    "sign": "sign",
    "sin": "sin",
    "sqrt": "sqrt",
    "tanh": "tanh",
}
"""Of one array."""

BINARY: dict[str, str] = {
    "atan2": "arctan2",
    "div": "true_divide",
    "maximum": "maximum",
    "minimum": "minimum",
    "pow": "power",
}
"""Of two, stretched to a common shape."""


@cache
def ufunc(path: str) -> Any:
    """The function behind a path of the tables. SciPy is imported when the first of its functions is asked for.

    >>> ufunc("arctan2") is np.arctan2
    True
    """
    library, _, name = path.rpartition(".")
    return getattr(import_module(f"scipy.{library}") if library else np, name)


def fill(space: type, make: Callable[[str, str], Any]) -> None:
    """Give a namespace class what it does not write itself: `make(name, path)` for each name of the tables."""
    for name, path in (UNARY | BINARY).items():
        if name not in vars(space):
            setattr(space, name, make(name, path))

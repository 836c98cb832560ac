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
    "acos": "arccos",
    "acosh": "arccosh",
    "asin": "arcsin",
    "asinh": "arcsinh",
    "atan": "arctan",
    "atanh": "arctanh",
    "ceil": "ceil",
    "cos": "cos",
    "cosh": "cosh",
    "digamma": "special.psi",
    "erf": "special.erf",
    "erfc": "special.erfc",
    "erfinv": "special.erfinv",
    "exp": "exp",
    "exp2": "exp2",
    "expm1": "expm1",
    "floor": "floor",
    "lgamma": "special.gammaln",
    "log": "log",
    "log10": "log10",
    "log1p": "log1p",
    "log2": "log2",
    "round": "rint",
    "sign": "sign",
    "sin": "sin",
    "sinh": "sinh",
    "sqrt": "sqrt",
    "tan": "tan",
    "tanh": "tanh",
    "trunc": "trunc",
}
"""Of one array."""

BINARY: dict[str, str] = {
    "atan2": "arctan2",
    "copysign": "copysign",
    "div": "true_divide",
    "floor_divide": "floor_divide",
    "fmax": "fmax",
    "fmin": "fmin",
    "fmod": "fmod",
    "hypot": "hypot",
    "logaddexp": "logaddexp",
    "logaddexp2": "logaddexp2",
    "maximum": "maximum",
    "minimum": "minimum",
    "pow": "power",
    "remainder": "remainder",
    "xlogy": "special.xlogy",
    "zeta": "special.zeta",
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

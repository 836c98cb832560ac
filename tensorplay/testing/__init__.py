"""What tests, graders and lessons check results with.

`assert_close` compares results. `valid_cases` and `invalid_cases` give every op's samples as numbers.
`numeric` holds derivatives by central differences. `gpu_standin` and `shapes` are strict namespaces that
rules must run in. `strategies` (random shapes and programs) needs Hypothesis, so import it by name.
"""

from __future__ import annotations

from . import gpu_standin, numeric, shapes
from .compare import assert_close, tolerances
from .samples import LAYOUTS, Case, cases, invalid_cases, materialise, valid_cases

__all__ = [
    "LAYOUTS",
    "Case",
    "assert_close",
    "cases",
    "gpu_standin",
    "invalid_cases",
    "materialise",
    "numeric",
    "shapes",
    "tolerances",
    "valid_cases",
]

"""What several families share: the type of `dim`, the dtype of a sum, the order of a single number."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import ops
from ..apply import apply1
from ..arrays.dtypes import int64
from ..tensor import Tensor, wrap

__all__ = ["Dim", "alone", "widened"]


Dim = int | tuple[int, ...] | None


def widened(input: Tensor, dtype: Any) -> Tensor:
    """In the dtype asked for; whole numbers of any width add up and multiply as int64."""
    if dtype is not None:
        return input.to(dtype)
    return input.to(int64) if input._array.dtype.kind in "biu" else input


def alone(input: Tensor) -> tuple[Tensor, Tensor]:
    """A single number is its own, at position 0."""
    return apply1(ops.Clone, input), wrap(np.asarray(0))

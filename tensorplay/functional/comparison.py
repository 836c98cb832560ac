"""Questions about values, answered without a gradient."""

from __future__ import annotations

import numpy as np

from ..lifting import readable, values
from ..tensor import Tensor

__all__ = ["allclose", "equal", "isfinite", "isnan"]


def isnan(input: Tensor) -> Tensor:
    """Which elements are NaN.

    >>> import tensorplay as tp
    >>> tp.isnan(tp.tensor([0.0, float("nan")]))
    tensor([False,  True])
    """
    return values(np.isnan, input)


def isfinite(input: Tensor) -> Tensor:
    """Which elements are neither infinite nor NaN.

    >>> import tensorplay as tp
    >>> tp.isfinite(tp.tensor([0.0, float("inf")]))
    tensor([ True, False])
    """
    return values(np.isfinite, input)


def allclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Whether |input - other| <= atol + rtol · |other| everywhere.

    >>> import tensorplay as tp
    >>> tp.allclose(tp.ones(2), tp.ones(2) + 1e-9)
    True
    """
    return bool(np.allclose(readable(input), readable(other), rtol, atol, equal_nan))


def equal(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape and elements.

    >>> import tensorplay as tp
    >>> tp.equal(tp.ones(2), tp.ones(3))
    False
    """
    return bool(np.array_equal(readable(input), readable(other)))

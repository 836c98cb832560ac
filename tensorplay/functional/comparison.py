"""Questions about values, answered without a gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import UnsupportedDTypeError
from ..lifting import values
from ..operands import need_tensors
from ..tensor import Tensor

__all__ = ["isfinite", "isinf", "isnan", "isneginf", "isposinf", "isreal", "signbit"]


def isnan(input: Tensor) -> Tensor:
    """Which elements are NaN.

    >>> import tensorplay as tp
    >>> tp.isnan(tp.tensor([0.0, float("nan")]))
    tensor([False,  True])
    """
    need_tensors("isnan", input=input)
    return values(np.isnan, input)


def isfinite(input: Tensor) -> Tensor:
    """Which elements are neither infinite nor NaN.

    >>> import tensorplay as tp
    >>> tp.isfinite(tp.tensor([0.0, float("inf")]))
    tensor([ True, False])
    """
    need_tensors("isfinite", input=input)
    return values(np.isfinite, input)


def isinf(input: Tensor) -> Tensor:
    """Which elements are infinite.

    >>> import tensorplay as tp
    >>> tp.isinf(tp.tensor([0.0, float("-inf")]))
    tensor([False,  True])
    """
    need_tensors("isinf", input=input)
    return values(np.isinf, input)


def isposinf(input: Tensor) -> Tensor:
    """Which elements are +inf. Raises UnsupportedDTypeError for complex numbers.

    >>> import tensorplay as tp
    >>> tp.isposinf(tp.tensor([0.0, float("inf")]))
    tensor([False,  True])
    """
    _real("isposinf", input)
    return values(np.isposinf, input)


def isneginf(input: Tensor) -> Tensor:
    """Which elements are -inf. Raises UnsupportedDTypeError for complex numbers.

    >>> import tensorplay as tp
    >>> tp.isneginf(tp.tensor([0.0, float("-inf")]))
    tensor([False,  True])
    """
    _real("isneginf", input)
    return values(np.isneginf, input)


def isreal(input: Tensor) -> Tensor:
    """Which elements have no imaginary part.

    >>> import tensorplay as tp
    >>> tp.isreal(tp.tensor([0.0, 1 + 1j]))
    tensor([ True, False])
    """
    need_tensors("isreal", input=input)
    return values(np.isreal, input)


def signbit(input: Tensor) -> Tensor:
    """Which elements carry a minus, -0.0 too. Raises UnsupportedDTypeError for complex numbers.

    >>> import tensorplay as tp
    >>> tp.signbit(tp.tensor([0.0, -0.0, -2.0]))
    tensor([False,  True,  True])
    """
    _real("signbit", input)
    return values(_minus, input)


def _minus(x: Any) -> Any:
    return x < 0 if x.dtype.kind in "biu" else np.signbit(x)


def _real(name: str, input: Tensor) -> None:
    need_tensors(name, input=input)
    if input.dtype.is_complex:
        raise UnsupportedDTypeError(f"{name} does not support complex inputs: ask for the parts of x one at a time")

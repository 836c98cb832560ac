"""Angles, their inverses and hyperbolic functions, element by element."""

from __future__ import annotations

import math

from .. import ops
from ..apply import apply1
from ..errors import UnsupportedDTypeError
from ..operands import need_tensors
from ..tensor import Tensor
from .pointwise import mul

__all__ = [
    "acos", "acosh", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh", "asin", "asinh", "atan",
    "atanh", "cosh", "deg2rad", "rad2deg", "sinh", "tan",
]  # fmt: skip


def tan(input: Tensor) -> Tensor:
    """Tangent of each element, an angle in radians; d/dx tan x = 1 + tan² x.

    >>> import tensorplay as tp
    >>> tp.tan(tp.tensor([0.0, 0.5]))
    tensor([0.0000, 0.5463])
    """
    return apply1(ops.Tan, input)


def asin(input: Tensor) -> Tensor:
    """The angle whose sine is each element, NaN beyond ±1; d/dx = 1 / √(1 - x²).

    >>> import tensorplay as tp
    >>> tp.asin(tp.tensor([0.0, 0.5]))
    tensor([0.0000, 0.5236])
    """
    return apply1(ops.Asin, input)


def acos(input: Tensor) -> Tensor:
    """The angle whose cosine is each element, NaN beyond ±1; d/dx = -1 / √(1 - x²).

    >>> import tensorplay as tp
    >>> tp.acos(tp.tensor([0.0, 0.5]))
    tensor([1.5708, 1.0472])
    """
    return apply1(ops.Acos, input)


def atan(input: Tensor) -> Tensor:
    """The angle whose tangent is each element; d/dx = 1 / (1 + x²).

    >>> import tensorplay as tp
    >>> tp.atan(tp.tensor([0.0, 1.0]))
    tensor([0.0000, 0.7854])
    """
    return apply1(ops.Atan, input)


def sinh(input: Tensor) -> Tensor:
    """Hyperbolic sine of each element; d/dx sinh x = cosh x.

    >>> import tensorplay as tp
    >>> tp.sinh(tp.tensor([0.0, 1.0]))
    tensor([0.0000, 1.1752])
    """
    return apply1(ops.Sinh, input)


def cosh(input: Tensor) -> Tensor:
    """Hyperbolic cosine of each element; d/dx cosh x = sinh x.

    >>> import tensorplay as tp
    >>> tp.cosh(tp.tensor([0.0, 1.0]))
    tensor([1.0000, 1.5431])
    """
    return apply1(ops.Cosh, input)


def asinh(input: Tensor) -> Tensor:
    """Inverse hyperbolic sine of each element; d/dx = 1 / √(x² + 1).

    >>> import tensorplay as tp
    >>> tp.asinh(tp.tensor([0.0, 1.0]))
    tensor([0.0000, 0.8814])
    """
    return apply1(ops.Asinh, input)


def acosh(input: Tensor) -> Tensor:
    """Inverse hyperbolic cosine of each element, NaN below 1; d/dx = 1 / √(x² - 1).

    >>> import tensorplay as tp
    >>> tp.acosh(tp.tensor([1.0, 2.0]))
    tensor([0.0000, 1.3170])
    """
    return apply1(ops.Acosh, input)


def atanh(input: Tensor) -> Tensor:
    """Inverse hyperbolic tangent of each element, NaN beyond ±1; d/dx = 1 / (1 - x²).

    >>> import tensorplay as tp
    >>> tp.atanh(tp.tensor([0.0, 0.5]))
    tensor([0.0000, 0.5493])
    """
    return apply1(ops.Atanh, input)


arcsin, arccos, arctan, arcsinh, arccosh, arctanh = asin, acos, atan, asinh, acosh, atanh


def deg2rad(input: Tensor) -> Tensor:
    """Degrees to radians, x · π / 180. Raises UnsupportedDTypeError for complex numbers.

    >>> import tensorplay as tp
    >>> tp.deg2rad(tp.tensor([0.0, 180.0]))
    tensor([0.0000, 3.1416])
    """
    return mul(_real("deg2rad", input), math.pi / 180)


def rad2deg(input: Tensor) -> Tensor:
    """Radians to degrees, x · 180 / π. Raises UnsupportedDTypeError for complex numbers.

    >>> import tensorplay as tp
    >>> tp.rad2deg(tp.tensor([0.0, 1.0]))
    tensor([ 0.0000, 57.2958])
    """
    return mul(_real("rad2deg", input), 180 / math.pi)


def _real(name: str, input: Tensor) -> Tensor:
    need_tensors(name, input=input)
    if input.dtype.is_complex:
        raise UnsupportedDTypeError(f"{name} is not supported for complex tensors: an angle is a real number")
    return input

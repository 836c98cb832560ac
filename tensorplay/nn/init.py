"""How parameters start: functions that fill a tensor in place, and return it.

They draw from the default generator unless `generator` is given, and are never recorded.
"""

from __future__ import annotations

import math
from typing import Any

from ..arrays import philox
from ..errors import ShapeError
from ..random import Generator, draw
from ..tensor import Tensor

__all__ = [
    "calculate_gain",
    "constant_",
    "kaiming_normal_",
    "kaiming_uniform_",
    "normal_",
    "ones_",
    "uniform_",
    "xavier_normal_",
    "xavier_uniform_",
    "zeros_",
]


def _fill(tensor: Tensor, values: Any) -> Tensor:
    tensor._array[...] = values
    if tensor._cell is not None:
        tensor._cell[0] += 1
    return tensor


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill with numbers spread evenly from a to b.

    >>> import tensorplay as tp
    >>> w = tp.nn.init.uniform_(tp.empty(100), -1, 1)
    >>> bool((w.abs() <= 1).all())
    True
    """
    values = draw(philox.uniform, tensor._array.shape, tensor._array.dtype, generator)
    return _fill(tensor, a + (b - a) * values)


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill with normally distributed numbers."""
    values = draw(philox.normal, tensor._array.shape, tensor._array.dtype, generator)
    return _fill(tensor, mean + std * values)


def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fill with one number."""
    return _fill(tensor, val)


def zeros_(tensor: Tensor) -> Tensor:
    """Fill with zeros."""
    return _fill(tensor, 0)


def ones_(tensor: Tensor) -> Tensor:
    """Fill with ones."""
    return _fill(tensor, 1)


# ------------------------------------------------------------------------ by the size of the layer

_GAINS = {"linear": 1.0, "sigmoid": 1.0, "tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 0.75}


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """By how much the spread shrinks in this nonlinearity, so by how much weights start larger.

    >>> calculate_gain("relu") == 2**0.5
    True
    """
    if nonlinearity == "leaky_relu":
        return math.sqrt(2.0 / (1 + (0.01 if param is None else param) ** 2))
    if nonlinearity not in _GAINS:
        known = ", ".join([*_GAINS, "leaky_relu"])
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}: the gain is known for {known}")
    return _GAINS[nonlinearity]


def fans(tensor: Tensor) -> tuple[int, int]:
    """How many numbers go into, and come out of, one unit of a weight of this shape."""
    shape = tensor._array.shape
    if len(shape) < 2:
        raise ShapeError(
            f"Fan in and fan out can not be computed for tensor with fewer than 2 dimensions, got {list(shape)}"
        )
    window = math.prod(shape[2:])
    return shape[1] * window, shape[0] * window


def _spread(tensor: Tensor, mode: str, a: float, nonlinearity: str) -> float:
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    return calculate_gain(nonlinearity, a) / math.sqrt(max(fans(tensor)[mode == "fan_out"], 1))


def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Fill evenly so that the spread stays the same through layers with this nonlinearity (He et al. 2015)."""
    bound = math.sqrt(3.0) * _spread(tensor, mode, a, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """`kaiming_uniform_` with normally distributed numbers."""
    return normal_(tensor, 0.0, _spread(tensor, mode, a, nonlinearity), generator)


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill evenly so that values and gradients both keep their spread (Glorot and Bengio 2010)."""
    bound = math.sqrt(6.0 / sum(fans(tensor))) * gain
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """`xavier_uniform_` with normally distributed numbers."""
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / sum(fans(tensor))), generator)

"""How parameters start: functions that fill a tensor in place, and return it.

They draw from the default generator unless `generator` is given, and are never recorded.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..arrays import philox
from ..autograd.lines import bump_version
from ..errors import (
    FanError,
    HyperparameterError,
    HyperparameterTypeError,
    RangeError,
    ShapeError,
    TensorExpectedError,
)
from ..inplace import checked, fitting
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


def _fill(tensor: Tensor, values: Any, name: str) -> Tensor:
    # One number may be written everywhere at once, also into an expanded tensor, as in PyTorch.
    array = checked(tensor) if np.ndim(values) else tensor._array
    array[...] = values
    if tensor._cell is not None:
        bump_version(tensor._cell, name)
    return tensor


def _check_tensor(tensor: Any, name: str) -> None:
    """Raise TensorExpectedError unless this is a tensor that can be filled."""
    if not isinstance(tensor, Tensor):
        raise TensorExpectedError(
            f"{name}() fills a Tensor, got '{type(tensor).__name__}' object, which has no attribute '{name}': give a "
            "tensor or a parameter, such as layer.weight"
        )


def _number(value: Any, name: str, word: str) -> Any:
    """The number, also one in a 0-d tensor; HyperparameterTypeError for anything else."""
    if isinstance(value, Tensor) and not value.ndim:
        value = value.item()
    if not isinstance(value, (int, float, np.number)):
        raise HyperparameterTypeError(
            f"{name}(): argument '{word}' must be float, not {type(value).__name__}: got {value!r}"
        )
    return value


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill with numbers spread evenly from a to b. Raises RangeError if a is larger than b.

    >>> import tensorplay as tp
    >>> w = tp.nn.init.uniform_(tp.empty(100), -1, 1)
    >>> bool((w.abs() <= 1).all())
    True
    """
    _check_tensor(tensor, "uniform_")
    a, b = _number(a, "uniform_", "a"), _number(b, "uniform_", "b")
    if a > b:
        raise RangeError(f"uniform_ expects to return a [from, to) range, but found from={a} > to={b}: swap them")
    values = draw(philox.uniform, tensor._array.shape, tensor._array.dtype, generator)
    return _fill(tensor, a + (b - a) * values, "uniform_")


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill with normally distributed numbers. Raises RangeError for a negative spread."""
    _check_tensor(tensor, "normal_")
    mean, std = _number(mean, "normal_", "mean"), _number(std, "normal_", "std")
    if std < 0:
        raise RangeError(f"normal expects std >= 0.0, but found std {std}: it is a spread, the sign goes into the mean")
    values = draw(philox.normal, tensor._array.shape, tensor._array.dtype, generator)
    return _fill(tensor, mean + std * values, "normal_")


def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fill with one number."""
    _check_tensor(tensor, "fill_")
    if isinstance(val, Tensor) and val.ndim:
        raise ShapeError(
            f"fill_ only supports 0-dimension value tensor but got tensor with {val.ndim} dimensions: copy_() writes "
            "several numbers"
        )
    return _fill(tensor, fitting(tensor, val), "fill_")


def zeros_(tensor: Tensor) -> Tensor:
    """Fill with zeros."""
    _check_tensor(tensor, "zero_")
    return _fill(tensor, 0, "zero_")


def ones_(tensor: Tensor) -> Tensor:
    """Fill with ones."""
    _check_tensor(tensor, "fill_")
    return _fill(tensor, 1, "fill_")


# ------------------------------------------------------------------------ by the size of the layer

_GAINS = {"linear": 1.0, "sigmoid": 1.0, "tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 0.75}


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """By how much the spread shrinks in this nonlinearity, so by how much weights start larger.

    Raises HyperparameterError for a nonlinearity without a known gain, or a slope that is no number.

    >>> calculate_gain("relu") == 2**0.5
    True
    """
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        if isinstance(slope, bool) or not isinstance(slope, (int, float, np.number)):
            raise HyperparameterError(f"negative_slope {slope} not a valid number: got {type(slope).__name__}")
        return math.sqrt(2.0 / (1 + slope**2))
    if not isinstance(nonlinearity, str) or nonlinearity not in _GAINS:
        known = ", ".join([*_GAINS, "leaky_relu"])
        raise HyperparameterError(f"Unsupported nonlinearity {nonlinearity}: the gain is known for {known}")
    return _GAINS[nonlinearity]


def fans(tensor: Tensor) -> tuple[int, int]:
    """How many numbers go into, and come out of, one unit of a weight of this shape."""
    _check_tensor(tensor, "dim")
    shape = tensor._array.shape
    if len(shape) < 2:
        raise FanError(
            f"Fan in and fan out can not be computed for tensor with fewer than 2 dimensions, got {list(shape)}: "
            "a bias is filled with zeros_ or uniform_"
        )
    window = math.prod(shape[2:])
    return shape[1] * window, shape[0] * window


def _spread(tensor: Tensor, mode: str, a: float, nonlinearity: str) -> float:
    if mode not in ("fan_in", "fan_out"):
        raise HyperparameterError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
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
    gain = _number(gain, "xavier_uniform_", "gain")
    bound = math.sqrt(6.0 / max(sum(fans(tensor)), 1)) * gain
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """`xavier_uniform_` with normally distributed numbers."""
    gain = _number(gain, "xavier_normal_", "gain")
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / max(sum(fans(tensor)), 1)), generator)

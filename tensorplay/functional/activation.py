"""What makes a network more than one matrix: relu, sigmoid, and probabilities from scores."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..apply import apply1
from ..ops.families import normal_dim
from ..tensor import Tensor, rank
from .elementary import exp

__all__ = ["log_softmax", "relu", "sigmoid", "softmax"]


def relu(input: Tensor) -> Tensor:
    """max(x, 0) of each element; the gradient at 0 is 0.

    >>> import tensorplay as tp
    >>> tp.relu(tp.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """
    return apply1(ops.Relu, input)


def sigmoid(input: Tensor) -> Tensor:
    """Logistic function of each element, σ = 1 / (1 + e⁻ˣ); dσ/dx = σ(1 - σ).

    >>> import tensorplay as tp
    >>> tp.sigmoid(tp.tensor([0.0, 2.0]))
    tensor([0.5000, 0.8808])
    """
    return apply1(ops.Sigmoid, input)


def softmax(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """exp(x) / Σ exp(x) along `dim`: positive numbers that sum to 1. Large scores do not overflow.

    >>> import tensorplay as tp
    >>> tp.softmax(tp.tensor([0.0, 0.0]), 0)
    tensor([0.5000, 0.5000])
    """
    input = input if dtype is None else input.to(dtype)
    return apply1(ops.Softmax, input, {"dim": normal_dim(dim, rank(input))}) if rank(input) else exp(input - input)


def log_softmax(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """Logarithm of the softmax, x - ln Σ exp(x) along `dim`; exact where softmax itself would round to 0.

    >>> import tensorplay as tp
    >>> tp.log_softmax(tp.tensor([0.0, 0.0]), 0)
    tensor([-0.6931, -0.6931])
    """
    input = input if dtype is None else input.to(dtype)
    return apply1(ops.LogSoftmax, input, {"dim": normal_dim(dim, rank(input))}) if rank(input) else input - input

"""Dropout: some numbers become zero at random, so that a network cannot rely on any single one."""

from __future__ import annotations

from typing import Any

from ..errors import HyperparameterError
from ..random import rand_like
from ..tensor import Tensor, rank

__all__ = ["alpha_dropout", "check_chance", "dropout", "dropout1d", "dropout2d", "dropout3d", "feature_alpha_dropout"]

_ALPHA = 1.7580993408473766
"""The limit of SELU on the left, negated: what a dropped number becomes in alpha dropout."""


def check_chance(p: Any) -> None:
    """Raise HyperparameterError unless p is a probability."""
    if not 0 <= p <= 1:
        raise HyperparameterError(f"dropout probability has to be between 0 and 1, but got {p}")


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Each number is zero with probability p, the others are divided by 1 - p; without `training`, all as they are.

    Raises HyperparameterError unless p is between 0 and 1.

    >>> import tensorplay as tp
    >>> tp.nn.functional.dropout(tp.ones(3), p=0.5, training=False)
    tensor([1., 1., 1.])
    """
    return _dropped(input, input, p, training, inplace)


def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """`dropout` of whole channels of (N, C, L) or (C, L). Raises HyperparameterError unless p is between 0 and 1.

    >>> import tensorplay as tp
    >>> tp.nn.functional.dropout1d(tp.ones(1, 2, 2), p=1.0).sum()
    tensor(0.)
    """
    return _channels(input, 1, p, training, inplace)


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """`dropout` of whole channels of (N, C, H, W). Raises HyperparameterError unless p is between 0 and 1.

    >>> import tensorplay as tp
    >>> tp.nn.functional.dropout2d(tp.ones(1, 2, 2, 2), p=1.0).sum()
    tensor(0.)
    """
    return _dropped(input, _one_each(input, 2), p, training, inplace)


def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """`dropout` of whole channels of (N, C, D, H, W). Raises HyperparameterError unless p is between 0 and 1.

    >>> import tensorplay as tp
    >>> tp.nn.functional.dropout3d(tp.ones(1, 2, 2, 2, 2), p=1.0).sum()
    tensor(0.)
    """
    return _channels(input, 3, p, training, inplace)


def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Dropout for SELU networks: dropped numbers go to SELU's limit, and mean 0 and variance 1 are kept.

    Raises HyperparameterError unless p is between 0 and 1.

    >>> import tensorplay as tp
    >>> tp.nn.functional.alpha_dropout(tp.ones(3))
    tensor([1., 1., 1.])
    """
    return _alpha(input, input, p, training, inplace)


def feature_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """`alpha_dropout` of whole channels of (N, C, …). Raises HyperparameterError unless p is between 0 and 1.

    >>> import tensorplay as tp
    >>> tp.nn.functional.feature_alpha_dropout(tp.ones(1, 3, 2)).shape
    (1, 3, 2)
    """
    return _alpha(input, _one_each(input, 2) if training else input, p, training, inplace)


def _one_each(input: Tensor, lead: int) -> Tensor:
    """One number for each of the leading dimensions."""
    return input[(slice(None),) * lead + (slice(0, 1),) * (rank(input) - lead)].detach()


def _channels(input: Tensor, n: int, p: float, training: bool, inplace: bool) -> Tensor:
    return _dropped(input, _one_each(input, rank(input) - n), p, training, inplace)


def _dropped(input: Tensor, like: Tensor, p: float, training: bool, inplace: bool) -> Tensor:
    check_chance(p)
    if not training or p == 0:
        return input
    kept = (rand_like(like.detach()) >= p).to(input.dtype)
    factor = kept / (1 - p) if p < 1 else kept
    return input.mul_(factor) if inplace else input * factor


def _alpha(input: Tensor, like: Tensor, p: float, training: bool, inplace: bool) -> Tensor:
    check_chance(p)
    if not training or p == 0:
        return input
    kept = (rand_like(like.detach()) >= p).to(input.dtype)
    scale = ((1 - p) * (1 + p * _ALPHA**2)) ** -0.5 if p < 1 else 0.0
    shift = (kept - 1) * (_ALPHA * scale) + _ALPHA * scale * p
    out = input * (kept * scale) + shift
    return input.copy_(out) if inplace else out

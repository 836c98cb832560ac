"""Running results along a dimension."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..apply import apply1
from ..ops.families import normal_dim
from ..tensor import Tensor, rank
from .common import widened

__all__ = ["cumprod", "cumsum"]


def cumsum(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """Running sum along `dim`: out[k] = input[0] + … + input[k].

    >>> import tensorplay as tp
    >>> tp.cumsum(tp.tensor([1.0, 2.0, 3.0]), 0)
    tensor([1., 3., 6.])
    """
    return _running(ops.Cumsum, input, dim, dtype)


def cumprod(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """Running product along `dim`: out[k] = input[0] · … · input[k]. Its gradients are exact at zeros too.

    >>> import tensorplay as tp
    >>> tp.cumprod(tp.tensor([1.0, 2.0, 3.0]), 0)
    tensor([1., 2., 6.])
    """
    return _running(ops.Cumprod, input, dim, dtype)


def _running(op: type[ops.Op], input: Tensor, dim: int, dtype: Any) -> Tensor:
    dim = normal_dim(dim, rank(input))
    input = widened(input, dtype)
    return apply1(op, input, {"dim": dim}) if rank(input) else apply1(ops.Clone, input)

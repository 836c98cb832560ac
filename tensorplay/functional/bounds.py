"""The larger and the smaller of two, and numbers held between bounds."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..apply import apply
from ..errors import ArgumentTypeError, BoundsError
from ..operands import NUMBERS, applied, need_tensors
from ..tensor import Tensor

__all__ = ["clamp", "clamp_max", "clamp_min", "clip", "fmax", "fmin"]


def fmax(input: Tensor, other: Tensor) -> Tensor:
    """The larger of two, element by element; where one is NaN, the other. Of equals the first gets the gradient.

    >>> import tensorplay as tp
    >>> tp.fmax(tp.tensor([1.0, float("nan")]), tp.tensor([3.0, 2.0]))
    tensor([3., 2.])
    """
    need_tensors("fmax", input=input, other=other)
    return applied(ops.Fmax, input, other)


def fmin(input: Tensor, other: Tensor) -> Tensor:
    """The smaller of two, element by element; where one is NaN, the other. Of equals the first gets the gradient.

    >>> import tensorplay as tp
    >>> tp.fmin(tp.tensor([1.0, float("nan")]), tp.tensor([3.0, 2.0]))
    tensor([1., 2.])
    """
    need_tensors("fmin", input=input, other=other)
    return applied(ops.Fmin, input, other)


def clamp(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """Each element held between `min` and `max`, two numbers or two tensors; None is no bound. It is `clip`.

    min(max(input, min), max), and so `max` where min > max; shapes broadcast. The gradient goes to `input` inside and
    on the bounds, and where a bound is taken, to that. Raises BoundsError without any bound, ArgumentTypeError for a
    tensor with a number, UnsupportedDTypeError for complex numbers.

    >>> import tensorplay as tp
    >>> tp.clamp(tp.tensor([-2.0, 0.5, 3.0]), 0, 1)
    tensor([0.0000, 0.5000, 1.0000])
    """
    need_tensors("clamp", input=input)
    if min is None and max is None:
        raise BoundsError("clamp: At least one of 'min' or 'max' must not be None: give a number or a tensor")
    if min is None:
        return clamp_max(input, max)
    if max is None:
        return clamp_min(input, min)
    _check_bounds(min, max)
    return apply(ops.Clamp, input, min, max)


clip = clamp


def clamp_min(input: Tensor, min: Any) -> Tensor:
    """Each element, but at least `min`, a number or a tensor; where they are equal the input gets the gradient.

    >>> import tensorplay as tp
    >>> tp.clamp_min(tp.tensor([-2.0, 0.5]), 0)
    tensor([0.0000, 0.5000])
    """
    need_tensors("clamp_min", input=input)
    return applied(ops.ClampMin, input, min)


def clamp_max(input: Tensor, max: Any) -> Tensor:
    """Each element, but at most `max`, a number or a tensor; where they are equal the input gets the gradient.

    >>> import tensorplay as tp
    >>> tp.clamp_max(tp.tensor([-2.0, 0.5]), 0)
    tensor([-2.,  0.])
    """
    need_tensors("clamp_max", input=input)
    return applied(ops.ClampMax, input, max)


def _check_bounds(min: Any, max: Any) -> None:
    tensors = [isinstance(bound, Tensor) for bound in (min, max)]
    if tensors[0] is not tensors[1] or not all(isinstance(bound, (Tensor, *NUMBERS)) for bound in (min, max)):
        raise ArgumentTypeError(
            f"clamp() takes two numbers or two tensors, got {type(min).__name__} and {type(max).__name__}: "
            "tp.tensor(bound) makes a tensor of a number"
        )

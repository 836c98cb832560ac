"""How wrong a prediction is: cross-entropy, squared error. Public in `nn.functional`."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import ops
from ..apply import apply
from ..errors import (
    DimensionError,
    DTypeError,
    HyperparameterError,
    IndexingError,
    ShapeError,
    TargetError,
    TensorExpectedError,
)
from ..lifting import plain
from ..source import warn
from ..tensor import Tensor, rank, wrap
from .activation import log_softmax
from .indexing import gather
from .pointwise import where
from .reduction import mean, sum
from .shaping import permute, reshape

__all__ = ["check_reduction", "cross_entropy", "mse_loss"]


def check_reduction(reduction: str) -> None:
    """Raise HyperparameterError unless a loss knows this way to bring its numbers together."""
    if reduction not in ("mean", "sum", "none"):
        raise HyperparameterError(f"{reduction} is not a valid value for reduction: expected 'mean', 'sum' or 'none'")


def _check_tensors(name: str, input: Any, target: Any) -> None:
    """Raise TensorExpectedError unless prediction and target are tensors."""
    for position, (word, value) in enumerate((("input", input), ("target", target)), 1):
        if not isinstance(value, Tensor):
            raise TensorExpectedError(
                f"{name}(): argument '{word}' (position {position}) must be Tensor: expected a Tensor, but got "
                f"{type(value).__name__}. tp.tensor(...) makes one"
            )


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """Cross-entropy between scores and classes: -log softmax(input)[target], averaged.

    Args:
        input: scores, (C,), (N, C) or (N, C, d1, …). They are not probabilities: softmax is inside.
        target: class numbers, () or (N,) or (N, d1, …), or probabilities of input's shape.
        weight: one factor per class, (C,).
        ignore_index: this class number counts for nothing.
        reduction: "mean", "sum" or "none".
        label_smoothing: part of the target spread evenly over all classes, 0 to 1.

    Raises:
        TargetError: the shapes do not belong together. DTypeError: targets that are neither class numbers nor
            probabilities. DimensionError: scores that are a single number. IndexingError: a class that does not exist.

    >>> import tensorplay as tp
    >>> tp.nn.functional.cross_entropy(tp.tensor([[2.0, 0.0]]), tp.tensor([0]))
    tensor(0.1269)
    """
    check_reduction(reduction)
    _check_tensors("cross_entropy_loss", input, target)
    if not 0 <= label_smoothing <= 1:
        raise HyperparameterError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}")
    if weight is not None and weight.shape != input.shape[min(1, rank(input) - 1) :][:1]:
        raise ShapeError(
            f"weight must hold one factor per class, got shape {list(weight.shape)} for scores {list(input.shape)}"
        )
    if target.shape == input.shape and target._array.dtype.kind == "f":
        _check_dimension(input)
        return _against_probabilities(input, target, weight, reduction, label_smoothing)
    _check_classes(input, target)
    scores, classes = _rows(input, target)
    shape = target.shape if rank(input) > 1 else ()
    ignored = (plain(classes._array) == ignore_index).any()
    if weight is None and not label_smoothing and not ignored:
        _check_range(classes, scores.shape[1])
        losses = apply(ops.CrossEntropy, scores, classes)
        return _reduced(losses, reduction, shape)
    return _weighted(scores, classes, ignore_index, weight, reduction, label_smoothing, shape)


def _rows(input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Scores as (rows, classes), whatever dimensions stood around the classes."""
    if rank(input) <= 1:
        return reshape(input, (1, -1)), reshape(target, (1,))
    if rank(input) == 2:
        return input, target
    order = (0, *range(2, rank(input)), 1)
    return reshape(permute(input, order), (-1, input.shape[1])), reshape(target, (-1,))


def _check_dimension(input: Tensor) -> None:
    if not rank(input):
        raise DimensionError(
            "Dimension out of range: the scores are a single number, and have no dimension of classes. One example of "
            "C classes has the shape (C,)"
        )


def _check_classes(input: Tensor, target: Tensor) -> None:
    if target.shape == input.shape:
        raise DTypeError(
            f"Expected floating point type for target with class probabilities, got {target.dtype}: for class numbers "
            f"the scores {list(input.shape)} need one dimension more, the classes"
        )
    _check_dimension(input)
    count = input.shape[0] if rank(input) > 1 else 1
    if rank(input) > 1 and target.shape[:1] != (count,):
        raise TargetError(
            f"Expected input batch_size ({count}) to match target batch_size ({target.shape[0] if rank(target) else 0})"
            f": got scores of shape {list(input.shape)} and a target of shape {list(target.shape)}"
        )
    expected = input.shape[:1] + input.shape[2:] if rank(input) >= 2 else ()
    if target.shape != expected and not (rank(input) == 1 and target.shape == (1,)):
        raise TargetError(
            f"Expected target size {list(expected)}, got {list(target.shape)}: scores of shape {list(input.shape)} "
            f"need one class number per example"
        )
    if target._array.dtype.kind not in "iu":
        raise DTypeError(
            f"expected target dtype to be Long or Byte, but got {target.dtype}: targets are class numbers (int64), "
            f"or probabilities of the scores' shape {list(input.shape)}"
        )


def _check_range(classes: Tensor, count: int, ignored: int | None = None) -> None:
    numbers = plain(classes._array)
    wrong = numbers[((numbers < 0) | (numbers >= count)) & (numbers != ignored)]
    if wrong.size:
        raise IndexingError(f"Target {wrong[0]} is out of bounds: there are {count} classes, numbered 0 to {count - 1}")


def _reduced(losses: Tensor, reduction: str, shape: tuple[int, ...]) -> Tensor:
    if reduction == "mean":
        return mean(losses)
    if reduction == "sum":
        return sum(losses)
    return losses if losses.shape == shape else reshape(losses, shape)  # a view could not be detached in place


def _weighted(
    scores: Tensor, classes: Tensor, ignore_index: int, weight: Any, reduction: str, smoothing: float, shape: Any
) -> Tensor:
    """With class weights, ignored entries or smoothing: composed of recorded operations."""
    _check_range(classes, scores.shape[1], ignore_index)
    ignored: Any = classes == ignore_index
    safe = where(ignored, 0, classes)
    factors = wrap(np.ones(safe.shape, scores._array.dtype)) if weight is None else weight.detach()[safe]
    factors = where(ignored, 0.0, factors)
    logp = log_softmax(scores, 1)
    losses = -reshape(gather(logp, 1, reshape(safe, (-1, 1))), (-1,)) * factors
    if smoothing:
        spread = logp if weight is None else logp * weight
        even = -sum(spread, 1) / scores.shape[1] * (~ignored).to(scores.dtype)
        losses = losses * (1 - smoothing) + even * smoothing
    if reduction == "mean":
        return sum(losses) / sum(factors)
    return _reduced(losses, reduction, shape)


def _against_probabilities(input: Tensor, target: Tensor, weight: Any, reduction: str, smoothing: float) -> Tensor:
    dim = 1 if rank(input) > 1 else 0
    if smoothing:
        target = target * (1 - smoothing) + smoothing / input.shape[dim]
    logp = log_softmax(input, dim)
    if weight is not None:
        logp = logp * reshape(weight, (-1, *(1,) * (rank(input) - dim - 1)))
    losses = -sum(logp * target, dim)
    if reduction == "mean":
        return (
            sum(losses) / max(input.shape[0] if rank(input) > 1 else 1, 1)
            if rank(input) <= 2
            else sum(losses) / losses._array.size
        )
    return _reduced(losses, reduction, losses.shape)


def mse_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """Mean of the squared differences. Warns when shapes differ: (N, 1) against (N,) compares all pairs.

    >>> import tensorplay as tp
    >>> tp.nn.functional.mse_loss(tp.tensor([1.0, 3.0]), tp.tensor([1.0, 1.0]))
    tensor(2.)
    """
    check_reduction(reduction)
    _check_tensors("mse_loss", input, target)
    if input.shape != target.shape:
        warn(
            f"Using a target size ({list(target.shape)}) that is different to the input size ({list(input.shape)}). "
            f"They broadcast against each other, which is rarely meant: reshape one of them.",
            UserWarning,
        )
    difference = input - target
    squares = difference * difference
    return _reduced(squares, reduction, squares.shape)

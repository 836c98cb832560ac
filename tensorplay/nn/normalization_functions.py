"""Normalisation: numbers moved to mean 0 and variance 1 over a batch, over features, or over groups of channels."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from ..autograd.modes import no_grad
from ..errors import HyperparameterError, ShapeError
from ..functional import mean, reshape, sqrt
from ..tensor import Tensor, rank
from .padding_functions import pad
from .pooling_sizes import avg_pool2d

__all__ = ["batch_norm", "group_norm", "instance_norm", "layer_norm", "local_response_norm", "rms_norm"]


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """(x - mean) / √(var + eps) · weight + bias for each channel of (N, C) or (N, C, …).

    In training, mean and variance are those of the batch, and the running ones move by `momentum` towards them (the
    variance with n - 1 below); otherwise the running ones are taken. Raises HyperparameterError for a single value per
    channel in training, ShapeError for statistics of another size.

    >>> import tensorplay as tp
    >>> tp.nn.functional.batch_norm(tp.tensor([[1.0], [3.0]]), None, None, training=True, eps=0.0)
    tensor([[-1.],
            [ 1.]])
    """
    channels = input.shape[1]
    for name, given in (("running_mean", running_mean), ("running_var", running_var)):
        if given is None and not training:
            raise ShapeError(f"{name} must be defined in evaluation mode: give it, or training=True")
        _check_size(name, given, channels)
    _check_size("weight", weight, channels)
    _check_size("bias", bias, channels)
    shape = (1, channels, *(1,) * (rank(input) - 2))
    if running_mean is not None and running_var is not None and not training:
        center, spread = reshape(running_mean, shape), reshape(running_var, shape)
        return _scaled((input - center) / sqrt(spread + eps), weight, bias, shape)
    dims = (0, *range(2, rank(input)))
    count = prod(input.shape[d] for d in dims)
    if count == 1:
        raise HyperparameterError(
            f"Expected more than 1 value per channel when training, got input size {list(input.shape)}: one value is "
            "its own mean. Take a larger batch, or model.eval()"
        )
    out, center, spread = _standardized(input, dims, eps)
    _update(running_mean, center, momentum, channels)
    _update(running_var, spread * (count / max(count - 1, 1)), momentum, channels)
    return _scaled(out, weight, bias, shape)


def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """(x - mean) / √(var + eps) · weight + bias over the last dimensions, whose sizes are `normalized_shape`.

    Raises ShapeError where they differ.

    >>> import tensorplay as tp
    >>> tp.nn.functional.layer_norm(tp.tensor([1.0, 3.0]), (2,), eps=0.0)
    tensor([-1.,  1.])
    """
    dims = _last(input, normalized_shape)
    for name, given in (("weight", weight), ("bias", bias)):
        _check_shape(name, given, normalized_shape)
    out = _standardized(input, dims, eps)[0]
    out = out if weight is None else out * weight
    return out if bias is None else out + bias


def rms_norm(
    input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None, eps: float | None = None
) -> Tensor:
    """x / √(mean(x²) + eps) · weight over the last dimensions; without `eps` it is the dtype's smallest step from 1.

    Raises ShapeError where they differ from `normalized_shape`.

    >>> import tensorplay as tp
    >>> tp.nn.functional.rms_norm(tp.tensor([3.0, 3.0]), (2,))
    tensor([1., 1.])
    """
    dims = _last(input, normalized_shape)
    _check_shape("weight", weight, normalized_shape)
    small = float(np.finfo(input._array.dtype).eps) if eps is None else eps
    out = input / sqrt(mean(input * input, dims, True) + small)
    return out if weight is None else out * weight


def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    """(x - mean) / √(var + eps) · weight + bias, where each example's channels (N, C, …) form `num_groups` groups.

    Raises ShapeError where the channels do not divide.

    >>> import tensorplay as tp
    >>> tp.nn.functional.group_norm(tp.tensor([[1.0, 3.0]]), 1, eps=0.0)
    tensor([[-1.,  1.]])
    """
    if rank(input) < 2:
        raise ShapeError(f"Expected at least 2 dimensions for input tensor but received {rank(input)}: (N, C, …)")
    count, channels = input.shape[:2]
    if num_groups < 1 or channels % num_groups:
        raise ShapeError(
            f"Expected number of channels in input to be divisible by num_groups, but got input of shape "
            f"{list(input.shape)} and num_groups={num_groups}"
        )
    _check_size("weight", weight, channels)
    _check_size("bias", bias, channels)
    each = prod(input.shape[1:]) // num_groups
    out = _standardized(reshape(input, (count, num_groups, each)), (2,), eps)[0]
    return _scaled(reshape(out, input.shape), weight, bias, (1, channels, *(1,) * (rank(input) - 2)))


def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """(x - mean) / √(var + eps) · weight + bias for each channel of each example of (N, C, …).

    Running statistics move towards the mean over the examples; they are taken when `use_input_stats` is False.
    Raises HyperparameterError for images of a single element, ShapeError for statistics of another size.

    >>> import tensorplay as tp
    >>> tp.nn.functional.instance_norm(tp.tensor([[[1.0, 3.0]]]), eps=0.0)
    tensor([[[-1.,  1.]]])
    """
    if not use_input_stats:
        return batch_norm(input, running_mean, running_var, weight, bias, False, momentum, eps)
    channels, count = input.shape[1], prod(input.shape[2:])
    if count == 1:
        raise HyperparameterError(
            f"Expected more than 1 spatial element when training, got input size {list(input.shape)}: one value is "
            "its own mean"
        )
    for name, given in (("running_mean", running_mean), ("running_var", running_var), ("weight", weight)):
        _check_size(name, given, channels)
    out, center, spread = _standardized(input, tuple(range(2, rank(input))), eps)
    _update(running_mean, mean(center, 0), momentum, channels)
    _update(running_var, mean(spread, 0) * (count / max(count - 1, 1)), momentum, channels)
    return _scaled(out, weight, bias, (1, channels, *(1,) * (rank(input) - 2)))


def local_response_norm(input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    """x / (k + alpha · mean of x² over `size` neighbouring channels)^beta for (N, C, …).

    Raises ShapeError for an input of fewer than 3 dimensions.

    >>> import tensorplay as tp
    >>> tp.nn.functional.local_response_norm(tp.ones(1, 2, 1), 2, alpha=1.0, beta=1.0)
    tensor([[[0.6667],
             [0.5000]]])
    """
    if rank(input) < 3:
        raise ShapeError(f"Expected 3D or higher dimensionality input (got {rank(input)} dimensions): (N, C, …)")
    count, channels = input.shape[:2]
    squares = reshape(input * input, (count, 1, channels, prod(input.shape[2:])))
    sums = avg_pool2d(pad(squares, (0, 0, size // 2, (size - 1) // 2)), (size, 1), stride=1)
    return input / (reshape(sums, input.shape) * alpha + k) ** beta


def _standardized(x: Tensor, dims: tuple[int, ...], eps: float) -> tuple[Tensor, Tensor, Tensor]:
    """x at mean 0 and variance 1 over `dims`, and what mean and variance were (with those dimensions kept)."""
    center = mean(x, dims, True)
    away = x - center
    spread = mean(away * away, dims, True)
    return away / sqrt(spread + eps), center, spread


def _scaled(x: Tensor, weight: Tensor | None, bias: Tensor | None, shape: tuple[int, ...]) -> Tensor:
    x = x if weight is None else x * reshape(weight, shape)
    return x if bias is None else x + reshape(bias, shape)


def _update(running: Tensor | None, now: Tensor, momentum: float, channels: int) -> None:
    if running is None:
        return
    with no_grad():
        new = reshape(now.detach(), (channels,)).to(running.dtype)
        running.mul_(1 - momentum).add_(new * momentum)


def _last(input: Tensor, normalized_shape: Sequence[int]) -> tuple[int, ...]:
    shape = tuple(normalized_shape)
    if not shape:
        raise ShapeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element"
        )
    if input.shape[rank(input) - len(shape) :] != shape or len(shape) > rank(input):
        raise ShapeError(
            f"Given normalized_shape={list(shape)}, expected input with shape [*, {', '.join(map(str, shape))}], but "
            f"got input of size {list(input.shape)}"
        )
    return tuple(range(rank(input) - len(shape), rank(input)))


def _check_size(name: str, given: Tensor | None, channels: int) -> None:
    if given is not None and given.shape != (channels,):
        raise ShapeError(
            f"{name} should contain {channels} elements not {prod(given.shape)}: one for each channel, got shape "
            f"{list(given.shape)}"
        )


def _check_shape(name: str, given: Tensor | None, shape: Sequence[int]) -> None:
    if given is not None and given.shape != tuple(shape):
        raise ShapeError(
            f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape {list(given.shape)} and "
            f"normalized_shape = {list(shape)}"
        )

"""Pooling: each window of an image becomes one number, its largest or its mean."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ..errors import ShapeError
from ..functional import abs as magnitude
from ..functional import max, permute, relu, reshape, sign, squeeze, sum, where
from ..tensor import Tensor, rank, wrap
from .convolution_functions import _flat
from .padding_functions import pad
from .window import Size, batched, flat_windows, per_dim, windows

__all__ = ["adaptive_avg", "adaptive_max", "averaged", "largest", "powered"]


def largest(n: int, input: Tensor, kernel_size: Size, stride: Any, padding: Any, dilation: Any, ceil_mode: bool) -> Any:
    """The largest number under each window, and where it is in the flattened image."""
    x, alone = batched(input, n, f"max_pool{n}d")
    kernel, step, edge, spread = _sizes(n, kernel_size, stride, padding, dilation)
    out = _places(x, kernel, step, edge, spread, ceil_mode)
    framed = _framed(x, out, kernel, step, edge, spread, _lowest(x))
    values, which = max(flat_windows(windows(framed, kernel, step, spread), n), -1)
    position: Any = 0
    for d in range(n):
        inside = which // prod(kernel[d + 1 :]) % kernel[d] * spread[d]
        start = wrap((np.arange(out[d]) * step[d] - edge[d]).reshape(-1, *(1,) * (n - 1 - d)))
        position = position * x.shape[2 + d] + inside + start
    return (squeeze(values, 0), squeeze(position, 0)) if alone else (values, position)


def averaged(n: int, input: Tensor, kernel_size: Size, stride: Any, padding: Any, ceil_mode: bool,
             count_include_pad: bool, divisor: int | None) -> Tensor:  # fmt: skip
    """The sum under each window, divided by how many numbers lie there."""
    x, alone = batched(input, n, f"avg_pool{n}d")
    ones = (1,) * n
    kernel, step, edge, spread = _sizes(n, kernel_size, stride, padding, ones)
    if divisor == 0:
        raise ShapeError("divisor must be not zero: divisor_override=None divides by the size of the window")
    out = _places(x, kernel, step, edge, spread, ceil_mode)
    framed = _framed(x, out, kernel, step, edge, spread, 0)
    total = sum(flat_windows(windows(framed, kernel, step, spread), n), -1)
    counts: Any = divisor or _counts(x.shape[2:], out, kernel, step, edge, count_include_pad)
    mean = total / (counts if divisor else wrap(counts.astype(x._array.dtype)))
    return squeeze(mean, 0) if alone else mean


def powered(n: int, input: Tensor, norm_type: float, kernel_size: Size, stride: Any, ceil_mode: bool) -> Tensor:
    """(Σ xᵖ)^(1/p) under each window."""
    kernel = per_dim(kernel_size, n, "kernel_size")
    mean = averaged(n, input**norm_type, kernel, stride, 0, ceil_mode, True, None)
    return (sign(mean) * relu(magnitude(mean)) * prod(kernel)) ** (1.0 / norm_type)


def adaptive_avg(n: int, input: Tensor, output_size: Any) -> Tensor:
    """The mean of each of `output_size` tiles: tile i runs from ⌊i·L/o⌋ to ⌈(i + 1)·L/o⌉."""
    x, alone = batched(input, n, f"adaptive_avg_pool{n}d")
    for d, size in enumerate(_asked(n, output_size, x), 2):
        places, there = _tiles(x.shape[d], size)
        tail = (1,) * (rank(x) - d - 1)
        tiles = x[(slice(None),) * d + (wrap(places),)]
        seen = where(wrap(there.reshape(*there.shape, *tail)), tiles, 0.0)
        counts = there.sum(1).astype(x._array.dtype)
        x = sum(seen, d + 1) / wrap(counts.reshape(-1, *tail))
    return squeeze(x, 0) if alone else x


def adaptive_max(n: int, input: Tensor, output_size: Any) -> tuple[Tensor, Tensor]:
    """The largest number of each of `output_size` tiles, and where it is in the flattened image."""
    x, alone = batched(input, n, f"adaptive_max_pool{n}d")
    sizes, images = _asked(n, output_size, x), x.shape[2:]
    tiles = [_tiles(m, size)[0] for m, size in zip(images, sizes, strict=True)]
    numbers: Any = np.zeros((), np.int64)
    for d, places in enumerate(tiles):
        x = x[(slice(None),) * (2 + 2 * d) + (wrap(places),)]
        numbers = numbers[..., None, None] * images[d] + places
    first, second = range(0, 2 * n, 2), range(1, 2 * n, 2)
    x = permute(x, (0, 1, *(2 + d for d in first), *(2 + d for d in second)))
    values, which = max(flat_windows(x, n), -1)
    where_ = numbers.transpose(*first, *second).reshape(prod(sizes), -1)
    flat = reshape(which, (*x.shape[:2], prod(sizes)))
    position = reshape(wrap(where_)[wrap(np.arange(prod(sizes))), flat], values.shape)
    return (squeeze(values, 0), squeeze(position, 0)) if alone else (values, position)


def _sizes(n: int, kernel: Any, stride: Any, padding: Any, dilation: Any) -> tuple[tuple[int, ...], ...]:
    size = per_dim(kernel, n, "kernel_size")
    step = size if stride is None or stride == () or stride == [] else per_dim(stride, n, "stride")
    edge, spread = per_dim(padding, n, "padding"), per_dim(dilation, n, "dilation")
    for name, numbers in (("kernel_size", size), ("stride", step), ("dilation", spread)):
        if min(numbers) < 1:
            raise ShapeError(f"{name} should be greater than zero: it is at least 1, got {numbers}")
    for k, p, d in zip(size, edge, spread, strict=True):
        if p < 0:
            raise ShapeError(f"pad must be non-negative, but got pad: {p}")
        if p > (d * (k - 1) + 1) // 2:
            raise ShapeError(
                f"pad should be at most half of effective kernel size, but got pad={p}, kernel_size={k} and "
                f"dilation={d}"
            )
    return size, step, edge, spread


def _places(x: Tensor, kernel: Any, step: Any, edge: Any, spread: Any, ceil_mode: bool) -> tuple[int, ...]:
    """How many windows there are along each dimension; with `ceil_mode`, the last may reach beyond the end."""
    out = []
    for m, k, s, p, d in zip(x.shape[2:], kernel, step, edge, spread, strict=True):
        room = m + 2 * p - d * (k - 1) - 1
        count = (room + (s - 1 if ceil_mode else 0)) // s + 1
        out.append(count - 1 if ceil_mode and (count - 1) * s >= m + p else count)
    if min(out) < 1:
        sizes = [" x ".join(map(str, shape)) for shape in (x.shape[1:], (x.shape[1], *out))]
        raise ShapeError(
            f"Given input size: ({sizes[0]}). Calculated output size: ({sizes[1]}). Output size is too small: the "
            f"window {tuple(kernel)} does not fit"
        )
    return tuple(out)


def _framed(x: Tensor, out: Any, kernel: Any, step: Any, edge: Any, spread: Any, value: Any) -> Tensor:
    ends = [
        (p, builtin_max(0, (o - 1) * s + d * (k - 1) + 1 - m - p))
        for m, o, k, s, p, d in zip(x.shape[2:], out, kernel, step, edge, spread, strict=True)
    ]
    return pad(x, _flat(ends), "constant", value) if any(a or b for a, b in ends) else x


def builtin_max(a: int, b: int) -> int:
    """The larger of two Python numbers (`max` is the tensor function here)."""
    return a if a > b else b


def _lowest(x: Tensor) -> Any:
    return -np.inf if x.dtype.is_floating_point else np.iinfo(x._array.dtype).min


def _counts(sizes: Any, out: Any, kernel: Any, step: Any, edge: Any, with_pad: bool) -> np.ndarray:
    """How many numbers lie under each window; what `ceil_mode` adds at the end never counts."""
    total: Any = np.ones(())
    for m, o, k, s, p in zip(sizes, out, kernel, step, edge, strict=True):
        start = np.arange(o) * s - p
        end = np.minimum(start + k, m + p)
        total = total[..., None] * (end - start if with_pad else np.minimum(end, m) - np.maximum(start, 0))
    return np.asarray(total)


def _asked(n: int, output_size: Any, x: Tensor) -> tuple[int, ...]:
    given = tuple(output_size) if isinstance(output_size, (tuple, list)) else (output_size,) * n
    if len(given) != n:
        raise ShapeError(f"output_size must be a single number or {n} numbers, got {output_size}")
    return tuple(m if o is None else int(o) for o, m in zip(given, x.shape[2:], strict=True))


def _tiles(size: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The elements of each tile, (count, longest), short ones filled with their last, and which are no filling."""
    start = np.arange(count) * size // count
    end = -(-(np.arange(count) + 1) * size // count)
    offsets = np.arange((end - start).max(initial=1))
    places = start[:, None] + offsets
    return np.minimum(places, end[:, None] - 1), places < end[:, None]

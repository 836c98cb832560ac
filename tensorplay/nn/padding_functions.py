"""Padding: a frame of constants around an image, or of its own elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import ops
from ..apply import apply1
from ..errors import PaddingModeError, ShapeError
from ..tensor import Tensor, rank, wrap

__all__ = ["pad"]

_MODES = ("constant", "reflect", "replicate", "circular")


def pad(input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Tensor:
    """The input with a frame around it: size n along a dimension becomes before + n + after.

    `pad` lists (before, after) for the last dimension first, then for the one before it, and so on; negative numbers
    cut away. "constant" fills with `value` (0 if not given); "reflect" mirrors without repeating the edge: dcb|abcd;
    "replicate" repeats the edge: aaa|abcd; "circular" goes on at the other end: bcd|abcd. Those three pad the last one
    to three dimensions of an input with one or two dimensions more.

    Raises ShapeError for a frame that does not fit, PaddingModeError for an unknown mode.

    >>> import tensorplay as tp
    >>> tp.nn.functional.pad(tp.tensor([1.0, 2.0]), (1, 2))
    tensor([0., 1., 2., 0., 0.])
    """
    frame = _frame(pad, input)
    if mode not in _MODES:
        raise PaddingModeError(f"Unrecognised padding mode {mode}: expected one of {', '.join(_MODES)}")
    if mode == "constant":
        return _constant(input, frame, value or 0)
    if value is not None and value != 0:
        raise ShapeError(f'Padding mode "{mode}" doesn\'t take in value argument: leave value out, got {value}')
    count = len(pad) // 2
    if rank(input) not in (count + 1, count + 2) or count > 3:
        raise PaddingModeError(
            f"Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for now: Padding size {len(pad)} is "
            f"not supported for {rank(input)}D input tensor"
        )
    for dim, (before, after) in frame.items():
        _check(mode, input, dim, before, after)
        if before or after:
            places = _places(mode, input.shape[dim], before, after)
            input = input[(slice(None),) * dim + (wrap(places),)]
    return input


def _frame(pad: Sequence[int], input: Tensor) -> dict[int, tuple[int, int]]:
    """For each padded dimension: how many before and after."""
    size = rank(input)
    if len(pad) % 2:
        raise ShapeError(f"Padding length must be divisible by 2: (before, after) for each dimension, got {list(pad)}")
    if len(pad) > 2 * size:
        raise ShapeError(
            f"Padding length should be less than or equal to two times the input dimension but got padding length "
            f"{len(pad)} and input of dimension {size}"
        )
    return {size - 1 - i: (int(pad[2 * i]), int(pad[2 * i + 1])) for i in range(len(pad) // 2)}


def _constant(input: Tensor, frame: dict[int, tuple[int, int]], value: Any) -> Tensor:
    ends = [frame.get(d, (0, 0)) for d in range(rank(input))]
    shape = tuple(n + a + b for n, (a, b) in zip(input.shape, ends, strict=True))
    kept = tuple(slice(max(-a, 0), n - max(-b, 0)) for n, (a, b) in zip(input.shape, ends, strict=True))
    if any(n < 0 for n in shape) or any(k.start > k.stop for k in kept):
        raise ShapeError(f"narrow(): length must be non-negative: cutting {frame} off a tensor of {list(input.shape)}")
    inside = apply1(ops.GetItem, input, {"index": kept})
    index = tuple(slice(max(a, 0), n - max(b, 0)) for n, (a, b) in zip(shape, ends, strict=True))
    out = apply1(ops.Put, inside, {"index": index, "shape": shape})
    if not value:
        return out
    border = np.full(shape, value, input._array.dtype)
    border[index] = 0
    return out + wrap(border)


def _check(mode: str, input: Tensor, dim: int, before: int, after: int) -> None:
    size = input.shape[dim]
    if mode == "reflect" and max(before, after) >= size:
        raise ShapeError(
            "Padding size should be less than the corresponding input dimension, but got: padding "
            f"({before}, {after}) at dimension {dim} of input {list(input.shape)}: a mirror shows what is there"
        )
    if mode == "circular" and max(before, after) > size:
        raise ShapeError(
            f"Padding value causes wrapping around more than once: padding ({before}, {after}) at dimension {dim} of "
            f"input {list(input.shape)}"
        )
    if size == 0 or size + before + after < 1:
        raise ShapeError(f"input {list(input.shape)} with padding ({before}, {after}) at dimension {dim} is empty")


def _places(mode: str, size: int, before: int, after: int) -> np.ndarray:
    """Which element stands where."""
    places = np.arange(-before, size + after)
    if mode == "replicate":
        return places.clip(0, size - 1)
    if mode == "circular":
        return places % size
    return (size - 1) - abs((size - 1) - abs(places))

"""Windows that slide over an image: their sizes, their views, and the tiles of adaptive pooling."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from .. import ops
from ..apply import apply1
from ..errors import ShapeError
from ..functional import reshape, unsqueeze
from ..tensor import Tensor, rank

__all__ = ["Size", "batched", "check_fits", "flat_windows", "per_dim", "windows"]

Size = int | Sequence[int]


def per_dim(value: Any, count: int, name: str) -> tuple[int, ...]:
    """One number for each of `count` dimensions; a single one counts for all. Raises ShapeError for another number."""
    given = tuple(value) if isinstance(value, (tuple, list)) else (value,)
    if len(given) == 1:
        return tuple(int(given[0]) for _ in range(count))
    if len(given) != count:
        raise ShapeError(f"{name} must be a single number or {count} numbers, one for each dimension, got {value}")
    return tuple(int(n) for n in given)


def batched(input: Tensor, count: int, name: str) -> tuple[Tensor, bool]:
    """The input as (N, C, …) with `count` dimensions more, and whether the first one was missing."""
    if rank(input) not in (count + 1, count + 2):
        raise ShapeError(
            f"Expected {count + 1}D (unbatched) or {count + 2}D (batched) input to {name}, but got input of size: "
            f"{list(input.shape)}"
        )
    alone = rank(input) == count + 1
    return (unsqueeze(input, 0) if alone else input), alone


def check_fits(sizes: Sequence[int], kernel: Sequence[int], dilation: Sequence[int]) -> None:
    """Raise ShapeError unless a window fits into the padded image."""
    spans = [d * (k - 1) + 1 for k, d in zip(kernel, dilation, strict=True)]
    if any(n < span for n, span in zip(sizes, spans, strict=True)):
        have, need = (" x ".join(map(str, numbers)) for numbers in (sizes, spans))
        raise ShapeError(
            f"Calculated padded input size per channel: ({have}). Kernel size: ({need}). Kernel size can't be greater "
            "than actual input size: pad the input, or take a smaller kernel"
        )


def windows(x: Tensor, kernel: Sequence[int], stride: Sequence[int], dilation: Sequence[int]) -> Tensor:
    """A view of (N, C, *sizes) as (N, C, *places, *kernel): what lies under the kernel at each place."""
    for i, (k, s, d) in enumerate(zip(kernel, stride, dilation, strict=True), 2):
        x = apply1(ops.Unfold, x, {"dim": i, "size": d * (k - 1) + 1, "step": s})
        if d > 1:
            x = x[..., ::d]
    return x


def flat_windows(x: Tensor, count: int) -> Tensor:
    """Windows with all that lies under the kernel as one last dimension."""
    lead = x.shape[: rank(x) - count]
    return reshape(x, (*lead, prod(x.shape[rank(x) - count :])))

"""Rows of a table looked up by number, one for each number or reduced bag by bag."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import ops
from ..apply import apply, apply1
from ..autograd.modes import no_grad
from ..errors import BagError, BagWeightsError, DTypeError, EmbeddingError, NotATensorError, PositionError, ShapeError
from ..functional import norm, where
from ..lifting import plain, readable, values
from ..positions import check_positions
from ..tensor import Tensor, constant, wrap

__all__ = ["embedding", "embedding_bag", "padding_of"]


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """The rows of `weight`, of shape (n, d), at the numbers in `input`, of any shape (…): the result is (…, d).

    The row `padding_idx` gets no gradient. With `max_norm`, rows that are longer are shortened to it, in place, first.
    `scale_grad_by_freq` divides the gradient of a row by how often it was looked up. Gradients are ordinary tensors,
    whatever `sparse` says. Raises PositionError for a number that is no row, DTypeError for numbers that are not whole,
    EmbeddingError for a `padding_idx` that is no row.

    >>> import tensorplay as tp
    >>> table = tp.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> tp.nn.functional.embedding(tp.tensor([1, 0, 1]), table)
    tensor([[3., 4.],
            [1., 2.],
            [3., 4.]])
    """
    _check_table(input, weight, "embedding")
    padding = None if padding_idx is None else padding_of(padding_idx, weight.shape[0])
    check_positions(input, 0, weight.shape[0], 0, PositionError, "index out of range in self: ")
    if max_norm is not None:
        _shorten(weight, input, max_norm, norm_type)
    return apply(ops.Embedding, weight, input, padding=padding, by_frequency=bool(scale_grad_by_freq))


def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """The rows of `weight`, of shape (n, d), at the numbers in `input`, reduced to one row a bag: (bags, d).

    Each row of a two-dimensional `input` is a bag; in one dimension bag k starts at offsets[k]. `mode` is "sum",
    "mean" or "max"; a sum may be weighted. The row `padding_idx` is left out; an empty bag gives zeros. The other
    arguments are those of `embedding`. Raises BagError for offsets or weights that do not fit, and for other modes.

    >>> import tensorplay as tp
    >>> table = tp.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> tp.nn.functional.embedding_bag(tp.tensor([1, 0, 1]), table, tp.tensor([0, 2]), mode="sum")
    tensor([[4., 6.],
            [3., 4.]])
    """
    _check_table(input, weight, "embedding_bag")
    _check_bags(input, weight, mode, per_sample_weights)
    padding = None if padding_idx is None else padding_of(padding_idx, weight.shape[0])
    bag, count, used = _bags(input, offsets, include_last_offset)
    numbers = _first(apply1(ops.Reshape, input, {"shape": (-1,)}), used)
    check_positions(numbers, 0, weight.shape[0], 0, PositionError, "input takes a value which is not in range: ")
    if max_norm is not None:
        _shorten(weight, numbers, max_norm, norm_type)
    rows = apply(ops.Embedding, weight, numbers, padding=padding, by_frequency=bool(scale_grad_by_freq))
    if per_sample_weights is not None:
        share = _first(apply1(ops.Reshape, per_sample_weights, {"shape": (-1,)}), used)
        rows = apply(ops.Mul, rows, apply1(ops.Reshape, share, {"shape": (used, 1)}))
    taken = values(np.equal, numbers, numbers) if padding is None else values(np.not_equal, numbers, padding)
    if mode == "max":
        return _largest(rows, bag, count, readable(taken))
    return _summed(rows, bag, count, taken, mode)


def padding_of(padding_idx: int, size: int) -> int:
    """The number of the padding row, counted from the front. Raises EmbeddingError where there is no such row."""
    if not -size <= padding_idx < size:
        raise EmbeddingError(f"Padding_idx must be within num_embeddings: got {padding_idx} for {size} rows")
    return padding_idx % size


# ------------------------------------------------------------------------------------------- the table


def _check_table(input: Any, weight: Any, name: str) -> None:
    for word, x in (("indices", input), ("weight", weight)):
        if not isinstance(x, Tensor):
            raise NotATensorError(f"{name}(): argument '{word}' must be Tensor, not {type(x).__name__}: got {x!r}")
    if input._array.dtype not in (np.int64, np.int32):
        raise DTypeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got "
            f"{input.dtype} instead (while checking arguments for {name}): convert with input.long()"
        )
    if weight.ndim != 2:
        raise ShapeError(f"'weight' must be 2-D, one row a number: got shape {list(weight.shape)}")


def _shorten(weight: Tensor, numbers: Tensor, max_norm: float, norm_type: float) -> None:
    """Scale the rows that are looked up and longer than `max_norm` down to it, in place."""
    with no_grad():
        at = wrap(np.unique(plain(numbers._array)))
        rows = constant(weight)[at]
        length = norm(rows, norm_type, 1, True)
        scale = where(values(np.greater, length, max_norm), max_norm / (length + 1e-7), 1.0)
        if readable(values(np.not_equal, scale, 1)).any():
            weight[at] = rows * scale


# -------------------------------------------------------------------------------------------- the bags


def _check_bags(input: Tensor, weight: Tensor, mode: str, share: Any) -> None:
    if mode not in ("sum", "mean", "max"):
        raise BagError(f"mode has to be one of sum, mean or max: got {mode!r}")
    if input.ndim not in (1, 2):
        raise BagError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.ndim}")
    if weight._array.dtype.kind in "biuc":
        raise DTypeError(
            "Expected tensor for argument #1 'weight' to have one of the following scalar types: Half, BFloat16, "
            f"Float, Double; but got {weight.dtype} instead (while checking arguments for embedding_bag)"
        )
    if share is None:
        return
    if share.shape != input.shape:
        raise BagError(
            f"embedding_bag: If per_sample_weights ({list(share.shape)}) is not None, then it must have the same shape "
            f"as the input ({list(input.shape)})"
        )
    if mode != "sum":
        raise BagWeightsError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' "
            f"(got mode={mode!r})"
        )
    if share._array.dtype != weight._array.dtype:
        raise DTypeError(
            "expected 'weight' to have the same type as 'per_sample_weights' (while checking arguments for "
            f"embedding_bag): {weight.dtype} and {share.dtype}"
        )


def _bags(input: Tensor, offsets: Any, include_last: bool) -> tuple[Tensor, int, int]:
    """The bag of each number, how many bags there are, and how many numbers are in bags."""
    if input.ndim == 2:
        if offsets is not None:
            raise BagError(
                "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length "
                f"sequences. However, found offsets of type {type(offsets).__name__}"
            )
        count, length = input.shape
        return wrap(np.repeat(np.arange(count), length)), count, count * length
    if not isinstance(offsets, Tensor) or offsets.ndim != 1:
        raise BagError(f"offsets has to be a 1D Tensor but got {offsets!r}: the position where each bag starts")
    starts = _starts(offsets, input.shape[0], include_last)
    used = int(starts[-1]) if include_last else input.shape[0]
    starts = starts[:-1] if include_last else starts
    used = used if len(starts) else 0
    return wrap(np.searchsorted(starts, np.arange(used), "right") - 1), len(starts), used


def _starts(offsets: Tensor, length: int, include_last: bool) -> Any:
    starts = readable(offsets)
    if starts.dtype not in (np.int64, np.int32):
        raise DTypeError(
            "Expected tensor for argument 'offsets' to have one of the following scalar types: Long, Int; but got "
            f"{offsets.dtype} instead (while checking arguments for embedding_bag)"
        )
    if include_last and not starts.size:
        raise ShapeError("include_last_offset: number of offset should be at least 1")
    if starts.size and starts[0] != 0:
        raise ShapeError(
            "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. However, "
            f"got {starts[0]}"
        )
    if include_last and starts[-1] != length:
        raise ShapeError(
            "Your input appears to be incorrect: the last offset value should be the size of the indices tensor, "
            f"{length}, if include_last_offset is set. Got {starts[-1]}"
        )
    if starts.size and starts[-1] > length:
        raise ShapeError(
            f"offsets[-1] can not be greater than input's length {length} but got offsets[-1] of {starts[-1]}"
        )
    return starts


def _first(x: Tensor, count: int) -> Tensor:
    return x if x.shape[0] == count else apply1(ops.GetItem, x, {"index": (slice(count),)})


def _summed(rows: Tensor, bag: Tensor, count: int, taken: Tensor, mode: str) -> Tensor:
    """The sum or the mean of the rows of each bag that are taken."""
    size = rows.shape[1]
    column = apply1(ops.Reshape, taken, {"shape": (-1, 1)})
    total = apply(ops.AddAt, apply(ops.Where, column, rows, 0.0), bag, shape=(count, size))
    if mode == "sum":
        return total
    ones = apply1(ops.Cast, column, {"dtype": rows._array.dtype})
    many = apply(ops.AddAt, ones, bag, shape=(count, 1))
    return apply(ops.Div, total, apply(ops.Maximum, many, 1))


def _largest(rows: Tensor, bag: Tensor, count: int, taken: Any) -> Tensor:
    """The largest element of each bag in each column; of equal ones the first. Empty bags give 0."""
    array, group = readable(rows), readable(bag)
    if not array.size:
        return apply(ops.AddAt, rows, bag, shape=(count, rows.shape[1]))
    open_rows = np.where(taken[:, None], array, -np.inf)
    top = np.full((count, array.shape[1]), -np.inf, array.dtype)
    np.maximum.at(top, group, open_rows)
    place = np.full(top.shape, len(array))
    hit = taken[:, None] & ((open_rows == top[group]) | (open_rows != open_rows))
    np.minimum.at(place, group, np.where(hit, np.arange(len(array))[:, None], len(array)))
    found = place < len(array)
    picked = apply(ops.Gather, rows, wrap(np.where(found, place, 0)), dim=0)
    return apply(ops.Where, wrap(found), picked, 0.0)

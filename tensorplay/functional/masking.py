"""Elements chosen by a mask of bools, and where the elements are that are not zero."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import ops
from ..apply import apply, apply1
from ..errors import DTypeError, NotATensorError, ShapeError
from ..indexing import getitem
from ..inplace import SPOKEN
from ..lifting import plain, readable
from ..ops.families import broadcast_shapes
from ..positions import single, stretched
from ..tensor import Tensor, rank, wrap

__all__ = ["argwhere", "masked_fill", "masked_scatter", "masked_select", "nonzero"]


def masked_fill(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    """`input` with `value`, a number or a tensor of one number, where `mask` is True; the two are stretched to fit.

    Raises DTypeError for a mask that is not of bools, ShapeError where the shapes do not fit or there are more values.

    >>> import tensorplay as tp
    >>> tp.masked_fill(tp.tensor([1.0, 2.0, 3.0]), tp.tensor([False, True, False]), 0)
    tensor([1., 0., 3.])
    """
    rank(input)
    _check_mask(mask, "masked_fill_ only supports boolean masks, but got mask with dtype {}")
    value = single(input, value, "masked_fill_")
    return apply(ops.Where, mask, value, input)


def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """The elements of `input` where `mask` is True, in order, in one dimension; the two are stretched to fit.

    Raises DTypeError for a mask that is not of bools, ShapeError where the shapes do not fit.

    >>> import tensorplay as tp
    >>> tp.masked_select(tp.tensor([[1, 2], [3, 4]]), tp.tensor([True, False]))
    tensor([1, 3])
    """
    rank(input)
    _check_mask(mask, "masked_select: expected BoolTensor for mask, got {}")
    shape = broadcast_shapes(mask.shape, input.shape)
    return getitem(stretched(input, shape), stretched(mask, shape))


def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """`input` with the elements of `source`, one after the other, where `mask` is True.

    Raises DTypeError for a mask that is not of bools or a source of another dtype, ShapeError if `source` has too few.

    >>> import tensorplay as tp
    >>> tp.masked_scatter(tp.zeros(4), tp.tensor([True, False, True, False]), tp.tensor([5.0, 6.0, 7.0]))
    tensor([5., 0., 6., 0.])
    """
    rank(input)
    _check_mask(mask, "masked_scatter_ only supports boolean masks, but got mask with dtype {}")
    _check_source(input, source)
    shape = broadcast_shapes(input.shape, mask.shape)
    x, where = stretched(input, shape), stretched(mask, shape)
    _check_enough(where, source)
    if not source._array.size:
        return apply1(ops.Clone, x)
    flat = apply1(ops.Reshape, where, {"shape": (-1,)})
    count = apply1(ops.Cumsum, apply1(ops.Cast, flat, {"dtype": np.dtype(np.int64)}), {"dim": 0})
    place = apply(ops.Maximum, apply(ops.Sub, count, 1), 0)
    inside = apply(ops.Minimum, place, source._array.size - 1)
    taken = apply(ops.Index, apply1(ops.Reshape, source, {"shape": (-1,)}), inside)
    return apply(ops.Where, where, apply1(ops.Reshape, taken, {"shape": shape}), x)


def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """The positions of the elements that are not zero: a row of indices for each, or with `as_tuple` an index tensor
    for each dimension, so that x[x.nonzero(as_tuple=True)] are those elements.

    Raises VmapReadError inside vmap: how many there are differs from example to example.

    >>> import tensorplay as tp
    >>> tp.nonzero(tp.tensor([[0, 5], [6, 0]]))
    tensor([[0, 1],
            [1, 0]])
    """
    rank(input)
    array = readable(input)
    if as_tuple:
        return tuple(map(wrap, np.nonzero(np.atleast_1d(array))))
    return wrap(np.argwhere(array))


def argwhere(input: Tensor) -> Tensor:
    """The positions of the elements that are not zero, a row of indices for each: `nonzero`.

    >>> import tensorplay as tp
    >>> tp.argwhere(tp.tensor([0, 5, 6]))
    tensor([[1],
            [2]])
    """
    found: Tensor = nonzero(input)
    return found


def _check_mask(mask: Any, text: str) -> None:
    if not isinstance(mask, Tensor):
        raise NotATensorError(f"argument 'mask' (position 2) must be Tensor, not {type(mask).__name__}")
    if mask._array.dtype.kind != "b":
        raise DTypeError(f"{text.format(mask.dtype)}: a comparison, or mask.bool(), gives one")


def _check_source(input: Tensor, source: Any) -> None:
    if not isinstance(source, Tensor):
        raise NotATensorError(f"masked_scatter(): argument 'source' must be Tensor, not {type(source).__name__}")
    if source._array.dtype != input._array.dtype:
        first, second = (SPOKEN.get(t._array.dtype.name, t.dtype) for t in (input, source))
        raise DTypeError(
            f"masked_scatter: expected self and source to have same dtypes but got {first} and {second}: "
            "convert with source.to(input.dtype)"
        )


def _check_enough(mask: Tensor, source: Tensor) -> None:
    numbers = plain(mask._array)
    wanted = int(numbers.reshape(-1, max(mask._array.size, 1)).sum(1).max(initial=0)) if numbers.size else 0
    if source._array.size < wanted:
        raise ShapeError(
            f"Number of elements of source < number of ones in mask: {source._array.size} for {wanted} places"
        )

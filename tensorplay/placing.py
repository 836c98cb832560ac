"""`index_put_` and `put_`: values written, or added, at positions that tensors hold."""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

import numpy as np

from .apply import apply1
from .errors import DTypeError, IndexingError, NotATensorError
from .indexing import aimed, as_array, check_fits, edit_at, picked_shape, split, to_front
from .inplace import edit
from .lifting import values
from .ops import GetItem, IndexAdd, IndexPut, Op, Reshape
from .positions import check_positions
from .tensor import Tensor, wrap

__all__ = ["Aim", "index_put_", "placed", "put_"]


class Aim(NamedTuple):
    """An edit by index arrays: `front` becomes `op(front, values, *ix)`."""

    op: type[Op]
    front: Tensor
    values: Tensor
    ix: list[Tensor]


def index_put_(x: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    """`index_put` in place."""
    aim = placed(x, indices, values, accumulate, "index_put_")
    edit_at(*aim, "index_put_")
    return x


def put_(x: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """The elements of `source` at `index`, counted through x as if it had one dimension; or added with `accumulate`.

    Raises DTypeError if the dtypes differ, IndexingError for a position that does not exist, or for more or fewer
    values than positions.

    >>> import tensorplay as tp
    >>> tp.zeros(2, 2).put_(tp.tensor([0, -1]), tp.tensor([5.0, 6.0]))
    tensor([[5., 0.],
            [0., 6.]])
    """
    _check_put(x, index, source)
    size = x._array.size
    check_positions(index, 0, size, -size, opening=f"out of range: tried to access a tensor of {size} elements: ")
    if not index._array.size:
        return x
    if not x.ndim:
        places = [apply1(Reshape, wrap(np.zeros_like(index._array)), {"shape": (-1,)})]
        x_line = apply1(GetItem, x, {"index": (None,)})
    else:
        flat = apply1(Reshape, index, {"shape": (-1,)})
        places = [_coordinate(flat, x.shape, d) for d in range(x.ndim)]
        x_line = x
    new = apply1(Reshape, source, {"shape": (-1,)})
    edit(IndexAdd if accumulate else IndexPut, x_line, new, *places, name="put_")
    return x


def _coordinate(flat: Tensor, shape: tuple[int, ...], dim: int) -> Tensor:
    """The coordinate along `dim` of positions that count through all elements of a tensor of this shape."""
    size, step = prod(shape), prod(shape[dim + 1 :])
    return values(lambda position: position % size // step % shape[dim], flat)


def _check_put(x: Tensor, index: Any, source: Any) -> None:
    for word, t in (("index", index), ("source", source)):
        if not isinstance(t, Tensor):
            raise NotATensorError(f"put_(): argument {word!r} must be Tensor, not {type(t).__name__}: got {t!r}")
    if index._array.dtype != np.int64:
        raise DTypeError(f"put_(): Expected a long tensor for index, but got {index.dtype}: convert with index.long()")
    if source._array.dtype != x._array.dtype:
        raise DTypeError(
            f"put_(): self and source expected to have the same dtype, but got self.dtype = {x.dtype} and "
            f"source.dtype = {source.dtype}: convert with source.to(x.dtype)"
        )
    if source._array.size != index._array.size:
        raise IndexingError(
            "put_(): Expected source and index to have the same number of elements, but got source.numel() = "
            f"{source._array.size}, index.numel() = {index._array.size}"
        )


def placed(x: Tensor, indices: Any, values: Any, accumulate: bool, name: str) -> Aim:
    """The edit that `index_put` makes, when all that is given fits together."""
    _check_indices(indices, name)
    if not isinstance(values, Tensor):
        raise NotATensorError(f"{name}(): argument 'values' (position 2) must be Tensor, not {type(values).__name__}")
    if values._array.dtype != x._array.dtype:
        raise DTypeError(
            "Index put requires the source and destination dtypes match, "
            f"got {x.dtype} for the destination and {values.dtype} for the source: convert with values.to(x.dtype)"
        )
    basic, arrays = split(x, tuple(map(as_array, indices)))
    view = apply1(GetItem, x, {"index": basic}) if None in basic else x
    front, ix, order = to_front(view, arrays)
    place = picked_shape(front, ix)
    place = place if order is None else tuple(place[d] for d in order)
    check_fits(values, place)
    front, ix, values = aimed(view, arrays, values)
    return Aim(IndexAdd if accumulate else IndexPut, front, values, ix)


def _check_indices(indices: Any, name: str) -> None:
    if isinstance(indices, Tensor) or not indices or not all(isinstance(i, Tensor) for i in indices):
        raise NotATensorError(
            f"{name}(): argument 'indices' (position 1) must be tuple of Tensors, at least one: got {indices!r}"
        )
    for i in indices:
        if i._array.dtype.kind not in "iub":
            raise IndexingError(f"tensors used as indices must be long, int, byte or bool tensors, not {i.dtype}")

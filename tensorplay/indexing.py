"""`x[...]` for every kind of index, brought to two ops: a view (GetItem) and integer arrays in front (Index).

Integers, slices, None and the ellipsis are taken first, as a view. What is left are index arrays on
some of the dimensions of that view: those dimensions move to the front, `Index` picks, and the picked
dimensions go where PyTorch puts them (in place if they were neighbours, else in front).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .apply import apply, apply1
from .errors import IndexingError, NegativeStepError, ShapeError
from .inplace import checked, fitting, forbid_tracked, written
from .ops import GetItem, Index, Permute
from .shaping import check_positions
from .source import warn
from .tensor import Tensor, wrap

__all__ = ["getitem", "setitem"]

_BASIC = (int, np.integer, slice, type(None), type(Ellipsis))


def getitem(x: Tensor, index: Any) -> Tensor:
    """Elements of x at an index of any kind: integers, slices, None, ..., integer or boolean tensors, lists.

    Raises IndexingError for a position that does not exist or a thing that cannot index.

    >>> import tensorplay as tp
    >>> tp.arange(6).reshape(2, 3)[:, -1]
    tensor([2, 5])
    """
    index = index if isinstance(index, tuple) else (index,)
    if all(map(_is_basic, index)):
        return apply1(GetItem, x, {"index": _checked_basic(x, index)})
    basic, arrays = _split(x, index)
    view = apply1(GetItem, x, {"index": basic}) if any(i != slice(None) for i in basic) else x
    return _pick(view, arrays)


def setitem(x: Tensor, index: Any, value: Any) -> None:
    """Write `value`, broadcast, at an index of any kind."""
    forbid_tracked(x, value)
    target = checked(x)
    parts = index if isinstance(index, tuple) else (index,)
    plain = tuple(i if _is_basic(i) else _as_array(i) for i in parts)
    new = fitting(x, value)
    try:
        target[plain] = new
    except IndexError as error:
        getitem(x.detach(), index)  # the same fault, in the field's words
        raise IndexingError(f"{error} (indexing a tensor of shape {list(x.shape)})") from None
    except ValueError:
        part = target[plain].shape
        if new.size != 1 or part:  # one element of any rank may become a single number
            raise ShapeError(
                f"shape mismatch: value of shape {list(new.shape)} cannot be broadcast to the indexed part, "
                f"which has shape {list(part)}"
            ) from None
        target[plain] = new.reshape(())
    written(x, "__setitem__")


def _is_basic(item: Any) -> bool:
    """Whether an item gives a view. True and False are ints to Python, but masks here."""
    return isinstance(item, _BASIC) and not isinstance(item, bool)


def _as_array(item: Any) -> Any:
    """An index array from a tensor, a list or an array; booleans stay masks."""
    try:
        array = item._array if isinstance(item, Tensor) else np.asarray(item)
    except ValueError:
        raise IndexingError(f"the rows of an index list must have the same length, got {item!r}") from None
    if array.size == 0 and not isinstance(item, Tensor):
        array = array.astype(np.int64)
    if array.dtype == np.uint8:
        warn(
            "indexing with dtype uint8 is now deprecated, please use a dtype bool instead: it is read as a mask, "
            "as in PyTorch. For positions, convert with index.long()",
            UserWarning,
        )
        return array.astype(bool)
    if array.dtype.kind not in "iub":
        raise IndexingError(
            "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices, "
            f"got {type(item).__name__} of dtype {array.dtype}"
        )
    return array


def _checked_basic(x: Tensor, index: tuple[Any, ...]) -> tuple[Any, ...]:
    """Errors of basic indices in the field's words, before NumPy words them its own way."""
    dims = sum(1 for i in index if i is not None and i is not Ellipsis)
    if dims > x.ndim:
        raise IndexingError(f"too many indices for tensor of dimension {x.ndim}: got {dims}")
    place = 0
    for i in index:
        if i is Ellipsis:
            place = x.ndim - sum(1 for j in index[index.index(Ellipsis) + 1 :] if j is not None)
        elif isinstance(i, slice):
            if i.step is not None and i.step < 0:
                raise NegativeStepError(
                    "step must be greater than zero: a view cannot run backwards. "
                    "Index with the positions instead, as in x[[2, 1, 0]]"
                )
            place += 1
        elif i is not None:
            size = x.shape[place]
            if not -size <= i < size:
                raise IndexingError(f"index {i} is out of bounds for dimension {place} with size {size}")
            place += 1
    return index


def _split(x: Tensor, index: tuple[Any, ...]) -> tuple[tuple[Any, ...], list[tuple[int, Any]]]:
    """A basic index with full slices where arrays stood, and the arrays with their dimensions in that view."""
    full = _filled(x, index)
    basic: list[Any] = []
    arrays: list[tuple[int, Any]] = []
    place, dim = 0, 0
    for item in full:
        if _is_basic(item):
            basic.append(item)
            dim += 0 if isinstance(item, (int, np.integer)) else 1
            place += 0 if item is None else 1
            continue
        array = _as_array(item)
        for part in _masked(array, x.shape, place) if array.dtype.kind == "b" else (array,):
            basic.append(slice(None))
            arrays.append((dim, part))
            dim, place = dim + 1, place + 1
    return tuple(basic), arrays


def _filled(x: Tensor, index: tuple[Any, ...]) -> list[Any]:
    """The ellipsis written out as full slices."""
    used = sum(_width(i) for i in index if i is not Ellipsis)
    if used > x.ndim:
        raise IndexingError(f"too many indices for tensor of dimension {x.ndim}: got {used}")
    rest: list[Any] = [slice(None)] * (x.ndim - used)
    for at, item in enumerate(index):
        if item is Ellipsis:
            return [*index[:at], *rest, *index[at + 1 :]]
    return [*index, *rest]


def _width(item: Any) -> int:
    """How many dimensions an index item uses up."""
    if item is None:
        return 0
    if _is_basic(item):
        return 1
    array = _as_array(item)
    return array.ndim if array.dtype.kind == "b" else 1


def _masked(mask: Any, shape: tuple[int, ...], place: int) -> tuple[Any, ...]:
    if mask.ndim == 0:
        raise IndexingError(
            f"a single {bool(mask)} cannot index: use x[None] for a new dimension, or a mask of x's shape"
        )
    covered = shape[place : place + mask.ndim]
    if mask.shape != covered:
        raise IndexingError(
            f"The shape of the mask {list(mask.shape)} at index 0 does not match "
            f"the shape of the indexed tensor {list(shape)} at index {place}"
        )
    return np.nonzero(mask)


def _pick(view: Tensor, arrays: list[tuple[int, Any]]) -> Tensor:
    """Apply index arrays to some dimensions of a view."""
    dims = [dim for dim, _ in arrays]
    rest = [d for d in range(view.ndim) if d not in dims]
    front = view if dims == list(range(len(dims))) else apply1(Permute, view, {"dims": (*dims, *rest)})
    for dim, array in arrays:
        check_positions(array, dim, view.shape[dim], lowest=-view.shape[dim])
    out: Tensor = apply(Index, front, *(wrap(np.ascontiguousarray(a)) if a.ndim else wrap(a) for _, a in arrays))
    picked = out.ndim - len(rest)
    first = dims[0]
    neighbours = dims == list(range(first, first + len(dims)))
    if not neighbours or first == 0:
        return out
    order = [*range(picked, picked + first), *range(picked), *range(picked + first, out.ndim)]
    return apply1(Permute, out, {"dims": tuple(order)})

"""`x[...]` for every kind of index, brought to two ops: a view (GetItem) and integer arrays in front (Index).

Integers, slices, None and the ellipsis are taken first, as a view. What is left are index arrays on
some of the dimensions of that view: those dimensions move to the front, `Index` picks, and the picked
dimensions go where PyTorch puts them (in place if they were neighbours, else in front).
"""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from .apply import apply, apply1
from .errors import DTypeError, IndexingError, NegativeStepError, NotATensorError, ShapeError, VmapReadError
from .inplace import assign, checked, edit, fitting, tracked, written
from .lifting import level_of, plain
from .ops import Expand, GetItem, Index, IndexAdd, IndexPut, Op, Permute
from .ops.families import broadcast_shapes
from .source import warn
from .tensor import Tensor, wrap
from .views import owned

__all__ = ["check_positions", "getitem", "index_put_", "placed", "setitem"]

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
    """Write `value`, broadcast, at an index of any kind: an edit of x[index], recorded where operations are."""
    parts = index if isinstance(index, tuple) else (index,)
    target = checked(x)
    if tracked(x, value) or not isinstance(target, np.ndarray) or any(map(level_of, (value, *parts))):
        _record_setitem(x, parts, value)
        return
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


def _record_setitem(x: Tensor, index: tuple[Any, ...], value: Any) -> None:
    """The view that basic indices give, edited; with index arrays, at some positions of its leading dimensions."""
    new = value if isinstance(value, Tensor) else wrap(fitting(x, value))
    if all(map(_is_basic, index)):
        view = apply1(GetItem, x, {"index": _checked_basic(x, index)})
        if view.shape == x.shape and None not in index:  # all of x: nothing of its old value is left
            view = x
        assign(view, _lowered(new, view.ndim), "__setitem__")
        return
    basic, arrays = _split(x, index)
    view = apply1(GetItem, x, {"index": basic}) if any(i != slice(None) for i in basic) else x
    front, ix, order = _front(view, arrays)
    if order is not None:  # the value comes in the order in which x[index] would give it
        picked = reduce(broadcast_shapes, (i.shape for i in ix)) + front.shape[len(ix) :]
        new = apply1(Expand, _lowered(new, len(picked)), {"shape": tuple(picked[d] for d in order)})
        new = apply1(Permute, new, {"dims": tuple(sorted(range(len(order)), key=order.__getitem__))})
    edit(IndexPut, front, _lowered(new, front.ndim - len(ix) + max(i.ndim for i in ix)), *ix, name="__setitem__")


def index_put_(x: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    """`index_put` in place."""
    op, ix = placed(x, indices, values, accumulate, "index_put_")
    return edit(op, x, values, *ix, name="index_put_")


def placed(x: Tensor, indices: Any, values: Any, accumulate: bool, name: str) -> tuple[type[Op], list[Tensor]]:
    """The op and the index arrays as positions, when all that is given fits together."""
    if isinstance(indices, Tensor) or not indices or not all(isinstance(i, Tensor) for i in indices):
        raise NotATensorError(
            f"{name}(): argument 'indices' (position 1) must be tuple of Tensors, at least one: got {indices!r}"
        )
    for i in indices:
        if i._array.dtype.kind not in "iub":
            raise IndexingError(f"tensors used as indices must be long, int, byte or bool tensors, not {i.dtype}")
    if not isinstance(values, Tensor):
        raise NotATensorError(f"{name}(): argument 'values' (position 2) must be Tensor, not {type(values).__name__}")
    if values._array.dtype != x._array.dtype:
        raise DTypeError(
            "Index put requires the source and destination dtypes match, "
            f"got {x.dtype} for the destination and {values.dtype} for the source: convert with values.to(x.dtype)"
        )
    _, ix, _ = _front(x, _split(x, tuple(indices))[1])
    place = reduce(broadcast_shapes, (i.shape for i in ix)) + x.shape[len(ix) :]
    lead = len(place) - values.ndim
    if lead < 0 or any(n not in (1, m) for n, m in zip(values.shape, place[lead:], strict=True)):
        raise ShapeError(
            f"shape mismatch: value tensor of shape {list(values.shape)} cannot be broadcast to indexing result of "
            f"shape {list(place)}"
        )
    return IndexAdd if accumulate else IndexPut, ix


def check_positions(index: Any, dim: int, size: int, lowest: int) -> None:
    """Raise IndexingError for the first position in `index` that is not between `lowest` and `size` - 1."""
    wrong = index[(index < lowest) | (index >= size)]
    if wrong.size:
        raise IndexingError(f"index {wrong.flat[0]} is out of bounds for dimension {dim} with size {size}")


def _lowered(value: Tensor, rank: int) -> Tensor:
    """Leading dimensions of size 1 dropped from a value that has more dimensions than its place."""
    extra = value.ndim - rank
    if extra <= 0 or any(n != 1 for n in value.shape[:extra]):
        return value
    return apply1(GetItem, value, {"index": (0,) * extra})


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
            f"got {type(item).__name__}" + (f" of dtype {item.dtype}" if hasattr(item, "dtype") else "")
        )
    return array


def _checked_basic(x: Tensor, index: tuple[Any, ...]) -> tuple[Any, ...]:
    """Errors of basic indices in the field's words, before NumPy words them its own way."""
    dims = sum(1 for i in index if i is not None and i is not Ellipsis)
    if dims and not x.ndim:
        raise IndexingError("invalid index of a 0-dim tensor: it is a single number, which item() gives")
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
        if array.dtype.kind == "b" and not array.ndim:  # a truth value: a new dimension, of which one element or none
            basic.append(None)
            arrays.append((dim, np.zeros(int(array), np.int64)))
            dim += 1
            continue
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
    covered = shape[place : place + mask.ndim]
    if mask.shape != covered:
        raise IndexingError(
            f"The shape of the mask {list(mask.shape)} at index 0 does not match "
            f"the shape of the indexed tensor {list(shape)} at index {place}"
        )
    if not isinstance(mask, np.ndarray):
        raise VmapReadError(
            "vmap: We do not support batching operators that can support dynamic shape. Attempting to batch over "
            "indexing with a boolean mask: each example would pick another number of elements. Use tp.where"
        )
    return np.nonzero(mask)


def _pick(view: Tensor, arrays: list[tuple[int, Any]]) -> Tensor:
    """Apply index arrays to some dimensions of a view."""
    front, ix, order = _front(view, arrays)
    out: Tensor = apply(Index, front, *ix)
    return out if order is None else owned(apply1(Permute, out, {"dims": order}))


def _front(view: Tensor, arrays: list[tuple[int, Any]]) -> tuple[Tensor, list[Tensor], tuple[int, ...] | None]:
    """The view with the indexed dimensions in front, the index arrays, and how to order what they pick, if at all."""
    dims = [dim for dim, _ in arrays]
    rest = [d for d in range(view.ndim) if d not in dims]
    front = view if dims == list(range(len(dims))) else apply1(Permute, view, {"dims": (*dims, *rest)})
    for dim, array in arrays:
        check_positions(plain(array), dim, view.shape[dim], lowest=-view.shape[dim])
    ix = [wrap(np.ascontiguousarray(a)) if a.ndim and isinstance(a, np.ndarray) else wrap(a) for _, a in arrays]
    picked = max(i.ndim for i in ix)
    first = dims[0]
    neighbours = dims == list(range(first, first + len(dims)))
    if not neighbours or first == 0:
        return front, ix, None
    return front, ix, (*range(picked, picked + first), *range(picked), *range(picked + first, picked + len(rest)))

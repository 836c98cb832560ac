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
from .errors import (
    DTypeError,
    IndexingError,
    IndexTypeError,
    NegativeStepError,
    ShapeError,
    VmapReadError,
)
from .inplace import assign, checked, edit, fitting, overlapping, tracked, written
from .lifting import level_of
from .ops import Expand, GetItem, Index, IndexAdd, IndexPut, Op, Permute
from .ops.families import broadcast_shapes
from .positions import check_positions, single
from .source import warn
from .tensor import Tensor, constant, wrap
from .views import owned

__all__ = [
    "aimed",
    "as_array",
    "as_arrays",
    "check_fits",
    "edit_at",
    "getitem",
    "picked_shape",
    "setitem",
    "split",
    "to_front",
]

_NUMBERS = (bool, int, float, complex, np.generic, str, bytes)
_BASIC = (int, np.integer, slice, type(None), type(Ellipsis))


def getitem(x: Tensor, index: Any) -> Tensor:
    """Elements of x at an index of any kind: integers, slices, None, ..., integer or boolean tensors, lists.

    Raises IndexingError for a position that does not exist or a thing that cannot index.

    >>> import tensorplay as tp
    >>> tp.arange(6).reshape(2, 3)[:, -1]
    tensor([2, 5])
    """
    if not isinstance(index, tuple):
        index = _items(index) if isinstance(index, list) else (index,)
    if all(map(_is_basic, index)):
        return apply1(GetItem, x, {"index": _checked_basic(x, index)})
    index = as_arrays(index)
    if all(map(_is_basic, index)):
        return getitem(x, index)
    basic, arrays = split(x, index)
    view = apply1(GetItem, x, {"index": basic}) if any(i != slice(None) for i in basic) else x
    return _pick(view, arrays)


def setitem(x: Tensor, index: Any, value: Any) -> None:
    """Write `value`, broadcast, at an index of any kind: an edit of x[index], recorded where operations are."""
    parts = index if isinstance(index, tuple) else _items(index) if isinstance(index, list) else (index,)
    if not all(map(_is_basic, parts)) or any(isinstance(i, slice) and i.step is not None for i in parts):
        parts = as_arrays(parts)
        _check_dtypes(x, index, parts, value)
    lifted = level_of(x) or level_of(value) or not all(isinstance(i, (*_BASIC, np.ndarray)) for i in parts)
    if lifted or tracked(x, value) or overlapping(x._array) or _unlike_numpy(parts):
        _record_setitem(x, parts, value)
        return
    target = checked(x)
    plain = parts
    new = fitting(x, value)
    try:
        target[plain] = new
    except IndexError as error:
        getitem(x.detach(), index)  # the same fault, in the field's words
        if parts.count(Ellipsis) > 1 and all(map(_is_basic, parts)):
            setitem(x, as_arrays(parts), value)  # NumPy takes only one
            return
        raise IndexingError(f"{error} (indexing a tensor of shape {list(x.shape)})") from None
    except (TypeError, ValueError):  # leading dimensions of size 1 are too many for NumPy
        part = target[plain].shape
        extra = new.ndim - len(part)
        if extra <= 0 or any(n != 1 for n in new.shape[:extra]):
            raise ShapeError(
                f"shape mismatch: value of shape {list(new.shape)} cannot be broadcast to the indexed part, "
                f"which has shape {list(part)}"
            ) from None
        setitem(x, index, wrap(new.reshape(new.shape[extra:])))
        return
    written(x, "__setitem__")


def _unlike_numpy(parts: tuple[Any, ...]) -> bool:
    """Whether an integer stands beside an index array: NumPy takes it as an array, too, and we as a view."""
    return any(isinstance(i, (int, np.integer)) for i in parts) and not all(map(_is_basic, parts))


def _check_dtypes(x: Tensor, index: Any, parts: tuple[Any, ...], value: Any) -> None:
    """Values of another dtype are cast where a view is written, or one number at a mask; not at index arrays."""
    if not isinstance(value, Tensor) or value._array.dtype == x._array.dtype or index is True or index is False:
        return
    arrays = [i for i in parts if not _is_basic(i)]
    if not arrays:
        return
    if len(arrays) == 1 and arrays[0].dtype.kind == "b" and arrays[0].ndim and value._array.size == 1:
        single(x, constant(value).reshape(()), "__setitem__")
    else:
        getitem(x.detach(), index)  # an index that is wrong is said first
        raise DTypeError(
            f"Index put requires the source and destination dtypes match, got {x.dtype} for the destination and "
            f"{value.dtype} for the source: convert with value.to(x.dtype)"
        )


def _record_setitem(x: Tensor, index: tuple[Any, ...], value: Any) -> None:
    """The view that basic indices give, edited; with index arrays, at some positions of its leading dimensions."""
    new = value if isinstance(value, Tensor) else wrap(fitting(x, value))
    if all(map(_is_basic, index)):
        view = apply1(GetItem, x, {"index": _checked_basic(x, index)})
        if view.shape == x.shape and all(map(_from_the_start, index)):  # all of x: nothing of its old value is left
            view = x
        assign(view, _lowered(new, view.ndim), "__setitem__")
        return
    basic, arrays = split(x, index)
    view = apply1(GetItem, x, {"index": basic}) if any(i != slice(None) for i in basic) else x
    front, ix, new = aimed(view, arrays, new)
    edit_at(IndexPut, front, new, ix, "__setitem__")


def _from_the_start(item: Any) -> bool:
    return item is Ellipsis or (isinstance(item, slice) and not item.start and item.step in (None, 1))


def aimed(view: Tensor, arrays: list[tuple[int, Any]], new: Tensor) -> tuple[Tensor, list[Tensor], Tensor]:
    """The view with the indexed dimensions in front, the index arrays, and the value in that order of dimensions."""
    front, ix, order = to_front(view, arrays)
    picked = picked_shape(front, ix)
    new = _lowered(new, len(picked))
    check_fits(new, picked if order is None else tuple(picked[d] for d in order))
    if order is not None:  # the value comes in the order in which x[index] would give it
        new = apply1(Expand, new, {"shape": tuple(picked[d] for d in order)})
        new = apply1(Permute, new, {"dims": tuple(sorted(range(len(order)), key=order.__getitem__))})
    return front, ix, new


def check_fits(new: Tensor, place: tuple[int, ...]) -> None:
    """Raise ShapeError for a value that cannot be stretched to the shape of its place."""
    lead = len(place) - new.ndim
    if lead < 0 or any(n not in (1, m) for n, m in zip(new.shape, place[lead:], strict=True)):
        raise ShapeError(
            f"shape mismatch: value tensor of shape {list(new.shape)} cannot be broadcast to indexing result of "
            f"shape {list(place)}"
        )


def picked_shape(front: Tensor, ix: list[Tensor]) -> tuple[int, ...]:
    """The shape of what the index arrays pick from the leading dimensions."""
    try:
        return reduce(broadcast_shapes, (i.shape for i in ix)) + front.shape[len(ix) :]
    except ShapeError:
        shapes = ", ".join(str(list(i.shape)) for i in ix)
        raise IndexingError(
            f"shape mismatch: indexing tensors could not be broadcast together with shapes {shapes}: they are paired "
            "position by position, so sizes must be equal or 1"
        ) from None


def edit_at(op: type[Op], front: Tensor, new: Tensor, ix: list[Tensor], name: str) -> None:
    """`front` becomes op(front, new, *ix), recorded where operations are.

    An expanded tensor is written one element after the other.
    """
    shared = overlapping(front._array)
    if tracked(front, new) or any(map(level_of, (front, new, *ix))) or (op is IndexAdd and not shared):
        edit(op, front, new, *ix, name=name)
        return
    memory = _shared_memory(front, name) if shared else checked(front)
    place, value = tuple(i._array for i in ix), new._array.astype(memory.dtype, copy=False)
    if op is IndexAdd:
        np.add.at(memory, place, value)
    else:
        memory[place] = value
    written(front, name)


def _shared_memory(x: Tensor, name: str) -> Any:
    """The array of an expanded tensor, to be written."""
    warn(
        f"Use of {name} on expanded tensors is deprecated. Please clone() the tensor before performing this "
        "operation: several of its elements are one number in memory, and all of them change",
        UserWarning,
    )
    memory = x._array.view()
    try:
        memory.flags.writeable = True
    except ValueError:
        return checked(x)
    return memory


def _lowered(value: Tensor, rank: int) -> Tensor:
    """Leading dimensions of size 1 dropped from a value that has more dimensions than its place."""
    extra = value.ndim - rank
    if extra <= 0 or any(n != 1 for n in value.shape[:extra]):
        return value
    return apply1(GetItem, value, {"index": (0,) * extra})


def _is_basic(item: Any) -> bool:
    """Whether an item gives a view. True and False are ints to Python, but masks here."""
    return isinstance(item, _BASIC) and not isinstance(item, bool)


def _items(index: list[Any]) -> tuple[Any, ...]:
    """A list as a tuple of one index; if it holds more than numbers and bools as a tuple of many, as in PyTorch."""
    if len(index) >= 32 or all(isinstance(i, _NUMBERS) for i in index):
        return (index,)
    warn(
        "Using a non-tuple sequence for multidimensional indexing is deprecated: x[[[0, 1], [1, 0]]] is read as "
        "x[[0, 1], [1, 0]]. Write x[tuple(index)], or x[tp.tensor(index)] for rows at an array of positions",
        UserWarning,
    )
    return tuple(index)


def as_arrays(index: tuple[Any, ...]) -> tuple[Any, ...]:
    """Index items as they are if they give a view, all others as arrays; only the first ellipsis counts."""
    made = [i if _is_basic(i) else _one_or_more(as_array(i)) for i in index]
    if any(isinstance(i, slice) and isinstance(i.step, int) and i.step < 0 for i in made):
        raise NegativeStepError(
            "step must be greater than zero: a view cannot run backwards. "
            "Index with the positions instead, as in x[[2, 1, 0]]"
        )
    dots = [at for at, i in enumerate(made) if i is Ellipsis]
    return tuple(i for at, i in enumerate(made) if at not in dots[1:])


def _one_or_more(array: Any) -> Any:
    """An index array of one position is an integer: it gives a view."""
    one = isinstance(array, np.ndarray) and not array.ndim and array.dtype.kind in "iu"
    return int(array) if one else array


def as_array(item: Any) -> Any:
    """An index array from a tensor, a list or an array; booleans stay masks."""
    if isinstance(item, (str, bytes)):
        raise IndexTypeError(
            f"new(): invalid data type {type(item).__name__!r}: only integers, slices (`:`), ellipsis (`...`), None "
            f"and long or byte Variables are valid indices, got {type(item).__name__}"
        )
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
    if isinstance(item, Tensor) and array.ndim and array.dtype.itemsize < 4 and array.dtype.kind == "i":
        raise IndexingError(
            f"tensors used as indices must be long, int, byte or bool tensors, not {item.dtype}: convert with .long()"
        )
    if array.dtype.kind not in "iub":
        raise IndexingError(
            "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices, "
            f"got {type(item).__name__}" + (f" of dtype {item.dtype}" if hasattr(item, "dtype") else "")
        )
    return array


def _checked_basic(x: Tensor, index: tuple[Any, ...]) -> tuple[Any, ...]:
    """Errors of basic indices in the field's words, before NumPy words them its own way."""
    if index.count(Ellipsis) > 1:
        return _checked_basic(x, as_arrays(index))
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
                as_arrays(index)
            place += 1
        elif i is not None:
            size = x.shape[place]
            if not -size <= i < size:
                raise IndexingError(f"index {i} is out of bounds for dimension {place} with size {size}")
            place += 1
    return index


def split(x: Tensor, index: tuple[Any, ...]) -> tuple[tuple[Any, ...], list[tuple[int, Any]]]:
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
        array = item
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
    return item.ndim if item.dtype.kind == "b" else 1


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
    front, ix, order = to_front(view, arrays)
    picked_shape(front, ix)
    out: Tensor = apply(Index, front, *ix)
    return out if order is None else owned(apply1(Permute, out, {"dims": order}))


def to_front(view: Tensor, arrays: list[tuple[int, Any]]) -> tuple[Tensor, list[Tensor], tuple[int, ...] | None]:
    """The view with the indexed dimensions in front, the index arrays, and how to order what they pick, if at all."""
    dims = [dim for dim, _ in arrays]
    rest = [d for d in range(view.ndim) if d not in dims]
    front = view if dims == list(range(len(dims))) else apply1(Permute, view, {"dims": (*dims, *rest)})
    for dim, array in arrays:
        check_positions(array, dim, view.shape[dim], lowest=-view.shape[dim])
    ix = [wrap(np.ascontiguousarray(a)) if a.ndim and isinstance(a, np.ndarray) else wrap(a) for _, a in arrays]
    picked = max(i.ndim for i in ix)
    first = dims[0]
    neighbours = dims == list(range(first, first + len(dims)))
    if not neighbours or first == 0:
        return front, ix, None
    return front, ix, (*range(picked, picked + first), *range(picked), *range(picked + first, picked + len(rest)))

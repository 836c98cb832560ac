"""Writing into a tensor's memory: which edits are allowed, how they are noticed, and how they are recorded.

An edit raises the version that the tensor shares with its views, so a backward pass that needs the old value
says so instead of computing something else. Where operations are recorded, the edit is one: the new value is
computed from the old one as usual, and `take` moves its numbers into the memory and its history to the tensor,
or, for a view, to the base by way of the op `CopySlices`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import Any

import numpy as np

from . import events
from .apply import apply, record
from .arrays.dtypes import of
from .arrays.levels import level_of
from .autograd.lines import mark_edit
from .autograd.modes import inferring, recording_at
from .errors import DTypeError, InferenceError, InPlaceError, InPlaceTypeError, ShapeError
from .lifting import is_argument, refuse_captured, rise
from .ops import Add, Cast, Copy, CopySlices, Div, Fill, Mul, Op, Pow, Sub
from .source import user_line
from .tensor import Tensor, constant, edge_of, wrap
from .views import follow_retained, forbid

__all__ = [
    "assign",
    "checked",
    "edit",
    "fitting",
    "overlapping",
    "permit",
    "rebase",
    "take",
    "tracked",
    "twin",
    "written",
]


SPOKEN = {
    "bool": "Bool", "uint8": "Byte", "int8": "Char", "int16": "Short", "int32": "Int", "int64": "Long",
    "float16": "Half", "float32": "Float", "float64": "Double",
    "complex64": "ComplexFloat", "complex128": "ComplexDouble",
}  # fmt: skip
"""The names of dtypes in PyTorch's error messages, which people search for."""


# ------------------------------------------------------------------------------------- what may be edited


def checked(x: Tensor) -> Any:
    """The array of x, if it may be written."""
    refuse_captured(x)
    if x._cell is None and not inferring():
        raise InferenceError(
            "Inplace update to inference tensor outside InferenceMode is not allowed: clone() gives an ordinary tensor"
        )
    array = x._array
    if not isinstance(array, np.ndarray):
        return array
    if overlapping(array):
        raise InPlaceError(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
            "clone() the expanded tensor first"
        )
    if not array.flags.writeable:
        view = x._view
        if view is not None and isinstance(view.base._array, np.ndarray) and view.base._array.flags.writeable:
            array = array.view()  # NumPy locks what it has stretched; a part without repetition may be written
            array.flags.writeable = True
            return array
        raise InPlaceError("the memory of this tensor is read-only, so it cannot be edited in place: clone() it first")
    return array


def overlapping(array: Any) -> bool:
    """Whether several elements are one number in memory, as in an expanded tensor."""
    if not isinstance(array, np.ndarray) or not array.size:
        return False
    return any(stride == 0 and size > 1 for stride, size in zip(array.strides, array.shape, strict=True))


def tracked(x: Tensor, *others: Any) -> bool:
    """Whether an edit of x with these values has to be recorded. Whole numbers never are: they have no gradient."""
    if x._array.dtype.kind in "biu":
        return False
    return any(_needs(t) and recording_at(level_of(t._array)) for t in (x, *others))


def _needs(t: Any) -> bool:
    if not isinstance(t, Tensor):
        return False
    return t.requires_grad or (t._view is not None and t._view.base._needs_grad)


def permit(x: Tensor) -> None:
    """Refuse an edit that cannot be recorded."""
    if x._view is not None:
        forbid(x._view)
        base = x._view.base
        if is_argument(base) or (base._node is None and (base._needs_grad or x._needs_grad)):
            # (it may be off the graph, but has been on it)
            raise _leaf_error("a view of a leaf Variable")
    elif x._needs_grad and (x._node is None or is_argument(x)):
        raise _leaf_error("a leaf Variable")


def _leaf_error(what: str) -> InPlaceError:
    return InPlaceError(
        f"{what} that requires grad is being used in an in-place operation: the edit would replace the very value one "
        "differentiates by. Do it inside tp.no_grad(), or work on a clone()"
    )


def fitting(x: Tensor, value: Any) -> Any:
    """What is to be written into x, as an array that NumPy can store there."""
    if isinstance(value, Tensor):
        return value._array
    if value is None or isinstance(value, (str, bytes)):  # NumPy would read these as NaN and as digits
        raise InPlaceTypeError(f"can't assign a {type(value).__name__} to a tensor of dtype {x.dtype}: got {value!r}")
    try:
        return np.asarray(value, x._array.dtype)
    except (OverflowError, TypeError, ValueError):
        if isinstance(value, int) and x._array.dtype == np.uint8 and -256 < value < 0:  # as in C: counted from 256 down
            return np.asarray(value % 256, np.uint8)
        raise DTypeError(f"value cannot be converted to type {x.dtype} without overflow: got {value!r}") from None


def written(x: Tensor, name: str) -> None:
    """Raise the version, and tell those who listen."""
    if x._cell is None:
        return
    x._cell[0] += 1
    if events.listeners:
        place = user_line() if events.sources_wanted else None
        mark_edit(x._cell, name, place)
        events.emit(events.InPlace(x, x._cell[0], name, place))


# ---------------------------------------------------------------------------------------------- an edit


def edit(op: type[Op], x: Tensor, *others: Any, name: str) -> Tensor:
    """x becomes `op(x, *others)`, in its own memory; recorded where operations are."""
    for other in others:
        if not isinstance(other, (Tensor, int, float, complex, np.generic, np.ndarray)):
            raise InPlaceTypeError(f"an in-place operation takes a Tensor or a number, not {type(other).__name__}")
    rise(x, *others)
    if tracked(x, *others):
        permit(x)
        checked(x)
        take(x, apply(op, _old(x), *others), name)
        return x
    _store(x, checked(x), apply(op, *map(_plain, (x, *others)))._array)
    written(x, name)
    return x


def _plain(value: Any) -> Any:
    return constant(value) if isinstance(value, Tensor) else value


def _old(x: Tensor) -> Tensor:
    """The value of x before the edit, with its history; its memory is still x's."""
    old = wrap(x._array)
    old._node = edge_of(x)
    old._needs_grad = old._node is not None
    return old


def take(x: Tensor, result: Tensor, name: str) -> None:
    """Give x the numbers and the history of `result`, which was computed from x's old value.

    A result without history, such as that of a comparison, does not move with x: its slopes are 0.
    """
    if result._node is None:
        _check_store(x._array, result._array)
        result = apply(Copy, _old(x), result)
    if result._array.dtype != x._array.dtype:
        _check_store(x._array, result._array)
        result = apply(Cast, result, dtype=x._array.dtype)
    before, after = x._array, result._array
    node = result.grad_fn
    if node is not None and node.saved:
        node.saved = tuple(v.copy() if v is before and hasattr(v, "flags") else v for v in node.saved)
    _store(x, checked(x), after)
    written(x, name)
    if node is not None and node.saved:  # a rule that reads its output reads x's own memory, at this version
        node.saved = tuple(x._array if v is after else v for v in node.saved)
        cell = x._cell
        node.versions = tuple((cell, cell[0]) if c is result._cell else (c, v) for c, v in node.versions)  # type: ignore[index]
    rebase(x, result)


def rebase(x: Tensor, result: Tensor) -> None:
    """Give x the history of `result`; x's memory already holds its value."""
    if result._node is None:
        return
    if x._view is None:
        follow_retained(x, result)
        x._node, x._needs_grad = result._node, True
        return
    base, steps = x._view.base, x._view.steps
    now = wrap(base._array)
    now._cell = base._cell
    if isinstance(base._array, np.ndarray):
        record(CopySlices, (_old(base), result), now, steps=steps)
    else:
        now = apply(CopySlices, _old(base), result, steps=steps)
        base._array = now._array
    follow_retained(base, now)
    base._node, base._needs_grad = now._node, True


def _check_store(target: Any, new: Any) -> None:
    if new.shape != target.shape:
        raise ShapeError(f"output with shape {list(target.shape)} doesn't match the broadcast shape {list(new.shape)}")
    if of(new.dtype).category > of(target.dtype).category:
        raise DTypeError(
            f"result type {SPOKEN[new.dtype.name]} can't be cast to the desired output type "
            f"{SPOKEN[target.dtype.name]}: the edit would lose digits; write y = x + … instead"
        )


def _store(x: Tensor, target: Any, new: Any) -> None:
    _check_store(target, new)
    if isinstance(target, np.ndarray) and isinstance(new, np.ndarray):
        target[...] = new
    elif isinstance(target, np.ndarray):
        raise InPlaceError(
            "vmap: inplace arithmetic is not possible: a tensor that is the same for all examples cannot take a value "
            "that differs between them. Use the out-of-place form, or make the target from the batched tensor"
        )
    else:
        if x._view is not None:
            base = x._view.base
            base._array = apply(CopySlices, wrap(base._array), wrap(new), steps=x._view.steps)._array
        x._array = new


# ------------------------------------------------------------------------------------------ the edits


def _binary(op: type[Op], sign: str) -> Any:
    name = f"{op.__name__.lower()}_"

    def run(x: Tensor, other: Any) -> Tensor:
        return edit(op, x, other, name=name)

    run.__name__, run.__doc__ = name, f"x {sign}= other, in place."
    return run


add_, sub_, mul_, div_ = (_binary(op, sign) for op, sign in ((Add, "+"), (Sub, "-"), (Mul, "*"), (Div, "/")))


def pow_(x: Tensor, exponent: Any) -> Tensor:
    """x **= exponent, in place."""
    return edit(Pow, x, exponent, name="pow_")


def twin(function: Callable[..., Any], name: str) -> Callable[..., Tensor]:
    """The in-place form of a function, such as `exp_` of `exp`: x becomes `function(x, …)`, in its own memory.

    Not for a function that returns a view of its input, or that takes tensors in a list.
    """

    def run(input: Tensor, *args: Any, **options: Any) -> Tensor:
        others = (*args, *options.values())
        rise(input, *others)
        if tracked(input, *others):
            permit(input)
            checked(input)
            take(input, function(_kept(input), *args, **options), name)
            return input
        plain = {word: _plain(value) for word, value in options.items()}
        _store(input, checked(input), function(constant(input), *map(_plain, args), **plain)._array)
        written(input, name)
        return input

    update_wrapper(run, function)
    run.__name__, run.__qualname__ = name, name
    run.__doc__ = f"`{function.__name__}` in place: the tensor's own memory takes the result."
    return run


def _kept(x: Tensor) -> Tensor:
    """The value of x before the edit, in memory of its own: any of the ops that a function is made of may save it."""
    old = _old(x)
    if isinstance(old._array, np.ndarray):
        old._array = old._array.copy(order="K")
    return old


def fill_(input: Tensor, value: Any) -> Tensor:
    """Every element becomes `value`, a number or a tensor of one number.

    Raises ShapeError for several values.

    >>> import tensorplay as tp
    >>> tp.fill_(tp.zeros(2), 7)
    tensor([7., 7.])
    """
    if np.ndim(value._array if isinstance(value, Tensor) else value):
        raise ShapeError(f"fill_ only supports 0-dimension value tensor, got {np.ndim(value)} dimensions: use copy_()")
    return assign(input, value, "fill_", Fill)


def zero_(input: Tensor) -> Tensor:
    """Every element becomes 0.

    >>> import tensorplay as tp
    >>> tp.zero_(tp.ones(2))
    tensor([0., 0.])
    """
    return assign(input, 0, "zero_", Fill)


def copy_(self: Tensor, other: Any, non_blocking: bool = False) -> Tensor:
    """The elements of `other`, broadcast and cast. There is nothing to wait for, so `non_blocking` changes nothing."""
    return assign(self, other, "copy_", Copy)


def assign(x: Tensor, value: Any, name: str, op: type[Op] = Copy) -> Tensor:
    """x takes the elements of `value`, broadcast and cast."""
    rise(x, value)
    new = fitting(x, value)
    if tracked(x, value):
        permit(x)
        checked(x)
        take(x, apply(op, _old(x), value if isinstance(value, Tensor) else wrap(new)), name)
        return x
    target = checked(x)
    if isinstance(target, np.ndarray) and isinstance(new, np.ndarray):
        _fill(target, new)
    else:
        plain = constant(value) if isinstance(value, Tensor) else wrap(new)
        _store(x, target, apply(op, constant(x), plain)._array)
    written(x, name)
    return x


def _fill(target: Any, new: Any) -> None:
    try:
        np.copyto(target, new, casting="unsafe")
    except ValueError as error:
        raise Copy.explain((target, new), {}, error) from None

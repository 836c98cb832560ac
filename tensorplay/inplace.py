"""Writing into a tensor's memory: which edits are allowed, and how they are noticed.

An edit raises the version that the tensor shares with its views, so a backward pass that needs the old
value says so instead of computing something else.
"""

from __future__ import annotations

from typing import Any
from weakref import ref

import numpy as np

from . import events
from .apply import apply
from .arrays.dtypes import of
from .autograd.modes import inferring, recording
from .errors import DTypeError, InferenceError, InPlaceError, InPlaceTypeError, ShapeError
from .ops import Add, Div, Mul, Sub
from .source import user_line
from .tensor import Tensor, wrap

__all__ = ["add_", "checked", "copy_", "div_", "fill_", "fitting", "forbid_tracked", "mul_", "sub_", "written", "zero_"]


SPOKEN = {
    "bool": "Bool", "uint8": "Byte", "int8": "Char", "int16": "Short", "int32": "Int", "int64": "Long",
    "float16": "Half", "float32": "Float", "float64": "Double",
    "complex64": "ComplexFloat", "complex128": "ComplexDouble",
}  # fmt: skip
"""The names of dtypes in PyTorch's error messages, which people search for."""


def checked(x: Tensor) -> Any:
    """The array of x, if it may be written."""
    if x._cell is None and not inferring():
        raise InferenceError(
            "Inplace update to inference tensor outside InferenceMode is not allowed: clone() gives an ordinary tensor"
        )
    array = x._array
    if not isinstance(array, np.ndarray):
        raise InPlaceError(
            "a batch of gradients (is_grads_batched) cannot be edited in place: return a new one (g * 2)"
        )
    if any(stride == 0 and size > 1 for stride, size in zip(array.strides, array.shape, strict=True)):
        raise InPlaceError(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
            "clone() the expanded tensor first"
        )
    if not array.flags.writeable:
        raise InPlaceError("the memory of this tensor is read-only, so it cannot be edited in place: clone() it first")
    return array


def fitting(x: Tensor, value: Any) -> Any:
    """What is to be written into x, as an array that NumPy can store there."""
    if isinstance(value, Tensor):
        return value._array
    if value is None or isinstance(value, (str, bytes)):  # NumPy would read these as NaN and as digits
        raise InPlaceTypeError(f"can't assign a {type(value).__name__} to a tensor of dtype {x.dtype}: got {value!r}")
    try:
        return np.asarray(value, x._array.dtype)
    except (OverflowError, TypeError, ValueError):
        raise DTypeError(f"value cannot be converted to type {x.dtype} without overflow: got {value!r}") from None


def forbid_tracked(x: Tensor, *others: Any) -> None:
    """Refuse an edit that would have to be recorded."""
    if not recording() or not any(isinstance(t, Tensor) and t._needs_grad for t in (x, *others)):
        return
    if x._needs_grad and x._node is None:
        raise InPlaceError(
            "a leaf Variable that requires grad is being used in an in-place operation: the edit would replace the "
            "very value one differentiates by. Do it inside tp.no_grad(), or work on a clone()"
        )
    if x._view is not None and x._view._needs_grad and x._view._node is None:
        raise InPlaceError(
            "a view of a leaf Variable that requires grad is being used in an in-place operation: "
            "do it inside tp.no_grad(), or on a clone()"
        )
    raise InPlaceError(
        "an in-place operation on a view (slice assignment too), or on a tensor with views, that is part of the graph "
        "is not recorded in this version: write the out-of-place form (y = y + 1, not y += 1), or edit inside "
        "tp.no_grad()"
    )


def written(x: Tensor, name: str) -> None:
    """Raise the version, and tell those who listen."""
    if x._cell is None:
        return
    x._cell[0] += 1
    if events.listeners:
        place = user_line() if events.sources_wanted else None
        events.emit(events.InPlace(x, x._cell[0], name, place))


def _edit(op: Any, x: Tensor, other: Any) -> Tensor:
    """x op= other."""
    tracked = recording() and (x._needs_grad or (isinstance(other, Tensor) and other._needs_grad))
    alone = x._view is None and x._cell is not None and len(x._cell) == 1
    if tracked and alone and (x._node is not None or not x._needs_grad):
        return _rebase(op, x, other)
    if not isinstance(other, (Tensor, int, float, complex, np.generic, np.ndarray)):
        raise InPlaceTypeError(f"an in-place operation takes a Tensor or a number, not {type(other).__name__}")
    forbid_tracked(x, other)
    _store(x, checked(x), apply(op, x.detach(), other.detach() if isinstance(other, Tensor) else other)._array)
    written(x, f"{op.__name__.lower()}_")
    return x


def _rebase(op: Any, x: Tensor, other: Any) -> Tensor:
    """A recorded edit: the operation runs on a copy of the old value, and x becomes its result."""
    old = wrap(x._array.copy())
    old._node, old._needs_grad = x._node, x._needs_grad
    result: Tensor = apply(op, old, other)
    _store(x, checked(x), result._array)
    _move_retained(x, result)
    x._node, x._needs_grad = result._node, True
    written(x, f"{op.__name__.lower()}_")
    return x


def _move_retained(x: Tensor, result: Tensor) -> None:
    """`retain_grad` follows the tensor to its new node; hooks stay with the old value."""
    if x.retains_grad:
        x.grad_fn.extra.retain.pop(x.output_nr)  # type: ignore[union-attr]
        result.grad_fn.extras().retain[result.output_nr] = ref(x)  # type: ignore[union-attr]


def _store(x: Tensor, target: Any, new: Any) -> None:
    if new.shape != target.shape:
        raise ShapeError(f"output with shape {list(target.shape)} doesn't match the broadcast shape {list(new.shape)}")
    if of(new.dtype).category > of(target.dtype).category:
        raise DTypeError(
            f"result type {SPOKEN[new.dtype.name]} can't be cast to the desired output type "
            f"{SPOKEN[target.dtype.name]}: the edit would lose digits; write y = x + … instead"
        )
    target[...] = new


def add_(x: Tensor, other: Any) -> Tensor:
    """x += other, in place."""
    return _edit(Add, x, other)


def sub_(x: Tensor, other: Any) -> Tensor:
    """x -= other, in place."""
    return _edit(Sub, x, other)


def mul_(x: Tensor, other: Any) -> Tensor:
    """x *= other, in place."""
    return _edit(Mul, x, other)


def div_(x: Tensor, other: Any) -> Tensor:
    """x /= other, in place."""
    return _edit(Div, x, other)


def fill_(x: Tensor, value: Any) -> Tensor:
    """Every element becomes `value`."""
    forbid_tracked(x, value)
    if np.ndim(value):
        raise ShapeError(f"fill_ only supports 0-dimension value tensor, got {np.ndim(value)} dimensions: use copy_()")
    checked(x)[...] = fitting(x, value)
    written(x, "fill_")
    return x


def zero_(x: Tensor) -> Tensor:
    """Every element becomes 0."""
    return fill_(x, 0)


def copy_(x: Tensor, source: Any) -> Tensor:
    """The elements of `source`, broadcast and cast."""
    forbid_tracked(x, source)
    target = checked(x)
    new = fitting(x, source)
    try:
        np.copyto(target, new, casting="unsafe")
    except ValueError:
        raise ShapeError(
            f"output with shape {list(target.shape)} doesn't match the broadcast shape {list(new.shape)}"
        ) from None
    written(x, "copy_")
    return x

"""Hooks for saved tensors: keep what backward needs in another place or another form.

A node keeps bare arrays. While hooks are in force the general path of `apply.py` packs each of them: a
`Packed` then stands in its place, which opens when it is needed (see `loading.py`). A node with packed
values has an `extra`, so the plain path of the loop never meets one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import special
from ..errors import (
    MutationContextError,
    NotCallableError,
    SavedHooksError,
    SavedHooksTypeError,
)
from . import modes
from .bridge import bridge

if TYPE_CHECKING:
    from .node import Node

__all__ = [
    "Hooks",
    "Packed",
    "allow_mutation_on_saved_tensors",
    "checked_hooks",
    "disable_saved_tensors_hooks",
    "hooks_in_force",
    "pack",
    "pack_node",
    "save_on_cpu",
    "saved_tensors_hooks",
]


class Hooks(NamedTuple):
    """What is called with a tensor that is saved, and with what that call returned when it is needed."""

    pack: Callable[[Any], Any]
    unpack: Callable[[Any], Any]


_stack: ContextVar[tuple[Hooks, ...]] = ContextVar("tensorplay_saved_hooks", default=())
_refusal: ContextVar[str | None] = ContextVar("tensorplay_saved_hooks_refusal", default=None)


def hooks_in_force() -> Hooks | None:
    """The innermost hooks of this thread, None where there are none."""
    stack = _stack.get()
    if not stack:
        return None
    _allowed()
    return stack[-1]


def _allowed() -> None:
    """Raise SavedHooksError inside `disable_saved_tensors_hooks`."""
    message = _refusal.get()
    if message is not None:
        raise SavedHooksError(message)


# ------------------------------------------------------------------------------------------- packing


class Packed:
    """Stands for a saved value that hooks took away."""

    __slots__ = ("cell", "dtype", "same", "shape", "unpack", "value")

    def __init__(self, tensor: Any, hooks: Hooks) -> None:
        """Call the pack hook. What it returned may hold anything but the tensor it was given: that would be a
        cycle, node to result to node. Returning that very tensor is fine; its array is kept."""
        version = tensor._cell[0]
        with modes.no_grad():
            value = hooks.pack(tensor)
        if tensor._cell[0] != version:
            raise SavedHooksError(
                "A saved tensor pack hook is modifying its input in place. Return a new tensor (2 * x, not x.mul_(2)): "
                "the input is the very tensor your program goes on using."
            )
        self.unpack = hooks.unpack
        self.same = value is tensor
        self.value = tensor._array if self.same else value
        self.cell, self.shape, self.dtype = tensor._cell, tensor.shape, tensor._array.dtype

    def open(self, edge: Any = None) -> Any:
        """The array that the unpack hook gives back; `edge` is where a gradient of it would go."""
        result = self.unpack(seen(self.value, edge, self.cell) if self.same else self.value)
        if not isinstance(result, bridge.Tensor):
            raise SavedHooksTypeError(
                f"Output of saved tensor unpack_hook expected to be a Tensor but got result of type "
                f"{type(result).__name__}: return what pack_hook was given, or a tensor with the same values"
            )
        if result.shape != self.shape:
            raise SavedHooksError(
                f"Output of saved tensor unpack_hook has shape {list(result.shape)}, but a tensor of shape "
                f"{list(self.shape)} was packed: the rule needs that shape"
            )
        if result._array.dtype != self.dtype:
            result = bridge.tensors.cast(result.detach(), self.dtype)
        return result._array


def pack(tensor: Any) -> Packed | None:
    """What to keep instead of this tensor while hooks are in force; None where there are none.

    `packed.open(edge)` calls the unpack hook. Kept in a node that has an `extra`; no version is checked for it.
    """
    hooks = hooks_in_force()
    return None if hooks is None else Packed(tensor, hooks)


def pack_node(node: Node, hooks: Hooks, inputs: tuple[Any, ...], made: tuple[Any, ...]) -> None:
    """Pack all that a fresh node saved: the rule's reads in their order. Numbers and shapes stay.

    A node of a lifted layer keeps what it has: the layer below, where the numbers are, packs.
    """
    if not all(isinstance(t._array, np.ndarray) for t in made):
        return

    def packed(which: int, value: Any) -> Any:
        x = inputs[which]
        if not isinstance(x, bridge.Tensor):
            return value
        return Packed(x if x._array is value else bridge.wrap(value, None), hooks)

    items: list[Any] = []
    for (kind, which), value in zip(node.plan.sources, node.saved or (), strict=True):
        if kind == "in":
            items.append(packed(which, value))
        elif kind == "ins":
            items.append(tuple(packed(which + i, v) for i, v in enumerate(value)))
        else:
            items.append(Packed(made[which], hooks) if kind == "out" else value)
    if items:
        node.extras()
        node.saved, node.versions = tuple(items), ()


def seen(array: Any, edge: Any, cell: Any) -> Any:
    """A saved array as the user sees it: the leaf itself, or a tensor with the same memory, history and version."""
    if isinstance(edge, bridge.Tensor) and edge._array is array:
        return edge
    tensor = bridge.wrap(array, edge)
    if cell is not None:
        tensor._cell = cell
    return tensor


# ---------------------------------------------------------------------------------- context managers


def checked_hooks(pack_hook: Any, unpack_hook: Any) -> Hooks:
    """The pair, if both can be called."""
    for name, hook in (("pack_hook", pack_hook), ("unpack_hook", unpack_hook)):
        if not callable(hook):
            raise NotCallableError(f"{name} must be callable, got {type(hook).__name__}")
    return Hooks(pack_hook, unpack_hook)


class saved_tensors_hooks:
    """Inside the block each tensor that is saved for backward goes through `pack_hook`; backward gets `unpack_hook`'s.

    Of nested blocks the innermost counts, and each thread has its own. `pack_hook` may return anything that does
    not hold the tensor it was given. What `unpack_hook` makes of that must be a tensor with the same shape.

    Raises:
        NotCallableError: a hook cannot be called.
        SavedHooksError: such hooks are disabled here, a pack hook edits its input, or a shape has changed.
        SavedHooksTypeError: what an unpack hook gives back is no tensor.

    >>> import tensorplay as tp
    >>> x = tp.tensor([3.0], requires_grad=True)
    >>> with tp.autograd.graph.saved_tensors_hooks(lambda t: t.tolist(), tp.tensor):
    ...     y = x * x
    >>> y.backward()
    >>> x.grad
    tensor([6.])
    """

    def __init__(self, pack_hook: Callable[[Any], Any], unpack_hook: Callable[[Any], Any]) -> None:
        self._hooks = checked_hooks(pack_hook, unpack_hook)

    def __enter__(self) -> None:
        _allowed()
        _stack.set((*_stack.get(), self._hooks))
        special.add(saved_tensors_hooks)

    def __exit__(self, *exception: object) -> None:
        _stack.set(_stack.get()[:-1])
        special.remove(saved_tensors_hooks)


class save_on_cpu(saved_tensors_hooks):
    """Inside the block saved tensors are copied to the CPU and come back for backward.

    Tensors on the CPU are copied as well, so the program does the same wherever it runs. `pin_memory` and
    `device_type` are for accelerators and have no effect here.

    >>> import tensorplay as tp
    >>> x = tp.tensor([3.0], requires_grad=True)
    >>> with tp.autograd.graph.save_on_cpu():
    ...     y = x * x
    >>> y.backward()
    >>> x.grad
    tensor([6.])
    """

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        super().__init__(lambda tensor: tensor.detach().clone(), lambda packed: packed)


@contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """Inside the block, or the decorated function, using hooks for saved tensors raises SavedHooksError.

    So does entering it while such hooks are in force.

    >>> import tensorplay as tp
    >>> with tp.autograd.graph.disable_saved_tensors_hooks("no hooks in here"):
    ...     tp.autograd.graph.save_on_cpu().__enter__()
    Traceback (most recent call last):
    tensorplay.errors.SavedHooksError: no hooks in here
    """
    if _stack.get():
        raise SavedHooksError(error_message)
    token = _refusal.set(error_message)
    try:
        yield
    finally:
        _refusal.reset(token)


# --------------------------------------------------------------------------- edits of saved tensors


class _Kept:
    """A saved tensor under `allow_mutation_on_saved_tensors`: a copy, made when it was saved."""

    __slots__ = ("context", "tensor")

    def __init__(self, context: _MutationContext, tensor: Any) -> None:
        self.context, self.tensor = context, tensor.detach().clone()

    def open(self) -> Any:
        """The copy, in the block that made it."""
        if _mutation.get() is not self.context:
            raise MutationContextError(
                "Trying to backward outside of the 'allow_mutation_on_saved_tensors' context in which the graph was "
                "originally recorded: call backward() inside the same block"
            )
        return self.tensor


class _MutationContext:
    """What `allow_mutation_on_saved_tensors` yields."""


_mutation: ContextVar[_MutationContext | None] = ContextVar("tensorplay_saved_mutation", default=None)


@contextmanager
def allow_mutation_on_saved_tensors() -> Iterator[_MutationContext]:
    """Inside the block saved tensors may be edited in place: backward uses the values as they were when saved.

    It costs a copy of every saved tensor. Call backward inside the same block: elsewhere it raises a
    MutationContextError. A block inside another one raises a SavedHooksError.

    >>> import tensorplay as tp
    >>> with tp.autograd.graph.allow_mutation_on_saved_tensors():
    ...     a = tp.tensor([2.0], requires_grad=True)
    ...     b = a.clone()
    ...     out = (b * b).sum()
    ...     _ = b.add_(1)
    ...     out.backward()
    >>> a.grad
    tensor([4.])
    """
    if _mutation.get() is not None:
        raise SavedHooksError("allow_mutation_on_saved_tensors contexts cannot be nested: one block is enough")
    context = _MutationContext()
    token = _mutation.set(context)
    try:
        with saved_tensors_hooks(lambda tensor: _Kept(context, tensor), _Kept.open):
            yield context
    finally:
        _mutation.reset(token)

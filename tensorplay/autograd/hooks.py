"""Where the user's functions meet a gradient on its way.

A hook sees a Tensor of its own: editing it in place counts, whether or not it is returned, and never
reaches another branch of the graph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .. import events
from ..arrays.batch import Batched
from ..errors import HookError, HookTypeError
from .bridge import bridge
from .node import Extra, Node

__all__ = ["after", "arrive", "before", "fire", "keep_grad"]


def fire(run: Any, where: Any, hooks: Iterable[Callable[[Any], Any]], g: Any, kind: str) -> Any:
    """Pass `g` through tensor hooks in the order registered; each sees what the one before left."""
    for hook in tuple(hooks):
        shown = _own(run, g)
        result = hook(shown)
        new = _left(run, g, shown if result is None else _checked(hook, result, shown), shown)
        if events.listeners:
            events.emit(events.HookFired(where, g, new, kind))
        g = new
    return g


def _own(run: Any, g: Any) -> Any:
    """The gradient as a hook sees it: a Tensor with memory of its own."""
    g = run.xp.copy(g)
    return g if isinstance(g, bridge.Tensor) else bridge.wrap(g, None)


def _left(run: Any, g: Any, chosen: Any, shown: Any) -> Any:
    """The gradient that goes on, in the form of `g`: an array, a Tensor, or a batch of either."""
    if isinstance(g, bridge.Tensor):
        edited = chosen is not shown or (shown._cell is not None and shown._cell[0])
        return chosen if edited else g  # untouched: the copy need not be part of the graph
    if not isinstance(g, Batched) or isinstance(chosen._array, Batched):
        return chosen._array
    return Batched(run.xp.spread(chosen if run.tensors else chosen._array, g.count), run.xp)


def _checked(hook: Any, result: Any, shown: Any) -> Any:
    name = getattr(hook, "__name__", type(hook).__name__)
    if not isinstance(result, bridge.Tensor):
        raise HookTypeError(
            f"expected Variable, but hook returned {type(result).__name__!r}: "
            f"hook {name!r} must return a tensor for the gradient, or None to leave it"
        )
    if result.shape != shown.shape:
        raise HookError(
            f"hook {name!r} has changed the size of value: got {list(result.shape)}, "
            f"expected {list(shown.shape)}, the shape of the gradient it was given"
        )
    if result.dtype != shown.dtype:
        raise HookError(f"hook {name!r} has changed the type of value: got {result.dtype}, expected {shown.dtype}")
    return result


def arrive(run: Any, node: Node, arrived: list[Any]) -> list[Any]:
    """Tensor hooks, then retained gradients, for what reached each output."""
    extra = node.extra
    if extra is None or not (extra.tensor_hooks or extra.retain):
        return arrived
    slots = list(arrived)
    for nr, hooks in tuple(extra.tensor_hooks.items()):  # a hook may register another
        if slots[nr] is not None:
            slots[nr] = fire(run, node, hooks.values(), slots[nr], "tensor hook")
    for nr, reference in extra.retain.items():
        tensor = reference()
        if tensor is not None and slots[nr] is not None and run.writes:
            keep_grad(run, tensor, slots[nr])
    return slots


def before(run: Any, node: Node, arrived: list[Any]) -> list[Any]:
    """Node pre-hooks: `hook(grad_outputs)` may return a replacement tuple."""
    for hook in _of(node.extra, "before"):
        shown = _shown(run, arrived)
        arrived = _replaced(run, hook, hook(shown), shown, arrived, node, "node pre-hook")
    return arrived


def after(run: Any, node: Node, sent: list[Any], arrived: list[Any]) -> list[Any]:
    """Node hooks: `hook(grad_inputs, grad_outputs)` may return a replacement for the first."""
    for hook in _of(node.extra, "after"):
        shown = _shown(run, sent)
        sent = _replaced(run, hook, hook(shown, _shown(run, arrived)), shown, sent, node, "node hook")
    return sent


def _of(extra: Extra | None, name: str) -> tuple[Any, ...]:
    return tuple(getattr(extra, name).values()) if extra is not None else ()


def _shown(run: Any, values: list[Any]) -> tuple[Any, ...]:
    return tuple(v if v is None else _own(run, v) for v in values)


def _replaced(
    run: Any, hook: Any, result: Any, shown: tuple[Any, ...], values: list[Any], where: Any, kind: str
) -> list[Any]:
    if result is None:
        result = shown
    if not isinstance(result, tuple):
        result = (result,)
    if len(result) != len(values):
        raise HookError(
            f"hook {_name(hook)} has returned an incorrect number of values: got {len(result)}, expected {len(values)}"
        )
    if any(s is None and r is not None for r, s in zip(result, shown, strict=True)):
        raise HookError(f"can't replace a None gradient with a non-None value: hook {_name(hook)} must leave it None")
    triples = zip(result, shown, values, strict=True)
    new = [None if r is None else _left(run, v, r if r is s else _checked(hook, r, s), s) for r, s, v in triples]
    if events.listeners:
        events.emit(events.HookFired(where, tuple(values), tuple(new), kind))
    return new


def _name(hook: Any) -> str:
    return repr(getattr(hook, "__name__", type(hook).__name__))


def keep_grad(run: Any, tensor: Any, g: Any) -> None:
    """Add `g` to `tensor.grad`: in place when nothing is recorded, a new tensor under `create_graph`.

    `.grad` never shares memory with the gradient that came in, nor with another tensor's `.grad`.
    """
    old = tensor._grad
    before = _copy_for_event(old)
    if old is None:
        tensor._grad = g.clone() if run.tensors else bridge.wrap(run.xp.copy(g), None)
    elif run.tensors:
        tensor._grad = old + g
    elif old._cell is None or 0 in old._array.strides or not old._array.flags.writeable:  # not ours to edit
        tensor._grad = bridge.wrap(old._array + g, None)
    else:
        old._array += g
        old._cell[0] += 1
    if events.listeners:
        increment = g._array if run.tensors else g
        events.emit(events.GradAccumulated(tensor, before, increment, _copy_for_event(tensor._grad)))


def _copy_for_event(grad: Any) -> Any:
    """A listener may keep what it is shown; the next accumulation edits the array in place."""
    return grad._array.copy() if events.listeners and grad is not None else None

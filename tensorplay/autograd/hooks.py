"""Where the user's functions meet a gradient on its way.

A hook sees a Tensor of its own: editing it in place counts, whether or not it is returned, and never
reaches another branch of the graph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from threading import RLock
from typing import Any
from weakref import ref

import numpy as np

from .. import events
from ..arrays.batch import Batched
from ..arrays.dtypes import DType, as_dtype, as_numpy
from ..errors import GradError, HookError, HookTypeError
from .bridge import bridge
from .node import Node, Out, key, node_at, reachable

__all__ = ["Together", "accumulate", "after", "arrive", "before", "fire", "in_grad_dtype", "keep_grad", "keeps_dtype",
           "settle"]  # fmt: skip


def fire(run: Any, where: Any, hooks: Iterable[Callable[[Any], Any]], g: Any, kind: str) -> Any:
    """Pass `g` through tensor hooks in the order registered; each sees what the one before left."""
    for hook in tuple(hooks):
        new = _through(run, hook, g)
        if events.listeners:
            events.emit(events.HookFired(where, g, new, kind))
        g = new
    return g


def _through(run: Any, hook: Any, g: Any) -> Any:
    """One tensor hook. A gradient that did not come is shown as None, and stays None."""
    shown = None if g is None else _own(run, g)
    result = hook.saw(run, shown) if hook.__class__ is Part else hook(shown)
    if g is not None:
        return _left(run, g, shown if result is None else _checked(hook, result, shown), shown)
    if result is not None:
        raise _from_nothing(hook)
    return None


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
    """What a hook returned, if it can stand in for the gradient it was shown."""
    if not isinstance(result, bridge.Tensor):
        raise HookTypeError(
            f"expected Variable, but hook returned {type(result).__name__!r}: "
            f"hook {_name(hook)} must return a tensor for the gradient, or None to leave it"
        )
    if result.shape != shown.shape:
        raise HookError(
            f"hook {_name(hook)} has changed the size of value: got {list(result.shape)}, "
            f"expected {list(shown.shape)}, the shape of the gradient it was given"
        )
    if result.dtype != shown.dtype:
        raise HookError(f"hook {_name(hook)} has changed the type of value: got {result.dtype}, expected {shown.dtype}")
    return result


def arrive(run: Any, node: Node, arrived: list[Any]) -> list[Any]:
    """Tensor hooks, then retained gradients, for what reached each output."""
    extra = node.extra
    if extra is None or not (extra.tensor_hooks or extra.retain):
        return arrived
    slots = list(arrived)
    for nr, hooks in tuple(extra.tensor_hooks.items()):  # a hook may register another
        if slots[nr] is not None or len(slots) == 1:  # of several outputs, those that nothing used are not told
            slots[nr] = fire(run, node, hooks.values(), slots[nr], "tensor hook")
    for nr, reference in extra.retain.items():
        tensor = reference()
        if tensor is None or slots[nr] is None or isinstance(slots[nr], Batched):
            continue
        if not bridge.outdated(tensor):  # else this is the gradient of what it was before an edit of its base
            keep_grad(run, tensor, slots[nr])
    return slots


def before(run: Any, where: Any, kept: Any, arrived: list[Any]) -> list[Any]:
    """Node pre-hooks: `hook(grad_outputs)` may return a replacement tuple."""
    for hook in _of(kept, "before"):
        shown = _shown(run, arrived)
        arrived = _replaced(run, hook, hook(shown), shown, arrived, where, "node pre-hook")
    return arrived


def after(run: Any, where: Any, kept: Any, sent: list[Any], arrived: list[Any]) -> list[Any]:
    """Node hooks: `hook(grad_inputs, grad_outputs)` may return a replacement for the first."""
    for hook in _of(kept, "after"):
        shown = _shown(run, sent)
        sent = _replaced(run, hook, hook(shown, _shown(run, arrived)), shown, sent, where, "node hook")
    return sent


def _of(kept: Any, name: str) -> tuple[Any, ...]:
    """The hooks of one kind in the extra of a node or the hooks of a leaf."""
    return tuple(getattr(kept, name).values()) if kept is not None else ()


def _shown(run: Any, values: list[Any]) -> tuple[Any, ...]:
    """Gradients as node hooks see them."""
    return tuple(v if v is None else _own(run, v) for v in values)


def _replaced(
    run: Any, hook: Any, result: Any, shown: tuple[Any, ...], values: list[Any], where: Any, kind: str
) -> list[Any]:
    """The gradients that go on after a node hook: what it returned, or what it left of those it was shown."""
    if result is None:
        result = shown
    if not isinstance(result, tuple):
        raise HookTypeError(
            f"expected tuple, but hook returned {type(result).__name__!r}: hook {_name(hook)} of a node must return "
            f"a tuple of {len(values)}, one entry per gradient, or None to leave them"
        )
    if len(result) != len(values):
        raise HookError(
            f"hook {_name(hook)} has returned an incorrect number of values: got {len(result)}, expected {len(values)}"
        )
    if any(s is None and r is not None for r, s in zip(result, shown, strict=True)):
        raise _from_nothing(hook)
    triples = zip(result, shown, values, strict=True)
    new = [None if r is None else _left(run, v, r if r is s else _checked(hook, r, s), s) for r, s, v in triples]
    if events.listeners:
        events.emit(events.HookFired(where, tuple(values), tuple(new), kind))
    return new


def _name(hook: Any) -> str:
    """The hook as messages call it."""
    return repr(getattr(hook, "__name__", type(hook).__name__))


def _from_nothing(hook: Any) -> HookError:
    return HookError(f"can't replace a None gradient with a non-None value: hook {_name(hook)} must leave it None")


def accumulate(run: Any, leaf: Any, g: Any) -> None:
    """The end of a path at a leaf with hooks: add to its `grad`, between those of its AccumulateGrad."""
    (g,) = before(run, leaf, leaf._hooks, [g])
    if g is not None:
        keep_grad(run, leaf, g)
    for hook in _of(leaf._hooks, "accumulated"):
        if (result := hook(leaf)) is not None:
            raise HookError(
                f"Tensor post accumulate grad hooks should return None: {_name(hook)} has returned a "
                f"{type(result).__name__}. To change the gradient, assign tensor.grad, or use register_hook"
            )
    after(run, leaf, leaf._hooks, [], [g])


_adding = RLock()
"""Held while a `.grad` is read, summed and stored: two threads may be adding to one leaf."""


def keep_grad(run: Any, tensor: Any, g: Any) -> None:
    """Add `g` to `tensor.grad`: in place when nothing is recorded, a new tensor under `create_graph`.

    `.grad` never shares memory with the gradient that came in, nor with another tensor's `.grad`.
    """
    if tensor._hooks is not None:
        g = in_grad_dtype(run, tensor, g)
    with _adding:
        old = tensor._grad
        before = _copy_for_event(old)
        if old is None:
            tensor._grad = g.clone() if run.tensors else bridge.wrap(run.xp.copy(g), None)
        elif run.tensors:
            tensor._grad = old + g
        elif old._cell is None or 0 in old._array.strides or not old._array.flags.writeable:  # not ours to edit
            tensor._grad = bridge.wrap(_sum(old, g), None)
        else:
            try:
                old._array += g
            except TypeError:
                raise _no_room(old, g) from None
            except ValueError:
                raise _other_shape(old, g) from None
            old._cell[0] += 1
    if events.listeners:
        increment = g._array if run.tensors else g
        events.emit(events.GradAccumulated(tensor, before, increment, _copy_for_event(tensor._grad)))


def _sum(grad: Any, g: Any) -> Any:
    try:
        return grad._array + g
    except ValueError:
        raise _other_shape(grad, g) from None


def _other_shape(grad: Any, g: Any) -> GradError:
    """What is wrong with a gradient that cannot be added: the leaf was given data of another shape since."""
    try:
        fault = f"output with shape {list(grad.shape)} doesn't match the broadcast shape " + str(
            list(np.broadcast_shapes(grad.shape, g.shape))
        )
    except ValueError:
        pairs = enumerate(zip(reversed(grad.shape), reversed(g.shape), strict=False), 1)
        i, (a, b) = next((i, pair) for i, pair in pairs if pair[0] != pair[1] and 1 not in pair)
        at = max(grad.ndim, len(g.shape)) - i
        fault = f"The size of tensor a ({a}) must match the size of tensor b ({b}) at non-singleton dimension {at}"
    return GradError(
        f"{fault}: .grad has shape {list(grad.shape)}, and what is to be added {list(g.shape)}, that of the data the "
        "tensor was given since. Clear .grad first (.grad = None)"
    )


def _no_room(grad: Any, g: Any) -> GradError:
    return GradError(
        f"result type {as_dtype(g.dtype)} can't be cast to the desired output type {grad.dtype}: .grad cannot hold "
        "what is to be added. Clear it first (.grad = None), and a new one is made"
    )


def in_grad_dtype(run: Any, tensor: Any, g: Any) -> Any:
    """The gradient as the leaf wants it, if its `grad_dtype` was set to another dtype than its own."""
    wanted = tensor._hooks.grad_dtype
    if g is None or not isinstance(wanted, DType) or g.dtype == wanted.numpy:
        return g
    return run.xp.cast(g, wanted.numpy)


def keeps_dtype(edge: Any, g: Any, own: Any) -> bool:
    """Whether `g` goes to this edge in the dtype it has: a leaf with a `grad_dtype` says itself what becomes of it.

    A complex gradient of a real leaf becomes real in any case.
    """
    extra = edge._hooks if isinstance(edge, bridge.Tensor) else None
    chosen = extra is not None and (extra.grad_dtype is None or isinstance(extra.grad_dtype, DType))
    return chosen and (as_numpy(g.dtype).kind == "c") == (own.kind == "c")


def _copy_for_event(grad: Any) -> Any:
    """A listener may keep what it is shown; the next accumulation edits the array in place."""
    if not events.listeners or grad is None:
        return None
    copy = getattr(grad._array, "copy", None)  # arrays of a transform have none: they are never edited in place
    return copy() if copy else grad._array


# ------------------------------------------------------------------------- one hook on several tensors


class Together:
    """A hook on several tensors: called once a pass with all their gradients, or with the first to arrive.

    It knows their places by weak references, so it keeps no graph alive, and what it has seen belongs to the pass.
    """

    __slots__ = ("edges", "function", "only_first")

    def __init__(self, tensors: Iterable[Any], function: Callable[[Any], Any], only_first: bool) -> None:
        self.function = function
        self.only_first = only_first
        self.edges = tuple(_weak(bridge.edge_of(t)) for t in tensors)

    def parts(self) -> Iterable[Part]:
        """One hook for each tensor."""
        return (Part(self, i) for i in range(len(self.edges)))

    def awaited(self, run: Any) -> int:
        """How many of its places the pass will reach."""
        edges = (edge() for edge in self.edges)
        return sum(e is not None and _name_of(e) in _reached(run) and run.asks_for(e) for e in edges)


class Part:
    """What `Together` puts on each of its tensors."""

    __slots__ = ("index", "whole")

    def __init__(self, whole: Together, index: int) -> None:
        self.whole = whole
        self.index = index

    def __call__(self, g: Any) -> None:
        """Only `saw` runs it, which knows the pass; a hook is something that can be called."""

    def saw(self, run: Any, g: Any) -> Any:
        """A gradient came by; if it is the last one to come, or the one that counts, tell the user."""
        whole = self.whole
        if run.gathered is None:
            run.gathered = {}
        seen = run.gathered.get(whole)
        if seen is None:
            seen = run.gathered[whole] = Gathered(len(whole.edges), 1 if whole.only_first else whole.awaited(run))
        seen.grads[self.index] = g
        seen.missing -= 1
        if seen.missing == 0:
            whole.function(g if whole.only_first else list(seen.grads))


class Gathered:
    """What `Together` has seen in one pass."""

    __slots__ = ("grads", "missing")

    def __init__(self, count: int, missing: int) -> None:
        self.grads: list[Any] = [None] * count
        self.missing = missing


def settle(run: Any) -> None:
    """Tell those who still wait: a rule may have sent nothing to a place that was to be reached."""
    for whole, seen in tuple(run.gathered.items()):
        if seen.missing > 0:
            seen.missing = 0
            whole.function(list(seen.grads))


def _weak(edge: Any) -> Callable[[], Any]:
    """A reference to an edge that keeps neither its node nor its leaf."""
    if edge.__class__ is not Out:
        return ref(edge)
    reference, nr = ref(edge.node), edge.nr

    def again() -> Out | None:
        node = reference()
        return None if node is None else Out(node, nr)

    return again


def _name_of(edge: Any) -> Any:
    """An edge as something to look up: two `Out` of one output are not the same object."""
    return edge if node_at(edge) is None else key(edge)


def _reached(run: Any) -> Any:
    """The places gradients of this pass can reach, found when first needed."""
    if run.reached is None:
        start = [edge for edge, _ in run.roots]
        nodes = (n for n in reachable(start) if run.only is None or n in run.only)
        run.reached = {_name_of(e) for e in (*start, *(e for n in nodes for e in n.edges)) if e is not None}
    return run.reached

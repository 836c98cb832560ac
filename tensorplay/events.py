"""Every event the engine can tell of, and how to listen.

This file is the whole catalogue. An event is a frozen dataclass: what happened, to which node or
tensor, with which numbers. The engine builds one only when somebody listens, so the price of the
instrumentation is one test of an empty tuple (3.4 ns measured).

    with tp.events.listening(print, tp.events.NodeVisited):
        loss.backward()

A listener sees the live objects. It must not change them; whatever it keeps, no result changes by a
bit. An exception it raises propagates to whoever ran the operation.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, NamedTuple

from . import special

__all__ = [
    "BackwardFailed",
    "BackwardFinished",
    "BackwardOnFreedGraph",
    "BackwardStarted",
    "Event",
    "GradAccumulated",
    "GradModeChanged",
    "GradientArrived",
    "GradsZeroed",
    "HookFired",
    "InPlace",
    "KernelLaunched",
    "ModuleEntered",
    "ModuleLeft",
    "NodeVisited",
    "OpExecuted",
    "OpFailed",
    "OptimizerStepped",
    "PassEvent",
    "SavedFreed",
    "Source",
    "Subscription",
    "emit",
    "listening",
    "subscribe",
]

_numbers = itertools.count(1)
_pass_numbers = itertools.count(1)
UNTOLD = -1
"""The `pass_id` of a pass inside a transform: listeners hear of the operations it is made of instead."""
_current_pass: ContextVar[int | None] = ContextVar("tensorplay_pass", default=None)


class Source(NamedTuple):
    """The user's line that made something: file, line number, function and the text of the line."""

    filename: str
    lineno: int
    function: str
    text: str


# --------------------------------------------------------------------------------------- catalogue


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """What all events share: a process-wide number, a time in seconds, and the thread."""

    seq: int = field(default_factory=_numbers.__next__)
    time: float = field(default_factory=perf_counter)
    thread_id: int = field(default_factory=threading.get_ident)


@dataclass(frozen=True, slots=True)
class PassEvent(Event):
    """An event of a backward pass; `pass_id` tells nested passes apart."""

    pass_id: int | None = field(default_factory=_current_pass.get, kw_only=True)


@dataclass(frozen=True, slots=True)
class OpExecuted(Event):
    """An operation ran. `node` is None if nothing was recorded; `saved` names what the node keeps."""

    node: Any
    op: Any
    inputs: tuple[Any, ...]
    outputs: tuple[Any, ...]
    params: dict[str, Any]
    saved: tuple[Any, ...]
    seconds: float
    source: Source | None


@dataclass(frozen=True, slots=True)
class OpFailed(Event):
    """An operation refused its inputs."""

    op: Any
    inputs: tuple[Any, ...]
    error: BaseException
    source: Source | None


@dataclass(frozen=True, slots=True)
class InPlace(Event):
    """A tensor's memory was written by the method `name`; `version` is the new version number."""

    tensor: Any
    version: int
    name: str
    source: Source | None


@dataclass(frozen=True, slots=True)
class GradModeChanged(Event):
    """Recording was switched on or off."""

    before: bool
    after: bool


@dataclass(frozen=True, slots=True)
class BackwardStarted(PassEvent):
    """A backward pass begins with `seeds`, one array a root."""

    roots: tuple[Any, ...]
    seeds: tuple[Any, ...]
    retain: bool
    create: bool


@dataclass(frozen=True, slots=True)
class GradientArrived(PassEvent):
    """`value` reached `node` (a node, or a leaf tensor) at output `slot`; `source` sent it, None for a seed."""

    source: Any
    node: Any
    slot: int
    value: Any


@dataclass(frozen=True, slots=True)
class NodeVisited(PassEvent):
    """A node's rule ran: what had arrived in total, one gradient an output, and what it sent on, one an input."""

    node: Any
    grads_in: tuple[Any, ...]
    grads_out: tuple[Any, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class HookFired(PassEvent):
    """A hook saw `before` and left `after`; `where` is the node or leaf it sits on, `kind` its sort."""

    where: Any
    before: Any
    after: Any
    kind: str


@dataclass(frozen=True, slots=True)
class GradAccumulated(PassEvent):
    """A leaf's (or retained) gradient: `before + increment = after`; `before` is None the first time."""

    leaf: Any
    before: Any
    increment: Any
    after: Any


@dataclass(frozen=True, slots=True)
class SavedFreed(PassEvent):
    """A node let go of what it had saved."""

    node: Any
    arrays: int
    nbytes: int


@dataclass(frozen=True, slots=True)
class BackwardOnFreedGraph(PassEvent):
    """`backward()` was asked for on a graph that is already freed; nothing changes."""

    roots: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class BackwardFailed(PassEvent):
    """A pass stopped with an error; `node` is where, or None before the first node."""

    node: Any
    error: BaseException


@dataclass(frozen=True, slots=True)
class BackwardFinished(PassEvent):
    """A pass reached its end."""

    seconds: float


@dataclass(frozen=True, slots=True)
class ModuleEntered(Event):
    """A module's `forward` begins; `name` is its path from the outermost module running."""

    module: Any
    name: str


@dataclass(frozen=True, slots=True)
class ModuleLeft(Event):
    """A module's `forward` ended."""

    module: Any
    name: str


@dataclass(frozen=True, slots=True)
class OptimizerStepped(Event):
    """An optimizer changed one parameter: arrays before and after."""

    optimizer: Any
    param: Any
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class GradsZeroed(Event):
    """Gradients of these parameters were cleared."""

    params: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class KernelLaunched(Event):
    """A compiled kernel ran."""

    name: str
    device: str
    seconds: float


# --------------------------------------------------------------------------------------- listening


class Subscription:
    """A listener in place; `remove()` it, or use it in a `with` block."""

    __slots__ = ("callback", "kinds", "source")

    def __init__(self, callback: Callable[[Event], object], kinds: tuple[type[Event], ...], source: bool) -> None:
        self.callback = callback
        self.kinds = kinds
        self.source = source

    def remove(self) -> None:
        """Stop listening. Removing twice is harmless."""
        special.remove(self)
        with _lock:
            _replace(tuple(s for s in listeners if s is not self))

    def __enter__(self) -> Subscription:
        return self

    def __exit__(self, *exception: object) -> None:
        self.remove()


listeners: tuple[Subscription, ...] = ()
"""Who listens. Replaced, never edited, so the engine may test it without a lock."""

sources_wanted: bool = False
"""True while some listener asked for source lines (capturing one costs more than a small operation)."""

_lock = threading.Lock()


def _replace(new: tuple[Subscription, ...]) -> None:
    global listeners, sources_wanted
    listeners = new
    sources_wanted = any(s.source for s in new)


def subscribe(callback: Callable[[Event], object], *kinds: type[Event], source: bool = False) -> Subscription:
    """Call `callback(event)` for every event of these kinds (all kinds if none is named).

    `source=True` asks the engine to find the user's line for each operation.
    Raises TypeError if `callback` cannot be called or a kind is not an event class.

    >>> import tensorplay as tp
    >>> seen = []
    >>> handle = tp.events.subscribe(seen.append, tp.events.OpExecuted)
    >>> y = tp.ones(2) + 1
    >>> handle.remove()
    >>> [event.op.__name__ for event in seen]
    ['Add']
    """
    if not callable(callback):
        raise TypeError(f"a listener must be callable, got {type(callback).__name__}")
    for kind in kinds:
        if not (isinstance(kind, type) and issubclass(kind, Event)):
            raise TypeError(f"expected event classes from tensorplay.events, got {kind!r}")
    subscription = Subscription(callback, kinds, source)
    with _lock:
        _replace((*listeners, subscription))
    special.add(subscription)
    return subscription


def listening(callback: Callable[[Event], object], *kinds: type[Event], source: bool = False) -> Subscription:
    """`subscribe` for a `with` block: listens inside, stops after it, also on an exception."""
    return subscribe(callback, *kinds, source=source)


def emit(event: Event) -> None:
    """Hand an event to those who asked for its kind. Guard the call: `if listeners: emit(...)`."""
    if isinstance(event, PassEvent) and event.pass_id == UNTOLD:
        return
    for subscription in listeners:
        if not subscription.kinds or isinstance(event, subscription.kinds):
            subscription.callback(event)


@contextmanager
def numbered_pass(told: bool = True) -> Iterator[int]:
    """Give the events built inside a fresh `pass_id`; passes nest. Those of a pass that is not `told`, and of
    passes inside it, are dropped."""
    number = next(_pass_numbers) if told and _current_pass.get() != UNTOLD else UNTOLD
    token = _current_pass.set(number)
    try:
        yield number
    finally:
        _current_pass.reset(token)

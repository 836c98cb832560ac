"""The state after k steps of a trace: a pure function of the trace and k.

`states(trace)` folds the steps once, from the first to the last; `state_at(trace, k)` folds as far as
k. Both run the same code, so stepping back shows exactly what stepping forward showed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from .steps import (
    Accumulated,
    Again,
    Began,
    Ended,
    Failed,
    Freed,
    Hooked,
    OpRan,
    Sent,
    Step,
    Stepped,
    Visited,
    Written,
    Zeroed,
)
from .trace import Trace
from .value import Value

__all__ = ["Arrival", "Change", "State", "changes", "senders", "state_at", "states"]


@dataclass(frozen=True, slots=True)
class Arrival:
    """A gradient that waits at a node: who sent it (None: it is a seed), and the sum with it."""

    source: str | None
    slot: int
    value: Value
    total: Value


@dataclass(frozen=True, slots=True)
class State:
    """All that is known after `step` steps. `event` is the step that led here (None at the start)."""

    step: int
    event: Step | None
    phase: str
    now: tuple[str, ...]
    values: Mapping[str, Value]
    """Forward values known so far, by node; parameters change when the optimizer steps."""
    arrived: Mapping[str, tuple[Value | None, ...]]
    """What each node was visited with in the latest pass."""
    pending: Mapping[str, tuple[Arrival, ...]]
    """Gradients on their way: they arrived at a node or leaf and wait there."""
    grads: Mapping[str, Value]
    """`.grad` of the leaves (and of retained tensors)."""
    accumulation: Accumulated | None
    """The accumulation that happens in this very step."""
    flow: Mapping[str, Value]
    """Gradients that move along an edge in this very step."""
    done: AbstractSet[str]
    """Operations that ran."""
    visited: AbstractSet[str]
    """Nodes the latest backward pass has visited."""
    freed: AbstractSet[str]
    saved: Mapping[str, int]
    """Bytes that live nodes hold for their backward."""
    stepped: AbstractSet[str]
    """Parameters an optimizer (or an in-place write) has changed."""

    @property
    def live_bytes(self) -> int:
        """Bytes of all saved arrays that are still held."""
        return sum(self.saved.values())

    def waits_for(self, trace: Trace, node: str) -> tuple[str, ...]:
        """Nodes of the running pass that have not been visited yet and will send something to `node`."""
        number = self.event.pass_number if self.event else None
        return tuple(who for step, who in senders(trace).get((number, node), ()) if step > self.step)


@dataclass(slots=True)
class Change:
    """A running fold: mutable while folding, handed out only as a frozen `State`."""

    values: dict[str, Value]
    arrived: dict[str, tuple[Value | None, ...]] = field(default_factory=dict)
    pending: dict[str, tuple[Arrival, ...]] = field(default_factory=dict)
    grads: dict[str, Value] = field(default_factory=dict)
    flow: dict[str, Value] = field(default_factory=dict)
    done: set[str] = field(default_factory=set)
    visited: set[str] = field(default_factory=set)
    freed: set[str] = field(default_factory=set)
    saved: dict[str, int] = field(default_factory=dict)
    stepped: set[str] = field(default_factory=set)
    touched: set[str] = field(default_factory=set)

    def apply(self, event: Step) -> None:
        """Take one step. `touched` then names the nodes and edges whose looks may have changed."""
        fresh = {*self.flow, *event.about}
        self.flow = {}
        match event:
            case OpRan():
                self._op(event)
            case Began():
                fresh |= self.visited | set(self.pending)
                self._begin(event)
            case Visited():
                self._visit(event)
            case Hooked():
                self._hook(event)
            case Freed():
                self._free(event)
            case Accumulated():
                self.grads[event.node] = event.after
                self.pending.pop(event.node, None)
            case Ended() | Failed() | Again():
                fresh |= set(self.pending)
                self.pending = {}
            case Written():
                (self.values if event.what == "value" else self.grads)[event.node] = event.value
                self.stepped |= {event.node} if event.what == "value" else set()
            case Stepped():
                self.values[event.node] = event.after
                self.stepped.add(event.node)
            case Zeroed():
                for node in event.nodes:
                    self.grads.pop(node, None)
        self.touched = fresh | set(self.flow) | self._targets(event)

    @staticmethod
    def _targets(event: Step) -> set[str]:
        sent: tuple[Sent, ...] = event.sent if isinstance(event, Visited) else ()
        return {s.target for s in sent}

    def _op(self, event: OpRan) -> None:
        if not event.several:  # several results have no one value that the box could show
            self.values[event.node] = event.value
        self.done.add(event.node)
        nbytes = sum(size for _, size in event.saved)
        if nbytes:
            self.saved[event.node] = nbytes

    def _begin(self, event: Began) -> None:
        self.arrived, self.pending, self.visited = {}, {}, set()
        for seed in event.seeds:
            self._arrive(None, seed)

    def _arrive(self, source: str | None, sent: Sent) -> None:
        arrival = Arrival(source, sent.slot, sent.value, sent.total)
        self.pending[sent.target] = (*self.pending.get(sent.target, ()), arrival)
        if sent.edge is not None:
            self.flow[sent.edge] = sent.value

    def _visit(self, event: Visited) -> None:
        self.arrived[event.node] = event.arrived
        self.pending.pop(event.node, None)
        self.visited.add(event.node)
        for sent in event.sent:
            self._arrive(event.node, sent)
        if event.frees:
            self.freed.add(event.node)

    def _hook(self, event: Hooked) -> None:
        """What waits is replaced by what the hook left."""
        waiting = self.pending.get(event.node)
        if waiting and event.after is not None:
            last = waiting[-1]
            self.pending[event.node] = (*waiting[:-1], Arrival(last.source, last.slot, last.value, event.after))

    def _free(self, event: Freed) -> None:
        self.freed.add(event.node)
        self.saved.pop(event.node, None)

    def view(self, trace: Trace, step: int) -> State:
        """The state of this moment without copying: to be read before the next step, not to be kept."""
        event = trace.events[step - 1] if step else None
        return State(
            step=step,
            event=event,
            phase=event.phase if event else "start",
            now=event.about if event else (),
            values=self.values,
            arrived=self.arrived,
            pending=self.pending,
            grads=self.grads,
            accumulation=event if isinstance(event, Accumulated) else None,
            flow=self.flow,
            done=self.done,
            visited=self.visited,
            freed=self.freed,
            saved=self.saved,
            stepped=self.stepped,
        )

    def freeze(self, trace: Trace, step: int) -> State:
        """The state as frozen data: copies, so that later steps cannot change it."""
        view = self.view(trace, step)
        dicts = ("values", "arrived", "pending", "grads", "flow", "saved")
        copies: dict[str, Any] = {name: MappingProxyType(dict(getattr(view, name))) for name in dicts}
        copies |= {name: frozenset(getattr(view, name)) for name in ("done", "visited", "freed", "stepped")}
        return replace(view, **copies)


def _start(trace: Trace) -> Change:
    """Before the first step: leaves have values; operations that ran unseen are done, saved or freed."""
    start = trace.start
    return Change(
        values=dict(start.values),
        grads=dict(start.grads),
        done=set(start.done),
        freed=set(start.freed),
        saved=dict(start.saved),
    )


def changes(trace: Trace) -> Iterator[tuple[int, Change]]:
    """Step number and the running fold, from 0 on. The fold is reused: read it, do not keep it."""
    fold = _start(trace)
    yield 0, fold
    for step, event in enumerate(trace.events, 1):
        fold.apply(event)
        yield step, fold


def senders(trace: Trace) -> Mapping[tuple[int | None, str], tuple[tuple[int, str], ...]]:
    """For each pass and target: which visits (step, node) send it a gradient, in order."""
    found: dict[tuple[int | None, str], list[tuple[int, str]]] = {}
    for step, event in enumerate(trace.events, 1):
        for sent in event.sent if isinstance(event, Visited) else ():
            found.setdefault((event.pass_number, sent.target), []).append((step, event.about[0]))
    return {key: tuple(visits) for key, visits in found.items()}


def states(trace: Trace) -> Iterator[State]:
    """Every state from 0 to the last, in one pass over the steps."""
    for step, fold in changes(trace):
        yield fold.freeze(trace, step)


def state_at(trace: Trace, step: int) -> State:
    """The state after `step` steps. Raises IndexError if the trace has no such step."""
    last = len(trace.events)
    wanted = step + last + 1 if step < 0 else step
    if not 0 <= wanted <= last:
        raise IndexError(f"step {step} is out of range: this trace has steps 0 to {last}")
    for number, fold in changes(trace):
        if number == wanted:
            return fold.freeze(trace, number)
    raise AssertionError("unreachable: the loop meets every step")  # pragma: no cover

"""The one backward loop.

`walk` takes gradients from roots to leaves, the newest reached node first. That is always safe: a node
is newer than everything it was made from, so when it is the newest of those reached, no gradient can
still be on its way to it. Gradients live in a dictionary, are popped as their node runs, and leaf sums
are handed back at the end, so a pass that stops half way leaves every `.grad` as it was.

The loop is a generator that yields at a node only while somebody steps it; `finish` runs it to its end.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextvars import ContextVar
from dataclasses import dataclass, field
from heapq import heappop, heappush
from time import perf_counter
from typing import Any

import numpy as np

from .. import events
from ..arrays.cpu import cpu
from ..arrays.dtypes import as_numpy
from ..errors import GradTypeError
from ..ops import Cast
from . import hooks, lines
from .bridge import bridge
from .loading import load
from .node import AccumulateGrad, Node, Out, key, node_at, reachable

__all__ = ["Pass", "finish", "reaching", "running", "visiting", "walk"]

visiting: ContextVar[Node | None] = ContextVar("tensorplay_visiting", default=None)
"""The node whose rule is running, for those who listen to what it records."""


running: ContextVar[Pass | None] = ContextVar("tensorplay_running", default=None)
"""The innermost backward pass of this thread."""


@dataclass(slots=True)
class Pass:
    """One backward pass: in which namespace, and what is asked of it."""

    xp: Any = cpu
    tensors: bool = False
    """Whether gradients are Tensors, so that the rules record their own graph (`create_graph`)."""
    retain: bool = False
    want: dict[tuple[Node, int], Any] = field(default_factory=dict)
    """Non-leaf inputs asked for, as (node, output number); their gradients are filled in."""
    only: set[Node] | None = None
    """The nodes on a path to what was asked for; None for all."""
    leaves: set[Any] | None = None
    """The leaves asked for; None for all."""
    asked: frozenset[Any] | None = None
    """All that was asked for, noted on what the pass frees: a repeat of this request is told apart from another."""
    roots: Iterable[tuple[Any, Any]] = ()
    """Where it starts: (edge, seed)."""
    stepping: bool = False
    node: Node | None = None
    """Where the pass is, or stopped; None before the first node and after the last."""
    place: events.Source | None = None
    """The user's line that started it, when lines are wanted."""
    gathered: dict[Any, Any] | None = None
    """What hooks for several tensors have seen so far."""
    reached: set[Any] | None = None
    """The edges, by `key`, that gradients can reach; found when a hook needs them."""

    def asks_for(self, edge: Any) -> bool:
        """Whether what arrives at this edge has anything left to do."""
        if self.only is None or self.leaves is None:
            return True
        node = node_at(edge)
        return edge in self.leaves if node is None else node in self.only or key(edge) in self.want

    def runs(self, node: Node) -> bool:
        """Whether the node's rule is to run; of a node that is only asked for, the gradient that arrives is all."""
        return self.only is None or node in self.only

    @property
    def plain(self) -> bool:
        """Nothing about this pass needs the careful visit."""
        return not (self.tensors or self.want or self.only is not None or events.listeners or self.stepping)


def walk(run: Pass, roots: Iterable[tuple[Any, Any]]) -> Generator[Node, None, dict[Any, Any]]:
    """From (edge, gradient) pairs to {leaf: gradient}; see the module's text for the order."""
    grads: dict[Node, Any] = {}
    leaves: dict[Any, Any] = {}
    heap: list[tuple[int, Node]] = []
    pairs, xp, retain, plain = roots, run.xp, run.retain, run.plain
    while True:
        for edge, g in pairs:
            if g is None or edge is None:
                if edge is not None:
                    plain = False  # the careful visit knows what it is to have got nothing
                    _nothing(grads, leaves, heap, edge)
                continue
            if edge.__class__ is Node:
                old = grads.get(edge)
                if old is None:
                    grads[edge] = g
                    heappush(heap, (edge.order, edge))
                else:
                    grads[edge] = old + g
            elif edge.__class__ is Out:
                _deposit(grads, heap, edge, g)
            else:
                old = leaves.get(edge)
                leaves[edge] = g if old is None else old + g
        if not heap:
            return leaves
        node = run.node = heappop(heap)[1]
        g = grads.pop(node)
        if node.saved is None and run.runs(node):
            raise lines.freed(node)
        for cell, number in node.versions:
            if cell[0] != number and run.runs(node):
                raise lines.stale(node)
        if run.stepping:
            yield node
        if plain and node.extra is None:
            sent = node.plan.pull(xp, g, node.saved)
            if node.fit is not None:
                sent = _fit(xp, sent, node)
            if not retain:
                node.saved = None
                node.versions = ()
            pairs = zip(node.edges, sent, strict=False)
        else:
            pairs = _visit(run, node, g)


def finish(steps: Generator[Node, None, dict[Any, Any]]) -> dict[Any, Any]:
    """Run a walk to its end. Infinities and NaN are results, not warnings."""
    with np.errstate(all="ignore"):
        while True:
            try:
                next(steps)
            except StopIteration as end:
                return end.value


# ------------------------------------------------------------------------------- arriving at a node


def _deposit(grads: dict[Node, Any], heap: list[tuple[int, Node]], edge: Out, g: Any) -> None:
    """A gradient for one output of several: a list on its node, None where nothing has arrived."""
    slots = grads.get(edge.node)
    if slots is None:
        slots = grads[edge.node] = [None] * len(edge.node.extras().shapes)
        heappush(heap, (edge.node.order, edge.node))
    old = slots[edge.nr]
    slots[edge.nr] = g if old is None else old + g


class _Nothing:
    """A gradient that did not come. What is added to it takes its place."""

    def __add__(self, g: Any) -> Any:
        return g


_NOTHING: Any = _Nothing()


def _nothing(grads: dict[Node, Any], leaves: dict[Any, Any], heap: list[tuple[int, Node]], edge: Any) -> None:
    """A rule sent None: what lies behind runs all the same, for its hooks, and a `Function` is given zeros."""
    node = node_at(edge)
    if node is None:
        leaves.setdefault(edge, None)
    elif node not in grads:
        grads[node] = [None] * len(node.extras().shapes) if edge.__class__ is Out else _NOTHING
        heappush(heap, (node.order, node))


def _fit(xp: Any, sent: Iterable[Any], node: Node) -> list[Any]:
    """Undo what the operation did to its inputs at the edge: stretching (by a sum) and casting."""
    rows = zip(sent, node.fit or (), node.edges, strict=True)
    return [g if g is None or to is None else _fit_one(xp, g, node, edge, *to) for g, to, edge in rows]


def _fit_one(xp: Any, g: Any, node: Node, edge: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    if g.shape != shape:
        g = xp.sum_to(g, shape)
    if g.dtype == dtype or (node.op is not Cast and hooks.keeps_dtype(edge, g, dtype)):
        return g
    return xp.cast(g, dtype)


# ---------------------------------------------------------------------------------- the careful visit


def _visit(run: Pass, node: Node, g: Any) -> list[tuple[Any, Any]]:
    """What the loop does inline, with hooks, captured gradients, recorded rules and events."""
    start = perf_counter()
    arrived = hooks.arrive(run, node, g if isinstance(g, list) else [None if g is _NOTHING else g])
    for nr, value in enumerate(arrived):
        if (node, nr) in run.want:
            run.want[node, nr] = value
    if run.only is not None and node not in run.only:
        return []
    arrived, sent = _answer(run, node, arrived)
    if events.listeners:
        events.emit(events.NodeVisited(node, tuple(arrived), tuple(sent), perf_counter() - start))
    if not run.retain:
        _free(run, node)
    pairs = [(edge, v) for edge, v in zip(node.edges, sent, strict=True) if edge is not None]
    if events.listeners:
        for edge, value in pairs:
            if value is not None:
                arrived_at(node, edge, value)
    return [(edge, v) for edge, v in pairs if v is not None or run.asks_for(edge)]


def _answer(run: Pass, node: Node, arrived: list[Any]) -> tuple[list[Any], list[Any]]:
    """The gradients the rule was given, and those of the inputs, between the node's own hooks.

    A hook is shown None for an output that nothing used; the zeros are for the rule alone.
    """
    arrived = hooks.before(run, node, node.extra, arrived)
    given = _zeros_for_unused(run, node, arrived)
    if not node.op.none_ok and all(g is None for g in given):  # the derivative of nothing is nothing
        sent = [None] * len(node.edges)
    else:
        sent = _pull(run, node, given if node.plan.many else given[0])
    if node.fit is not None:
        sent = _fit(run.xp, sent, node)
    return given, hooks.after(run, node, node.extra, list(sent), arrived)


def called(node: Node, grads: tuple[Any, ...]) -> Any:
    """One node's rule, run by hand: `y.grad_fn(g)`. Nothing is freed, and what is recorded is recorded."""
    if len(grads) != node.output_count:
        raise GradTypeError(
            f"expected {node.output_count} arguments, got {len(grads)} instead: {node.name()} takes one gradient "
            f"per output"
        )
    for i, g in enumerate(grads):
        if not (g is None or isinstance(g, bridge.Tensor)):
            raise GradTypeError(f"expected Variable (got {type(g).__name__}): gradient {i} must be a tensor or None")
    run = Pass(bridge.tensors, tensors=True, retain=True)
    if isinstance(node, AccumulateGrad):
        return hooks.accumulate(run, node.variable, grads[0])
    if node.saved is None:
        raise lines.freed(node)
    lines.check(node, node.versions)
    sent = _answer(run, node, list(grads))[1]
    return sent[0] if len(sent) == 1 else tuple(sent)


bridge.called = called


def _pull(run: Pass, node: Node, g: Any) -> list[Any]:
    """Run the rule; what nobody asked for is dropped."""
    token = visiting.set(node) if events.listeners else None
    try:
        sent = node.plan.pull(run.xp, g, load(node, run.tensors))
    finally:
        if token is not None:
            visiting.reset(token)
    if run.only is None:
        return list(sent)
    return [v if run.asks_for(edge) else None for edge, v in zip(node.edges, sent, strict=False)]


def _zeros_for_unused(run: Pass, node: Node, arrived: list[Any]) -> list[Any]:
    """With several outputs, those that nothing used have a gradient of zeros."""
    if len(arrived) == 1 or node.op.none_ok or all(g is None for g in arrived):
        return arrived
    dtype = next(g.dtype for g in arrived if g is not None)
    zeros = (np.zeros(shape, as_numpy(dtype)) for shape in node.extras().shapes)
    return [
        (bridge.wrap(z, None) if run.tensors else z) if g is None else g for g, z in zip(arrived, zeros, strict=False)
    ]


def arrived_at(source: Node | None, edge: Any, value: Any) -> None:
    """Tell listeners that a gradient reached an edge's end."""
    if edge.__class__ is Out:
        events.emit(events.GradientArrived(source, edge.node, edge.nr, value))
    else:
        events.emit(events.GradientArrived(source, edge, 0, value))


def _free(run: Pass, node: Node) -> None:
    if node.op.lasting:
        return
    if run.place is not None:
        node.extras().freed_at = run.place
    if run.asked is not None:
        node.extras().request = run.asked
    if events.listeners:
        kept = node.saved_arrays()
        events.emit(events.SavedFreed(node, len(kept), sum(a.nbytes for _, a in kept)))
    node.saved = None
    node.versions = ()
    if node.extra is not None:
        node.extra.drop_hooks()


# ------------------------------------------------------------------------------ which part must run


def reaching(roots: Iterable[Any], goals: set[Any]) -> set[Node]:
    """The nodes from which some goal is reached. Goals are leaves and nodes; oldest nodes are settled first."""
    found: set[Node] = set()
    for node in sorted(reachable(roots), key=lambda n: n.order, reverse=True):
        if any(_leads(edge, goals, found) for edge in node.edges):
            found.add(node)
    return found


def _leads(edge: Any, goals: set[Any], found: set[Node]) -> bool:
    node = node_at(edge)
    return edge is not None and (edge in goals or node in goals or node in found)

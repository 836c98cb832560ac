"""The one backward loop.

`walk` takes gradients from roots to leaves, the newest reached node first. That is always safe: a node
is newer than everything it was made from, so when it is the newest of those reached, no gradient can
still be on its way to it. Gradients live in a dictionary, are popped as their node runs, and leaf sums
are handed back at the end, so a pass that stops half way leaves every `.grad` as it was.

The loop is a generator that yields at a node only while somebody steps it; `finish` runs it to its end.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from time import perf_counter
from typing import Any, NoReturn

import numpy as np

from .. import events
from ..arrays.cpu import cpu
from ..arrays.dtypes import as_numpy
from ..errors import FreedGraphError, VersionError
from . import hooks
from .bridge import bridge
from .node import Node, Out, key, node_at

__all__ = ["Pass", "finish", "reaching", "walk"]


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
    writes: bool = True
    """Whether `.grad` is written: yes for backward, no for autograd.grad."""
    stepping: bool = False
    node: Node | None = None
    """Where the pass is, or stopped."""

    def asks_for(self, edge: Any) -> bool:
        """Whether what arrives at this edge has anything left to do."""
        if self.only is None or self.leaves is None:
            return True
        node = node_at(edge)
        return edge in self.leaves if node is None else node in self.only or key(edge) in self.want

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
        if node.saved is None:
            _freed(node)
        for cell, number in node.versions:
            if cell[0] != number:
                _stale(node)
        if run.stepping:
            yield node
        if plain and node.extra is None:
            sent = node.plan.pull(xp, g, node.saved)
            if node.fit is not None:
                sent = _fit(xp, sent, node.fit)
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
        slots = grads[edge.node] = [None] * len(edge.node.op.outputs)
        heappush(heap, (edge.node.order, edge.node))
    old = slots[edge.nr]
    slots[edge.nr] = g if old is None else old + g


def _fit(xp: Any, sent: Iterable[Any], fit: tuple[Any, ...]) -> list[Any]:
    """Undo what the operation did to its inputs at the edge: stretching (by a sum) and casting."""
    return [g if g is None or target is None else _fit_one(xp, g, *target) for g, target in zip(sent, fit, strict=True)]


def _fit_one(xp: Any, g: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    if g.shape != shape:
        g = xp.sum_to(g, shape)
    return g if g.dtype == dtype else xp.cast(g, dtype)


# ---------------------------------------------------------------------------------- the careful visit


def _visit(run: Pass, node: Node, g: Any) -> list[tuple[Any, Any]]:
    """What the loop does inline, with hooks, captured gradients, recorded rules and events."""
    start = perf_counter()
    arrived = hooks.arrive(run, node, g if isinstance(g, list) else [g])
    for nr, value in enumerate(arrived):
        if (node, nr) in run.want:
            run.want[node, nr] = value
    if run.only is not None and node not in run.only:
        return []
    arrived = hooks.before(run, node, _zeros_for_unused(run, node, arrived))
    saved = _load(node) if run.tensors else node.saved
    if all(g is None for g in arrived):  # a hook dropped what had arrived
        sent = [None] * len(node.edges)
    else:
        sent = node.plan.pull(run.xp, arrived[0] if len(arrived) == 1 else arrived, saved)
    if node.fit is not None:
        sent = _fit(run.xp, sent, node.fit)
    sent = hooks.after(run, node, list(sent), arrived)
    if events.listeners:
        events.emit(events.NodeVisited(node, tuple(arrived), tuple(sent), perf_counter() - start))
    if not run.retain:
        _free(node)
    pairs = [
        (e, v) for e, v in zip(node.edges, sent, strict=True) if e is not None and v is not None and run.asks_for(e)
    ]
    if events.listeners:
        for edge, value in pairs:
            arrived_at(node, edge, value)
    return pairs


def _zeros_for_unused(run: Pass, node: Node, arrived: list[Any]) -> list[Any]:
    """With several outputs, those that nothing used have a gradient of zeros."""
    if len(arrived) == 1:
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


def _free(node: Node) -> None:
    if events.listeners:
        kept = node.saved_arrays()
        events.emit(events.SavedFreed(node, len(kept), sum(a.nbytes for _, a in kept)))
    node.saved = None
    node.versions = ()


def _load(node: Node) -> tuple[Any, ...]:
    """The saved arrays as Tensors that know where they came from, so that recorded rules connect to the graph."""
    kept = zip(node.plan.sources, node.saved or (), strict=True)
    return tuple(_wrapped(node, kind, which, value) for (kind, which), value in kept)


def _saved_input(node: Node, which: int, value: Any) -> Any:
    """An input as it was saved; if it had been promoted, as the recorded cast of the tensor it came from."""
    target = node.fit[which] if node.fit is not None else None
    if target is None or target[1] == value.dtype:
        return bridge.wrap(value, node.edges[which])
    return bridge.tensors.cast(bridge.wrap(value.astype(target[1]), node.edges[which]), value.dtype)


def _wrapped(node: Node, kind: str, which: Any, value: Any) -> Any:
    if kind == "in":
        return _saved_input(node, which, value) if hasattr(value, "dtype") else value
    if kind == "ins":
        return tuple(bridge.wrap(v, None) for v in value)
    if kind == "out":
        return bridge.wrap(value, bridge.output_edge(node, which))
    return value


# -------------------------------------------------------------------------------------------- errors


def _freed(node: Node) -> NoReturn:
    made = f", made at {_at(node.place)}," if node.place else ""
    freed_at = node.extra.freed_at if node.extra else None
    by = f" by the backward at {_at(freed_at)}" if freed_at else ""
    raise FreedGraphError(
        f"Trying to backward through the graph a second time: {node.name()} (node {node.number}){made} has let go "
        f"of its saved tensors{by}. Run the first backward with retain_graph=True, or compute the part that is "
        f"shared again, or detach() it. Gradients of leaves are as they were before this pass."
    )


def _at(place: events.Source) -> str:
    return f"{place.filename}:{place.lineno} ({place.text})"


def _stale(node: Node) -> NoReturn:
    changed = next(pair for pair in node.versions if pair[0][0] != pair[1])
    made = f" at {_at(node.place)}" if node.place else ""
    raise VersionError(
        f"one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"{node.name()} (node {node.number}){made} saved a tensor at version {changed[1]}, "
        f"which is now at version {changed[0][0]}. Use the out-of-place form of the edit (y = y + 1, not y += 1), "
        f"or edit a clone()."
    )


# ------------------------------------------------------------------------------ which part must run


def reaching(roots: Iterable[Any], goals: set[Any]) -> set[Node]:
    """The nodes from which some goal is reached. Goals are leaves and nodes; oldest nodes are settled first."""
    seen: set[Node] = set()
    stack = [node_at(edge) for edge in roots]
    while stack:
        node = stack.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        stack.extend(map(node_at, node.edges))
    found: set[Node] = set()
    for node in sorted(seen, key=lambda n: n.order, reverse=True):
        if any(_leads(edge, goals, found) for edge in node.edges):
            found.add(node)
    return found


def _leads(edge: Any, goals: set[Any], found: set[Node]) -> bool:
    node = node_at(edge)
    return edge is not None and (edge in goals or node in goals or node in found)

"""A trace as frames: what every box, edge and card shows after each step.

All thinking happens here. The script in the page only folds the differences below and sets classes and
texts, so frame k is the same whether one steps to it forwards or backwards.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..cards import Card, Reader, exact, passing_card, step_card, way_card, why_card
from ..graph import Graph, GraphNode
from ..narrate import Sentence, passing, sentence
from ..state import State, changes
from ..steps import Freed, OpRan, Step
from ..summary import Summary
from ..text import clean, one_line, short
from ..trace import Trace
from ..value import Value
from .reel import Reel, reel_of

__all__ = ["Item", "film", "stage_graph"]

SHORT: Mapping[str, str] = {
    "op": "compute {}",
    "refused": "an operation refuses",
    "backward": "start backward at {}",
    "visit": "visit {}",
    "hook": "hook on {}",
    "freed": "free {}",
    "accumulate": "add to {}.grad",
    "ended": "end of the pass",
    "failed": "the pass stops",
    "again": "backward again",
    "written": "overwrite {}",
    "optimizer": "optimizer moves {}",
    "zero": "clear gradients",
}
"""Each kind of step in a few words, for the step counter and the "next" line."""


@dataclass(frozen=True, slots=True)
class Item:
    """How one box or edge looks: state classes, its texts, and its exact numbers as JSON."""

    classes: str = ""
    value: str = ""
    grad: str = ""
    data: Mapping[str, str] | None = None

    def to_list(self) -> list[Any]:
        """Compact form for the page."""
        return [self.classes, self.value, self.grad, dict(self.data or {})]


def film(trace: Trace, reel: Reel | None = None) -> dict[str, Any]:
    """All the page's script needs: what does not change, the first frame, and the difference to each next one."""
    reader, reel = Reader(trace), reel or reel_of(trace)
    shown: dict[str, list[Any]] = {}
    frames: list[dict[str, Any]] = []
    last: dict[str, Any] = {}
    before: set[str] = set()
    ids: set[str] = set()
    for step, fold in changes(trace):
        ids |= _everything(trace) if step == 0 else fold.touched | before | _also(trace, step)
        before = set(fold.touched)
        if step in reel.frames:
            state = fold.view(trace, step)
            whole = _frame(reader, state, reel.frames[step])
            items = _changed(trace, reel, state, ids, shown)
            frames.append({key: value for key, value in whole.items() if last.get(key) != value} | {"items": items})
            last, ids = whole, set()
    return _constants(trace, reel) | {"frames": frames}


def _everything(trace: Trace) -> set[str]:
    return {n.id for n in trace.graph.nodes} | {e.id for e in trace.graph.edges}


def _also(trace: Trace, step: int) -> set[str]:
    """What changes with a step besides the boxes it is about: the edges into a new box; all, at a pass's ends."""
    event = trace.events[step - 1]
    if isinstance(event, OpRan):
        return {edge.id for edge in trace.graph.into(event.node)}
    return _everything(trace) if event.kind in ("backward", "ended", "failed", "again") else set()


def _changed(
    trace: Trace, reel: Reel, state: State, ids: Iterable[str], shown: dict[str, list[Any]]
) -> dict[str, list[Any]]:
    items = {}
    drawn = {place for name in ids if (place := reel.home[name]) is not None}
    for name in sorted(drawn, key=lambda i: (i[0], int(i[1:]))):
        item = _item(trace, state, name, reel.members[name]).to_list()
        if shown.get(name) != item:
            shown[name] = items[name] = item
    return items


def _item(trace: Trace, state: State, name: str, members: Sequence[str]) -> Item:
    if name.startswith("e"):
        return _edge(trace, state, members)
    return _folded(state, members) if name.startswith("f") else _node(trace, state, name)


def _frame(reader: Reader, state: State, count: int) -> dict[str, Any]:
    trace, first = reader.trace, state.step - count + 1
    alone = count == 1
    return {
        "say": _words(sentence(trace, state.step) if alone else passing(count, state.step)),
        "phase": state.phase,
        "line": state.event.line if state.event else None,
        "live": state.live_bytes,
        "step": _card(step_card(reader, state) if alone else passing_card(trace, first, state.step)),
        "way": _card(way_card(reader, state)),
        "why": _card(why_card(reader, state)),
    }


def _card(card: Card) -> dict[str, Any]:
    return {"title": card.title, "lines": [[line.style, _words(line.words), dict(line.data)] for line in card.lines]}


def _words(words: Sentence) -> list[list[str]]:
    """Names in them come from users: no line breaks, and nothing that reorders the words after them."""
    return [[role, one_line(text)] for role, text in words]


# --------------------------------------------------------------------------------- boxes and edges


def _node(trace: Trace, state: State, name: str) -> Item:
    box = trace.graph[name]
    value, grad = state.values.get(name), _gradient(state, name, box.is_op)
    ahead = box.is_op and name not in state.done
    unknown = "" if box.outputs else "not recorded"
    texts = ("" if ahead else value.text if value else unknown, _grad_text(state, name, box.is_op, grad))
    data = {"value": exact(value)} if value else {}
    data |= {"grad": exact(grad)} if grad else {}
    if name in state.pending:
        data["waiting"] = exact(state.pending[name][-1].total)
    return Item(" ".join(_classes(state, name, ahead)), *texts, data)


def _gradient(state: State, name: str, is_op: bool) -> Value | None:
    """`.grad` where there is one; for an operation, what it was visited with."""
    if name in state.grads or not is_op:
        return state.grads.get(name)
    return next((value for value in state.arrived.get(name, ()) if value is not None), None)


def _grad_text(state: State, name: str, is_op: bool, grad: Value | None) -> str:
    if grad is not None and name not in state.pending:
        return f"grad {grad.gradient_text}"
    if name in state.pending:
        return f"waits {state.pending[name][-1].total.gradient_text}"
    return "" if is_op or name.startswith("c") else "no grad"


def _classes(state: State, name: str, ahead: bool) -> list[str]:
    words = ["ahead"] if ahead else []
    if name in state.now:
        words += _now(state)
    words += ["reached"] if name in state.pending else []
    words += ["freed"] if name in state.freed else []
    words += ["stepped"] if name in state.stepped else []
    return words


def _now(state: State) -> list[str]:
    """The step's own boxes: blue while values are made, orange for gradients, green where something is added."""
    return {"forward": ["now", "forward"], "accumulate": ["now", "hot"], "update": ["now", "hot"]}.get(
        state.phase, ["now"]
    )


def _folded(state: State, members: Sequence[str]) -> Item:
    """A box that stands for many is ahead until all of them ran, and freed when all of them are."""
    ops = {name for name in members if name.startswith("n")}
    words = {
        "ahead": not state.done >= ops,
        "now": not state.pending.keys().isdisjoint(members) or not set(members).isdisjoint(state.now),
        "freed": bool(ops) and state.freed >= ops,
    }
    return Item(" ".join(word for word, holds in words.items() if holds))


def _edge(trace: Trace, state: State, names: Sequence[str]) -> Item:
    flowing = [state.flow[name] for name in names if name in state.flow]
    if flowing:
        return Item("flowing", "", flowing[-1].flow_text, {"grad": exact(flowing[-1])})
    return Item("" if any(_edge_target(trace, name) in state.done for name in names) else "ahead")


def _edge_target(trace: Trace, name: str) -> str:
    # edges are numbered in order, so the list is its own index
    edge = trace.graph.edges[int(name[1:]) - 1]
    assert edge.id == name
    return edge.target


# ------------------------------------------------------------------------------ what does not change


def _constants(trace: Trace, reel: Reel) -> dict[str, Any]:
    played = [(trace.events[step - 1], count) for step, count in reel.frames.items() if step]
    return {
        "title": clean(trace.graph.title),
        "names": {node.id: _spoken(node) for node in reel.graph.nodes},
        "labels": ["start", *(_label(trace, event, count) for event, count in played)],
        "kinds": ["start", *(event.kind if count == 1 else "passing" for event, count in played)],
        "about": [[], *(list(filter(None, map(reel.home.get, event.about))) for event, _ in played)],
        "phases": _phases([event for event, _ in played]),
        "lines": [[one_line(line.file), line.number, one_line(short(line.text, 400))] for line in trace.lines],
        "bars": _bars(trace, reel),
        "notes": [*trace.left_out.sentences(), *reel.notes],
    }


def _spoken(box: GraphNode) -> str:
    kind = "folded into one box" if box.folded else f"operation {box.op}" if box.is_op else box.kind
    return f"{one_line(box.name)}, {kind}"


def _label(trace: Trace, event: Step, count: int) -> str:
    if count > 1:
        return f"{count:,} steps at once"
    return SHORT[event.kind].format(one_line(trace.graph[event.about[0]].name) if event.about else "")


def _phases(events: Iterable[Step]) -> list[list[Any]]:
    """Runs of frames of one phase: (phase, first frame, last frame)."""
    runs: list[list[Any]] = []
    for frame, event in enumerate(events, 1):
        phase = "backward" if event.pass_number and event.kind == "op" else event.phase
        if runs and runs[-1][0] == phase:
            runs[-1][2] = frame
        else:
            runs.append([phase, frame, frame])
    return runs


def _bars(trace: Trace, reel: Reel) -> list[list[Any]]:
    """From which frame to which each box holds saved arrays, and how many bytes; the last may be open."""
    held: dict[str, list[Any]] = {name: [0, None, size] for name, size in trace.start.saved.items()}
    for step, event in enumerate(trace.events, 1):
        if isinstance(event, OpRan) and any(size for _, size in event.saved):
            held[event.node] = [reel.frame_at(step), None, sum(size for _, size in event.saved)]
        elif isinstance(event, Freed) and event.node in held:
            held[event.node][1] = reel.frame_at(step)
    bars: dict[str, list[Any]] = {}
    for name, (start, end, size) in held.items():
        place = reel.home[name] or name
        if place in bars:  # a folded box holds something from its first operation to its last
            _, first, last, total = bars[place]
            bars[place] = [place, first, None if None in (last, end) else max(last, end), total + size]
        else:
            bars[place] = [place, start, end, size]
    return list(bars.values())


# ---------------------------------------------------------------------------- the picture's own graph


def stage_graph(trace: Trace, reel: Reel | None = None) -> Graph:
    """The graph as it is laid out: each box with the widest texts it will ever show, so that all of them fit."""
    reel = reel or reel_of(trace)
    widest: dict[str, list[str]] = {node.id: ["", ""] for node in reel.graph.nodes if not node.folded}
    names = set(widest)
    for step, fold in changes(trace):
        names |= fold.touched & widest.keys()
        if step not in reel.frames:
            continue
        now = fold.view(trace, step)
        for name in names:
            item = _node(trace, now, name)
            texts = (item.value, item.grad.removeprefix("grad ").replace("waits ", "w "))
            widest[name] = [max(pair, key=len) for pair in zip(widest[name], texts, strict=True)]
        names = set()
    nodes = (
        replace(
            node,
            value=_text_only(node.shape, node.dtype, value),
            grad=_text_only(node.shape, node.dtype, grad) if _has_grad(grad) else None,
            freed=False,
            keeps=(),
            saved_bytes=0,
            hooks=0,
        )
        for node in reel.graph.nodes
        for value, grad in [widest.get(node.id, ("", ""))]
    )
    return replace(reel.graph, nodes=tuple(nodes))


def _has_grad(text: str) -> bool:
    return bool(text) and text != "no grad"


def _text_only(shape: tuple[int, ...] | None, dtype: str | None, text: str) -> Summary | None:
    return Summary(shape or (), dtype or "", text) if text else None

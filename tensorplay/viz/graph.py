"""The graph a picture is drawn from: frozen, small, free of live tensors.

`walk.graph_of` makes one from tensors, a Trace makes one from events; layout, DOT, SVG and text only read it.
Ids are the same on every run: operations are n1, n2, … in the order they were made, leaves t1, t2, …, constants
c1, c2, …, folded runs f1, f2, …, and edges e1, e2, ….
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Literal

from ..events import Source
from .expressions import word
from .summary import Summary, shape_text
from .text import short

__all__ = ["Graph", "GraphEdge", "GraphNode", "Kind", "sentence"]

Kind = Literal["leaf", "parameter", "constant", "op", "output"]
"""An "output" is an operation whose result was asked for; a "parameter" is a leaf that belongs to a module."""


@dataclass(frozen=True, slots=True)
class GraphNode:
    """One box. `label` is what it is (× or a tensor's name), `detail` more about it (the name of its result)."""

    id: str
    kind: Kind
    label: str
    detail: str = ""
    shape: tuple[int, ...] | None = None
    dtype: str | None = None
    value: Summary | None = None
    grad: Summary | None = None
    freed: bool = False
    saved_bytes: int = 0
    hooks: int = 0
    source: Source | None = None
    module: str | None = None
    number: int = 0
    op: str = ""
    """The operation's class name, such as Mul; empty for a tensor."""
    keeps: tuple[str, ...] = ()
    """Names of what the operation saved for the way back."""
    folded: int = 0
    """How many operations (or leaves) this box stands for, 0 for an ordinary one."""
    show_grad: bool = True
    """Whether to say anything about the gradient."""
    folded_leaves: int = 0
    """How many leaves a box of folded operations has swallowed."""
    outputs: tuple[str, ...] = ()
    """What its results are called, where it has several that gradients come back to; "" for what has no name."""

    @property
    def is_op(self) -> bool:
        """Whether this is an operation (or a run of them), not a tensor."""
        return self.kind in ("op", "output")

    @property
    def name(self) -> str:
        """What to call it in a sentence: the name of its result, else the operation with its number."""
        if not self.is_op or self.folded:
            return self.detail if self.folded else short(self.label)
        plain = word(self.op, self.label)  # "mul" is what it is, not what it is called
        return short(self.detail) if self.detail not in ("", plain) else f"{plain} ({self.id})"

    def called(self, nr: int = 0) -> str:
        """What to call result number `nr` in a sentence: as the box itself, unless it has several results."""
        if not self.outputs or nr < 0:
            return self.name
        known = self.outputs[nr] if nr < len(self.outputs) else ""
        return short(known) or f"{word(self.op, self.label)} ({self.id})[{nr}]"

    @property
    def classes(self) -> str:
        """The CSS classes of the box, the same on every way of drawing."""
        words = ["node", "op" if self.is_op else "tensor", self.kind]
        words += ["freed"] * self.freed + ["folded"] * bool(self.folded) + ["hooked"] * bool(self.hooks)
        return " ".join(dict.fromkeys(words))


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """A value's way forward, from the box that made it to input number `slot` of `target`.

    `label` is the input's name; a label such as "×12", for twelve edges folded into one, is drawn.
    """

    id: str
    source: str
    target: str
    slot: int = 0
    label: str = ""
    output: int = 0
    """Which result of `source` it is, where that has several; -1 for an edge that stands for more than one."""


@dataclass(frozen=True)
class Graph:
    """Boxes in the order they were made, edges, a title, and notes on what was left out.

    >>> x = GraphNode("t1", "leaf", "x", number=1)
    >>> y = GraphNode("n1", "output", "exp", "y", number=2, op="Exp")
    >>> graph = Graph((x, y), (GraphEdge("e1", "t1", "n1"),), "y")
    >>> graph["n1"].name, graph.inputs("n1"), graph.when
    ('y', ('t1',), 'before backward')
    """

    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...] = ()
    title: str = ""
    notes: tuple[str, ...] = ()
    moment: str = ""
    """When the snapshot was taken; where empty, what the boxes show decides (see `when`)."""

    @cached_property
    def _by_id(self) -> Mapping[str, GraphNode]:
        return {node.id: node for node in self.nodes}

    @cached_property
    def _incoming(self) -> Mapping[str, tuple[GraphEdge, ...]]:
        return _grouped((edge.target, edge) for edge in sorted(self.edges, key=lambda e: (e.target, e.slot)))

    @cached_property
    def _outgoing(self) -> Mapping[str, tuple[GraphEdge, ...]]:
        return _grouped((edge.source, edge) for edge in self.edges)

    @cached_property
    def _positions(self) -> Mapping[str, int]:
        return {node.id: i for i, node in enumerate(self.nodes, start=1)}

    def position(self, node_id: str) -> int:
        """Which box this is, counted from 1 in the order of the graph."""
        return self._positions[node_id]

    def __getitem__(self, node_id: str) -> GraphNode:
        """The box with this id."""
        return self._by_id[node_id]

    def __contains__(self, node_id: object) -> bool:
        return node_id in self._by_id

    def into(self, node_id: str) -> tuple[GraphEdge, ...]:
        """The edges that end at a box, by input number."""
        return self._incoming.get(node_id, ())

    def out_of(self, node_id: str) -> tuple[GraphEdge, ...]:
        """The edges that begin at a box."""
        return self._outgoing.get(node_id, ())

    def inputs(self, node_id: str) -> tuple[str, ...]:
        """Ids of the boxes whose values a box reads, by input number."""
        return tuple(edge.source for edge in self.into(node_id))

    def reads(self, node_id: str) -> tuple[str, ...]:
        """What the values that a box reads are called, by input number."""
        return tuple(self[edge.source].called(edge.output) for edge in self.into(node_id))

    @property
    def operations(self) -> int:
        """How many operations there are, those folded away included."""
        return sum(max(node.folded, 1) for node in self.nodes if node.is_op)

    @property
    def leaves(self) -> int:
        """How many leaves there are, those folded away included."""
        boxes = (node for node in self.nodes if node.kind in ("leaf", "parameter"))
        return sum(max(node.folded, 1) for node in boxes) + sum(node.folded_leaves for node in self.nodes)

    @property
    def when(self) -> str:
        """When the snapshot was taken, as far as the graph shows it."""
        if self.moment:
            return self.moment
        if any(node.freed for node in self.nodes):
            return "after backward, graph freed"
        if any(node.grad is not None for node in self.nodes):
            return "after backward"
        return "before backward"

    @property
    def headline(self) -> str:
        """One line that says how large the graph is and when it was drawn."""
        if not (self.operations or self.leaves):
            return "needs no gradient, so nothing was recorded"
        return f"{_count(self.operations, 'operation')} · {_count(self.leaves, 'leaf', 'leaves')} · {self.when}"

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        nodes = [_node_dict(node) for node in self.nodes]
        edges = [{f.name: getattr(edge, f.name) for f in fields(edge)} for edge in self.edges]
        head = {"title": self.title, "notes": list(self.notes), "moment": self.when}
        return {**head, "nodes": nodes, "edges": edges}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Graph:
        """The inverse of `to_dict`."""
        nodes = tuple(_node_from(entry) for entry in data["nodes"])
        edges = tuple(GraphEdge(**entry) for entry in data["edges"])
        return cls(nodes, edges, data["title"], tuple(data["notes"]), data["moment"])


def sentence(graph: Graph, node: GraphNode) -> str:
    """One box in words, for screen readers and hovering.

    >>> x = GraphNode("t1", "leaf", "x", shape=(), number=1)
    >>> sentence(Graph((x,)), x)
    'node 1 of 1: x, leaf, scalar, no gradient yet'
    """
    parts = [_what(node)]
    if node.shape is not None:
        parts.append(shape_text(node.shape).replace("×", " by "))
    if node.value is not None:
        parts.append(f"value {node.value.text}")
    parts += [_gradient(node)] if node.show_grad else []
    parts += [_names("from ", [*graph.reads(node.id)])]
    parts += [_names("goes to ", [graph[e.target].name for e in graph.out_of(node.id)])]
    parts += _conditions(node)
    position = graph.position(node.id)
    return f"node {position} of {len(graph.nodes)}: " + ", ".join(part for part in parts if part)


def _what(node: GraphNode) -> str:
    if node.folded:
        return f"{node.detail or node.label} folded into one box"
    if not node.is_op:
        kind = "needs no gradient" if node.kind == "constant" else node.kind
        return f"{node.label}, {kind}"
    result = f", result {node.detail}" if node.detail else ""
    return f"{node.op or node.label}{result}" + (", output" if node.kind == "output" else "")


def _gradient(node: GraphNode) -> str:
    if node.grad is not None:
        return f"gradient {node.grad.text}"
    return "no gradient yet" if node.kind in ("leaf", "parameter") and not node.folded else ""


def _names(lead: str, names: list[str]) -> str:
    if not names:
        return ""
    shown = names if len(names) <= 4 else [*names[:3], f"{len(names) - 3} more"]
    return lead + (shown[0] if len(shown) == 1 else ", ".join(shown[:-1]) + " and " + shown[-1])


def _conditions(node: GraphNode) -> list[str]:
    parts = []
    if node.keeps:
        parts.append(f"keeps {' and '.join(node.keeps)}, {_count(node.saved_bytes, 'byte')}")
    if node.freed:
        parts.append("freed: what it had saved is gone")
    if node.hooks:
        parts.append(_count(node.hooks, "hook"))
    if node.source is not None:
        text = node.source.text.strip()
        parts.append(f"made in line {node.source.lineno}" + (f": {text}" if text else ""))
    return parts


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def _grouped(pairs: Iterable[tuple[str, GraphEdge]]) -> dict[str, tuple[GraphEdge, ...]]:
    groups: dict[str, list[GraphEdge]] = defaultdict(list)
    for key, edge in pairs:
        groups[key].append(edge)
    return {key: tuple(edges) for key, edges in groups.items()}


def _node_dict(node: GraphNode) -> dict[str, Any]:
    data = {f.name: getattr(node, f.name) for f in fields(node)}
    data["shape"] = None if node.shape is None else list(node.shape)
    data["keeps"], data["outputs"] = list(node.keeps), list(node.outputs)
    data["value"] = None if node.value is None else node.value.to_dict()
    data["grad"] = None if node.grad is None else node.grad.to_dict()
    data["source"] = None if node.source is None else node.source._asdict()
    return data


def _node_from(entry: Mapping[str, Any]) -> GraphNode:
    data = dict(entry)
    for key in ("value", "grad"):
        data[key] = None if data[key] is None else Summary.from_dict(data[key])
    data["shape"] = None if data["shape"] is None else tuple(data["shape"])
    data["keeps"], data["outputs"] = tuple(data["keeps"]), tuple(data.get("outputs", ()))
    data["source"] = None if data["source"] is None else Source(**data["source"])
    return GraphNode(**data)

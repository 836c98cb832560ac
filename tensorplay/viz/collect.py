"""Boxes for everything a recorder meets, and the graph they make in the end.

While recording, steps refer to `Box` objects; ids are given out at the end, counted from the start of the
trace, because a backward pass may meet operations that are older than the recording.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any

from ..events import Source
from .expressions import constant_text, expression, results
from .graph import Graph, GraphEdge, GraphNode
from .lines import plain_source
from .names import Pairs
from .summary import array_of, summarise

__all__ = ["Box", "Collector", "EdgeRef", "resolve"]


def target_of(edge: Any) -> Any:
    """The node or leaf an edge leads to: an edge of a several-output operation carries its number too."""
    return edge.node if hasattr(edge, "nr") else edge


def number_of(edge: Any) -> int:
    """Which output of its operation an edge leads to."""
    return getattr(edge, "nr", 0)


def by_number(node: Any, made: Iterable[Any]) -> tuple[Any, ...]:
    """What an operation with several results made, None where no gradient comes back; nothing for one result."""
    found = {number_of(x._node): x for x in made if x._node is not None}
    return tuple(map(found.get, range(node.output_count))) if node.output_count > 1 else ()


def is_node(thing: Any) -> bool:
    """Whether this is an operation's node; the other kind of target is a leaf tensor."""
    return hasattr(thing, "edges")


@dataclass(slots=True, eq=False)
class Box:
    """What will be one box of the picture. It keeps its object alive, so that identity stays meaningful."""

    thing: Any
    kind: str
    order: int
    id: str = ""
    names: dict[int, str] = field(default_factory=dict)
    """Output number -> the variable that holds it."""
    in_module: bool = False
    label: str = ""
    op: Any = None
    inputs: list[Box | str | None] = field(default_factory=list)
    reads: list[int] = field(default_factory=list)
    """Which output of each input it reads."""
    module: str | None = None
    source: Source | None = None
    keeps: tuple[str, ...] = ()
    saved_bytes: int = 0
    value: Any = None
    grad: Any = None
    freed: bool = False
    shape: tuple[int, ...] | None = None
    dtype: str | None = None
    hooks: int = 0

    @property
    def is_op(self) -> bool:
        """Whether this is an operation, not a tensor."""
        return self.op is not None

    @property
    def name(self) -> str:
        """The variables that hold what it made."""
        return ", ".join(self.names[nr] for nr in sorted(self.names))


@dataclass(frozen=True, slots=True)
class EdgeRef:
    """The edge that ends at input `slot` of a box."""

    box: Box
    slot: int


class Collector:
    """Every node, leaf and constant met so far, by identity."""

    def __init__(self) -> None:
        self.boxes: list[Box] = []
        self._found: dict[int, Box] = {}
        self.edge_ids: dict[tuple[int, int], str] = {}

    def find(self, thing: Any) -> Box | None:
        """The box of a node or tensor, if it was met."""
        return self._found.get(id(thing))

    def of_tensor(self, tensor: Any) -> Box | None:
        """The box that stands for a tensor: its operation's, or its own if it is a leaf."""
        node = getattr(tensor, "_node", None)
        return self.find(tensor) if node is None else self.find(target_of(node))

    def tensor(self, tensor: Any, kind: str = "leaf") -> Box:
        """The box of a leaf or constant, made when first met."""
        box = self.find(tensor)
        if box is None:
            array = array_of(tensor)
            box = self._add(Box(tensor, kind, len(self.boxes), shape=tuple(array.shape), dtype=str(array.dtype)))
            box.value = summarise(array)
        if kind == "leaf" and box.kind == "constant":
            box.kind = "leaf"
        return box

    def node(self, node: Any) -> Box:
        """The box of an operation, made when first met, with what its node tells."""
        box = self.find(node)
        if box is None:
            op = node.op
            box = self._add(Box(node, "op", node.number, label=op.label or op.__name__, op=op, shape=tuple(node.shape)))
            box.source = plain_source(getattr(node, "place", None))
            box.hooks = getattr(node, "hooks_count", 0)
        return box

    def ran(self, node: Any, inputs: Iterable[Any], output: Any) -> Box:
        """Register an operation that has just run, and its inputs."""
        box = self.node(node)
        edges = tuple(node.edges)
        found = [self._input(edges[i] if i < len(edges) else None, x) for i, x in enumerate(inputs)]
        box.inputs, box.reads = [source for source, _ in found], [nr for _, nr in found]
        box.value, box.dtype = summarise(output), str(array_of(output).dtype)
        return box

    def _input(self, edge: Any, value: Any) -> tuple[Box | str | None, int]:
        if edge is not None:
            target = target_of(edge)
            return self.node(target) if is_node(target) else self.tensor(target), number_of(edge)
        if hasattr(value, "_array"):
            known = self.of_tensor(value)
            return (self.tensor(value, "constant"), 0) if known is None else (known, number_of(value._node))
        return constant_text(value) or None, 0

    def history(self, roots: Iterable[Any]) -> list[Box]:
        """Register all that leads to these nodes and was not met yet. Iterative: chains may be long."""
        new: list[Box] = []
        todo = [target_of(edge) for edge in roots if edge is not None]
        while todo:
            thing = todo.pop()
            if self.find(thing) is not None:
                continue
            box = self.node(thing) if is_node(thing) else self.tensor(thing)
            new.append(box)
            todo += [target_of(edge) for edge in getattr(thing, "edges", ()) if edge is not None]
        for box in new:
            if box.is_op:
                box.inputs = [self.find(target_of(edge)) if edge is not None else None for edge in box.thing.edges]
                box.reads = [number_of(edge) for edge in box.thing.edges]
        return new

    def _add(self, box: Box) -> Box:
        self.boxes.append(box)
        self._found[id(box.thing)] = box
        return box

    # ------------------------------------------------------------------------------------- the end

    def name(self, names: Pairs, module: bool = False) -> None:
        """Give names to the boxes of these tensors, unless they have one."""
        for name, tensor in names:
            box = self.of_tensor(tensor)
            if box is not None:
                box.names.setdefault(number_of(tensor._node), name)
                box.in_module = box.in_module or module

    def number(self) -> None:
        """Give out ids: operations by age, tensors as the operations read them, edges by operation and input."""
        ops = sorted((b for b in self.boxes if b.is_op), key=lambda b: b.order)
        tensors = [i for b in ops for i in b.inputs if isinstance(i, Box) and not i.is_op]
        tensors += [b for b in self.boxes if not b.is_op]
        constants = [b for b in dict.fromkeys(tensors) if b.kind == "constant"]
        leaves = [b for b in dict.fromkeys(tensors) if b.kind != "constant"]
        for letter, group in (("n", ops), ("t", leaves), ("c", constants)):
            for count, box in enumerate(group, 1):
                box.id = f"{letter}{count}"
        self.boxes = self._in_order(ops)
        pairs = [(b, slot) for b in ops for slot, source in enumerate(b.inputs) if isinstance(source, Box)]
        self.edge_ids = {(id(b), slot): f"e{count}" for count, (b, slot) in enumerate(pairs, 1)}

    def _in_order(self, ops: list[Box]) -> list[Box]:
        """Each tensor right before the first operation that reads it."""
        ordered: dict[Box, None] = {}
        for op in ops:
            ordered |= dict.fromkeys(i for i in op.inputs if isinstance(i, Box) and not i.is_op)
            ordered[op] = None
        return [*ordered, *(b for b in self.boxes if b not in ordered)]

    def graph(self, title: str) -> Graph:
        """The finished graph. Call `number` first."""
        words: dict[tuple[Box, int], str] = {}
        nodes = tuple(self._finish(box, position, words) for position, box in enumerate(self.boxes, 1))
        edges = (
            GraphEdge(self.edge_ids[id(b), slot], source.id, b.id, slot, _slot_name(b, slot), nr)
            for b in self.boxes
            for slot, (source, nr) in enumerate(zip(b.inputs, b.reads, strict=True))
            if isinstance(source, Box)
        )
        drawn = Graph(nodes, tuple(edges), title)
        return replace(drawn, moment=drawn.when)

    @staticmethod
    def _finish(box: Box, position: int, words: dict[tuple[Box, int], str]) -> GraphNode:
        made_by = _expression(box, words) if box.is_op else box.id
        said = box.name or made_by
        several = results(made_by, box.names, box.thing.output_count) if box.is_op else ()
        outputs = several if len(several) > 1 else ()
        words |= {(box, nr): text for nr, text in enumerate(outputs or (said,))}
        kind: Any = "parameter" if box.in_module and box.kind == "leaf" else box.kind
        return GraphNode(
            id=box.id,
            kind=kind,
            label=box.label if box.is_op else said,
            detail=said if box.is_op else "",
            shape=box.shape,
            dtype=box.dtype,
            value=None if outputs else box.value,
            grad=box.grad,
            freed=box.freed,
            saved_bytes=box.saved_bytes,
            hooks=box.hooks,
            source=box.source,
            module=box.module,
            number=position,
            op=box.op.__name__ if box.is_op else "",
            keeps=box.keeps,
            outputs=outputs,
        )


def _slot_name(box: Box, slot: int) -> str:
    names = tuple(getattr(box.op, "inputs", ()))
    return names[min(slot, len(names) - 1)] if names else ""


def _expression(box: Box, words: Mapping[tuple[Box, int], str]) -> str:
    read = zip(box.inputs, box.reads, strict=True)
    parts = [words.get((source, nr), "") if isinstance(source, Box) else source or "" for source, nr in read]
    return expression(box.op, parts, getattr(box.thing, "params", None))


def resolve(thing: Any, edge_ids: Mapping[tuple[int, int], str]) -> Any:
    """The same step with every `Box` and `EdgeRef` in it replaced by its id."""
    if isinstance(thing, Box):
        return thing.id
    if isinstance(thing, EdgeRef):
        return edge_ids.get((id(thing.box), thing.slot))
    if isinstance(thing, tuple):
        return tuple(resolve(item, edge_ids) for item in thing)
    if is_dataclass(thing) and any(_refers(getattr(thing, f.name)) for f in fields(thing)):
        cls: Any = type(thing)
        return cls(**{f.name: resolve(getattr(thing, f.name), edge_ids) for f in fields(thing)})
    return thing


def _refers(thing: Any) -> bool:
    """Whether there may be something to resolve in here."""
    return isinstance(thing, Box | EdgeRef) or (isinstance(thing, tuple) and any(not _plain(i) for i in thing))


def _plain(thing: Any) -> bool:
    return thing is None or isinstance(thing, str | int | float)

"""From live tensors to a Graph: walks back over the recorded nodes, without recursion and without changing anything."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from types import FrameType
from typing import Any

from ..autograd.node import Node, Out
from ..tensor import Tensor, edge_of
from .expressions import constant_text, expression, results, word
from .graph import Graph, GraphEdge, GraphNode
from .names import Pairs, caller, caller_names, is_module, named, roots_of
from .summary import Summary, summarise

__all__ = ["graph_of"]

Spot = tuple[int, int]
"""What a value is known by: the identity of its node or leaf, and the number of the output."""


def graph_of(
    x: Any,
    params: Any = None,
    names: Any = None,
    *,
    saved: bool = False,
    frame: FrameType | None = None,
) -> Graph:
    """The graph behind one or more tensors, before or after backward.

    `params` and `names` are a module, a dictionary name -> tensor, or pairs; what they leave open takes the caller's
    variable names (`frame` says whose). A value is shown where it is still held by a tensor, or saved for backward.

    >>> import tensorplay as tp
    >>> x = tp.tensor(2.0, requires_grad=True)
    >>> graph = graph_of((x * 3).exp(), names={"x": x})
    >>> [node.id for node in graph.nodes], [(edge.source, edge.target) for edge in graph.edges]
    (['t1', 'n1', 'n2'], [('t1', 'n1'), ('n1', 'n2')])
    """
    roots = roots_of(x)
    labels = _Labels(roots, params, names, frame or caller())
    found = _Found([tensor for _, tensor in roots])
    nodes, edges = _Builder(found, labels, saved).build()
    return Graph(nodes, edges, _title(x, roots, labels, nodes))


def _title(x: Any, roots: Pairs, labels: _Labels, nodes: Sequence[GraphNode]) -> str:
    if is_module(x):
        return type(x).__name__
    words = [labels.names.get(_spot(edge_of(tensor), tensor), name) for name, tensor in roots]
    if not any(words):
        asked = nodes[-1] if len(roots) == 1 else None
        return (asked.op.lower() or asked.label) if asked else f"{len(roots)} results"
    return ", ".join(dict.fromkeys(word for word in words if word))


# ---------------------------------------------------------------------------------------------- discovery


def _spot(edge: Any, tensor: Any = None) -> Spot:
    """What a value is known by. A tensor outside any graph is known by itself."""
    if edge is None:
        return (id(tensor), 0)
    if isinstance(edge, Out):
        return (id(edge.node), edge.nr)
    return (id(edge), 0)


def _number(edge: Any) -> int:
    return edge.nr if isinstance(edge, Out) else 0


class _Found:
    """All that can be reached from the roots: nodes by age, and tensors in the order they are read."""

    def __init__(self, roots: Sequence[Tensor]) -> None:
        edges = [(tensor, edge_of(tensor)) for tensor in roots]
        self.asked = {_spot(edge, tensor)[0] for tensor, edge in edges}
        self.nodes = sorted(_reachable(edge for _, edge in edges), key=lambda node: node.number)
        read = [edge for node in self.nodes for edge in node.edges if isinstance(edge, Tensor)]
        alone = [tensor for tensor, edge in edges if edge is None or isinstance(edge, Tensor)]
        self.tensors = list({id(tensor): tensor for tensor in [*read, *alone]}.values())


def _reachable(edges: Iterable[Any]) -> list[Node]:
    seen: dict[int, Node] = {}
    waiting = list(edges)
    while waiting:
        edge = waiting.pop()
        node = edge.node if isinstance(edge, Out) else edge
        if isinstance(node, Node) and id(node) not in seen:
            seen[id(node)] = node
            waiting.extend(node.edges)
    return list(seen.values())


class _Labels:
    """Names and live tensors by spot. What the caller says comes first, the caller's variables last."""

    def __init__(self, roots: Pairs, params: Any, names: Any, frame: FrameType | None) -> None:
        tensors, parameters = caller_names(frame)
        given, inside = named(names), named(params)
        self.names: dict[Spot, str] = {}
        self.live: dict[Spot, Tensor] = {}
        for name, tensor in [*given, *inside, *roots, *tensors, *parameters]:
            spot = _spot(edge_of(tensor), tensor)
            self.live.setdefault(spot, tensor)
            if name:
                self.names.setdefault(spot, name)
        owned = [*(inside if is_module(params) else ()), *parameters]
        self.parameters = {id(tensor) for _, tensor in owned}

    def outputs(self, node: Node) -> dict[int, str]:
        """The names of a node's results, by output number."""
        numbers = range(node.output_count)
        return {nr: name for nr in numbers if (name := self.names.get((id(node), nr)))}


# ---------------------------------------------------------------------------------------------- building


class _Builder:
    """Gives out ids and fills the boxes."""

    def __init__(self, found: _Found, labels: _Labels, saved: bool) -> None:
        self.found, self.labels, self.saved = found, labels, saved
        self.ids: dict[int, str] = {id(node): f"n{i}" for i, node in enumerate(found.nodes, 1)}
        counts = {"t": 0, "c": 0}
        for tensor in found.tensors:
            letter = "t" if tensor._needs_grad else "c"
            counts[letter] += 1
            self.ids[id(tensor)] = f"{letter}{counts[letter]}"
        self.kept = _kept_values(found.nodes)
        self.words: dict[Spot, str] = {}

    def build(self) -> tuple[tuple[GraphNode, ...], tuple[GraphEdge, ...]]:
        boxes: dict[int, GraphNode] = {}
        edges: list[GraphEdge] = []
        for node in self.found.nodes:
            for slot, edge in enumerate(node.edges):
                if edge is None:
                    continue
                if isinstance(edge, Tensor) and id(edge) not in boxes:
                    boxes[id(edge)] = self._tensor(edge)
                inputs = node.op.inputs
                label = inputs[min(slot, len(inputs) - 1)] if inputs else ""
                source = self.ids[_spot(edge)[0]]
                name = f"e{len(edges) + 1}"
                edges.append(GraphEdge(name, source, self.ids[id(node)], slot, label, _number(edge)))
            boxes[id(node)] = self._operation(node)
        for tensor in self.found.tensors:
            if id(tensor) not in boxes:
                boxes[id(tensor)] = self._tensor(tensor)
        numbered = (replace(box, number=i) for i, box in enumerate(boxes.values(), 1))
        return tuple(numbered), tuple(edges)

    def _tensor(self, tensor: Tensor) -> GraphNode:
        own = self.ids[id(tensor)]
        kind: Any = "constant"
        if tensor._needs_grad:
            owned = id(tensor) in self.labels.parameters or type(tensor).__name__ == "Parameter"
            kind = "parameter" if owned else "leaf"
        label = self.labels.names.get((id(tensor), 0), own)
        self.words[id(tensor), 0] = label
        value = summarise(tensor._array)
        return GraphNode(
            own, kind, label, shape=value.shape, dtype=value.dtype, value=value,
            grad=_gradient(tensor), hooks=_hook_count(tensor),
        )  # fmt: skip

    def _operation(self, node: Node) -> GraphNode:
        names, made_by = self.labels.outputs(node), self._expression(node)
        symbol = node.op.label or node.op.__name__
        expressed = ", ".join(names.values()) or made_by
        outputs = results(made_by, names, node.output_count) if node.output_count > 1 else ()
        self.words |= {(id(node), nr): text for nr, text in enumerate(outputs or (expressed,))}
        live = None if outputs else self.labels.live.get((id(node), 0))
        value = None if outputs else self.kept.get((id(node), 0)) if live is None else summarise(live._array)
        plain = "" if symbol == word(node.op) else word(node.op)
        return GraphNode(
            self.ids[id(node)], "output" if id(node) in self.found.asked else "op", symbol, expressed or plain,
            tuple(node.shape), value.dtype if value else None, value,
            None if live is None else _gradient(live), node.freed, node.saved_bytes, node.hooks_count, node.place,
            op=node.op.__name__, keeps=self._keeps(node) if self.saved else (), outputs=outputs,
        )  # fmt: skip

    def _keeps(self, node: Node) -> tuple[str, ...]:
        """What it saved, in the words of the picture: names of what it read, or its own result."""
        inputs, words = node.op.inputs, []
        for name, _ in node.saved_arrays():
            slot = inputs.index(name) if name in inputs else -1
            own = "its result" if name in node.op.outputs else name
            known = self._part(node, slot, node.edges[slot]) if slot >= 0 else own
            words.append(known or name)
        return tuple(words)

    def _expression(self, node: Node) -> str:
        """What the operation computes, such as b·x, if all it reads is known and that is short."""
        return expression(node.op, [self._part(node, *pair) for pair in enumerate(node.edges)], node.params)

    def _part(self, node: Node, slot: int, edge: Any) -> str:
        if edge is not None:
            return self.words.get(_spot(edge), "")
        for (kind, which), value in zip(node.plan.sources, node.saved or (), strict=False):
            if kind == "in" and which == slot and isinstance(value, int | float):
                return constant_text(value)
        return ""


def _gradient(tensor: Tensor) -> Summary | None:
    # the slot, not `.grad`: reading that of a non-leaf warns
    return None if tensor._grad is None else summarise(tensor._grad._array)


def _hook_count(tensor: Tensor) -> int:
    hooks = tensor._hooks
    return len(hooks) if isinstance(hooks, dict | list | tuple) else int(hooks is not None)


def _kept_values(nodes: Sequence[Node]) -> dict[Spot, Summary]:
    """Values that are known because some operation saved them, as they were when they were saved."""
    found: dict[Spot, Summary] = {}
    for node in nodes:
        if any(cell[0] != number for cell, number in node.versions):
            continue  # something was changed in place since: what is there now is not what was computed
        for name, array in node.saved_arrays():
            for spot in _places(node, name):
                if spot not in found:
                    found[spot] = summarise(array)
    return found


def _places(node: Node, name: str) -> Iterator[Spot]:
    if name in node.op.inputs:
        edge = node.edges[node.op.inputs.index(name)]
        if isinstance(edge, Node | Out):
            yield _spot(edge)
    elif name in node.op.outputs:
        yield (id(node), node.op.outputs.index(name))

"""Large graphs made small enough to read: runs of boxes become one box that says how many it stands for."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from .graph import Graph, GraphEdge, GraphNode

__all__ = ["fold", "folding"]

KEEP = 4
"""How many operations stay visible at each end of a folded chain."""


def fold(graph: Graph, limit: int) -> Graph:
    """The same graph with at most about `limit` boxes; a graph that is small enough comes back unchanged.

    Long chains are folded first, the longest first. If that is not enough, the operations in the middle (in the order
    they were made) become one box, and so do leaves that are read by the same operations. Every count in the picture
    still includes what was folded.
    """
    return folding(graph, limit)[0]


def folding(graph: Graph, limit: int) -> tuple[Graph, dict[str, str]]:
    """The folded graph, and for each box of the whole one the box that stands for it."""
    home = {node.id: node.id for node in graph.nodes}
    folded = graph
    for groups in (_chain_groups, _middle_group, _leaf_groups, _any_group):
        if len(folded.nodes) > limit:
            folded, names = _merge(folded, groups(folded, limit))
            home = {name: names.get(place, place) for name, place in home.items()}
    if folded is not graph:
        folded = replace(folded, notes=(*graph.notes, _note(graph, folded)))
    return folded, home


def _note(graph: Graph, folded: Graph) -> str:
    boxes = sum(1 for node in folded.nodes if node.folded)
    hidden = len(graph.nodes) - len(folded.nodes) + boxes
    return f"{hidden:,} folded into {boxes} box{'es' * (boxes != 1)}"


Groups = Sequence[Sequence[str]]


def _chain_groups(graph: Graph, limit: int) -> Groups:
    """Insides of the longest chains, just as many as are needed."""
    insides = [chain[KEEP:-KEEP] for chain in _chains(graph) if len(chain) > 2 * KEEP + 1]
    excess, chosen = len(graph.nodes) - limit, []
    for inside in sorted(insides, key=len, reverse=True):
        if excess <= 0:
            break
        chosen.append(inside)
        excess -= len(inside) - 1
    return chosen


def _chains(graph: Graph) -> list[list[str]]:
    """Runs of operations in which each one reads only the one before it (and leaves)."""
    after = {node.id: follower for node in graph.nodes if (follower := _only_reader(graph, node)) is not None}
    inner = set(after.values())
    chains = []
    for node in graph.nodes:
        if node.is_op and node.id not in inner:
            chain = [node.id]
            while chain[-1] in after:
                chain.append(after[chain[-1]])
            chains.append(chain)
    return chains


def _only_reader(graph: Graph, node: GraphNode) -> str | None:
    readers = graph.out_of(node.id)
    if node.kind != "op" or len(readers) != 1:
        return None
    target = readers[0].target
    operations = [source for source in graph.inputs(target) if graph[source].is_op]
    return target if len(operations) == 1 else None


def _middle_group(graph: Graph, limit: int) -> Groups:
    """All operations but the first and the last ones. Edges go from older to newer, so no cycle can come of it."""
    operations = [node.id for node in graph.nodes if node.is_op]
    keep = max(limit // 6, 2)
    return [[name for name in operations[keep:-keep] if graph[name].kind == "op" or graph.out_of(name)]]


def _any_group(graph: Graph, limit: int) -> Groups:
    """The operations in the middle, also those whose results were asked for: a long training has many."""
    operations = [node.id for node in graph.nodes if node.is_op]
    keep = max(limit // 6, 2)
    return [operations[keep:-keep]]


def _leaf_groups(graph: Graph, limit: int) -> Groups:
    """Leaves with the same readers, all but the first and the last of them."""
    groups: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for node in graph.nodes:
        if not node.is_op:
            groups[tuple(sorted({edge.target for edge in graph.out_of(node.id)}))].append(node.id)
    return [names[1:-1] for names in groups.values() if len(names) > 4]


# ----------------------------------------------------------------------------------------------- merging


def _merge(graph: Graph, groups: Groups) -> tuple[Graph, dict[str, str]]:
    """Each group becomes one box; leaves that only one group reads go with it; parallel edges become one.

    Also says which box has swallowed which.
    """
    home = {name: number for number, group in enumerate(groups) for name in group}
    swallowed = _swallowed(graph, home) if groups else {}
    members: dict[int, list[GraphNode]] = defaultdict(list)
    for node in graph.nodes:
        if (number := home.get(node.id, swallowed.get(node.id))) is not None:
            members[number].append(node)
    taken = sum(node.id.startswith("f") for node in graph.nodes)
    boxes = {number: _folded(group, f"f{taken + i}") for i, (number, group) in enumerate(members.items(), 1)}
    names = {node.id: boxes[number].id for number, group in members.items() for node in group}
    drawn = (boxes[home.get(n.id, swallowed.get(n.id, -1))] if n.id in names else n for n in graph.nodes)
    nodes = {node.id: node for node in drawn}
    numbered = tuple(replace(node, number=i) for i, node in enumerate(nodes.values(), 1))
    return replace(graph, nodes=numbered, edges=_merged_edges(graph, names)), names


def _swallowed(graph: Graph, home: Mapping[str, int]) -> dict[str, int]:
    found = {}
    for node in graph.nodes:
        if not node.is_op and node.id not in home:
            readers = {home.get(edge.target, -1) for edge in graph.out_of(node.id)}
            if len(readers) == 1 and -1 not in readers:
                found[node.id] = readers.pop()
    return found


def _folded(group: Sequence[GraphNode], name: str) -> GraphNode:
    operations = [node for node in group if node.is_op]
    count = sum(max(node.folded, 1) for node in operations)
    tensors = sum(max(node.folded, 1) for node in group if not node.is_op)
    swallowed = tensors + sum(node.folded_leaves for node in operations)
    if not operations:
        return GraphNode(name, "leaf", "…", f"{tensors:,} leaves", folded=tensors)
    detail = f"{count:,} op{'s' * (count != 1)}" + (f", {swallowed:,} leaves" if swallowed else "")
    return GraphNode(
        name, "op", "…", detail, operations[-1].shape, operations[-1].dtype,
        freed=all(node.freed for node in operations), saved_bytes=sum(node.saved_bytes for node in operations),
        hooks=sum(node.hooks for node in operations), folded=count, folded_leaves=swallowed,
    )  # fmt: skip


def _merged_edges(graph: Graph, names: Mapping[str, str]) -> tuple[GraphEdge, ...]:
    """Edges between the boxes; those that a fold made parallel are one, labelled with how many it stands for."""
    kept: list[GraphEdge] = []
    parallel: Counter[tuple[str, str]] = Counter()
    for edge in graph.edges:
        pair = names.get(edge.source, edge.source), names.get(edge.target, edge.target)
        if pair == (edge.source, edge.target):
            kept.append(edge)
        elif pair[0] != pair[1]:
            parallel[pair] += int(edge.label[1:]) if edge.label.startswith("×") else 1
    merged = [
        GraphEdge("", *pair, label=f"×{count}" if count > 1 else "", output=-1) for pair, count in parallel.items()
    ]
    return tuple(replace(edge, id=f"e{i}") for i, edge in enumerate([*kept, *merged], 1))

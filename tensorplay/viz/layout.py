"""Where everything goes: boxes, and the curves between them.

A rung of the ladder gives positions only (centres of boxes, and where long edges pass each rank). The curves are
drawn from those in one way, so the picture has the same look on every machine.
"""

from __future__ import annotations

import itertools
import json
import os
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ..errors import RenderError
from .boxes import content
from .graph import Graph
from .ranks import Link, Place, Placement, arrange, ranks_of
from .render import MISSING, Rung, attempt, run_program

__all__ = ["Box", "Direction", "Layout", "layout"]

Direction = Literal["LR", "TB"]
Point = tuple[float, float]

MARGIN = 22.0
RANK_GAP, NODE_GAP = 54.0, 24.0
ROOMY_GAP = 104.0
"""Between ranks where numbers are to travel along the edges."""
PORT_GAP, PORT_LEAST, BESIDE = 15.0, 9.0, 12.0
"""Between edges on one side of a box: usually, at least, and from the corners. A box grows for many edges."""
MOST_PORTS = 24
"""Up to so many edges a box grows."""
CLEAR, LEVEL = 8.0, 4.0
"""Least distance between a passing edge and a box, and the least change of height worth a bend."""
DPI = 72.0
PATIENCE = 12_000
"""How many ranks all edges together may pass before no Graphviz program is asked (45,000 took 10 s, measured)."""
HURRY = 60
"""From so many edges on, a Graphviz program is told to be content with a good arrangement."""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle: its left top corner and its size."""

    x: float
    y: float
    w: float
    h: float


@dataclass(frozen=True, slots=True)
class Layout:
    """A finished arrangement. A curve is a start and then three points for each cubic Bézier piece."""

    width: float
    height: float
    boxes: Mapping[str, Box]
    curves: Mapping[str, tuple[Point, ...]]
    rung: Rung
    notes: tuple[str, ...] = ()

    @property
    def engine(self) -> str:
        """The name of the rung that placed the boxes."""
        return self.rung.name


def layout(
    graph: Graph,
    engine: str | os.PathLike[str] | None = None,
    *,
    direction: Direction = "LR",
    interactive: bool = False,
) -> Layout:
    """Place a graph; inputs at the left (or top), results at the right (or bottom).

    `interactive` leaves room for numbers that appear while stepping. Whatever rung fails, the next one draws.
    Raises ValueError for another direction.

    >>> from .graph import GraphEdge, GraphNode
    >>> x, y = GraphNode("t1", "leaf", "x"), GraphNode("n1", "output", "exp", "y")
    >>> placed = layout(Graph((x, y), (GraphEdge("e1", "t1", "n1"),)), "built-in")
    >>> placed.boxes["t1"].x < placed.boxes["n1"].x, placed.engine
    (True, 'built-in')
    """
    if direction not in ("LR", "TB"):
        raise ValueError(f"direction must be 'LR' (left to right) or 'TB' (top to bottom), got {direction!r}")
    flip = direction == "TB"
    sizes = {}
    for node in graph.nodes:
        box = content(node, interactive)
        busy = min(max(len(graph.into(node.id)), len(graph.out_of(node.id))), MOST_PORTS)
        breadth = BESIDE + PORT_LEAST * busy
        size = (box.height, max(box.width, breadth)) if flip else (box.width, max(box.height, breadth))
        sizes[node.id] = size
    links = [(edge.id, edge.source, edge.target) for edge in graph.edges]
    rank_gap = ROOMY_GAP if interactive else RANK_GAP
    notes: list[str] = []
    rung, placement = attempt(lambda r: (r, _place(r, sizes, links, rank_gap)), engine, notes)
    if rung.why == MISSING:
        notes.append(f"drawn by the built-in layout: {MISSING}")
    return _finish(graph, placement, sizes, flip, rung, tuple(notes))


def _place(rung: Rung, sizes: Mapping[str, Place], links: Sequence[Link], rank_gap: float) -> Placement:
    if rung.program is None or not links:
        return arrange(sizes, links, rank_gap, NODE_GAP)
    rank = ranks_of(list(sizes), links)
    passed = sum(rank[target] - rank[source] for _, source, target in links)
    if passed > PATIENCE:
        raise RenderError(f"its long edges pass {passed:,} ranks, which takes such a program many seconds")
    answer = run_program(rung.program, _skeleton(sizes, links, rank_gap), "json0")
    try:
        return _read(json.loads(answer), sizes, links)
    except (ValueError, KeyError, TypeError, IndexError) as problem:
        raise RenderError(f"its answer could not be read ({type(problem).__name__}: {problem})") from None


# ------------------------------------------------------------------------------ asking a Graphviz program


def _skeleton(sizes: Mapping[str, Place], links: Sequence[Link], rank_gap: float) -> str:
    """DOT with ids and sizes only: no text of the user's ever reaches the program that places the boxes."""
    # without a limit a weight that 150 operations read takes graphviz-pure over 40 s, with it 0.7 s (measured)
    hurry = "nslimit=1; nslimit1=1; mclimit=0.3; " if len(links) > HURRY else ""
    lines = [
        f"digraph {{ {hurry}rankdir=LR; ranksep={rank_gap / DPI:.4f}; nodesep={NODE_GAP / DPI:.4f}; splines=true;",
        'node [shape=box, fixedsize=true, label=""]; edge [arrowhead=none];',
    ]
    for name, (along, across) in sizes.items():
        lines.append(f'"{name}" [width={along / DPI:.4f}, height={across / DPI:.4f}];')
    made = {target for _, _, target in links}  # edges between operations are the spine: keep them straight
    lines += [f'"{s}" -> "{t}" [id="{edge}"{", weight=4" * (s in made)}];' for edge, s, t in links]
    return "\n".join([*lines, "}"])


def _read(answer: Any, sizes: Mapping[str, Place], links: Sequence[Link]) -> Placement:
    top = float(answer["bb"].split(",")[3])
    centres: dict[str, Place] = {}
    for entry in answer["objects"]:
        along, across = map(float, entry["pos"].split(","))
        centres[entry["name"]] = (along, top - across)
    if missing := sizes.keys() - centres.keys():
        raise ValueError(f"{len(missing)} boxes are missing")
    splines = {entry["id"]: _spline(entry["pos"], top) for entry in answer.get("edges", ())}
    ranks = sorted({round(along) for along, _ in centres.values()})
    waypoints = {}
    for edge, source, target in links:
        start, end = round(centres[source][0]), round(centres[target][0])
        between = ranks[bisect_left(ranks, start + 2) : bisect_left(ranks, end - 2)]
        waypoints[edge] = tuple((float(along), _at(splines[edge], along)) for along in between)
    return Placement(centres, waypoints)


def _spline(text: str, top: float) -> list[Point]:
    """Points along a Graphviz spline, dense enough to read a height off."""
    control = [tuple(map(float, pair.split(","))) for pair in text.split() if pair[0] not in "se"]
    points = [(x, top - y) for x, y in control]
    dense = points[:1]
    for i in range(0, len(points) - 3, 3):
        dense += [_bezier(points[i : i + 4], t / 8) for t in range(1, 9)]
    return dense


def _bezier(p: Sequence[Point], t: float) -> Point:
    a, b, c, d = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
    return tuple(a * p[0][i] + b * p[1][i] + c * p[2][i] + d * p[3][i] for i in (0, 1))  # type: ignore[return-value]


def _at(points: Sequence[Point], along: float) -> float:
    """The height of a dense line at a place along the flow."""
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        if x0 <= along <= x1 and x1 > x0:
            return y0 + (y1 - y0) * (along - x0) / (x1 - x0)
    return points[-1][1] if points and along > points[-1][0] else points[0][1]


# ----------------------------------------------------------------------------------------------- the curves


@dataclass(frozen=True, slots=True)
class _Column:
    """The boxes of one rank: where they are along the flow, and what they cover across it."""

    start: float
    end: float
    covered: tuple[tuple[float, float], ...]

    def clear(self, across: float) -> float:
        """The nearest place where a line can pass between the boxes."""
        for low, high in self.covered:
            if low - CLEAR < across < high + CLEAR:
                return low - CLEAR if across - low < high - across else high + CLEAR
        return across


def _finish(
    graph: Graph, placement: Placement, sizes: Mapping[str, Place], flip: bool, rung: Rung, notes: tuple[str, ...]
) -> Layout:
    columns = _column_table(placement, sizes)
    curves = _curves(graph, placement, sizes, columns)
    corners = {n: (c[0] - sizes[n][0] / 2, c[1] - sizes[n][1] / 2) for n, c in placement.centres.items()}
    everything = [*corners.values(), *(point for curve in curves.values() for point in curve)]
    ends = [(x + sizes[n][0], y + sizes[n][1]) for n, (x, y) in corners.items()]
    low = [min((p[i] for p in everything), default=0.0) - MARGIN for i in (0, 1)]
    high = [max((p[i] for p in [*everything, *ends]), default=0.0) + MARGIN for i in (0, 1)]

    def moved(point: Point) -> Point:
        x, y = round(point[0] - low[0], 1), round(point[1] - low[1], 1)
        return (y, x) if flip else (x, y)

    boxes = {n: Box(*moved(corners[n]), *(sizes[n][::-1] if flip else sizes[n])) for n in sizes}
    width, height = moved((high[0], high[1]))
    return Layout(width, height, boxes, {e: tuple(map(moved, c)) for e, c in curves.items()}, rung, notes)


def _column_table(placement: Placement, sizes: Mapping[str, Place]) -> dict[int, _Column]:
    members: dict[int, list[str]] = defaultdict(list)
    for name, (along, _) in placement.centres.items():
        members[round(along)].append(name)
    table = {}
    for along, names in members.items():
        half = max(sizes[name][0] for name in names) / 2
        middles = [(placement.centres[name][1], sizes[name][1] / 2) for name in names]
        table[along] = _Column(along - half, along + half, tuple((m - h, m + h) for m, h in middles))
    return table


def _curves(
    graph: Graph, placement: Placement, sizes: Mapping[str, Place], columns: Mapping[int, _Column]
) -> dict[str, tuple[Point, ...]]:
    centres = placement.centres
    passes = {}
    for edge in graph.edges:
        points = placement.waypoints.get(edge.id, ())
        passes[edge.id] = [(columns[round(along)], across) for along, across in points if round(along) in columns]
    leaving: dict[str, list[tuple[float, int, str]]] = defaultdict(list)
    arriving: dict[str, list[tuple[float, int, str]]] = defaultdict(list)
    for edge in graph.edges:
        on_way = passes[edge.id]
        after = on_way[0][1] if on_way else centres[edge.target][1]
        before = on_way[-1][1] if on_way else centres[edge.source][1]
        leaving[edge.source].append((after, edge.slot, edge.id))
        arriving[edge.target].append((before, edge.slot, edge.id))
    starts, ends = _ports(leaving, centres, sizes, 0.5), _ports(arriving, centres, sizes, -0.5)
    home = {name: columns[round(along)] for name, (along, _) in centres.items()}
    return {
        e.id: _curve(starts[e.id], home[e.source].end, passes[e.id], home[e.target].start, ends[e.id])
        for e in graph.edges
    }


def _ports(
    groups: Mapping[str, list[tuple[float, int, str]]],
    centres: Mapping[str, Place],
    sizes: Mapping[str, Place],
    side: float,
) -> dict[str, Point]:
    """Spread the edges on one side of each box, in the order of where they go, so that none cross there."""
    places = {}
    for name, edges in groups.items():
        (along, across), (length, breadth) = centres[name], sizes[name]
        gap = min(PORT_GAP, (breadth - BESIDE) / max(len(edges) - 1, 1))
        for i, (_, _, edge) in enumerate(sorted(edges)):
            places[edge] = (along + side * length, across + gap * (i - (len(edges) - 1) / 2))
    return places


def _curve(
    start: Point, leave: float, passes: Sequence[tuple[_Column, float]], arrive: float, end: Point
) -> tuple[Point, ...]:
    """Level inside a rank, where it may pass wider boxes above and below; bent only in the gaps between ranks."""
    points = [start]
    if leave - start[0] > 1:
        points += _bend(start, (leave, start[1]))
    for column, wish in passes:
        across, level = column.clear(wish), points[-1][1]
        if abs(across - level) < LEVEL and column.clear(level) == level and len(points) > 1:
            points[-3:] = _bend(points[-4], (column.end, level))  # the level piece before it goes on
        else:
            points += _bend(points[-1], (column.start, across))
            points += _bend((column.start, across), (column.end, across))
    if end[0] - arrive > 1:
        points += _bend(points[-1], (arrive, end[1]))
    return tuple(points + _bend(points[-1], end))


def _bend(start: Point, end: Point) -> list[Point]:
    """An S from one point to another, level at both ends."""
    middle = (start[0] + end[0]) / 2
    return [(middle, start[1]), (middle, end[1]), end]

"""The built-in layered layout, for where no program can be started (and nothing is recursive in it).

Four steps, after Sugiyama, Tagawa and Toda: give each box a rank by the longest path to it; put stand-ins where an
edge passes a rank; order each rank by the mean place of its neighbours, keeping the order with the fewest crossings;
then move the boxes as near to their neighbours as they can get without touching.

Here "along" is the direction in which values flow, "across" the other one.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

__all__ = ["Link", "Place", "Placement", "arrange", "ranks_of"]

Place = tuple[float, float]
"""Along and across, of a centre."""

Link = tuple[str, str, str]
"""An edge's id, where it begins and where it ends."""

Spot = tuple[str, int]
"""A box, or the stand-in for its outgoing edges, on a rank."""

SWEEPS = 16
STAND_IN = 10.0
"""How much room a passing edge gets."""
SPINE = 4.0
"""How much more an edge between operations counts than one from a leaf."""
STIFF = 8.0
"""How much more a straight long edge counts than a short one."""


@dataclass(frozen=True, slots=True)
class Placement:
    """Centres of the boxes, and the points that long edges pass on their way."""

    centres: Mapping[str, Place]
    waypoints: Mapping[str, tuple[Place, ...]] = field(default_factory=dict)


def arrange(sizes: Mapping[str, Place], links: Sequence[Link], rank_gap: float, node_gap: float) -> Placement:
    """Place boxes of these sizes (along, across) so that every edge goes forward.

    >>> place = arrange({"x": (10, 10), "y": (10, 10)}, [("e1", "x", "y")], rank_gap=20, node_gap=5)
    >>> place.centres
    {'x': (5.0, 5.0), 'y': (35.0, 5.0)}
    """
    rank = ranks_of(list(sizes), links)
    rows, hops = _rows(sizes, links, rank)
    rows = _ordered(rows, hops)
    boxes = {(name, rank[name]) for name in sizes}
    across = _settled(rows, hops, boxes, sizes, node_gap)
    along = _columns(rows, boxes, sizes, rank_gap)
    centres = {name: (along[rank[name]], across[name, rank[name]]) for name in sizes}
    waypoints = {
        edge: tuple((along[r], across[source, r]) for r in range(rank[source] + 1, rank[target]))
        for edge, source, target in links
    }
    return Placement(centres, waypoints)


# ------------------------------------------------------------------------------------------------ ranks


def ranks_of(names: Sequence[str], links: Sequence[Link]) -> dict[str, int]:
    """The longest path to each box; what hangs on one reader alone (a weight, its transpose) then moves up to it."""
    readers, inputs, waiting = defaultdict(list), defaultdict(list), dict.fromkeys(names, 0)
    for _, source, target in links:
        readers[source].append(target)
        inputs[target].append(source)
        waiting[target] += 1
    rank = dict.fromkeys(names, 0)
    ready = [name for name in names if not waiting[name]]
    for name in ready:
        for reader in readers[name]:
            rank[reader] = max(rank[reader], rank[name] + 1)
            waiting[reader] -= 1
            if not waiting[reader]:
                ready.append(reader)
    movable: set[str] = set()
    for name in ready:
        if all(source in movable and len(set(readers[source])) == 1 for source in inputs[name]):
            movable.add(name)
    for name in reversed(ready):
        if name in movable and readers[name]:
            rank[name] = min(rank[reader] for reader in readers[name]) - 1
    return rank


Rows = list[list[Spot]]
Hops = Mapping[Spot, list[Spot]]


def _rows(sizes: Mapping[str, Place], links: Sequence[Link], rank: Mapping[str, int]) -> tuple[Rows, Hops]:
    """Boxes and stand-ins by rank, and each one's neighbours on the next rank.

    All edges out of a box share their stand-ins: a value read in a hundred places is one line with a hundred
    branches, and the work stays linear.
    """
    rows: Rows = [[] for _ in range(max(rank.values(), default=-1) + 1)]
    hops: dict[Spot, list[Spot]] = defaultdict(list)
    far: dict[str, int] = {}
    for name in _reading_order(list(sizes), links):
        rows[rank[name]].append((name, rank[name]))
    for _, source, target in links:
        reach = far.setdefault(source, rank[source])
        for r in range(reach + 1, rank[target]):
            rows[r].append((source, r))
            hops[source, r - 1].append((source, r))
        far[source] = max(reach, rank[target] - 1)
        if rank[target] > rank[source]:
            hops[source, rank[target] - 1].append((target, rank[target]))
    return rows, hops


def _reading_order(names: Sequence[str], links: Sequence[Link]) -> list[str]:
    """Boxes in the order met when walking back from the results, first inputs first: a good order to start from."""
    inputs, read = defaultdict(list), set()
    for _, source, target in links:
        inputs[target].append(source)
        read.add(source)
    seen: dict[str, None] = {}
    results = [name for name in names if name not in read]
    stack = list(reversed(names)) + list(reversed(results))
    while stack:
        name = stack.pop()
        if name not in seen:
            seen[name] = None
            stack.extend(reversed(inputs[name]))
    return list(seen)


# ---------------------------------------------------------------------------------------------- ordering


def _ordered(rows: Rows, hops: Hops) -> Rows:
    """Sweep forward and back, sorting each rank by its neighbours' mean place; keep the best order seen."""
    back: dict[Spot, list[Spot]] = defaultdict(list)
    for spot, nexts in hops.items():
        for other in nexts:
            back[other].append(spot)
    best, fewest = [list(row) for row in rows], _crossings(rows, hops)
    for sweep in range(SWEEPS):
        if not fewest:
            break
        forward = sweep % 2 == 0
        rows = _sweep(rows, back if forward else hops, forward)
        crossings = _crossings(rows, hops)
        if crossings < fewest:
            best, fewest = [list(row) for row in rows], crossings
    return best


def _sweep(rows: Rows, neighbours: Hops, forward: bool) -> Rows:
    place = {spot: float(i) for row in rows for i, spot in enumerate(row)}
    new: Rows = []
    for row in rows if forward else reversed(rows):
        wish = {spot: _mean((place[other] for other in neighbours.get(spot, ())), place[spot]) for spot in row}
        new.append(sorted(row, key=wish.__getitem__))
        place.update((spot, float(i)) for i, spot in enumerate(new[-1]))
    return new if forward else new[::-1]


def _crossings(rows: Rows, hops: Hops) -> int:
    """How many pairs of edges between neighbouring ranks cross."""
    total = 0
    for row, below in itertools.pairwise(rows):
        place = {spot: i for i, spot in enumerate(below)}
        seen: list[int] = []
        for spot in row:
            ends = sorted(place[other] for other in hops.get(spot, ()))
            total += sum(len(seen) - bisect_left(seen, end + 1) for end in ends)
            for end in ends:
                insort(seen, end)
    return total


def _mean(values: Iterable[float], otherwise: float) -> float:
    numbers = list(values)
    return sum(numbers) / len(numbers) if numbers else otherwise


# --------------------------------------------------------------------------------------------- positions


def _columns(rows: Rows, boxes: set[Spot], sizes: Mapping[str, Place], rank_gap: float) -> list[float]:
    """Where the middle of each rank is along the flow."""
    middles, edge = [], 0.0
    for row in rows:
        width = max((sizes[spot[0]][0] for spot in row if spot in boxes), default=0.0)
        middles.append(round(edge + width / 2, 2))
        edge += width + rank_gap
    return middles


def _settled(
    rows: Rows, hops: Hops, boxes: set[Spot], sizes: Mapping[str, Place], node_gap: float
) -> dict[Spot, float]:
    """Let every rank slide towards its neighbours, a few times, without overlaps."""
    pulls = _pulls(hops, boxes)
    height = {spot: sizes[spot[0]][1] if spot in boxes else STAND_IN for row in rows for spot in row}
    across: dict[Spot, float] = {}
    for row in rows:
        across.update(zip(row, _apart([0.0] * len(row), [1.0] * len(row), row, height, node_gap), strict=True))
    for sweep in range(SWEEPS):
        for row in rows if sweep % 2 == 0 else reversed(rows):
            wishes, weights = [], []
            for spot in row:
                total = sum(weight for _, weight in pulls[spot])
                wishes.append(sum(across[o] * w for o, w in pulls[spot]) / total if total else across[spot])
                weights.append(total or 0.1)
            across.update(zip(row, _apart(wishes, weights, row, height, node_gap), strict=True))
    lowest = min((across[spot] - height[spot] / 2 for spot in across), default=0.0)
    return {spot: round(value - lowest, 2) for spot, value in across.items()}


def _pulls(hops: Hops, boxes: set[Spot]) -> Mapping[Spot, list[tuple[Spot, float]]]:
    """Each spot's neighbours on both sides, with weights."""
    pulls: dict[Spot, list[tuple[Spot, float]]] = defaultdict(list)
    made = {other for nexts in hops.values() for other in nexts}
    for spot, nexts in hops.items():
        for other in nexts:
            near = SPINE if spot in made else 1.0
            weight = near if spot in boxes and other in boxes else STIFF
            pulls[spot].append((other, weight))
            pulls[other].append((spot, weight))
    return pulls


def _apart(
    wishes: Sequence[float], weights: Sequence[float], row: Sequence[Spot], height: Mapping[Spot, float], gap: float
) -> list[float]:
    """The places nearest to the wishes (least squares) that keep the order and the gaps.

    Pool adjacent violators: with the gaps taken off, the places must not decrease; neighbours that would are merged
    into a block at their weighted mean.
    """
    offsets = [0.0]
    for above, spot in itertools.pairwise(row):
        offsets.append(offsets[-1] + (height[above] + height[spot]) / 2 + gap)
    blocks: list[tuple[float, float, int]] = []  # mean, weight, how many
    for wish, weight, offset in zip(wishes, weights, offsets, strict=False):
        mean, total, count = wish - offset, weight, 1
        while blocks and blocks[-1][0] > mean:
            other, heavy, many = blocks.pop()
            mean = (mean * total + other * heavy) / (total + heavy)
            total, count = total + heavy, count + many
        blocks.append((mean, total, count))
    flat = [mean for mean, _, count in blocks for _ in range(count)]
    return [value + offset for value, offset in zip(flat, offsets, strict=False)]

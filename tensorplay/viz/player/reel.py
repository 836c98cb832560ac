"""What a page plays of a trace: all of it, until that would be too much to load, to read, or to click through.

A trace with many boxes is drawn folded, and the steps about folded boxes pass as one frame. Every frame shows the
true state after its last step, so nothing is estimated; the notes say how much passed unseen.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from ..fold import folding
from ..graph import Graph
from ..trace import Trace

__all__ = ["MOST_BOXES", "MOST_FRAMES", "Reel", "reel_of"]

MOST_BOXES = 240
MOST_FRAMES = 1000


@dataclass(frozen=True)
class Reel:
    """The drawn graph, where each box and edge of the trace went in it, and the frames.

    `frames` has the last step of each frame, and how many steps the frame stands for.
    """

    graph: Graph
    home: Mapping[str, str | None]
    members: Mapping[str, tuple[str, ...]]
    frames: Mapping[int, int]
    notes: tuple[str, ...]

    def frame_at(self, step: int) -> int:
        """The frame in which a step is over."""
        return bisect_left(list(self.frames), step)


def reel_of(trace: Trace) -> Reel:
    """Fold what must be folded, and choose the frames."""
    graph, boxes = folding(trace.graph, MOST_BOXES)
    home: dict[str, str | None] = {**boxes, **_edges(trace.graph, graph, boxes)}
    members: dict[str, list[str]] = defaultdict(list)
    for name, place in home.items():
        if place is not None:
            members[place].append(name)
    frames = _frames(trace, graph)
    return Reel(graph, home, {k: tuple(v) for k, v in members.items()}, frames, _notes(trace, graph, frames))


def _edges(whole: Graph, drawn: Graph, boxes: Mapping[str, str]) -> dict[str, str | None]:
    """Which drawn edge stands for each edge; none for one inside a folded box."""
    between: dict[tuple[str, str], dict[int, str]] = defaultdict(dict)
    for edge in drawn.edges:
        between[edge.source, edge.target][edge.slot] = edge.id
    found: dict[str, str | None] = {}
    for edge in whole.edges:
        slots = between.get((boxes[edge.source], boxes[edge.target]), {})
        found[edge.id] = slots.get(edge.slot, next(iter(slots.values()), None))
    return found


def _frames(trace: Trace, graph: Graph) -> dict[int, int]:
    """Each step that is about a drawn box ends a frame, and so does each run of the others."""
    unseen = [bool(e.about) and not any(name in graph for name in e.about) for e in trace.events]
    ends = [0, *(k for k, hidden in enumerate(unseen, 1) if not (hidden and unseen[k : k + 1] == [True]))]
    if len(ends) > MOST_FRAMES:
        third = MOST_FRAMES // 3
        ends = [*ends[: 2 * third], *ends[-third:]]
    return {0: 1} | {end: end - start for start, end in pairwise(ends)}


def _notes(trace: Trace, graph: Graph, frames: Mapping[int, int]) -> tuple[str, ...]:
    unseen = sum(count for count in frames.values() if count > 1)
    if not unseen and not graph.notes:
        return ()
    folded = f"{', '.join(graph.notes)}; " if graph.notes else ""
    return (
        f"Too much to play one by one: {folded}{unseen:,} of {len(trace):,} steps pass unseen. "
        "Print the stepper to read them all, or save it as .json.",
    )

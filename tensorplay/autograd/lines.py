"""Which operation, made on which line, freed or changed on which line: what errors about a graph tell.

Lines are known while a listener asks for them (`source=True`), which anomaly mode does too.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from .. import events
from ..errors import FreedGraphError, VersionError
from ..source import user_line

if TYPE_CHECKING:
    from .node import Node

__all__ = [
    "Edited",
    "again",
    "at",
    "bump_version",
    "check",
    "freed",
    "interrupted",
    "mark_edit",
    "modified",
    "named",
    "other_inputs",
    "stale",
]

_HINT = "To see the lines, run it once more inside `with tp.autograd.detect_anomaly():`."


class Edited(int):
    """A version number that knows the edit it comes from: the method's name and the user's line."""

    name: str
    place: events.Source


def mark_edit(cell: list[int], name: str, place: events.Source | None) -> None:
    """Leave the line of an edit with the version number it made; the next edit replaces it."""
    if place is not None:
        edited = Edited(cell[0])
        edited.name, edited.place = name, place
        cell[0] = edited


def bump_version(cell: list[int], name: str) -> None:
    """A new version, with the user's line if lines are wanted."""
    cell[0] += 1
    if events.sources_wanted:
        mark_edit(cell, name, user_line())


def at(place: events.Source | None) -> str:
    """Where: " at file:line (text)", or nothing."""
    return f" at {place.filename}:{place.lineno} ({place.text})" if place else ""


def named(node: Node) -> str:
    """The node as errors call it: its name, its number, and where it was made."""
    return f"{node.name()} (node {node.number}){_made(node)}"


def _made(node: Node) -> str:
    """By which line: ", made at file:line (text),", or nothing."""
    return f", made{at(node.place)}," if node.place else ""


def _freed_by(node: Node) -> str:
    """By which line: " by the backward at file:line (text)", or nothing."""
    place = node.extra.freed_at if node.extra else None
    return f" by the backward{at(place)}" if place else ""


def freed(node: Node, reached: str = "") -> FreedGraphError:
    """The error for a node whose saved tensors are needed again."""
    why, rest = (f": {reached}", "") if reached else ("", " Gradients of leaves are as they were before this pass.")
    return FreedGraphError(
        f"Trying to backward through the graph a second time (or directly access saved tensors after they have already "
        f"been freed){why}: {named(node)} has let go of its saved tensors{_freed_by(node)}. Run the first backward "
        f"with retain_graph=True, or compute the part that is shared again, or detach() it.{rest}{_hint(node.place)}"
    )


def interrupted(node: Any, by: str) -> FreedGraphError:
    """The error for repeating a pass that an error ended."""
    return FreedGraphError(
        f"Trying to backward through the graph a second time: the pass that freed {named(node)}{_freed_by(node)} was "
        f"interrupted by {by}. Compute the forward again, or use retain_graph=True to be able to repeat."
        f"{_hint(node.place)}"
    )


def other_inputs(node: Any) -> FreedGraphError:
    """The error for asking a freed graph for something it was not asked for before."""
    return FreedGraphError(
        f"Trying to backward through the graph a second time, for other inputs than the first: the first pass freed "
        f"{named(node)}{_freed_by(node)}. Ask for all inputs at once, or run the first with retain_graph=True."
        f"{_hint(node.place)}"
    )


def again(node: Any) -> str:
    """The warning of a second backward, which changes nothing."""
    return (
        f"backward() was called again on a graph that is already freed: nothing changed, gradients are as they were. "
        f"{node.name()}{_made(node)} was freed{_freed_by(node)}. Use retain_graph=True in the first call if you want "
        f"to add the same gradients once more.{_hint(node.place)}"
    )


def _hint(place: events.Source | None) -> str:
    """How to see the lines, if this one is not known."""
    return "" if place else f" {_HINT}"


def check(node: Node, pairs: Iterable[tuple[list[int], int]]) -> None:
    """Raise VersionError if one of these saved tensors was changed in place since."""
    if any(cell[0] != number for cell, number in pairs):
        raise stale(node)


def stale(node: Node) -> VersionError:
    """The error for a saved tensor that was changed in place."""
    place = next(i for i, (cell, number) in enumerate(node.versions) if cell[0] != number)
    cell, number = node.versions[place]
    now = cell[0]
    change = f", changed by {now.name}(){at(now.place)}" if isinstance(now, Edited) else ""
    saved = f"{named(node)} saved {_what(node, place)} at version {int(number)}"
    return modified(f"{saved}, which is now at version {int(now)}{change}", _hint(node.place))


def modified(what: str, hint: str = "") -> VersionError:
    """The error for a tensor that was changed in place though its old value was still needed."""
    return VersionError(
        f"one of the variables needed for gradient computation has been modified by an inplace operation: {what}. "
        f"Use the out-of-place form of the edit (y = y + 1, not y += 1), or edit a clone().{hint}"
    )


def _what(node: Node, place: int) -> str:
    """The saved tensor that a version pair watches: its name in the rule, and which operation made it."""
    slot = next((i for i, places in enumerate(node.plan.cells) if place in places), None)
    if slot is None:
        return "a tensor"
    kind, which = node.plan.sources[slot]
    if kind in ("out", "kept"):
        return "its own result" if kind == "out" else str(which)
    edge: Any = node.edges[which]
    maker = getattr(edge, "node", edge)
    whose = f" (the result of {maker.name()})" if hasattr(maker, "next_functions") else ""
    return f"its input {node.op.inputs[which]}{whose}"

"""Views: tensors that show another tensor's memory, and how they follow when its history changes.

`v = y[0]` shows y's memory. When y is edited in place and the edit is recorded, y gets a new node, and what v
was made from is no longer what v shows. Nobody tells v: it remembers its base, the steps from there, and which
node the base had. Whoever reads v's history calls `sync` first, which replays the steps on the base if the base
has moved on. An edit of v is an edit of its base: the op `CopySlices` records 'the base, with this value where v
looks', and v follows like any other view.
"""

from __future__ import annotations

from typing import Any
from weakref import ref

import numpy as np

from .autograd.bridge import bridge
from .autograd.modes import inferring, recording_set_to
from .autograd.node import key
from .errors import InPlaceError

__all__ = ["CustomOrigin", "View", "follow_retained", "forbid", "mark", "outdated", "owned", "sync", "unrecorded"]

Step = tuple[Any, dict[str, Any]]
"""A view op and its parameters."""

NO_GRAD, INFERENCE = "no_grad", "inference"
"""The origins of views made while nothing was recorded: the name of the mode."""


class View:
    """How a tensor shows the memory of another."""

    __slots__ = ("at", "base", "origin", "step", "up", "version")

    base: Any
    """The tensor that is no view itself and owns the memory."""
    up: View | None
    """How the tensor it was made from shows the base; None if that is the base."""
    step: Step
    at: Any
    """The base's node when the view's own node was made: another one now means that the view is stale."""
    version: int
    """The version of the memory when that was last compared."""
    origin: str | None
    """Why it must not be edited under recording: the mode, or "Output 0 of Unbind"; None where it may."""

    def __init__(self, base: Any, up: View | None, step: Step, origin: str | None) -> None:
        self.base = base
        self.up = up
        self.step = step
        self.at = base._node
        self.version = base._cell[0] if base._cell is not None else 0
        self.origin = origin

    @property
    def steps(self) -> tuple[Step, ...]:
        """The way from the base to the view."""
        steps, view = [self.step], self.up
        while view is not None:
            steps.append(view.step)
            view = view.up
        return tuple(reversed(steps))


def mark(t: Any, x: Any, step: Step, origin: str | None) -> None:
    """Make t, which shows x's memory, a view of x's base, with the version they share."""
    t._cell = x._cell
    up = x._view
    if up is None:
        t._view = View(x, None, step, origin)
    else:
        t._view = View(up.base, up, step, up.origin or origin)


def owned(x: Any) -> Any:
    """A view of a tensor that nobody else can see: its memory is its own, so it counts as no view."""
    if x._cell is not None:
        x._cell = [0]
    x._view = None
    return x


def sync(x: Any) -> None:
    """Bring a view whose base was edited up to date: replay its steps on the base as it is now."""
    view = x._view
    cell = x._cell
    if cell is None or cell[0] == view.version:
        return
    if view.base._hooks is not None and view.base._hooks.turned:
        _turn_back(view)
    moved = _moved(view)
    if moved and view.origin is not None and x._needs_grad:  # again at every use: it stays out of date
        raise InPlaceError(_explained(view.origin, "its base or another view of its base has been modified"))
    view.version = cell[0]
    view.at = view.base._node
    if view.origin is None and (moved or not isinstance(x._array, np.ndarray)):
        _replay(x, view)
    # else its history is as it was; one made under no_grad stays a constant


def _moved(view: View) -> bool:
    """Whether an edit of the memory changed the history too: as in PyTorch, also one that was not recorded."""
    return view.base._needs_grad or view.base._node is not view.at


def outdated(x: Any) -> bool:
    """Whether `sync` would give x another history. A pass asks, so that having looked at x before changes nothing."""
    view = x._view
    if view is None or view.origin is not None or x._cell is None or x._cell[0] == view.version:
        return False
    return _moved(view)


bridge.outdated = outdated


def _turn_back(view: View) -> None:
    """The base has got another shape since the view was made: what undoes that comes first on the way to the view."""
    while view.up is not None:
        view = view.up
    base = view.base
    for version, step in base._hooks.turned:
        if view.version < version:
            view.up = View(base, None, step, None)
            view.up.version = version
            view = view.up


def _replay(x: Any, view: View) -> None:
    with recording_set_to(True):  # the history is rewritten, wherever one happens to look at it
        now = bridge.tensors.view(view.base, view.steps)
    follow_retained(x, now)
    if not isinstance(x._array, np.ndarray):  # a batch is never written to: the base holds a new one
        x._array = now._array
    x._node, x._needs_grad = now._node, now._needs_grad


def forbid(view: View) -> None:
    """Raise InPlaceError for a view that must not be edited while operations are recorded."""
    if view.origin is not None:
        raise InPlaceError(_explained(view.origin, "is being modified"))


def unrecorded() -> str:
    """The origin of a view that is made now, while nothing is recorded."""
    return INFERENCE if inferring() else NO_GRAD


class CustomOrigin(str):
    """The origin of a view that leaves a Function, such as "Output 0 of Cube"."""


def _explained(origin: str, what: str) -> str:
    if isinstance(origin, CustomOrigin):
        return (
            f"{origin} is a view and {what} inplace. This view was created inside a custom Function (or because an "
            f"input was returned as-is), and recording the edit would override the Function's own backward. "
            f"Edit a clone() of the output instead"
        )
    if origin in (NO_GRAD, INFERENCE):
        now = "with grad mode enabled" if origin == NO_GRAD else "in normal mode"
        block = "no_grad" if origin == NO_GRAD else "inference_mode"
        return (
            f"A view was created in {origin} mode and {what} inplace {now}: whether the edit belongs to the graph "
            f"is ambiguous. Make the view outside tp.{block}() to record the edit, or edit it inside"
        )
    return (
        f"{origin} is a view and {what} inplace. This view is the output of a function that returns multiple views. "
        f"Such functions do not allow the output views to be modified inplace: index instead (x[0]), or edit a clone()"
    )


def follow_retained(x: Any, result: Any) -> None:
    """`retain_grad` follows the tensor to its new node; hooks stay with the old value."""
    if x._node is None or result._node is None:
        return
    node, nr = key(x._node)
    kept = node.extra.retain if node.extra is not None else {}
    if nr in kept and kept[nr]() is x:
        del kept[nr]
        node, nr = key(result._node)
        node.extras().retain[nr] = ref(x)

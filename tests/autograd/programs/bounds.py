"""What is not compared: steps that lead where PyTorch promises nothing that we would want to follow.

Programs keep away from them, also while they are shortened.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .freed import leads_nowhere
from .situations import overlaps
from .steps import Step
from .world import array_of

__all__ = ["BOUNDS", "out_of_bounds"]


def out_of_bounds(both: Any, step: Step) -> bool:
    """Whether a step may not be taken now."""
    return any(applies(both, step) for applies in BOUNDS.values())


def _hooked(both: Any) -> set[str]:
    """Variables with hooks, or whose gradient is kept though they are no leaves."""
    tensors = {name: tensor for name, tensor in both.ours.tensors().items() if tensor is not None}
    heard = [tensors[name] for name in both.listened if name in tensors]
    return {n for n, t in tensors.items() if t.retains_grad or any(t is other for other in heard)}


def _unvisited_root(both: Any, step: Step) -> bool:
    request = step.request
    if request is None or not request.inputs:
        return False
    hooked = _hooked(both)
    if both.parts & hooked and both.parts & {*request.inputs}:
        return True  # the same at a node with several outputs
    return bool(hooked & {*request.roots}) and leads_nowhere(both.theirs, request)


def _node_of_input(both: Any, step: Step) -> bool:
    request = step.request
    if request is None or not request.writes:
        return False
    inner = [name for name in request.inputs or () if not both.theirs[name].is_leaf]
    edited = any(done.kind == "in-place" for done in both.steps)
    return any(edited or name in both.watched or both.theirs[name].grad_fn in both.freed.by for name in inner)


def _adds_to_recorded(both: Any, step: Step) -> bool:
    if step.request is None or "create_graph=True" in step.code:
        return False
    kept = (t.grad for t in both.ours.tensors().values() if t is not None and t.retains_grad)
    return any(grad is not None and grad.requires_grad for grad in kept)


def _hooked_input_among_others(both: Any, step: Step) -> bool:
    request = step.request
    if request is None or request.writes or len(request.inputs or ()) < 2:
        return False
    return any(name in both.listened and not both.ours[name].is_leaf for name in request.inputs or ())


def _root_of_a_multi_hook(both: Any, step: Step) -> bool:
    if step.kind == "multi hook" and both.parts & {*step.reads}:
        return True  # an unused part is told None there, and that counts as the first
    if step.request is None:
        return False
    leaf = any(name in both.ours.names and both.ours[name].is_leaf for name in both.together)
    return bool(both.together & {*step.request.roots}) or (leaf and not step.request.writes)


def _spoiling_edit(both: Any, step: Step) -> bool:
    if step.kind != "in-place":
        return False
    target, tensors = step.reads[0], both.ours.tensors()
    recorded = _is_recorded(both, step)
    parts = both.parts & {name for name, tensor in tensors.items() if tensor is not None}
    if target in parts:
        return not recorded
    views = [] if recorded else [n for n, t in tensors.items() if t is not None and not t.is_leaf and t._is_view()]
    return any(np.may_share_memory(array_of(tensors[target]), array_of(tensors[n])) for n in [*parts, *views])


def _edit_of_a_hooked_view(both: Any, step: Step) -> bool:
    if step.kind != "in-place" or not _is_recorded(both, step):
        return False
    target, tensors = both.ours[step.reads[0]], both.ours.tensors()
    heard = (tensors.get(name) for name in both.listened | both.together)
    views = [t for t in heard if t is not None and t._is_view() and not t.is_leaf]
    return target._is_view() and any(np.may_share_memory(array_of(target), array_of(t)) for t in views)


def _recorded_overlap(both: Any, step: Step) -> bool:
    keeps_nothing = step.name in ("add_", "sub_", "copy_", "setitem")
    return not keeps_nothing and _is_recorded(both, step) and overlaps(both, step)


def _is_recorded(both: Any, step: Step) -> bool:
    return "no_grad()" not in step.code and any(both.ours[name].requires_grad for name in step.reads)


def _leaving_hooks_or_views(both: Any, step: Step) -> bool:
    if step.name not in ("detach_", "requires_grad_(True)", "requires_grad_(False)"):
        return False
    name = step.reads[0]
    if name in both.viewed | both.listened or (both.ours[name].is_leaf and name in both.used):
        return True
    return step.name == "detach_" and (name in both.loose or both.ours[name].retains_grad)


BOUNDS: dict[str, Callable[[Any, Step], bool]] = {
    "hooks of a root with nothing behind it that was asked for: called there, not here": _unvisited_root,
    "the node of a tensor named in backward(inputs=): run there, with its hooks, if it is freed or its values were "
    "edited an error": _node_of_input,
    "a kept gradient of an inner tensor that was recorded, and a pass that adds to it without recording: there the sum "
    "is a new tensor": _adds_to_recorded,
    "autograd.grad for a hooked tensor and for others behind it: there without its hooks": _hooked_input_among_others,
    "a root that a multi-grad hook listens to: PyTorch does not count it among those that it waits for; a leaf that it "
    "listens to, and autograd.grad: not supported there": (_root_of_a_multi_hook),
    "an edit of memory that an output of split or unbind shows: every use of it raises there; and an edit outside the "
    "graph where a view in the graph shows that memory: the view gets another node there": _spoiling_edit,
    "an edit of a view with hooks: they stay with its old value, which is part of our graph and not of PyTorch's": (
        _edit_of_a_hooked_view
    ),
    "a recorded edit by a tensor that shows part of the same memory, which the node keeps: an error at once there, "
    "here of the backward": _recorded_overlap,
    "a tensor with hooks or views taken off the graph, or told to require a gradient; a leaf that is part of a graph "
    "too: PyTorch asks it again when it differentiates": _leaving_hooks_or_views,
}
"""In words, and as a test of the next step."""

"""Where a program stands: whether a decision or a bound holds for its next step, and how PyTorch is told the same."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from .freed import leads_nowhere
from .steps import Step
from .world import array_of

# ------------------------------------------------------------------------------------- it holds


def again(both: Any, step: Step) -> bool:
    return step.request is not None and both.freed.silent(both.theirs, step.request)


def reaches_freed(both: Any, step: Step) -> bool:
    request = step.request
    return request is not None and not again(both, step) and both.freed.refused(both.theirs, request)


def some_need_none(both: Any, step: Step) -> bool:
    if step.request is None or not step.request.writes:
        return False
    needs = [both.theirs[name].requires_grad for name in step.request.roots]
    return any(needs) and not all(needs)


def asks_for_inner(both: Any, step: Step) -> bool:
    request = step.request
    if request is None or not (request.writes and request.frees and request.inputs):
        return False
    return any(both.theirs[name].grad_fn is not None for name in request.inputs)


def keeping(both: Any, step: Step) -> str:
    """PyTorch keeps the whole graph; what is freed of it by our rule, `Freed` knows."""
    code = step.code.replace(", retain_graph=False", "")
    return code if "create_graph=True" in code else code[:-1] + ", retain_graph=True)"


def keeps_others(*names: str) -> Callable[[Any, Step], bool]:
    return lambda both, step: step.kind == "op" and step.name in names


def overwrites_expanded(both: Any, step: Step) -> bool:
    """PyTorch refuses the other edits of an expanded tensor as we do, and both allow those of a part that is none."""
    if step.kind != "in-place" or not _overlaps_itself(array_of(both.ours[step.reads[0]])):
        return False
    if step.name in ("zero_", "fill_"):
        return True
    if step.name in ("copy_", "setitem") and both.ours[step.reads[0]] is both.ours[step.reads[1]]:
        return True  # to PyTorch there is nothing to do
    by_arrays = step.name.startswith("index_put_") or (
        step.name.startswith("setitem") and _basic_part(both, step) is None and "[...]" not in step.code
    )
    return by_arrays and _is_recorded(both, step)


def _overlaps_itself(array: Any) -> bool:
    return array.size > 0 and any(s == 0 and n > 1 for s, n in zip(array.strides, array.shape, strict=True))


def _basic_part(both: Any, step: Step) -> Any:
    """What `v0[...] = ` writes to; None if the index is no basic one, for such edits copy."""
    index = re.search(r"\bv\d+\[([-\d:, .]+)\] = ", step.code)
    if index is None:
        return None
    whole = "" if "..." in index[1] else ", ..."  # of one element, a view and no number
    return eval(f"array[{index[1]}{whole}]", {"array": array_of(both.ours[step.reads[0]])})


def cuts_off(both: Any, step: Step) -> bool:
    if step.name != "detach_":
        return False
    tensor = both.theirs[step.reads[0]]
    return not tensor.is_leaf and not tensor._is_view()


def overlaps(both: Any, step: Step) -> bool:
    """Whether an operand shows part of the memory that is written to, and not all of it in the same order."""
    if step.kind != "in-place" or len(step.reads) < 2:
        return False
    x, y = (array_of(both.ours[name]) for name in step.reads)
    part = _basic_part(both, step)
    if step.name.startswith(("setitem", "index_put_")) and part is None:
        return np.shares_memory(x, y)
    x = x if part is None else part
    same = x.ctypes.data == y.ctypes.data and x.shape == y.shape and x.strides == y.strides
    return not same and np.shares_memory(x, y)


def named(kind: str, name: str) -> Callable[[Any, Step], bool]:
    return lambda both, step: (step.kind, step.name) == (kind, name)


def edits_quiet_view(both: Any, step: Step) -> bool:
    if step.kind != "in-place" or step.code.startswith("with lib.no_grad()"):
        return False
    target = step.reads[0]
    base = both.ours[target]._base  # None for a flatten() that had nothing to do
    return target in both.quiet and base is not None and base.requires_grad


# ----------------------------------------------------------------------------------- out of bounds


def _same(both: Any, name: str) -> set[str]:
    """All names of a tensor: v9 and v15 may both be v0.grad."""
    return {other for other, tensor in both.ours.tensors().items() if tensor is both.ours[name]}


def _hooked(both: Any) -> set[str]:
    """Variables with hooks, or whose gradient is kept though they are no leaves."""
    tensors = {name: tensor for name, tensor in both.ours.tensors().items() if tensor is not None}
    heard = [tensors[name] for name in both.listened if name in tensors]
    return {n for n, t in tensors.items() if t.retains_grad or any(t is other for other in heard)}


def _inner_inputs(both: Any, step: Step) -> list[str]:
    request = step.request
    return [] if request is None else [n for n in request.inputs or () if not both.theirs[n].is_leaf]


def unvisited_root(both: Any, step: Step) -> bool:
    request = step.request
    if request is None or not request.inputs:
        return False
    return bool(_hooked(both) & {*request.roots}) and leads_nowhere(both.theirs, request)


def unvisited_part(both: Any, step: Step) -> bool:
    hooked = both.parts & _hooked(both)
    return bool(hooked and both.parts & {*(step.request.inputs or () if step.request else ())})


def node_of_input(both: Any, step: Step) -> bool:
    if step.request is None or not step.request.writes:
        return False
    nodes = {name: both.theirs[name].grad_fn for name in _inner_inputs(both, step)}
    return any(name in both.watched or node in both.freed.by or _refuses(node) for name, node in nodes.items())


def _refuses(node: Any) -> bool:
    """Whether something that a node of PyTorch has saved was freed or edited."""
    try:
        for name in dir(node):
            if name.startswith("_saved_"):
                getattr(node, name)
    except RuntimeError:
        return True
    return False


def adds_to_recorded(both: Any, step: Step) -> bool:
    if step.request is None or "create_graph=True" in step.code:
        return False
    kept = (t.grad for t in both.ours.tensors().values() if t is not None and t.retains_grad)
    return any(grad is not None and grad.requires_grad for grad in kept)


def hooked_input_among_others(both: Any, step: Step) -> bool:
    request = step.request
    if request is None or request.writes or len(request.inputs or ()) < 2:
        return False
    return any(name in both.listened for name in _inner_inputs(both, step))


def freed_input_with_hooks(both: Any, step: Step) -> bool:
    tensors = both.theirs.tensors()
    heard = {tensors[n].grad_fn for n in both.listened | both.together if tensors.get(n) is not None}
    wanted = {both.theirs[name].grad_fn for name in _inner_inputs(both, step)}
    return any(node in both.freed.by for node in wanted & heard)


def root_of_a_multi_hook(both: Any, step: Step) -> bool:
    return step.request is not None and bool(both.together & {*step.request.roots})


def leaf_of_a_multi_hook(both: Any, step: Step) -> bool:
    if step.request is None or step.request.writes:
        return False
    return any(name in both.ours.names and both.ours[name].is_leaf for name in both.together)


def leaf_and_inner_in_a_multi_hook(both: Any, step: Step) -> bool:
    any_of = step.kind == "multi hook" and step.name == "any"
    return any_of and len({both.ours[name].is_leaf for name in step.reads}) > 1


def part_in_a_multi_hook(both: Any, step: Step) -> bool:
    return step.kind == "multi hook" and bool(both.parts & {*step.reads})


def edit_of_a_hooked_view(both: Any, step: Step) -> bool:
    if step.kind != "in-place" or not _is_recorded(both, step):
        return False
    target, tensors = both.ours[step.reads[0]], both.ours.tensors()
    heard = (tensors.get(name) for name in both.listened | both.together)
    views = [t for t in heard if t is not None and t._is_view() and not t.is_leaf]
    return target._is_view() and any(np.may_share_memory(array_of(target), array_of(t)) for t in views)


def recorded_overlap(both: Any, step: Step) -> bool:
    keeps_nothing = step.name in ("add_", "sub_", "copy_", "setitem")
    return not keeps_nothing and _is_recorded(both, step) and overlaps(both, step)


def _is_recorded(both: Any, step: Step) -> bool:
    return "no_grad()" not in step.code and any(both.ours[name].requires_grad for name in step.reads)


def derived_again_at_an_edited_view(both: Any, step: Step) -> bool:
    request = step.request
    if request is None or request.writes or not any("create_graph=True" in done.code for done in both.steps):
        return False
    edited = [name for name in _inner_inputs(both, step) if both.ours[name]._version > 0]
    return any(both.ours[name]._is_view() or _same(both, name) & both.viewed for name in edited)


def product_of_one(both: Any, step: Step) -> bool:
    if step.name != "prod":
        return False
    array = array_of(both.ours[step.reads[0]])
    return array.ndim == 0 or ((array.size == 1 or 1 in array.shape) and not array.all())


def hooked_leaf_off(both: Any, step: Step) -> bool:
    if step.name not in ("requires_grad_(False)", "detach_") or not both.ours[step.reads[0]].is_leaf:
        return False
    return bool(_same(both, step.reads[0]) & (both.listened | both.together))


def viewed_constant_on(both: Any, step: Step) -> bool:
    if step.name != "requires_grad_(True)" or both.ours[step.reads[0]].requires_grad:
        return False
    return bool(_same(both, step.reads[0]) & both.viewed)


def viewed_result_off(both: Any, step: Step) -> bool:
    return step.name == "detach_" and bool(_same(both, step.reads[0]) & both.viewed)


def no_words_for(both: Any, step: Step) -> bool:
    """What PyTorch is told in other words: `detach_` as `detach`, a new tensor, and a quiet view as one of no graph.

    Of what is known by other means that is not the same.
    """
    if step.name == "requires_grad_(True)":
        return bool(_same(both, step.reads[0]) & both.quiet)
    if step.name != "detach_":
        return False
    names = _same(both, step.reads[0])
    return bool(names & (both.loose | both.listened | both.together)) or both.ours[step.reads[0]].retains_grad


def spoils_parts(both: Any, step: Step) -> bool:
    tensors = both.ours.tensors()
    parts = [name for name in both.parts if tensors.get(name) is not None]
    if step.kind == "in-place" and step.reads[0] in parts:
        return not _is_recorded(both, step)  # else it is refused at once
    arrays = [array_of(tensor) for tensor in _written(both, step)]  # of size 0: no memory, but the version all the same
    return any(not a.size or np.may_share_memory(a, array_of(tensors[name])) for a in arrays for name in parts)


def _written(both: Any, step: Step) -> list[Any]:
    """The tensors whose memory a step writes to; a backward pass that is not recorded adds to every `.grad`."""
    if step.kind == "in-place":
        return [both.ours[step.reads[0]]]
    adds = step.request is not None and step.request.writes and "create_graph=True" not in step.code
    if not adds and (step.kind, step.name) != ("clear", "zero_"):
        return []
    kept = [t for t in both.ours.tensors().values() if t is not None and (t.is_leaf or t.retains_grad)]
    return [tensor.grad for tensor in kept if tensor.grad is not None]


# -------------------------------------------------------------------------------- said otherwise


def raising(both: Any, step: Step) -> str:
    return "raise RuntimeError('decided otherwise')"


def otherwise(both: Any, step: Step) -> str:
    return step.otherwise


def as_it_is(both: Any, step: Step) -> str:
    return step.code

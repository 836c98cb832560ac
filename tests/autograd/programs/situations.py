"""Where a program stands: whether a decision holds for its next step, and how PyTorch is told to do the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

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


def keeps_others(both: Any, step: Step) -> bool:
    return step.kind == "op" and bool(step.otherwise)


def never(both: Any, step: Step) -> bool:
    return False


def overwrites_expanded(both: Any, step: Step) -> bool:
    """PyTorch refuses the other edits of an expanded tensor as we do."""
    writes = step.name in ("zero_", "fill_", "copy_") or step.name.startswith(("setitem", "index_put_"))
    if step.kind != "in-place" or not writes:
        return False
    array = array_of(both.ours[step.reads[0]])
    return any(stride == 0 and size > 1 for stride, size in zip(array.strides, array.shape, strict=True))


def cuts_off(both: Any, step: Step) -> bool:
    if step.name != "detach_":
        return False
    tensor = both.theirs[step.reads[0]]
    return not tensor.is_leaf and not tensor._is_view()


def overlaps(both: Any, step: Step) -> bool:
    if step.kind != "in-place" or len(step.reads) < 2:
        return False
    x, y = (array_of(both.ours[name]) for name in step.reads)
    if (step.name == "setitem" and "[...]" not in step.code) or step.name.startswith("index_put_"):
        return np.shares_memory(x, y)
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


# -------------------------------------------------------------------------------- said otherwise


def raising(both: Any, step: Step) -> str:
    return "raise RuntimeError('decided otherwise')"


def otherwise(both: Any, step: Step) -> str:
    return step.otherwise


def as_it_is(both: Any, step: Step) -> str:
    return step.code

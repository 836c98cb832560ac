"""A failing program without the lines that it does not need."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from .bounds import out_of_bounds
from .lockstep import Disagreement, Lockstep
from .steps import Step

__all__ = ["failure_of", "shortened"]


def failure_of(torch: Any, steps: list[Step], attentive: bool) -> Disagreement | None:
    """How these steps disagree when they are run from the start, None if they do not."""
    both = Lockstep(torch, attentive)
    try:
        for step in steps:
            if _runs(both, step):
                both.do(step)
    except Disagreement as failure:
        return failure
    return None


def _runs(both: Lockstep, step: Step) -> bool:
    """Whether what a step needs is still there."""
    known = both.ours.names
    if step.name == "remove" and step.code.split(".")[0] not in known:
        return False
    alive = not both.over and all(known.get(name) is not None for name in step.reads)
    return alive and not out_of_bounds(both, step)


def shortened(torch: Any, failure: Disagreement) -> Disagreement:
    """The same failure, or one like it, with fewer lines: each is taken out that can be, until none can."""
    before = 0
    while before != len(failure.steps):
        before = len(failure.steps)
        at = before - 2
        while at >= 0:
            found = _without(torch, failure, at)
            failure = found or failure
            at = min(at, len(failure.steps)) - 1
    return failure


def _without(torch: Any, failure: Disagreement, at: int) -> Disagreement | None:
    for steps in _fewer(failure.steps, at):
        found = failure_of(torch, steps, failure.attentive)
        if found is not None and found.kind == failure.kind and len(found.steps) < len(failure.steps):
            return found
    return None


def _fewer(steps: list[Step], at: int) -> Iterator[list[Step]]:
    """The program without one line; then with an operand of that line in the place of what it made."""
    head, step, rest = steps[:at], steps[at], steps[at + 1 :]
    yield head + rest
    if len(step.makes) == 1:
        for name in dict.fromkeys(step.reads):
            yield head + [_renamed(later, step.makes[0], name) for later in rest]


def _renamed(step: Step, old: str, new: str) -> Step:
    def text(code: str) -> str:
        return re.sub(rf"\b{old}\b", new, code)

    def names(some: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(new if name == old else name for name in some))

    request = step.request
    if request is not None:
        inputs = None if request.inputs is None else names(request.inputs)
        request = replace(request, roots=tuple(map(text, request.roots)), inputs=inputs)
    code, otherwise = text(step.code), text(step.otherwise)
    return replace(step, code=code, otherwise=otherwise, reads=tuple(map(text, step.reads)), request=request)

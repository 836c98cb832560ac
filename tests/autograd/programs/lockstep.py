"""Two libraries run one program step by step, and are compared after every step."""

from __future__ import annotations

from collections import Counter
from typing import Any, NoReturn

import numpy as np

import tensorplay as tp
from tensorplay import errors

from .compare import difference_of_endings, difference_of_tensors, difference_seen
from .decisions import DECISIONS, Decision
from .freed import Freed, key_of, visited
from .steps import SAME_HOOK, Step, script
from .world import Outcome, World, array_of

__all__ = ["Disagreement", "Lockstep"]

SETTLED_BEFORE_THE_PASS = (
    errors.NonScalarError, errors.NoGradRootError, errors.UnusedInputError, errors.GradTypeError, errors.InferenceError,
)  # fmt: skip
"""Errors of a request that leave both libraries as they were; what any other leaves behind is not promised."""

SHARING = ("view", "parts", "detach")
"""Steps whose result shows the memory of an operand."""


USING = ("op", "view", "parts", "index", "in-place", "inference", "mode")
"""Steps that record their operands."""


class Disagreement(AssertionError):
    """The libraries differ, and no decision of ours says so."""

    def __init__(self, text: str, steps: list[Step], attentive: bool) -> None:
        super().__init__(f"{text}\n\nafter the last line of\n\n{script(steps, attentive)}\n")
        self.steps, self.attentive = list(steps), attentive
        self.kind = "".join(c for c in text.splitlines()[0] if not c.isdigit())
        """What differs, whatever the variable is called."""


class Lockstep:
    """One program in both libraries.

    With `attentive` every flag of every variable is read after each step. Reading `grad_fn` brings views up to
    date, so half of the programs do it only where a step has touched a variable.
    """

    def __init__(self, torch: Any, attentive: bool = True) -> None:
        self.ours, self.theirs = World(tp), World(torch, SAME_HOOK)
        self.attentive = attentive
        self.steps: list[Step] = []
        self.freed = Freed()
        self.over = False
        self.scale = 1.0
        self.loose: set[str] = set()
        """Variables whose memory layout is not promised: gradients, and results laid out differently."""
        self.parts: set[str] = set()
        """Outputs of an operation that has several, and views of them."""
        self.listened: set[str] = set()
        """Variables with hooks, on them or on the node that made them."""
        self.watched: set[str] = set()
        """Those with hooks on the node."""
        self.together: set[str] = set()
        """Those of which several share a hook."""
        self.used: set[str] = set()
        """Operands of an operation so far."""
        self.viewed: set[str] = set()
        """Variables of which there are views."""
        self.quiet: set[str] = set()
        """Views made under `no_grad`, and views of them."""
        self.offsets: dict[str, int] = {}
        """How far PyTorch's version counter is ahead: it counts what it does in place inside an operation or a pass."""
        self.counts: Counter[tuple[str, str]] = Counter()
        self.hits: Counter[str] = Counter()
        self.errors: Counter[str] = Counter()
        self.clean = 0

    # ------------------------------------------------------------------------------- running a step

    def do(self, step: Step) -> Outcome:
        """Run a step in both libraries; raise Disagreement where they differ without a decision."""
        decision = next((d for d in DECISIONS if d.applies(self, step)), None)
        runs = visited(self.theirs, step.request) if step.request else []
        key = key_of(self.theirs, step.request) if step.request else None
        before = self._kept_grads() if step.request else {}
        since = len(self.ours.seen), len(self.theirs.seen)
        self.steps.append(step)
        ours = self.ours.run(step.code)
        theirs = self.theirs.run(decision.spelled(self, step) if decision else step.code)
        self._check_ending(step, decision, ours, theirs)
        if self._stopped(step, ours):
            self._check_nothing_lost(before)
            self.over = True
        else:
            if step.request and step.request.frees and (decision is None or decision.runs):
                self._mark(runs, key, ours)
            self._compare(step, ours, since)
        self._count(step, decision, ours)
        return ours

    def _mark(self, runs: list[Any], key: Any, ours: Outcome) -> None:
        if ours.error is None or issubclass(ours.error, errors.UnusedInputError):
            self.freed.mark(runs, key)

    def _check_ending(self, step: Step, decision: Decision | None, ours: Outcome, theirs: Outcome) -> None:
        found = difference_of_endings(ours, theirs)
        if found:
            self._disagree(found)
        if decision and decision.raises and (ours.error is None or ours.error.__name__ not in decision.raises):
            self._disagree(f"decision {decision.row} says {decision.raises}, but: {ours}")

    def _stopped(self, step: Step, ours: Outcome) -> bool:
        """Whether a pass broke off half way."""
        if step.request is None or ours.error is None:
            return False
        return ours.error is not errors.GradError and not issubclass(ours.error, SETTLED_BEFORE_THE_PASS)

    def _kept_grads(self) -> dict[str, Any]:
        pairs = {n: t.grad for n, t in self.ours.tensors().items() if t is not None and t.is_leaf}
        return {n: None if g is None else array_of(g).copy() for n, g in pairs.items()}

    def _check_nothing_lost(self, before: dict[str, Any]) -> None:
        after = self._kept_grads()
        for name, g in before.items():
            if not np.array_equal(g, after[name], equal_nan=g is not None):
                self._disagree(f"the pass stopped, but {name}.grad was {g} and is {after[name]}")

    # -------------------------------------------------------------------------------- comparing

    def _compare(self, step: Step, ours: Outcome, since: tuple[int, int]) -> None:
        if ours.error is None:
            self._adopt(step)
        touched = {*step.makes, *step.reads}
        for name, a in self.ours.tensors().items():
            flags = self.attentive or name in touched
            b, offset = self.theirs.names.get(name), self.offsets.get(name, 0)
            found = difference_of_tensors(name, a, b, self.scale, flags, offset, name in self.loose)
            if found:
                self._disagree(found)
        found = difference_seen(self.ours, self.theirs, since, self.scale)
        if found:
            self._disagree(found)

    def _adopt(self, step: Step) -> None:
        """Take note of new variables, and of how large the numbers have become."""
        shared = [name for name in step.reads if step.kind in SHARING]
        self.used.update(step.reads if step.kind in USING else ())
        if step.kind.endswith(" hook"):
            self.listened.update(step.reads)
        if step.kind == "node hook":
            self.watched.update(step.reads)
        if step.kind == "multi hook":
            self.together.update(step.reads)
        self.viewed.update(name for name in shared if step.kind != "detach")
        for name in step.makes:
            a, b = self.ours[name], self.theirs.names.get(name)
            if a is None or b is None:
                continue
            if step.kind in ("gradient", "grad") or (step.kind == "op" and a._version == 0):
                self.offsets[name] = b._version - a._version
            elif any(n in self.offsets for n in shared):
                self.offsets[name] = self.offsets[shared[0]]
            if step.kind in ("gradient", "grad") or self.loose & {*shared} or _layout(a) != _layout(b):
                self.loose.add(name)
            if step.kind == "op" and b._is_view() and not a._is_view():  # the end of a composed operation there
                self.loose.add(name)
            if step.kind == "parts" or (step.kind == "view" and self.parts & {*shared}):
                self.parts.add(name)
            if step.name == "under no_grad" or (step.kind != "detach" and self.quiet & {*shared}):
                self.quiet.add(name)
        for name in {*step.makes, *step.reads}:
            if self.ours.names.get(name) is not None:
                self.scale = max(self.scale, _size(array_of(self.ours[name])))

    def _disagree(self, text: str) -> NoReturn:
        self.over = True
        raise Disagreement(text, self.steps, self.attentive)

    def _count(self, step: Step, decision: Decision | None, ours: Outcome) -> None:
        if decision:
            self.hits[decision.row] += 1
        if ours.error is not None:
            self.errors[ours.error.__name__] += 1
            return
        self.counts[step.kind, step.name] += 1
        if step.request and not decision and any(not self.ours[r].is_leaf for r in step.request.roots):
            self.clean += 1

    # ---------------------------------------------------------------------------- choosing variables

    def floats(self) -> list[str]:
        """Names of the variables that can take part, oldest first."""
        tensors = self.ours.tensors().items()
        return [n for n, t in tensors if t is not None and t.is_floating_point() and not t.is_inference()]

    def within(self, name: str, domain: str) -> bool:
        """Whether a variable's numbers are such that both libraries compute the same from them."""
        array = array_of(self.ours[name])
        return all(self._is(name, array, word) for word in domain.split())

    def _is(self, name: str, array: Any, word: str) -> bool:
        if word == "any":
            return True
        if word == "owned":
            return name not in self.loose
        if not array.size:
            return word != "settled"
        if word == "settled":
            return _size(array) < 1e3 and array.tobytes() == array_of(self.theirs[name]).tobytes()
        return {
            "tame": lambda: _size(array) < 1e3,
            "small": lambda: _size(array) <= 4,
            "positive": lambda: array.min() > 0.05 and _size(array) < 1e3,
            "nonzero": lambda: np.abs(array).min() > 0.05,
            "spread": lambda: array.size == 1 or np.ptp(array) > 0.05,  # equal numbers have a deviation of rounding
        }[word]()


def _size(array: Any) -> float:
    """The largest magnitude; infinity for what is not finite."""
    if not array.size:
        return 0.0
    largest = float(np.abs(array).max())
    return largest if largest == largest else float("inf")


def _layout(tensor: Any) -> list[int]:
    """Steps in memory along the dimensions in which one can step."""
    return [s for s, n in zip(tensor.stride(), tensor.shape, strict=True) if n > 1]

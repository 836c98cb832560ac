"""The words a trace is written in: lines, rules, and one small class for each kind of step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from .summary import array_of
from .value import Number, Value, plain_numbers

__all__ = [
    "STEPS",
    "Accumulated",
    "Again",
    "Began",
    "Ended",
    "Entry",
    "Failed",
    "Freed",
    "Hooked",
    "LeftOut",
    "Line",
    "OpRan",
    "OpRefused",
    "Rule",
    "Sent",
    "Step",
    "Stepped",
    "Visited",
    "Written",
    "Zeroed",
]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the user's program."""

    file: str
    number: int
    function: str
    text: str


@dataclass(frozen=True, slots=True)
class Rule:
    """What an operation says about itself: its sign, its formula, and each input's derivative."""

    name: str
    label: str
    formula: str
    inputs: tuple[str, ...]
    local: Mapping[str, str]
    summary: str


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What the trace does not hold, so that nothing is missing silently."""

    values: int = 0
    elements: int = 0
    unrecorded_ops: int = 0
    steps: int = 0
    budget: int = 0

    def sentences(self) -> tuple[str, ...]:
        """One sentence for each kind of thing that was left out."""
        ops = f"{self.unrecorded_ops:,} operation{'s' * (self.unrecorded_ops > 1)}"
        told = (
            (
                self.values,
                f"Large arrays are summarised: {self.elements:,} of their numbers were left out.",
            ),
            (self.unrecorded_ops, f"{ops} needed no gradient and got no step."),
            (self.steps, f"{self.steps} steps after the limit were left out."),
        )
        return tuple(sentence for count, sentence in told if count)


# ------------------------------------------------------------------------------------------- steps


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happened. `line` indexes `Trace.lines`; `pass_number` counts backward passes from 1."""

    kind: ClassVar[str] = "step"
    phase: ClassVar[str] = "forward"

    line: int | None = field(default=None, kw_only=True)
    pass_number: int | None = field(default=None, kw_only=True)

    @property
    def about(self) -> tuple[str, ...]:
        """Ids of the nodes this step is about, the main one first."""
        return tuple(getattr(self, name) for name in ("node",) if getattr(self, name, None))


@dataclass(frozen=True, slots=True)
class OpRan(Step):
    """An operation ran: its inputs, its result, and what its node saved (name, bytes)."""

    kind = "op"

    node: str
    inputs: tuple[Value | None, ...]
    value: Value
    saved: tuple[tuple[str, int], ...]
    several: tuple[Value | None, ...] = ()
    """All its results by number, where gradients come back to more than one; None for what is not recorded."""

    @property
    def results(self) -> tuple[tuple[int, Value], ...]:
        """Its results with their numbers."""
        return tuple((nr, v) for nr, v in enumerate(self.several or (self.value,)) if v is not None)


@dataclass(frozen=True, slots=True)
class OpRefused(Step):
    """An operation refused its inputs."""

    kind = "refused"

    op: str
    shapes: tuple[tuple[int, ...], ...]
    error: str
    message: str


@dataclass(frozen=True, slots=True)
class Sent:
    """A gradient sent along an edge; `total` is all that waits at the target after it."""

    edge: str | None
    target: str
    slot: int
    value: Value
    total: Value


@dataclass(frozen=True, slots=True)
class Began(Step):
    """A backward pass began with one seed a root."""

    kind = "backward"
    phase = "backward"

    seeds: tuple[Sent, ...]
    retain: bool
    create: bool

    @property
    def about(self) -> tuple[str, ...]:
        """The roots."""
        return tuple(seed.target for seed in self.seeds)


@dataclass(frozen=True, slots=True)
class Visited(Step):
    """A node's rule ran: the gradients that had arrived, and what it sent on."""

    kind = "visit"
    phase = "backward"

    node: str
    arrived: tuple[Value | None, ...]
    sent: tuple[Sent, ...]
    frees: bool = False


@dataclass(frozen=True, slots=True)
class Hooked(Step):
    """A hook looked at a gradient, and may have replaced it."""

    kind = "hook"
    phase = "backward"

    node: str
    before: Value | None
    after: Value | None
    sort: str


@dataclass(frozen=True, slots=True)
class Freed(Step):
    """A node let go of its saved arrays."""

    kind = "freed"
    phase = "backward"

    node: str
    arrays: int
    nbytes: int


@dataclass(frozen=True, slots=True)
class Entry:
    """The number of a large array that changes most, exactly: where it is, what it was, and what it becomes."""

    index: tuple[int, ...]
    before: Number | None
    change: Number
    after: Number

    @classmethod
    def of(cls, before: Any, after: Any, change: Any = None) -> Entry | None:
        """Found in whole arrays; None for a single number. NaN counts as the largest change."""
        old, new = (None if a is None else np.asarray(array_of(a)) for a in (before, after))
        assert new is not None
        if new.size < 2:
            return None
        with np.errstate(all="ignore"):
            delta = np.asarray(array_of(change)) if change is not None else new - (0 if old is None else old)
            spot = int(np.argmax(np.abs(delta)))

        def there(array: np.ndarray) -> Number:
            return plain_numbers(array.reshape(-1)[spot : spot + 1])[0]

        index = tuple(map(int, np.unravel_index(spot, new.shape)))
        return cls(index, None if old is None else there(old), there(delta), there(new))


@dataclass(frozen=True, slots=True)
class Accumulated(Step):
    """`before + increment = after` in a leaf's `.grad`; `before` is None the first time."""

    kind = "accumulate"
    phase = "accumulate"

    node: str
    before: Value | None
    increment: Value
    after: Value
    largest: Entry | None = None


@dataclass(frozen=True, slots=True)
class Ended(Step):
    """A backward pass reached its end."""

    kind = "ended"
    phase = "accumulate"

    visited: int
    leaves: int
    freed: int


@dataclass(frozen=True, slots=True)
class Failed(Step):
    """A backward pass stopped with an error."""

    kind = "failed"
    phase = "backward"

    node: str | None
    error: str
    message: str


@dataclass(frozen=True, slots=True)
class Again(Step):
    """`backward()` was asked for on a graph that was already freed: nothing changed."""

    kind = "again"
    phase = "backward"

    roots: tuple[str, ...]

    @property
    def about(self) -> tuple[str, ...]:
        """The roots."""
        return self.roots


@dataclass(frozen=True, slots=True)
class Written(Step):
    """A tensor (`what="value"`), or its gradient (`what="grad"`), was overwritten in place."""

    kind = "written"
    phase = "update"

    node: str
    what: str
    value: Value
    version: int


@dataclass(frozen=True, slots=True)
class Stepped(Step):
    """An optimizer changed a parameter."""

    kind = "optimizer"
    phase = "update"

    node: str
    optimizer: str
    before: Value
    after: Value
    largest: Entry | None = None


@dataclass(frozen=True, slots=True)
class Zeroed(Step):
    """The gradients of these parameters were cleared."""

    kind = "zero"
    phase = "update"

    nodes: tuple[str, ...]

    @property
    def about(self) -> tuple[str, ...]:
        """The parameters."""
        return self.nodes


STEPS: tuple[type[Step], ...] = (
    OpRan,
    OpRefused,
    Began,
    Visited,
    Hooked,
    Freed,
    Accumulated,
    Ended,
    Failed,
    Again,
    Written,
    Stepped,
    Zeroed,
)
"""Every kind of step."""

"""The words a trace is written in: values, lines, rules, and one small class for each kind of step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from .summary import number_text, shape_text

__all__ = [
    "STEPS",
    "Accumulated",
    "Again",
    "Began",
    "Ended",
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
    "Value",
    "Visited",
    "Written",
    "Zeroed",
]

Number = int | float | bool | str

# ------------------------------------------------------------------------------------------ values


@dataclass(frozen=True, slots=True)
class Value:
    """An array as it was at one moment: all of its numbers if there are few, else a summary.

    `total`, `low` and `high` are exact (`total` is summed in float64); `numbers` is the flat list, or
    None when it was left out; `head` holds the first few in any case.
    """

    shape: tuple[int, ...]
    dtype: str
    numbers: tuple[Number, ...] | None
    head: tuple[Number, ...]
    total: Number | None
    low: Number | None
    high: Number | None

    @classmethod
    def of(cls, array: Any, whole: int = 64, head: int = 4) -> Value:
        """Copy what is to be kept of `array`; up to `whole` elements keep every number."""
        a = np.asarray(array)
        flat = a.reshape(-1)
        kept = _plain(flat) if flat.size <= whole else None
        total, low, high = _extent(flat)
        return cls(a.shape, str(a.dtype), kept, _plain(flat[:head]), total, low, high)

    @property
    def text(self) -> str:
        """For a box in the picture: a few numbers whole, many by their mean."""
        whole = self._whole(18)
        return whole if whole is not None else self._short("mean")

    @property
    def gradient_text(self) -> str:
        """The same for a gradient, whose mean says little: how large its numbers are at most."""
        whole = self._whole(18)
        return whole if whole is not None else self._short("max |g|")

    @property
    def long(self) -> str:
        """For a card."""
        whole = self._whole(48)
        if whole is not None:
            return whole
        if self.low is None or self.high is None:
            return f"{shape_text(self.shape)} numbers"
        return f"{shape_text(self.shape)} numbers from {number_text(self.low)} to {number_text(self.high)}"

    @property
    def said(self) -> str:
        """For a sentence: the numbers if they are few, else how many there are."""
        whole = self._whole(40)
        return whole if whole is not None else f"{shape_text(self.shape)} numbers"

    def _whole(self, room: int) -> str | None:
        """All numbers as text, if they were kept, are few, and fit."""
        if self.numbers is None or self.size > 6:
            return None
        text = _nested_text(self.tolist())
        return text if len(text) <= room else None

    def _short(self, lead: str) -> str:
        if not isinstance(self.total, int | float) or self.low is None or self.high is None:
            return f"{shape_text(self.shape)} numbers"
        if lead == "mean":
            return f"mean {_rough(self.total / self.size)}"
        return f"{lead} {_rough(max(abs(float(self.low)), abs(float(self.high))))}"

    @property
    def size(self) -> int:
        """How many elements."""
        return int(np.prod(self.shape, dtype=np.int64))

    def tolist(self) -> Any:
        """The numbers, nested as the shape is; None when they were left out."""
        if self.numbers is None:
            return None
        nested = np.empty(len(self.numbers), dtype=object)
        nested[:] = self.numbers
        return nested.reshape(self.shape).tolist()


def _plain(flat: np.ndarray) -> tuple[Number, ...]:
    """Python numbers; a complex one becomes text, which JSON can hold."""
    if flat.dtype.kind in "fiub":
        return tuple(flat.tolist())
    return tuple(str(x) for x in flat.tolist())


def _rough(number: float) -> str:
    """Two digits: enough for a number that stands for many."""
    return number_text(float(f"{number:.2g}"))


def _nested_text(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(map(_nested_text, value)) + "]"
    return number_text(value)


def _extent(flat: np.ndarray) -> tuple[Number | None, Number | None, Number | None]:
    if flat.dtype.kind not in "fiub" or flat.size == 0:
        return (None, None, None)
    wide = np.float64 if flat.dtype.kind == "f" else np.int64
    with np.errstate(all="ignore"):
        return (np.sum(flat, dtype=wide).item(), flat.min().item(), flat.max().item())


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
        told = (
            (
                self.values,
                f"{self.values:,} large values are summarised: {self.elements:,} numbers were left out.",
            ),
            (self.unrecorded_ops, f"{self.unrecorded_ops} operations needed no gradient and are not steps."),
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
class Accumulated(Step):
    """`before + increment = after` in a leaf's `.grad`; `before` is None the first time."""

    kind = "accumulate"
    phase = "accumulate"

    node: str
    before: Value | None
    increment: Value
    after: Value


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

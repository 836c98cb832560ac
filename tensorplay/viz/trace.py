"""A Trace: everything a recorded run did, as plain frozen data.

A trace holds copies and summaries, never live tensors, so looking at it later changes nothing and it
can be written to a file. Ids count from the start of the trace: the same program gives the same trace,
byte for byte, on every run.

    with tp.viz.record() as trace:
        loss = model(x)
        loss.backward()
    trace.events[0]          # the first step
    trace.at(5)              # everything known after five steps
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

import numpy as np

from ..errors import TraceError
from .graph import Graph
from .steps import STEPS, Entry, LeftOut, Line, Rule, Sent, Step
from .value import Value

__all__ = ["SCHEMA", "LeftOut", "Line", "Rule", "Start", "Step", "Trace", "Value"]

SCHEMA = 1
"""Version of the JSON form. A reader refuses every other one."""


@dataclass(frozen=True, slots=True)
class Start:
    """What was there before the first step: leaves, their gradients, and operations that ran unseen."""

    values: Mapping[str, Value]
    grads: Mapping[str, Value]
    done: tuple[str, ...]
    freed: tuple[str, ...]
    saved: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Trace:
    """A recorded run. `len(trace)` steps; `trace.at(k)` is the state after `k` of them.

    While a `record()` block is still open the trace is empty; the end of the block fills it, once.
    """

    graph: Graph = field(default_factory=lambda: Graph((), (), ""))
    events: tuple[Step, ...] = ()
    start: Start = field(default_factory=lambda: Start({}, {}, (), (), {}))
    rules: Mapping[str, Rule] = field(default_factory=dict)
    lines: tuple[Line, ...] = ()
    left_out: LeftOut = field(default_factory=LeftOut)

    def __len__(self) -> int:
        return len(self.events)

    def __iter__(self) -> Iterator[Step]:
        return iter(self.events)

    def at(self, step: int) -> Any:
        """The complete `State` after `step` steps (0 is before the first), a pure function of both.

        Raises IndexError if there is no such step. Negative numbers count from the end.
        """
        from .state import state_at

        return state_at(self, step)

    def to_json(self, *, indent: int | None = None) -> str:
        """The trace as JSON text; `Trace.from_json` reads it back, equal."""
        head = {"format": "tensorplay.trace", "version": SCHEMA}
        text = json.dumps(head | {"trace": _pack(self)}, ensure_ascii=False, allow_nan=False, indent=indent)
        # half an emoji cannot be written to a file, but can be spelt
        return re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", text)

    @classmethod
    def from_json(cls, text: str) -> Trace:
        """Read a trace written by `to_json`. Raises TraceError for anything else, saying what it got."""
        try:
            data = json.loads(text)
        except ValueError as problem:
            raise TraceError(f"not a trace: the text is not JSON ({problem})") from None
        if not isinstance(data, dict) or data.get("format") != "tensorplay.trace":
            raise TraceError('not a trace: expected a JSON object with "format": "tensorplay.trace"')
        if data.get("version") != SCHEMA:
            got = data.get("version")
            raise TraceError(
                f"trace version {got!r} cannot be read: this tensorplay reads version {SCHEMA}; record the run again"
            )
        return _read(cls, data.get("trace"))

    def __str__(self) -> str:
        from .narrate import transcript

        return transcript(self)

    def __repr__(self) -> str:
        return f"<Trace: {len(self.events)} steps, {len(self.graph.nodes)} nodes>"


# -------------------------------------------------------------------------------------------- JSON


_CLASSES: dict[str, type] = {c.__name__: c for c in (*STEPS, Value, Entry, Line, Rule, LeftOut, Sent, Start, Trace)}


def _pack(thing: Any) -> Any:
    """Dataclasses become objects with an "is"; tuples lists; nan and inf, which JSON lacks, too."""
    if isinstance(thing, Graph):
        return {"is": "Graph", "graph": thing.to_dict()}
    if is_dataclass(thing):
        return {"is": type(thing).__name__} | {f.name: _pack(getattr(thing, f.name)) for f in fields(thing)}
    if isinstance(thing, Mapping):
        return {key: _pack(value) for key, value in thing.items()}
    if isinstance(thing, tuple | list):
        return [_pack(item) for item in thing]
    if isinstance(thing, float) and not np.isfinite(thing):
        return {"is": "float", "value": str(thing)}
    return thing


def _unpack(thing: Any) -> Any:
    if isinstance(thing, list):
        return tuple(_unpack(item) for item in thing)
    if not isinstance(thing, dict):
        return thing
    if thing.get("is") == "float":
        return float(thing["value"])
    if thing.get("is") == "Graph":
        return Graph.from_dict(thing["graph"])
    items = {key: _unpack(value) for key, value in thing.items() if key != "is"}
    return _CLASSES[thing["is"]](**items) if "is" in thing else items


def _read(cls: type[Trace], data: Any) -> Trace:
    try:
        trace = _unpack(data)
    except (KeyError, TypeError, ValueError) as problem:
        raise TraceError(f"damaged trace: {type(problem).__name__}: {problem}") from None
    if not isinstance(trace, cls) or not isinstance(trace.graph, Graph):
        got = trace.graph if isinstance(trace, cls) else trace
        raise TraceError(f"damaged trace: expected a Trace with its Graph inside, got {type(got).__name__}")
    return trace

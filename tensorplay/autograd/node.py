"""Nodes: what the tape is made of.

A node remembers one operation: its plan (which rule, and what it needs), where gradients go (`edges`,
one an input), and the arrays the rule reads (`saved`). It never holds its output tensor; that cycle
would make memory wait for the garbage collector (measured: a 100,000-element multiply went from
16 us to 276 us).

An edge is a `Node` (its one differentiable output), an `Out` (one output of several), the leaf
tensor itself, or None where no gradient is needed.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from .. import events
from ..errors import FreedGraphError

__all__ = ["AccumulateGrad", "Extra", "Node", "Out", "RemovableHandle", "key", "next_order", "node_at"]

next_order = itertools.count(0, -1).__next__
"""Order numbers fall, so a heap gives the newest node first. One counter for the process: ties cannot happen."""


class Node:
    """One recorded operation. Made in `apply.py` alone."""

    __slots__ = (
        "__weakref__",
        "edges",
        "extra",
        "fit",
        "order",
        "params",
        "plan",
        "saved",
        "shape",
        "versions",
    )

    plan: Any
    edges: tuple[Any, ...]
    order: int
    saved: tuple[Any, ...] | None
    """What the rule reads; None once freed, so being freed is a state of the graph and not of what was saved."""
    versions: tuple[Any, ...]
    """Pairs (version cell, number when saved) of the tensors among `saved`."""
    shape: tuple[int, ...]
    params: dict[str, Any] | None
    fit: tuple[Any, ...] | None
    """Per input (shape, dtype) its gradient must be brought to, or None where nothing was stretched or cast."""
    extra: Extra | None

    @property
    def op(self) -> Any:
        """The op class whose rule this node runs."""
        return self.plan.op

    @property
    def number(self) -> int:
        """Creation number: newer nodes have larger ones."""
        return -self.order

    @property
    def freed(self) -> bool:
        """Whether the saved tensors are gone."""
        return self.saved is None

    @property
    def saved_bytes(self) -> int:
        """Bytes of the arrays the node keeps alive."""
        return sum(array.nbytes for _, array in self.saved_arrays())

    def saved_arrays(self) -> list[tuple[str, Any]]:
        """The arrays kept, each with the name the rule gives it; empty once freed."""
        pairs = []
        for (kind, which), value in zip(self.plan.sources, self.saved or (), strict=False):
            if kind == "in" and hasattr(value, "nbytes"):
                pairs.append((self.op.inputs[which], value))
            elif kind == "ins":
                pairs += [(f"{self.op.inputs[which]}[{i}]", v) for i, v in enumerate(value)]
            elif kind == "out":
                pairs.append((self.op.outputs[which], value))
        return pairs

    def name(self) -> str:
        """The node's kind, such as "MulBackward"."""
        return f"{self.op.__name__}Backward"

    @property
    def next_functions(self) -> tuple[tuple[Any, int], ...]:
        """Where gradients go: (node, output number) for each input; leaves end in an AccumulateGrad."""
        return tuple(_visible(edge) for edge in self.edges)

    @property
    def metadata(self) -> dict[str, Any]:
        """A dictionary of the user's own."""
        return self.extras().metadata

    @property
    def place(self) -> events.Source | None:
        """The line that made the node, when a listener asked for lines."""
        return self.extra.place if self.extra else None

    @property
    def hooks_count(self) -> int:
        """How many hooks would fire here."""
        return self.extra.count() if self.extra else 0

    def extras(self) -> Extra:
        """The rare part of the node, made when first needed."""
        if self.extra is None:
            self.extra = Extra()
        return self.extra

    def register_prehook(self, hook: Callable[[Any], Any]) -> RemovableHandle:
        """Call `hook(grad_outputs)` before the rule; a returned tuple replaces them."""
        return RemovableHandle.into(self.extras().before, hook)

    def register_hook(self, hook: Callable[[Any, Any], Any]) -> RemovableHandle:
        """Call `hook(grad_inputs, grad_outputs)` after the rule; a returned tuple replaces `grad_inputs`."""
        return RemovableHandle.into(self.extras().after, hook)

    def __getattr__(self, name: str) -> Any:
        """`_saved_x`: the saved array of that name, as PyTorch offers it."""
        if not name.startswith("_saved_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        wanted = name.removeprefix("_saved_")
        if self.saved is None:
            raise FreedGraphError(
                f"Trying to read the saved tensor {wanted!r} of {self.name()} after it was freed. "
                f"Read it before backward(), or run backward(retain_graph=True)."
            )
        kept = dict(self.saved_arrays())
        if wanted not in kept:
            raise AttributeError(f"{self.name()} saved no {wanted!r}; it saved {sorted(kept) or 'nothing'}")
        return kept[wanted]

    def __repr__(self) -> str:
        place = self.place
        where = f", {place.filename.rsplit('/', 1)[-1]}:{place.lineno}" if place else ""
        return f"<{self.name()} node {self.number}: {self.expression()}{where}>"

    def expression(self) -> str:
        """The line's text when it is known, else the label over the names of the inputs."""
        if self.place and self.place.text:
            return self.place.text
        label, names = self.op.label, self.op.inputs
        return f" {label} ".join(names) if self.op.infix else f"{label}({', '.join(names)})"


class Out:
    """Output `nr` of a node that has several differentiable ones."""

    __slots__ = ("node", "nr")

    def __init__(self, node: Node, nr: int) -> None:
        self.node = node
        self.nr = nr


def node_at(edge: Any) -> Node | None:
    """The node an edge leads to, None for a leaf."""
    return edge if edge.__class__ is Node else edge.node if edge.__class__ is Out else None


def key(edge: Any) -> tuple[Node, int]:
    """A non-leaf edge as (node, output number)."""
    return (edge.node, edge.nr) if edge.__class__ is Out else (edge, 0)


def _visible(edge: Any) -> tuple[Any, int]:
    if edge is None or node_at(edge) is not None:
        return key(edge)
    return (AccumulateGrad(edge), 0)


class AccumulateGrad:
    """The end of a path: adds what arrives to `variable.grad`. Made on demand, equal if the variable is the same."""

    __slots__ = ("variable",)
    next_functions: tuple[Any, ...] = ()

    def __init__(self, variable: Any) -> None:
        self.variable = variable

    def name(self) -> str:
        """Always "AccumulateGrad"."""
        return "AccumulateGrad"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AccumulateGrad) and other.variable is self.variable

    def __hash__(self) -> int:
        return id(self.variable)

    def __repr__(self) -> str:
        return f"<AccumulateGrad of a leaf of shape {list(self.variable.shape)}>"


class Extra:
    """What few nodes have: hooks, retained gradients, a place, a mark of how they ended."""

    __slots__ = (
        "after",
        "before",
        "freed_at",
        "interrupted",
        "metadata",
        "place",
        "request",
        "retain",
        "shapes",
        "tensor_hooks",
    )

    def __init__(self) -> None:
        self.tensor_hooks: dict[int, dict[int, Any]] = {}
        """Output number -> hooks of the tensor there."""
        self.retain: dict[int, Any] = {}
        """Output number -> weak reference to the tensor that keeps its gradient."""
        self.before: dict[int, Any] = {}
        self.after: dict[int, Any] = {}
        self.metadata: dict[str, Any] = {}
        self.place: events.Source | None = None
        self.freed_at: events.Source | None = None
        self.interrupted: str | None = None
        """The error that ended the pass which freed this root."""
        self.shapes: tuple[tuple[int, ...], ...] = ()
        """Shapes of all outputs, for ops that have several differentiable ones."""
        self.request: frozenset[Any] | None = None
        """What `inputs=` asked for in the pass that freed this root."""

    def count(self) -> int:
        """Hooks of all kinds."""
        return sum(map(len, self.tensor_hooks.values())) + len(self.before) + len(self.after)


class RemovableHandle:
    """Takes a hook off again; harmless twice, and usable in a `with` block."""

    __slots__ = ("_hooks", "_key")
    _keys = itertools.count()

    def __init__(self, hooks: dict[int, Any], key: int) -> None:
        self._hooks = hooks
        self._key = key

    @classmethod
    def into(cls, hooks: dict[int, Any], hook: Any) -> RemovableHandle:
        """Add a hook to a dictionary of hooks, which run in the order added."""
        key = next(cls._keys)
        hooks[key] = hook
        return cls(hooks, key)

    def remove(self) -> None:
        """Take the hook off."""
        self._hooks.pop(self._key, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exception: object) -> None:
        self.remove()

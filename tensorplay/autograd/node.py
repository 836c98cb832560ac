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
import re
from collections.abc import Callable, Iterable
from typing import Any

from .. import events
from ..errors import NotCallableError
from . import loading
from .bridge import bridge
from .saved import Packed

__all__ = ["AccumulateGrad", "Extra", "Node", "Out", "RemovableHandle", "check_hook", "key", "next_order", "node_at",
           "reachable"]  # fmt: skip

ASSIGNED = re.compile(r"^(return\s+|[\w, ]+ = )")
"""What stands in front of the expression on a line of source."""

next_order = itertools.count(0, -1).__next__
"""Order numbers fall, so a heap gives the newest node first. One counter for the process: ties cannot happen."""


class Node:
    """One recorded operation. Made in `apply.py`, and for a user's `Function` in `custom.py`."""

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
    def output_count(self) -> int:
        """How many outputs edges tell apart: 1 for most nodes."""
        return len(self.extra.shapes) if self.plan.many and self.extra else 1

    @property
    def saved_bytes(self) -> int:
        """Bytes of the arrays the node keeps alive."""
        return sum(array.nbytes for _, array in self.saved_arrays())

    def saved_arrays(self) -> list[tuple[str, Any]]:
        """The arrays kept, each with the name the rule gives it; empty once freed. Not what hooks packed."""
        pairs = []
        for (kind, which), value in zip(self.plan.sources, self.saved or (), strict=False):
            if kind == "in" and hasattr(value, "nbytes"):
                pairs.append((self.op.inputs[which], value))
            elif kind == "ins":
                pairs += [(f"{self.op.inputs[which]}[{i}]", v) for i, v in enumerate(value)]
            elif kind == "out":
                pairs.append((self.op.outputs[which], value))
            elif kind == "kept" and value is not None:  # by a Function
                pairs.append((which, getattr(value, "_array", value)))
        return [(name, value) for name, value in pairs if value.__class__ is not Packed]

    def output_edge(self, which: int) -> Any:
        """The edge of an output, None for outputs without a gradient."""
        op = self.op
        if op.listed:
            return Out(self, which)
        if op.outputs[which] in op.nondiff or which >= len(op.outputs) - op.hidden:
            return None
        return Out(self, which) if self.plan.many else self

    def name(self) -> str:
        """The node's kind, such as "MulBackward"."""
        return f"{self.op.__name__}Backward"

    @property
    def next_functions(self) -> tuple[tuple[Any, int], ...]:
        """Where gradients go: (node, output number) for each input; leaves end in an AccumulateGrad.

        >>> import tensorplay as tp
        >>> x = tp.tensor(1.0, requires_grad=True)
        >>> [(node.name(), nr) for node, nr in ((x * 2) + x).grad_fn.next_functions]
        [('MulBackward', 0), ('AccumulateGrad', 0)]
        """
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

    def __call__(self, *grads: Any) -> Any:
        """The node's vector-Jacobian product: gradients of the outputs in, those of the inputs out (one, or a tuple).

        >>> import tensorplay as tp
        >>> x = tp.tensor(3.0, requires_grad=True)
        >>> (x * x).grad_fn(tp.tensor(1.0))
        (tensor(3., grad_fn=<MulBackward>), tensor(3., grad_fn=<MulBackward>))
        """
        return bridge.called(self, grads)

    def register_prehook(self, fn: Callable[[Any], Any]) -> RemovableHandle:
        """Call `fn(grad_outputs)` before the rule; a returned tuple replaces them.

        Raises NotCallableError for what is no function.

        >>> import tensorplay as tp
        >>> x = tp.ones(2, requires_grad=True)
        >>> y = (x * 2).sum()
        >>> handle = y.grad_fn.register_prehook(lambda arrived: (10 * arrived[0],))
        >>> y.backward()
        >>> x.grad
        tensor([20., 20.])
        """
        return RemovableHandle.into({} if self.freed else self.extras().before, fn)

    def register_hook(self, fn: Callable[[Any, Any], Any]) -> RemovableHandle:
        """Call `fn(grad_inputs, grad_outputs)` after the rule; a returned tuple replaces `grad_inputs`.

        Raises NotCallableError for what is no function.

        >>> import tensorplay as tp
        >>> x = tp.ones(2, requires_grad=True)
        >>> y = x.sum()
        >>> handle = y.grad_fn.register_hook(lambda sent, arrived: print(sent, arrived))
        >>> y.backward()
        (tensor([1., 1.]),) (tensor(1.),)
        """
        return RemovableHandle.into({} if self.freed else self.extras().after, fn)

    def hooks_of(self, output_nr: int) -> dict[int, Any]:
        """The hooks of the tensor at an output. A freed node never runs again, so it keeps none."""
        return {} if self.freed else self.extras().tensor_hooks.setdefault(output_nr, {})

    def __getattr__(self, name: str) -> Any:
        """`_saved_x`: what was saved under that name; `_raw_saved_x`: the place where it is kept."""
        if name.startswith("_saved_"):
            return loading.read(self, name.removeprefix("_saved_"))
        if name.startswith("_raw_saved_"):
            return loading.SavedTensor(self, name.removeprefix("_raw_saved_"))
        if not name.startswith("_") and name != "plan" and hasattr(self.plan, "ctx"):
            return getattr(self.plan.ctx, name)  # a Function's node shows its context, as PyTorch's node is one
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __repr__(self) -> str:
        place = self.place
        where = f", {place.filename.rsplit('/', 1)[-1]}:{place.lineno}" if place else ""
        return f"<{self.name()} node {self.number}: {self.expression()}{where}>"

    def expression(self) -> str:
        """What the line computes when it is known, else the label over the names of the inputs."""
        if self.place and self.place.text:
            return ASSIGNED.sub("", self.place.text)
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


def reachable(roots: Iterable[Any]) -> set[Node]:
    """All nodes behind these edges."""
    seen: set[Node] = set()
    stack = [node_at(edge) for edge in roots]
    while stack:
        node = stack.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        stack.extend(map(node_at, node.edges))
    return seen


def key(edge: Any) -> tuple[Node, int]:
    """A non-leaf edge as (node, output number)."""
    return (edge.node, edge.nr) if edge.__class__ is Out else (edge, 0)


def _visible(edge: Any) -> tuple[Any, int]:
    """An edge as the user sees it: PyTorch's pair."""
    if edge is None or node_at(edge) is not None:
        return key(edge)
    return (AccumulateGrad(edge), 0)


class AccumulateGrad(Node):
    """The end of a path: adds what arrives to `variable.grad`. Made on demand, equal if the variable is the same.

    It is a node only for the user: no edge leads to it, and its hooks and metadata are kept by the leaf.
    """

    __slots__ = ("variable",)
    next_functions: tuple[Any, ...] = ()
    place = None
    freed = False
    saved_bytes = 0

    def __init__(self, variable: Any) -> None:
        self.variable = variable

    @property
    def output_count(self) -> int:
        """What arrives is one gradient."""
        return 1

    def extras(self) -> Any:
        """The hooks and the metadata of the leaf."""
        return self.variable._leaf_extra()

    @property
    def hooks_count(self) -> int:
        """How many hooks would fire here."""
        return self.extras().count() if self.variable._hooks else 0

    def __getattr__(self, name: str) -> Any:
        """A leaf's end has saved nothing."""
        raise AttributeError(f"'AccumulateGrad' object has no attribute {name!r}")

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
        "dropped",
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
        self.dropped = 0
        """How many hooks went when the node was freed."""
        self.place: events.Source | None = None
        self.freed_at: events.Source | None = None
        self.interrupted: str | None = None
        """The error that ended the pass which freed this root."""
        self.shapes: tuple[tuple[int, ...], ...] = ()
        """Shapes of all outputs, for ops that have several differentiable ones."""
        self.request: frozenset[Any] | None = None
        """What `inputs=` asked for in the pass that freed this root."""

    def count(self) -> int:
        """Hooks of all kinds, also those that went when the node was freed."""
        return self.dropped + sum(map(len, self.tensor_hooks.values())) + len(self.before) + len(self.after)

    def drop_hooks(self) -> None:
        """Let go of the hooks. A hook that holds its own tensor is a cycle: node, hook, tensor, node."""
        self.dropped = self.count()
        for hooks in (*self.tensor_hooks.values(), self.before, self.after):
            hooks.clear()  # not replaced: handles know these dictionaries
        self.tensor_hooks.clear()


def check_hook(hook: Any) -> None:
    """Raise NotCallableError unless it can be called."""
    if not callable(hook):
        raise NotCallableError(f"a hook must be callable, got {type(hook).__name__}: give a function")


class RemovableHandle:
    """Takes a hook off again; harmless twice, and usable in a `with` block.

    >>> import tensorplay as tp
    >>> x = tp.tensor(1.0, requires_grad=True)
    >>> with x.register_hook(lambda g: g * 5):
    ...     (x * 1).backward()
    >>> (x * 1).backward()
    >>> x.grad
    tensor(6.)
    """

    __slots__ = ("_hooks", "_key")
    _keys = itertools.count()

    def __init__(self, hooks: dict[int, Any], key: int) -> None:
        self._hooks = hooks
        self._key = key

    @classmethod
    def into(cls, hooks: dict[int, Any], hook: Any) -> RemovableHandle:
        """Add a hook to a dictionary of hooks, which run in the order added."""
        check_hook(hook)
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

"""Saved tensors, read again: by the rule, and by the user as `node._saved_x` and `node._raw_saved_x`.

`load` gives a rule what it names: the arrays, or Tensors that know where they came from when the rule is to
record its own graph. What hooks packed is opened on the way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import SavedHooksError, SavedHooksTypeError, SavedNameError
from . import lines
from .bridge import bridge
from .saved import Packed, checked_hooks, seen

if TYPE_CHECKING:
    from .node import Node

__all__ = ["SavedTensor", "load", "read"]


def load(node: Node, tensors: bool) -> tuple[Any, ...]:
    """What the rule reads: arrays, or Tensors connected to the graph, so that a recorded rule is differentiable."""
    sources, kept = node.plan.sources, node.saved or ()
    if node.extra is not None:
        kept = tuple(_opened(node, kind, which, value) for (kind, which), value in zip(sources, kept, strict=True))
    if not tensors:
        return kept
    return tuple(_wrapped(node, kind, which, value) for (kind, which), value in zip(sources, kept, strict=True))


def _opened(node: Node, kind: str, which: Any, value: Any) -> Any:
    """Unpacked. What a `Function` saved (other kinds) opens when its `ctx.saved_tensors` is read."""
    if kind == "ins":
        return tuple(v.open() if v.__class__ is Packed else v for v in value)
    return value.open(_edge(node, kind, which)) if value.__class__ is Packed and kind in ("in", "out") else value


def _edge(node: Node, kind: str, which: Any) -> Any:
    """Where a gradient of a saved value goes."""
    if kind == "in":
        return _asked_again(node.edges[which])
    return node.output_edge(which) if kind == "out" else None


def _asked_again(edge: Any) -> Any:
    """The edge, None for a leaf that was told since not to require a gradient."""
    return None if isinstance(edge, bridge.Tensor) and not edge._needs_grad else edge


def _wrapped(node: Node, kind: str, which: Any, value: Any) -> Any:
    """As a Tensor with the history it had when it was saved; numbers and shapes stay."""
    if kind == "in":
        return _input(node, which, value) if hasattr(value, "dtype") else value
    if kind == "ins":
        return tuple(bridge.wrap(v, None) for v in value)
    if kind == "out":
        return bridge.wrap(value, node.output_edge(which))
    return value


def _input(node: Node, which: int, value: Any) -> Any:
    """An input as it was saved; if it had been promoted, as the recorded cast of the tensor it came from."""
    target, edge = node.fit[which] if node.fit is not None else None, _asked_again(node.edges[which])
    if target is None or target[1] == value.dtype:
        return bridge.wrap(value, edge)
    own = value.real if np.iscomplexobj(value) and target[1].kind != "c" else value
    return bridge.tensors.cast(bridge.wrap(own.astype(target[1]), edge), value.dtype)


# ------------------------------------------------------------------------- node._saved_x, as PyTorch's

_PLACES = {"self": 0, "input": 0, "mat1": 0, "other": 1, "exponent": 1, "mat2": 1}
"""PyTorch's names for the inputs of an operation, beside our own."""


def read(node: Node, name: str) -> Any:
    """The saved value of that name, as `node._saved_<name>`: a Tensor, a number, a shape or a parameter.

    Names are our own or PyTorch's (`self`, `other`, `result`). None if this input was not worth keeping.

    Raises:
        FreedGraphError: the node was freed.
        VersionError: the value was changed in place since.
        SavedNameError: the operation never saves such a thing.
    """
    if node.params and name in node.params:
        return node.params[name]
    slot = _slot(node, name)
    if slot is None:
        return None
    if node.saved is None:
        raise lines.freed(node, f"its saved tensor {name!r} was asked for")
    (kind, which), value = node.plan.sources[slot], node.saved[slot]
    if kind == "kept":  # by a Function
        return node.plan.ctx.saved_tensors[slot]
    cells = _cells(node, slot)
    lines.check(node, cells)
    value = _opened(node, kind, which, value)
    edge = _edge(node, kind, which)
    if kind == "ins" or not hasattr(value, "dtype") or (edge is not None and node.fit and kind == "in"):
        return _wrapped(node, kind, which, value)
    return seen(value, edge, cells[0][0] if cells else None)


def _slot(node: Node, name: str) -> int | None:
    """Where in `node.saved` it is; None if the rules that run here do not read it."""
    op = node.op
    place = _PLACES.get(name.removesuffix("_sym_sizes"), len(op.inputs))
    ours = op.outputs[0] if name == "result" else op.inputs[place] if place < len(op.inputs) else name
    ours += "_shape" if name.endswith("_sym_sizes") and ours != name else ""
    named = [_named(op, source) for source in node.plan.sources]
    if ours in named:
        return named.index(ours)
    known = {ours} & {*op.inputs, *op.outputs}
    if not known or ours not in _ever_saved(op):
        raise SavedNameError(f"{node.name()} saves no {name!r}: it keeps {', '.join(filter(None, named)) or 'nothing'}")
    return None


def _named(op: Any, source: tuple[str, Any]) -> str:
    """The name of a saved value; parameters and shapes of several inputs have none here."""
    kind, which = source
    if kind in ("in", "ins", "shape"):
        return str(op.inputs[which]) + ("_shape" if kind == "shape" else "")
    return str(op.outputs[which]) if kind == "out" else str(which) if kind == "kept" else ""


def _ever_saved(op: Any) -> set[str]:
    """What the op keeps when all its inputs need a gradient."""
    if op.star or not hasattr(op, "plans"):  # any number of inputs, or a Function
        return set()
    return {_named(op, source) for source in op.plans[(1 << len(op.inputs)) - 1].sources}


def _cells(node: Node, slot: int) -> list[tuple[list[int], int]]:
    """The (version cell, number when saved) pairs of one saved value."""
    places = node.plan.cells
    return [node.versions[i] for i in places[slot]] if node.versions and slot < len(places) else []


class SavedTensor:
    """One saved tensor of a node, `node._raw_saved_<name>`, for which hooks can be set afterwards."""

    __slots__ = ("_node", "_slot")

    def __init__(self, node: Node, name: str) -> None:
        slot = _slot(node, name)
        if slot is None:
            raise SavedNameError(f"{node.name()} did not save {name!r} here: no rule that runs needs it")
        self._node, self._slot = node, slot

    def register_hooks(self, pack_hook: Callable[[Any], Any], unpack_hook: Callable[[Any], Any]) -> None:
        """Pack the saved tensor now, and unpack it when it is needed.

        >>> import tensorplay as tp
        >>> x = tp.tensor(3.0, requires_grad=True)
        >>> y = x.exp()
        >>> y.grad_fn._raw_saved_result.register_hooks(lambda t: t.tolist(), tp.tensor)
        >>> y.backward()
        >>> bool(x.grad == y)
        True

        Raises:
            SavedHooksError: the node was freed, or the value has hooks already.
            SavedHooksTypeError: the value is no single tensor.
            NotCallableError: a hook cannot be called.
        """
        node, slot = self._node, self._slot
        if node.saved is None:
            raise SavedHooksError(
                "Calling register_hooks on a saved tensor after it has been freed: set the hooks before backward(), "
                "or run that with retain_graph=True"
            )
        (kind, which), value = node.plan.sources[slot], node.saved[slot]
        if value.__class__ is Packed:
            raise SavedHooksError(
                "Calling register_hooks on a saved tensor whose hooks have already been set: one pair is allowed"
            )
        if kind not in ("in", "out") or not hasattr(value, "dtype"):
            raise SavedHooksTypeError("Calling register_hooks on a saved value that is no single tensor")
        cells = _cells(node, slot)
        packed = Packed(
            seen(value, _edge(node, kind, which), cells[0][0] if cells else None), checked_hooks(pack_hook, unpack_hook)
        )
        node.saved = (*node.saved[:slot], packed, *node.saved[slot + 1 :])
        node.extras()
        _watch_no_more(node, slot)


def _watch_no_more(node: Node, slot: int) -> None:
    """No version is checked for what hooks keep; pairs that never change stand in, so that the places stay."""
    gone = set(node.plan.cells[slot]) if slot < len(node.plan.cells) else set()
    node.versions = tuple(([0], 0) if i in gone else pair for i, pair in enumerate(node.versions))

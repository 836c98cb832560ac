"""What the engine sees of a user's `Function`: the plan of one call, and the op that stands for it.

A node's plan knows its rule; here the rule is the user's `backward`, and `Rule` translates: arrays become Tensors
on the way in and arrays on the way out, and what comes out is checked. All else (order, freeing, versions, hooks,
double backward) is the engine's, as for every operation.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..arrays.batch import Batched, BatchSpace
from ..errors import FreedGraphError, GradError
from ..ops import Op
from . import lines
from .bridge import bridge
from .node import Node
from .saved import Packed, seen

__all__ = ["CustomOp", "Rule", "saved_tensors"]


class CustomOp(Op, abstract=True):
    """A Function as events and pictures see it: an op with names, made for one way of calling it.

    Ops are classes that are never instantiated; here it is the instance that plays the class.
    """

    family = "custom"
    none_ok = True

    arguments: tuple[str, ...]
    """The names of all arguments; `inputs` are those that are tensors."""

    def __init__(self, function: Any, arguments: tuple[str, ...], places: tuple[bool, ...], outs: tuple[bool, ...]):
        """`places` says which arguments are tensors, `outs` which outputs have a gradient."""
        outputs = tuple(f"out{k}" for k in range(len(outs))) if len(outs) > 1 else ("out",)
        vars(self).update(
            __name__=function.__name__,
            __doc__=function.__doc__,
            label=getattr(function, "label", function.__name__),
            formula=getattr(function, "formula", ""),
            arguments=arguments,
            inputs=tuple(name for name, is_tensor in zip(arguments, places, strict=True) if is_tensor),
            outputs=outputs,
            nondiff=tuple(name for name, has_one in zip(outputs, outs, strict=False) if not has_one),
            several=len(outs) > 1,
        )


# ----------------------------------------------------------------------------------- reading again


def saved_tensors(node: Node | None) -> tuple[Any, ...]:
    """What a call saved, as Tensors with the history they had; hooks for saved tensors unpack it here."""
    if node is None:
        raise FreedGraphError(
            "Trying to directly access saved tensors after they have already been freed: the graph of this context "
            "is gone. Keep the result of apply() as long as you read ctx.saved_tensors"
        )
    if node.saved is None:
        raise lines.freed(node, "ctx.saved_tensors was read")
    lines.check(node, node.versions)
    places = node.plan.cells or ((),) * len(node.saved)
    return tuple(_shown(node, *item) for item in zip(node.saved, node.plan.origins, places, strict=True))


def _shown(node: Node, value: Any, origin: tuple[str, int] | None, places: tuple[int, ...]) -> Any:
    if value is None or isinstance(value, bridge.Tensor):
        return value
    edge = None
    if origin is not None:
        edge = node.edges[origin[1]] if origin[0] == "in" else node.output_edge(origin[1])
    if isinstance(value, Packed):
        return seen(value.open(edge), edge, None)
    return seen(value, edge, node.versions[places[0]][0] if places else None)


# ------------------------------------------------------------------------------------ the plan


class Rule:
    """The plan of one call's node: how its backward is run, and what it has to give."""

    __slots__ = ("arguments", "cells", "ctx", "fit", "function", "many", "mask", "op", "origins", "outs", "sources")

    def __init__(self, call: Any, outs: tuple[Any, ...]) -> None:
        self.function, self.ctx, self.op = call.function, call.ctx, call.op()
        self.many = len(outs) > 1
        self.mask = sum(bool(e is not None) << i for i, e in enumerate(call.edges))
        self.sources: tuple[Any, ...] = ()
        self.origins: tuple[Any, ...] = ()
        self.cells: tuple[Any, ...] = ()
        self.outs = tuple((t.shape, t._array.dtype) if isinstance(t, bridge.Tensor) else None for t in outs)
        self.arguments = call.places
        pairs = zip(call.tensors, call.edges, strict=True)
        self.fit = tuple(None if e is None else (t.shape, t._array.dtype) for t, e in pairs)

    @property
    def name(self) -> str:
        """What messages call it."""
        return f"{self.op.__name__}Backward"

    def pull(self, xp: Any, g: Any, s: Any) -> list[Any]:
        """Gradients of the tensor arguments, from those of the outputs: as Tensors in, as Tensors out."""
        arrived = g if self.many else [g]
        like: Any = next((v for v in arrived if v is not None), None)
        given = [self.nothing(out) if v is None else _given(v) for v, out in zip(arrived, self.outs, strict=True)]
        run = partial(self.function._rule(), self.ctx)
        sent = self.counted(bridge.in_batch(run, given, like.count) if _recorded_batch(like) else run(*given))
        tensors = [v for v, is_tensor in zip(sent, self.arguments, strict=True) if is_tensor]
        return [self.taken(xp, like, i, v) for i, v in enumerate(tensors)]

    def nothing(self, out: Any) -> Any:
        """What backward is given for an output that no gradient reached."""
        return bridge.wrap(np.zeros(*out), None) if out is not None and self.ctx._materialize else None

    def counted(self, sent: Any) -> tuple[Any, ...]:
        """One gradient an argument; further ones must be None."""
        sent = sent if isinstance(sent, tuple) else (sent,)
        count = len(self.arguments)
        if len(sent) < count or any(v is not None for v in sent[count:]):
            raise GradError(
                f"function {self.name} returned an incorrect number of gradients (expected {count}, got {len(sent)}): "
                f"backward returns one per argument of forward, None for those that need none"
            )
        for i, (v, is_tensor) in enumerate(zip(sent, self.arguments, strict=False)):
            if v is not None and not is_tensor:
                raise GradError(
                    f"function {self.name} returned a gradient different than None at position {i + 1}, "
                    f"but the corresponding forward input was not a Variable"
                )
            if v is not None and not isinstance(v, bridge.Tensor):
                raise GradError(
                    f"expected Variable or None (got {type(v).__name__}): {self.name} must return a tensor for "
                    f"the gradient of argument {i + 1}, or None"
                )
        return sent[:count]

    def taken(self, xp: Any, like: Any, i: int, v: Any) -> Any:
        """One gradient in the form the pass uses; the engine sums and casts it to fit the input."""
        target = self.fit[i]
        if v is None or target is None or (like is None and isinstance(xp, BatchSpace)):
            return None  # of a batch of which nothing came, the count is not known
        shape, dtype = target
        if not _stretches(shape, v.shape):
            raise GradError(
                f"Function {self.name} returned an invalid gradient at index {i} - got {list(v.shape)} but expected "
                f"shape compatible with {list(shape)}: a gradient has the shape of its input ({self.op.inputs[i]})"
            )
        if v._array.dtype.kind == "c" and dtype.kind != "c":
            raise GradError(
                f"Function {self.name} returned an invalid gradient at index {i} - got {v.dtype} for an input of dtype "
                f"{dtype}: take the real part"
            )
        if isinstance(like, bridge.Tensor) or (like is None and xp is bridge.tensors):
            return v
        if _recorded_batch(like):
            return Batched(v._array.data, xp)
        if isinstance(like, Batched) and not isinstance(v._array, Batched):
            return Batched(xp.spread(v._array, like.count), xp)
        return v._array


def _recorded_batch(v: Any) -> bool:
    """Whether these are gradients of `is_grads_batched` under `create_graph`: a batch of Tensors."""
    return isinstance(v, Batched) and isinstance(v.data, bridge.Tensor)


def _given(v: Any) -> Any:
    """A gradient as backward sees it: a Tensor whose memory it may edit, since others may read the same."""
    if not isinstance(v, bridge.Tensor):
        return bridge.wrap(v.copy() if isinstance(v, np.ndarray) else v, None)
    edge = bridge.edge_of(v)
    if isinstance(edge, bridge.Tensor) or not isinstance(v._array, np.ndarray):
        return v
    return bridge.wrap(v._array.copy(), edge)


def _stretches(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    """Whether broadcasting could have made a gradient of shape `to` from one of the input's shape."""
    lead = len(to) - len(shape)
    return lead >= 0 and all(n in (1, m) for n, m in zip(shape, to[lead:], strict=True))

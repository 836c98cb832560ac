"""How a call of a user's `Function` is run and recorded; `autograd/rule.py` is how backward goes through it.

`Call.run` is the story: forward runs unrecorded, what it did to its inputs is checked, one node stands for all of it,
and each output goes to the caller with an edge to that node. Inside a transform `transformed.py` changes single steps.
"""

from __future__ import annotations

import inspect
from time import perf_counter
from typing import Any

from . import events
from .apply import refuse_inference
from .arrays.levels import level_of
from .autograd import modes
from .autograd.bridge import bridge
from .autograd.function import FunctionCtx
from .autograd.node import Node, next_order
from .autograd.rule import CustomOp, Rule
from .autograd.saved import Packed, hooks_in_force, seen
from .errors import FunctionError, FunctionTypeError, InPlaceError
from .inplace import permit, rebase, tracked
from .source import user_line, warn
from .tensor import Tensor, edge_of, with_edge
from .views import CustomOrigin

__all__ = ["Call", "arguments"]


def arguments(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """The arguments by position; `setup_context` is shown the defaults too, as in PyTorch."""
    forward, split = function.forward, function._split()
    code = getattr(forward, "__code__", None)
    if not kwargs and (not split or (code is not None and code.co_argcount == len(args))):
        return args
    first = () if split else (None,)
    try:
        bound = inspect.signature(forward).bind(*first, *args, **kwargs)
    except TypeError as error:
        raise FunctionTypeError(
            f"{function.__name__}.apply(): {error}. forward takes {inspect.signature(forward)}"
            + (", without ctx, because there is a setup_context" if split else "")
        ) from None
    if split:
        bound.apply_defaults()
    if bound.kwargs:
        raise FunctionTypeError(
            f"{function.__name__}.apply() passes arguments by position, as backward returns gradients: forward cannot "
            f"have arguments that are given by keyword only ({', '.join(bound.kwargs)})"
        )
    return bound.args[len(first) :]


class Call:
    """One call on its way: what goes in, what came out, and the node that remembers it."""

    def __init__(self, function: Any, args: tuple[Any, ...], level: int = 0) -> None:
        self.function, self.args, self.level = function, args, level
        self.places = tuple(isinstance(a, Tensor) for a in args)
        self.tensors = tuple(a for a in args if isinstance(a, Tensor))
        # what belongs to a lower layer (see lifting.py) is a constant here
        self.edges = tuple(edge_of(t) if level_of(t._array) == level else None for t in self.tensors)
        edges = iter(self.edges)
        needs = tuple(place and next(edges) is not None for place in self.places)
        self.ctx = FunctionCtx(needs)
        self.recorded = any(needs) and modes.recording_at(level)
        self.kept: tuple[Any, ...] = ()
        self.kept_forward: tuple[Any, ...] | None = None
        self.made: tuple[Any, ...] = ()
        self.differentiables: tuple[bool, ...] = ()

    def run(self) -> Any:
        """Run forward, record it, and give what the caller gets."""
        start, place = perf_counter(), user_line() if events.sources_wanted else None
        out = self.forward(place)
        outs = out if isinstance(out, tuple) else (out,)
        if self.ctx._dirty:
            self.check(outs)
        self.differentiables = tuple(map(self.differentiable, outs))
        node = self.node(outs)
        made = tuple(self.result(node, k, t) for k, t in enumerate(outs))
        if node is not None:
            self.keep(node, outs, made)
            if place is not None:
                node.extras().place = place
        self.kept, self.kept_forward = self.ctx._kept, self.ctx._kept_forward
        self.made = made
        self.ctx._recorded(node)
        if events.listeners:
            self.tell(node, made, place, perf_counter() - start)
        return made if isinstance(out, tuple) else made[0]

    def forward(self, place: Any) -> Any:
        """What the user's forward returns. Nothing inside it is recorded."""
        function, ctx = self.function, self.ctx
        with modes.recording_set_to(False):
            try:
                if not function._split():
                    return function.forward(ctx, *self.args)
                out = function.forward(*self.args)
                function.setup_context(ctx, self.args, out)
                return out
            except Exception as error:
                if events.listeners:
                    self.differentiables = ()
                    events.emit(events.OpFailed(self.op(), self.tensors, error, place))
                raise

    # ------------------------------------------------------------------------------ edited inputs

    def check(self, outs: tuple[Any, ...]) -> None:
        """Refuse what forward may not have done to its inputs."""
        for t in (t for t in self.ctx._dirty if t is not None):
            if not _among(t, outs):
                raise FunctionError(
                    "Some elements marked as dirty during the forward method were not returned as output: "
                    f"{self.function.__name__}.forward must return each input that it edits in place"
                )
            if not _among(t, self.tensors):
                warn(
                    "ctx.mark_dirty() received a tensor that was not an input: only edited inputs need it", UserWarning
                )
            elif self.recorded or tracked(t):
                self.check_edit(t, outs)

    def check_edit(self, t: Tensor, outs: tuple[Any, ...]) -> None:
        """Refuse an edit that cannot be recorded."""
        if t._view is not None:
            permit(t)
            if sum(isinstance(o, Tensor) for o in outs) > 1:
                raise FunctionError(
                    "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot "
                    "return more than one Tensor: give it a clone(), or split it into two Functions"
                )
        elif t.is_leaf and t.requires_grad:
            raise InPlaceError(
                f"a leaf Variable that requires grad has been used in an in-place operation: "
                f"{self.function.__name__}.forward edits its input, the very value one differentiates by. "
                f"Give it a clone()"
            )

    # ---------------------------------------------------------------------------------- the record

    def differentiable(self, t: Any) -> bool:
        """Whether an output has a gradient."""
        return isinstance(t, Tensor) and t._array.dtype.kind in "fc" and not _among(t, self.ctx._constant)

    def op(self) -> CustomOp:
        """What it looks like from outside: one object for all calls of this form."""
        form = self.places, self.differentiables
        known = self.function._ops
        if form not in known:
            known[form] = CustomOp(self.function, self.names(), *form)
        return known[form]

    def names(self) -> tuple[str, ...]:
        """What forward calls its arguments; those behind a star are numbered."""
        code = getattr(inspect.unwrap(self.function._signature()), "__code__", None)
        if code is None:
            return tuple(f"x{i}" for i in range(len(self.args)))
        skipped = 0 if self.function._split() else 1
        names = code.co_varnames[skipped : code.co_argcount]
        star = code.co_varnames[code.co_argcount + code.co_kwonlyargcount] if code.co_flags & 0x04 else "x"
        return tuple(names[i] if i < len(names) else f"{star}[{i - len(names)}]" for i in range(len(self.args)))

    def params(self, op: CustomOp) -> dict[str, Any]:
        """The arguments that are no tensors."""
        return {n: a for n, a, is_tensor in zip(op.arguments, self.args, self.places, strict=True) if not is_tensor}

    def node(self, outs: tuple[Any, ...]) -> Node | None:
        """The node of this call; None if nothing has to be remembered."""
        if not (self.recorded and any(self.differentiables)):
            return None
        self.require_versions(self.tensors)
        n = object.__new__(Node)
        n.plan = Rule(self, outs)
        n.edges = self.edges
        n.order = next_order()
        n.saved = n.versions = ()
        n.shape = outs[self.differentiables.index(True)]._shape
        n.params = None
        n.fit = n.plan.fit
        n.extra = None
        if len(self.tensors) < len(self.args):  # numbers for the picture; other things would be kept alive by it
            shown = self.params(n.op).items()
            n.params = {name: v for name, v in shown if isinstance(v, (int, float, complex, str))} or None
        if n.plan.many:
            n.extras().shapes = tuple(tuple(t.shape) if isinstance(t, Tensor) else () for t in outs)
        return n

    def require_versions(self, tensors: Any) -> None:
        """Raise InferenceError if one of the tensors keeps no versions."""
        if any(t is not None and t._cell is None for t in tensors):
            refuse_inference(self.function)

    def result(self, node: Node | None, k: int, t: Any) -> Any:
        """What the caller gets for output k: the tensor that forward returned, with its history."""
        if not isinstance(t, Tensor):
            return t
        dirty, known = _among(t, self.ctx._dirty), _among(t, self.tensors)
        edge = node.output_edge(k) if node is not None else None
        if edge is None:
            return self.constant(t, known and not dirty, node is not None)
        assert node is not None
        if dirty and known:
            rebase(t, with_edge(t._array, edge))
            return t
        if known or (t.requires_grad and t.grad_fn is not node):  # its history is its own
            t = _alias(t)
        t._node, t._needs_grad = edge, True
        if t._view is not None:
            origin = f"Output {k} of {self.function.__name__}"
            t._view.origin = origin if node.plan.many else CustomOrigin(origin)
        return t

    def constant(self, t: Tensor, known: bool, recorded: bool) -> Tensor:
        """An output without a gradient. An input comes back as another tensor, and keeps its own history."""
        if t.requires_grad and (recorded or not known):
            return t.detach()
        return _alias(t) if known else t

    def keep(self, node: Node, outs: tuple[Any, ...], made: tuple[Any, ...]) -> None:
        """Move what was saved into the node, as arrays that know where they came from, each with its version."""
        kept, hooks = self.ctx._kept, hooks_in_force()
        self.require_versions(kept)
        origins = node.plan.origins = tuple(self.origin(t, made) for t in kept)
        node.plan.sources = tuple(("kept", _called(node.op, origin, i)) for i, origin in enumerate(origins))
        if hooks is not None and kept:
            node.extras()  # the plain path of the loop never meets what is packed
            node.saved = tuple(None if t is None else Packed(t, hooks) for t in kept)
            return
        node.saved = tuple(_array_of(t, origin) for t, origin in zip(kept, origins, strict=True))
        node.versions = tuple((t._cell, t._cell[0]) for t in kept if t is not None)
        places = iter(range(len(kept)))
        node.plan.cells = tuple(() if t is None else (next(places),) for t in kept)

    def origin(self, t: Any, made: tuple[Any, ...]) -> tuple[str, int] | None:
        """Where a saved tensor comes from: ("out", k), ("in", i), or None if it is neither."""
        for kind, tensors in (("out", made), ("in", self.tensors)):
            for i, other in enumerate(tensors):
                if t is other and t is not None and level_of(t._array) == self.level:
                    return kind, i
        return None

    def tell(self, node: Node | None, made: tuple[Any, ...], place: Any, seconds: float) -> None:
        """Tell listeners of the call as of any operation."""
        outs = tuple(t for t in made if isinstance(t, Tensor))
        op, saved = (node.op, tuple(node.saved_arrays())) if node is not None else (self.op(), ())
        events.emit(events.OpExecuted(node, op, self.tensors, outs, self.params(op), saved, seconds, place))


def _among(t: Any, tensors: tuple[Any, ...]) -> bool:
    for other in tensors:  # noqa: SIM110 - a generator costs more than the test
        if other is t:
            return True
    return False


def _alias(t: Tensor) -> Tensor:
    """Another tensor with the same memory."""
    with modes.recording_set_to(False):
        return bridge.tensors.reshape(t, t._shape)


def _called(op: Any, origin: tuple[str, int] | None, i: int) -> str:
    """The name of the i-th saved tensor: that of the argument or output it is."""
    if origin is None:
        return f"saved[{i}]"
    return (op.inputs if origin[0] == "in" else op.outputs)[origin[1]]


def _array_of(t: Any, origin: Any) -> Any:
    """An array, or for something from outside that has a history a tensor."""
    if t is None:
        return None
    edge = edge_of(t) if origin is None else None
    return t._array if edge is None else seen(t._array, edge, t._cell)

"""A user's `Function` inside the transforms of `tp.func`: batches, tangents, and the layers they make.

The layers of `lifting.py` hold here too. What a call computes is computed one layer down: by the Function's own
`vmap`, by a generated one, or on the primals, with `jvp` for the tangents. The call is then recorded in its own
layer as any other, with `setup_context` and `backward` on tensors of that layer.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from .arrays.batch import Batched
from .arrays.levels import frame_of, frames
from .autograd import modes
from .autograd.bridge import bridge
from .autograd.forward_ad import check_tangent_size
from .autograd.function import Function, FunctionCtx
from .custom import Call, arguments
from .errors import ForwardADError, FunctionError, MissingRuleError
from .lifting import batched, dual, level_of, lift, mapped, parts, unbatched, values
from .tensor import Tensor

__all__ = ["VmapInfo", "call"]


class VmapInfo(NamedTuple):
    """What a Function's `vmap` is told besides its arguments."""

    batch_size: int
    randomness: str


def call(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`function.apply(*args, **kwargs)`."""
    if not function._split() and any(frame.kind != "dual" for frame in frames()):
        raise FunctionError(
            "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), it must "
            f"override the setup_context staticmethod: {function.__name__} needs forward(*args), which computes, and "
            f"setup_context(ctx, inputs, output), which saves"
        )
    return _prepared(function, arguments(function, args, kwargs)).run()


def _prepared(function: Any, args: tuple[Any, ...]) -> Call:
    """The call, in the layer it belongs to."""
    level = max(map(level_of, args), default=0)
    if not level:
        return Call(function, args)
    frame = frame_of(level)
    if frame is None:
        space = next(x._array.space for x in args if level_of(x) == level)
        return _prepared(function, space.left_behind(args))
    return (BatchedCall if frame.kind == "vmap" else DualCall)(function, args, frame)


class LiftedCall(Call, ABC):
    """A call on tensors of a transform."""

    def __init__(self, function: Any, args: tuple[Any, ...], frame: Any) -> None:
        arrays = tuple(a._array if isinstance(a, Tensor) else a for a in args)
        inside, _ = frame.space.received(args, arrays)
        args = tuple(x if level_of(x) == frame.level else a for x, a in zip(inside, args, strict=True))
        super().__init__(function, args, frame.level)
        self.frame = frame

    def forward(self, place: Any) -> Any:
        """The results, and the context of this layer."""
        out = self.compute()
        with modes.recording_set_to(False):
            self.set_up(out)
        if self.ctx._dirty:
            raise FunctionError(
                f"mark_dirty is not supported inside transforms: {self.function.__name__} edits its input, which "
                f"stands for more than its own numbers there. Return a new tensor"
            )
        return out

    @abstractmethod
    def compute(self) -> Any:
        """The outputs, as tensors of this layer."""

    def set_up(self, out: Any) -> None:
        """`setup_context` in this layer."""
        self.function.setup_context(self.ctx, self.args, out)

    def tell(self, *told: Any) -> None:
        """Listeners see what the call is made of, one layer down."""


# ------------------------------------------------------------------------------------------- batches


class BatchedCall(LiftedCall):
    """A call inside `vmap`."""

    def compute(self) -> Any:
        """By the Function's own `vmap`, or by a generated one."""
        function, level = self.function, self.level
        own, generated = function._batches(), function.generate_vmap_rule
        if own and generated:
            raise FunctionError(
                f"You tried to vmap over {function.__name__}, but it has both generate_vmap_rule=True and an "
                f"overridden vmap staticmethod: keep one of them"
            )
        if not own and not generated:
            raise MissingRuleError(
                f"You tried to vmap over {function.__name__}, but it does not have vmap support. Please override and "
                f"implement the vmap staticmethod or set generate_vmap_rule=True: the latter is enough where forward, "
                f"setup_context and backward consist of tensor operations"
            )
        inner = tuple(unbatched(x, level)[0] if isinstance(x, Tensor) else x for x in self.args)
        dims = tuple(0 if level_of(x) == level else None for x in self.args)
        if generated:
            rule = _mapped_function(function, dims, self.frame.randomness)
            return self.placed(rule.apply(*inner), 0)
        info = VmapInfo(self.frame.space.size, self.frame.randomness)
        return self.placed(*_pair(function.vmap(info, dims, *inner)))

    def placed(self, out: Any, dims: Any) -> Any:
        """Outputs as tensors of this vmap; `dims` says where the examples are, once for all or for each."""
        if not isinstance(out, tuple):
            if isinstance(dims, tuple):
                raise _misfit(out, dims)
            return self.one(out, dims)
        dims = dims if isinstance(dims, (tuple, list)) else (dims,) * len(out)
        if len(dims) != len(out):
            raise _misfit(out, dims)
        return tuple(map(self.one, out, dims))

    def one(self, out: Any, dim: int | None) -> Any:
        """One output, its examples brought to the front. Raises FunctionError for a dimension it does not have."""
        if not isinstance(out, Tensor):
            return out
        if dim is None:
            return lift(out, self.level)
        if not isinstance(dim, int) or not -out.ndim <= dim < out.ndim:
            raise FunctionError(
                f"{self.function.__name__}.vmap returned out_dims={dim!r} for an output of shape {list(out.shape)}: "
                f"expected the dimension that holds the examples, from {-out.ndim} to {out.ndim - 1}, or None"
            )
        order = (dim % out.ndim, *(d for d in range(out.ndim) if d != dim % out.ndim))
        return batched(bridge.tensors.permute(out, order) if dim % out.ndim else out, self.level)


def _pair(result: Any) -> tuple[Any, Any]:
    if not isinstance(result, tuple) or len(result) != 2:
        raise FunctionError(
            "Expected the vmap staticmethod to have two returns, an output and out_dims with pytree structure "
            f"compatible with the output. Got a {type(result)} instead"
        )
    return result


def _misfit(out: Any, dims: Any) -> FunctionError:
    found = f"{len(out)} outputs" if isinstance(out, tuple) else "one output"
    return FunctionError(
        "The autograd.Function's vmap staticmethod returned an incompatible (output, out_dims) tuple. "
        f"Expected out_dims={dims} to be compatible with the structure of `output`: there is {found}"
    )


def _mapped_function(function: Any, dims: tuple[int | None, ...], randomness: str) -> Any:
    """The Function that does for a whole batch what `function` does for one example, kept with its class."""
    made = vars(function).get("_mapped")
    if made is None:
        made = function._mapped = {}
    if (dims, randomness) not in made:
        members = {"function": function, "dims": dims, "randomness": randomness, "label": f"vmap {function.__name__}"}
        made[dims, randomness] = type(f"Vmapped{function.__name__}", (_Mapped,), members)
    return made[dims, randomness]


class _Mapped(Function):
    """A Function run for all examples of a batch: everything of it inside a vmap of its own."""

    function: Any
    dims: tuple[int | None, ...]
    randomness: str
    generate_vmap_rule = True

    def __init_subclass__(cls) -> None:
        """Bind what are class methods here, because they need `dims`, to the names of `Function`."""
        super().__init_subclass__()
        for name in ("forward", "setup_context", "backward", "jvp"):
            setattr(cls, name, staticmethod(getattr(cls, f"_{name}")))

    @classmethod
    def _signature(cls) -> Any:
        return cls.function.forward

    @classmethod
    def _size(cls, args: Any) -> int:
        return next(x.shape[0] for x, d in zip(args, cls.dims, strict=True) if d is not None)

    @classmethod
    def _inside(cls, args: Any, level: int) -> tuple[Any, ...]:
        return tuple(batched(x, level) if d is not None else x for x, d in zip(args, cls.dims, strict=True))

    @classmethod
    def _forward(cls, *args: Any) -> Any:
        with mapped(cls._size(args), cls.randomness) as level:
            return _each(cls.function.forward(*cls._inside(args, level)), lambda x: _data(x, level))

    @classmethod
    def _setup_context(cls, ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        size = ctx.size = cls._size(inputs)
        with mapped(size, cls.randomness) as level:
            inside = cls._inside(inputs, level)
            out = _each(output, lambda x: batched(x, level))
            inner = ctx.inner = FunctionCtx(ctx.needs_input_grad)
            cls.function.setup_context(inner, inside, out)
            known = _known((*inside, *_tuple(out)), (*inputs, *_tuple(output)))
            ctx.save_for_backward(*_unwrapped(inner._kept, known, level))
            ctx.kept_dims = tuple(level_of(x) == level for x in inner._kept)
            if inner._kept_forward is not None:
                ctx.save_for_forward(*_unwrapped(inner._kept_forward, known, level))
                ctx.kept_forward_dims = tuple(level_of(x) == level for x in inner._kept_forward)
            ctx.mark_dirty(*_unwrapped(inner._dirty, known, level))
            ctx.mark_non_differentiable(*_unwrapped(inner._constant, known, level))
            ctx.set_materialize_grads(inner._materialize)
            inner._recorded(None)

    @classmethod
    def _backward(cls, ctx: Any, *grads: Any) -> Any:
        with mapped(ctx.size, cls.randomness) as level:
            inner = ctx.inner._showing(_wrapped(ctx.saved_tensors, ctx.kept_dims, level))
            sent = _tuple(cls.function._rule()(inner, *_wrapped(grads, None, level)))
            kept = tuple(cls._summed(x, d, level) for x, d in zip(sent, cls.dims, strict=False))
            return (*kept, *sent[len(cls.dims) :])

    @classmethod
    def _summed(cls, x: Any, dim: int | None, level: int) -> Any:
        """The gradient of an argument that all examples share is the sum of theirs."""
        if not isinstance(x, Tensor):
            return x
        data = _data(x, level)
        return data.sum(0) if dim is None else data

    @classmethod
    def _jvp(cls, ctx: Any, *tangents: Any) -> Any:
        with mapped(ctx.size, cls.randomness) as level:
            dims = ctx.kept_dims if ctx.inner._kept_forward is None else ctx.kept_forward_dims
            inner = ctx.inner._showing(_wrapped(ctx.saved_tensors, dims, level))
            moved = cls.function.jvp(inner, *_wrapped(tangents, tuple(d is not None for d in cls.dims), level))
            return _each(moved, lambda x: _data(x, level))


def _tuple(x: Any) -> tuple[Any, ...]:
    return x if isinstance(x, tuple) else (x,)


def _each(out: Any, function: Any) -> Any:
    """`function` of one output or of each of several; what is no tensor stays."""
    if isinstance(out, tuple):
        return tuple(_each(x, function) for x in out)
    return function(out) if isinstance(out, Tensor) else out


def _data(x: Tensor, level: int) -> Tensor:
    """A tensor of the layer below, with the batch in front."""
    return unbatched(lift(x, level), level)[0]


def _known(inside: tuple[Any, ...], outside: tuple[Any, ...]) -> dict[int, Any]:
    """By the id of a tensor inside a transform: what it is outside."""
    return {id(x): y for x, y in zip(inside, outside, strict=True) if isinstance(x, Tensor)}


def _unwrapped(tensors: tuple[Any, ...], known: dict[int, Any], level: int) -> Iterator[Any]:
    """Tensors of a layer as those below: the very inputs and outputs where it is these."""
    for x in tensors:
        yield known.get(id(x), x if x is None else unbatched(x, level)[0])


def _wrapped(tensors: tuple[Any, ...], dims: tuple[bool, ...] | None, level: int) -> tuple[Any, ...]:
    """Tensors from below as batches of this layer, where `dims` says that they hold the examples (None: all do)."""
    flags = (True,) * len(tensors) if dims is None else dims
    pairs = zip(tensors, flags, strict=True)
    return tuple(batched(x, level) if flag and isinstance(x, Tensor) else x for x, flag in pairs)


# ------------------------------------------------------------------------------------------ tangents


class DualCall(LiftedCall):
    """A call inside `jvp` or a dual level."""

    def compute(self) -> Any:
        """On the primals one layer down, and their tangents by the Function's `jvp`."""
        level = self.level
        pairs = [parts(x, level) if isinstance(x, Tensor) else (x, None) for x in self.args]
        self.below = _prepared(self.function, tuple(primal for primal, _ in pairs))
        out = self.below.run()
        outs = _tuple(out)
        moved: tuple[Any, ...] = (None,) * len(outs)
        if any(t is not None for _, t in pairs):
            moved = self.moved(outs, [self.tangent(*pair) for pair in pairs])
        duals = tuple(dual(o, t, level) if isinstance(o, Tensor) else o for o, t in zip(outs, moved, strict=True))
        return duals if isinstance(out, tuple) else duals[0]

    def tangent(self, primal: Any, move: Any) -> Any:
        """What `jvp` is given for an argument: zeros for a tensor that does not move."""
        if move is not None or not isinstance(primal, Tensor):
            return move
        return values(np.zeros_like, primal) if self.below.ctx._materialize else None

    def moved(self, outs: tuple[Any, ...], tangents: list[Any]) -> tuple[Any, ...]:
        """The tangents of the outputs, checked."""
        below = self.below
        saved = below.kept if below.kept_forward is None else below.kept_forward
        moved = _tuple(self.function.jvp(below.ctx._showing(saved), *tangents))
        if len(moved) != len(outs):
            raise ForwardADError(
                f"Function's jvp returned an invalid number of forward gradients (expected {len(outs)} but got "
                f"{len(moved)}): one tangent for each output of forward"
            )
        return tuple(
            _checked(k, o, t, ok) for k, (o, t, ok) in enumerate(zip(outs, moved, below.differentiables, strict=True))
        )

    def set_up(self, out: Any) -> None:
        """`setup_context` in this layer; where forward itself saved, what it saved below, as it looks from here."""
        if self.function._split():
            super().set_up(out)
            return
        below, ctx = self.below, self.ctx
        known = _known((*below.args, *below.made), (*self.args, *_tuple(out)))
        vars(ctx).update(
            {k: v for k, v in vars(below.ctx).items() if not k.startswith("_") and k != "needs_input_grad"}
        )
        ctx._kept = tuple(known.get(id(x), x) for x in below.kept)
        ctx._materialize = below.ctx._materialize


def _checked(k: int, out: Any, tangent: Any, differentiable: bool) -> Any:
    """What `jvp` returned for output k, in the dtype of that output."""
    if tangent is None:
        return None
    if not isinstance(tangent, Tensor):
        raise ForwardADError(
            f"expected Variable or None (got {type(tangent).__name__}) for grad output {k}. jvp returns a tensor for "
            f"each output of forward, or None where that does not move"
        )
    if not differentiable:
        raise ForwardADError(
            f"Function's jvp returned a gradient at position {k}, but the corresponding forward output is not a "
            f"differentiable Tensor. You should return None at that position instead."
        )
    check_tangent_size(out, tangent)
    return bridge.tensors.cast(tangent, out._array.dtype)


# --------------------------------------------------------------------------------- batches of gradients


def in_batch(function: Any, grads: list[Any], count: int) -> Any:
    """`function` inside a vmap over a batch of gradients: each is a Tensor over a `Batched`, or the same for all."""
    with mapped(count) as level:
        inside = (
            batched(g._array.data, level) if g is not None and isinstance(g._array, Batched) else g for g in grads
        )
        return _each(function(*inside), lambda x: lift(x, level))


bridge.call = call
bridge.in_batch = in_batch

"""Forward mode: how each operation moves its result when its inputs move.

There is no second table of derivatives. A linear op moves its result by what it does to the tangents; an op
that works element by element has a diagonal Jacobian, so its backward rule, which multiplies by the transpose,
multiplies by the same numbers; for all others the backward rule, linear in the gradient g, is transposed:
with vjp(g) = Jᵀ g recorded as a function of g, its own vector-Jacobian product with t is J t.

All of it is computed with Tensors of the layers below, which record it if they have a reason to.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from . import events
from .apply import apply_all
from .arrays.composite import Composite
from .arrays.dual import Dual
from .arrays.levels import frame_of
from .autograd import passes
from .autograd.bridge import bridge
from .autograd.modes import layer_recording, ordinary_tensors, recording_at
from .lifting import Lifted, alias, level_of, lift, parts
from .tensor import Tensor, constant, edge_of, wrap

__all__ = ["DualSpace", "apart", "moving", "settled"]

Maybe = Tensor | None


class DualSpace(Lifted, Composite):
    """Duals of one `jvp` or dual level."""

    def __init__(self, level: int, shares_graph: bool = False) -> None:
        self._belong(level)
        self.shares_graph = shares_graph
        """Whether tensors from below keep their gradients here: in `forward_ad` one graph carries both modes."""

    def _constant(self, x: Tensor, array: Any) -> tuple[Any, Any]:
        if self.shares_graph and level_of(x) != self.level:
            x = self.lifted(x)
            array = x._array
        return super()._constant(x, array)

    def lifted(self, x: Tensor) -> Tensor:
        """A tensor that does not move."""
        array = Dual(x, None, self)
        return alias(x, array) if self.shares_graph else wrap(array)

    def left_behind(self, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        """After the level has ended a tensor no longer moves: it is its primal."""
        return tuple(parts(x, self.level)[0] if isinstance(x, Tensor) else x for x in inputs)

    def cast(self, x: Dual, dtype: Any) -> Dual:
        """Both parts in another dtype."""
        tangent = None if x.tangent is None else bridge.tensors.cast(x.tangent, dtype)
        return Dual(bridge.tensors.cast(x.primal, dtype), tangent, self)

    def run(self, op: Any, arrays: tuple[Any, ...], params: dict[str, Any]) -> Any:
        """Primals by the op itself, tangents by what the op says about its derivative."""
        primals = tuple(a.primal if isinstance(a, Dual) else a for a in arrays)
        moves = tuple(a.tangent if isinstance(a, Dual) else None for a in arrays)
        outs = apply_all(op, primals, params)
        moved = tangents_of(op, primals, moves, outs, params)
        duals = tuple(Dual(o, t, self) for o, t in zip(outs, moved, strict=True))
        return duals if op.several else duals[0]


# ---------------------------------------------------------------------------- made and taken apart


def moving(x: Tensor, tangent: Tensor, level: int) -> Tensor:
    """x with this tangent at a level that may lie below that of either: the level goes in under transforms inside it.

    A gradient of the result goes on to x.
    """
    top = max(level_of(x), level_of(tangent))
    if top <= level:
        return alias(x, Dual(x, tangent, _running(level)))
    a, b = lift(x, top), lift(tangent, top)
    return alias(a, _inside(lambda p, t: moving(p, t, level), a._array, b._array))


def apart(x: Tensor, level: int) -> tuple[Tensor, Maybe]:
    """Primal and tangent of a level that may lie below that of x; the tangent is None where x does not move."""
    if level_of(x) <= level:
        return parts(x, level)
    array: Any = x._array
    inner = array.data if hasattr(array, "data") else array.primal
    if apart(inner, level)[1] is None:
        return x, None
    primal = alias(x, _inside(lambda p: apart(p, level)[0], array))
    return primal, wrap(_inside(lambda p: _or_zero(*apart(p, level)), array))


def settled(x: Tensor) -> Tensor:
    """x, or its primal if the level it moved at has ended."""
    while isinstance(x._array, Dual) and frame_of(x._array.space.level) is None:
        x = x._array.primal
    return x


def _inside(function: Any, *arrays: Any) -> Any:
    """An array of the same transform over `function` of what is inside."""
    first = arrays[0]
    if not isinstance(first, Dual):
        return type(first)(function(*(a.data for a in arrays)), first.space)
    primal = function(*(a.primal for a in arrays))
    tangents = [a.tangent for a in arrays]
    if all(t is None for t in tangents):
        return Dual(primal, None, first.space)
    return Dual(primal, function(*(_or_zero(a.primal, a.tangent) for a in arrays)), first.space)


def _running(level: int) -> Any:
    """The namespace of a level; None if it has ended."""
    frame = frame_of(level)
    return None if frame is None else frame.space


bridge.dual_space = lambda level: DualSpace(level, shares_graph=True)
bridge.moving = moving
bridge.apart = apart
bridge.settled = settled


# ----------------------------------------------------------------------------------------- the rules


def tangents_of(op: Any, primals: Any, moves: Any, outs: tuple[Tensor, ...], params: dict[str, Any]) -> list[Maybe]:
    """The tangent of each output, None where it does not move."""
    if all(t is None for t in moves) or all(o._array.dtype.kind not in "fc" for o in outs):
        return [None] * len(outs)
    if op.linear:
        return _linear(op, primals, moves, params, outs)
    if op.family in ("pointwise", "broadcasting"):
        return [_diagonal(op, primals, moves, outs[0], params)]
    return _transposed(op, primals, moves, outs, params)


def _added(terms: Iterator[Tensor]) -> Maybe:
    """The sum; None where there is nothing to add."""
    total = None
    for term in terms:
        total = term if total is None else total + term
    return total


# ------------------------------------------------------------------------------------------ linear


def _linear(op: Any, primals: Any, moves: Any, params: dict[str, Any], outs: tuple[Tensor, ...]) -> list[Maybe]:
    """The op itself on the tangents, once for each group of inputs it is linear in, the others held."""
    runs = [
        apply_all(op, _with_tangents(op, names, primals, moves), params)
        for names in op.linear
        if any(moves[i] is not None for i in _places(op, names, len(primals)))
    ]
    return [_added(run[k] for run in runs) for k in range(len(outs))]


def _places(op: Any, names: tuple[str, ...], count: int) -> list[int]:
    """The numbers of the inputs of these names; the last name may be starred."""
    last = len(op.inputs) - 1
    return [i for i in range(count) if op.inputs[min(i, last)] in names]


def _with_tangents(op: Any, names: tuple[str, ...], primals: Any, moves: Any) -> tuple[Any, ...]:
    """The inputs with those of the group replaced by their tangents."""
    group = _places(op, names, len(primals))
    return tuple(_or_zero(p, t) if i in group else p for i, (p, t) in enumerate(zip(primals, moves, strict=True)))


def _or_zero(primal: Any, tangent: Maybe) -> Any:
    """The tangent; zeros for what does not move."""
    if tangent is not None:
        return tangent
    return wrap(np.zeros(primal.shape, primal._array.dtype)) if isinstance(primal, Tensor) else 0.0


# ------------------------------------------------------------------------------------ element by element


def _diagonal(op: Any, primals: Any, moves: Any, out: Tensor, params: dict[str, Any]) -> Maybe:
    """The rule d sends g to conj(∂)·g, so the conjugate of d(conj t) is ∂·t."""
    return _added(
        _one(op, i, primals, t, out, params) for i, t in enumerate(moves) if t is not None and op.inputs[i] in op.rules
    )


def _one(op: Any, i: int, primals: Any, tangent: Tensor, out: Tensor, params: dict[str, Any]) -> Tensor:
    """How the output moves with input i alone."""
    xp = bridge.tensors
    t = tangent if tangent.shape == out.shape else xp.expand(tangent, out.shape)
    plan = op.plans[1 << i]
    sent = plan.pull(xp, xp.conj(t), _saved(plan, out, primals, params))[i]
    return xp.cast(xp.conj(sent), out._array.dtype)


def _saved(plan: Any, out: Any, primals: Any, params: dict[str, Any]) -> tuple[Any, ...]:
    """What the rule reads, as tensors. Nobody edits it before the rule has run: the versions are not kept."""
    cells = [[0] for _ in primals]
    made = [[0] for _ in out] if isinstance(out, tuple) else [0]
    return plan.keep(out, params, *primals, made, *cells)[0]


# ---------------------------------------------------------------------------------------- all others


def _transposed(op: Any, primals: Any, moves: Any, outs: tuple[Tensor, ...], params: dict[str, Any]) -> list[Maybe]:
    """The rule pulls unknown gradients g back to Jᵀ g, recorded; the derivative of (Jᵀ g)·t by g is J t."""
    places = [i for i, t in enumerate(moves) if t is not None and (op.joint is not None or op.inputs[i] in op.rules)]
    mask = sum(1 << i for i in places)
    plan = op.plans[(mask, len(primals)) if op.star else mask]
    differentiable = [k for k in range(len(outs)) if _has_gradient(op, k)]
    level = max(map(level_of, (*outs, *primals)))
    primals, outs = tuple(map(_ordinary, primals)), tuple(map(_ordinary, outs))
    with ordinary_tensors(), layer_recording(level, True):
        gs = {k: _unknown(outs[k], level) for k in differentiable}
        g = [gs.get(k) for k in range(len(outs))] if plan.many else gs[differentiable[0]]
        sent = plan.pull(bridge.tensors, g, _saved(plan, outs if op.several else outs[0], primals, params))
        pairs = [(sent[i], moves[i]) for i in places if sent[i] is not None and edge_of(sent[i]) is not None]
    found = iter(_product(pairs, list(gs.values()), level))
    return [next(found) if k in gs else None for k in range(len(outs))]


def _has_gradient(op: Any, k: int) -> bool:
    """Whether output k can have one."""
    return op.listed or (k < len(op.outputs) - op.hidden and op.outputs[k] not in op.nondiff)


def _ordinary(x: Any) -> Any:
    """A tensor that can be recorded, also where x was made in inference mode."""
    if not isinstance(x, Tensor) or x._cell is not None:
        return x
    twin = constant(x)
    twin._cell = [0]
    return twin


def _unknown(out: Tensor, level: int) -> Tensor:
    """The gradient of an output, as a variable: the rule is linear in it, so any value will do."""
    g = lift(wrap(np.zeros(out.shape, out._array.dtype)), level)
    return wrap(g._array, requires_grad=True)


def _product(pairs: list[tuple[Any, Any]], gs: list[Tensor], level: int) -> tuple[Any, ...]:
    """For each g the derivative of Σ sent · tangent; None where nothing that was sent depends on it."""
    if not pairs:
        return (None,) * len(gs)
    sent, tangents = zip(*pairs, strict=True)
    with events.numbered_pass(told=False):  # nobody asked for this backward pass
        return passes.grad(sent, gs, tangents, create_graph=recording_at(level), allow_unused=True)

"""`apply`: where an operation is computed and recorded. (A user's `Function` is recorded by `custom.py`.)

Read `apply` first, the general path: several outputs, promotion, other namespaces, listeners. `apply2`
(two tensors), `apply1` (one) and `apply_number` (one and a number) are short paths that a training step
takes; they do the same without what they do not need. The three repeat each other on purpose: a call
costs about 70 ns, a twelfth of a recorded addition. A test runs every op through both kinds and compares
results and graphs. `record` notes an operation whose result is there already: an edit in place.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any, NoReturn

import numpy as np

from . import events, special
from .arrays.cpu import cpu
from .arrays.levels import frame_of, level_of
from .autograd.modes import recording, recording_at
from .autograd.node import Node, next_order
from .autograd.saved import hooks_in_force, pack_node
from .errors import InferenceError, NotATensorError
from .ops import MatMul, Op
from .promotion import prepared, space_of
from .source import user_line
from .tensor import Tensor, wrap
from .views import mark, sync, unrecorded

__all__ = ["apply", "apply1", "apply2", "apply_all", "apply_number", "record", "refuse_inference"]

ndarray, asarray, new = np.ndarray, np.asarray, object.__new__
F32, F64 = np.dtype("float32"), np.dtype("float64")

FIXED = [0]
"""The version cell of what never changes, such as a number."""


# ---------------------------------------------------------------------------------- the short paths


def apply2(op: Any, x: Tensor, y: Tensor) -> Tensor:
    """Compute and record an operation of two tensors of one floating dtype."""
    if special.reasons:
        return apply(op, x, y)
    try:
        a = x._array
        b = y._array
    except AttributeError:
        raise _not_a_tensor(op, x, y) from None
    dtype = a.dtype
    if (
        a.__class__ is not ndarray
        or b.__class__ is not ndarray
        or dtype is not b.dtype
        or (dtype is not F32 and dtype is not F64)
    ):
        return apply(op, x, y)
    try:
        out = op.forward(cpu, a, b)
    except Exception as error:
        raise op.explain((a, b), {}, error) from None
    if out.__class__ is not ndarray:  # NumPy turns 0-d results into scalars
        out = asarray(out)
    t = new(Tensor)
    t._array = out
    t._grad = t._view = t._hooks = None
    cell = t._cell = [0]
    sx = x._shape
    sy = y._shape
    same = sx is sy and op is not MatMul
    shape = t._shape = sx if same else out.shape
    if x._view is not None:
        sync(x)
    if y._view is not None:
        sync(y)
    need_x = x._needs_grad
    need_y = y._needs_grad
    n = None
    if (need_x or need_y) and recording():
        cx, cy = x._cell, y._cell
        if cx is None or cy is None:
            refuse_inference(op)
        n = new(Node)
        plan = n.plan = op.plans[3 if need_x and need_y else 1 if need_x else 2]
        ex, ey = x._node, y._node
        n.edges = (x if ex is None and need_x else ex, y if ey is None and need_y else ey)
        n.order = next_order()
        n.saved, n.versions = plan.keep(out, None, a, b, cell, cx, cy)
        n.shape = shape
        n.params = n.extra = None
        n.fit = None if same or _unstretched(op, sx, sy, shape) else ((sx, dtype), (sy, dtype))
    t._node = n
    t._needs_grad = n is not None
    return t


def _unstretched(op: Any, sx: Any, sy: Any, shape: Any) -> bool:
    """Whether no operand was broadcast, so that gradients already have the operands' shapes."""
    return len(sx) == len(sy) == 2 if op is MatMul else sx == shape and sy == shape


def apply1(op: Any, x: Tensor, params: dict[str, Any] | None = None) -> Tensor:
    """Compute and record an operation of one tensor of floating dtype, with one output."""
    if special.reasons:
        return apply(op, x, **(params or {}))
    try:
        a = x._array
    except AttributeError:
        raise _not_a_tensor(op, x) from None
    dtype = a.dtype
    if a.__class__ is not ndarray or (dtype is not F32 and dtype is not F64):
        return apply(op, x, **(params or {}))
    try:
        out = op.forward(cpu, a) if params is None else op.forward(cpu, a, **params)
    except Exception as error:
        raise op.explain((a,), params or {}, error) from None
    if out.__class__ is not ndarray:
        out = asarray(out)
    t = new(Tensor)
    t._array = out
    t._grad = t._view = t._hooks = None
    cell = t._cell = [0]
    shape = t._shape = x._shape if params is None else out.shape
    if x._view is not None:
        sync(x)
    if op.view:
        _mark_view(t, x, (op, params))
    n = None
    if x._needs_grad and recording():
        if x._cell is None:
            refuse_inference(op)
        n = new(Node)
        plan = n.plan = op.plans[1]
        n.edges = (x if x._node is None else x._node,)
        n.order = next_order()
        n.saved, n.versions = plan.keep(out, params, a, cell, x._cell)
        n.shape = shape
        n.params = params
        n.fit = n.extra = None
    t._node = n
    t._needs_grad = n is not None
    return t


def apply_number(op: Any, x: Tensor, number: Any, first: bool = False) -> Any:
    """`x op number` or `number op x`. Foreign operands get their chance to handle the tensor."""
    if number.__class__ is not float and number.__class__ is not int:
        if not isinstance(number, (int, float, complex, np.generic, np.ndarray)):
            return NotImplemented
        return apply(op, number, x) if first else apply(op, x, number)
    a = x._array
    dtype = a.dtype
    if special.reasons or a.__class__ is not ndarray or (dtype is not F32 and dtype is not F64):
        return apply(op, number, x) if first else apply(op, x, number)
    out = op.forward(cpu, number, a) if first else op.forward(cpu, a, number)
    if out.__class__ is not ndarray:
        out = asarray(out)
    t = new(Tensor)
    t._array = out
    t._grad = t._view = t._hooks = None
    cell = t._cell = [0]
    t._shape = x._shape
    if x._view is not None:
        sync(x)
    n = None
    if x._needs_grad and recording():
        cx = x._cell
        if cx is None:
            refuse_inference(op)
        n = new(Node)
        n.order = next_order()
        n.shape = x._shape
        n.params = n.extra = n.fit = None
        edge = x if x._node is None else x._node
        if first:
            plan = n.plan = op.plans[2]
            n.edges = (None, edge)
            n.saved, n.versions = plan.keep(out, None, number, a, cell, FIXED, cx)
        else:
            plan = n.plan = op.plans[1]
            n.edges = (edge, None)
            n.saved, n.versions = plan.keep(out, None, a, number, cell, cx, FIXED)
    t._node = n
    t._needs_grad = n is not None
    return t


def _mark_view(t: Tensor, x: Tensor, step: Any, origin: str | None = None) -> None:
    """A result that shows x's memory becomes a view of it. (A reshape may also have copied.)"""
    a, out = x._array, t._array
    if out.__class__ is not ndarray:
        mark(t, x, step, origin if recording_at(level_of(out)) else unrecorded())
    elif out.base is not None and (out.base is a or out.base is a.base):
        mark(t, x, step, origin if recording() else unrecorded())


# ---------------------------------------------------------------------------------- the general path


def apply(op: type[Op], *inputs: Any, **params: Any) -> Any:
    """Compute and record any operation: several outputs, promotion, other namespaces, events."""
    made = apply_all(op, inputs, params)
    seen = made[: len(made) - op.hidden]
    return seen[0] if len(seen) == 1 and not op.listed else seen


def apply_all(op: type[Op], inputs: tuple[Any, ...], params: dict[str, Any]) -> tuple[Tensor, ...]:
    """`apply` with all outputs, those too that are for the rule alone."""
    start = perf_counter()
    place = user_line() if events.sources_wanted else None
    inputs, arrays = _entering(op, inputs)
    space = space_of(arrays)
    if space.level:
        return _apply_lifted(op, inputs, arrays, params, space)
    try:
        arrays = prepared(op, arrays)
        out = op.forward(space, *arrays, **params)
    except Exception as error:
        clear = op.explain(arrays, params, error)
        if events.listeners:
            events.emit(events.OpFailed(op, inputs, clear, place))
        raise clear from None
    made, node = _outputs(op, inputs, arrays, params, out)
    if events.listeners:
        _tell(op, inputs, made, params, node, place, start)
    return made


def _apply_lifted(op: type[Op], inputs: Any, arrays: Any, params: dict[str, Any], space: Any) -> tuple[Tensor, ...]:
    """An operation on arrays of a transform. Listeners see what it is made of, one level down."""
    if frame_of(space.level) is None:
        return apply_all(op, space.left_behind(inputs), params)
    inputs, arrays = space.received(inputs, arrays)
    try:
        arrays = prepared(op, arrays)
        out = space.run(op, arrays, params)
    except Exception as error:
        raise op.explain(arrays, params, error) from None
    return _outputs(op, inputs, arrays, params, out, space.level)[0]


def _outputs(
    op: type[Op], inputs: Any, arrays: Any, params: dict[str, Any], out: Any, level: int = 0
) -> tuple[tuple[Tensor, ...], Node | None]:
    """What forward returned, as tensors of this level; and the node that remembers how they were made."""
    outs = out if op.several else (out,)
    made = tuple(wrap(asarray(o) if isinstance(o, np.generic) else o) for o in outs)
    if op.view:
        _mark_views(op, made, inputs[0], params)
    needs = [isinstance(x, Tensor) and x._needs_grad for x in inputs]
    if not _recorded(op, inputs, needs, made, level):
        return made, None
    return made, _record(op, inputs, arrays, needs, params, made)


def _entering(op: type[Op], inputs: tuple[Any, ...]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Inputs as tensors (views brought up to date) and numbers, and their arrays."""
    given, arrays = [], []
    for x in inputs:
        if not isinstance(x, Tensor):
            x = _accepted(op, x, inputs)
            if not isinstance(x, Tensor):
                given.append(x)
                arrays.append(x)
                continue
        if x._view is not None:
            sync(x)
        given.append(x)
        arrays.append(x._array)
    return tuple(given), tuple(arrays)


def _accepted(op: type[Op], x: Any, inputs: tuple[Any, ...]) -> Any:
    """An input that is no tensor, as a Python number or a constant. Raises NotATensorError for anything else."""
    if isinstance(x, np.generic):
        return x.item()
    if isinstance(x, ndarray):
        return wrap(x)
    if not isinstance(x, (int, float, complex)):
        raise _not_a_tensor(op, *inputs)
    return x


def record(op: type[Op], inputs: tuple[Tensor, ...], out: Tensor, **params: Any) -> None:
    """Record an operation whose result is there already: what `inplace.py` does after an edit."""
    arrays = tuple(x._array for x in inputs)
    place = user_line() if events.sources_wanted else None
    node = _record(op, inputs, arrays, [x._needs_grad for x in inputs], params, (out,))
    if events.listeners:
        _tell(op, inputs, (out,), params, node, place, perf_counter())


def _mark_views(op: type[Op], made: tuple[Tensor, ...], x: Tensor, params: dict[str, Any]) -> None:
    """Outputs that show x's memory; several of them must not be edited in place, as in PyTorch."""
    if not op.listed:
        _mark_view(made[0], x, (op, params))
        return
    for k, (t, step) in enumerate(zip(made, op.parts(x._shape, params), strict=True)):
        _mark_view(t, x, step, f"Output {k} of {op.__name__}")


def _recorded(op: type[Op], inputs: Any, needs: list[bool], made: tuple[Tensor, ...], level: int) -> bool:
    """Whether there is a gradient to send: an input wants one, an output can have one, and this level records."""
    if not (any(needs) and made and recording_at(level)) or len(op.outputs) - op.hidden == len(op.nondiff):
        return False
    if any(isinstance(x, Tensor) and x._cell is None for x in inputs):
        refuse_inference(op)
    return True


def _record(op: type[Op], inputs: Any, arrays: Any, needs: list[bool], params: Any, made: tuple[Tensor, ...]) -> Node:
    """The node of an operation whose outputs are there, and their way back to it."""
    mask = sum(need << i for i, need in enumerate(needs))
    n = new(Node)
    plan = n.plan = op.plans[(mask, len(inputs)) if op.star else mask]
    n.edges = tuple(
        (x if x._node is None else x._node) if need else None for x, need in zip(inputs, needs, strict=True)
    )
    n.order = next_order()
    cells = [x._cell if isinstance(x, Tensor) else FIXED for x in inputs]
    out = made[0]._array
    if op.several:
        outs = tuple(t._array for t in made)
        n.saved, n.versions = plan.keep(outs, params, *arrays, [t._cell for t in made], *cells)
    else:
        n.saved, n.versions = plan.keep(out, params, *arrays, made[0]._cell, *cells)
    n.shape = tuple(out.shape)
    n.params = params or None
    n.fit = _fit_of(op, inputs, arrays, needs, out)
    n.extra = None
    if plan.many:
        n.extras().shapes = tuple(tuple(t._shape) for t in made)
    for k, t in enumerate(made):
        t._node = n.output_edge(k) if op.several else n
        t._needs_grad = t._node is not None
    if special.reasons and (pair := hooks_in_force()) is not None:
        pack_node(n, pair, inputs, made)
    return n


def _fit_of(op: type[Op], inputs: Any, arrays: Any, needs: list[bool], out: Any) -> tuple[Any, ...] | None:
    """What the engine must undo at this node's edges, None if nothing: stretching, and casts."""
    fit: list[Any] = []
    needed = False
    for x, array, need in zip(inputs, arrays, needs, strict=True):
        cast = need and array is not x._array
        if not (cast or (need and op.fits)):
            fit.append(None)
            continue
        shape, dtype = x._shape, x._array.dtype
        fit.append((shape, dtype))
        needed = needed or cast or shape != out.shape or dtype != out.dtype
    return tuple(fit) if needed else None


def _tell(op: Any, inputs: Any, made: Any, params: Any, node: Node | None, place: Any, start: float) -> None:
    if node is not None and place is not None:
        node.extras().place = place
    seen = made[: len(made) - op.hidden]
    saved = tuple(node.saved_arrays()) if node is not None else ()
    events.emit(events.OpExecuted(node, op, inputs, seen, params, saved, perf_counter() - start, place))


def _not_a_tensor(op: Any, *inputs: Any) -> NotATensorError:
    """The error that names the wrong input: what is no number either, or else the number where a tensor must be."""
    foreign = (type(x).__name__ for x in inputs if not isinstance(x, (Tensor, int, float, complex)))
    wrong = next(foreign, None) or next(type(x).__name__ for x in inputs if not isinstance(x, Tensor))
    return NotATensorError(f"{op.__name__}: expected a Tensor, but got {wrong}: tp.tensor(...) makes one")


def refuse_inference(op: Any) -> NoReturn:
    """Raise InferenceError: an operation that is recorded has an input that keeps no version."""
    raise InferenceError(
        f"Inference tensors cannot be saved for backward, nor used in an operation that is recorded ({op.__name__}): "
        f"they keep no versions. clone() the tensor outside inference_mode to get an ordinary one."
    )

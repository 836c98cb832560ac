"""`apply`: the only place where an operation is recorded.

Read `apply` first, the general path: several outputs, promotion, other namespaces, listeners. `apply2`
(two tensors), `apply1` (one) and `apply_number` (one and a number) are short paths that a training step
takes; they do the same without what they do not need. The three repeat each other on purpose: a call
costs about 70 ns, a twelfth of a recorded addition. A test runs every op through both kinds and compares
results and graphs.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any, NoReturn

import numpy as np

from . import events, special
from .arrays.cpu import cpu
from .arrays.dtypes import as_numpy, result_dtype
from .autograd.bridge import bridge
from .autograd.modes import recording
from .autograd.node import Node, next_order
from .errors import InferenceError, NotATensorError
from .ops import Cast, MatMul, Op
from .source import user_line
from .tensor import Tensor, edge_of, wrap

__all__ = ["apply", "apply1", "apply2", "apply_number"]

ndarray, asarray, new = np.ndarray, np.asarray, object.__new__
F32, F64 = np.dtype("float32"), np.dtype("float64")

VIEWED = 1
"""Second entry of a version cell: views of this memory exist, so its history cannot be rewritten alone."""

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
    need_x = x._needs_grad
    need_y = y._needs_grad
    n = None
    if (need_x or need_y) and recording():
        cx, cy = x._cell, y._cell
        if cx is None or cy is None:
            _refuse_inference(op)
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
    if op.view:
        _mark_view(t, x)
    n = None
    if x._needs_grad and recording():
        if x._cell is None:
            _refuse_inference(op)
        n = new(Node)
        plan = n.plan = op.plans[1]
        edge = x._node
        n.edges = (x if edge is None else edge,)
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
    n = None
    if x._needs_grad and recording():
        cx = x._cell
        if cx is None:
            _refuse_inference(op)
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


def _mark_view(t: Tensor, x: Tensor) -> None:
    """A result that shows x's memory shares its version, and remembers its base."""
    a, out = x._array, t._array
    if out.base is not None and (out.base is a or out.base is a.base):
        t._cell = x._cell
        if x._cell is not None:
            x._cell[1:] = [VIEWED]
        t._view = x if x._view is None else x._view


# ---------------------------------------------------------------------------------- the general path


def apply(op: type[Op], *inputs: Any, **params: Any) -> Any:
    """Compute and record any operation: several outputs, promotion, other namespaces, events."""
    start = perf_counter()
    place = user_line() if events.sources_wanted else None
    inputs = tuple(x.item() if isinstance(x, np.generic) else wrap(x) if isinstance(x, ndarray) else x for x in inputs)
    if not all(isinstance(x, (Tensor, int, float, complex)) for x in inputs):
        raise _not_a_tensor(op, *inputs)
    arrays = tuple(x._array if isinstance(x, Tensor) else x for x in inputs)
    try:
        arrays = _prepared(op, arrays)
        out = op.forward(_space(arrays), *arrays, **params)
    except Exception as error:
        clear = op.explain(arrays, params, error)
        if events.listeners:
            events.emit(events.OpFailed(op, inputs, clear, place))
        raise clear from None
    outs = tuple(asarray(o) if isinstance(o, np.generic) else o for o in (out if len(op.outputs) > 1 else (out,)))
    made = tuple(wrap(o) for o in outs)
    if op.view:
        _mark_view(made[0], inputs[0])
    node = _record(op, inputs, arrays, params, outs, made) if _recorded(op, inputs) else None
    if events.listeners:
        _tell(op, inputs, made, params, node, place, start)
    seen = made[: len(made) - op.hidden]
    return seen[0] if len(seen) == 1 else seen


def _prepared(op: type[Op], arrays: tuple[Any, ...]) -> tuple[Any, ...]:
    """Inputs in the dtype the operation computes in: PyTorch's common one, floating where only that makes sense."""
    if not (op.promote or op.floating):
        return arrays
    start = op.promote_from
    first = arrays[start:] if op.promote else arrays[:1]
    common = getattr(first[0], "dtype", None)
    if (common is F32 or common is F64) and all(
        getattr(a, "dtype", common) is common and a.__class__ is not complex for a in first
    ):
        return arrays
    dtype = result_dtype(*first)
    if op.floating and dtype.kind not in "fc":
        dtype = as_numpy(None)
    cast = tuple(_cast(a, dtype) for a in first)
    if not any(hasattr(a, "dtype") for a in cast):
        cast = tuple(asarray(a, dtype) for a in cast)
    return arrays[:start] + cast if op.promote else cast + arrays[1:]


def _cast(x: Any, dtype: Any) -> Any:
    """Numbers stay numbers: they are weak, and take the dtype of what they meet."""
    if getattr(x, "dtype", dtype) == dtype:
        return x
    return x.astype(dtype) if x.__class__ is ndarray else _space((x,)).cast(x, dtype)


def _space(arrays: tuple[Any, ...]) -> Any:
    """The namespace of the highest rank among the arrays."""
    spaces = [a.space for a in arrays if hasattr(a, "space")]
    return max(spaces, key=lambda s: s.rank) if spaces else cpu


def _recorded(op: type[Op], inputs: tuple[Any, ...]) -> bool:
    if not (any(isinstance(x, Tensor) and x._needs_grad for x in inputs) and recording()):
        return False
    if len(op.outputs) - op.hidden == len(op.nondiff):
        return False
    if any(isinstance(x, Tensor) and x._cell is None for x in inputs):
        _refuse_inference(op)
    return True


def _record(
    op: type[Op], inputs: Any, arrays: Any, params: Any, outs: tuple[Any, ...], made: tuple[Tensor, ...]
) -> Node:
    needs = [isinstance(x, Tensor) and x._needs_grad for x in inputs]
    mask = sum(need << i for i, need in enumerate(needs))
    n = new(Node)
    plan = n.plan = op.plans[(mask, len(inputs)) if op.star else mask]
    n.edges = tuple(edge_of(x) if need else None for x, need in zip(inputs, needs, strict=True))
    n.order = next_order()
    cells = [x._cell if isinstance(x, Tensor) else FIXED for x in inputs]
    if len(op.outputs) > 1:
        n.saved, n.versions = plan.keep(outs, params, *arrays, [t._cell for t in made], *cells)
    else:
        n.saved, n.versions = plan.keep(outs[0], params, *arrays, made[0]._cell, *cells)
    n.shape = tuple(outs[0].shape)
    n.params = params or None
    n.fit = _fit_of(op, inputs, arrays, needs, n.shape)
    n.extra = None
    if plan.many:
        n.extras().shapes = tuple(tuple(o.shape) for o in outs)
    for k, t in enumerate(made):
        t._node = bridge.output_edge(n, k)
        t._needs_grad = t._node is not None
    return n


def _fit_of(
    op: type[Op], inputs: Any, arrays: Any, needs: list[bool], shape: tuple[int, ...]
) -> tuple[Any, ...] | None:
    """What the engine must undo at this node's edges, None if nothing."""
    fit = tuple(
        (x._shape, x._array.dtype) if need and (op.fits or a is not x._array) else None
        for x, a, need in zip(inputs, arrays, needs, strict=True)
    )
    casts = any(need and a is not x._array for x, a, need in zip(inputs, arrays, needs, strict=True))
    stretched = op.fits and (op is Cast or op is MatMul or any(f is not None and f[0] != shape for f in fit))
    return fit if casts or stretched else None


def _tell(op: Any, inputs: Any, made: Any, params: Any, node: Node | None, place: Any, start: float) -> None:
    if node is not None and place is not None:
        node.extras().place = place
    seen = made[: len(made) - op.hidden]
    saved = tuple(node.saved_arrays()) if node is not None else ()
    events.emit(events.OpExecuted(node, op, inputs, seen, params, saved, perf_counter() - start, place))


def _not_a_tensor(op: Any, *inputs: Any) -> NotATensorError:
    foreign = (type(x).__name__ for x in inputs if not isinstance(x, (Tensor, int, float, complex)))
    wrong = next(foreign, None) or next(type(x).__name__ for x in inputs if not isinstance(x, Tensor))
    return NotATensorError(f"{op.__name__}: expected a Tensor, but got {wrong}: tp.tensor(...) makes one")


def _refuse_inference(op: Any) -> NoReturn:
    raise InferenceError(
        f"Inference tensors cannot be used in an operation that is recorded ({op.__name__}): "
        f"they keep no versions. clone() the tensor outside inference_mode to get an ordinary one."
    )

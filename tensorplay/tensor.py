"""Tensors, and `apply`: the only place where an operation is recorded.

Three paths lead through here. `apply2` (two tensors) and `apply1` (one tensor, or one and a number) are
the short ones that a training step takes; they do nothing but compute, make the result, and make a
node. `apply` is the general one: several outputs, promotion, other namespaces, listeners. A test runs
every op through both and compares results and graphs.
"""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any
from weakref import ref

import numpy as np

from . import events, special
from .arrays.cpu import cpu
from .arrays.dtypes import DType, as_numpy, of, result_dtype
from .autograd import run
from .autograd.bridge import bridge
from .autograd.modes import inferring, recording
from .autograd.node import Node, Out, RemovableHandle, next_order
from .errors import ConversionError, DTypeError, GradError, HookError, InferenceError, InPlaceError
from .ops import Add, Cast, Div, MatMul, Mul, Neg, Op, Pow, Sub
from .source import user_line

__all__ = ["Tensor", "apply", "apply1", "apply2", "edge_of", "wrap"]

Array = np.ndarray[Any, Any]
ndarray, asarray, new = np.ndarray, np.asarray, object.__new__
F32, F64 = np.dtype("float32"), np.dtype("float64")

FIXED = [0]
"""The version cell of what never changes, such as a number."""


class Tensor:
    """A multi-dimensional array that can remember how it was made.

    Made by `tp.tensor`, `tp.zeros`, … and by operations. A tensor with `requires_grad` takes part in the
    graph: what is computed from it knows its operation (`grad_fn`), and `backward()` adds to `grad`.

    >>> import tensorplay as tp
    >>> x = tp.tensor([1.0, 2.0], requires_grad=True)
    >>> (x * x).sum().backward()
    >>> x.grad
    tensor([2., 4.])
    """

    __slots__ = ("__weakref__", "_array", "_cell", "_grad", "_hooks", "_needs_grad", "_node", "_shape", "_view")
    __array_ufunc__ = None  # else ndarray * Tensor would build an array of objects
    __hash__ = object.__hash__

    _array: Array
    _shape: tuple[int, ...]
    """Kept apart from the array: shared along chains, so that equal shapes are mostly the same object."""
    _node: Any
    """The node that made it, or None for a leaf. (Inside the engine also an edge further down.)"""
    _needs_grad: bool
    _grad: Tensor | None
    _cell: list[int] | None
    """One-element list with the version, shared by base, views and `detach()`; None for inference tensors."""
    _view: Tensor | None
    """The tensor whose memory this one shows, for views."""
    _hooks: LeafHooks | None

    # ------------------------------------------------------------------------------- what it is

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the dimensions."""
        return self._shape

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self._shape)

    @property
    def dtype(self) -> DType:
        """The element type, such as `tensorplay.float32`."""
        return of(self._array.dtype)

    @property
    def device(self) -> str:
        """Where the numbers live; "cpu" is the only place so far."""
        return "cpu"

    @property
    def is_leaf(self) -> bool:
        """Whether it was not made by a recorded operation."""
        return self._node is None

    @property
    def grad_fn(self) -> Node | None:
        """The node that made this tensor, None for a leaf."""
        return self._node.node if self._node.__class__ is Out else self._node  # type: ignore[no-any-return]

    @property
    def output_nr(self) -> int:
        """Which output of `grad_fn` this is."""
        return self._node.nr if self._node.__class__ is Out else 0

    @property
    def _version(self) -> int:
        """How often the memory was written in place."""
        if self._cell is None:
            raise InferenceError("Inference tensors do not track version counter: clone() gives an ordinary tensor")
        return self._cell[0]

    def is_inference(self) -> bool:
        """Whether it was made in inference mode."""
        return self._cell is None

    # -------------------------------------------------------------------------------- gradients

    @property
    def requires_grad(self) -> bool:
        """Whether operations on it are recorded. Can be set on leaves of floating or complex dtype."""
        return self._needs_grad

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        if self._node is not None:
            if not value:
                raise GradError(
                    "you can only change requires_grad flags of leaf variables: this tensor is the result of "
                    f"{self._node_name()}. Use detach() for a tensor without history."
                )
            return
        if value:
            check_differentiable(self._array.dtype)
            if self._cell is None and not inferring():
                raise InferenceError(
                    "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed: "
                    "clone() gives an ordinary tensor"
                )
        self._needs_grad = bool(value)

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Set `requires_grad`, and return the tensor itself."""
        self.requires_grad = requires_grad
        return self

    @property
    def grad(self) -> Tensor | None:
        """What backward passes have added up, or None. Only leaves keep it, and tensors after `retain_grad()`."""
        if self._grad is None and self._node is not None and not self.retains_grad:
            _warn_non_leaf()
        return self._grad

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        if value is not None:
            _check_grad(self, value)
        self._grad = value

    @property
    def retains_grad(self) -> bool:
        """Whether a non-leaf keeps its gradient."""
        node = self.grad_fn
        kept = node.extra.retain.get(self.output_nr) if node is not None and node.extra is not None else None
        return kept is not None and kept() is self

    def retain_grad(self) -> None:
        """Keep the gradient of a non-leaf in `grad`. On a leaf it has no effect."""
        if not self._needs_grad:
            raise GradError("can't retain_grad on Tensor that has requires_grad=False: nothing will arrive there")
        node = self.grad_fn
        if node is not None:
            node.extras().retain[self.output_nr] = ref(self)

    def register_hook(self, hook: Any) -> RemovableHandle:
        """Call `hook(grad)` when this tensor's gradient is complete; a returned tensor replaces it."""
        if not self._needs_grad:
            raise HookError("cannot register a hook on a tensor that doesn't require gradient")
        node = self.grad_fn
        if node is not None:
            return RemovableHandle.into(node.extras().tensor_hooks.setdefault(self.output_nr, {}), hook)
        return RemovableHandle.into(self._leaf_hooks().gradient, hook)

    def register_post_accumulate_grad_hook(self, hook: Any) -> RemovableHandle:
        """Call `hook(tensor)` each time a backward pass has added to this leaf's `grad`."""
        if self._node is not None or not self._needs_grad:
            raise HookError("post accumulate grad hooks cannot be registered on non-leaf tensors")
        return RemovableHandle.into(self._leaf_hooks().accumulated, hook)

    def _leaf_hooks(self) -> LeafHooks:
        if self._hooks is None:
            self._hooks = LeafHooks()
        return self._hooks

    def backward(
        self, gradient: Tensor | None = None, retain_graph: bool | None = None, create_graph: bool = False, inputs: Any = None
    ) -> None:
        """Add this tensor's gradients to the leaves it was computed from; see `tp.autograd.backward`.

        >>> import tensorplay as tp
        >>> x = tp.tensor(3.0, requires_grad=True)
        >>> (x**3).backward()
        >>> x.grad
        tensor(27.)
        """
        run.backward(self, gradient, retain_graph, create_graph, inputs=inputs)

    def detach(self) -> Tensor:
        """The same memory (and versions), cut off from the graph: a constant."""
        t = wrap(self._array)
        t._cell = self._cell
        return t

    def detach_(self) -> Tensor:
        """Cut this tensor itself off from the graph; it becomes a leaf."""
        if self._view is not None:
            raise InPlaceError("Can't detach views in-place, use detach() instead")
        self._node, self._needs_grad = None, False
        return self

    @property
    def data(self) -> Tensor:
        """The same memory with versions of its own: edits through it are not noticed by backward."""
        return wrap(self._array)

    @data.setter
    def data(self, value: Tensor) -> None:
        self._array, self._shape = value._array, value._shape

    def _node_name(self) -> str:
        return self.grad_fn.name() if self.grad_fn is not None else "a leaf"

    # -------------------------------------------------------------------------------- operators

    def __add__(self, other: Any) -> Tensor:
        return apply2(Add, self, other) if isinstance(other, Tensor) else _with_number(Add, self, other)

    def __sub__(self, other: Any) -> Tensor:
        return apply2(Sub, self, other) if isinstance(other, Tensor) else _with_number(Sub, self, other)

    def __mul__(self, other: Any) -> Tensor:
        return apply2(Mul, self, other) if isinstance(other, Tensor) else _with_number(Mul, self, other)

    def __truediv__(self, other: Any) -> Tensor:
        return apply2(Div, self, other) if isinstance(other, Tensor) else _with_number(Div, self, other)

    def __pow__(self, other: Any) -> Tensor:
        return apply2(Pow, self, other) if isinstance(other, Tensor) else _with_number(Pow, self, other)

    def __radd__(self, other: Any) -> Tensor:
        return _with_number(Add, self, other, first=True)

    def __rsub__(self, other: Any) -> Tensor:
        return _with_number(Sub, self, other, first=True)

    def __rmul__(self, other: Any) -> Tensor:
        return _with_number(Mul, self, other, first=True)

    def __rtruediv__(self, other: Any) -> Tensor:
        return _with_number(Div, self, other, first=True)

    def __rpow__(self, other: Any) -> Tensor:
        return _with_number(Pow, self, other, first=True)

    def __neg__(self) -> Tensor:
        return apply1(Neg, self)

    def __pos__(self) -> Tensor:
        return self

    if TYPE_CHECKING:  # attached by methods.py

        def __getattr__(self, name: str) -> Any: ...
        def __getitem__(self, index: Any) -> Tensor: ...
        def __matmul__(self, other: Any) -> Tensor: ...
        def __lt__(self, other: Any) -> Tensor: ...
        def __le__(self, other: Any) -> Tensor: ...
        def __gt__(self, other: Any) -> Tensor: ...
        def __ge__(self, other: Any) -> Tensor: ...


class LeafHooks:
    """Hooks of a leaf: on the gradient that arrives, and after it was added to `grad`."""

    __slots__ = ("accumulated", "gradient")

    def __init__(self) -> None:
        self.gradient: dict[int, Any] = {}
        self.accumulated: dict[int, Any] = {}


# ---------------------------------------------------------------------------------- making tensors


def wrap(array: Any, requires_grad: bool = False, cls: type[Tensor] = Tensor) -> Tensor:
    """A leaf over this array (no copy)."""
    t = new(cls)
    t._array = array
    t._shape = array.shape
    t._node = t._grad = t._view = t._hooks = None
    t._needs_grad = requires_grad
    t._cell = None if inferring() else [0]
    if requires_grad:
        check_differentiable(array.dtype)
    return t


def _with_edge(array: Any, edge: Any) -> Tensor:
    """The engine's view of an array: a tensor whose gradient goes to `edge`."""
    t = wrap(asarray(array) if isinstance(array, np.generic) else array)
    t._node = edge
    t._needs_grad = edge is not None
    return t


def edge_of(tensor: Tensor) -> Any:
    """Where the tensor's gradient goes: its node (or one output of it), itself if it is a leaf, None if it needs none."""
    if tensor._node is not None:
        return tensor._node
    return tensor if tensor._needs_grad else None


def check_differentiable(dtype: Any) -> None:
    """Raise DTypeError unless numbers of this dtype can have a gradient."""
    if dtype.kind not in "fc":
        raise DTypeError(
            f"Only Tensors of floating point and complex dtype can require gradients, got {of(dtype)}: "
            f"write the numbers with a point (2.0), or pass dtype=tp.float32"
        )


# ---------------------------------------------------------------------------------- the short paths


def apply2(op: Any, x: Tensor, y: Tensor) -> Tensor:
    """Compute and record an operation of two tensors of one floating dtype."""
    if special.reasons:
        return apply(op, x, y)  # type: ignore[no-any-return]
    a = x._array
    b = y._array
    dtype = a.dtype
    if a.__class__ is not ndarray or b.__class__ is not ndarray or dtype is not b.dtype or (dtype is not F32 and dtype is not F64):
        return apply(op, x, y)  # type: ignore[no-any-return]
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
    if (need_x or need_y) and recording():
        cx, cy = x._cell, y._cell
        if cx is None or cy is None:
            _refuse_inference(op)
        n = new(Node)
        plan = n.plan = op.plans[3 if need_x and need_y else 1 if need_x else 2]
        n.edges = (x._node or (x if need_x else None), y._node or (y if need_y else None))
        n.order = next_order()
        n.saved, n.versions = plan.keep(out, None, a, b, cell, cx, cy)
        n.shape = shape
        n.params = n.extra = None
        n.fit = None if same or (sx == shape and sy == shape) else ((sx, dtype), (sy, dtype))
        t._node = n
        t._needs_grad = True
    else:
        t._node = None
        t._needs_grad = False
    return t


def apply1(op: Any, x: Tensor, params: dict[str, Any] | None = None) -> Tensor:
    """Compute and record an operation of one tensor of floating dtype, with one output."""
    if special.reasons:
        return apply(op, x, **(params or {}))  # type: ignore[no-any-return]
    a = x._array
    dtype = a.dtype
    if a.__class__ is not ndarray or (dtype is not F32 and dtype is not F64):
        return apply(op, x, **(params or {}))  # type: ignore[no-any-return]
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
    if x._needs_grad and recording():
        if x._cell is None:
            _refuse_inference(op)
        n = new(Node)
        plan = n.plan = op.plans[1]
        n.edges = (x._node or x,)
        n.order = next_order()
        n.saved, n.versions = plan.keep(out, params, a, cell, x._cell)
        n.shape = shape
        n.params = params
        n.fit = n.extra = None
        t._node = n
        t._needs_grad = True
    else:
        t._node = None
        t._needs_grad = False
    return t


def _with_number(op: Any, x: Tensor, number: Any, first: bool = False) -> Any:
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
    if x._needs_grad and recording():
        cx = x._cell
        if cx is None:
            _refuse_inference(op)
        n = new(Node)
        n.order = next_order()
        n.shape = x._shape
        n.params = n.extra = n.fit = None
        edge = x._node or x
        if first:
            plan = n.plan = op.plans[2]
            n.edges = (None, edge)
            n.saved, n.versions = plan.keep(out, None, number, a, cell, FIXED, cx)
        else:
            plan = n.plan = op.plans[1]
            n.edges = (edge, None)
            n.saved, n.versions = plan.keep(out, None, a, number, cell, cx, FIXED)
        t._node = n
        t._needs_grad = True
    else:
        t._node = None
        t._needs_grad = False
    return t


def _mark_view(t: Tensor, x: Tensor) -> None:
    """A result that shows x's memory shares its version, and remembers its base."""
    a, out = x._array, t._array
    if out.base is not None and (out.base is a or out.base is a.base):
        t._cell = x._cell
        t._view = x if x._view is None else x._view


# ---------------------------------------------------------------------------------- the general path


def apply(op: type[Op], *inputs: Any, **params: Any) -> Any:
    """Compute and record any operation: several outputs, promotion, other namespaces, events."""
    start = perf_counter()
    place = user_line() if events.sources_wanted else None
    inputs = tuple(x.item() if isinstance(x, np.generic) else wrap(x) if isinstance(x, ndarray) else x for x in inputs)
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
    first = arrays if op.promote else arrays[:1]
    dtype = result_dtype(*first)
    if op.floating and dtype.kind not in "fc":
        dtype = as_numpy(None)
    cast = tuple(a if not hasattr(a, "dtype") or a.dtype == dtype else a.astype(dtype) if a.__class__ is ndarray
                 else _space((a,)).cast(a, dtype) for a in first)  # fmt: skip
    if not any(hasattr(a, "dtype") for a in cast):
        cast = tuple(asarray(a, dtype) for a in cast)
    return cast + arrays[len(first) :]


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


def _record(op: type[Op], inputs: Any, arrays: Any, params: Any, outs: tuple[Any, ...], made: tuple[Tensor, ...]) -> Node:
    needs = [isinstance(x, Tensor) and x._needs_grad for x in inputs]
    mask = sum(need << i for i, need in enumerate(needs))
    n = new(Node)
    plan = n.plan = op.plans[(mask, len(inputs)) if op.star else mask]
    n.edges = tuple(edge_of(x) if need else None for x, need in zip(inputs, needs, strict=True))
    n.order = next_order()
    cells = [x._cell if isinstance(x, Tensor) else FIXED for x in inputs]
    kept = outs if len(op.outputs) > 1 else outs[0]
    n.saved, n.versions = plan.keep(kept, params, *arrays, made[0]._cell, *cells)
    n.shape = tuple(outs[0].shape)
    n.params = params or None
    n.fit = _fit_of(op, inputs, arrays, needs, n.shape)
    n.extra = None
    for k, t in enumerate(made):
        t._node = bridge.output_edge(n, k)
        t._needs_grad = t._node is not None
    return n


def _fit_of(op: type[Op], inputs: Any, arrays: Any, needs: list[bool], shape: tuple[int, ...]) -> tuple[Any, ...] | None:
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


# -------------------------------------------------------------------------------------------- errors


def _refuse_inference(op: Any) -> None:
    raise InferenceError(
        f"Inference tensors cannot be used in an operation that is recorded ({op.__name__}): "
        f"they keep no versions. clone() the tensor outside inference_mode to get an ordinary one."
    )


def _check_grad(tensor: Tensor, value: Any) -> None:
    from .errors import GradTypeError

    if not isinstance(value, Tensor):
        raise GradTypeError(f"assigned grad expected to be a Tensor or None but got {type(value).__name__}")
    if value._shape != tensor._shape:
        raise GradError(
            f"attempting to assign a gradient of size {list(value._shape)} to a tensor of size {list(tensor._shape)}: "
            f"please ensure that the gradient and the tensor have the same size"
        )
    if value._array.dtype != tensor._array.dtype:
        raise GradError(f"attempting to assign a gradient with dtype {value.dtype} to a tensor with dtype {tensor.dtype}")


def _warn_non_leaf() -> None:
    import warnings

    from .errors import NonLeafGradWarning

    warnings.warn(
        "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
        "populated during autograd.backward(). If you want the gradient of this tensor, call retain_grad() on it first.",
        NonLeafGradWarning,
        stacklevel=3,
    )


def number_from(tensor: Tensor) -> Any:
    """The Python number of a one-element tensor."""
    if tensor._array.size != 1:
        raise ConversionError(
            f"a Tensor with {tensor._array.size} elements cannot be converted to Scalar: "
            f"pick one element, or use tolist()"
        )
    return tensor._array.item()


bridge.Tensor = Tensor
bridge.wrap = _with_edge
bridge.edge_of = edge_of

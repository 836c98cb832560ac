"""Tensors: arrays that remember how they were made.

The class holds what autograd is about: flags, gradients, hooks, versions. Operators and the many methods
are attached in `operators.py`, `methods.py` and `method_table.py`; recording happens in `apply.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import ref

import numpy as np

from .arrays.device import CPU, Device
from .arrays.dtypes import DType, of
from .arrays.levels import epoch
from .autograd import passes
from .autograd.bridge import bridge
from .autograd.modes import inferring
from .autograd.node import Node, Out, RemovableHandle, node_at
from .errors import (
    ConversionError,
    GradError,
    GradTypeError,
    HookError,
    InferenceError,
    InPlaceError,
    NotATensorError,
)
from .leaves import (
    LeafExtra,
    check_differentiable,
    check_grad,
    flag,
    grad_dtype,
    refuse_inside,
    set_grad_dtype,
    tracked,
    warn_non_leaf,
)
from .views import View, sync

__all__ = ["Tensor", "check_differentiable", "constant", "edge_of", "number_from", "rank", "with_edge", "wrap"]

Array = np.ndarray[Any, Any]
new = object.__new__


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

    __slots__ = (
        "__dict__", "__weakref__", "_array", "_cell", "_grad", "_hooks", "_needs_grad", "_node", "_shape", "_view",
    )  # fmt: skip
    __hash__ = object.__hash__

    _array: Array
    _shape: tuple[int, ...]
    """Kept apart from the array: shared along chains, so that equal shapes are mostly the same object."""
    _node: Any
    """The node that made it, or None for a leaf. (Inside the engine also an edge further down.)"""
    _needs_grad: bool
    _grad: Tensor | None
    _cell: list[int] | None
    """[version], where known with its `levels.epoch`; shared by base, views, `detach()`. None for inference tensors."""
    _view: View | None
    """How it shows another tensor's memory, for views."""
    _hooks: LeafExtra | None

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
    def device(self) -> Device:
        """Where the numbers live; "cpu" is the only place so far."""
        return CPU

    @property
    def is_leaf(self) -> bool:
        """Whether it was not made by a recorded operation."""
        return self.grad_fn is None

    @property
    def grad_fn(self) -> Node | None:
        """The node that made this tensor, None for a leaf."""
        if self._view is not None:
            sync(self)
        return node_at(self._node)

    @property
    def output_nr(self) -> int:
        """Which output of `grad_fn` this is."""
        if self._view is not None:
            sync(self)
        return self._node.nr if self._node.__class__ is Out else 0

    def _is_view(self) -> bool:
        """Whether it shows the memory of another tensor."""
        return self._view is not None

    @property
    def _base(self) -> Tensor | None:
        """The tensor whose memory a view shows, None for others."""
        return None if self._view is None else self._view.base

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
        if self._view is not None and self._view.origin is None:  # for the others the answer never changes
            sync(self)
        return self._needs_grad

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        if not isinstance(value, bool):
            raise GradError(f"requires_grad must be a bool, got {value!r}")
        if not self.is_leaf:
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
        self._needs_grad = value

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Set `requires_grad`, and return the tensor itself. Raises TransformError inside `vmap`, `grad` and `jvp`."""
        refuse_inside("requires_grad_()")
        self.requires_grad = flag(requires_grad)
        return self

    @property
    def grad(self) -> Tensor | None:
        """What backward passes have added up, or None. Only leaves keep it, and tensors after `retain_grad()`."""
        if self._grad is None and not self.is_leaf and not self.retains_grad:
            warn_non_leaf()
        return self._grad

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        if value is not None:
            check_grad(self, value)
        self._grad = value

    @grad.deleter
    def grad(self) -> None:
        self._grad = None

    @property
    def grad_dtype(self) -> DType | None:
        """The dtype that a leaf's `.grad` has: the leaf's own unless set, None for whatever arrives."""
        self._require_leaf("accessed")
        return grad_dtype(self)

    @grad_dtype.setter
    def grad_dtype(self, value: DType | None) -> None:
        self._require_leaf("set")
        set_grad_dtype(self, value)

    def _require_leaf(self, verb: str) -> None:
        if not self.is_leaf:
            raise GradError(f"grad_dtype can only be {verb} on leaf tensors. This one is made by {self._node_name()}")

    @property
    def retains_grad(self) -> bool:
        """Whether a non-leaf keeps its gradient."""
        node = self.grad_fn
        kept = node.extra.retain.get(self.output_nr) if node is not None and node.extra is not None else None
        return kept is not None and kept() is self

    def retain_grad(self) -> None:
        """Keep the gradient of a non-leaf in `grad`. On a leaf it has no effect.

        >>> import tensorplay as tp
        >>> x = tp.tensor(3.0, requires_grad=True)
        >>> h = x * 2
        >>> h.retain_grad()
        >>> (h * h).backward()
        >>> h.grad
        tensor(12.)
        """
        if not self.requires_grad:
            raise GradError("can't retain_grad on Tensor that has requires_grad=False: nothing will arrive there")
        refuse_inside("retain_grad()")
        node = self.grad_fn
        if node is not None:
            node.extras().retain[self.output_nr] = ref(self)

    def register_hook(self, hook: Any) -> RemovableHandle:
        """Call `hook(grad)` when this tensor's gradient is complete; a returned tensor replaces it.

        >>> import tensorplay as tp
        >>> x = tp.tensor(3.0, requires_grad=True)
        >>> handle = x.register_hook(lambda grad: 2 * grad)
        >>> (x * x).backward()
        >>> x.grad
        tensor(12.)
        """
        if not self.requires_grad:
            raise HookError("cannot register a hook on a tensor that doesn't require gradient")
        node = self.grad_fn
        if node is not None:
            return RemovableHandle.into(node.hooks_of(self.output_nr), hook)
        return RemovableHandle.into(self._leaf_extra().gradient, hook)

    def register_post_accumulate_grad_hook(self, hook: Any) -> RemovableHandle:
        """Call `hook(tensor)` each time a backward pass has added to this leaf's `grad`."""
        if not self.requires_grad:
            raise HookError("cannot register a hook on a tensor that doesn't require gradient")
        if not self.is_leaf:
            raise HookError("post accumulate grad hooks cannot be registered on non-leaf tensors")
        return RemovableHandle.into(self._leaf_extra().accumulated, hook)

    def _leaf_extra(self) -> LeafExtra:
        if self._hooks is None:
            self._hooks = LeafExtra()
        return self._hooks

    def backward(
        self,
        gradient: Tensor | None = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        inputs: Any = None,
    ) -> None:
        """Add this tensor's gradients to the leaves it was computed from; see `tp.autograd.backward`.

        >>> import tensorplay as tp
        >>> x = tp.tensor(3.0, requires_grad=True)
        >>> (x**3).backward()
        >>> x.grad
        tensor(27.)
        """
        passes.backward([self], None if gradient is None else [gradient], retain_graph, create_graph, inputs=inputs)

    def detach(self) -> Tensor:
        """The same memory (and versions), cut off from the graph: a constant.

        >>> import tensorplay as tp
        >>> x = tp.ones(2, requires_grad=True)
        >>> (x * 3).detach()
        tensor([3., 3.])
        """
        t = constant(self) if self._array.__class__ is np.ndarray else bridge.stopped(self)
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
        if not isinstance(value, Tensor):
            raise GradTypeError(f"Variable data has to be a tensor, but got {type(value).__name__}")
        if self._needs_grad:
            check_differentiable(value._array.dtype)
        self._array, self._shape = value._array, value._shape

    def _node_name(self) -> str:
        return self.grad_fn.name() if self.grad_fn is not None else "a leaf"

    if TYPE_CHECKING:  # attached by operators.py, methods.py and method_table.py

        def __getattr__(self, name: str) -> Any: ...
        def __add__(self, other: Any) -> Tensor: ...
        def __radd__(self, other: Any) -> Tensor: ...
        def __sub__(self, other: Any) -> Tensor: ...
        def __rsub__(self, other: Any) -> Tensor: ...
        def __mul__(self, other: Any) -> Tensor: ...
        def __rmul__(self, other: Any) -> Tensor: ...
        def __truediv__(self, other: Any) -> Tensor: ...
        def __rtruediv__(self, other: Any) -> Tensor: ...
        def __pow__(self, other: Any) -> Tensor: ...
        def __rpow__(self, other: Any) -> Tensor: ...
        def __neg__(self) -> Tensor: ...
        def __getitem__(self, index: Any) -> Tensor: ...
        def __matmul__(self, other: Any) -> Tensor: ...
        def __lt__(self, other: Any) -> Tensor: ...
        def __le__(self, other: Any) -> Tensor: ...
        def __gt__(self, other: Any) -> Tensor: ...
        def __ge__(self, other: Any) -> Tensor: ...


# ---------------------------------------------------------------------------------- making tensors


def wrap(array: Any, requires_grad: bool = False, cls: type[Tensor] = Tensor) -> Tensor:
    """A leaf over this array (no copy)."""
    t = new(cls)
    t._array = array
    t._shape = array.shape
    t._node = t._grad = t._view = t._hooks = None
    t._needs_grad = False
    t._cell = None if inferring() else [0, epoch[0]]
    if requires_grad is not False:
        t._needs_grad = tracked(requires_grad, array.dtype)
    return t


def constant(x: Tensor) -> Tensor:
    """x without its history in its own layer; inside a transform (`lifting.py`) the layers below keep theirs."""
    t = wrap(x._array)
    t._cell = x._cell
    return t


def with_edge(array: Any, edge: Any) -> Tensor:
    """The engine's view of an array: a tensor whose gradient goes to `edge`. (A tensor is a constant.)"""
    if isinstance(array, Tensor):
        return array
    t = wrap(np.asarray(array) if isinstance(array, np.generic) else array)
    t._node = edge
    t._needs_grad = edge is not None
    t._cell = [0]  # an ordinary tensor, also when a pass runs in inference mode
    return t


def edge_of(tensor: Tensor) -> Any:
    """Where the tensor's gradient goes: its node (or one output of it), itself as a leaf, or None."""
    if tensor._view is not None:
        sync(tensor)
    if tensor._node is not None:
        return tensor._node
    return tensor if tensor._needs_grad else None


def rank(x: Tensor) -> int:
    """How many dimensions; raises NotATensorError for what is no tensor, the likeliest mistake of a beginner."""
    try:
        return len(x._shape)
    except AttributeError:
        raise NotATensorError(f"expected a Tensor, but got {type(x).__name__}: tp.tensor(...) makes one") from None


def number_from(tensor: Tensor) -> Any:
    """The Python number of a one-element tensor."""
    if tensor._array.size != 1:
        raise ConversionError(
            f"a Tensor with {tensor._array.size} elements cannot be converted to Scalar: pick one, or use tolist()"
        )
    return tensor._array.item()


bridge.Tensor = Tensor
bridge.wrap = with_edge
bridge.edge_of = edge_of

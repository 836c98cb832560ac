"""What only leaves have, kept apart because most tensors are none: hooks, and what their `.grad` may hold."""

from __future__ import annotations

from typing import Any

from .arrays.dtypes import DType, of
from .arrays.levels import frames
from .autograd.bridge import bridge
from .errors import ArgumentTypeError, DTypeError, GradError, GradTypeError, NonLeafGradWarning, TransformError
from .source import warn

__all__ = [
    "ANY",
    "SAME",
    "LeafExtra",
    "check_differentiable",
    "check_grad",
    "flag",
    "grad_dtype",
    "refuse_inside",
    "set_grad_dtype",
    "tracked",
    "warn_non_leaf",
]

SAME: Any = object()
"""`grad_dtype` as it is unless set: the dtype of the leaf."""
ANY = None
"""`grad_dtype` for "whatever arrives"."""


class LeafExtra:
    """Hooks on the gradient that arrives, after it was added to `grad`, and those of its AccumulateGrad."""

    __slots__ = ("accumulated", "after", "before", "grad_dtype", "gradient", "metadata", "turned")

    def __init__(self) -> None:
        self.gradient: dict[int, Any] = {}
        self.accumulated: dict[int, Any] = {}
        self.before: dict[int, Any] = {}
        self.after: dict[int, Any] = {}
        self.metadata: dict[str, Any] = {}
        self.grad_dtype: DType | None = SAME
        self.turned: list[tuple[int, Any]] = []
        """Each time it was given another shape in place: the version after that, and the view that undoes it."""

    def count(self) -> int:
        """How many hooks its AccumulateGrad has."""
        return len(self.before) + len(self.after)


def flag(value: Any) -> bool:
    """`requires_grad` as it was given; ArgumentTypeError unless it is a bool, for 1 could mean so many things."""
    if value is not True and value is not False:
        raise ArgumentTypeError(
            f"argument 'requires_grad' must be bool, not {type(value).__name__}: got {value!r}, write True or False"
        )
    return value


def tracked(requires_grad: Any, dtype: Any) -> bool:
    """Whether a new tensor of this dtype requires a gradient; None, as in PyTorch, means no."""
    if requires_grad is None or not flag(requires_grad):
        return False
    check_differentiable(dtype)
    return True


def check_differentiable(dtype: Any) -> None:
    """Raise DTypeError unless numbers of this dtype can have a gradient."""
    if dtype.kind not in "fc":
        raise DTypeError(
            f"Only Tensors of floating point and complex dtype can require gradients, got {of(dtype)}: "
            f"write the numbers with a point (2.0), or pass dtype=tp.float32"
        )


def grad_dtype(leaf: Any) -> DType | None:
    """The dtype that `.grad` must have: the leaf's own, another that was set, or None for any."""
    extra = leaf._hooks
    return leaf.dtype if extra is None or extra.grad_dtype is SAME else extra.grad_dtype


def set_grad_dtype(leaf: Any, dtype: DType | None) -> None:
    """Ask for gradients of another dtype, None for whatever arrives."""
    if dtype is not ANY and not isinstance(dtype, DType):
        raise GradError(
            f"grad_dtype must be a tensorplay dtype or None, but got {type(dtype).__name__}: write tp.float64"
        )
    there = leaf._grad
    if dtype is not ANY and there is not None and there.dtype != dtype:
        raise GradError(
            f"Cannot set grad_dtype to {dtype} because there is already a gradient with dtype {there.dtype}: "
            f"clear it first (.grad = None)"
        )
    leaf._leaf_extra().grad_dtype = dtype


def check_grad(tensor: Any, value: Any) -> None:
    """Raise GradError or GradTypeError unless `value` may be the tensor's `.grad`."""
    if not isinstance(value, bridge.Tensor):
        raise GradTypeError(f"assigned grad expected to be a Tensor or None but got {type(value).__name__}")
    if value is tensor:
        raise GradError("can't assign Variable as its own grad: a backward pass would add to the values themselves")
    if value._shape != tensor._shape:
        raise GradError(
            f"attempting to assign a gradient of size {list(value._shape)} to a tensor of size {list(tensor._shape)}: "
            f"please ensure that the gradient and the tensor have the same size"
        )
    wanted = grad_dtype(tensor)
    if wanted is not ANY and value.dtype != wanted:
        raise GradError(
            f"attempting to assign a gradient with dtype {value.dtype} to a tensor with grad_dtype {wanted}, "
            f"which is the tensor's dtype unless set: cast the gradient, or set grad_dtype (None for any)"
        )


def refuse_inside(what: str) -> None:
    """Raise TransformError where a transform runs: it decides there what requires a gradient, and what is kept."""
    running = [frame.kind for frame in frames() if frame.kind != "dual"]
    if running:
        raise TransformError(
            f"You are attempting to call Tensor.{what} inside of a function being transformed by {running[-1]}, which "
            f"decides itself by what to differentiate: call it outside of the function, or give the tensor to "
            f"tp.func.grad or vjp as an argument"
        )


def warn_non_leaf() -> None:
    """What reading `.grad` of a tensor that keeps none is answered with."""
    warn(
        "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
        "populated during autograd.backward(). If you want the gradient of this tensor, call retain_grad() first.",
        NonLeafGradWarning,
    )

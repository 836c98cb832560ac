"""What tensors do to their own shape, and methods about shapes that are no public functions.

An edit such as `x.t_()` changes no number: the tensor itself becomes another view of its memory, as if `x = x.t()`
had been said by everyone who has it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import update_wrapper
from typing import Any

from . import functional, ops
from .apply import apply1
from .arrays.memory import steps
from .errors import ShapeError
from .functional.common import conjugated, matrices_turned, repeated
from .inplace import permit, tracked, written
from .lifting import refuse_captured, rise
from .ops.families import normal_dim
from .tensor import Tensor, edge_of, rank, wrap
from .views import View, follow_retained

__all__: list[str] = []

Step = tuple[Any, dict[str, Any]]


def _method(function: Callable[..., Any]) -> Callable[..., Any]:
    """Attach a function of this file to Tensor under its own name."""
    setattr(Tensor, function.__name__, function)
    return function


# ---------------------------------------------------------------------------------- as another tensor


@_method
def where(self: Tensor, condition: Tensor, other: Any) -> Tensor:
    """This tensor where the condition holds, `other` elsewhere: `tp.where(condition, self, other)`."""
    chosen: Tensor = functional.where(condition, self, other)
    return chosen


@_method
def view_as(self: Tensor, other: Tensor) -> Tensor:
    """`view` with the shape of another tensor.

    >>> import tensorplay as tp
    >>> tp.arange(4).view_as(tp.ones(2, 2))
    tensor([[0, 1],
            [2, 3]])
    """
    rank(other)
    return functional.view(self, other.shape)


@_method
def reshape_as(self: Tensor, other: Tensor) -> Tensor:
    """`reshape` with the shape of another tensor.

    >>> import tensorplay as tp
    >>> tp.ones(2, 3).T.reshape_as(tp.ones(6)).shape
    (6,)
    """
    rank(other)
    return functional.reshape(self, other.shape)


@_method
def expand_as(self: Tensor, other: Tensor) -> Tensor:
    """`expand` to the shape of another tensor.

    >>> import tensorplay as tp
    >>> tp.tensor([1, 2]).expand_as(tp.ones(2, 2))
    tensor([[1, 2],
            [1, 2]])
    """
    rank(other)
    return functional.expand(self, other.shape)


# --------------------------------------------------------------------------------------- transposes


def _transposed(self: Tensor) -> Tensor:
    """The last two dimensions exchanged: a view. Raises ShapeError for a vector."""
    return matrices_turned(self, "tensor.mT")


def _adjoint(self: Tensor) -> Tensor:
    """The last two dimensions exchanged, and complex numbers conjugated. Raises ShapeError for a vector."""
    return conjugated(matrices_turned(self, "tensor.mH"))


def _matrix_adjoint(self: Tensor) -> Tensor:
    """The conjugate transpose of a matrix; a single number is conjugated. Raises ShapeError for anything else."""
    if self.ndim not in (0, 2):
        raise ShapeError(
            f"tensor.H is only supported on matrices (2-D tensors). Got {self.ndim}-D tensor. For batches of matrices, "
            "consider using tensor.mH"
        )
    return _adjoint(self)


def _reversed(self: Tensor) -> Tensor:
    """The dimensions in reverse order: the transpose of a matrix."""
    return functional.permute(self, tuple(reversed(range(self.ndim))))


for _name, _getter in {"T": _reversed, "mT": _transposed, "H": _matrix_adjoint, "mH": _adjoint}.items():
    setattr(Tensor, _name, property(_getter))


# ----------------------------------------------------------------------------------- more elements


@_method
def repeat(self: Tensor, *repeats: Any) -> Tensor:
    """Copies side by side, that many along each dimension; repeats in front make new dimensions.

    Raises ShapeError for fewer repeats than dimensions, and for negative ones.

    >>> import tensorplay as tp
    >>> tp.tensor([1, 2]).repeat(2, 2)
    tensor([[1, 2, 1, 2],
            [1, 2, 1, 2]])
    """
    if not repeats:
        raise TypeError("repeat() missing 1 required positional arguments: 'repeats': write x.repeat(2, 3)")
    times = repeats[0] if len(repeats) == 1 and isinstance(repeats[0], (tuple, list)) else repeats
    return repeated(self, tuple(operator.index(n) for n in times))


@_method
def unfold(self: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """Windows of `size` elements along a dimension, `step` apart; they become a last dimension: a view.

    Raises ShapeError for a window that is larger than the dimension, and for a step below 1.

    >>> import tensorplay as tp
    >>> tp.arange(5).unfold(0, 3, 2)
    tensor([[0, 1, 2],
            [2, 3, 4]])
    """
    dim = normal_dim(dimension, rank(self))
    x = self if self.ndim else functional.reshape(self, (1,))
    if size < 0:
        raise ShapeError(f"size is {size} but must be >= 0")
    if size > x.shape[dim]:
        raise ShapeError(f"maximum size for tensor at dimension {dim} is {x.shape[dim]} but size is {size}")
    if step <= 0:
        raise ShapeError(f"step is {step} but must be > 0")
    windows = apply1(ops.Unfold, x, {"dim": dim, "size": size, "step": step})
    return windows if self.ndim else functional.reshape(windows, (size,))


# ------------------------------------------------------------------------- another shape, in place


def _undone(step: Step, before: Any, after: Any) -> Step:
    """The view that leads from the new shape back to the old one."""
    op, params = step
    if op is ops.Permute:
        order = params["dims"]
        return op, {"dims": tuple(sorted(range(len(order)), key=order.__getitem__))}
    if op is ops.AsStrided:
        back = {"size": before.shape, "stride": params["like"], "offset": -params["offset"], "like": steps(after)}
        return op, back
    return op, {"shape": before.shape}


def _turn(x: Tensor, function: Callable[[Tensor], Tensor], name: str) -> Tensor:
    """x becomes `function(x, …)`, a view of itself; recorded where operations are."""
    rise(x)
    recorded = tracked(x)
    if recorded:
        permit(x)
    refuse_captured(x)
    before = wrap(x._array)
    before._node = edge_of(x) if recorded else None
    before._needs_grad = before._node is not None
    after = function(before)
    _show(x, after)
    written(x, name)
    if x._cell is not None:
        _remember(x, before, after)
    if after._node is not None:
        follow_retained(x, after)
        x._node, x._needs_grad = after._node, True
    return x


def _show(x: Tensor, after: Tensor) -> None:
    x._array, x._shape = after._array, after._shape
    if x._view is not None and after._view is not None:
        old = x._view
        x._view = View(old.base, old, after._view.step, old.origin)


def _remember(x: Tensor, before: Tensor, after: Tensor) -> None:
    """A view knows its way; of a base, the views that are there already have to be led back to the old shape."""
    version = x._cell[0]  # type: ignore[index]
    if x._view is not None:
        x._view.version = version
    elif after._view is not None:
        x._leaf_extra().turned.append((version, _undone(after._view.step, before._array, after._array)))


def _in_place(function: Callable[..., Tensor]) -> None:
    """Attach the form of a view function that gives the tensor itself another shape."""
    name = f"{function.__name__}_"

    def run(input: Tensor, *args: Any, **options: Any) -> Tensor:
        return _turn(input, lambda x: function(x, *args, **options), name)

    update_wrapper(run, function)
    run.__name__, run.__qualname__ = name, name
    run.__doc__ = f"`{function.__name__}` in place: the tensor itself gets the new shape, and keeps its memory."
    setattr(Tensor, name, run)


for _function in (
    functional.squeeze,
    functional.unsqueeze,
    functional.transpose,
    functional.t,
    functional.swapaxes,
    functional.swapdims,
    functional.as_strided,
):
    _in_place(_function)

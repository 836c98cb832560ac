"""Forward mode by hand: tensors that carry a tangent.

Inside a `dual_level` a tensor made by `make_dual` moves: every operation on it computes its result and how fast
that moves, and `unpack_dual` takes the two apart again. `tp.func.jvp` does the three steps in one call.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from ..arrays.levels import Frame, frames, next_level, pop, push
from ..errors import ForwardADError, ForwardADValueError, GradTypeError
from .bridge import bridge

__all__ = ["UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual", "unpack_dual"]


class UnpackedDualTensor(NamedTuple):
    """What `unpack_dual` returns."""

    primal: Any
    tangent: Any
    """None where the tensor does not move."""


def _current() -> Frame | None:
    """The dual level of this thread; there is one at the most."""
    return next((frame for frame in frames() if frame.kind == "dual"), None)


def enter_dual_level() -> int:
    """Begin forward mode; `exit_dual_level` ends it. Returns the level, which is always 0: levels do not nest.

    Raises ForwardADError if one is entered already. Prefer `dual_level`, which ends it in any case.

    >>> from tensorplay.autograd import forward_ad
    >>> forward_ad.enter_dual_level()
    0
    >>> forward_ad.exit_dual_level()
    """
    if _current() is not None:
        raise ForwardADError(
            "Nested forward mode AD is not supported at the moment: leave the dual level first, or nest tp.func.jvp"
        )
    level = next_level()
    push(Frame("dual", level, bridge.dual_space(level)))
    return 0


def exit_dual_level(*, level: int | None = None) -> None:
    """End forward mode: what was dual is from now on its primal alone.

    Raises ForwardADError if no level was entered, or another than this one.
    """
    frame = _current()
    if frame is None:
        raise ForwardADError("Dual level must be a positive number: exit_dual_level() without enter_dual_level()")
    if level not in (None, 0):
        raise ForwardADError(f"Trying to exit dual level {level}, but the level that was entered is 0")
    pop(frame)


@contextmanager
def dual_level() -> Iterator[int]:
    """Forward mode inside the block.

    >>> import tensorplay as tp
    >>> from tensorplay.autograd import forward_ad
    >>> with forward_ad.dual_level():
    ...     x = forward_ad.make_dual(tp.tensor(3.0), tp.tensor(1.0))
    ...     forward_ad.unpack_dual(x * x)
    UnpackedDualTensor(primal=tensor(9.), tangent=tensor(6.))
    """
    level = enter_dual_level()
    frame = _current()
    try:
        yield level
    finally:
        if frame is _current():
            exit_dual_level(level=level)


def make_dual(tensor: Any, tangent: Any, *, level: int | None = None) -> Any:
    """A tensor with the value of `tensor` that moves by `tangent`, of its shape. A gradient of it goes on to `tensor`.

    Raises:
        ForwardADError: there is no dual level, the sizes differ, or `tensor` moves already.
        ForwardADValueError: one of the two is of integer dtype.
        GradTypeError: one of the two is no tensor.

    >>> import tensorplay as tp
    >>> from tensorplay.autograd import forward_ad
    >>> with forward_ad.dual_level():
    ...     forward_ad.make_dual(tp.tensor(3.0), tp.tensor(1.0))
    tensor(3., tangent=tensor(1.))
    """
    frame = _entered(level)
    for name, t in (("primal", tensor), ("tangent", tangent)):
        if not isinstance(t, bridge.Tensor):
            raise GradTypeError(f"make_dual: expected a Tensor as {name}, got {type(t).__name__}")
    tangent = fitting_tangent(tensor, tangent)
    if bridge.apart(tensor, frame.level)[1] is not None:
        raise ForwardADError(
            "Making a dual Tensor based on a Tensor that already has a forward gradient at the same level 0 is not "
            "supported: take its primal with unpack_dual, or use tp.func.jvp, which nests"
        )
    return bridge.moving(tensor, tangent, frame.level)


def fitting_tangent(primal: Any, tangent: Any) -> Any:
    """The tangent in the dtype of its primal.

    Raises ForwardADValueError unless both are of floating or complex dtype, ForwardADError unless they have one size.
    """
    for name, t in (("primal", primal), ("tangent", tangent)):
        if t._array.dtype.kind not in "fc":
            raise ForwardADValueError(f"Expected {name} to be floating point or complex, but got: {t.dtype}")
    check_tangent_size(primal, tangent)
    return bridge.tensors.cast(tangent, primal._array.dtype)


def check_tangent_size(primal: Any, tangent: Any) -> None:
    """Raise ForwardADError unless a tangent has the size of what moves by it."""
    if tangent.shape != primal.shape:
        raise ForwardADError(
            "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not "
            f"supported. Tensor is of size {list(primal.shape)} while the given forward gradient is of size "
            f"{list(tangent.shape)}."
        )


def unpack_dual(tensor: Any, *, level: int | None = None) -> UnpackedDualTensor:
    """The value of a dual tensor and how it moves; the tangent is None where it does not, or after its level has ended.

    Raises GradTypeError for what is no tensor.

    >>> import tensorplay as tp
    >>> tp.autograd.forward_ad.unpack_dual(tp.ones(2))
    UnpackedDualTensor(primal=tensor([1., 1.]), tangent=None)
    """
    if not isinstance(tensor, bridge.Tensor):
        raise GradTypeError(f"unpack_dual: expected a Tensor, got {type(tensor).__name__}")
    frame = _current()
    if frame is None or level not in (None, 0):
        return UnpackedDualTensor(bridge.settled(tensor), None)
    return UnpackedDualTensor(*bridge.apart(tensor, frame.level))


def _entered(level: int | None) -> Frame:
    """The dual level that was entered, if `level` names it."""
    frame = _current()
    if frame is None:
        raise ForwardADError(
            "Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() first: "
            "with tp.autograd.forward_ad.dual_level(): ..."
        )
    if level not in (None, 0):
        raise ForwardADError(
            f"Trying to create a dual Tensor for forward AD at level {level}, but the level that was entered is 0"
        )
    return frame

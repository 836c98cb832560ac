"""Tensors of transforms: how a tensor enters `vmap` or `jvp`, and how it comes out again.

Inside a transform a Tensor's array is a `Batched` or a `Dual` that holds Tensors of the layer below, which may
hold such arrays in their turn: a tower. Each layer records for itself. An operation is run by the highest layer
among its inputs; inputs from lower layers are constants there, and their own layer records what is done with
them, because the arrays above compute with Tensors.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

import numpy as np

from .apply import record
from .arrays import levels
from .arrays.batch import Batched, BatchSpace
from .arrays.dual import Dual
from .arrays.levels import Frame, entered, frame_of, frames, next_level
from .autograd.bridge import bridge
from .autograd.modes import recording_at
from .autograd.node import next_order, node_at
from .errors import ConversionError, EscapedTensorError, InPlaceError, RandomnessError, VmapReadError
from .ops import Alias
from .tensor import Tensor, constant, edge_of, wrap

__all__ = [
    "Lifted",
    "VmapSpace",
    "alias",
    "alike",
    "batched",
    "born_at",
    "dual",
    "innermost",
    "is_argument",
    "level_of",
    "lift",
    "mapped",
    "moment",
    "parts",
    "plain",
    "random_frames",
    "readable",
    "refuse_captured",
    "rise",
    "stopped",
    "unbatched",
    "values",
]

innermost = levels.innermost


def level_of(x: Any) -> int:
    """The level of the transform whose arrays a tensor has; 0 for a plain tensor, and for what is no tensor."""
    return levels.level_of(x._array) if isinstance(x, Tensor) else 0


# --------------------------------------------------------------------------------- what a layer does


class Lifted(ABC):
    """What the namespace of a transform's arrays adds to others: it belongs to a level, and runs whole ops."""

    level: int
    rank: int

    def _belong(self, level: int) -> None:
        self.level = level
        self.rank = 100 + level  # above all that is no transform

    def received(self, inputs: tuple[Any, ...], arrays: tuple[Any, ...]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """Inputs and arrays as this layer sees them: tensors from below are constants, and their own arrays."""
        pairs = [self._constant(x, a) if isinstance(x, Tensor) else (x, a) for x, a in zip(inputs, arrays, strict=True)]
        return tuple(x for x, _ in pairs), tuple(a for _, a in pairs)

    def _constant(self, x: Tensor, array: Any) -> tuple[Any, Any]:
        if levels.level_of(array) == self.level:
            return x, array
        return constant(x), x

    @abstractmethod
    def left_behind(self, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        """The inputs of an operation after the transform has ended."""

    @abstractmethod
    def lifted(self, x: Tensor) -> Tensor:
        """A tensor from below as one of this layer."""

    @abstractmethod
    def run(self, op: Any, arrays: tuple[Any, ...], params: dict[str, Any]) -> Any:
        """The arrays of all outputs."""


class VmapSpace(Lifted, BatchSpace):
    """Batches of one `vmap`: the batch axis is the first of Tensors of the layers below."""

    def __init__(self, level: int, size: int) -> None:
        BatchSpace.__init__(self, bridge.tensors)
        self._belong(level)
        self.size = size

    def run(self, op: Any, arrays: tuple[Any, ...], params: dict[str, Any]) -> Any:
        """The op's own forward, for the whole batch at once."""
        out = op.forward(self, *arrays, **params)
        return tuple(map(self.spread_out, out)) if op.several else self.spread_out(out)

    def lifted(self, x: Tensor) -> Tensor:
        """The same in every example."""
        return wrap(self.spread_out(x))

    def spread_out(self, value: Any) -> Batched:
        """A batch of copies, where a result does not depend on the batch."""
        return value if isinstance(value, Batched) else Batched(self.spread(value, self.size), self)

    def left_behind(self, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        """Raise EscapedTensorError: one tensor for many examples means nothing outside."""
        raise EscapedTensorError(
            f"a tensor from inside vmap was used after that vmap had returned (a batch of {self.size}): "
            "return what you need from the mapped function; do not store it elsewhere"
        )


@contextmanager
def mapped(size: int, randomness: str = "error") -> Iterator[int]:
    """A vmap over `size` examples runs while the block does; gives its level."""
    level = next_level()
    with entered(Frame("vmap", level, VmapSpace(level, size), randomness)):
        yield level


# ------------------------------------------------------------------------------------- in and out


def lift(x: Tensor, level: int) -> Tensor:
    """x as a tensor of that level: the same in every example of a vmap, with a zero tangent in a jvp."""
    return x if not level or level_of(x) == level else _space_of(level).lifted(x)


def _space_of(level: int) -> Any:
    frame = frame_of(level)
    if frame is None:
        raise EscapedTensorError(f"the transform of level {level} is not running (any more)")
    return frame.space


def batched(data: Tensor, level: int) -> Tensor:
    """A tensor of a vmap's level over data whose first axis is the batch."""
    return wrap(Batched(data, _space_of(level)))


def unbatched(x: Tensor, level: int) -> tuple[Tensor, bool]:
    """Its data, and whether the first axis of that is the batch of this level. Where not, the data is x itself."""
    array: Any = x._array
    return (array.data, True) if level_of(x) == level else (x, False)


def dual(primal: Tensor, tangent: Tensor | None, level: int) -> Tensor:
    """A tensor of a jvp's level over a primal that moves by the tangent (None: not at all)."""
    return wrap(Dual(primal, tangent, _space_of(level)))


def parts(x: Tensor, level: int) -> tuple[Tensor, Tensor | None]:
    """Primal and tangent of this level; x itself and None where it does not move."""
    array: Any = x._array
    return (array.primal, array.tangent) if level_of(x) == level else (x, None)


def alias(x: Tensor, array: Any) -> Tensor:
    """A tensor over `array` that stands for x: where operations are recorded, its gradient goes on to x."""
    out = wrap(array)
    out._cell = x._cell
    if edge_of(x) is not None and recording_at(level_of(out)):
        record(Alias, (x,), out)
    return out


def stopped(x: Tensor) -> Tensor:
    """A constant of every layer with the value of x."""
    array: Any = x._array
    if isinstance(array, Dual):
        return stopped(array.primal)
    if isinstance(array, Batched) and array.space.level:
        return wrap(Batched(stopped(array.data), array.space))
    return constant(x)


def rise(x: Tensor, *others: Any) -> None:
    """Before an edit of x with values that move: x becomes a tensor that moves too, with its base if it is a view.

    (In a vmap that cannot be: a tensor that is the same for all examples has no room for values that differ.)
    """
    refuse_captured(x)
    level = max(map(level_of, others), default=0)
    if level <= level_of(x) or isinstance(_space_of(level), VmapSpace):
        return
    view = x._view
    base = x if view is None else view.base
    below = constant(base)
    below._node, below._needs_grad = base._node, base._needs_grad
    above = lift(below, level)
    base._array, base._node, base._needs_grad = above._array, above._node, above._needs_grad
    if view is not None:
        x._array = bridge.tensors.view(base, view.steps)._array
        x._node, x._needs_grad = base._node, base._needs_grad  # its history lies below, as the base's does


# ------------------------------------------------------------------- what was there before a transform

_clock = Lock()


def moment() -> int:
    """Now, as a number that grows, by which tensors made before are told from those made afterwards."""
    with _clock:
        levels.epoch[0] = now = -next_order()  # nodes count downwards
    return now


def born_at(x: Tensor) -> int | None:
    """When x got its history or its memory, on the clock of `moment`; None where nobody noted it."""
    base = x if x._view is None else x._view.base
    node = node_at(base._node)
    if node is not None:
        return -node.order
    return base._cell[1] if base._cell is not None and len(base._cell) > 1 else None


def is_argument(x: Tensor) -> bool:
    """Whether a running transform differentiates by x."""
    return any(x is given for frame in frames() for given in frame.inputs)


def refuse_captured(x: Tensor) -> None:
    """Raise InPlaceError before an edit of a tensor that was made outside of a gradient or jvp that runs."""
    for frame in frames():
        if frame.born is None or any(x._cell is given._cell for given in frame.inputs):
            continue
        made = born_at(x)
        if made is not None and made < frame.born:
            raise InPlaceError(
                f"During a grad (vjp, jvp, grad, etc) transform, the function attempted to call an in-place operation "
                f"that would mutate a captured Tensor, of shape {list(x.shape)}, made outside of it: the edit would "
                f"stay behind as a side effect. Pass the tensor as an argument, return its new value "
                f"(has_aux=True), or edit a clone()"
            )


# ------------------------------------------------------------------------------ values, no gradient


def values(function: Callable[..., Any], *xs: Any) -> Tensor:
    """`function` of arrays and numbers, element by element, as a tensor that has no gradient."""
    level = max(map(level_of, xs))
    if not level:
        return wrap(np.asarray(function(*(x._array if isinstance(x, Tensor) else x for x in xs))))
    space = next(x._array.space for x in xs if level_of(x) == level)
    if not isinstance(space, VmapSpace) or frame_of(level) is None:
        return values(function, *space.left_behind(xs))
    arrays = (x._array if level_of(x) == level else x for x in xs)
    return wrap(space._together(lambda *inner: values(function, *inner), *arrays))


def alike(x: Tensor, make: Callable[[tuple[int, ...]], Tensor]) -> Tensor:
    """`make(shape)` as a tensor that has room for one value per example, wherever x has."""
    array: Any = x._array
    if isinstance(array, Dual):
        return alike(array.primal, make)
    if isinstance(array, Batched) and array.space.level:
        return wrap(Batched(alike(array.data, make), array.space))
    return make(x.shape)


def plain(array: Any) -> Any:
    """The numbers of an array in full, whatever transforms wrap it: to look at, never to compute with."""
    while not isinstance(array, np.ndarray):
        inner = array.data if isinstance(array, Batched) else array.primal
        array = inner._array if isinstance(inner, Tensor) else inner
    return array


def readable(x: Tensor) -> Any:
    """The NumPy array of a tensor that leaves for NumPy. Raises VmapReadError inside vmap."""
    array: Any = x._array
    if isinstance(array, Dual):
        return readable(array.primal)
    if isinstance(array, np.ndarray):
        return array
    if not array.space.level:
        raise ConversionError("a batch of gradients (is_grads_batched) has no NumPy array: compute with tensors")
    raise VmapReadError(
        f"vmap: It looks like you're calling .numpy() on a Tensor. It stands for {array.count} examples at once: "
        "compute with tensors inside vmap, or convert what vmap returns"
    )


def random_frames() -> list[Frame]:
    """The running vmaps over which a random function draws anew for each example, outermost first.

    Raises RandomnessError where one of them allows no random functions.
    """
    found = []
    for frame in frames():
        if frame.kind == "vmap" and frame.randomness == "error":
            raise RandomnessError(
                "vmap: called random operation while in randomness error mode. Say what it is to mean: "
                "vmap(f, randomness='same') gives every example the same numbers, 'different' each its own; "
                "or draw them outside vmap and pass them in"
            )
        if frame.kind == "vmap" and frame.randomness == "different":
            found.append(frame)
    return found


bridge.stopped = stopped

"""A function at one point: what it returns there, and how that changes when an input is moved.

Derivatives are matrices here: a row for each element of an output, a column for each element of an input.
A complex input is moved along the real and along the imaginary axis, and of a complex output the real and
the imaginary part are looked at one after the other, so that every number compared is a real slope.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays.dtypes import as_numpy
from ..errors import GradcheckError, GradcheckInputError, GradcheckUsageError, GradTypeError
from ..source import warn
from .bridge import bridge
from .differences import slopes, unit_directions
from .passes import grad

__all__ = ["AXES", "Options", "Point", "Projection", "as_tuple", "axes_of", "requires", "tensor", "units"]

Array = np.ndarray[Any, Any]

AXES = {1: "real", 1j: "imaginary"}
"""The two directions of a complex number, and what they are called."""


@dataclass(frozen=True)
class Options:
    """What a check was asked to do; `legend` explains the numbering of inputs and outputs."""

    eps: float
    atol: float
    rtol: float
    nondet_tol: float
    check_grad_dtypes: bool
    fast_mode: bool
    masked: bool
    legend: str = ""


class Point:
    """A function, its inputs, and its outputs there. The inputs' memory is moved in place and put back exactly.

    Moving goes past the version counters: a graph recorded before may still be differentiated after.
    """

    def __init__(self, func: Any, inputs: Any, options: Options) -> None:
        self.func, self.inputs, self.options = func, as_tuple(inputs), options
        self.moving = _moving(self.inputs)
        self.outputs = self.call(self.inputs)
        self.kept = [k for k, out in enumerate(self.outputs) if out.requires_grad]
        self.read = self.kept or [k for k, out in enumerate(self.outputs) if out._array.dtype.kind in "fc"]

    def call(self, inputs: Sequence[Any]) -> tuple[Any, ...]:
        """All outputs, as a tuple of tensors."""
        outputs = as_tuple(self.func(*inputs))
        for out in outputs:
            if not isinstance(out, bridge.Tensor):
                raise GradTypeError(
                    f"gradcheck expects func to return a tensor or a tuple of tensors, got {type(out).__name__}"
                )
        return outputs

    def array(self, which: int) -> Array:
        """The memory of an input."""
        return self.inputs[which]._array

    def values(self) -> list[Array]:
        """The outputs that count, computed anew: those with a gradient, or all of floats if there are none."""
        outputs = self.call(self.inputs)
        self._check_same([(out.shape, out.dtype) for out in outputs])
        found = [outputs[k]._array for k in self.read]
        return [np.array(array) for array in found]  # copied: a function may return its input

    def _check_same(self, got: list[Any]) -> None:
        expected = [(out.shape, out.dtype) for out in self.outputs]
        for what, place in (("shape", 0), ("dtype", 1)):
            before, after = [e[place] for e in expected], [g[place] for g in got]
            if before != after:
                raise GradcheckUsageError(
                    f"Expected `func` to return outputs with the same {what} when inputs are perturbed by "
                    f"{self.options.eps}, but got: {what}s {_listed(before)} and {_listed(after)}. "
                    f"The function takes another branch there, or is random."
                )

    def measured(self, which: int, directions: Sequence[Array]) -> list[list[Array]]:
        """Central differences: for each axis of the input, and each output, a matrix with a column a direction."""
        return [self._columns(which, [axis * d for d in directions]) for axis in axes_of(self.array(which))]

    def _columns(self, which: int, directions: Sequence[Array]) -> list[Array]:
        columns = [slopes(self.values, [(self.array(which), d)], self.options.eps) for d in directions]
        if not columns:
            return [np.zeros((self.outputs[k]._array.size, 0)) for k in self.read]
        return [np.stack([out.reshape(-1) for out in outs], axis=1) for outs in zip(*columns, strict=True)]

    def pulled(self, k: int, seeds: Sequence[Array]) -> list[Array]:
        """The products of the seeds with the Jacobian of output k: for each moving input a matrix, a row a seed."""
        wanted = [self.inputs[i] for i in self.moving]
        out = self.outputs[k]
        vectors = (tensor(np.asarray(seed, out._array.dtype)) for seed in seeds)
        rows = [grad(out, wanted, vector, retain_graph=True, allow_unused=True) for vector in vectors]
        if not rows:
            return [np.zeros((0, x._array.size), x._array.dtype) for x in wanted]
        per_input = zip(wanted, zip(*rows, strict=True), strict=True)
        return [np.stack([self._row(x, g) for g in grads]) for x, grads in per_input]

    def _row(self, x: Any, g: Any) -> Array:
        if g is None:
            return np.zeros(x._array.size, x._array.dtype)
        if g.shape != x.shape:
            raise GradcheckError(
                f"Analytical gradient has incorrect size: got {list(g.shape)} for an input of shape {list(x.shape)}"
            )
        if self.options.check_grad_dtypes and g.dtype != x.dtype:
            raise GradcheckError(f"Gradient has dtype mismatch: got {g.dtype} for an input of dtype {x.dtype}")
        return g._array.reshape(-1)

    def pushed(self, which: int, directions: Sequence[Array]) -> list[Array]:
        """Forward mode: for each output that counts a matrix, with a column a direction of this input."""
        columns = [[self._column(primal, t) for primal, t in self.duals(which, d)] for d in directions]
        if not columns:
            return [np.zeros((self.outputs[k]._array.size, 0)) for k in self.kept]
        return [np.stack(found, axis=1) for found in zip(*columns, strict=True)]

    def _column(self, primal: Any, tangent: Any) -> Array:
        if tangent is None:
            return np.zeros(primal._array.size, primal._array.dtype)
        if self.options.check_grad_dtypes and tangent.dtype != primal.dtype:
            raise GradcheckError(f"Forward AD gradient has dtype mismatch: got {tangent.dtype} for {primal.dtype}")
        return tangent.detach()._array.reshape(-1)

    def duals(self, which: int, direction: Any, *, undefined: int | None = None) -> list[tuple[Any, Any]]:
        """(value, tangent) of the outputs that count when one input has this tangent and the others zero.

        The input `undefined` has none at all. The direction may be a tensor.
        """
        from . import forward_ad  # built on the engine, as this is; loaded when first asked for

        with forward_ad.dual_level():
            inputs = list(self.inputs)
            for i in self.moving:
                x = self.inputs[i].detach()
                tangent = direction if i == which else np.zeros(x.shape, x._array.dtype)
                inputs[i] = x if i == undefined else forward_ad.make_dual(x, tensor(tangent))
            outputs = self.call(inputs)
            found = [forward_ad.unpack_dual(outputs[k]) for k in self.kept]
            return [(pair.primal, pair.tangent) for pair in found]


class Projection:
    """Random vectors that stand for the whole Jacobian J: u for each input, v for each output, and v·J·u is compared.

    They are unit vectors without negative entries, the same in every run, and leave the user's generators alone.
    """

    def __init__(self, point: Point) -> None:
        rng = np.random.default_rng(0)
        self.u = {i: _unit_vector(rng, point.inputs[i]) for i in point.moving}
        self.v = {k: _unit_vector(rng, point.outputs[k]) for k in point.kept}

    def atol(self, atol: float, which: int, k: int | None) -> float:
        """The tolerance of one entry, summed over all entries as the product sums them."""
        return atol * float(self.u[which].sum()) * (1.0 if k is None else float(self.v[k].sum()))


# ----------------------------------------------------------------------------------------- small parts


def _unit_vector(rng: Any, x: Any) -> Array:
    vector = np.asarray(rng.random(x.shape), np.zeros((), as_numpy(x.dtype)).real.dtype)
    return np.asarray(vector / (np.linalg.norm(vector) or 1.0))


def as_tuple(values: Any) -> tuple[Any, ...]:
    """A tuple or list as a tuple, anything else alone in one."""
    return tuple(values) if isinstance(values, (tuple, list)) else (values,)


def tensor(array: Any) -> Any:
    """A tensor without history over this array."""
    return array if isinstance(array, bridge.Tensor) else bridge.wrap(np.asarray(array), None)


def requires(x: Any) -> bool:
    """Whether it is a tensor that requires a gradient."""
    return isinstance(x, bridge.Tensor) and x.requires_grad


def axes_of(array: Array) -> tuple[complex, ...]:
    """1, and i for complex numbers."""
    return (1, 1j) if array.dtype.kind == "c" else (1,)


def _listed(found: list[Any]) -> Any:
    return found[0] if len(found) == 1 else found


def _moving(inputs: Sequence[Any]) -> list[int]:
    moving = [i for i, x in enumerate(inputs) if requires(x)]
    for i in moving:
        _check_input(i, inputs[i])
    if not moving:
        raise GradcheckInputError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have "
            "requires_grad=True: there is nothing to differentiate by"
        )
    return moving


def _check_input(i: int, x: Any) -> None:
    array = x._array
    if array.dtype.str[1:] not in ("f8", "c16"):
        warn(
            f"Input #{i} requires gradient and is not a double precision floating point or complex. "
            f"This check will likely fail if all the inputs are not of double precision floating point or complex: "
            f"got {x.dtype}, whose rounding is larger than the differences that are measured.",
            UserWarning,
        )
    repeated = any(stride == 0 and size > 1 for stride, size in zip(array.strides, array.shape, strict=True))
    if repeated and array.size:
        raise GradcheckInputError(
            f"The {i}th input has a dimension with stride 0. gradcheck only supports inputs that are non-overlapping: "
            f"moving one element would move others. Call .contiguous() on it first, or expand inside the function."
        )
    if not array.flags.writeable:
        raise GradcheckInputError(f"The {i}th input cannot be written to, so it cannot be moved: clone() it first")


def units(array: Array, axis: complex = 1) -> list[Array]:
    """The seeds or directions of a whole Jacobian."""
    return [np.asarray(axis * d, array.dtype) for d in unit_directions(array)]

"""What a backward must do besides giving the right numbers: be linear in what arrives, take batches, take nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import GradcheckError
from .bridge import bridge
from .functional_parts import zeros_like
from .gradcheck_point import Point, tensor
from .passes import grad

__all__ = [
    "check_batched",
    "check_batched_forward",
    "check_combination",
    "check_linear",
    "check_undefined",
    "check_undefined_forward",
]

Array = np.ndarray[Any, Any]


def check_linear(point: Point) -> None:
    """A gradient of zeros must give zeros: a backward multiplies by what arrives."""
    wanted = [point.inputs[i] for i in point.moving]
    outputs = [point.outputs[k] for k in point.kept]
    found = grad(outputs, wanted, [zeros_like(out) for out in outputs], retain_graph=True, allow_unused=True)
    for i, x, g in zip(point.moving, wanted, found, strict=True):
        if g is None:
            continue
        zero = np.allclose(g._array, 0) if point.options.masked else not g._array.any()
        if not zero:
            raise GradcheckError(
                f"backward not multiplied by grad_output: zeros were sent in, and input {i} received {g!r}"
            )
        if g.dtype != x.dtype:
            raise GradcheckError(f"grad is incorrect type: input {i} has dtype {x.dtype}, its gradient {g.dtype}")


def check_combination(point: Point, k: int, part: complex, jacobians: Sequence[Array]) -> None:
    """A gradient with many entries must give the product with the Jacobian.

    The Jacobian itself was found with one 1 and zeros, where a rule with g·g in place of g looks right.
    """
    array = point.outputs[k]._array
    seed = np.random.default_rng(0).uniform(0.5, 0.9, array.shape) * _alternating(array.shape)
    found = point.pulled(k, [np.asarray(part * seed, array.dtype)])
    for i, got, jacobian in zip(point.moving, found, jacobians, strict=True):
        expected = seed.reshape(1, -1) @ jacobian
        if not np.allclose(got, expected, point.options.rtol, point.options.atol):
            raise GradcheckError(
                f"backward is not linear in grad_output: a gradient g of many entries, sent into output {k}, must give "
                f"input {i} the product of g and the Jacobian.\nGot:\n{tensor(got)!r}\nExpected:\n{tensor(expected)!r}"
            )


def _alternating(shape: tuple[int, ...]) -> Array:
    """−1, 1, −1, …"""
    size = int(np.prod(shape))
    return np.where(np.arange(size) % 2, 1.0, -1.0).reshape(shape)


def check_undefined(point: Point) -> None:
    """With one output unused, a backward of several outputs receives None or zeros for it, and must cope.

    (Nothing runs here when nothing arrives at all, so there is no such case for one output.)
    """
    if len(point.kept) < 2:
        return
    for left_out in point.kept:
        outputs = point.call(point.inputs)
        used = [outputs[k] for k in point.kept if k != left_out]
        try:
            found = grad(
                used, [point.inputs[i] for i in point.moving], [zeros_like(o) for o in used], allow_unused=True
            )
        except Exception as error:
            raise GradcheckError(
                f"Expected backward function to handle undefined output grads: with output {left_out} unused it raised "
                f"{type(error).__name__}: {error}. A gradient may be None after set_materialize_grads(False)."
            ) from error
        if any(g is not None and g._array.any() for g in found):
            raise GradcheckError(
                "Expected all input grads to be undefined or zero when all output grads are undefined or zero: "
                f"output {left_out} was unused, and zeros were sent into the others"
            )


def check_batched(point: Point, k: int) -> None:
    """Two seeds in one batched pass must give what they give one by one."""
    out = point.outputs[k]
    wanted = [point.inputs[i] for i in point.moving]
    seeds = _random(out, 2)
    singles = [grad(out, wanted, tensor(seed), retain_graph=True, allow_unused=True) for seed in seeds]
    try:
        batched = grad(out, wanted, tensor(seeds), retain_graph=True, allow_unused=True, is_grads_batched=True)
    except RuntimeError as error:
        raise GradcheckError(
            f"While computing batched gradients, got: {error}\n"
            f"Some rule between input and output {k} has no batched form; check_batched_grad=False leaves this out."
        ) from error
    for i, got, expected in zip(point.moving, batched, zip(*singles, strict=True), strict=True):
        _compare(got, expected, f"For output {k} and input {i}: batched gradients differ from those one by one.")


def check_batched_forward(point: Point) -> None:
    """Two tangents under one vmap must give what they give one by one."""
    for i in point.moving:
        tangents = _random(point.inputs[i], 2)
        singles = [_tangents(point, i, tensor(t)) for t in tangents]
        try:
            batched = bridge.vmap(lambda t, i=i: tuple(_tangents(point, i, t)))(tensor(tangents))
        except RuntimeError as error:
            raise GradcheckError(
                f"While computing batched gradients, got: {error}\n"
                f"Some operation has no batched form in forward mode; check_batched_forward_grad=False leaves this out."
            ) from error
        for k, got, expected in zip(point.kept, batched, zip(*singles, strict=True), strict=True):
            _compare(got, expected, f"For output {k} and input {i}: batched tangents differ from those one by one.")


def check_undefined_forward(point: Point) -> None:
    """An input without a tangent must count as one whose tangent is zero."""
    for which in point.moving:
        directions = {i: _random(point.inputs[i], 1)[0] for i in point.moving if i != which}
        for i, direction in directions.items():
            zero, none = (point.duals(i, direction, undefined=u) for u in (None, which))
            for k, (_, a), (_, b) in zip(point.kept, zero, none, strict=True):
                if a is not None and b is not None and not np.allclose(a.detach()._array, b.detach()._array):
                    raise GradcheckError(
                        f"Mismatch in tangent values for output with index: {k} when input {which} has an undefined "
                        f"tangent value. Got: {b!r} but expected: {a!r}"
                    )


# ----------------------------------------------------------------------------------------- small parts


def _tangents(point: Point, which: int, tangent: Any) -> list[Any]:
    return [zeros_like(primal) if t is None else t for primal, t in point.duals(which, tangent)]


def _compare(got: Any, expected: Sequence[Any], message: str) -> None:
    if got is None and all(e is None for e in expected):
        return
    stacked = np.stack([e.detach()._array for e in expected])
    if not np.allclose(got.detach()._array, stacked):
        raise GradcheckError(f"{message}\nGot:\n{got!r}\nExpected:\n{tensor(stacked)!r}")


def _random(x: Any, count: int) -> Array:
    rng = np.random.default_rng(0)
    shape = (count, *x.shape)
    numbers = rng.standard_normal(shape)
    return (numbers + 1j * rng.standard_normal(shape) if x.dtype.is_complex else numbers).astype(x._array.dtype)

"""`gradcheck` and `gradgradcheck`: are the derivatives the ones that finite differences see?

A rule may be wrong in many ways and still look right. Moving each element of each input by a hair, and looking
how far every output moves, is slow and cannot be fooled. (As an attribute of `tp.autograd` the name
`gradcheck` is the function; `from tensorplay.autograd.gradcheck import GradcheckError` reaches this module.)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..errors import GradcheckError, GradcheckUsageError
from . import gradcheck_extra as extra
from .bridge import bridge
from .gradcheck_point import AXES, Options, Point, Projection, as_tuple, axes_of, requires, units
from .gradcheck_report import Finding, close, fail
from .passes import grad

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]

Array = np.ndarray[Any, Any]

_EITHER = "Expected at least one of {} or {}"


class Also(NamedTuple):
    """What is checked of a mode besides its numbers: batches of gradients, and gradients that are None."""

    batched: bool
    undefined: bool


def gradcheck(
    func: Any,
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Whether the gradients of `func` at `inputs` are those of central differences, (f(x+ε) − f(x−ε)) / 2ε.

    Two entries a (from the rules) and n (from differences) agree if |a − n| ≤ atol + rtol · |n|. The tolerances
    are made for float64. Of a complex output the imaginary and the real part are checked one after the other.

    Args:
        func: takes the inputs, returns a tensor or a tuple of them.
        inputs: a tensor or a tuple; those that require a gradient are checked, and moved in place for a moment.
        eps, atol, rtol: ε, and the tolerances.
        raise_exception: False returns False where a GradcheckError would be raised.
        nondet_tol: by how much two backward passes over the same graph may differ.
        check_undefined_grad: also with one of several outputs unused.
        check_grad_dtypes: gradients must have the dtype of their input.
        check_batched_grad: also compare `is_grads_batched=True` with one pass a seed.
        check_batched_forward_grad: the same for forward mode, under `vmap`.
        check_forward_ad, check_backward_ad: which modes are checked.
        fast_mode: compare v·J·u for random vectors u, v: a few calls instead of two an element.
        masked: allow rounding errors where zeros are sent in.

    Raises:
        GradcheckError: a derivative is wrong; the message shows both Jacobians and the worst entry.
        GradcheckInputError: no input requires a gradient, or one cannot be moved.
        GradcheckUsageError: the options contradict each other.

    >>> import tensorplay as tp
    >>> x = tp.tensor([0.5, 2.0], dtype=tp.float64, requires_grad=True)
    >>> tp.autograd.gradcheck(lambda x: x * x, x)
    True
    """
    _demand(check_forward_ad or check_backward_ad, _EITHER.format("check_forward_ad", "check_backward_ad"))
    _demand(check_backward_ad or not check_batched_grad, _requires("check_batched_grad", "check_backward_ad"))
    _demand(
        check_forward_ad or not check_batched_forward_grad, _requires("check_batched_forward_grad", "check_forward_ad")
    )
    options = Options(eps, atol, rtol, nondet_tol, check_grad_dtypes, fast_mode, bool(masked))
    backward = Also(check_batched_grad, check_undefined_grad) if check_backward_ad else None
    forward = Also(check_batched_forward_grad, check_undefined_grad) if check_forward_ad else None
    return _answer(func, inputs, options, backward, forward, raise_exception)


def gradgradcheck(
    func: Any,
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """Whether the second derivatives of `func` are right: `gradcheck` of its backward.

    The function that is checked takes the inputs and the gradients that arrive at the outputs, and returns the
    gradients of the inputs; so the numbering in a message is that of these.

    Args:
        func, inputs: as in `gradcheck`.
        grad_outputs: the gradients that arrive; None makes random ones.
        gen_non_contig_grad_outputs: lay the random ones out with gaps in memory.
        check_fwd_over_rev, check_rev_over_rev: differentiate the backward in forward mode, in backward mode.
        eps, atol, …: as in `gradcheck`.

    Raises:
        GradcheckError: a second derivative is wrong.
        GradcheckInputError, GradcheckUsageError: as in `gradcheck`.

    >>> import tensorplay as tp
    >>> x = tp.tensor([0.5, 2.0], dtype=tp.float64, requires_grad=True)
    >>> tp.autograd.gradgradcheck(lambda x: x**3, x)
    True
    """
    _demand(check_fwd_over_rev or check_rev_over_rev, _EITHER.format("check_fwd_over_rev", "check_rev_over_rev"))
    _demand(check_rev_over_rev or not check_undefined_grad, _requires("check_undefined_grad", "check_rev_over_rev"))
    _demand(check_rev_over_rev or not check_batched_grad, _requires("check_batched_grad", "check_rev_over_rev"))
    given = as_tuple(inputs)
    arriving = _arriving(func, given, grad_outputs, gen_non_contig_grad_outputs)
    legend = (
        f"(Second order: output 0, 1, … are the gradients of the inputs that have one; inputs 0 to {len(given) - 1} "
        f"are those of the function, from {len(given)} on they are the gradients that arrive at its outputs.)\n"
    )
    options = Options(eps, atol, rtol, nondet_tol, check_grad_dtypes, fast_mode, masked, legend)
    backward = Also(check_batched_grad, check_undefined_grad) if check_rev_over_rev else None
    forward = Also(False, check_undefined_grad) if check_fwd_over_rev else None
    second = _backward_of(func, given, arriving)
    return _answer(second, (*given, *arriving), options, backward, forward, raise_exception)


# ------------------------------------------------------------------------------------- the checks in order


def _answer(
    func: Any, inputs: Any, options: Options, backward: Also | None, forward: Also | None, raise_exception: bool
) -> bool:
    try:
        _check(Point(func, inputs, options), backward, forward)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def _check(point: Point, backward: Also | None, forward: Also | None) -> None:
    """All that is to be checked; None leaves a mode out."""
    if not point.kept:
        _check_constant(point)
        return
    jacobians = _check_jacobians(point, backward is not None, forward is not None)
    if forward is not None:
        if forward.undefined:
            extra.check_undefined_forward(point)
        if forward.batched:
            extra.check_batched_forward(point)
    if backward is not None:
        for k in point.kept if backward.batched else ():
            extra.check_batched(point, k)
        extra.check_linear(point)
        for (k, part), found in jacobians.items():
            extra.check_combination(point, k, part, found)
        if backward.undefined:
            extra.check_undefined(point)


def _check_constant(point: Point) -> None:
    """No output requires a gradient, so none may move."""
    for i in point.moving:
        for per_output in point.measured(i, units(point.array(i))):
            for k, numerical in zip(point.read, per_output, strict=True):
                if np.any(numerical):
                    raise GradcheckError(
                        f"Numerical gradient for function expected to be zero: no output requires a gradient, and yet "
                        f"output {k} moves with input {i}. Look for detach(), no_grad() or a conversion to numbers."
                    )


def _check_jacobians(point: Point, backward: bool, forward: bool) -> dict[tuple[int, complex], list[Array]]:
    """Every pair of an output and an input, entry by entry or, in fast mode, along random vectors.

    Returns the Jacobians that backward gave, in full: of each output and part of it, by each input.
    """
    projection = Projection(point) if point.options.fast_mode else None
    measured = {i: point.measured(i, _directions(point, i, 1, projection)) for i in point.moving}
    found = {}
    for k, part in _parts(point) if backward else ():
        found[k, part] = _reentrant(point, k, part, projection)
        _check_backward(point, k, part, found[k, part], measured, projection)
    for i in point.moving if forward else ():
        for axis, numerical in zip(axes_of(point.array(i)), measured[i], strict=True):
            _check_forward(point, i, axis, numerical, projection)
    return found if projection is None else {}


def _parts(point: Point) -> Iterator[tuple[int, complex]]:
    """(output, axis): real outputs whole, complex ones first by their imaginary part and then by their real one."""
    for k in point.kept:
        for axis in reversed(axes_of(point.outputs[k]._array)):
            yield k, axis


def _directions(point: Point, i: int, axis: complex, projection: Projection | None) -> Any:
    return units(point.array(i), axis) if projection is None else [axis * projection.u[i]]


def _check_backward(
    point: Point, k: int, part: complex, analytical: list[Array], measured: Any, projection: Projection | None
) -> None:
    name = AXES[part] if point.outputs[k].dtype.is_complex else ""
    for i, a in zip(point.moving, analytical, strict=True):
        n = _seen_by_backward(point, k, part, measured[i])
        finding = Finding(k, i, name)
        if projection is None:
            _compare(point, finding, a, n)
            continue
        a, n = a @ projection.u[i].reshape(-1, 1), projection.v[k].reshape(1, -1) @ n
        if not close(a, n, point.options.rtol, projection.atol(point.options.atol, i, k)).all():
            full = point.pulled(k, units(point.outputs[k]._array, part))[point.moving.index(i)]
            whole = point.measured(i, units(point.array(i)))
            fail(point, finding, full, _seen_by_backward(point, k, part, whole), (a.item(), n.item()))


def _reentrant(point: Point, k: int, part: complex, projection: Projection | None) -> list[Array]:
    """The Jacobians of an output by backward, computed twice."""
    array = point.outputs[k]._array

    def run() -> list[Array]:
        return point.pulled(k, units(array, part) if projection is None else [part * projection.v[k]])

    once, twice = run(), run()
    for i, a, b in zip(point.moving, once, twice, strict=True):
        gap = np.max(np.abs(a - b), initial=0.0)
        if gap > point.options.nondet_tol:
            raise GradcheckError(
                f"Backward is not reentrant, i.e., running backward with same input and grad_output multiple times "
                f"gives different values: the gradients of output {k} by input {i} differ by {gap:.3g}. The tolerance "
                f"for nondeterminism was {point.options.nondet_tol}. If the difference is meant to be, pass nondet_tol."
            )
    return once


def _seen_by_backward(point: Point, k: int, part: complex, measured: list[list[Array]]) -> Array:
    """What a backward sends to this input: the slopes of one part of the output; (along real) + i·(along imaginary)."""
    which = point.kept.index(k)
    slopes = [axis[which].imag if part == 1j else axis[which].real for axis in measured]
    return slopes[0] if len(slopes) == 1 else slopes[0] + 1j * slopes[1]


def _check_forward(point: Point, i: int, axis: complex, numerical: list[Array], projection: Projection | None) -> None:
    analytical = point.pushed(i, _directions(point, i, axis, projection))
    name = AXES[axis] if point.inputs[i].dtype.is_complex else ""
    for which, (k, a, n) in enumerate(zip(point.kept, analytical, numerical, strict=True)):
        finding = Finding(k, i, name, forward=True)
        if projection is None:
            _compare(point, finding, a, n)
        elif not close(a, n, point.options.rtol, projection.atol(point.options.atol, i, None)).all():
            full = point.pushed(i, units(point.array(i), axis))[which]
            whole = point.measured(i, units(point.array(i)))[1 if axis == 1j else 0][which]
            fail(point, finding, full, whole, (a.ravel(), n.ravel()))


def _compare(point: Point, finding: Finding, a: Array, n: Array) -> None:
    if not close(a, n, point.options.rtol, point.options.atol).all():
        fail(point, finding, a, n)


# -------------------------------------------------------------------------------------------- second order


def _arriving(func: Any, inputs: tuple[Any, ...], given: Any, gaps: bool) -> tuple[Any, ...]:
    """The gradients that arrive at the outputs: the given ones, or random numbers in [-1, 1)."""
    if given is not None:
        return as_tuple(given)
    outputs = [out for out in as_tuple(func(*inputs)) if requires(out)]
    if not outputs:
        raise GradcheckError(
            "gradgradcheck expects at least one output that requires a gradient: look for detach() or no_grad()"
        )
    rng = np.random.default_rng(0)
    return tuple(_random_gradient(rng, out, gaps) for out in outputs)


def _random_gradient(rng: Any, out: Any, gaps: bool) -> Any:
    shape = (*out.shape[:-1], 2 * out.shape[-1]) if gaps and out.shape else out.shape
    numbers = rng.uniform(-1, 1, shape)
    if out.dtype.is_complex:
        numbers = numbers + 1j * rng.uniform(-1, 1, shape)
    array = np.asarray(numbers, out._array.dtype)
    return bridge.wrap(array[..., ::2] if gaps and out.shape else array, None).requires_grad_()


def _backward_of(func: Any, inputs: tuple[Any, ...], arriving: tuple[Any, ...]) -> Any:
    """The backward of `func` as a function of its inputs and of what arrives."""
    flags = [requires(x) for x in (*inputs, *arriving)]

    def backward(*values: Any) -> tuple[Any, ...]:
        # In forward mode the inputs arrive detached.
        found = [x.requires_grad_() if flag else x for x, flag in zip(values, flags, strict=True)]
        outputs = [out for out in as_tuple(func(*found[: len(inputs)])) if requires(out)]
        wanted = [x for x, flag in zip(found[: len(inputs)], flags, strict=False) if flag]
        grads = grad(outputs, wanted, found[len(inputs) :], create_graph=True, allow_unused=True)
        return tuple(g for g in grads if g is not None)

    return backward


# ----------------------------------------------------------------------------------------- small parts


def _requires(option: str, other: str) -> str:
    return f"Setting {option}=True requires {other}"


def _demand(condition: bool, message: str) -> None:
    if not condition:
        raise GradcheckUsageError(f"{message} to be True")

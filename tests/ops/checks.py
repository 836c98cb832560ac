"""The checks every op must pass. `test_ops.py` runs them; `test_tests.py` shows that they can fail."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

import tensorplay as tp
from tensorplay.tensor import wrap
from tensorplay.testing import assert_close, numeric
from tensorplay.testing.samples import Case
from tests.ops.recorded import gradients, leaves, outputs, run
from tests.ops.references import REFERENCES
from tests.ops.running import seed_for

RTOL, ATOL = 1e-6, 1e-7
"""Central differences are good to some nine digits; a factor 2.001 for 2 is wrong by 5e-4."""


def check_forward(case: Case, dtype: Any, layout: str) -> None:
    """Values, shapes and dtypes of all outputs against plain NumPy; the inputs are left alone."""
    inputs = case.arrays(dtype, layout)
    copies = [np.copy(x) for x in inputs]
    outs = [out.detach().numpy() for out in outputs(case, leaves(case, inputs))]
    expected = REFERENCES[case.op.__name__](*case.arrays(dtype), **case.params)
    expected = expected if isinstance(expected, tuple) else (expected,)
    assert_close(outs, [np.asarray(e) for e in expected], check_dtype=True)
    for before, after in zip(copies, inputs, strict=True):
        assert np.array_equal(before, after), "an input was changed"


def check_first_order(case: Case) -> None:
    """Each gradient in full, element by element, against central differences."""
    inputs = case.arrays()
    tensors = leaves(case, inputs)
    g = seed_for(case, outputs(case, tensors)[0]._array)
    grads = gradients(case, tensors, wrap(g))
    for which, grad in zip(case.differentiable(), grads, strict=True):
        expected = numeric.gradient(lambda *at: _values(case, at), inputs, g, which)
        assert_close(grad, expected, RTOL, ATOL, check_dtype=True, name=f"gradient of {case.op.inputs[which]}")


def check_second_order(case: Case) -> None:
    """The recorded derivative differentiated again, along one random direction, against central differences.

    The first derivative is a function of the inputs and of the gradient g that arrives: both are moved.
    """
    inputs = case.arrays()
    g = seed_for(case, outputs(case, leaves(case, inputs))[0]._array)
    at = [*inputs, g]
    moving = [*case.differentiable(), len(inputs)]
    rng = np.random.default_rng(zlib.crc32(f"{case} second".encode()))
    weights = [rng.uniform(0.5, 1.5, np.shape(at[i])) for i in moving[:-1]]
    directions = [rng.uniform(-1, 1, np.shape(x)) if i in moving else None for i, x in enumerate(at)]

    slope = numeric.directional(lambda *moved: _weighted_gradient(case, moved, weights), at, directions)
    assert_close(_second(case, at, weights, directions), float(slope), RTOL, ATOL, name="second derivative")


def _values(case: Case, arrays: Sequence[Any]) -> Any:
    with tp.no_grad():
        return outputs(case, leaves(case, arrays))[0].numpy()


def _weighted_gradient(case: Case, at: Sequence[Any], weights: Sequence[Any]) -> float:
    grads = gradients(case, leaves(case, at[:-1]), wrap(at[-1]))
    return sum(float(np.sum(w * grad.numpy())) for w, grad in zip(weights, grads, strict=True))


def _second(case: Case, at: Sequence[Any], weights: Sequence[Any], directions: Sequence[Any]) -> float:
    """The same slope by recording: ∑ direction · d(∑ weight · gradient)."""
    tensors, seed = leaves(case, at[:-1]), wrap(at[-1], requires_grad=True)
    grads = gradients(case, tensors, seed, create_graph=True)
    total = sum(((grad * wrap(w)).sum() for grad, w in zip(grads, weights, strict=True)), wrap(np.zeros(())))
    if not total.requires_grad:
        return 0.0
    moving = [(*tensors, seed)[i] for i, direction in enumerate(directions) if direction is not None]
    second = tp.autograd.grad(total, moving, materialize_grads=True)
    known = [direction for direction in directions if direction is not None]
    return sum(float(np.sum(v * s.numpy())) for v, s in zip(known, second, strict=True))


def check_layouts(case: Case, layout: str) -> None:
    """The same numbers laid out otherwise in memory give the same results."""
    outs, grads = run(case)
    assert_close(run(case, layout=layout), (outs, grads), rtol=1e-12, atol=1e-12, check_dtype=True)

"""Random functions: broadcasting, views, indexing, reductions and products in any order, values used again.

Their first and second derivatives are compared with central differences. (What a program may do besides
computing a function, `test_random_programs.py` compares with PyTorch.)
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import tensorplay as tp
from tensorplay.tensor import wrap
from tensorplay.testing import assert_close, numeric
from tensorplay.testing.strategies import Program, broadcastable_shapes, programs

settings.register_profile("here", deadline=None, database=None, derandomize=True)
MANY = settings.get_profile("here")
FEW = settings(MANY, max_examples=40, suppress_health_check=[HealthCheck.too_slow])


def ours(program: Program) -> tuple[float, list[Any], list[Any]]:
    """Value, gradients, and the gradients of the sum of squared gradients."""
    xs = [wrap(x, requires_grad=True) for x in program.arrays()]
    value = program.run(xs)
    grads = tp.autograd.grad(value, xs, create_graph=True, materialize_grads=True)
    penalty = sum(((g * g).sum() for g in grads), wrap(np.zeros(())))
    second = tp.autograd.grad(penalty, xs, materialize_grads=True) if penalty.requires_grad else [x * 0 for x in xs]
    return value.item(), [g.detach().numpy() for g in grads], [s.detach().numpy() for s in second]


@FEW
@given(programs())
def test_against_differences(program):
    _, grads, second = ours(program)
    xs = program.arrays()
    rng = np.random.default_rng(program.seed)
    vs = [rng.uniform(-1, 1, x.shape) for x in xs]

    def value(*at: Any) -> float:
        with tp.no_grad():
            return program.run([wrap(x) for x in at]).item()

    def penalty(*at: Any) -> float:
        leaves = [wrap(x, requires_grad=True) for x in at]
        return sum(float((g.numpy() ** 2).sum()) for g in tp.autograd.grad(program.run(leaves), leaves))

    slope = sum(float(np.sum(g * v)) for g, v in zip(grads, vs, strict=True))
    assert_close(slope, float(numeric.directional(value, xs, vs)), rtol=1e-5, atol=1e-6)
    curve = sum(float(np.sum(s * v)) for s, v in zip(second, vs, strict=True))
    assert_close(curve, float(numeric.directional(penalty, xs, vs)), rtol=1e-4, atol=1e-4)


@FEW
@given(programs())
def test_backward_and_grad_agree_to_the_bit(program):
    _, grads, _ = ours(program)
    xs = [wrap(x, requires_grad=True) for x in program.arrays()]
    program.run(xs).backward()
    assert [x.grad.numpy().tobytes() for x in xs] == [g.tobytes() for g in grads]


@FEW
@given(broadcastable_shapes(3))
def test_gradients_of_broadcast_operands_have_the_operands_shapes(shapes):
    x, y, z = (wrap(np.full(shape, 0.5), requires_grad=True) for shape in shapes)
    out = x * y + z / (x + 2)
    assert out.shape == np.broadcast_shapes(*shapes)
    out.backward(tp.ones_like(out))
    assert [t.grad.shape for t in (x, y, z)] == [t.shape for t in (x, y, z)]
    assert z.grad.sum().item() == pytest.approx(0.4 * out.numel())

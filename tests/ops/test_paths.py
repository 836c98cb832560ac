"""The short paths and the general one record the same thing: values, graph, gradients, to the bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.apply import apply, apply1, apply2, apply_number
from tensorplay.tensor import Tensor, wrap
from tensorplay.testing import Case, valid_cases
from tests.ops.recorded import leaves
from tests.ops.running import seed_for


def short(case: Case, tensors: list[Any]) -> Any:
    """The result by the short path that fits these inputs, or None if there is none."""
    kinds = [isinstance(x, Tensor) for x in tensors]
    if case.op.several or case.op.star or case.op.nondiff:
        return None
    if kinds == [True] and not case.op.fits:
        return apply1(case.op, tensors[0], case.params or None)
    if kinds == [True, True] and not case.params and all(x.dtype.is_floating_point for x in tensors):
        return apply2(case.op, *tensors)
    if sorted(kinds) == [False, True] and not case.params:
        tensor, number = (tensors[0], tensors[1]) if kinds[0] else (tensors[1], tensors[0])
        return apply_number(case.op, tensor, number, first=not kinds[0])
    return None


SHORT = [case for case in valid_cases() if short(case, leaves(case, case.arrays())) is not None]


def told(out: Tensor, g: np.ndarray) -> list[Any]:
    """Everything that could differ: the result, its node, what that kept, and the gradients."""
    node = out.grad_fn
    facts = [out._array.tobytes(), out.dtype, out.shape, out._array.shape, out.requires_grad, out._view is not None]
    if node is None:
        return facts
    kept = [(name, array.tobytes()) for name, array in node.saved_arrays()]
    facts += [node.name(), node.shape, node.params, node.plan, kept, len(node.versions), node.saved_bytes]
    facts.append([(edge and edge.name(), nr) for edge, nr in node.next_functions])
    out.backward(wrap(g))
    return facts


@pytest.mark.parametrize("case", SHORT, ids=str)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("recorded", [True, False], ids=["recorded", "no_grad"])
def test_short_and_general_paths_agree(case, dtype, recorded):
    answers = []
    for run in (short, lambda case, tensors: apply(case.op, *tensors, **case.params)):
        tensors = leaves(case, case.arrays(dtype))
        with tp.set_grad_enabled(recorded):
            out = run(case, tensors)
        facts = told(out, seed_for(case, out._array))
        answers.append(
            facts + [t.grad._array.tobytes() if t.grad is not None else None for t in tensors if isinstance(t, Tensor)]
        )
    assert answers[0] == answers[1]


def test_most_ops_have_a_short_path():
    assert len({case.op for case in SHORT}) > 25


@pytest.mark.parametrize("case", [c for c in SHORT if len(c.sample.inputs) > 1], ids=str)
def test_each_operand_alone(case):
    """With one operand recorded and the other constant, both paths keep only what that one's rule reads."""
    for which in case.differentiable():
        kept = []
        for run in (short, lambda case, tensors: apply(case.op, *tensors)):
            tensors = [t.detach() if isinstance(t, Tensor) else t for t in leaves(case, case.arrays())]
            tensors[which].requires_grad_()
            out = run(case, tensors)
            kept.append([name for name, _ in out.grad_fn.saved_arrays()])
            out.backward(wrap(seed_for(case, out._array)))
            kept.append([t.grad._array.tobytes() for t in tensors if isinstance(t, Tensor) and t.grad is not None])
        assert kept[:2] == kept[2:]

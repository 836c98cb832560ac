"""Every op inside every transform: vmap against a loop, forward mode against reverse mode and differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tensorplay import ops
from tensorplay.ops.base import OPS
from tensorplay.testing import valid_cases
from tests.ops import transforms as checks
from tests.test_tests import plant_rule

VALID = valid_cases()
CASES = pytest.mark.parametrize("case", VALID, ids=str)
MOVING = pytest.mark.parametrize("case", [c for c in VALID if c.differentiable()], ids=str)


def choices() -> list[Any]:
    """Each case with all inputs mapped, and with each alone."""
    rows = []
    for case in VALID:
        arrays = [i for i, x in enumerate(case.arrays()) if isinstance(x, np.ndarray)]
        sets = {tuple(arrays), *((i,) for i in arrays)}
        rows += [pytest.param(case, chosen, id=f"{case}-{chosen}") for chosen in sorted(sets)]
    return rows


@pytest.mark.parametrize(("case", "chosen"), choices())
@pytest.mark.parametrize("axis", [0, -1], ids=["front", "end"])
def test_vmap_against_a_loop(case, chosen, axis):
    checks.check_vmap(case, chosen, axis)


@CASES
@pytest.mark.parametrize("layout", ["columns", "strided"])
def test_vmap_of_other_layouts(case, layout):
    arrays = tuple(i for i, x in enumerate(case.arrays()) if isinstance(x, np.ndarray))
    checks.check_vmap(case, arrays, 0, layout)


@pytest.mark.parametrize(("case", "chosen"), choices())
def test_vmap_of_vmap(case, chosen):
    checks.check_nested_vmap(case, chosen)


@MOVING
def test_vmap_of_gradient(case):
    checks.check_vmap_of_gradient(case)


@MOVING
def test_gradient_of_vmap(case):
    checks.check_gradient_of_vmap(case)


@MOVING
@pytest.mark.parametrize("layout", ["contiguous", "strided"])
def test_forward_mode(case, layout):
    checks.check_forward_mode(case, layout)


@MOVING
def test_second_order(case):
    checks.check_second_order(case)


@MOVING
def test_vmap_of_forward_mode(case):
    checks.check_vmap_of_forward_mode(case)


# ------------------------------------------------------------------------------------ do the checks bite?


def forward_modes(op: Any) -> None:
    for case in VALID:
        if case.op is op and case.differentiable():
            checks.check_forward_mode(case)
            checks.check_second_order(case)


WRONG_RULES = [
    (ops.Mul, "x", "g * ", "1.0005 * g * "),
    (ops.Div, "y", "-xp.div(g", "xp.div(g"),
    (ops.Tanh, "x", "1 - out * out", "1 - out"),
    (ops.Softmax, "x", "g * out", "g"),
    (ops.Amax, "x", "share_ties(xp, g,", "share_ties(xp, 2 * g,"),
    (ops.Linear, "w", "xp.T(_rows(xp, g))", "xp.T(_rows(xp, 2.001 / 2 * g))"),
    (ops.CrossEntropy, "x", "xp.cross_entropy_grad(g,", "xp.cross_entropy_grad(2 * g,"),
]


@pytest.mark.parametrize(("op", "name", "old", "new"), WRONG_RULES, ids=lambda v: getattr(v, "__name__", str(v)))
def test_a_wrong_rule_is_caught_forward(monkeypatch, op, name, old, new):
    forward_modes(op)
    plant_rule(monkeypatch, op, name, old, new)
    with pytest.raises(AssertionError):
        forward_modes(op)


@pytest.mark.parametrize("op", [ops.Tanh, ops.Softmax, ops.CrossEntropy, ops.Linear], ids=lambda op: op.__name__)
def test_a_wrong_claim_of_linearity_is_caught(monkeypatch, op):
    monkeypatch.setattr(op, "linear", (op.inputs[:1],))
    with pytest.raises(AssertionError):
        forward_modes(op)


FITTED_BY_ITS_RULE = [op for op in OPS.values() if op.linear and not op.fits]


@pytest.mark.parametrize("op", FITTED_BY_ITS_RULE, ids=lambda op: op.__name__)
def test_a_linear_op_moves_as_its_rule_says(monkeypatch, op):
    """Without the claim the op's rule is transposed instead, and that gives the same."""
    monkeypatch.setattr(op, "linear", ())
    forward_modes(op)

"""Do our checks bite? Wrong rules and a wrong engine are planted, and each must be caught."""

from __future__ import annotations

import inspect
import textwrap
import types
from collections.abc import Callable
from typing import Any

import pytest

from tensorplay import ops
from tensorplay.autograd import engine, hooks, passes
from tensorplay.autograd.gradcheck import GradcheckError
from tensorplay.ops.base import Plans
from tensorplay.testing import valid_cases
from tests.autograd import test_engine, test_freeing
from tests.ops import checks


def changed(function: Callable[..., Any], old: str, new: str) -> Callable[..., Any]:
    """The function with `old` in its source replaced by `new`."""
    source = textwrap.dedent(inspect.getsource(function))
    assert old in source, f"{old!r} is not in the source of {function.__name__}: bring this test up to date"
    names: dict[str, Any] = {}
    code = compile(source.replace(old, new), f"<planted {function.__name__}>", "exec")
    exec(code, function.__globals__ | {"annotations": None}, names)
    wrong = names[function.__name__]
    return types.FunctionType(wrong.__code__, function.__globals__, wrong.__name__, wrong.__defaults__)


def plant_rule(monkeypatch: pytest.MonkeyPatch, op: Any, name: str, old: str, new: str) -> None:
    """Give one input of an op a wrong rule, for this test only."""
    monkeypatch.setitem(op.rules, name, changed(op.rules[name], old, new))
    monkeypatch.setattr(op, "plans", Plans(op))


def first_and_second_order(op: Any) -> None:
    for case in valid_cases():
        if case.op is op and case.differentiable():
            checks.check_first_order(case)
            checks.check_second_order(case)


WRONG_RULES = [
    (ops.Mul, "x", "g * ", "1.0005 * g * "),
    (ops.Mul, "y", "g * ", "-g * "),
    (ops.Sub, "y", "-g", "g"),
    (ops.Div, "y", "-xp.div(g", "xp.div(g"),
    (ops.Exp, "x", "g * ", "2.001 / 2 * g * "),
    (ops.Tanh, "x", "1 - out * out", "1 - out"),
    (ops.Sigmoid, "x", "(1 - out)", "(1 + out)"),
    (ops.Sqrt, "x", "2 *", "2.001 *"),
    (ops.Relu, "x", "gate(g, out)", "gate(g, out + 1)"),
    (ops.Sum, "x", "xp.expand(", "2 * xp.expand("),
    (ops.Mean, "x", "g / max(", "g * max("),
    (ops.MatMul, "x", "g @", "2.001 / 2 * g @"),
    (ops.Linear, "w", "xp.T(_rows(xp, g))", "xp.T(_rows(xp, 2.001 / 2 * g))"),
    (ops.Linear, "b", "xp.sum_to(g,", "xp.sum_to(g * 0.5,"),
    (ops.Softmax, "x", "g * out", "g"),
    (ops.LogSoftmax, "x", "xp.exp(out)", "out"),
    (ops.Permute, "x", "tuple(back)", "tuple(dims)"),
    (ops.Expand, "x", "xp.sum_to(g, x_shape)", "xp.sum_to(g * 0.5, x_shape)"),
    (ops.GetItem, "x", "xp.put(g", "xp.put(g + g"),
    (ops.Max, "x", "to_index(", "0.5 * to_index("),
    (ops.CrossEntropy, "x", "xp.cross_entropy_grad(g", "xp.cross_entropy_grad(g * g"),
]


@pytest.mark.parametrize(("op", "name", "old", "new"), WRONG_RULES, ids=lambda v: getattr(v, "__name__", str(v)))
def test_a_wrong_rule_is_caught(monkeypatch, op, name, old, new):
    first_and_second_order(op)
    plant_rule(monkeypatch, op, name, old, new)
    with pytest.raises(GradcheckError):
        first_and_second_order(op)


def test_a_rule_right_at_first_order_only_is_caught(monkeypatch):
    """The slope is right, but as a constant: only the second order can tell."""
    plant_rule(monkeypatch, ops.Tanh, "x", "g * xp.conj(1 - out * out)", "g * xp.stop(1 - out * out)")
    cases = [case for case in valid_cases() if case.op is ops.Tanh]
    for case in cases:
        checks.check_first_order(case)
    with pytest.raises(GradcheckError, match="Jacobian mismatch"):
        checks.check_second_order(cases[0])


def test_a_wrong_forward_is_caught(monkeypatch):
    case = next(case for case in valid_cases() if case.op is ops.Sum)
    checks.check_forward(case, "float64", "contiguous")
    wrong = changed(ops.Sum.forward, "xp.sum(", "1.001 * xp.sum(")
    monkeypatch.setattr(ops.Sum, "forward", staticmethod(wrong))
    with pytest.raises(AssertionError):
        checks.check_forward(case, "float64", "contiguous")


# ------------------------------------------------------------------------------- a wrong engine


def broadcasting() -> None:
    first_and_second_order(ops.Add)


WRONG_ENGINES = [
    ("no sum over broadcast dimensions", engine, "_fit_one", "g.shape != shape", "False", broadcasting),
    ("no accumulation at a node", engine, "walk", "grads[edge] = old + g", "grads[edge] = g",
     test_engine.test_a_diamond_visits_each_node_once_with_the_whole_gradient),
    ("no accumulation at a leaf", engine, "walk", "g if old is None else old + g", "g",
     test_engine.test_one_tensor_as_both_inputs),
    ("oldest node first", engine, "walk", "(edge.order, edge)", "(-edge.order, edge)",
     test_engine.test_the_newest_node_goes_first),
    ("nothing is freed", engine, "walk", "if not retain:", "if False:", test_engine.test_backward_frees_what_was_saved),
    ("versions are not looked at", engine, "walk", "cell[0] != number", "False",
     test_freeing.test_an_overwritten_saved_tensor_is_an_error),
    ("`.grad` shares memory", hooks, "keep_grad", "run.xp.copy(g)", "g", test_freeing.test_grad_shares_no_memory),
]  # fmt: skip


@pytest.mark.parametrize(
    ("module", "name", "old", "new", "check"), [row[1:] for row in WRONG_ENGINES], ids=[row[0] for row in WRONG_ENGINES]
)
def test_a_wrong_engine_is_caught(monkeypatch, module, name, old, new, check):
    check()
    wrong = changed(getattr(module, name), old, new)
    for user in (module, passes):
        if hasattr(user, name):
            monkeypatch.setattr(user, name, wrong)
    with pytest.raises((AssertionError, GradcheckError, pytest.fail.Exception)):
        check()

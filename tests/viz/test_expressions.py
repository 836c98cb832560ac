"""Results without a name are called by what computes them, and read as mathematics."""

from __future__ import annotations

from typing import Any

import pytest

import tensorplay as tp
from tensorplay.ops import contraction, indexing, pointwise, shaping
from tensorplay.viz.expressions import expression, word

CASES: list[tuple[Any, list[str], str]] = [
    (pointwise.Pow, ["w", "2"], "w²"),
    (pointwise.Pow, ["w", "2.0"], "w²"),
    (pointwise.Pow, ["w", "-1"], "w⁻¹"),
    (pointwise.Pow, ["w·x", "2.5"], "(w·x)^2.5"),
    (pointwise.Pow, ["w²", "3"], "(w²)³"),
    (pointwise.Pow, ["−w", "3"], "(−w)³"),
    (pointwise.Pow, ["2", "w + 1"], "2^(w + 1)"),
    (pointwise.Pow, ["a name", "2"], "(a name)²"),
    (pointwise.Mul, ["a + b", "c"], "(a + b)·c"),
    (pointwise.Mul, ["a·b", "c²"], "a·b·c²"),
    (pointwise.Mul, ["a / b", "c"], "(a / b)·c"),
    (pointwise.Div, ["a", "b·c"], "a / (b·c)"),
    (pointwise.Sub, ["a", "b + c"], "a − (b + c)"),
    (pointwise.Sub, ["a", "b·c"], "a − b·c"),
    (pointwise.Add, ["a", "b + c"], "a + b + c"),
    (pointwise.Add, ["a", "-3"], "a + (-3)"),
    (pointwise.Neg, ["a + b"], "−(a + b)"),
    (pointwise.Exp, ["a + b"], "exp(a + b)"),
    (pointwise.Abs, ["a"], "|a|"),
    (contraction.MatMul, ["x", "wᵀ"], "x @ wᵀ"),
    (pointwise.Mul, ["a", ""], ""),
    (pointwise.Mul, ["a_long_name", "b_long_name"], ""),
]


@pytest.mark.parametrize(("op", "parts", "text"), CASES)
def test_it_reads_as_mathematics(op: Any, parts: list[str], text: str) -> None:
    assert expression(op, parts) == text


def test_only_a_swap_of_two_axes_is_a_transpose() -> None:
    assert expression(shaping.Permute, ["w"], {"dims": (1, 0)}) == "wᵀ"
    assert expression(shaping.Permute, ["w"], {"dims": (0, 1)}) == "permute(w)"


def test_show_and_record_agree() -> None:
    w, k = tp.tensor(3.0, requires_grad=True), tp.tensor(2.0, requires_grad=True)
    with tp.viz.record() as trace:
        y = ((w * k) ** 2 + w**2.5) * 1.0001
        y.backward(retain_graph=True)
    told, shown = ([node.name for node in graph.nodes] for graph in (trace.graph, tp.viz.show(y).graph))
    assert told == shown
    assert {"w·k", "(w·k)²", "w^2.5"} <= set(told)


def test_a_sign_is_not_a_function() -> None:
    assert expression(indexing.Index, ["x"]) == ""
    assert [word(op) for op in (pointwise.Mul, pointwise.Exp, pointwise.Pow)] == ["mul", "exp", "pow"]

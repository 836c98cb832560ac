"""One sentence a step, all from one table."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import tensorplay as tp
from tensorplay.viz import Trace
from tensorplay.viz.cards import Reader, exact, step_card, way_card, why_card
from tensorplay.viz.formulas import formula_text
from tensorplay.viz.narrate import _TELL, TEMPLATES, plain, sentence, transcript
from tensorplay.viz.steps import STEPS, Accumulated, Visited


def small() -> Trace:
    x = tp.tensor(2.0, requires_grad=True)
    with tp.viz.record() as trace:
        b = x * 3
        y = b * x + b
        y.backward()
    return trace


def texts(card: Any) -> list[str]:
    return [plain(line.words) for line in card.lines]


def test_the_whole_example_in_words() -> None:
    assert transcript(small()).splitlines() == [
        "y = b * x + b",
        " 0  Nothing has run yet. 10 steps to come: step through them, or press Play.",
        " 1  Mul (×) takes x and 3 and makes b = 6.0. For the way back it needs to keep nothing.",
        " 2  Mul (×) takes b and x and makes b·x = 12.0. For the way back it keeps x and b.",
        " 3  Add (+) takes b·x and b and makes y = 18.0. For the way back it needs to keep nothing.",
        " 4  The backward pass starts at y with the gradient 1.0.",
        " 5  The gradient 1.0 reaches y. It sends 1.0 to b·x and 1.0 to b. It is freed.",
        " 6  The gradient 1.0 reaches b·x. It sends 2.0 to b and 6.0 to x.",
        " 7  b·x is done, so the 2 arrays it had saved are freed: 8 bytes.",
        " 8  The gradient 3.0 reaches b. It sends 9.0 to x. It is freed.",
        " 9  x.grad was empty. Now it is 15.0.",
        "10  The backward pass is over. 3 operations visited, 1 leaf has a gradient, 3 freed.",
    ]


def test_every_kind_of_step_can_be_told() -> None:
    assert set(_TELL) == set(STEPS)


def test_every_template_is_used() -> None:
    source = Path(sentence.__code__.co_filename).read_text(encoding="utf-8")
    body = source.split(
        "# ------------------------------------------------------------------------------------- one a step"
    )[1]
    built = {
        "accumulate",
        "accumulate first",
        "accumulate many",
        "accumulate many first",
        "written value",
        "written grad",
    }
    unused = [name for name in TEMPLATES if f'"{name}"' not in body and name not in built | {"start", "start empty"}]
    assert unused == []


def test_numbers_and_names_have_roles() -> None:
    words = sentence(small(), 6)
    assert ("grad", "2.0") in words and ("name", "b·x") in words
    assert plain(words) == "The gradient 1.0 reaches b·x. It sends 2.0 to b and 6.0 to x."


def test_large_arrays_are_told_by_their_size() -> None:
    x = tp.ones(8, 10, requires_grad=True)
    with tp.viz.record() as trace:
        for _ in range(2):
            (x * 2.0).sum().backward()
    told = transcript(trace)
    assert "The gradient (8×10 numbers) reaches" in told
    assert "x.grad was empty. Now it holds 8×10 numbers." in told
    assert "x.grad is added to, number by number; most at [0, 0]: 2.0 + 2.0 = 4.0." in told


def test_an_empty_recording_says_why() -> None:
    with tp.viz.record() as trace:
        tp.ones(2) + 1
    assert str(trace).startswith(
        "A recorded run\n 0  Nothing was recorded: no operation in the block needed a gradient."
    )


# ------------------------------------------------------------------------------------------- cards


def test_the_rule_with_this_step_s_numbers() -> None:
    trace = small()
    step = next(k for k, e in enumerate(trace.events, 1) if isinstance(e, Visited) and e.node == "n2")
    card = step_card(Reader(trace), trace.at(step))
    assert texts(card) == [
        "b · x",
        "g = ∂y/∂(b·x) = 1.0",
        "∂y/∂b ← g · x = 1.0 · 2.0 = 2.0",
        "∂y/∂x ← g · b = 1.0 · 6.0 = 6.0",
    ]
    assert [line.data.get("grad") for line in card.lines] == [None, "1.0", "2.0", "6.0"]


def test_the_sum_as_before_increment_after() -> None:
    a = tp.tensor(1.0, requires_grad=True)
    with tp.viz.record() as trace:
        for _ in range(2):
            (a * a).backward()
    steps = [k for k, e in enumerate(trace.events, 1) if isinstance(e, Accumulated)]
    first, second = (step_card(Reader(trace), trace.at(k)).lines[0] for k in steps)
    assert plain(first.words) == "a.grad: none + 2.0 = 2.0" and first.data["before"] == "null"
    assert plain(second.words) == "a.grad: 2.0 + 2.0 = 4.0"
    assert {k: second.data[k] for k in ("before", "increment", "after")} == {
        "before": "2.0",
        "increment": "2.0",
        "after": "4.0",
    }


def test_what_waits_and_why() -> None:
    trace = small()
    reader, state = Reader(trace), trace.at(6)
    assert texts(way_card(reader, state)) == ["b1.0 + 2.0 =3.0", "x6.0", "more to come from b"]
    assert texts(why_card(reader, state))[0] == "Reached: b·x (the newest) and b."


@pytest.mark.parametrize("step", range(11))
def test_every_step_has_three_cards(step: int) -> None:
    trace = small()
    for card in (step_card, way_card, why_card):
        made = card(Reader(trace), trace.at(step))
        assert made.title and made.lines and all(texts(made))


def test_exact_numbers_of_a_large_array() -> None:
    x = tp.ones(100, requires_grad=True)
    with tp.viz.record() as trace:
        (x * 0.1).sum().backward()
    data = exact(trace.at(-1).grads["t1"])
    assert '"shape": [100]' in data and '"min": 0.10000000149011612' in data


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"x \cdot y", "x · y"),
        (r"\frac{1}{n}\sum x", "(1/n) Σ x"),
        (r"\frac{1}{1 + e^{-x}}", "1/(1 + e^(-x))"),
        (r"-\ln \mathrm{softmax}(x)_{t}", "−ln softmax(x)[t]"),
        (r"x^{\top}", "xᵀ"),
        (r"\sqrt{x}", "√x"),
    ],
)
def test_formulas_as_text(latex: str, text: str) -> None:
    assert formula_text(latex) == text


def test_no_formula_keeps_latex() -> None:
    from tensorplay.ops.base import OPS

    left = {
        name: formula_text(op.formula) for name, op in OPS.items() if re.search(r"[\\{}]", formula_text(op.formula))
    }
    assert left == {}

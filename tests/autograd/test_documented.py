"""Every documented statement with an example is run: spans in order, values by their `repr`."""

from __future__ import annotations

import builtins
import contextlib
from typing import Any

import pytest

import tensorplay as tp
from tests.autograd.corner_cases import CORNER_CASES
from tests.autograd.documented import ROWS, Row


def warning_class(name: str) -> type[Warning]:
    return getattr(tp.errors, name, None) or getattr(builtins, name)


def check_step(expression: str, answer: str, names: dict[str, Any]) -> None:
    if not answer.startswith("raises "):
        assert repr(eval(expression, names)) == answer, expression
        return
    kind, phrase = answer.removeprefix("raises ").split(": ", 1)
    with pytest.raises(getattr(builtins, kind)) as caught:
        eval(expression, names)
    assert str(caught.value).startswith(phrase), expression


def run(row: Row) -> None:
    names: dict[str, Any] = {"tp": tp}
    for step in row.steps:
        if isinstance(step, str):
            exec(step, names)
        else:
            check_step(*step, names)


@pytest.mark.parametrize("row", [*ROWS, *CORNER_CASES], ids=lambda row: f"{row.number} {row.says}")
def test_row(row: Row) -> None:
    expected = pytest.warns(warning_class(row.warns)) if row.warns else contextlib.nullcontext()
    with expected:
        run(row)


def test_the_protocol_itself_can_fail():
    with pytest.raises(AssertionError):
        run(Row(0, "a wrong value", steps=(("1 + 1", "3"),)))
    with pytest.raises(AssertionError):
        run(Row(0, "a wrong phrase", steps=(("tp.tensor([1.]).backward()", "raises RuntimeError: something else"),)))

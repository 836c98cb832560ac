"""Every documented statement with an example is run: spans in order, values by their `repr`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import tensorplay as tp
from tests.autograd.corner_cases import CORNER_CASES
from tests.autograd.documented import ROWS
from tests.autograd.edits_and_hooks import EDITS_AND_HOOKS
from tests.autograd.forms import FORMS
from tests.autograd.rows import Row, identifier, run
from tests.autograd.tools import TOOLS

EVERY_ROW = [*ROWS, *CORNER_CASES, *EDITS_AND_HOOKS, *FORMS, *TOOLS]


@pytest.mark.parametrize("row", EVERY_ROW, ids=identifier)
def test_row(row: Row) -> None:
    run(row)


@pytest.mark.parametrize("row", [row for row in EVERY_ROW if row.number not in ("B1.29", "B8.3")], ids=identifier)
def test_a_listener_that_keeps_every_event_changes_nothing(row: Row) -> None:
    """But for the place that a node's repr then knows, and the memory that 100,000 events take."""
    kept: list[Any] = []
    with tp.events.listening(kept.append, source=True):
        run(row)


# ----------------------------------------------------------------------------------------- in PyTorch


def quick(row: Row) -> bool:
    """PyTorch takes seconds for 100,000 nodes, and to import its optimizers."""
    return row.number != "B1.29" and "tp.optim" not in str(row.steps)


@pytest.fixture
def torch() -> Iterator[Any]:
    """PyTorch, giving each of its warnings every time; its modes are as before afterwards."""
    library = pytest.importorskip("torch")
    library.set_warn_always(True)
    yield library
    library.set_warn_always(False)
    library.set_grad_enabled(True)


@pytest.mark.parametrize("row", [row for row in EVERY_ROW if not row.differs and quick(row)], ids=identifier)
def test_pytorch_gives_the_same_answers(row: Row, torch: Any) -> None:
    run(row, torch)


@pytest.mark.parametrize("row", [row for row in EVERY_ROW if row.differs], ids=identifier)
def test_pytorch_still_differs(row: Row, torch: Any) -> None:
    """A difference that is gone must not go on being called one."""
    with pytest.raises((Exception, pytest.fail.Exception)):
        run(row, torch)


# ------------------------------------------------------------------------------------------- the rows


@pytest.mark.parametrize(
    "step",
    [
        ("1 + 1", "3"),
        ("tp.tensor([1.]).backward()", "raises RuntimeError: something else"),
        ("tp.tensor([1.]).backward()", "raises ValueError: element 0 of tensors"),
        ("tp.tensor([1.])", "raises RuntimeError: element 0 of tensors"),
        ("tp.tensor(tp.ones(1))", "warns UserWarning: something else"),
        ("tp.tensor(tp.ones(1))", "warns FutureWarning: To copy construct"),
        ("tp.ones(1)", "warns UserWarning: To copy construct"),
    ],
)  # fmt: skip
def test_a_wrong_answer_fails(step: tuple[str, str]) -> None:
    with pytest.raises((AssertionError, RuntimeError, pytest.fail.Exception)):
        run(Row(0, "wrong", steps=(step,)))

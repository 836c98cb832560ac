"""Errors about a graph say which operation, made on which line, freed or changed on which line."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import tensorplay as tp
from tests.autograd.pieces import leaf

HOW_TO_SEE_LINES = "run it once more inside `with tp.autograd.detect_anomaly():`"


@contextlib.contextmanager
def lines(way: str) -> Iterator[None]:
    """Lines are known while a listener asks for them, and in anomaly mode."""
    if way == "listener":
        with tp.events.listening(lambda event: None, tp.events.OpFailed, source=True):
            yield
    elif way == "anomaly":
        with tp.autograd.set_detect_anomaly(True, check_nan=False):
            yield
    else:
        yield


# Each program goes wrong on its last line; `# made` and `# done` mark the two lines the message must show.


def reach_a_freed_part() -> None:
    x = leaf(3.0)
    y = x * x  # made
    y.backward()  # done
    (y * 2).backward()


def reach_a_part_freed_from_further_down() -> None:
    x = leaf(3.0)
    y = x.exp()  # made
    (y * x).sum().backward()  # done
    (y * 2).backward()


def differentiate_a_freed_graph() -> None:
    x = leaf(3.0)
    y = x**2  # made
    tp.autograd.grad(y, x)  # done
    tp.autograd.grad(y, x)


def ask_for_another_input() -> None:
    a, b = leaf(3.0), leaf(2.0)
    y = a * b  # made
    y.backward(inputs=[a])  # done
    y.backward(inputs=[b])


def repeat_an_interrupted_pass() -> None:
    x = leaf(3.0)
    y = x.exp() * 1  # made
    x.register_hook(lambda g: 1 / 0)
    with contextlib.suppress(ZeroDivisionError):
        y.backward()  # done
    y.backward()


def read_what_is_gone() -> None:
    x = leaf(3.0)
    y = x * x  # made
    y.backward()  # done
    y.grad_fn._saved_self  # noqa: B018


def overwrite_an_input() -> None:
    x = leaf(3.0)
    h = x * 1
    y = h * h  # made
    h.add_(1)  # done
    y.backward()


def overwrite_a_result() -> None:
    x = leaf(3.0)
    y = x.exp()  # made
    y[0] = 1.0  # done
    y.backward()


def overwrite_a_view() -> None:
    x = leaf(3.0, 4.0)
    h = x * 1
    y = h * h  # made
    h[:1].zero_()  # done
    y.sum().backward()


def step_too_early() -> None:
    w = leaf(3.0)
    loss = (w * w).sum()  # made
    loss.backward(retain_graph=True)
    tp.optim.SGD([w], lr=0.1).step()  # done
    loss.backward()


def raise_the_version() -> None:
    x = leaf(3.0)
    y = x * x  # made
    tp.autograd.graph.increment_version(x)  # done
    y.backward()


FREED = "Trying to backward through the graph a second time"
CHANGED = "one of the variables needed for gradient computation has been modified by an inplace operation"
MISTAKES: list[tuple[str, Callable[[], None], str, str]] = [
    ("B1.4", reach_a_freed_part, FREED, "MulBackward"),
    ("B1.3", reach_a_part_freed_from_further_down, FREED, "ExpBackward"),
    ("B1.5", differentiate_a_freed_graph, FREED, "PowBackward"),
    ("B1.28", ask_for_another_input, FREED, "MulBackward"),
    ("B1.27", repeat_an_interrupted_pass, FREED, "MulBackward"),
    ("B1.9", read_what_is_gone, FREED, "MulBackward"),
    ("B3.1", overwrite_an_input, CHANGED, "MulBackward"),
    ("B3.1", overwrite_a_result, CHANGED, "ExpBackward"),
    ("B3.1", overwrite_a_view, CHANGED, "MulBackward"),
    ("B3.1", step_too_early, CHANGED, "MulBackward"),
    ("B3.1", raise_the_version, CHANGED, "MulBackward"),
]
IDS = [f"{row} {program.__name__}" for row, program, _, _ in MISTAKES]


def message_of(program: Callable[[], None]) -> str:
    with pytest.raises((tp.errors.FreedGraphError, tp.errors.VersionError)) as caught:
        program()
    return str(caught.value)


def line_of(program: Any, mark: str) -> int:
    code = program.__code__
    with open(code.co_filename, encoding="utf-8") as file:
        rows = file.read().splitlines()
    return next(n for n, text in enumerate(rows, 1) if n > code.co_firstlineno and text.endswith(f"# {mark}"))


@pytest.mark.filterwarnings("ignore:Error detected in")
@pytest.mark.parametrize("way", ["listener", "anomaly"])
@pytest.mark.parametrize(("row", "program", "phrase", "op"), MISTAKES, ids=IDS)
def test_both_lines_are_shown(row: str, program: Any, phrase: str, op: str, way: str) -> None:
    with lines(way):
        message = message_of(program)
    made, done = line_of(program, "made"), line_of(program, "done")
    assert message.startswith(phrase)
    assert re.search(rf"{op} \(node \d+\), made at {re.escape(__file__)}:{made} \(.*# made\)", message), message
    assert re.search(rf"(by the backward|changed by [\w.]+\(\)) at {re.escape(__file__)}:{done} \(.*# done\)", message)
    assert HOW_TO_SEE_LINES not in message


@pytest.mark.parametrize(("row", "program", "phrase", "op"), MISTAKES, ids=IDS)
def test_without_lines_one_sentence_says_how_to_see_them(row: str, program: Any, phrase: str, op: str) -> None:
    message = message_of(program)
    assert message.startswith(phrase)
    assert f"{op} (node " in message
    assert __file__ not in message
    assert message.count(HOW_TO_SEE_LINES) == 1
    assert "  " not in message
    assert ",," not in message


@pytest.mark.filterwarnings("ignore:Error detected in")
@pytest.mark.parametrize(
    ("program", "words"),
    [(overwrite_an_input, "saved its input y (the result of MulBackward) at version 0, which is now at version 1"),
     (overwrite_an_input, "changed by add_()"), (overwrite_a_result, "saved its own result at version 0"),
     (overwrite_a_view, "changed by zero_()"), (step_too_early, "changed by SGD.step()"),
     (raise_the_version, "changed by increment_version()"), (reach_a_freed_part, "retain_graph=True")],
)  # fmt: skip
def test_what_and_by_whom(program: Any, words: str) -> None:
    with lines("anomaly"):
        assert words in message_of(program)


def test_b1_1_the_warning_of_a_second_backward_shows_both_lines() -> None:
    with lines("listener"):
        y = leaf(3.0) ** 2  # the forward
        y.backward()  # the first
        with pytest.warns(tp.errors.FreedGraphWarning) as caught:
            y.backward()
    message = str(caught[0].message)
    assert message.startswith("backward() was called again on a graph that is already freed: nothing changed")
    assert re.search(r"PowBackward, made at .*# the forward\), was freed by the backward at .*# the first\)", message)
    with pytest.warns(tp.errors.FreedGraphWarning, match=re.escape(HOW_TO_SEE_LINES)):
        y = leaf(3.0) ** 2
        y.backward()
        y.backward()


def test_a_later_edit_is_the_one_that_is_shown() -> None:
    with lines("listener"):
        x = leaf(3.0)
        h = x * 1
        y = h * h
        h.add_(1)
        h.mul_(2)  # the last edit
    assert h._version == 2
    with pytest.raises(tp.errors.VersionError, match=r"now at version 2, changed by mul_\(\) at .*# the last edit"):
        y.backward()


def test_an_edit_while_nobody_wants_lines_hides_an_older_line() -> None:
    h = leaf(3.0) * 1
    y = h * h
    with lines("listener"):
        h.add_(1)
    h.add_(1)
    message = message_of(lambda: y.backward())
    assert "changed by" not in message
    assert "now at version 2." in message

"""The page about custom operations: its programs run from top to bottom, and give what it says."""

from __future__ import annotations

import doctest
import re
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "custom-operations.md"
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def blocks(text: str) -> list[tuple[int, str]]:
    """The programs of a page, each with the line it starts on."""
    found = re.finditer(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [(text.count("\n", 0, match.start()) + 2, match[1]) for match in found]


def run_page(text: str) -> int:
    """Run its programs in one namespace; gives how many answers were compared."""
    names: dict[str, Any] = {"__name__": "page"}
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    for line, code in blocks(text):
        if code.startswith(">>> "):
            test = doctest.DocTestParser().get_doctest(code, names, "page", str(PAGE), line - 1)
            test.globs = names  # get_doctest copies: later blocks go on with these
            runner.run(test, clear_globs=False)
        else:
            exec(compile(code, f"{PAGE}:{line}", "exec"), names)
    assert runner.failures == 0
    return runner.tries


def test_the_programs_give_what_the_page_says() -> None:
    assert run_page(PAGE.read_text(encoding="utf-8")) > 20


def test_a_wrong_answer_on_a_page_is_noticed() -> None:
    with pytest.raises(AssertionError):
        run_page("```python\nx = 1\n```\n\n```python\n>>> x\n2\n```\n")


def test_the_lines_of_the_page_are_not_longer_than_those_of_programs() -> None:
    text = PAGE.read_text(encoding="utf-8").splitlines()
    assert [line for line in text if len(line) > 120 and not line.startswith("|")] == []

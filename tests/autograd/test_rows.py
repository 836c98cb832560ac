"""Every numbered row of behaviour has a test that bears its number: the numbers are read from the ids of the tests.

The ids are those that pytest gives: modules are imported, and the marks of their test functions are read.
"""

from __future__ import annotations

import importlib
import re
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

TESTS = Path(__file__).parents[1]
FOLDERS = ("autograd", "func")

STATEMENTS = {str(n) for n in range(1, 56)} - {"34", "38", "43", "49", "55"}
"""The documented statements, without the one about GPUs and those that are only text."""

CORNER_CASES = {"B1": 30, "B2": 18, "B3": 13, "B4": 8, "B5": 14, "B6": 24, "B7": 11, "B8": 10}
"""How many rows each group has: B1.1 to B1.30, and so on."""

WANTED = STATEMENTS | {f"{group}.{n}" for group, count in CORNER_CASES.items() for n in range(1, count + 1)}
NOT_ALWAYS = {"browser", "gpu", "notebook", "skip", "slow", "xfail"}
NUMBER = re.compile(r"(?<![\w.])(B\d+\.\d+|(?<![^-])\d+(?= ))(?![\w.])")


def modules() -> Iterator[types.ModuleType]:
    for folder in FOLDERS:
        for path in sorted((TESTS / folder).rglob("test_*.py")):
            name = ".".join(("tests", *path.relative_to(TESTS).with_suffix("").parts))
            if name != __name__:
                yield sys.modules.get(name) or importlib.import_module(name)


def ids(mark: pytest.Mark) -> Iterator[str]:
    """The ids that one parametrisation gives, as far as they are words: what objects give holds no number."""
    given = mark.kwargs.get("ids")
    for n, value in enumerate(mark.args[1]):
        whole = isinstance(value, type(pytest.param()))
        values = value.values if whole else _row(mark, value)
        if whole and value.id is not None:
            yield str(value.id)
        elif given is None or callable(given):
            yield "-".join(_word(v, given(v) if given else None) for v in values)
        else:
            yield str(list(given)[n])


def _word(value: object, chosen: object) -> str:
    return str(chosen) if chosen is not None else value if isinstance(value, str) else ""


def _row(mark: pytest.Mark, value: Any) -> tuple[Any, ...]:
    names = mark.args[0]
    several = len(names.split(",") if isinstance(names, str) else names) > 1
    return tuple(value) if several else (value,)


def numbers_of(module: types.ModuleType) -> set[str]:
    """The row numbers in the ids of those tests of a module that run every time."""
    tests = [thing for name, thing in vars(module).items() if name.startswith("test_")]
    marked = [getattr(test, "pytestmark", []) for test in tests]
    usual = [marks for marks in marked if not {mark.name for mark in marks} & NOT_ALWAYS]
    marks = [mark for marks in usual for mark in marks if mark.name == "parametrize"]
    return {number for mark in marks for text in ids(mark) for number in NUMBER.findall(text)}


def test_every_row_has_a_test_that_bears_its_number() -> None:
    missing = WANTED - set().union(*map(numbers_of, modules()))
    assert not missing, f"no test has the id of {sorted(missing)}"


def test_there_are_no_rows_beyond_the_list() -> None:
    """A number that is mistyped stands for no row."""
    found = set().union(*map(numbers_of, modules()))
    assert not {number for number in found if number.startswith("B")} - WANTED


# -------------------------------------------------------------------------------- the reading of ids


@pytest.mark.parametrize(
    ("given", "numbers"),
    [
        ({"argvalues": [pytest.param(1, id="B5.3 too few"), 2], "ids": None}, {"B5.3"}),
        ({"argvalues": [1, 2], "ids": ["7 a node", "B6.24"]}, {"7", "B6.24"}),
        ({"argvalues": [1, 2], "ids": lambda v: f"B1.{v} words B1.x"}, {"B1.1", "B1.2"}),
        ({"argvalues": ["B1.1", 2], "ids": lambda v: None}, {"B1.1"}),
        ({"argvalues": ["B2.1", "xB2.2", "B2.3.4", "B2"], "ids": None}, {"B2.1"}),
        ({"argvalues": ["3", "x 4 y", "v5 z"], "ids": None}, set()),
    ],
)
def test_ids_are_read_as_pytest_makes_them(given: dict[str, Any], numbers: set[str]) -> None:
    @pytest.mark.parametrize("one", given["argvalues"], ids=given["ids"])
    def test_something(one: object) -> None: ...

    module = types.ModuleType("planted")
    module.test_something = test_something
    assert numbers_of(module) == numbers


def test_tests_that_do_not_always_run_do_not_count() -> None:
    @pytest.mark.slow
    @pytest.mark.parametrize("one", ["B1.1"])
    def test_something(one: object) -> None: ...

    module = types.ModuleType("planted")
    module.test_something = test_something
    assert numbers_of(module) == set()


def test_a_number_in_the_text_alone_does_not_count() -> None:
    module = types.ModuleType("planted", "B1.1")
    module.test_b = lambda: "B1.2"
    assert numbers_of(module) == set()

"""What a student sees: the public tests on the own file, points so far, a hint for each test that fails."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

from ..errors import ExerciseError
from .grade import Grader, collect
from .intake import Entry
from .results import Exercise, Grade, Test, TestResult, load_exercise, points_text

__all__ = ["check", "coloured"]

KEY = b"tensorplay check"  # a student's numbers may be known: they repeat until the test passes


def check(target: str | Path) -> tuple[str, bool]:
    """The text to print for a folder, or a file in it, and whether all public tests pass."""
    target = Path(target)
    if not target.exists():
        raise ExerciseError(f"there is no {target}")
    exercise = load_exercise(target if target.is_dir() else target.parent)
    file = target if target.is_file() else own_file(exercise)
    every = collect(exercise)
    tests = tuple(test for test in every if not test.hidden)
    grader = Grader(exercise, tests, KEY, public_only=True)
    grade = grader.grade(Entry("you", file))
    if grader.problems:
        raise ExerciseError("the tests could not be run: " + "\n".join(grader.problems))
    passed = all(result.passed for _, result in grade.rows())
    return "\n".join([*_head(exercise, grade), *_body(grade), *_foot(exercise, grade, len(every) - len(tests))]), passed


def own_file(exercise: Exercise) -> Path:
    """The student's file: the newer one if there are a script and a notebook."""
    names = [exercise.folder / f"{exercise.module}{suffix}" for suffix in (".py", ".ipynb")]
    files = [path for path in names if path.is_file()]
    if not files:
        raise ExerciseError(f"{exercise.folder} holds no {names[0].name} and no {names[1].name}")
    return max(files, key=lambda path: path.stat().st_mtime)


def _head(exercise: Exercise, grade: Grade) -> list[str]:
    passed = sum(result.passed for _, result in grade.rows())
    points = f"{points_text(grade.points)} of {points_text(grade.most)} points so far"
    return [f"{exercise.title} · {grade.file}", f"{passed} of {len(grade.tests)} public tests pass, {points}", ""]


def _body(grade: Grade) -> list[str]:
    if grade.verdict == "unreadable" or _same_failure(grade):
        return [f"  ✗ {grade.rows()[0][1].reason if grade.tests else grade.reason}", ""]
    lines: list[str] = []
    for test, result in grade.rows():
        lines += _test_lines(test, result)
    return [*lines, ""]


def _same_failure(grade: Grade) -> bool:
    """Whether the file as a whole could not be run, which is one thing to say and not one per test."""
    rows = [result for _, result in grade.rows()]
    return len(rows) > 1 and len({row.reason for row in rows}) == 1 and rows[0].kind not in ("passed", "failed")


def _test_lines(test: Test, result: TestResult) -> list[str]:
    worth = f"({points_text(test.points)})"
    if result.passed:
        return [f"  ✓ {test.title} {worth}"]
    lines = [f"  ✗ {test.title} {worth}", *_indented(result.reason)]
    if result.output:
        lines += ["      it printed:", *_indented(result.output.rstrip(), "      | ")]
    return lines + ([f"      hint: {test.hint}"] if test.hint else [])


def _indented(text: str, indent: str = "      ") -> list[str]:
    wrapper = textwrap.TextWrapper(100, initial_indent=indent, subsequent_indent=indent)
    return [part for line in text.splitlines()[:12] for part in wrapper.wrap(line)]


def _foot(exercise: Exercise, grade: Grade, hidden_here: int) -> list[str]:
    hidden = hidden_here or exercise.hidden
    if not hidden:
        return ["There are no hidden tests: these are all the tests that count."]
    left = "" if exercise.total is None else f", worth {points_text(exercise.total - grade.most)} points,"
    some = "1 hidden test" if hidden == 1 else f"{hidden} hidden tests"
    return [f"{some}{left} run when this is graded. They are not run or shown here."]


def coloured(text: str) -> str:
    """The same text with colours for a terminal."""
    text = re.sub(r"^( +)✓", "\\1\x1b[32m✓\x1b[0m", text, flags=re.M)
    text = re.sub(r"^( +)✗(.*)$", "\\1\x1b[31m✗\x1b[0m\x1b[1m\\2\x1b[0m", text, flags=re.M)
    return re.sub(r"^( +)hint:", "\\1\x1b[36mhint:\x1b[0m", text, flags=re.M)

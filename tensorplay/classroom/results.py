"""What grading is about and what it finds: exercises, tests, results. Plain records, no behaviour to speak of."""

from __future__ import annotations

import tomllib
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ..errors import ExerciseError
from .student import Limits

__all__ = ["Exercise", "Grade", "Test", "TestResult", "load_exercise", "points_text"]


@dataclass(frozen=True)
class Exercise:
    """An exercise folder and what its `exercise.toml` says."""

    folder: Path
    title: str
    module: str = "exercise"
    summary: str = ""
    limits: Limits = field(default_factory=Limits)
    total: float | None = None
    hidden: int = 0

    @property
    def tests(self) -> Path:
        """The one test file."""
        return self.folder / "test_exercise.py"


@dataclass(frozen=True)
class Test:
    """One collected test."""

    __test__ = False  # for pytest: this is no test class

    name: str
    title: str
    points: float = 1.0
    hidden: bool = False
    hint: str = ""
    task: str = ""
    seconds: float | None = None


@dataclass(frozen=True)
class TestResult:
    """What became of one test.

    `kind` is `passed`, `failed`, `skipped`, `missing`, `cannot run` (the submission as a whole), or the name of
    the `StudentFailure` that ended it.
    """

    __test__ = False

    name: str
    kind: str
    reason: str = ""
    where: str = ""
    output: str = ""

    @property
    def passed(self) -> bool:
        """Whether the test gives its points."""
        return self.kind == "passed"


@dataclass(frozen=True)
class Grade:
    """One row: a submission, its points, and one sentence why."""

    student: str
    file: str
    sha256: str
    verdict: str
    reason: str
    tests: tuple[Test, ...]
    results: tuple[TestResult, ...]

    @property
    def points(self) -> float:
        """The points of the tests that passed."""
        return sum(test.points for test, result in self.rows() if result.passed)

    @property
    def most(self) -> float:
        """The points of all tests."""
        return sum(test.points for test in self.tests)

    def rows(self) -> list[tuple[Test, TestResult]]:
        """Every test with its result; a test without one counts as missing: N results for N tests."""
        found = {result.name: result for result in self.results}
        missing = "this test gave no result"
        return [(test, found.get(test.name, TestResult(test.name, "missing", missing))) for test in self.tests]

    def record(self) -> dict[str, Any]:
        """The student's JSON: no times, and nothing of a hidden test but its title, hint and kind of failure."""
        return {
            "student": self.student,
            "file": self.file,
            "sha256": self.sha256,
            "verdict": self.verdict,
            "reason": self.reason,
            "points": self.points,
            "max_points": self.most,
            "tests": [_row(test, result) for test, result in self.rows()],
        }


def _row(test: Test, result: TestResult) -> dict[str, Any]:
    row: dict[str, Any] = {"test": test.title, "task": test.task, "hidden": test.hidden, "result": result.kind}
    row |= {"points": test.points if result.passed else 0.0, "max_points": test.points}
    if not result.passed:
        row["hint"] = test.hint
    if not test.hidden:
        row |= {key: value for key, value in asdict(result).items() if key in ("reason", "where", "output") and value}
    return row


def points_text(points: float) -> str:
    """Points as people write them: 3, 2.5, 0.333.

    >>> points_text(3.0), points_text(2.50), points_text(1 / 3)
    ('3', '2.5', '0.333')
    """
    return f"{points:.3f}".rstrip("0").rstrip(".")


# ----------------------------------------------------------------------------------------- exercise


def _below(folder: Path) -> str:
    """The exercises one level down, for someone who stands a folder too high."""
    names = sorted(path.parent.name for path in folder.glob("*/exercise.toml"))
    return f". Exercises in it: {', '.join(names)}" if names else ""


def load_exercise(folder: str | Path) -> Exercise:
    """Read an exercise folder. Raises `ExerciseError` that names what is missing or wrong."""
    folder = Path(folder).resolve()
    for name in ("exercise.toml", "test_exercise.py"):
        if not (folder / name).is_file():
            raise ExerciseError(f"{folder} is no exercise folder: it has no {name}{_below(folder)}")
    try:
        data = tomllib.loads((folder / "exercise.toml").read_text(encoding="utf-8"))
        limits = Limits(**_numbers(data, "limits", ("seconds", "memory", "output")))
        total = _numbers(data, "points", ("total",)).get("total")
        hidden = int(_numbers(data, "hidden", ("tests",)).get("tests", 0))
        title, module = str(data["title"]), str(data.get("module", "exercise"))
    except KeyError as error:
        raise ExerciseError(f"{folder / 'exercise.toml'}: there is no {error}") from error
    except (TypeError, ValueError) as error:
        raise ExerciseError(f"{folder / 'exercise.toml'}: {error}") from error
    if not module.isidentifier():
        raise ExerciseError(f"{folder / 'exercise.toml'}: module is a name without ending, not {module!r}")
    return Exercise(folder, title, module, str(data.get("summary", "")), limits, total, hidden)


def _numbers(data: dict[str, Any], table: str, names: tuple[str, ...]) -> dict[str, Any]:
    values = data.get(table, {})
    for name, value in values.items():
        if name not in names:
            raise ValueError(f"[{table}] has no {name!r}; it knows {', '.join(names)}")
        if type(value) not in (int, float) or value < 0:
            raise ValueError(f"[{table}] {name} is a number, not {value!r}")
    return dict(values)

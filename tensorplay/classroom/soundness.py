"""Is an exercise sound? The solution passes everything, the stub earns nothing, every wrong solution is caught."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..errors import ExerciseError
from .grade import Grader, collect
from .intake import Entry, Submission, read_submission
from .release import student_files, student_form
from .results import Grade, load_exercise, points_text

__all__ = ["Soundness", "check_solution", "sound"]

KEY = b"tensorplay sound"


@dataclass(frozen=True)
class Soundness:
    """The three proofs, and what is wrong, in words; nothing when the exercise is sound."""

    solution: Grade
    stub: Grade
    wrong: dict[str, Grade]
    problems: tuple[str, ...]

    def __bool__(self) -> bool:
        return not self.problems


def sound(exercise_folder: str | Path) -> Soundness:
    """Grade the solution, the students' stub and every file of `wrong/`, and say what does not come out right.

    Raises `ExerciseError` if the tests cannot be collected, `ReleaseError` if the solution would leak.
    """
    exercise = load_exercise(exercise_folder)
    student_files(exercise.folder)
    grader = Grader(exercise, collect(exercise), KEY)
    source = read_submission(exercise.folder / "exercise.py")
    solution = grader.grade_text("solution", source)
    stub = grader.grade_text("stub", Submission(student_form(source.text), source.filename, "stub"))
    files = sorted((exercise.folder / "wrong").glob("*.py"))
    wrong = {file.stem: grader.grade(Entry(file.stem, file)) for file in files}
    problems = [*grader.problems, *_of_solution(solution), *_of_stub(stub), *_of_wrong(wrong)]
    return Soundness(solution, stub, wrong, tuple(problems))


def check_solution(grader: Grader) -> None:
    """Grade the teacher's own solution. Raises `ExerciseError` when it does not get every point."""
    path = grader.exercise.folder / "exercise.py"
    if not path.is_file():
        return
    problems = _of_solution(grader.grade(Entry("the solution", path)))
    if problems or grader.problems:
        problems = ["nothing was graded: the solution fails its own tests", *problems, *grader.problems]
        raise ExerciseError("\n".join(problems))


def _of_solution(grade: Grade) -> list[str]:
    return [f"the solution fails {test.name}: {result.reason}" for test, result in grade.rows() if not result.passed]


def _of_stub(grade: Grade) -> list[str]:
    earned = [(test.name, test.points) for test, result in grade.rows() if result.passed and test.points]
    return [f"the stub gets {points_text(points)} points for {name}" for name, points in earned]


def _of_wrong(wrong: dict[str, Grade]) -> list[str]:
    problems = [] if wrong else ["there is no wrong solution in wrong/: nothing shows that the tests can fail"]
    for name, grade in wrong.items():
        if grade.points >= grade.most:
            problems.append(f"wrong/{name}.py gets all {points_text(grade.most)} points: a test is missing")
        elif not grade.points:
            problems.append(f"wrong/{name}.py gets no points at all ({grade.reason}): make it wrong in one thing only")
    return problems

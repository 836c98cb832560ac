"""`tensorplay grade` for teachers and `tensorplay check` for students."""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..errors import ClassroomError

__all__ = ["register"]

RAN, FAILED, UNABLE = 0, 1, 2
MOST_LINES, WIDEST = 60, 40  # students named on the screen, and how much of a name


def register(subparsers: Any) -> None:
    """Add the two commands to the `tensorplay` command line."""
    grade = subparsers.add_parser(
        "grade",
        help="grade a folder of submissions",
        description="Grade a folder of submissions: JSON per student, grades.csv and report.html. "
        "Status 0: every submission was graded. 1: the grader failed on some. 2: it could not start.",
    )
    grade.add_argument("submissions", type=Path, help="one .py or .ipynb file, or one folder, per student")
    grade.add_argument("-a", "--assignment", type=Path, required=True, help="the exercise folder with its solution")
    grade.add_argument("-o", "--output", type=Path, required=True, help="the folder for results; made if missing")
    grade.add_argument("--key", type=Path, help="file with the course key; without it OUT/course.key is made and kept")
    grade.add_argument("-j", "--jobs", type=int, default=0, help="submissions at a time; by default one per processor")
    grade.add_argument("--skip-solution", action="store_true", help="do not grade the teacher's solution first")
    grade.set_defaults(run=run_grade)
    check = subparsers.add_parser(
        "check",
        help="run the public tests on your own solution",
        description="Run the public tests. Status 0: all pass. 1: some do not. 2: they could not be run.",
    )
    check.add_argument("folder", type=Path, nargs="?", default=Path(), help="the exercise folder, or your file in it")
    check.set_defaults(run=run_check)


def _needs_pytest(command: Callable[[argparse.Namespace], int]) -> Callable[[argparse.Namespace], int]:
    """Say in one sentence what is wrong and end with status 2, instead of a traceback."""

    def run(args: argparse.Namespace) -> int:
        # Looked up here: the tests run in a process of their own, whose traceback would arrive instead.
        if importlib.util.find_spec("pytest") is None:
            print(f"pytest is not installed. To get it:  {sys.executable} -m pip install pytest", file=sys.stderr)
            return UNABLE
        try:
            return command(args)
        except (ClassroomError, OSError) as error:
            print(f"tensorplay: {error}", file=sys.stderr)
        return UNABLE

    return run


@_needs_pytest
def run_grade(args: argparse.Namespace) -> int:
    """Grade every submission and write the results."""
    from . import grade, report, results, soundness
    from .intake import entries

    exercise = results.load_exercise(args.assignment)
    submissions = grade.checked_folder(args.submissions, args.output)
    _make_output(args.output)
    grader = grade.Grader(exercise, grade.collect(exercise), grade.course_key(args.key, args.output))
    if not args.skip_solution:
        soundness.check_solution(grader)
    total = len(entries(submissions, exercise.module, args.output))
    if not total:
        raise ClassroomError(f"{submissions} holds no submissions: a .py or .ipynb file, or a folder, for each student")
    started = time.time()
    with _progress(total) as seen:
        grades = grade.grade_folder(grader, submissions, args.output, args.jobs, seen)
    grade.write_records(grades, args.output)
    report.write_csv(grades, args.output / "grades.csv")
    report.write_html(exercise, grades, grader.isolation, args.output / "report.html")
    _journal(args.output / "journal.txt", started, len(grades), grader.isolation)
    return _summary(grades, grader, args.output)


def _make_output(out: Path) -> None:
    """Find out before the work, not after it, that results cannot be written."""
    (out / "students").mkdir(parents=True, exist_ok=True)
    for folder in (out, out / "students"):
        if not os.access(folder, os.W_OK | os.X_OK):
            raise ClassroomError(f"nothing can be written to {folder}")


def _journal(path: Path, started: float, count: int, isolation: dict[str, str]) -> None:
    """Times and the isolation in force go here, so that the results of a regrade are the same bytes."""
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(started))
    rung = "; ".join(f"{aspect}: {text}" for aspect, text in sorted(isolation.items()))
    with path.open("a", encoding="utf-8") as stream:
        stream.write(f"{when}  {count} submissions in {time.time() - started:.1f} s  [{rung}]\n")


def _summary(grades: list[Any], grader: Any, out: Path) -> int:
    from .results import points_text

    width = min(max((len(grade.student) for grade in grades), default=0), WIDEST)
    for grade in grades[:MOST_LINES]:
        name = grade.student if len(grade.student) <= width else grade.student[: width - 1] + "…"
        points = f"{points_text(grade.points):>6} / {points_text(grade.most)}"
        print(f"{name:<{width}} {points}  {grade.reason.partition(chr(10))[0]}")
    more = f" ({len(grades) - MOST_LINES} more are in the report)" if len(grades) > MOST_LINES else ""
    print(f"\n{len(grades)} submissions{more}. Report: {out / 'report.html'}   Table: {out / 'grades.csv'}")
    for note in _notes(grader):
        print(f"note on student code: {note}")
    for problem in grader.problems:
        print(f"grader problem: {problem}", file=sys.stderr)
    return FAILED if grader.problems else RAN


def _notes(grader: Any) -> list[str]:
    """What this system, or where the files lie, leaves open to student code."""
    notes = [
        f"{aspect}: {text}"
        for aspect, text in sorted(grader.isolation.items())
        if "NOT" in text or text.startswith(("root", "the same"))
    ]
    folder = grader.exercise.folder
    visible = {sys.prefix, sys.base_prefix, str(Path(__file__).parents[1])}
    if any(folder.is_relative_to(Path(root).resolve()) for root in visible):
        notes.append(f"files: it can read {folder}, which lies among Python's own files; grade from another place")
    return notes


@contextmanager
def _progress(total: int) -> Iterator[Callable[[Any], None]]:
    """A progress bar by rich on a terminal, else a line every tenth of the way."""
    if sys.stderr.isatty():
        try:
            from rich.console import Console
            from rich.markup import escape
            from rich.progress import Progress
        except ImportError:
            pass
        else:
            with Progress(console=Console(stderr=True), transient=True) as bar:
                task = bar.add_task("grading", total=total)
                yield lambda grade: bar.update(task, advance=1, description=f"graded {escape(grade.student[:24])}")
            return
    done = 0

    def line(grade: Any) -> None:
        nonlocal done
        done += 1
        if done % max(total // 10, 1) == 0 or done == total:
            print(f"graded {done} of {total}", file=sys.stderr, flush=True)

    yield line


# ------------------------------------------------------------------------------------------- check


@_needs_pytest
def run_check(args: argparse.Namespace) -> int:
    """Run the public tests on the student's own file and say what to do next."""
    from . import check

    told, passed = check.check(args.folder)
    colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    print(check.coloured(told) if colour else told)
    return RAN if passed else FAILED

"""Grade a folder of submissions: collect the tests once, run one trusted process a submission, write it all down.

Nothing here runs or imports student code. A submission that cannot be read gets a row with 0 points and a
reason; a grader process that fails gets a row that says so, and the exit status tells it from a bad mark.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import os
import secrets
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ..errors import ClassroomError, ExerciseError, SubmissionError
from .hosts import run
from .intake import Entry, Submission, entries, printable, read_submission
from .results import Exercise, Grade, Test, TestResult, points_text
from .student import LOAD_SECONDS, START_SECONDS

__all__ = ["Grader", "collect", "course_key", "grade_folder"]

KEY_NAME, KEY_VARIABLE = "course.key", "TENSORPLAY_COURSE_KEY"


# -------------------------------------------------------------------------------------------- tests


def collect(exercise: Exercise, public_only: bool = False) -> tuple[Test, ...]:
    """The tests of an exercise. Raises `ExerciseError` if they cannot be collected or the points do not add up."""
    lines = run({**_job(exercise, b"", public_only), "submission": None}, 120.0)
    problems = [problem for line in lines for problem in line.get("problems", [])]
    if problems or not any("end" in line for line in lines):
        detail = "\n".join(problems) or "the process that reads them stopped"
        raise ExerciseError(f"{exercise.tests}: the tests cannot be collected:\n{detail}")
    tests = tuple(Test(**test) for line in lines for test in line.get("tests", []))
    if not tests and not public_only:
        raise ExerciseError(f"{exercise.tests} holds no tests")
    total = sum(test.points for test in tests)
    if not public_only and not exercise.hidden and exercise.total is not None and abs(total - exercise.total) > 1e-9:
        told = f"the tests give {points_text(total)} points, exercise.toml says {points_text(exercise.total)}"
        raise ExerciseError(f"{exercise.folder.name}: {told}")
    return tests


def _job(exercise: Exercise, key: bytes, public_only: bool) -> dict[str, Any]:
    job = {"folder": str(exercise.folder), "key": key.hex(), "public_only": public_only}
    return job | {"limits": asdict(exercise.limits), "cpu": 600}


# ------------------------------------------------------------------------------------------ grading


@dataclass
class Grader:
    """Grades single submissions of one exercise; `isolation` is what the last worker reported."""

    exercise: Exercise
    tests: tuple[Test, ...]
    key: bytes
    public_only: bool = False
    isolation: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def grade(self, entry: Entry) -> Grade:
        """The row of one entry. Never raises for what a student did."""
        if entry.path is None:
            return self._unread(entry, "missing", entry.reason)
        try:
            submission = read_submission(entry.path)
        except SubmissionError as error:
            return self._unread(entry, "unreadable", str(error))
        return self.grade_text(entry.student, submission)

    def grade_text(self, student: str, submission: Submission) -> Grade:
        """The row of a submission that has been read."""
        where = f"{self.exercise.folder.name}\0{student}\0{submission.sha256}"
        key = hmac.new(self.key, where.encode(), hashlib.sha256).digest()
        seconds = [test.seconds or self.exercise.limits.seconds for test in self.tests]
        job = _job(self.exercise, key, self.public_only)
        job |= {"cpu": int(sum(seconds) + LOAD_SECONDS) + 5, "submission": asdict(submission)}
        lines = run(job, 2 * sum(seconds) + START_SECONDS + (LOAD_SECONDS + 5) * (len(seconds) + 1))
        results = tuple(TestResult(**line["result"]) for line in lines if "result" in line)
        problems = [problem for line in lines for problem in line.get("problems", [])]
        self.isolation = next((line["isolation"] for line in lines if line.get("isolation")), self.isolation)
        if problems:
            self.problems += [f"{student}: {problem}" for problem in problems]
            reason = "the grader failed here, this is not the student's mark: " + problems[0].strip().splitlines()[-1]
            return Grade(student, submission.filename, submission.sha256, "not graded", reason, self.tests, results)
        draft = Grade(student, submission.filename, submission.sha256, "", "", self.tests, results)
        verdict, reason = _sentence(draft)
        return Grade(student, submission.filename, submission.sha256, verdict, reason, self.tests, results)

    def _unread(self, entry: Entry, verdict: str, reason: str) -> Grade:
        results = tuple(TestResult(test.name, "missing", reason) for test in self.tests)
        file = printable(entry.path.name) if entry.path else ""
        return Grade(entry.student, file, "", verdict, printable(reason), self.tests, results)


def _sentence(grade: Grade) -> tuple[str, str]:
    """The verdict in a word and the reason in a sentence, which tells nothing of what a hidden test asks."""
    rows = grade.rows()
    failed = [(test, result) for test, result in rows if not result.passed]
    if not failed:
        return "full", f"all {len(rows)} tests pass"
    if all(result.kind == "cannot run" for _, result in rows):
        return "cannot run", rows[0][1].reason
    head = f"{len(rows) - len(failed)} of {len(rows)} tests pass"
    kinds = Counter(result.kind for _, result in failed)
    counted = ", ".join(f"{count} {PLAIN.get(kind, kind)}" for kind, count in sorted(kinds.items()))
    told = next((f"; first: {_first_line(result.reason)}" for test, result in failed if not test.hidden), "")
    return "partial" if grade.points else "zero", f"{head} ({counted}){told}"


PLAIN = {
    "failed": "wrong",
    "missing": "without a result",
    "skipped": "skipped",
    "BadResult": "with a result of a wrong kind",
    "MemoryLimit": "out of memory",
    "MissingFunction": "without the function",
    "OutputLimit": "with too much output",
    "StudentCrashed": "crashed",
    "StudentError": "with an error",
    "StudentExited": "ended by exit",
    "StudentFailure": "not run",
    "StudentTimeout": "out of time",
}


def _first_line(text: str) -> str:
    line = text.strip().partition("\n")[0]
    return line if len(line) <= 200 else line[:200] + "…"


# ----------------------------------------------------------------------------------------- a folder


def course_key(given: Path | None, out: Path) -> bytes:
    """The secret behind the tests' inputs: a file, the environment, or a new one kept beside the results."""
    if given:
        return hashlib.sha256(given.read_bytes().strip()).digest()
    if os.environ.get(KEY_VARIABLE):
        return hashlib.sha256(os.environ[KEY_VARIABLE].encode()).digest()
    path = out / KEY_NAME
    if not path.exists():
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as stream:
            stream.write(secrets.token_hex(32) + "\n")
    return hashlib.sha256(path.read_bytes().strip()).digest()


def grade_folder(
    grader: Grader, submissions: Path, out: Path, jobs: int = 0, seen: Callable[[Grade], None] | None = None
) -> list[Grade]:
    """Every submission of a folder, in sorted order, a few at a time. `seen` is called as each one is done."""
    found = entries(submissions, grader.exercise.module, out)
    jobs = jobs or min(os.cpu_count() or 1, 8)
    with ThreadPoolExecutor(max(jobs, 1)) as pool:
        try:
            return list(_watched(pool.map(grader.grade, found), seen))
        except BaseException:  # Ctrl-C: finish what is running, start nothing more
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _watched(grades: Iterable[Grade], seen: Callable[[Grade], None] | None) -> Iterable[Grade]:
    for grade in grades:
        if seen:
            seen(grade)
        yield grade


def write_records(grades: list[Grade], out: Path) -> None:
    """One JSON file a student, in `students/`. Files of students who are no longer there are removed."""
    folder = out / "students"
    folder.mkdir(parents=True, exist_ok=True)
    names = {file_name(grade.student): grade for grade in grades}
    for old in folder.glob("*.json"):
        if old.name not in names:
            with contextlib.suppress(OSError):
                old.unlink()
    for name, grade in names.items():
        text = json.dumps(grade.record(), indent=2, ensure_ascii=False) + "\n"
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


def file_name(student: str) -> str:
    """A file name for a student; a hash replaces what a file system would not take."""
    if len(student.encode()) > 200 or any(char in student for char in '/\\:*?"<>|') or not student.strip("."):
        return hashlib.sha256(student.encode()).hexdigest()[:24] + ".json"
    return student + ".json"


def checked_folder(path: Path, out: Path) -> Path:
    """The folder of submissions. Raises `ClassroomError` if it is not there, or is that of the results."""
    if not path.is_dir():
        raise ClassroomError(f"there is no folder {path}")
    if path.resolve() == out.resolve():
        raise ClassroomError(f"{out} holds the submissions; results go to a folder of their own")
    return path

"""The pytest plugin that turns a teacher's test file into points.

It runs in a trusted process of its own (`runner.py`), one a submission. Markers: points, hidden, hint,
timeout, task. Fixtures: `student`, calls into the worker, and `rng`, numbers that nobody can foresee and that
are the same on a regrade. Every test reports once; what does not report counts as missing, with 0 points.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ..errors import ClassroomError, StudentFailure
from .results import Test, TestResult
from .student import Session, Student, clean

__all__ = ["GradingPlugin", "run_tests"]

MARKERS = (
    "points(n): points for this test, all or nothing; 1 without the marker",
    "hidden: runs only when the teacher grades; students never see it",
    "hint(text): shown to the student when the test fails",
    "timeout(seconds): wall time for all calls into student code in this test",
    "task(name): tests with the same name are shown together",
)
SHOWN_REASON = 1200
LONG_TEXT = 400  # characters


class GradingPlugin:
    """Collects the tests, hands out the fixtures and passes one result per test to `tell`."""

    def __init__(
        self, session: Session | None, key: bytes, public_only: bool, tell: Callable[[TestResult], None]
    ) -> None:
        self.session = session
        self.key = key
        self.public_only = public_only
        self.tell = tell
        self.tests: list[Test] = []
        self.on_collected: Callable[[list[Test]], None] = lambda tests: None
        self.problems: list[str] = []
        self._results: dict[str, TestResult] = {}

    # ---- collection

    def pytest_configure(self, config: pytest.Config) -> None:
        """Make the markers known, so that a misspelt one is an error."""
        for line in MARKERS:
            config.addinivalue_line("markers", line)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Note every test; leave the hidden ones out when a student checks, else run them last.

        After a hidden test nothing that student code says is shown: it could be what that test has sent.
        """
        if self.public_only:
            hidden = [item for item in items if item.get_closest_marker("hidden")]
            config.hook.pytest_deselected(items=hidden)
            items[:] = [item for item in items if item not in hidden]
        self.tests = [_describe(item) for item in items]
        self.on_collected(self.tests)
        items.sort(key=lambda item: item.get_closest_marker("hidden") is not None)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A test file that cannot be collected is the teacher's problem, never a student's 0."""
        if report.failed:
            self.problems.append(str(report.longrepr))

    def pytest_internalerror(self, excrepr: Any) -> None:
        """Remember what broke pytest itself."""
        self.problems.append(str(excrepr))

    # ---- running

    @pytest.hookimpl(tryfirst=True)
    def pytest_assertrepr_compare(self, op: str, left: object, right: object) -> list[str] | None:
        """Say where two long texts part; pytest would compare all lines with all lines, which can take hours."""
        if op != "==" or type(left) is not str or type(right) is not str or min(len(left), len(right)) < LONG_TEXT:
            return None
        pairs = zip(left, right, strict=False)
        at = next((place for place, (a, b) in enumerate(pairs) if a != b), min(len(left), len(right)))
        return [f"the texts differ from character {at} on: {left[at : at + 40]!r} where {right[at : at + 40]!r} is due"]

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
        """Turn the three phases of a test into one result: the first phase that did not pass decides."""
        outcome: Any = yield
        report: pytest.TestReport = outcome.get_result()
        name = _name(item)
        result = self._judge(name, report, call)
        before = self._results.get(name)
        if before is None or before.passed or before.kind == "missing":
            self._results[name] = result
        if report.when == "teardown":
            self.tell(self._results.pop(name))

    def _judge(self, name: str, report: pytest.TestReport, call: pytest.CallInfo[None]) -> TestResult:
        output = self.session.output() if self.session else ""
        error = call.excinfo.value if call.excinfo else None
        if isinstance(error, StudentFailure):
            whole = self.session is not None and error is self.session.broken
            kind = "cannot run" if whole else type(error).__name__
            return TestResult(name, kind, str(error), error.where, clean(output, 4000))
        if isinstance(error, ClassroomError):
            self.problems.append(str(error))
        if report.failed:
            return TestResult(name, "failed", _reason(report), "", clean(output, 4000))
        passed = report.passed and not hasattr(report, "wasxfail")
        before = self._results.get(name)
        if report.when == "setup" and passed:
            return TestResult(name, "missing", "the test did not run")
        if report.when == "teardown" and passed and before:
            return before
        return TestResult(name, "passed") if passed else TestResult(name, "skipped", _reason(report) or "skipped")

    @pytest.fixture
    def student(self, request: pytest.FixtureRequest) -> Student:
        """The submission: `student.f(x)` runs the student's `f` in the worker."""
        if self.session is None:
            raise ClassroomError("tests are only collected here, not run")
        name = _name(request.node)
        self.session.begin(int.from_bytes(self._digest("student", name)[:4]), _seconds(request.node))
        return Student(self.session)

    @pytest.fixture
    def rng(self, request: pytest.FixtureRequest) -> np.random.Generator:
        """Numbers from the course key, the exercise, the student, the submission and this test."""
        return np.random.default_rng(int.from_bytes(self._digest("inputs", _name(request.node))))

    def _digest(self, purpose: str, name: str) -> bytes:
        return hmac.new(self.key, f"{purpose}\0{name}".encode(), hashlib.sha256).digest()


def _name(item: Any) -> str:
    """The test's name without its file."""
    return str(item.nodeid).partition("::")[2]


def _describe(item: pytest.Item) -> Test:
    text = (getattr(getattr(item, "obj", None), "__doc__", "") or "").strip().partition("\n")[0]
    case = f" [{item.callspec.id}]" if hasattr(item, "callspec") else ""
    return Test(
        name=_name(item),
        title=(text.rstrip(".") or item.name.partition("[")[0]) + case,
        points=float(_marker(item, "points", 1.0)),
        hidden=item.get_closest_marker("hidden") is not None,
        hint=str(_marker(item, "hint", "")),
        task=str(_marker(item, "task", "")),
        seconds=_seconds(item),
    )


def _marker(item: Any, name: str, default: Any) -> Any:
    marker = item.get_closest_marker(name)
    if marker is None:
        return default
    if len(marker.args) != 1 or marker.kwargs:
        raise pytest.UsageError(f"{item.nodeid}: the marker {name} takes one value")
    return marker.args[0]


def _seconds(item: Any) -> float | None:
    value = _marker(item, "timeout", None)
    return None if value is None else float(value)


def _reason(report: pytest.TestReport) -> str:
    """The heart of a failure: the message of the assertion, without the traceback into the tests."""
    crash = getattr(report.longrepr, "reprcrash", None)
    skipped = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
    text = crash.message if crash else str(skipped)
    for prefix in ("AssertionError: ", "Failed: ", "Skipped: "):
        text = text.removeprefix(prefix)
    told, mark, _ = text.partition("\nassert ")  # a message written by the teacher says more than what pytest adds
    return clean(told if mark and not text.startswith("assert ") else text, SHOWN_REASON)


def run_tests(tests: Path, scratch: Path, plugin: GradingPlugin, collect_only: bool = False) -> int:
    """pytest on one file, cut off from everything around it: no conftest, no ini file, no cache, no plugins."""
    (scratch / "pytest.ini").write_text("[pytest]\n")
    arguments = ["-c", str(scratch / "pytest.ini"), f"--rootdir={tests.parent}", "--noconftest", "--strict-markers"]
    arguments += ["-p", "no:cacheprovider", "-p", "no:terminal", "--import-mode=importlib", str(tests)]
    arguments += ["-o", "tmp_path_retention_count=0", f"--basetemp={scratch / 'tmp'}"]
    return int(pytest.main(arguments + (["--collect-only"] if collect_only else []), plugins=[plugin]))

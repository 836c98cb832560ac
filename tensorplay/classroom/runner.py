"""The trusted process: `python -m tensorplay.classroom.runner`, one job per line of standard input.

A job is JSON: folder, scratch, key, public_only, limits, cpu, and submission (null: collect the tests only).
One JSON line leaves for the list of tests, one for each result as it is known, one at the end and one when
the child that did the job is gone; so that whatever happens later, what is known is known. Tests run in a
fork of this process, which itself runs none, so no job meets the state that another one left.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import json
import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tensorplay.classroom.intake import Submission
from tensorplay.classroom.plugin import GradingPlugin, run_tests
from tensorplay.classroom.student import Limits, Session

__all__ = ["main"]

Say = Callable[..., None]


def main() -> int:
    """Do jobs until standard input ends. Without fork the first job is the only one."""
    say = _channel()
    if not hasattr(os, "fork"):
        do(json.loads(sys.stdin.readline()), say)
        return 0
    _warm_up()
    while line := sys.stdin.readline():
        job = json.loads(line)
        _preload(Path(job["folder"]) / "test_exercise.py")
        child = os.fork()
        if child == 0:
            _as_child(job, say)
        say(closed=os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    return 0


def _as_child(job: dict[str, Any], say: Say) -> None:
    """Do one job and leave without the parent's exit handlers."""
    status = 1
    try:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        do(job, say)
        status = 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stderr.flush()
        os._exit(status)


def do(job: dict[str, Any], say: Say) -> None:
    """Run one job; tests that fail are results, not errors."""
    session = _session(job)
    key, public_only = bytes.fromhex(job["key"]), job["public_only"]
    plugin = GradingPlugin(session, key, public_only, lambda result: say(result=asdict(result)))
    plugin.on_collected = lambda tests: say(tests=[asdict(test) for test in tests])
    try:
        status = run_tests(Path(job["folder"]) / "test_exercise.py", Path(job["scratch"]), plugin, session is None)
    finally:
        if session:
            session.close()
    if status not in (0, 1, 5) and not plugin.problems:
        plugin.problems.append(f"pytest ended with status {status}")
    say(end=True, problems=plugin.problems, isolation=session.isolation if session else {})


def _channel() -> Say:
    """Keep standard output for our lines; whatever a test prints goes to standard error."""
    stream = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def say(**line: Any) -> None:
        stream.write(json.dumps(line) + "\n")
        stream.flush()

    return say


def _session(job: dict[str, Any]) -> Session | None:
    given = job["submission"]
    if given is None:
        return None
    submission = Submission(given["text"], given["filename"], given["sha256"], tuple(given["cells"]))
    return Session(submission, Limits(**job["limits"]), job["cpu"], job["scratch"])


def _warm_up() -> None:
    """Run pytest on nothing once: that imports all its parts."""
    with tempfile.TemporaryDirectory(prefix="tensorplay-grader-") as scratch:
        nothing = Path(scratch) / "test_nothing.py"
        nothing.write_text("")
        run_tests(nothing, Path(scratch), GradingPlugin(None, b"", False, lambda result: None))


def _preload(tests: Path) -> None:
    """Import what the tests import of tensorplay and NumPy, which every job would do again."""
    with contextlib.suppress(OSError, SyntaxError, ValueError, ImportError):
        for node in ast.walk(ast.parse(tests.read_bytes())):
            names = [item.name for item in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
            for name in names:
                if name.partition(".")[0] in ("tensorplay", "numpy"):
                    importlib.import_module(name)


if __name__ == "__main__":
    sys.exit(main())

"""The trusted process for one submission: `python -m tensorplay.classroom.runner` with a job on standard input.

The job is JSON: folder, key, public_only, limits, cpu, and submission (or null to collect the tests only).
One JSON line leaves for the list of tests, one for each result as it is known, and one at the end; so that
whatever happens later, what is known is known. Nothing else can write to that channel.
"""

from __future__ import annotations

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


def main() -> int:
    """Run one job and end with status 0, also when tests fail."""
    job = json.load(sys.stdin)
    say = _channel()
    session = _session(job)
    key, public_only = bytes.fromhex(job["key"]), job["public_only"]
    plugin = GradingPlugin(session, key, public_only, lambda result: say(result=asdict(result)))
    plugin.on_collected = lambda tests: say(tests=[asdict(test) for test in tests])
    with tempfile.TemporaryDirectory(prefix="tensorplay-grader-") as scratch:
        try:
            status = run_tests(Path(job["folder"]) / "test_exercise.py", Path(scratch), plugin, session is None)
        finally:
            if session:
                session.close()
    if status not in (0, 1, 5) and not plugin.problems:
        plugin.problems.append(f"pytest ended with status {status}")
    say(end=True, problems=plugin.problems, isolation=session.isolation if session else {})
    return 0


def _channel() -> Callable[..., None]:
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
    return Session(submission, Limits(**job["limits"]), job["cpu"])


if __name__ == "__main__":
    sys.exit(main())

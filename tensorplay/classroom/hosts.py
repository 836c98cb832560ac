"""Trusted processes kept warm: each has pytest and NumPy loaded and forks one child per job.

A fork shares no state with the job before it, and costs a tenth of a new interpreter. Where there is no fork
(Windows) every job is a process of its own. The hosts are shared by all who grade, and end with this process.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

__all__ = ["close_all", "run"]

Line = dict[str, Any]
_idle: list[_Host] = []
_lock = threading.Lock()


def run(job: Line, seconds: float) -> list[Line]:
    """The lines that the trusted process says about one job; a line with `problems` if it did not get to the end."""
    with _lock:
        host = _idle.pop() if _idle else None
    host = host or _Host()
    with tempfile.TemporaryDirectory(prefix="tensorplay-grade-", ignore_cleanup_errors=True) as scratch:
        os.chmod(scratch, 0o711)  # a worker that is another user has its folder in there
        lines = host.run({**job, "scratch": scratch}, seconds)
    if host.alive:
        with _lock:
            _idle.append(host)
    return lines


def close_all() -> None:
    """End the hosts that wait for work."""
    with _lock:
        while _idle:
            host = _idle.pop()
            host.close()
            host.noise.close()


atexit.register(close_all)


class _Host:
    """One warm process; `alive` until a job had to be killed."""

    def __init__(self) -> None:
        self.alive = True
        self.noise = tempfile.TemporaryFile()  # noqa: SIM115  (lives as long as the host)
        self.process = subprocess.Popen(
            [sys.executable, "-s", "-P", "-B", "-m", "tensorplay.classroom.runner"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.noise,
            env=_environment(),
            encoding="utf-8",
            start_new_session=True,
        )

    def run(self, job: Line, seconds: float) -> list[Line]:
        """One job, killed when its time is over."""
        quiet = os.fstat(self.noise.fileno()).st_size
        timer = threading.Timer(seconds, self._kill)
        timer.start()
        try:
            lines = self._talk(job)
        finally:
            timer.cancel()
        if not lines or "closed" not in lines[-1]:
            self.close()
        if not any("end" in line for line in lines):
            lines.append({"problems": ["the grading process ended early", *self._said(quiet)]})
        elif any(line.get("problems") for line in lines):
            lines.append({"problems": self._said(quiet)})
        if not self.alive:
            self.noise.close()
        return lines

    def _talk(self, job: Line) -> list[Line]:
        assert self.process.stdin and self.process.stdout
        lines: list[Line] = []
        with contextlib.suppress(OSError, ValueError):
            self.process.stdin.write(json.dumps(job) + "\n")
            self.process.stdin.flush()
            while text := self.process.stdout.readline():
                lines.append(json.loads(text))
                if "closed" in lines[-1]:
                    break
        return lines

    def _said(self, start: int) -> list[str]:
        """What went to standard error during the job."""
        if self.noise.closed:
            return []
        self.noise.seek(start)
        text = self.noise.read().decode("utf-8", "replace").strip()
        return [text[-2000:]] if text else []

    def _kill(self) -> None:
        with contextlib.suppress(OSError):
            if os.name == "posix":
                os.killpg(self.process.pid, signal.SIGKILL)
            else:
                self.process.kill()

    def close(self) -> None:
        """End the process; nobody is served by it any more."""
        self.alive = False
        assert self.process.stdin and self.process.stdout
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(1)
        self._kill()
        self.process.wait()
        self.process.stdout.close()


def _environment() -> dict[str, str]:
    """Ours, without settings that change pytest or Python; one BLAS thread, because a fork keeps only one."""
    root = str(Path(__file__).resolve().parents[2])
    # Where one of these two is set, pytest explains a failed comparison in full: minutes for two long texts.
    unwanted = {"CI", "BUILD_NUMBER"}
    env = {
        name: value
        for name, value in os.environ.items()
        if name not in unwanted and not name.startswith(("PYTEST_", "PYTHON"))
    }
    env |= {"PYTHONPATH": os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])}
    env |= {"PYTHONHASHSEED": "0", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONIOENCODING": "utf-8"}
    return env | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}

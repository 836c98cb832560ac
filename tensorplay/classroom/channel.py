"""The trusted end of one worker: start it, send, receive in time, and end it with all it started.

Nothing here knows what a message means; `student.py` does. A channel that had to be stopped is not used again.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from . import protocol

__all__ = ["Channel", "Limits", "Stopped"]

HERE = Path(__file__).resolve().parent
FILE_SIZE, PROCESSES = 16 << 20, 64
SHOWN_OUTPUT = 2000  # characters kept of what student code prints
LOOK = 0.05  # seconds between two looks at the clock and at the output


@dataclass(frozen=True)
class Limits:
    """What a submission may use: seconds per test, MiB of memory, KiB of output per test."""

    seconds: float = 5.0
    memory: int = 1024
    output: int = 64


class Stopped(Exception):
    """No answer came. The text is `timeout`, `output`, `ended`, or `protocol: ...` with the rule that was broken."""


class Channel:
    """One sandboxed process, our ends of its pipes, and the file it prints into."""

    def __init__(self, limits: Limits, cpu: int, scratch: str | None) -> None:
        self.limit = limits.output << 10
        self.temp = tempfile.mkdtemp(prefix="tensorplay-", dir=scratch)
        self.writer, self.reader = _output_file(scratch)
        setup = asdict(_Setup(str(HERE.parent), self.temp, limits.memory << 20, cpu))
        self.process = subprocess.Popen(
            # -s -P and an environment of our own leave out what -I would, and keep PYTHONHASHSEED
            [sys.executable, "-s", "-P", "-B", str(HERE / "launcher.py"), json.dumps(setup)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.writer,
            env=_environment(self.temp),
            cwd=self.temp,
            start_new_session=True,
        )
        self.inbox: queue.Queue[bytes | protocol.ProtocolError | None] = queue.Queue(maxsize=4)
        self.threads = [threading.Thread(target=self._listen, daemon=True)]
        self.threads[0].start()

    def _listen(self) -> None:
        """Read frames until the end; a thread, because Windows cannot wait for a pipe with a time limit."""
        assert self.process.stdout
        take = self.process.stdout.fileno()
        try:
            while (frame := protocol.read(lambda count: os.read(take, count))) is not None:
                self.inbox.put(frame)
            self.inbox.put(None)
        except protocol.ProtocolError as error:
            self.inbox.put(error)
        except (OSError, ValueError):
            self.inbox.put(None)

    def send(self, frame: bytes) -> None:
        """Write without waiting: a worker that does not read must not hold the grader."""
        assert self.process.stdin
        stream = self.process.stdin

        def write() -> None:
            with contextlib.suppress(OSError, ValueError):
                stream.write(frame)
                stream.flush()

        self.threads[1:] = [threading.Thread(target=write, daemon=True)]
        self.threads[1].start()

    def receive(self, seconds: float, printed_before: int) -> bytes:
        """The next frame; `Stopped` when time or output run out, or the worker ends."""
        deadline = time.monotonic() + seconds
        while True:
            with contextlib.suppress(queue.Empty):
                item = self.inbox.get(timeout=LOOK)
                self._check_output(printed_before)
                if isinstance(item, bytes):
                    return item
                raise Stopped("ended" if item is None else f"protocol: {item}")
            self._check_output(printed_before)
            if time.monotonic() > deadline:
                raise Stopped("timeout")
            if self.process.poll() is not None and self.inbox.empty():
                raise Stopped("ended")

    def _check_output(self, before: int) -> None:
        if self.printed() - before > self.limit:
            raise Stopped("output")

    def printed(self) -> int:
        """How many bytes student code has written so far."""
        return os.fstat(self.reader.fileno()).st_size

    def text(self, start: int) -> str:
        """What was printed from byte `start` on, cut to a readable amount."""
        self.reader.seek(start)
        raw = str(self.reader.read(4 * SHOWN_OUTPUT), "utf-8", "replace")
        return raw if len(raw) <= SHOWN_OUTPUT else raw[:SHOWN_OUTPUT] + "\n[cut here]"

    def status(self) -> int | None:
        """The exit status, if the worker has ended or does so at once."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self.process.wait(2)
        return None

    def stop(self) -> None:
        """End the worker and everything it started, and remove its folder."""
        _end(self.process)
        streams = [self.writer, self.reader]
        if self._threads_end():  # a descriptor closed under a reading thread could be another worker's next
            streams += [self.process.stdin, self.process.stdout]
        for stream in streams:
            with contextlib.suppress(OSError, ValueError):
                stream.close()
        with contextlib.suppress(OSError):
            os.unlink(self.reader.name)  # Windows: an open file cannot be unlinked earlier
        shutil.rmtree(self.temp, ignore_errors=True)

    def _threads_end(self, seconds: float = 2.0) -> bool:
        """Wait for the threads, whose pipes are dead by now, and take from the queue what they still put there."""
        deadline = time.monotonic() + seconds
        while any(thread.is_alive() for thread in self.threads) and time.monotonic() < deadline:
            with contextlib.suppress(queue.Empty):
                self.inbox.get(timeout=0.002)
        return not any(thread.is_alive() for thread in self.threads)


@dataclass
class _Setup:
    """The launcher's argument."""

    package: str
    temp: str
    memory: int
    cpu: int
    file_size: int = FILE_SIZE
    processes: int = PROCESSES


def _output_file(scratch: str | None) -> tuple[Any, Any]:
    """A file without a name to print into: no pipe can fill up, and its size is the amount printed."""
    descriptor, path = tempfile.mkstemp(prefix="tensorplay-output-", dir=scratch)
    os.close(descriptor)
    writer, reader = open(path, "ab"), open(path, "rb")  # noqa: SIM115  (both live as long as the worker)
    with contextlib.suppress(OSError):
        os.unlink(path)
    return writer, reader


def _environment(temp: str) -> dict[str, str]:
    fixed = {
        **{"PATH": os.defpath, "LANG": "C.UTF-8", "PYTHONHASHSEED": "0", "PYTHONIOENCODING": "utf-8"},
        **{"HOME": temp, "TMPDIR": temp, "TEMP": temp, "TMP": temp, "MPLCONFIGDIR": temp, "MPLBACKEND": "agg"},
        "NUMBA_CACHE_DIR": os.path.join(temp, "numba"),  # its own, empty: Numba's cache files are pickles
        **{"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"},
    }
    kept = ("SYSTEMROOT", "LD_LIBRARY_PATH", "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
    return fixed | {name: os.environ[name] for name in kept if name in os.environ}


def _end(process: subprocess.Popen[bytes]) -> None:
    if os.name == "nt":
        subprocess.run(["taskkill", "/T", "/F", "/PID", str(process.pid)], capture_output=True, check=False)
        process.wait()
        return
    process.terminate()  # the supervisor ends all that is below it
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(3)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()

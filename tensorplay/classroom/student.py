"""The trusted end of the channel: start a worker, ask it, and turn all that can go wrong into one clear error.

A `Session` is one submission under grading. Each test calls `begin` first; a worker that was stopped or broke
is then replaced, so that one bad function costs its own tests only. `Student` is what tests see.
"""

from __future__ import annotations

import re
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..errors import (
    BadResult,
    ClassroomError,
    MemoryLimit,
    MissingFunction,
    OutputLimit,
    StudentCrashed,
    StudentError,
    StudentExited,
    StudentFailure,
    StudentTimeout,
)
from . import protocol
from .channel import Channel, Limits, Stopped
from .intake import Submission

__all__ = ["Limits", "Session", "Student"]

START_SECONDS, LOAD_SECONDS = 60.0, 10.0  # for the interpreter and NumPy; for the submission's own imports at least
SHOWN_MESSAGE = 600  # characters kept of what student code says

# ------------------------------------------------------------------------------------------ session


@dataclass
class _Clock:
    """What the running test may still use."""

    seconds: float = 0.0
    used: float = 0.0
    printed: int = 0


@dataclass
class Session:
    """One submission under grading.

    `begin(seed, seconds)` opens a test, `call` and `value` ask student code, `output()` is what the test
    printed, `close()` ends everything. Raises subclasses of `tensorplay.errors.StudentFailure`.
    """

    submission: Submission
    limits: Limits = field(default_factory=Limits)
    cpu: int = 600
    scratch: str | None = None  # where workers get their folders; the system's place for such if None
    isolation: dict[str, str] = field(default_factory=dict)
    _worker: Channel | None = None
    _clock: _Clock = field(default_factory=_Clock)
    broken: StudentFailure | None = None  # why the submission as a whole cannot be run
    _output: str = ""
    _number: int = 0

    def begin(self, seed: int, seconds: float | None = None) -> None:
        """Open a test: a living worker, fresh limits. A submission that cannot be loaded fails here each time."""
        self._output = ""
        if self.broken:
            raise self.broken.with_traceback(None)
        if self._worker is None:
            self._start()
        assert self._worker
        limit = self.limits.seconds if seconds is None else seconds
        self._clock = _Clock(limit, 0.0, self._worker.printed())
        self._ask("seed", {"seed": seed}, "the submission")

    def call(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result of the student's function `name`."""
        return self._ask("call", {"function": name, "args": args, "kwargs": kwargs}, name)

    def value(self, name: str) -> Any:
        """The student's module-level constant `name`."""
        return self._ask("value", {"name": name}, name)

    def output(self) -> str:
        """What student code has printed in this test."""
        return self._output if self._worker is None else self._worker.text(self._clock.printed)

    def close(self) -> None:
        """End the worker, if there is one."""
        if self._worker:
            self._output = self.output()
            worker, self._worker = self._worker, None
            worker.stop()

    def _start(self) -> None:
        self._worker = Channel(self.limits, self.cpu, self.scratch)
        try:
            hello = protocol.unpack(self._worker.receive(START_SECONDS, 0))
        except Stopped as stopped:
            told = self._worker.text(0)
            self.close()
            raise ClassroomError(f"no worker could be started ({stopped}): {told}") from None
        self.isolation = dict(hello.value["isolation"])
        self._clock = _Clock(max(LOAD_SECONDS, self.limits.seconds))
        source = {"name": "submission", "filename": self.submission.filename, "source": self.submission.text}
        try:
            self._ask("load", source, self.submission.filename)
        except StudentFailure as failure:
            self.broken = failure
            self.close()
            raise

    def _ask(self, kind: str, value: Any, what: str) -> Any:
        if self._worker is None:
            raise StudentFailure(f"{what} was not run: the submission was stopped earlier in this test")
        self._number += 1
        try:
            frame = protocol.pack(kind, self._number, value, protocol.TO_WORKER)
        except protocol.ProtocolError as error:
            raise ClassroomError(f"this cannot be sent to student code: {error}") from None
        started = time.monotonic()
        try:
            self._worker.send(frame)
            answer = self._worker.receive(max(self._clock.seconds - self._clock.used, 0.0), self._clock.printed)
            message = protocol.unpack(answer)
        except (Stopped, protocol.ProtocolError) as stopped:
            raise self._lost(str(stopped), kind, what) from None
        self._clock.used += time.monotonic() - started
        return self._result(message, kind, what)

    def _result(self, message: protocol.Message, kind: str, what: str) -> Any:
        if message.id != self._number or message.kind not in ("done", "failed"):
            raise self._lost("protocol: an answer to no question", kind, what)
        if message.kind == "done":
            return message.value
        failure = _failure(message.value, _during(kind, what), self.submission, self.limits)
        if isinstance(failure, MemoryLimit):
            self.close()
        raise failure

    def _lost(self, why: str, kind: str, what: str) -> StudentFailure:
        """Stop the worker and say why no answer came."""
        assert self._worker
        status = self._worker.status() if why == "ended" else None
        self.close()
        during = _during(kind, what)
        if why == "timeout":
            told = f"{during} ran longer than {self._clock.seconds:g} s and was stopped"
            return StudentTimeout(f"{told}: a loop that never ends?")
        if why == "output":
            return OutputLimit(f"{during} printed more than {self.limits.output} KiB and was stopped")
        if why != "ended":
            return StudentCrashed(f"{during} broke the channel to the grader ({why})")
        return _ending(status, during)


def _during(kind: str, what: str) -> str:
    return f"{what}, while it was imported," if kind == "load" else what


def _ending(status: int | None, what: str) -> StudentFailure:
    if status is None or status <= 128:
        told = "" if status is None else f" with status {status}"
        return StudentExited(f"{what} ended the whole process{told} (os._exit?): a function returns its result instead")
    number = status - 128
    name = signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"
    if name == "SIGXCPU":
        return StudentTimeout(f"{what} used up the processor time of this submission and was stopped")
    why = {"SIGSEGV": "too deep recursion, or memory that is not its own", "SIGKILL": "out of memory or time?"}
    return StudentCrashed(f"{what} crashed the process by {name} ({why.get(name, 'no result came back')})")


# ----------------------------------------------------------------------------------------- failures

CLASSES: dict[str, type[StudentFailure]] = {
    "exception": StudentError,
    "syntax": StudentError,
    "missing": MissingFunction,
    "exit": StudentExited,
    "memory": MemoryLimit,
    "bad result": BadResult,
}


def _failure(told: Any, what: str, submission: Submission, limits: Limits) -> StudentFailure:
    """The error for a `failed` message. Its content comes from the worker, so nothing in it is taken on trust."""
    told = told if type(told) is dict else {}
    why, kind, message = (clean(told.get(key), SHOWN_MESSAGE) for key in ("why", "type", "message"))
    lines = _frames(told.get("frames"), submission)
    last = f" ({lines[-1]})" if lines else ""
    text = {
        "syntax": f"{lines[-1].partition(': ')[0] if lines else what}: {kind}: {message}",
        "missing": f"{submission.filename} does not define {what}" + (f": {message}" if message else ""),
        "exit": f"{what} called sys.exit({message}){last}: a function returns its result instead",
        "memory": f"{what} asked for more than {limits.memory} MiB of memory{last}",
        "bad result": f"{what} gave back {message}: only numbers, text, lists, dicts, arrays and tensors can be graded",
    }.get(why) or _raised(what, kind, message, last)
    where = "\n".join(lines)
    cls = CLASSES.get(why, StudentError)
    return StudentError(text, where, kind) if cls is StudentError else cls(text, where)


def _raised(what: str, kind: str, message: str, last: str) -> str:
    if kind == "NotImplementedError":
        return f"{what} is not written yet{last}"
    if kind == "EOFError" and "reading a line" in message:
        message = "input() cannot be used here, nobody answers"
    return f"{what} raised {kind}: {message}{last}".replace(": (", " (")


def _frames(frames: Any, submission: Submission) -> list[str]:
    """The traceback as lines of the submission."""
    found: list[str] = []
    for frame in frames[-8:] if type(frames) is list else []:
        if type(frame) is list and len(frame) == 3 and type(frame[0]) is int:
            found.append(f"{submission.place(frame[0])}: {clean(frame[2], 200)}".rstrip(": "))
    return found


def clean(given: Any, most: int) -> str:
    """Text from the worker made safe and repeatable: no control characters, no addresses, not too long."""
    text: str = given if type(given) is str else ""
    text = re.sub(r"0x[0-9a-fA-F]{4,}", "0x…", text[: 4 * most])
    text = re.sub(r"[^\s'\"]*tensorplay-\w+", "<temp>", text)
    text = "".join(char if char.isprintable() or char == "\n" else "�" for char in text)
    return text if len(text) <= most else text[:most] + " [cut here]"


# -------------------------------------------------------------------------------------------- proxy


class Student:
    """What a test sees: `student.f(x)` calls the student's `f` in the worker, `student.value("N")` reads `N`."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def value(self, name: str) -> Any:
        """The student's module-level constant `name`."""
        return self._session.value(name)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)

        def call(*args: Any, **kwargs: Any) -> Any:
            return self._session.call(name, args, kwargs)

        call.__name__ = name
        return call

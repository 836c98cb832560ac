"""The loop that runs student code: read a request, do it, answer. Nothing here is trusted by the grader.

Student code can reach and change everything in this process. That gains it nothing: the answers are not
here, and the grader builds what it reads from plain data only. So the code below aims at clear messages,
not at defence. It is loaded by path and imports no part of tensorplay.
"""

from __future__ import annotations

import difflib
import importlib.machinery
import importlib.util
import linecache
import os
import random
import sys
import traceback
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

MESSAGE, FRAMES, LINE = 2000, 8, 200  # characters of a message, frames of a traceback, characters of a line


class Failed(Exception):
    """A request that cannot be answered with a value; the arguments are those of a `failed` message."""


def serve(protocol: Any, package: str, report: dict[str, str], requests: int, answers: int) -> int:
    """Answer requests until the grader closes the channel."""
    sys.meta_path.insert(0, PackageFinder(package))
    worker = Worker()
    _send(answers, protocol.pack("hello", 0, {"version": protocol.VERSION, "isolation": report}))
    bounds = protocol.TO_WORKER
    while (frame := protocol.read(lambda count: os.read(requests, count), bounds)) is not None:
        message = protocol.unpack(frame, bounds, _tensor)
        _send(answers, _answer(protocol, worker, message))
    return 0


def _send(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _answer(protocol: Any, worker: Worker, message: Any) -> bytes:
    """The frame that answers one request, whatever student code does short of ending the process."""
    try:
        value = worker.handlers[message.kind](message.value)
        answer: bytes = protocol.pack("done", message.id, value)
    except Failed as failure:
        answer = protocol.pack("failed", message.id, failure.args[0])
    except MemoryError as error:
        traceback.clear_frames(error.__traceback__)  # the frames hold what filled the memory
        answer = protocol.pack("failed", message.id, worker.describe("memory", error))
    except SystemExit as error:
        answer = protocol.pack("failed", message.id, worker.describe("exit", error))
    except protocol.ProtocolError as error:
        answer = protocol.pack("failed", message.id, worker.describe("bad result", error))
    except BaseException as error:
        answer = protocol.pack("failed", message.id, worker.describe("exception", error))
    _flush()
    return answer


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:
            continue


class Worker:
    """One loaded submission and the requests it answers."""

    def __init__(self) -> None:
        self.module = types.ModuleType("empty")
        self.filename = ""
        self.handlers: dict[str, Callable[[Any], Any]] = {
            "load": self.load,
            "seed": self.seed,
            "call": self.call,
            "value": self.value,
        }

    def load(self, request: dict[str, str]) -> None:
        """Run the submission as a module of a fresh name; no folder of it is on any path."""
        self.filename = request["filename"]
        source = request["source"]
        linecache.cache[self.filename] = (len(source), None, source.splitlines(keepends=True), self.filename)
        self.module = types.ModuleType(request["name"])
        self.module.__file__ = self.filename
        sys.modules[request["name"]] = self.module
        exec(self._compile(source), self.module.__dict__)

    def _compile(self, source: str) -> types.CodeType:
        try:
            return compile(source, self.filename, "exec", dont_inherit=True)
        except (SyntaxError, ValueError) as error:
            line = getattr(error, "lineno", None) or 1
            text = (getattr(error, "text", None) or "").strip()
            told = self.describe("syntax", error)
            told |= {"message": getattr(error, "msg", None) or str(error), "frames": [[line, "", text[:LINE]]]}
            raise Failed(told) from None

    def seed(self, request: dict[str, int]) -> None:
        """Start the usual random streams anew, so that a student's own draws repeat on a regrade."""
        random.seed(request["seed"])
        np.random.seed(request["seed"] % 2**32)
        if "tensorplay" in sys.modules:
            getattr(sys.modules["tensorplay"], "manual_seed", lambda seed: None)(request["seed"])

    def call(self, request: dict[str, Any]) -> Any:
        """Call a function of the submission."""
        function = self._find(request["function"])
        if not callable(function):
            raise Failed(_told("missing", "TypeError", f"{request['function']} is no function"))
        return function(*request["args"], **request["kwargs"])

    def value(self, request: dict[str, str]) -> Any:
        """A module-level constant of the submission."""
        return self._find(request["name"])

    def _find(self, name: str) -> Any:
        names = vars(self.module)
        if name in names:
            return names[name]
        own = [key for key, value in names.items() if key[0] != "_" and not isinstance(value, types.ModuleType)]
        close = difflib.get_close_matches(name, own, n=1)
        raise Failed(_told("missing", "NameError", f"did you mean {close[0]}?" if close else ""))

    def describe(self, why: str, error: BaseException) -> dict[str, Any]:
        """What happened, with the lines of the submission only."""
        frames = [
            [frame.lineno or 0, frame.name[:LINE], (frame.line or "").strip()[:LINE]]
            for frame in traceback.extract_tb(error.__traceback__)
            if frame.filename == self.filename
        ]
        told = _told(why, type(error).__name__, _text(error))
        return told | {"frames": frames[-FRAMES:]}


def _told(why: str, kind: str, message: str) -> dict[str, Any]:
    return {"why": why, "type": kind[:LINE], "message": message[:MESSAGE], "frames": []}


def _text(error: BaseException) -> str:
    try:
        return str(error).encode("utf-8", "backslashreplace").decode()
    except BaseException:
        return "(its text cannot be shown)"


def _tensor(array: Any, requires_grad: bool) -> Any:
    """A Tensor for the student's function; an array where the engine is not installed."""
    try:
        from tensorplay.tensor import wrap  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        return array
    return wrap(array, requires_grad=requires_grad)


class PackageFinder:
    """Finds `tensorplay` by its folder, so that the folder around it (a checkout?) need not be on the path."""

    def __init__(self, package: str) -> None:
        self.package = Path(package)

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        """The spec of the package itself; Python finds the modules inside."""
        start = self.package / "__init__.py"
        if name != "tensorplay" or not start.is_file():
            return None
        return importlib.util.spec_from_file_location(name, start, submodule_search_locations=[str(self.package)])

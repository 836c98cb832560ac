"""The rendering ladder: which program places the boxes, and running it.

An explicit setting (`config(engine=…)`, or the environment variable TENSORPLAY_DOT), then a system `dot`, then the
program inside the `graphviz-pure` wheel, then the built-in layout, which needs no program. A program that is missing,
fails or takes too long is never an error: the next rung draws, and a note says so.
"""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

from ..errors import RenderError

__all__ = ["BUILT_IN", "MISSING", "Rung", "attempt", "config", "pure_program", "renderer", "run_program", "rungs"]

TIMEOUT = 10.0
"""Seconds a program may take."""

VARIABLE = "TENSORPLAY_DOT"
BUILT_IN = "built-in"
MISSING = "no Graphviz program was found; `pip install graphviz-pure` brings one"
WORDS = ("auto", "dot", "graphviz-pure", BUILT_IN)

Name = Literal["explicit", "dot", "graphviz-pure", "built-in"]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Rung:
    """One way to draw: its name, the program's absolute path (None for the built-in), and why it was chosen."""

    name: Name
    program: str | None
    why: str

    def __str__(self) -> str:
        where = f" ({self.program})" if self.program else ""
        return f"{self.name}{where}: {self.why}"


_setting: str | None = None


def config(*, engine: str | os.PathLike[str] | None = None) -> str:
    """Choose how pictures are laid out from now on, and return the setting in force.

    `engine` is "auto", "dot", "graphviz-pure", "built-in" or the path of a program that understands
    `-Kdot -Tjson`. Without an argument nothing changes.
    Raises RenderError if there is no such engine or program.

    >>> config(engine="built-in"), config(engine="auto")
    ('built-in', 'auto')
    """
    global _setting
    if engine is not None:
        if not any(_named(os.fspath(engine), "asked for")):
            raise RenderError(_unknown(os.fspath(engine)))
        _setting = os.fspath(engine)
    return _setting or "auto"


def renderer(engine: str | os.PathLike[str] | None = None) -> Rung:
    """The rung that draws now, and why.

    >>> renderer("built-in").name
    'built-in'
    """
    return next(rungs(engine))


def rungs(engine: str | os.PathLike[str] | None = None, notes: list[str] | None = None) -> Iterator[Rung]:
    """The ladder, best first; it always ends with the built-in layout.

    A setting that names nothing adds a line to `notes` and is passed over.
    """
    seen: set[str | None] = set()
    for word, origin in _settings(engine):
        found = list(_named(word, origin))
        if not found and notes is not None:
            notes.append(_unknown(word) + f" It was {origin}.")
        for rung in found:
            seen.add(rung.program)
            yield rung
            if rung.program is None:
                return
    for rung in _ladder():
        if rung.program is None and seen:
            rung = Rung("built-in", None, "no program drew it")
        if rung.program not in seen:
            seen.add(rung.program)
            yield rung


def attempt(draw: Callable[[Rung], T], engine: str | os.PathLike[str] | None, notes: list[str]) -> T:
    """`draw` on the first rung where it works; what failed on the way is added to `notes`."""
    for rung in rungs(engine, notes):
        try:
            return draw(rung)
        except RenderError as problem:
            notes.append(f"{rung.name} did not draw this: {problem}")
    raise RenderError("no way to draw this is left. " + " ".join(notes))


def run_program(program: str, source: str, output: str, layout: str = "dot", *options: str) -> bytes:
    """Run a Graphviz program on DOT text; raises RenderError with its last words if it fails or takes too long."""
    command = [program, f"-K{layout}", f"-T{output}", *options]
    flags = getattr(subprocess, "CREATE_NO_WINDOW", 0) if sys.platform == "win32" else 0
    try:
        done = subprocess.run(
            command, input=source.encode(), capture_output=True, timeout=TIMEOUT, check=False, creationflags=flags
        )
    except subprocess.TimeoutExpired:
        raise RenderError(f"{Path(program).name} took more than {TIMEOUT:g} s") from None
    except OSError as problem:
        raise RenderError(f"{program} could not be started ({problem.strerror or problem})") from None
    if done.returncode or not done.stdout:
        words = done.stderr.decode(errors="replace").strip().splitlines()[-1:] or [f"exit status {done.returncode}"]
        raise RenderError(f"{Path(program).name} failed: {words[0][:200]}")
    return done.stdout


# ------------------------------------------------------------------------------------------------ finding


def _settings(engine: str | os.PathLike[str] | None) -> Iterator[tuple[str, str]]:
    """What was asked for explicitly, the nearest first."""
    candidates = (
        (os.fspath(engine) if engine is not None else None, "given as engine="),
        (_setting, "set by config(engine=…)"),
        (os.environ.get(VARIABLE), f"set in {VARIABLE}"),
    )
    for word, origin in candidates:
        if word == "auto":
            return
        if word:
            yield word, origin


def _named(word: str, origin: str) -> Iterator[Rung]:
    """The rung of a name or a path, if it is there."""
    if word == "auto":
        yield from _ladder()
    elif word in ("built-in", "builtin"):
        yield Rung("built-in", None, origin)
    elif word == "dot":
        yield from _system(origin)
    elif word == "graphviz-pure":
        yield from _pure(origin)
    elif program := shutil.which(word):
        yield Rung("explicit", os.path.abspath(program), origin)


def _ladder() -> Iterator[Rung]:
    yield from _system("a dot program is on the PATH")
    yield from _pure("no dot on the PATH; this one came with pip")
    yield Rung("built-in", None, MISSING)


def _system(why: str) -> Iterator[Rung]:
    if program := shutil.which("dot"):
        yield Rung("dot", os.path.abspath(program), why)


def _pure(why: str) -> Iterator[Rung]:
    if program := pure_program():
        yield Rung("graphviz-pure", program, why)


def pure_program() -> str | None:
    """The absolute path of the program that the graphviz-pure wheel installed, or None.

    The wheel's own list of files says where it is: a Jupyter kernel's PATH often lacks the environment's programs.
    """
    try:
        files = importlib.metadata.files("graphviz-pure") or []
    except importlib.metadata.PackageNotFoundError:
        return None
    for file in files:
        if file.stem == "graphviz-pure" and file.suffix in ("", ".exe"):
            path = os.path.abspath(str(file.locate()))
            if os.access(path, os.X_OK):
                return path
    return None


def _unknown(word: str) -> str:
    known = ", ".join(repr(name) for name in WORDS)
    return f"no drawing engine {word!r} here: it is neither one of {known} that is installed nor a program's path."

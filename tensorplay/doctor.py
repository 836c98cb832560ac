"""`tensorplay doctor`: what is installed, what works, and what to do about what does not.

Every check is a function that returns lines; none changes anything. The exit status is 1 only if
something is broken that the package cannot do without.
"""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import shutil
import subprocess
import sys
import webbrowser
from collections.abc import Callable, Iterable
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import tensorplay
from tensorplay.arrays import kernels
from tensorplay.requirements import CORE, OPTIONAL, Requirement, pip, version_of

__all__ = ["Line", "examine", "register"]


class Line(NamedTuple):
    """One finding: its state, what it is about, what was found, and what to do (or "")."""

    state: str
    subject: str
    found: str
    advice: str = ""


OK, MISSING, NOTE, BROKEN = "ok", "missing", "note", "broken"

DISTRIBUTION = "tensorplay-edu"


def register(subparsers: Any) -> None:
    """Add the subcommand `doctor`."""
    text = "say what is installed and what works, and what to do about the rest"
    parser = subparsers.add_parser("doctor", help=text, description=text.capitalize() + ".")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the findings by group; 1 if something the package needs is broken."""
    broken, missing = False, 0
    for title, lines in examine():
        print(f"\n{title}")
        for line in lines:
            broken |= line.state == BROKEN
            missing += line.state == MISSING
            print(_as_text(line))
    print(_verdict(broken, missing))
    return int(broken)


def _verdict(broken: bool, missing: int) -> str:
    if broken:
        return "\nSomething the package needs is broken; see the lines above."
    if missing:
        return f"\nAll that is needed works. For what is missing ({missing} above), all at once: the extra `lab`."
    return "\nAll that is needed works."


def examine() -> Iterable[tuple[str, list[Line]]]:
    """The groups of findings, in the order they are printed."""
    for title, checks in GROUPS:
        yield title, [line for check in checks for line in _guarded(check)]


def _guarded(check: Callable[[], list[Line]]) -> list[Line]:
    """A check that fails is itself a finding: the doctor must not die of what it examines."""
    try:
        return check()
    except Exception as error:
        return [Line(NOTE, check.__name__.strip("_"), f"could not be examined: {type(error).__name__}: {error}")]


def _as_text(line: Line) -> str:
    text = f"  {line.state:<8} {line.subject:<16} {line.found}"
    return f"{text}\n{'':28}-> {line.advice}" if line.advice else text


# ----------------------------------------------------------------------------------------- package


def _python() -> list[Line]:
    found = f"{platform.python_version()} on {platform.system()} {platform.machine()}, {sys.executable}"
    return [Line(OK, "Python", found)]


def _package() -> list[Line]:
    where = Path(tensorplay.__file__).parent
    installed = version_of(DISTRIBUTION)
    found = f"{tensorplay.__version__} in {where}"
    if installed is None:
        advice = f"not installed, but used from its folder; to install it: {pip('install', '-e', str(where.parent))}"
        return [Line(NOTE, "tensorplay", found, advice)]
    if installed != tensorplay.__version__:
        advice = f"pip has {DISTRIBUTION} {installed}; install again from the folder you want to use"
        return [Line(NOTE, "tensorplay", found, advice)]
    return [Line(OK, "tensorplay", found)]


def other_providers() -> list[str]:
    """Installed distributions other than ours whose files make up an importable `tensorplay`.

    The project called `tensorplay` on PyPI is another one. Both write into the same folder, so
    having both means a mixture of two packages.
    """
    names = {d.metadata["Name"] for d in metadata.distributions() if _provides_tensorplay(d)}
    return sorted(name for name in names if name and name.lower().replace("_", "-") != DISTRIBUTION)


def _provides_tensorplay(distribution: metadata.Distribution) -> bool:
    if (distribution.metadata["Name"] or "").lower() == "tensorplay":
        return True
    return any(file.parts[:1] == ("tensorplay",) for file in distribution.files or ())


def _namesakes() -> list[Line]:
    others = other_providers()
    if not others:
        return [Line(OK, "import name", "no other distribution provides `tensorplay`")]
    advice = f"{pip('uninstall', *others)}, then install {DISTRIBUTION} again"
    return [Line(NOTE, "import name", f"{', '.join(others)} also provides `tensorplay`", advice)]


# ---------------------------------------------------------------------------------------- libraries


def _core() -> list[Line]:
    return [_core_line(requirement) for requirement in CORE]


def _core_line(requirement: Requirement) -> Line:
    name, module, purpose = requirement
    version = version_of(name)
    if version is None:
        return Line(BROKEN, name, f"not installed: {purpose}", pip("install", name))
    try:
        if module:
            importlib.import_module(module)
    except Exception as error:  # a half-installed library can fail with anything
        return Line(BROKEN, name, f"{version} does not import: {error}", pip("install", "--force-reinstall", name))
    return Line(OK, name, version)


def _optional() -> list[Line]:
    lines = []
    for name, _, purpose in OPTIONAL:
        version = version_of(name)
        lines.append(Line(OK, name, version) if version else Line(MISSING, name, purpose, pip("install", name)))
    return lines


# ----------------------------------------------------------------------------------------- pictures


def _renderer() -> list[Line]:
    render = importlib.import_module("tensorplay.viz.render")
    notes: list[str] = []
    chosen = render.attempt(lambda rung: _draws(render, rung), None, notes)
    problems = [Line(NOTE, "renderer", note, "the next way to draw is used instead") for note in notes]
    return [*problems, Line(OK, "renderer", str(chosen))]


def _draws(render: Any, rung: Any) -> Any:
    """The rung itself, once it has drawn something: being there is not enough."""
    if rung.program is not None:
        render.run_program(rung.program, "digraph { a -> b }", "json")
    return rung


def _browser() -> list[Line]:
    if not has_display():
        return [Line(NOTE, "browser", "no display here", "copy the HTML files that are written to where one is")]
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return [Line(NOTE, "browser", "none found", "open the HTML files that are written yourself")]
    return [Line(OK, "browser", getattr(browser, "name", type(browser).__name__))]


def has_display() -> bool:
    """True where a browser window could appear."""
    if sys.platform.startswith(("win", "darwin")):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _chromium() -> list[Line]:
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program:
        return [Line(OK, "Chromium", f"{program} (only our own browser tests use it)")]
    return [Line(OK, "Chromium", "not found, and not needed (only our own browser tests use it)")]


# --------------------------------------------------------------------------------------------- speed


def _kernel_cache() -> list[Line]:
    place = kernels.cache_folder()
    if not kernels.enabled():
        return [Line(NOTE, "kernels", "switched off by the environment; NumPy does all the work")]
    if not _writable(place):
        advice = "kernels are compiled anew in every process; set TENSORPLAY_CACHE to a folder you may write to"
        return [Line(NOTE, "kernel cache", f"{place} cannot be written", advice)]
    files = list(place.rglob("*.nbc"))
    if not files:
        return [Line(OK, "kernel cache", f"empty, kernels compile on first use: {place}")]
    size = sum(file.stat().st_size for file in files) / 1e3
    return [Line(OK, "kernel cache", f"{len(files)} compiled, {size:.0f} kB in {place}")]


def _writable(folder: Path) -> bool:
    """Whether files can be made in `folder`, or the folder itself where it does not exist yet."""
    while not folder.exists():
        folder = folder.parent
    return os.access(folder, os.W_OK)


def _blas() -> list[Line]:
    held = [name for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE") if name in os.environ]
    if held:
        advice = f"matrix products may run at half their speed; unset {' and '.join(held)} if this machine allows it"
        return [Line(NOTE, "BLAS", f"{' and '.join(held)} set in the environment", advice)]
    return [Line(OK, "BLAS", "chooses its own kernels")]


def _gpu() -> list[Line]:
    card = _graphics_card()
    if card is None:
        return [Line(OK, "GPU", "no NVIDIA GPU found, and none needed")]
    cupy = next(
        (f"{name} {v}" for name in ("cupy-cuda12x", "cupy-cuda13x", "cupy") if (v := version_of(name))), "no CuPy"
    )
    return [Line(OK, "GPU", f"{card}, {cupy}; this version computes on the CPU only")]


def _graphics_card() -> str | None:
    program = shutil.which("nvidia-smi")
    if program is None:
        return None
    command = [program, "--query-gpu=name", "--format=csv,noheader"]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    return answer.stdout.strip().replace("\n", ", ") or None if answer.returncode == 0 else None


GROUPS: tuple[tuple[str, tuple[Callable[[], list[Line]], ...]], ...] = (
    ("Package", (_python, _package, _namesakes)),
    ("Libraries it needs", (_core,)),
    ("Libraries for the classroom and the lessons", (_optional,)),
    ("Pictures", (_renderer, _browser, _chromium)),
    ("Speed", (_kernel_cache, _blas, _gpu)),
)

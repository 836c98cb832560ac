"""`tensorplay lessons`: copy the lessons to a folder of the student's own, and open JupyterLab there.

In a checkout the students' forms are made from `lessons/`; an installed package carries them in
`tensorplay/_lessons/`. Nothing that is already in the folder is ever overwritten: it may be a
student's work.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tensorplay.classroom import release
from tensorplay.requirements import pip

__all__ = ["Lesson", "copy_lesson", "find_lessons", "register"]

PACKAGE = Path(__file__).parent


class Lesson(NamedTuple):
    """A lesson: its folder's name, its title, and where it is."""

    name: str
    title: str
    folder: Path


def register(subparsers: Any) -> None:
    """Add the subcommand `lessons`."""
    parser = subparsers.add_parser(
        "lessons",
        help="copy the lessons to a folder and open JupyterLab there",
        description="Copy the lessons to a folder and open JupyterLab there. What is already there is kept.",
    )
    parser.add_argument("names", nargs="*", help="which lessons, by number or name (default: all)")
    folder = Path("tensorplay-lessons")
    parser.add_argument("--to", type=Path, default=folder, metavar="DIR", help="default: %(default)s")
    parser.add_argument("--list", action="store_true", help="only list the lessons")
    parser.add_argument("--no-open", action="store_true", help="copy, but do not start JupyterLab")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """List or copy the lessons, then start JupyterLab unless told not to."""
    lessons = chosen(find_lessons(), args.names)
    if not lessons:
        print("There is no such lesson; `tensorplay lessons --list` shows which there are.", file=sys.stderr)
        return 1
    if args.list:
        print("\n".join(f"  {lesson.name:<32} {lesson.title}" for lesson in lessons))
        return 0
    for lesson in lessons:
        _report(lesson, *copy_lesson(lesson, args.to))
    print(f"\nThe lessons are in {args.to.resolve()}\n{_next_steps(args.to, lessons[0])}")
    return 0 if args.no_open else open_jupyterlab(args.to)


def _next_steps(folder: Path, lesson: Lesson) -> str:
    """What one does with a copied lesson."""
    place = folder / lesson.name
    lines = [f"  to read it      jupyter lab {folder}"] if importlib.util.find_spec("jupytext") else []
    if not lines:
        lines = [f"  to read it      {place / 'lesson.py'}; as a notebook after  {pip('install', 'jupytext')}"]
    return "\n".join([*lines, f"  the exercise    edit {place / 'exercise.py'}, then  tensorplay check {place}"])


# ------------------------------------------------------------------------------------------ finding


def find_lessons() -> list[Lesson]:
    """All lessons, in the order of their numbers."""
    root = lessons_folder()
    return [Lesson(path.name, _title(path), path) for path in sorted(root.iterdir()) if (path / "lesson.py").is_file()]


def lessons_folder() -> Path:
    """The checkout's `lessons/` if this is one, else the package's own.

    Raises FileNotFoundError if there is neither.
    """
    checkout = PACKAGE.parent / "lessons"
    if checkout.is_dir() and (PACKAGE.parent / "pyproject.toml").is_file():
        return checkout
    if (PACKAGE / "_lessons").is_dir():
        return PACKAGE / "_lessons"
    raise FileNotFoundError(f"no lessons found: neither {checkout} nor {PACKAGE / '_lessons'} exists")


def chosen(lessons: list[Lesson], names: list[str]) -> list[Lesson]:
    """The lessons that `names` ask for: a whole name, or its number with or without zeros."""
    if not names:
        return lessons
    return [lesson for lesson in lessons if any(_matches(lesson.name, name) for name in names)]


def _matches(lesson: str, asked: str) -> bool:
    number = lesson.partition("_")[0]
    return asked == lesson or (asked.isdigit() and number.isdigit() and int(asked) == int(number))


def _title(folder: Path) -> str:
    """The first Markdown heading of the lesson."""
    for line in (folder / "lesson.py").read_text(encoding="utf-8").splitlines():
        if line.startswith("# # "):
            return line[4:].strip()
    return folder.name


# ------------------------------------------------------------------------------------------ copying


def copy_lesson(lesson: Lesson, target: Path) -> tuple[list[str], list[str]]:
    """Write the student's files of `lesson` below `target`; return the names written and those kept."""
    written, kept = [], []
    for name, data in student_forms(lesson):
        file = target / lesson.name / name
        if file.exists():
            if file.read_bytes() != data:
                kept.append(name)
            continue
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        written.append(name)
    return written, kept


def student_forms(lesson: Lesson) -> Iterator[tuple[str, bytes]]:
    """Names and contents of what a student gets: the lesson as a notebook, the rest as it is."""
    for name, data in sorted(_student_files(lesson.folder).items()):
        if name == "lesson.py" and importlib.util.find_spec("jupytext"):
            yield "lesson.ipynb", as_notebook(data.decode("utf-8")).encode("utf-8")
        else:
            yield name, data


def _student_files(folder: Path) -> dict[str, bytes]:
    """Made from a teacher's folder; an installed package has the students' forms as they are."""
    if folder.is_relative_to(PACKAGE):
        return {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}
    return release.student_files(folder)


def as_notebook(text: str) -> str:
    """The notebook made from a lesson in jupytext's percent format, the same bytes every time."""
    import jupytext

    notebook = jupytext.reads(text, fmt="py:percent")
    for number, cell in enumerate(notebook.cells):
        # jupytext draws random ids; ours let us see whether a copy was edited.
        cell["id"] = hashlib.sha256(f"{number}\n{cell['source']}".encode()).hexdigest()[:8]
    notebook.metadata["kernelspec"] = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return str(jupytext.writes(notebook, fmt="ipynb"))


def _report(lesson: Lesson, written: list[str], kept: list[str]) -> None:
    print(f"{lesson.name}: {lesson.title}")
    if written:
        print(f"  written   {', '.join(written)}")
    if kept:
        print(f"  kept      {', '.join(kept)} (yours differ; for a fresh copy rename them, or use --to)")
    if not (written or kept):
        print("  already there, unchanged")


# ------------------------------------------------------------------------------------------ opening


def open_jupyterlab(folder: Path) -> int:
    """Start JupyterLab in `folder` and wait for it; 1 if it is not installed."""
    if importlib.util.find_spec("jupyterlab") is None:
        print(f"JupyterLab is not installed. To get it:  {pip('install', 'jupyterlab')}", file=sys.stderr)
        return 1
    command = [sys.executable, "-m", "jupyterlab", "--notebook-dir", str(folder)]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")  # usual in a container, where JupyterLab would refuse to start
    return subprocess.run(command, check=False).returncode

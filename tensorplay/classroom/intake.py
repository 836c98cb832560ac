"""From what a student handed in to one text of Python, or to a reason with file and line.

A submission is a `.py` file, a notebook, or a folder that holds one. Nothing is executed or compiled here.
"""

from __future__ import annotations

import bisect
import hashlib
import io
import itertools
import json
import re
import tokenize
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import SubmissionError

__all__ = ["Entry", "Submission", "entries", "read_submission"]

MOST_BYTES = {".py": 1 << 20, ".ipynb": 16 << 20}
MAGIC = ("%", "!", "?")
LITERAL = re.compile(
    r"""\"{3}(?:\\.|[^\\])*?\"{3}|'{3}(?:\\.|[^\\])*?'{3}|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\#[^\n]*""", re.DOTALL
)
ENCODINGS = {"utf-8", "utf-8-sig", "ascii", "iso-8859-1", "iso-8859-15", "cp1252"}


@dataclass(frozen=True)
class Submission:
    """The text of one submission; `cells` are the lines at which notebook cells begin."""

    text: str
    filename: str = "exercise.py"
    sha256: str = ""
    cells: tuple[int, ...] = field(default=())

    def place(self, line: int) -> str:
        """`exercise.py, line 12`, or the cell and the line in it."""
        if not self.cells:
            return f"{self.filename}, line {line}"
        cell = max(bisect.bisect_right(self.cells, line), 1)
        return f"{self.filename}, code cell {cell}, line {line - self.cells[cell - 1] + 1}"


@dataclass(frozen=True)
class Entry:
    """One row of a report before grading: the student's name, and the file or why there is none."""

    student: str
    path: Path | None
    reason: str = ""


# ------------------------------------------------------------------------------------------ finding


def entries(submissions: Path, module: str, skip: Path | None = None) -> list[Entry]:
    """Every submission in a folder, sorted by name. Files of other kinds are no submissions.

    A file is named after its student; a folder too, and holds `module`.py or .ipynb, or a single such file.
    """
    found = [_entry(path, module) for path in sorted(submissions.iterdir()) if _counts(path, skip)]
    names = Counter(entry.student for entry in found)
    full = [
        Entry(entry.path.name, entry.path, entry.reason)
        if names[entry.student] > 1 and entry.path and entry.path.parent == submissions
        else entry
        for entry in found
    ]
    taken: set[str] = set()
    return [
        Entry(_free_name(printable(entry.student), taken), entry.path, entry.reason)
        for entry in sorted(full, key=lambda entry: entry.student)
    ]


def _free_name(name: str, taken: set[str]) -> str:
    """`name`, or with a number where two submissions would share a name, and with it a file of results."""
    numbered = (name if number == 1 else f"{name} ({number})" for number in itertools.count(1))
    free = next(name for name in numbered if name not in taken)
    taken.add(free)
    return free


def _counts(path: Path, skip: Path | None) -> bool:
    if path.name.startswith((".", "__")):
        return False
    if path.is_symlink():
        return True
    if path.is_dir():
        return not (skip and skip.resolve().is_relative_to(path.resolve()))
    return path.suffix.lower() in MOST_BYTES


def _entry(path: Path, module: str) -> Entry:
    if path.is_symlink():
        return Entry(path.name, None, f"{path.name} is a link, not a file or folder of its own")
    if path.is_dir():
        try:
            return _in_folder(path, module)
        except OSError as error:
            return Entry(path.name, None, f"the folder cannot be read: {error.strerror}")
    if not path.is_file():
        return Entry(path.stem, None, f"{path.name} is a pipe or a device, not a file")
    return Entry(path.stem, path)


def _in_folder(folder: Path, module: str) -> Entry:
    """The one file of a folder that counts. What is not a file of its own, such as a link, does not."""
    names = [f"{module}{suffix}" for suffix in MOST_BYTES]
    found = sorted(file for file in folder.iterdir() if file.suffix.lower() in MOST_BYTES)
    files = [file for file in found if file.is_file() and not file.is_symlink()]
    files = [file for file in files if file.name in names] or files
    if len(files) == 1 or (files and files[0].name in names):
        return Entry(folder.name, files[0])
    if files:
        several = ", ".join(file.name for file in files)
        return Entry(folder.name, None, f"which file counts? the folder holds {several}, and none is {module}.py")
    why = f"{found[0].name} is no file of its own (a link?)" if found else f"the folder holds no {' or '.join(names)}"
    return Entry(folder.name, None, f"nothing handed in: {why}")


# ------------------------------------------------------------------------------------------ reading


def read_submission(path: Path) -> Submission:
    """The text of a file. Raises `SubmissionError` with file and line if it cannot be read as Python text."""
    suffix = path.suffix.lower()
    most = MOST_BYTES.get(suffix, 1 << 20)
    try:
        with path.open("rb") as stream:
            data = stream.read(most + 1)
    except OSError as error:
        raise SubmissionError(f"{path.name}: {error.strerror}") from error
    if len(data) > most:
        raise SubmissionError(f"{path.name} is larger than {most >> 20} MiB")
    digest, name = hashlib.sha256(data).hexdigest(), printable(path.name)
    if suffix == ".ipynb":
        text, cells = _notebook(data, name)
        return Submission(text, name, digest, cells)
    return Submission(_decoded(data, name), name, digest)


def printable(name: str) -> str:
    """A file name as text that can be written anywhere, also with control characters or bytes that are no UTF-8."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in name)


def _decoded(data: bytes, name: str) -> str:
    """The text by the byte order mark or the coding line, else UTF-8; line ends become plain."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    except SyntaxError:
        encoding = "utf-8" if b"\xff" not in data[:2] else "utf-16"
    if encoding not in ENCODINGS:
        raise SubmissionError(f"{name}, line 1: the encoding {encoding} is not read; save the file as UTF-8")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        shown = f"byte 0x{data[error.start]:02x}"
        raise SubmissionError(f"{name}, line {line}: {shown} is not {encoding} text; save the file as UTF-8") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _notebook(data: bytes, name: str) -> tuple[str, tuple[int, ...]]:
    """The code cells, one after another, and the line at which each begins."""
    try:
        cells = json.loads(data.decode("utf-8-sig"))["cells"]
        sources = [_source(cell) for cell in cells if cell["cell_type"] == "code"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        place = f"{name}, line {getattr(error, 'lineno', 1)}"
        raise SubmissionError(f"{place}: this is no notebook of format 4 ({type(error).__name__})") from None
    lines: list[str] = []
    starts: list[int] = []
    for source in sources:
        starts.append(len(lines) + 1)
        lines += [*_without_magics(source.splitlines()), ""]
    text = "\n".join(lines).encode("utf-8", "replace").decode()
    if len(text) > MOST_BYTES[".py"]:
        raise SubmissionError(f"{name} holds more than {MOST_BYTES['.py'] >> 20} MiB of code")
    return text, tuple(starts)


def _source(cell: Any) -> str:
    source = cell["source"]
    return source if isinstance(source, str) else "".join(source)


def _without_magics(lines: list[str]) -> list[str]:
    """The same lines with IPython's own commands turned into comments or `pass`, so that line numbers stay."""
    code = [line for line in lines if line.strip()]
    if code and code[0].startswith("%%"):
        return [f"# {line}" for line in lines]
    begins = _beginnings("\n".join(lines))
    return [_plain_line(line) if begins[number] else line for number, line in enumerate(lines)]


def _beginnings(cell: str) -> list[bool]:
    """For each line, whether a statement can begin there: it is not inside a text or brackets."""
    bare = LITERAL.sub(lambda found: "(" * (n := found[0].count("\n")) + "\n" * n + ")" * n, cell)
    depth, begins = 0, []
    for line in bare.split("\n"):
        begins.append(depth == 0)
        if depth or not line.lstrip().startswith(MAGIC):
            depth = max(depth + len(re.findall(r"[(\[{]", line)) - len(re.findall(r"[)\]}]", line)), 0)
    return begins


def _plain_line(line: str) -> str:
    body = line.lstrip()
    asks = body.endswith("?") and not any(char in body for char in "#'\"")  # `name?` shows help in IPython
    if asks or body.startswith(MAGIC):
        return f"{line[: len(line) - len(body)]}pass  # {body}"
    return line

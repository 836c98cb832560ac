"""From the teacher's exercise folder to what a student gets.

The teacher writes one `exercise.py` that holds the solution between markers:

    def d_mul(g, x, y):
        ### BEGIN HINT 1
        # Multiply the gradient by the other factor.
        ### END HINT
        ### BEGIN SOLUTION
        return g * y, g * x
        ### END SOLUTION

`student_form` turns a solution into `raise NotImplementedError("write d_mul")` and a hint into plain
comments. `student_files` gives every file of the folder that a student may see: never `wrong/`, never a
hidden test, and it refuses to release a folder in which a line of the solution shows.

Only the standard library is used and nothing of tensorplay is imported, so that a build hook can load
this file by its path.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

__all__ = ["ReleaseError", "leaks", "public_tests", "solution_lines", "student_files", "student_form", "student_toml"]

MARKER = re.compile(r"^\s*#+\s*(BEGIN|END)\s+(SOLUTION|HINT)(?:\s+(\w+))?\s*$")
STUDENT_KEYS = ("title", "module", "summary", "limits", "points")
FunctionNode = (ast.FunctionDef, ast.AsyncFunctionDef)


class ReleaseError(ValueError):
    """The exercise cannot be released: a marker is wrong, or a solution or hidden test would show."""


class Region(NamedTuple):
    """Lines `first` to `last` of a file, markers included, counted from 1."""

    kind: str
    label: str
    first: int
    last: int


# --------------------------------------------------------------------------------------- solutions


def student_form(text: str) -> str:
    """The student's version of a source file: solutions become stubs, hints become plain comments.

    >>> print(student_form('def twice(x):\\n    ### BEGIN SOLUTION\\n    return x + x\\n    ### END SOLUTION\\n'))
    def twice(x):
        raise NotImplementedError("write twice")
    <BLANKLINE>
    """
    lines = text.splitlines()
    regions = list(_regions(lines))
    if not regions:
        return text
    owners = _owners(text)
    out: list[str] = []
    at = 0
    for region in regions:
        out += lines[at : region.first - 1]
        out += _replacement(region, lines, owners)
        at = region.last
    return "\n".join(out + lines[at:]) + "\n"


def solution_lines(text: str) -> set[str]:
    """The telling lines of all solutions in `text`: stripped, without comments and trivial lines."""
    lines = text.splitlines()
    found: set[str] = set()
    for region in _regions(lines):
        if region.kind == "SOLUTION":
            found.update(_plain(line) for line in lines[region.first : region.last - 1])
    return {line for line in found if len(re.findall(r"\w+|[^\w\s]", line)) >= 4}


def leaks(secret: set[str], released: dict[str, str]) -> list[str]:
    """Where a solution line stands in the files to release, as `file, line n: text`."""
    return [
        f"{name}, line {number}: {line.strip()}"
        for name, text in sorted(released.items())
        for number, line in enumerate(text.splitlines(), 1)
        if _plain(line.strip().lstrip("# ")) in secret
    ]


def _regions(lines: list[str]) -> Iterator[Region]:
    start: tuple[str, str, int] | None = None
    for number, line in enumerate(lines, 1):
        match = MARKER.match(line)
        if not match:
            continue
        edge, kind, label = match[1], match[2], match[3] or ""
        if edge == "BEGIN":
            if start:
                raise ReleaseError(f"line {number}: BEGIN {kind} inside the {start[0]} that begins in line {start[2]}")
            start = (kind, label, number)
        elif not start or start[0] != kind:
            raise ReleaseError(f"line {number}: END {kind} without its BEGIN")
        else:
            yield Region(kind, start[1], start[2], number)
            start = None
    if start:
        raise ReleaseError(f"line {start[2]}: BEGIN {start[0]} has no END {start[0]}")


def _replacement(region: Region, lines: list[str], owners: list[tuple[int, int, str]]) -> list[str]:
    marker = lines[region.first - 1]
    indent = marker[: len(marker) - len(marker.lstrip())]
    if region.kind == "HINT":
        head = f"{indent}# Hint {region.label}:".replace(" :", ":")
        return [head, *lines[region.first : region.last - 1]]
    inside = [(last - first, name) for first, last, name in owners if first <= region.first <= last]
    if not inside:
        return [f"{indent}...  # write your part here"]
    return [f'{indent}raise NotImplementedError("write {min(inside)[1]}")']


def _owners(text: str) -> list[tuple[int, int, str]]:
    """First line, last line and dotted name of every function."""
    found: list[tuple[int, int, str]] = []

    def walk(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (*FunctionNode, ast.ClassDef)):
                if isinstance(child, FunctionNode):
                    found.append((child.lineno, child.end_lineno or child.lineno, prefix + child.name))
                walk(child, f"{prefix}{child.name}.")
            else:
                walk(child, prefix)

    walk(_parse(text, "the exercise"), "")
    return found


def _parse(text: str, what: str) -> ast.Module:
    try:
        return ast.parse(text)
    except SyntaxError as error:
        raise ReleaseError(f"{what} is not valid Python: line {error.lineno}: {error.msg}") from error


def _plain(line: str) -> str:
    code = line.strip()
    return "" if code.startswith("#") else " ".join(code.split("  #")[0].split())


# ------------------------------------------------------------------------------------ hidden tests


def public_tests(text: str) -> tuple[str, int]:
    """The test file without its hidden tests and what only they use, and how many were left out.

    A test or class is hidden by the marker `@pytest.mark.hidden`. Helpers and constants that no public
    test reaches go too, with the comments that stand right above them.
    """
    tree = _parse(text, "the test file")
    hidden = {id(node) for node in ast.walk(tree) if _is_hidden(node)}
    lines = text.splitlines()
    drop: set[int] = set()
    for node in _unwanted(tree, hidden):
        drop.update(_span(node, lines))
    kept = "\n".join(line for number, line in enumerate(lines, 1) if number not in drop)
    kept = re.sub(r"\n{4,}", "\n\n\n", kept).rstrip() + "\n"
    if _mentions_hidden(_parse(kept, "the public part of the test file")):
        raise ReleaseError("the test file hides what cannot be cut out; give it a function with @pytest.mark.hidden")
    return kept, sum(_count_tests(node) for node in ast.walk(tree) if id(node) in hidden)


def _is_hidden(node: ast.AST) -> bool:
    if not isinstance(node, (*FunctionNode, ast.ClassDef)):
        return False
    named = any(isinstance(item, ast.Name) and item.id == "hidden" for item in node.decorator_list)
    return named or any(map(_mentions_hidden, node.decorator_list))


def _mentions_hidden(tree: ast.AST) -> bool:
    """Whether `mark.hidden` stands anywhere in the tree."""
    attributes = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr == "hidden"]
    return any(getattr(node.value, "attr", getattr(node.value, "id", "")) == "mark" for node in attributes)


def _count_tests(node: ast.AST) -> int:
    if isinstance(node, ast.ClassDef):
        return sum(isinstance(item, FunctionNode) and item.name.startswith("test") for item in node.body)
    return 1


def _unwanted(tree: ast.Module, hidden: set[int]) -> list[ast.stmt]:
    """Hidden tests, and the top-level helpers, constants and imports that only they reach."""
    named = {node: _defined(node) for node in tree.body if id(node) not in hidden}
    roots = [node for node, names in named.items() if not names or any(map(_is_entry, names)) or _is_fixture(node)]
    reached: set[str] = set()
    kept = set(roots)
    queue = list(roots)
    while queue:
        reached |= _used(queue.pop(), hidden)
        more = [node for node, names in named.items() if node not in kept and names & reached]
        kept.update(more)
        queue += more
    inner = [item for node in kept if isinstance(node, ast.ClassDef) for item in node.body if id(item) in hidden]
    return [node for node in tree.body if node not in kept] + inner


def _defined(node: ast.stmt) -> set[str]:
    """The names a top-level statement binds; empty for what must always stay."""
    if isinstance(node, (*FunctionNode, ast.ClassDef)):
        return {node.name}
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        return set() if future else {(item.asname or item.name).split(".")[0] for item in node.names}
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        return {item.id for item in ast.walk(node) if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Store)}
    return set()


def _is_entry(name: str) -> bool:
    return name.startswith(("test", "Test", "pytest_")) or name in {"pytestmark", "pytest_plugins"}


def _is_fixture(node: ast.stmt) -> bool:
    if not isinstance(node, FunctionNode):
        return False
    return any("autouse" in ast.dump(item) for item in node.decorator_list)


def _used(node: ast.stmt, hidden: set[int]) -> set[str]:
    """Every name read in a statement, and argument names, which may be fixtures. Hidden parts do not count."""
    if id(node) in hidden:
        return set()
    found: set[str] = set()
    stack: list[ast.AST] = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, ast.Name):
            found.add(item.id)
        elif isinstance(item, ast.arg):
            found.add(item.arg)
        elif isinstance(item, ast.Constant) and isinstance(item.value, str):
            found.update(re.findall(r"^\w+$", item.value))  # usefixtures("name"), quoted annotations
        stack += [child for child in ast.iter_child_nodes(item) if id(child) not in hidden]
    return found


def _span(node: ast.stmt, lines: list[str]) -> range:
    """The lines of a statement with its decorators and the comment block right above it."""
    decorators = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(item.lineno for item in decorators)])
    while first > 1 and lines[first - 2].lstrip().startswith("#") and not lines[first - 2].startswith("# %%"):
        first -= 1
    return range(first, (node.end_lineno or node.lineno) + 1)


# ------------------------------------------------------------------------------------- the folder


def student_files(exercise_folder: str | Path) -> dict[str, bytes]:
    """Every file of an exercise that a student may have: relative name -> content.

    `lesson.py` and `exercise.py` in their student form, the public tests, and `exercise.toml` without
    anything but title, module, summary, limits and points. Raises `ReleaseError` if a solution line shows.
    """
    folder = Path(exercise_folder)
    sources = {name: _read(folder / name) for name in ("lesson.py", "exercise.py") if (folder / name).is_file()}
    released = {name: _student_form_of(name, text) for name, text in sources.items()}
    secret = {line for text in sources.values() for line in solution_lines(text)}
    given = {_plain(line) for line in released.get("exercise.py", "").splitlines()}
    hidden = 0
    if (folder / "test_exercise.py").is_file():
        released["test_exercise.py"], hidden = public_tests(_read(folder / "test_exercise.py"))
    if (folder / "exercise.toml").is_file():
        released["exercise.toml"] = student_toml(_read(folder / "exercise.toml"), hidden)
    if shown := leaks(secret - given, released):
        raise ReleaseError(f"{folder.name}: lines of the solution would reach the students:\n  " + "\n  ".join(shown))
    return {name: text.encode() for name, text in released.items()}


def student_toml(text: str, hidden: int) -> str:
    """`exercise.toml` for students: the known keys only, and how many tests are hidden."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ReleaseError(f"exercise.toml: {error}") from error
    kept = {key: data[key] for key in STUDENT_KEYS if key in data}
    kept["hidden"] = {"tests": hidden}
    flat = [f"{key} = {_toml(value)}" for key, value in kept.items() if not isinstance(value, dict)]
    tables = [
        f"\n[{key}]\n" + "".join(f"{name} = {_toml(item)}\n" for name, item in value.items())
        for key, value in kept.items()
        if isinstance(value, dict)
    ]
    return "\n".join(flat) + "\n" + "".join(tables)


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, str):
        escaped = "".join(_escaped(char) for char in value)
        return f'"{escaped}"'
    raise ReleaseError(f"exercise.toml: a value of type {type(value).__name__} is not used here")


def _escaped(char: str) -> str:
    if char in '"\\':
        return "\\" + char
    return char if char.isprintable() else f"\\U{ord(char):08X}"


def _student_form_of(name: str, text: str) -> str:
    try:
        return student_form(text)
    except ReleaseError as error:
        raise ReleaseError(f"{name}: {error}") from error


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")

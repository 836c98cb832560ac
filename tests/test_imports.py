"""Imports flow one way; libraries are loaded on first use; files and functions stay small."""

from __future__ import annotations

import ast
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

PACKAGE = Path(__file__).parents[1] / "tensorplay"

# A module may import from its own row and from the rows above it.
LAYERS: tuple[tuple[str, ...], ...] = (
    ("errors", "events", "special", "source"),
    ("arrays", "printing"),
    ("ops",),
    ("autograd",),
    (
        "apply",
        "custom",
        "indexing",
        "inplace",
        "leaves",
        "lifting",
        "matrices",
        "operands",
        "placing",
        "positions",
        "promotion",
        "recording",
        "tangents",
        "tensor",
        "transformed",
        "views",
    ),
    (
        "copying",
        "creation",
        "functional",
        "grids",
        "linalg",
        "method_table",
        "methods",
        "new_tensors",
        "operators",
        "random",
        "sampling",
        "shape_methods",
        "func",
    ),
    ("nn", "optim", "data", "datasets", "compile", "utils"),
    ("viz", "classroom", "testing"),
    ("requirements", "cli", "course", "demo", "demo_page", "doctor", "__main__", "__init__"),
)
LAYER_OF = {name: number for number, names in enumerate(LAYERS) for name in names}

# Loaded on first use, inside a function.
ON_FIRST_USE = {
    "numba", "cupy", "scipy", "sklearn", "graphviz", "anywidget", "ipywidgets", "traitlets", "IPython",
    "matplotlib", "PIL", "jupytext", "nbformat", "nbclient", "pytest", "hypothesis", "rich", "tqdm",
}  # fmt: skip
# Modules that nothing else loads before they are needed, and what each is made of.
LOADED_WITH_ITS_MODULE = {
    "arrays/kernels.py": {"numba"},
    "classroom/plugin.py": {"pytest"},
    "testing/strategies.py": {"hypothesis"},
}
NEVER_BELOW_VIZ = {"graphviz", "anywidget", "ipywidgets", "IPython", "matplotlib"}
NEVER_IN_OPS = {"numpy", "numba", "cupy", "scipy"}
MAY_IMPORT_THE_ROOT = {"cli.py", "demo.py", "doctor.py", "__main__.py", "__init__.py"}


class Import(NamedTuple):
    """One imported module: its full name, the line, and whether it runs when the file is imported."""

    name: str
    line: int
    at_import: bool


def module_name(path: Path, root: Path) -> str:
    parts = ("tensorplay", *path.relative_to(root).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


def is_module(name: str, root: Path) -> bool:
    path = root.joinpath(*name.split(".")[1:])
    return path.is_dir() or path.with_suffix(".py").is_file()


def imports(path: Path, root: Path = PACKAGE) -> Iterator[Import]:
    """What a file imports, without what only a type checker reads."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    package = module_name(path, root).split(".")
    if path.name != "__init__.py":
        package = package[:-1]
    for node, at_import in statements(tree.body, True):
        if isinstance(node, ast.Import):
            yield from (Import(alias.name, node.lineno, at_import) for alias in node.names)
        else:
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            source = ".".join(filter(None, (base, node.module)))
            for alias in node.names:
                full = f"{source}.{alias.name}"
                inside = source.startswith("tensorplay") and is_module(full, root)
                yield Import(full if inside else source, node.lineno, at_import)


def statements(body: list[ast.stmt], at_import: bool) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    """Import statements in a body and in what is nested in it."""
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node, at_import
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield from statements(node.orelse, at_import)
        else:
            inner = at_import and not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            for field in ("body", "orelse", "finalbody"):
                yield from statements(getattr(node, field, []), inner)
            for handler in getattr(node, "handlers", []):
                yield from statements(handler.body, inner)


def part_of(name: str) -> str:
    """The row entry a module belongs to: "tensorplay.nn.linear" is part of "nn"."""
    return [*name.split("."), "__init__"][1]


def violations(root: Path = PACKAGE) -> list[str]:
    """Everything in the tree below `root` that breaks a rule, as readable lines."""
    found = []
    for path in sorted(root.rglob("*.py")):
        own = part_of(module_name(path, root))
        if own not in LAYER_OF:
            found.append(f"{path.name}: {own!r} has no place in LAYERS")
            continue
        for item in imports(path, root):
            problem = forbidden(path.relative_to(root).as_posix(), own, item)
            if problem:
                found.append(f"{path.relative_to(root)}:{item.line}: {problem}")
    return found


def forbidden(file: str, own: str, item: Import) -> str | None:
    """Why this import may not stand in this file, or None."""
    top = item.name.partition(".")[0]
    if top != "tensorplay":
        return forbidden_library(file, own, top, item.at_import)
    if item.name == "tensorplay":
        return None if file in MAY_IMPORT_THE_ROOT else "imports the package root"
    other = part_of(item.name)
    if LAYER_OF.get(other, 0) > LAYER_OF[own]:
        return f"{own} may not import {item.name}, which is above it"
    return None


def forbidden_library(file: str, own: str, library: str, at_import: bool) -> str | None:
    if own == "ops" and library in NEVER_IN_OPS:
        return f"ops may not import {library}"
    if library in NEVER_BELOW_VIZ and LAYER_OF[own] < LAYER_OF["viz"]:
        return f"{own} is below viz and may not import {library}"
    if at_import and library in ON_FIRST_USE - LOADED_WITH_ITS_MODULE.get(file, set()):
        return f"{library} is to be imported on first use, inside a function"
    return None


def cycles(root: Path = PACKAGE) -> list[str]:
    """Modules that import each other, directly or around a corner, while they are being imported."""
    files = {module_name(path, root): path for path in root.rglob("*.py")}
    graph = {
        name: {item.name for item in imports(path, root) if item.at_import and item.name in files}
        for name, path in files.items()
    }
    done: set[str] = set()
    while ready := [name for name, needed in graph.items() if name not in done and needed <= done]:
        done.update(ready)
    return sorted(set(graph) - done)


# --------------------------------------------------------------------------------------- direction


def test_imports_flow_one_way() -> None:
    assert violations() == []


def test_no_module_is_part_of_an_import_cycle() -> None:
    assert cycles() == []


PLANTED = {
    "ops/bad.py": ("import numpy as np", "ops may not import numpy"),
    "ops/worse.py": ("def f():\n    from tensorplay.tensor import Tensor", "ops may not import tensorplay.tensor"),
    "autograd/bad.py": ("from ..tensor import wrap", "autograd may not import tensorplay.tensor"),
    "nn/bad.py": ("from tensorplay.viz import show", "nn may not import tensorplay.viz"),
    "nn/lazy.py": ("def f():\n    import graphviz", "nn is below viz and may not import graphviz"),
    "viz/bad.py": ("from tensorplay import Tensor", "imports the package root"),
    "viz/root.py": ("try:\n    import tensorplay as tp\nexcept ImportError:\n    pass", "imports the package root"),
    "viz/eager.py": ("import anywidget", "anywidget is to be imported on first use"),
    "viz/up.py": ("from tensorplay import cli", "viz may not import tensorplay.cli"),
    "unplanned.py": ("", "'unplanned' has no place in LAYERS"),
}
HARMLESS = {
    "viz/good.py": "def f():\n    import graphviz\n",
    "tensor.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from tensorplay.nn import Module\n",
    "nn/good.py": "import numpy as np\nfrom tensorplay.tensor import Tensor\nfrom . import bad\n",
    "cli.py": "import tensorplay\n",
}


@pytest.mark.parametrize("file", PLANTED)
def test_a_planted_violation_is_caught(file: str, tmp_path: Path) -> None:
    text, expected = PLANTED[file]
    plant(tmp_path, HARMLESS | {file: text})
    (found,) = violations(tmp_path)
    assert expected in found


def test_what_is_allowed_is_not_reported(tmp_path: Path) -> None:
    plant(tmp_path, HARMLESS)
    assert violations(tmp_path) == []


def test_a_planted_cycle_is_caught(tmp_path: Path) -> None:
    plant(tmp_path, {"nn/a.py": "from .b import x", "nn/b.py": "import tensorplay.nn.a", "nn/c.py": "from .a import x"})
    assert cycles(tmp_path) == ["tensorplay.nn.a", "tensorplay.nn.b", "tensorplay.nn.c"]


def plant(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")


# ------------------------------------------------------------------------------------ what is loaded


def test_importing_the_package_loads_no_heavy_library() -> None:
    heavy = sorted((ON_FIRST_USE | {"jupyterlab", "ipykernel", "asyncio"}) - {"traitlets"})
    program = f"import sys, tensorplay; print([name for name in {heavy} if name in sys.modules])"
    command = [sys.executable, "-c", program]
    answer = subprocess.run(command, capture_output=True, text=True, check=True, cwd=PACKAGE.parent)
    assert answer.stdout.strip() == "[]"


# -------------------------------------------------------------------------------------------- size

MAX_FILE, MAX_FUNCTION, MAX_MEDIAN = 400, 40, 9

LONGER_FILES: dict[str, str] = {
    # file: why it is one idea that does not split
}
LONGER_FUNCTIONS = {
    # Hot paths: a call costs about 70 ns, a twelfth of a recorded addition, so these stay in one piece.
    "autograd/engine.py:walk": "the backward loop, once a node",
    "apply.py:apply2": "recording, once an operation of two tensors",
}


def functions(text: str) -> Iterator[tuple[str, int]]:
    """Names and lengths of functions: lines of code, without docstrings, comments and functions inside."""
    lines = [line.strip() for line in text.splitlines()]
    found = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    for node in found:
        inside = [other for other in ast.walk(node) if other in found and other is not node]
        left_out = {n for part in (*inside, *docstring(node)) for n in span(part)}
        code = [n for n in span(node) if n not in left_out and lines[n - 1] and not lines[n - 1].startswith("#")]
        yield node.name, len(code)


def docstring(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.stmt]:
    return node.body[:1] if ast.get_docstring(node, clean=False) is not None else []


def span(node: ast.stmt) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def sources() -> Iterator[tuple[str, str]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        yield path.relative_to(PACKAGE).as_posix(), path.read_text(encoding="utf-8")


def test_files_stay_short() -> None:
    lengths = {name: text.count("\n") for name, text in sources()}
    assert {name: n for name, n in lengths.items() if n > MAX_FILE and name not in LONGER_FILES} == {}
    assert [name for name in LONGER_FILES if lengths.get(name, 0) <= MAX_FILE] == []


def test_a_function_is_measured_by_its_code() -> None:
    text = 'def f():\n    """One\n\n    two."""\n\n    # why\n    def g():\n        return 1\n    return g\n'
    assert dict(functions(text)) == {"f": 2, "g": 2}


def test_functions_stay_short() -> None:
    lengths = [(f"{file}:{name}", n) for file, text in sources() for name, n in functions(text)]
    assert {name: n for name, n in lengths if n > MAX_FUNCTION and name not in LONGER_FUNCTIONS} == {}
    assert statistics.median(n for _, n in lengths) <= MAX_MEDIAN

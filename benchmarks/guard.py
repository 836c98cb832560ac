"""What the test for listeners costs when nobody listens, in instructions.

The guards are of the form `if events.listeners:`. The package is copied twice, once as it is and once
with every guard taken out of its syntax tree; the same loops run in both under a counter of
instructions, which a busy machine does not disturb. Start-up cancels out: each loop runs with two
lengths, and the difference counts.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

__all__ = ["compare", "without_guards"]

PACKAGE = Path(__file__).parents[1] / "tensorplay"
GUARDS = {"listeners", "events.listeners", "reasons", "special.reasons", "sources_wanted", "events.sources_wanted"}

PROGRAM = """
import sys
import tensorplay as tp
x, w = (tp.ones(2, 3, requires_grad=True) for _ in "xw")
def add(n):
    for _ in range(n):
        x + w
def backward(n):
    for _ in range(n):
        h = x
        for _ in range(50):
            h = h * w + x
        h.sum().backward()
{"add": add, "backward": backward}[sys.argv[1]](int(sys.argv[2]))
"""
LOOPS = {"add": (50, 350), "backward": (2, 10)}
"""By name of a loop in PROGRAM: a short and a long run, in steps."""


def compare() -> dict[str, Any]:
    """Instructions a step of each loop, with and without the guards; or why that cannot be counted."""
    counter = find_counter()
    if counter is None:
        return {"skipped": "neither perf (with access to the instruction counter) nor valgrind works here"}
    with tempfile.TemporaryDirectory() as folder:
        trees = {"with": Path(folder, "with"), "without": Path(folder, "without")}
        removed = {name: copy_package(tree, name == "without") for name, tree in trees.items()}["without"]
        counts = {loop: {name: per_step(counter, tree, loop) for name, tree in trees.items()} for loop in LOOPS}
    return {"counter": counter.__name__, "guards_removed": removed, "counts": counts}


# ------------------------------------------------------------------------------------ the two copies


def copy_package(target: Path, strip: bool) -> int:
    """Copy the package below `target`, both times through the syntax tree; return how many guards went."""
    shutil.copytree(PACKAGE, target / "tensorplay", ignore=shutil.ignore_patterns("__pycache__"))
    removed = 0
    for file in (target / "tensorplay").rglob("*.py"):
        text, count = without_guards(file.read_text(encoding="utf-8")) if strip else (file.read_text("utf-8"), 0)
        file.write_text(ast.unparse(ast.parse(text)), encoding="utf-8")
        removed += count
    return removed


def without_guards(text: str) -> tuple[str, int]:
    """The source with every guard taken out, and how many there were.

    >>> without_guards("def f(x):\\n    if events.listeners:\\n        emit(x)\\n    return x")
    ('def f(x):\\n    return x', 1)
    """
    remover = _Remover()
    tree = ast.fix_missing_locations(remover.visit(ast.parse(text)))
    return ast.unparse(tree), remover.removed


class _Remover(ast.NodeTransformer):
    """Replaces `if guard: A else: B` by B, and leaves guards out of `a or guard`."""

    removed = 0

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        if getattr(node, "body", None) == []:
            node.body = [ast.Pass()]  # type: ignore[attr-defined]
        return node

    def visit_If(self, node: ast.If) -> Any:
        self.generic_visit(node)
        if not _is_guard(node.test):
            return node
        self.removed += 1
        return node.orelse

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        self.generic_visit(node)
        kept = [value for value in node.values if not _is_guard(value)]
        if isinstance(node.op, ast.And) or not kept:
            return node
        self.removed += len(node.values) - len(kept)
        return kept[0] if len(kept) == 1 else ast.BoolOp(node.op, kept)


def _is_guard(test: ast.expr) -> bool:
    return isinstance(test, ast.Name | ast.Attribute) and ast.unparse(test) in GUARDS


# -------------------------------------------------------------------------------------- the counters

Counter = Callable[[list[str], Path], int]


def per_step(counter: Counter, tree: Path, loop: str) -> float:
    """Instructions a step of this loop with the package below `tree`."""
    short, long = LOOPS[loop]
    totals = [counter([sys.executable, "-c", PROGRAM, loop, str(n)], tree) for n in (short, long)]
    return (totals[1] - totals[0]) / (long - short)


def find_counter() -> Counter | None:
    """The first counter that can count here."""
    for counter in (perf, valgrind):
        try:
            if shutil.which(counter.__name__) and counter([sys.executable, "-c", "pass"], Path.cwd()) > 0:
                return counter
        except (OSError, subprocess.CalledProcessError, ValueError):
            continue  # there, but not allowed to count
    return None


def perf(command: list[str], tree: Path) -> int:
    """Instructions in user code, by the processor's own counter."""
    said = _run(["perf", "stat", "-x,", "-e", "instructions:u", *command], tree)
    return int(said.strip().splitlines()[-1].partition(",")[0])


def valgrind(command: list[str], tree: Path) -> int:
    """Instructions by simulation: slow, and allowed everywhere."""
    quiet = ["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    said = _run(["valgrind", *quiet, *command], tree)
    found = re.search(r"I\s+refs:\s+([\d,]+)", said)
    return int(found[1].replace(",", "")) if found else 0


def _run(command: list[str], tree: Path) -> str:
    """Run in `tree`, always with the same hashes, and return what the counter wrote."""
    environment = os.environ | {"PYTHONHASHSEED": "0", "PYTHONPATH": str(tree)}
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=True)
    return done.stderr

"""The public functions: one file a family, each name listed where it is written, families in one order."""

from __future__ import annotations

import ast
import importlib
import inspect
from pathlib import Path

import pytest

import tensorplay as tp
from tensorplay import functional

FOLDER = Path(functional.__file__).parent
ORDER = ["common", *dict.fromkeys(
    node.module
    for node in ast.parse((FOLDER / "__init__.py").read_text(encoding="utf-8")).body
    if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module
), "losses"]  # fmt: skip
FAMILIES = ORDER[1:-1]


def test_every_file_has_its_place_in_the_order() -> None:
    assert sorted(ORDER) == sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "__init__")


@pytest.mark.parametrize("family", ORDER)
def test_a_family_imports_only_from_those_before_it(family: str) -> None:
    tree = ast.parse((FOLDER / f"{family}.py").read_text(encoding="utf-8"))
    needed = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level == 1}
    assert needed <= set(ORDER[: ORDER.index(family)])


@pytest.mark.parametrize("family", FAMILIES)
def test_the_functions_of_a_family_are_public(family: str) -> None:
    module = importlib.import_module(f"tensorplay.functional.{family}")
    functions = [thing for thing in vars(module).values() if inspect.isfunction(thing)]
    written = {f.__name__ for f in functions if f.__module__ == module.__name__ and not f.__name__.startswith("_")}
    assert written <= set(module.__all__)
    assert module.__all__ == sorted(module.__all__)
    for name in module.__all__:
        assert getattr(tp, name) is getattr(functional, name) is getattr(module, name)


def test_no_name_is_in_two_families() -> None:
    assert len(functional.__all__) == len(set(functional.__all__))

"""The names a course needs (`names.toml`) and those not there yet (`missing.txt`), as paths such as `Tensor.abs_`."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


@cache
def tables() -> dict[str, Any]:
    return tomllib.loads((HERE / "names.toml").read_text(encoding="utf-8"))


def families() -> dict[str, dict[str, tuple[str, ...]]]:
    """The operations: family → name → the forms PyTorch has it in."""
    every = tables()["operations"].items()
    return {family: {name: tuple(forms.split(", ")) for name, forms in names.items()} for family, names in every}


def modules() -> dict[str, list[str]]:
    """The other modules: path → names."""
    return {module: names.split() for module, names in tables()["modules"].items()}


def paths_of(name: str, forms: tuple[str, ...]) -> list[str]:
    """Where each form of an operation is found."""
    spelled = {"function": name, "method": f"Tensor.{name}", "in-place": f"Tensor.{name}_"}
    return [spelled[form] for form in forms]


def paths() -> Iterator[str]:
    """Every path that must be there, in the order of `names.toml`."""
    for names in families().values():
        for name, forms in names.items():
            yield from paths_of(name, forms)
    for module, listed in modules().items():
        yield from (f"{module}.{name}" for name in listed)


def lines(file: str) -> list[str]:
    """The lines of a text file of this folder, without comments."""
    text = (HERE / file).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


@cache
def missing() -> frozenset[str]:
    return frozenset(lines("missing.txt"))


OURS = {"utils.data": "data"}
"""Modules that have another place with us."""


def find(lib: Any, path: str) -> Any:
    """What the library has there, or None."""
    if lib.__name__ == "tensorplay":
        path = next((path.replace(f"{a}.", f"{b}.", 1) for a, b in OURS.items() if path.startswith(f"{a}.")), path)
    *modules, name = path.split(".")
    if modules and modules[0] != "Tensor":
        try:
            import_module(".".join((lib.__name__, *modules)))
        except ImportError:
            return None
    found = lib
    for part in (*modules, name):
        found = getattr(found, part, None)
    return found

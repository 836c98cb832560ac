"""The rows of all families, from the files `rows_<family>.py`, and what families share to write theirs."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

from tests.parity.listed import HERE, lines


def float_unary(name: str) -> list[str]:
    """A function of one tensor that is defined everywhere, with its in-place form."""
    function, method, in_place = f"lib.{name}(a)", f"a.{name}()", f"a.{name}_()"
    return [function, method, in_place, *(f"lib.{name}({operand})" for operand in ("k", "n", "e", "s", "x", "u", "m"))]


class Rows(NamedTuple):
    """What the files say, together."""

    valid: dict[str, list[str]]
    invalid: dict[str, list[str]]
    deviations: dict[str, str]


@cache
def rows() -> Rows:
    found = Rows({}, {}, {})
    for file in sorted(HERE.glob("rows_*.py")):
        module: Any = import_module(f"tests.parity.{file.stem}")
        for position, name in enumerate(("ROWS", "INVALID", "DEVIATIONS")):
            mine: dict[str, Any] = found[position]
            here = getattr(module, name, {})
            twice = set(here) & set(mine)
            assert not twice, f"{file.name} repeats {name} of {sorted(twice)}"
            mine.update(here)
    return found


@cache
def open_differences() -> frozenset[str]:
    """Disagreements that are faults, to be mended: `open.txt`."""
    return frozenset(lines("open.txt"))


def accepted(difference: Any) -> str | None:
    """The key of the deviation or open difference that covers it."""
    for key in (*rows().deviations, *open_differences()):
        expression, _, words = key.partition("  # ")
        if expression == difference.expression and set(words.split()) <= {difference.dtype, *difference.aspect.split()}:
            return key
    return None


def keys_of(name: str) -> set[str]:
    """The keys that belong to the expressions of a name."""
    mine = {*rows().valid.get(name, ()), *rows().invalid.get(name, ())}
    return {key for key in (*rows().deviations, *open_differences()) if key.partition("  # ")[0] in mine}

"""Makes `docs/functions.md`: `python -m tests.parity.table`, where PyTorch is installed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import tensorplay as tp
from tests.parity import listed
from tests.parity.rows import keys_of, open_differences, rows
from tests.parity.signature_deviations import DEVIATIONS, open_signatures

PAGE = Path(__file__).parents[2] / "docs" / "functions.md"
INTRODUCTION = """# The functions of PyTorch, and ours

Made by `python -m tests.parity.table`; the tests in `tests/parity` compare the same. Each name that a course needs:
whether it is there as a function, as a method and in place (`-`: PyTorch has none either), whether its arguments are
PyTorch's, for which dtypes PyTorch takes it and ours agrees, and the largest error against PyTorch relative to
1 + |number|, of values and of gradients (first and second order).
"""
TITLES = "| name | function | method | in place | arguments | dtypes | error of values | error of gradients |"
SHORT = {"float": "f", "bfloat": "bf", "int": "i", "uint": "u", "complex": "c", "bool": "bool"}
FORMS = ("function", "method", "in-place")


def short(dtype: str) -> str:
    """`f32` for float32."""
    letters, digits = re.fullmatch(r"([a-z]+)(\d*)", dtype).groups()  # type: ignore[union-attr]
    return SHORT[letters] + digits


def presence(name: str, forms: tuple[str, ...]) -> list[str]:
    """`yes`, `no` or `-` for each form, and whether the arguments are PyTorch's."""
    cells = []
    for form in FORMS:
        there = form in forms and listed.find(tp, listed.paths_of(name, (form,))[0]) is not None
        cells.append("yes" if there else "no" if form in forms else "-")
    paths = [p for p in listed.paths_of(name, forms) if listed.find(tp, p) is not None]
    other = [p for p in paths if p in DEVIATIONS or p in open_signatures()]
    return [*cells, "-" if not paths else f"other: {', '.join(f'`{p}`' for p in other)}" if other else "equal"]


def measured(name: str, results: bool) -> list[str]:
    """The dtypes and the errors, which change with the machine: left out where only the rest is compared."""
    if not results or name not in rows().valid:
        return ["", "", ""]
    import torch

    from tests.parity.harness import run

    report = run((tp, torch), rows().valid[name])
    errors: dict[str, dict[str, float]] = {"value": {}, "gradient": {}}
    for (dtype, aspect), error in report.errors.items():
        kind = "value" if aspect in ("value", "operand") else "gradient"
        errors[kind][dtype] = max(error, errors[kind].get(dtype, 0.0))
    texts = [", ".join(f"{short(d)} {e:.0e}" for d, e in found.items() if e) or "0" for found in errors.values()]
    return [" ".join(short(d) for d in sorted(report.accepted)), *texts]


def lines(results: bool) -> Iterator[str]:
    """The page; without results, its stable part."""
    yield INTRODUCTION
    for family, names in listed.families().items():
        yield f"## {family.replace('_', ' ').capitalize()}\n\n{TITLES}\n|---|---|---|---|---|---|---|---|"
        for name, forms in names.items():
            yield f"| `{name}` | {' | '.join([*presence(name, forms), *measured(name, results)])} |"
        yield ""
    for module, names_there in listed.modules().items():
        missing = [n for n in names_there if f"{module}.{n}" in listed.missing()]
        there = [n for n in names_there if n not in missing]
        yield f"## {module}\n\nThere: {quoted(there)}.\n\nNot there yet: {quoted(missing)}.\n"
    yield from differences()


def quoted(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "none"


def differences() -> Iterator[str]:
    """Deviations with their reasons, and the faults that are known."""
    yield "## Deviations\n"
    yield from (f"- `{key}`: {reason}" for key, reason in {**rows().deviations, **DEVIATIONS}.items())
    yield "\n## Differences that are still open\n"
    for name in dict.fromkeys([*rows().valid, *rows().invalid]):
        yield from (f"- `{key}`" for key in sorted(keys_of(name) & open_differences()))


def stable(page: str) -> list[str]:
    """The page without the columns that change with the machine."""
    return [re.sub(r"^(\| `(?:[^|]*\|){5}).*", r"\1", line) for line in page.splitlines()]


def page(results: bool) -> str:
    return "\n".join(lines(results)) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(results=True), encoding="utf-8")

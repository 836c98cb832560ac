"""Every name a course needs is there, in the forms PyTorch has, or is listed as missing."""

from __future__ import annotations

import pytest

import tensorplay as tp
from tests.parity import listed

FAMILIES = listed.families()


def test_what_is_missing_is_listed_and_what_is_listed_is_missing() -> None:
    absent = {path for path in listed.paths() if listed.find(tp, path) is None}
    assert sorted(absent - listed.missing()) == [], "neither there nor in missing.txt"
    assert sorted(listed.missing() - absent) == [], "no longer missing: take the lines out of missing.txt"


def test_a_name_is_listed_once() -> None:
    names = [name for family in FAMILIES.values() for name in family]
    assert len(names) == len(set(names))
    assert len(listed.missing()) == len(listed.lines("missing.txt"))


@pytest.mark.parametrize("family", FAMILIES)
def test_the_forms_are_those_of_pytorch(family: str) -> None:
    torch = pytest.importorskip("torch")
    for name, forms in FAMILIES[family].items():
        every: tuple[str, ...] = ("function", "method") if family == "dtypes" else ("function", "method", "in-place")
        if "." in name:
            every = ("function",)
        elif name.endswith("_"):
            every = every[:2]
        found = tuple(form for form in every if listed.find(torch, listed.paths_of(name, (form,))[0]) is not None)
        assert forms == found, name


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize("module", listed.modules())
def test_the_names_of_modules_are_those_of_pytorch(module: str) -> None:
    torch = pytest.importorskip("torch")
    assert [name for name in listed.modules()[module] if listed.find(torch, f"{module}.{name}") is None] == []

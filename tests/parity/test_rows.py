"""The rows of every family: values, dtypes, shapes, gradients and errors are PyTorch's."""

from __future__ import annotations

from typing import Any

import pytest

import tensorplay as tp
from tests.parity import harness, listed
from tests.parity.rows import accepted, keys_of, open_differences, rows

NAMES = list(dict.fromkeys([*rows().valid, *rows().invalid]))
WITH_ROWS = ("creation", "random", "pointwise", "reductions", "shape", "indexing", "linear_algebra")


@pytest.fixture(scope="module")
def libs() -> tuple[Any, Any]:
    torch = pytest.importorskip("torch")
    return tp, torch


@pytest.mark.parametrize("name", NAMES)
def test_the_rows_of_a_name(name: str, libs: tuple[Any, Any]) -> None:
    found = harness.run(libs, rows().valid.get(name, ())).differences
    found += harness.run_invalid(libs, rows().invalid.get(name, ()))
    covered = {accepted(difference) for difference in found}
    assert [str(difference) for difference in found if accepted(difference) is None] == []
    assert sorted(keys_of(name) - covered) == [], "deviations and open differences that are none (any more)"


def test_every_operation_that_is_there_has_rows() -> None:
    families = listed.families()
    there = [n for f in WITH_ROWS for n, forms in families[f].items() if listed.find(tp, listed.paths_of(n, forms)[0])]
    functions = [f"nn.functional.{n}" for n in listed.modules()["nn.functional"]]
    there += [n for n in functions if listed.find(tp, n) and n.rpartition(".")[2] not in rows().valid]
    assert [name for name in there if name not in rows().valid] == []


def test_every_deviation_belongs_to_a_row_and_has_a_reason() -> None:
    every = set().union(*map(keys_of, NAMES))
    assert sorted((set(rows().deviations) | open_differences()) - every) == []
    assert all(len(reason) > 10 for reason in rows().deviations.values())


@pytest.mark.parametrize(
    ("wrong", "aspect"),
    [
        ("a + 1 if lib.__name__ == 'torch' else a + 1.0001", "value"),
        ("a if lib.__name__ == 'torch' else a.detach()", "recorded"),
        ("a * 2 if lib.__name__ == 'torch' else a.detach() + a", "gradient"),
        ("a * a if lib.__name__ == 'torch' else a * 2 * a.detach() - a.detach() * a.detach()", "second"),
        ("a if lib.__name__ == 'torch' else a[0]", "shape"),
        ("a if lib.__name__ == 'torch' else a.double()", "dtype"),
        ("a + v[:2] if lib.__name__ == 'torch' else a", "error"),
        ("a if lib.__name__ == 'torch' else a.nothing", "refused"),
        ("(a.zero_(), 1)[1] if lib.__name__ == 'torch' else 1", "operand"),
    ],
)
def test_the_comparison_sees_each_kind_of_fault(wrong: str, aspect: str, libs: tuple[Any, Any]) -> None:
    assert aspect in {word for d in harness.run(libs, [wrong]).differences for word in d.aspect.split()}

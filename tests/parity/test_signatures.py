"""Argument names, order, kinds and defaults are PyTorch's, or the difference is listed with a reason."""

from __future__ import annotations

import pytest

import tensorplay as tp
from tests.parity import listed
from tests.parity.signature_deviations import DEVIATIONS, compared, open_signatures


def there() -> list[str]:
    return [path for path in compared() if listed.find(tp, path) is not None]


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize("path", there())
def test_a_signature(path: str) -> None:
    pytest.importorskip("torch")
    from tests.parity.signatures import difference

    found = difference(path)
    if path in DEVIATIONS or path in open_signatures():
        assert found, f"{path} is the same as PyTorch's: take it out of the list"
    else:
        assert not found, f"{path}{found}"


def test_every_listed_difference_is_of_something_that_is_there() -> None:
    assert sorted((set(DEVIATIONS) | open_signatures()) - set(there())) == []
    assert set(DEVIATIONS) & open_signatures() == set()
    assert all(len(reason) > 10 for reason in DEVIATIONS.values())


@pytest.mark.parametrize(
    ("mine", "overloads"),
    [
        ("(input, dim)", "(input, dim=None)"),
        ("(input, axis=None)", "(input, dim=None)"),
        ("(input, dim=0)", "(input, dim=None)"),
        ("(input, extra)", "(input)"),
        ("(input, *, dim=None)", "(input, dim=None)"),
    ],
)
def test_a_difference_is_seen(mine: str, overloads: str) -> None:
    from tests.parity.signatures import of_text, takes

    assert not takes(of_text(mine), of_text(overloads))
    assert takes(of_text(overloads), of_text(overloads))

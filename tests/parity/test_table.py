"""The page in docs/ is what the table makes now, but for the digits of errors."""

from __future__ import annotations

from tests.parity.table import PAGE, page, stable


def test_the_page_is_up_to_date() -> None:
    written = stable(PAGE.read_text(encoding="utf-8"))
    made = stable(page(results=False))
    assert made == written, "run python -m tests.parity.table"


def test_the_columns_left_out_are_the_measured_ones() -> None:
    assert stable("| `abs` | yes | yes | yes | equal | f32 | 1e-7 | 0 |\ntext | x") == [
        "| `abs` | yes | yes | yes | equal |",
        "text | x",
    ]

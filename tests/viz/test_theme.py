"""One colour table for two themes: complete, readable, and the same everywhere."""

from __future__ import annotations

import re

import pytest

from tensorplay.viz.paint import RULES, page_css
from tensorplay.viz.theme import DARK, LIGHT, css_variables, fill_in, media_css, variable

TEXT = ("ink", "soft", "forward", "gradient", "accumulate", "freed", "hook", "error")
LINES = ("ink", "forward", "gradient", "accumulate", "freed", "hook", "error", "focus")
GROUNDS = ("card", "paper", "wash", "glow")


def luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: str, b: str) -> float:
    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_both_themes_have_the_same_names() -> None:
    assert LIGHT.keys() == DARK.keys()


@pytest.mark.parametrize("table", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("name", TEXT)
def test_text_is_readable_on_boxes_and_paper(table: dict[str, str], name: str) -> None:
    assert contrast(table[name], table["card"]) >= 4.5
    assert contrast(table[name], table["paper"]) >= 4.5


@pytest.mark.parametrize("table", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("ground", GROUNDS)
def test_what_lies_on_tinted_boxes_is_readable_too(table: dict[str, str], ground: str) -> None:
    assert min(contrast(table[name], table[ground]) for name in ("ink", "forward", "gradient")) >= 4.2


@pytest.mark.parametrize("table", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("name", LINES)
def test_lines_stand_out(table: dict[str, str], name: str) -> None:
    assert contrast(table[name], table["card"]) >= 3


def test_every_colour_in_the_rules_is_in_the_table() -> None:
    assert set(re.findall(r"\$([a-z]+)", RULES)) <= LIGHT.keys()
    with pytest.raises(KeyError, match="no colour named 'mauve'"):
        fill_in("$mauve", variable)


def test_a_file_by_itself_has_plain_colours() -> None:
    assert "var(" not in media_css(RULES, "light") and "$" not in media_css(RULES)
    assert media_css(RULES).count("prefers-color-scheme:dark") == 1
    assert "@media" not in media_css(RULES, "dark")


def test_a_page_uses_variables_that_are_declared() -> None:
    used = set(re.findall(r"var\((--tp-[a-z]+)\)", page_css()))
    assert used <= set(re.findall(r"(--tp-[a-z]+):", css_variables()))
    assert not re.search(r"#[0-9a-f]{6}", page_css())

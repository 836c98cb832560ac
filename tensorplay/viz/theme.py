"""The one table of colours, for light and dark, used by SVG, HTML and the player.

The hues are those of Okabe and Ito, which people with colour-vision deficiencies can tell apart; where one is too
pale to read on the background it is darkened or lightened (every text colour keeps 4.5:1, every line 3:1).
No meaning rests on colour alone: freed is also dashed and named, a leaf also round, a gradient also dashed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Literal, get_args

__all__ = ["DARK", "FONT", "LIGHT", "Theme", "colours", "css_variables", "fill_in", "media_css", "variable"]

Theme = Literal["auto", "light", "dark"]

FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif'

LIGHT: Mapping[str, str] = {
    "paper": "#fbfaf7",  # behind everything
    "card": "#ffffff",  # boxes and panels
    "ink": "#1d2430",  # text, box outlines
    "soft": "#5b6472",  # second text
    "line": "#d9d7d0",  # hairlines
    "forward": "#0072b2",  # values and the way they go
    "gradient": "#c24e00",  # gradients and the way back
    "accumulate": "#00795a",  # leaves, and what adds up in .grad
    "saved": "#56b4e9",  # what a node keeps for the way back (fill)
    "freed": "#6c717b",  # what is gone
    "hook": "#a8447e",  # hooks
    "error": "#b3261e",  # where something failed
    "focus": "#111827",  # keyboard focus
    "glow": "#fff1e6",  # fill of what happens now
    "wash": "#eef4f8",  # fill of outputs
}

DARK: Mapping[str, str] = {
    "paper": "#15181e",
    "card": "#1d222b",
    "ink": "#eceff4",
    "soft": "#a6afbd",
    "line": "#343b47",
    "forward": "#56b4e9",
    "gradient": "#ff9c5a",
    "accumulate": "#4fd1a5",
    "saved": "#2f7fb5",
    "freed": "#8f97a5",
    "hook": "#e79ac6",
    "error": "#ff8a80",
    "focus": "#ffffff",
    "glow": "#3a2818",
    "wash": "#1f2a36",
}


def colours(theme: Theme = "light") -> Mapping[str, str]:
    """The colour table of a theme; "auto" is light here, since a file cannot know who looks.

    Raises ValueError for an unknown theme.

    >>> colours("dark")["forward"]
    '#56b4e9'
    """
    if theme not in get_args(Theme):
        raise ValueError(f"theme must be one of {', '.join(map(repr, get_args(Theme)))}, got {theme!r}")
    return DARK if theme == "dark" else LIGHT


def variable(name: str) -> str:
    """A colour as a CSS variable of ours.

    >>> variable("ink")
    'var(--tp-ink)'
    """
    if name not in LIGHT:
        raise KeyError(f"no colour named {name!r}; there are {', '.join(LIGHT)}")
    return f"var(--tp-{name})"


def fill_in(rules: str, colour: Callable[[str], str]) -> str:
    """Replace each `$name` in CSS text by `colour(name)`.

    >>> fill_in(".a{fill:$ink}", LIGHT.__getitem__)
    '.a{fill:#1d2430}'
    """
    return re.sub(r"\$([a-z]+)", lambda match: colour(match[1]), rules)


def css_variables(selector: str = ":root", theme: Theme = "auto") -> str:
    """CSS that sets every `--tp-…` variable on `selector`.

    "auto" follows the reader's system, then Jupyter's theme attribute, then a `data-theme` attribute of the page or
    of the element itself.
    """
    if theme != "auto":
        return f"{selector}{{{_declare(colours(theme))}}}"
    light, dark = _declare(LIGHT), _declare(DARK)
    return "\n".join(
        (
            f"{selector}{{{light}}}",
            f"@media (prefers-color-scheme:dark){{{selector}{{{dark}}}}}",
            f"{_under('[data-jp-theme-light=true]', selector)}{{{light}}}",
            f"{_under('[data-jp-theme-light=false]', selector)}{{{dark}}}",
            f"{_under('[data-theme=light]', selector)},{selector}[data-theme=light]{{{light}}}",
            f"{_under('[data-theme=dark]', selector)},{selector}[data-theme=dark]{{{dark}}}",
        )
    )


def media_css(rules: str, theme: Theme = "auto") -> str:
    """CSS with the colours written in, for a file that must look right by itself.

    "auto" is light, and dark where the reader's system says so.
    """
    css = fill_in(rules, colours(theme).__getitem__)
    if theme == "auto":
        css += f"@media (prefers-color-scheme:dark){{{fill_in(rules, DARK.__getitem__)}}}"
    return css


def _declare(table: Mapping[str, str]) -> str:
    return "".join(f"--tp-{name}:{value};" for name, value in table.items())


def _under(ancestor: str, selector: str) -> str:
    # ":root" is itself the topmost element, so the attribute sits on it or on body inside it
    return f"{ancestor}{selector},body{ancestor}" if selector == ":root" else f"{ancestor} {selector}"

"""The player's markup, and the page around it: one file, no network, nothing that comes from a user as markup."""

from __future__ import annotations

import base64
import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

from ..layout import layout
from ..narrate import plain, sentence
from ..paint import page_css, paint
from ..text import attribute, xml
from ..theme import Theme, css_variables
from ..trace import Trace
from .frames import film, stage_graph
from .reel import Reel, reel_of

__all__ = ["markup", "page", "script", "styles"]

_FOLDER = Path(__file__).parent
_ROOM = 800.0
"""How wide a picture may be and still stand beside the cards."""
_LINE = 130
"""How many letters the sentence's first line holds."""

_LEGEND = (
    '<div class="legend"><span class="f"><i></i>value, forward</span>'
    '<span class="g"><i></i>gradient, backward</span><span class="d"><i></i>dashed and hatched: freed</span>'
    '<span class="w">± n: all numbers lie within</span>'
    '<button type="button" class="fit" data-go="fit" aria-pressed="false">Whole graph</button></div>'
)
_SPEEDS = ("0.25", "0.5", "1", "2", "4")
_BUTTONS = (
    ("first", "First step", "|◂"),
    ("previous", "Previous step", "◂"),
    ("play", "", "Play"),
    ("next", "Next step", "▸"),
    ("last", "Last step", "▸|"),
)


@cache
def script() -> str:
    """The module's text."""
    return (_FOLDER / "player.js").read_text(encoding="utf-8")


@cache
def styles(selector: str = ".tp-player", theme: Theme = "auto") -> str:
    """All CSS of the player: colours, boxes and edges, page parts."""
    own = (_FOLDER / "player.css").read_text(encoding="utf-8")
    return "\n".join((css_variables(selector, theme), page_css(), own))


def markup(trace: Trace, title: str, prefix: str = "", engine: Any = None, reel: Reel | None = None) -> str:
    """The player's element, drawn but not yet alive. `prefix` keeps the ids of several pictures apart."""
    reel = reel or reel_of(trace)
    graph = stage_graph(trace, reel)
    placed = layout(graph, engine, interactive=True)
    svg = paint(graph, placed, prefix=prefix, interactive=True, style=False)
    svg = svg.replace(' xmlns="http://www.w3.org/2000/svg"', "", 1)  # HTML knows, and a page names no address
    wide = " wide" if placed.width > _ROOM else ""
    wide += " many" if trace.left_out.values else ""
    wide += " long" if any(len(plain(sentence(trace, k))) > _LINE for k in reel.frames) else ""
    notes = " ".join([*trace.left_out.sentences(), *reel.notes])
    return (
        f'<div class="tp-player{wide}" data-step="0" data-lm-suppress-shortcuts="true" tabindex="-1" role="group" '
        f'aria-label="{attribute(f"Step-through: {title}")}">\n'
        f'<div class="head"><span class="title" role="heading" aria-level="1">{xml(title)}</span>'
        '<span class="phase"></span><span class="count"></span></div>\n'
        '<p class="say" aria-live="polite" aria-atomic="true"></p>\n'
        f'<div class="stage"><div class="scroll">{svg}</div>{_LEGEND}</div>\n'
        f'{_foot()}\n<div class="cards">{"".join(map(_card, ("step", "way", "why")))}'
        '<section class="card saved"><h2></h2><div class="ribbon"></div></section>'
        f"{_card('code')}</div>"
        f"{f'<p class=notes>{xml(notes)}</p>' if notes else ''}</div>"
    )


def _card(name: str) -> str:
    return f'<section class="card {name}"><h2></h2><div class="body"></div></section>'


def _foot() -> str:
    buttons = "".join(
        f'<button type="button" data-go="{name}"{f" aria-label={chr(34)}{label}{chr(34)}" if label else ""}'
        f"{' class=main' if name == 'play' else ''}>{text}</button>"
        for name, label, text in _BUTTONS
    )
    speeds = "".join(f'<option value="{s}"{" selected" if s == "1" else ""}>{s}×</option>' for s in _SPEEDS)
    track = '<div class="track"><input type="range" min="0" value="0" step="1" aria-label="Step"></div>'
    speed = f'<select class="speed" aria-label="Speed">{speeds}</select>'
    keys = "".join(f"<kbd>{key}</kbd>" for key in ("←", "→", "space"))
    controls = f'<div class="controls">{buttons}<span class="next"></span>{speed}{keys}</div>'
    return f'<div class="foot">{track}{controls}</div>'


def page(trace: Trace, title: str, extra: str = "", theme: Theme = "auto", engine: Any = None) -> str:
    """The whole HTML file. `extra` is markup the caller vouches for, set below the player."""
    code, reel = script() + _START, reel_of(trace)
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    head = (
        f'<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{xml(title)}</title>\n<style>{styles(':root', theme)}\n{_BODY}</style>"
    )
    forced = "" if theme == "auto" else f' data-theme="{theme}"'
    below = f'\n<div class="tp-extra">{extra}</div>' if extra else ""
    return (
        f'<!doctype html>\n<html lang="en"{forced}>\n<head>\n{head}\n</head>\n<body>\n'
        f"<main>{markup(trace, title, engine=engine, reel=reel)}{below}</main>\n"
        f'<script type="application/json" id="film">{_embedded(film(trace, reel))}</script>\n'
        f'<script type="module">{code}</script>\n</body>\n</html>\n'
    )


_START = """
const player = document.querySelector(".tp-player");
mount(player, JSON.parse(document.getElementById("film").textContent), { hash: true });
player.focus({ preventScroll: true });
"""

_BODY = "body{margin:0;background:var(--tp-paper);color:var(--tp-ink)}"


def _embedded(data: dict[str, Any]) -> str:
    """JSON that cannot end the script element it stands in."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")

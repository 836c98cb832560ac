"""What the browser tests do to a player's page, and read from it."""

from __future__ import annotations

import json
from typing import Any

from tensorplay.viz import Trace


def ready(opened: Any) -> Any:
    """The page, once it plays."""
    opened.page.wait_for_selector(".tp-player[data-ready=true]")
    return opened.page


def step(page: Any) -> int:
    return int(page.get_attribute(".tp-player", "data-step"))


def dom(page: Any) -> str:
    """All of the player as the document holds it."""
    return page.evaluate("document.querySelector('.tp-player').outerHTML")


def data(page: Any, css: str, name: str) -> Any:
    text = page.get_attribute(css, f"data-{name}")
    return None if text is None else json.loads(text)


def go(page: Any, k: int) -> None:
    """To a step, by the address."""
    page.evaluate(f"location.hash = 'step={k}'")
    page.wait_for_selector(f".tp-player[data-step='{k}']")


def steps_of(trace: Trace, kind: str) -> list[int]:
    return [k for k, event in enumerate(trace.events, 1) if event.kind == kind]


def node_named(trace: Trace, name: str) -> str:
    return next(node.id for node in trace.graph.nodes if name in (node.label, node.detail))

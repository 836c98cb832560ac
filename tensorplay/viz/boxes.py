"""What is written in a box and how large the box must be: the one place that both layout and painter ask."""

from __future__ import annotations

import math
from dataclasses import dataclass

from .graph import GraphNode
from .summary import shape_text
from .text import fit, one_line, text_width

__all__ = ["Content", "Words", "content"]

PAD = 14.0
GAP, AFTER = 12.0, 7.0
"""Space between the words on the left of a line and those on its right, and before words that follow others."""
TOP = 9.0
LINE = 20.0
TITLE, BODY, SMALL = 14.5, 13.0, 12.0
WIDEST = 264.0
NARROWEST = 76.0


@dataclass(frozen=True, slots=True)
class Words:
    """Text at a place inside its box; `end` text ends there instead of beginning, `after` follows other text."""

    css: str
    text: str
    x: float
    y: float
    size: float
    bold: bool = False
    end: bool = False
    after: bool = False

    @property
    def width(self) -> float:
        """How wide it may come out."""
        return text_width(self.text, self.size, self.bold)


@dataclass(frozen=True, slots=True)
class Content:
    """A box's size and all that is written in it."""

    width: float
    height: float
    words: tuple[Words, ...]


@dataclass(frozen=True, slots=True)
class _Part:
    css: str
    text: str
    size: float = BODY
    bold: bool = False
    after: bool = False  # follows the part before it on the same line
    end: bool = False  # stands at the right


def content(node: GraphNode, interactive: bool = False) -> Content:
    """Lay the words of one box out; `interactive` also makes room for words that appear later."""
    lines = [line for line in _lines(node, interactive) if line]
    width = min(max([NARROWEST, *(math.ceil(_line_width(line)) for line in lines)]), WIDEST + 2 * PAD)
    placed: list[Words] = []
    for number, line in enumerate(lines):
        placed += _place(line, width, TOP + LINE * number + 15)
    return Content(width, 2 * TOP + LINE * len(lines), tuple(placed))


def _lines(node: GraphNode, interactive: bool) -> list[list[_Part]]:
    last = _grad(node, interactive)
    state = _state(node, interactive)
    lines = [_title(node), _value(node, interactive), last, *_extras(node)]
    (last or lines[1]).extend(state)
    return lines


def _title(node: GraphNode) -> list[_Part]:
    parts = [_Part("label", one_line(node.label), TITLE, bold=True)]
    if node.detail:
        parts.append(_Part("detail", one_line(node.detail), TITLE, after=True))
    if node.value is not None and node.shape and not _written_out(node):
        parts.append(_Part("shape", shape_text(node.shape), SMALL, end=True))
    return parts


def _written_out(node: GraphNode) -> bool:
    """Whether the value's text already shows the shape."""
    return node.value is not None and node.value.text.startswith("[")


def _value(node: GraphNode, interactive: bool) -> list[_Part]:
    if node.value is not None:
        return [_Part("value", one_line(node.value.text))]
    if node.folded:
        return []
    shape = [_Part("shape", shape_text(node.shape), SMALL)] if node.shape is not None else []
    return shape or ([_Part("value", "")] if interactive else [])


def _grad(node: GraphNode, interactive: bool) -> list[_Part]:
    if not node.show_grad or (node.folded and not node.is_op):
        return []
    if node.grad is not None:
        return [_Part("grad", f"grad {one_line(node.grad.text)}")]
    if node.kind in ("leaf", "parameter"):
        return [_Part("grad none", "no grad yet", SMALL)]
    return [_Part("grad", "")] if interactive and node.is_op else []


def _state(node: GraphNode, interactive: bool) -> list[_Part]:
    if not node.is_op or not (node.freed or interactive):
        return []
    return [_Part("state", "freed", SMALL, end=True)]


def _extras(node: GraphNode) -> list[list[_Part]]:
    lines = []
    if node.keeps:
        kept = " and ".join(node.keeps)
        lines.append([_Part("saved", f"keeps {one_line(kept)}, {node.saved_bytes:,} B", SMALL)])
    if node.hooks:
        lines.append([_Part("hook", f"↪ {node.hooks} hook{'s' * (node.hooks > 1)}", SMALL)])
    return lines


def _line_width(line: list[_Part]) -> float:
    total = 2 * PAD
    for number, part in enumerate(line):
        total += text_width(part.text, part.size, part.bold) + (_space(part) if number else 0)
    return total


def _space(part: _Part) -> float:
    return AFTER if part.after else GAP


def _place(line: list[_Part], width: float, y: float) -> list[Words]:
    room = width - 2 * PAD
    right = [part for part in line if part.end]
    room -= sum(text_width(part.text, part.size) + GAP for part in right)
    placed: list[Words] = []
    x = PAD
    for part in (part for part in line if not part.end):
        x += AFTER if part.after else 0.0
        text = fit(part.text, part.size, PAD + room - x, part.bold)
        words = Words(part.css, text, x, y, part.size, part.bold, after=part.after)
        placed.append(words)
        x += words.width
    return placed + [Words(p.css, p.text, width - PAD, y, p.size, p.bold, end=True) for p in right]

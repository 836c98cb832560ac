"""The part of the demo's page around the player: an accuracy curve and digits, drawn as plain SVG.

Colours are the CSS variables of `viz/theme.py`, with the light colour for where they are not set. No
meaning rests on colour: lines are also dashed and labelled, a mistake is also said in words.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from tensorplay.viz.theme import LIGHT

__all__ = ["Curve", "Digit", "curves_svg", "digit_svg", "page_part"]

WIDTH, HEIGHT = 560, 240
LEFT, RIGHT, TOP, BOTTOM = 52, 116, 14, 34

STYLE = """
<style>
.tp-demo h2{font-size:1.1rem;font-weight:600;margin:2rem 0 .5rem}
.tp-demo svg.curve{width:100%;max-width:40rem;height:auto}
.tp-demo .digits{display:flex;flex-wrap:wrap;gap:.9rem;list-style:none;margin:.75rem 0;padding:0}
.tp-demo .digits li{text-align:center;font-size:.8rem}
.tp-demo .digits svg{width:4rem;height:4rem;display:block}
</style>
"""


class Curve(NamedTuple):
    """A named line of one number an epoch; `dash` is an SVG dash pattern or ""."""

    name: str
    colour: str
    dash: str
    values: Sequence[float]


class Digit(NamedTuple):
    """A handwritten digit: 8x8 numbers from 0 to 1, what it is, and what the network says."""

    pixels: Sequence[Sequence[float]]
    label: int
    predicted: int


def page_part(summary: str, curves: Sequence[Curve], right: Sequence[Digit], wrong: Sequence[Digit]) -> str:
    """HTML with the curve and the two rows of digits, to stand below the player."""
    mistakes = f"<h2>All its mistakes ({len(wrong)})</h2>{_row(wrong)}" if wrong else "<h2>It made no mistake</h2>"
    return (
        f'{STYLE}<section class="tp-demo" aria-label="The whole training">'
        f"<h2>The whole training</h2><p>{escape(summary)}</p>{curves_svg(curves)}"
        f"<h2>Digits it had never seen</h2>{_row(right)}{mistakes}</section>\n"
    )


def _row(digits: Sequence[Digit]) -> str:
    return f'<ul class="digits">{"".join(map(_item, digits))}</ul>'


def _item(digit: Digit) -> str:
    said = f"says {digit.predicted}"
    if digit.predicted != digit.label:
        said += f"<br>but it is {digit.label}"
    return f"<li>{digit_svg(digit)}{said}</li>"


def digit_svg(digit: Digit) -> str:
    """One digit as an SVG picture; empty pixels are left out."""
    ink = "".join(
        f'<rect x="{x}" y="{y}" width="1.02" height="1.02" fill-opacity="{value:.2g}"/>'
        for y, row in enumerate(digit.pixels)
        for x, value in enumerate(row)
        if value > 0
    )
    border = _colour("line") if digit.predicted == digit.label else _colour("error")
    return (
        f'<svg viewBox="-.7 -.7 9.4 9.4" role="img" aria-label="a handwritten {digit.label}">'
        f'<rect x="-.6" y="-.6" width="9.2" height="9.2" rx=".6" fill="{_colour("card")}" stroke="{border}" '
        'stroke-width=".2"/>'
        f'<g fill="{_colour("ink")}">{ink}</g></svg>'
    )


def _colour(name: str) -> str:
    return f"var(--tp-{name},{LIGHT[name]})"


# -------------------------------------------------------------------------------------- the curves


def curves_svg(curves: Sequence[Curve]) -> str:
    """Lines over epochs, from a round number below the lowest value up to 100 %."""
    bottom = _round_down(min(min(curve.values) for curve in curves))
    epochs = max(len(curve.values) for curve in curves)
    ends = _spread([_y(curve.values[-1], bottom) for curve in curves])
    lines = "".join(_line(curve, epochs, bottom, end) for curve, end in zip(curves, ends, strict=True))
    spoken = ", ".join(f"{curve.name} {curve.values[-1]:.1%}" for curve in curves)
    return (
        f'<svg class="curve" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" font-size="12" '
        f'aria-label="Accuracy after each epoch; at the end: {escape(spoken)}">'
        f"{_grid(bottom)}{_axis(epochs)}{lines}</svg>"
    )


def _round_down(value: float) -> float:
    """The next multiple of 10 % below, so that the line does not start on the frame."""
    return max(0.0, int(value * 10 - 1e-9) / 10)


def _x(epoch: int, epochs: int) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * (epoch - 1) / max(1, epochs - 1)


def _y(value: float, bottom: float) -> float:
    return TOP + (HEIGHT - TOP - BOTTOM) * (1 - value) / (1 - bottom)


def _spread(ends: Sequence[float]) -> list[float]:
    """Label heights at least 16 apart, in the order of their lines."""
    placed: dict[int, float] = {}
    above = -16.0
    for index in sorted(range(len(ends)), key=ends.__getitem__):
        placed[index] = above = max(ends[index], above + 16)
    return [placed[index] for index in range(len(ends))]


def _grid(bottom: float) -> str:
    steps = 5 if bottom >= 0.5 else 4
    return "".join(_grid_line(1 - (1 - bottom) * k / steps, bottom) for k in range(steps + 1))


def _grid_line(value: float, bottom: float) -> str:
    y = _y(value, bottom)
    return (
        f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="{_colour("line")}"/>'
        f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end" fill="{_colour("soft")}">{value:.0%}</text>'
    )


def _axis(epochs: int) -> str:
    marks = sorted({1, *range(5, epochs + 1, 5), epochs})
    y = HEIGHT - BOTTOM + 18
    texts = "".join(f'<text x="{_x(e, epochs):.1f}" y="{y}" text-anchor="middle">{e}</text>' for e in marks)
    return f'<g fill="{_colour("soft")}">{texts}<text x="{WIDTH - RIGHT + 12}" y="{y}">epoch</text></g>'


def _line(curve: Curve, epochs: int, bottom: float, label_y: float) -> str:
    points = " ".join(f"{_x(n, epochs):.1f},{_y(v, bottom):.1f}" for n, v in enumerate(curve.values, 1))
    dash = f' stroke-dasharray="{curve.dash}"' if curve.dash else ""
    colour = _colour(curve.colour)
    return (
        f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2.25" stroke-linejoin="round"{dash}/>'
        f'<text x="{_x(len(curve.values), epochs) + 12:.1f}" y="{label_y + 4:.1f}" fill="{colour}">'
        f"{escape(curve.name)} {curve.values[-1]:.1%}</text>"
    )

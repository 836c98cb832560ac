"""The one painter: a graph and its layout become SVG, the same whichever rung placed the boxes.

Every box is `<g id="n7" class="node op">` with texts of class label, detail, shape, value, grad and state; every edge
is `<g id="e3" class="edge">` with a path of class line. With `interactive=True` there is also, for the player, a path
of class back (the same way reversed) and an empty text of class flow on each edge. A step only toggles classes and
fills texts: `now`, `freed`, `dim`, `hot` on boxes; `flowing`, `hot`, `dim` on edges.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from .boxes import AFTER, Content, Words, content
from .graph import Graph, GraphEdge, GraphNode, sentence
from .layout import Box, Layout, Point
from .text import attribute, fit, one_line, text_width, xml
from .theme import FONT, Theme, fill_in, media_css, variable

__all__ = ["RULES", "page_css", "paint"]

# Colours by name ($ink); `theme.media_css` writes them in, `page_css` makes them variables of the page.
RULES = f"""
.tp-graph text{{font-family:{FONT};font-size:13px;fill:$ink}}
.tp-graph .ground{{fill:$card}}
.tp-graph .title{{font-size:16px;font-weight:650}}
.tp-graph .headline,.tp-graph .key text{{font-size:12.5px;fill:$soft}}
.tp-graph .box{{fill:$card;stroke:$ink;stroke-width:1.3}}
.tp-graph .label{{font-size:14.5px;font-weight:650}}
.tp-graph .detail{{font-weight:400}}
.tp-graph .shape,.tp-graph .state,.tp-graph .none{{font-size:12px;fill:$soft}}
.tp-graph .value{{fill:$forward}}
.tp-graph .grad{{fill:$gradient}}
.tp-graph .grad.none{{fill:$soft}}
.tp-graph .saved{{font-size:12px;fill:$soft}}
.tp-graph .hook{{font-size:12px;fill:$hook}}
.tp-graph .value,.tp-graph .grad,.tp-graph .flow{{font-variant-numeric:tabular-nums}}
.tp-graph .tensor .box{{stroke:$accumulate;stroke-width:2}}
.tp-graph .constant .box{{stroke:$soft;stroke-width:1.3}}
.tp-graph .output .box{{stroke-width:2.4;fill:$wash}}
.tp-graph .folded .box{{stroke-dasharray:1 4;stroke-linecap:round;stroke-width:2}}
.tp-graph .hatch,.tp-graph .state,.tp-graph .back{{visibility:hidden}}
.tp-graph .hatch-line{{stroke:$freed;stroke-width:1;opacity:.28}}
.tp-graph .freed .hatch,.tp-graph .freed .state{{visibility:visible}}
.tp-graph .freed .box{{stroke:$freed;stroke-dasharray:4 3;fill:$card}}
.tp-graph .freed text{{fill:$freed}}
.tp-graph .freed .value{{fill:$forward}}
.tp-graph .freed .grad{{fill:$gradient}}
.tp-graph .line{{fill:none;stroke:$forward;stroke-width:1.6;opacity:.62}}
.tp-graph .back{{fill:none;stroke:$gradient;stroke-width:3;stroke-dasharray:7 4}}
.tp-graph .tip{{fill:$forward}}
.tp-graph .tip.return{{fill:$gradient}}
.tp-graph .flow,.tp-graph .note{{text-anchor:middle;stroke-linejoin:round}}
.tp-graph .flow,.tp-graph .note{{paint-order:stroke;stroke:$card;stroke-width:5px}}
.tp-graph .flow{{fill:$gradient;font-size:14px;font-weight:650}}
.tp-graph .note{{fill:$soft;font-size:12px}}
.tp-graph .end{{text-anchor:end}}
.tp-graph .node:focus{{outline:none}}
.tp-graph .node:focus-visible .box{{stroke:$focus;stroke-width:3.2}}
.tp-graph .node:hover .box{{stroke-width:2.6}}
.tp-graph .now .box{{stroke:$gradient;stroke-width:3;fill:$glow;stroke-dasharray:none}}
.tp-graph .now.forward .box{{stroke:$forward;fill:$wash}}
.tp-graph .hot .box{{stroke:$accumulate;stroke-width:3}}
.tp-graph .dim{{opacity:.45}}
.tp-graph .flowing .line{{visibility:hidden}}
.tp-graph .flowing .back{{visibility:visible}}
.tp-graph .edge.hot .line{{opacity:1;stroke-width:3}}
"""

HEAD, KEY = 46.0, 24.0
SIDE = 22.0


def page_css() -> str:
    """The rules with `var(--tp-…)` colours, for a page that also has `theme.css_variables()`."""
    return fill_in(RULES, variable).strip()


def paint(
    graph: Graph,
    layout: Layout,
    theme: Theme = "auto",
    *,
    prefix: str = "",
    interactive: bool = False,
    header: bool | None = None,
    style: bool = True,
) -> str:
    """Draw a graph as SVG text.

    `prefix` goes before every id, so that one page can hold several pictures. `header` adds title and key (by default
    unless `interactive`); `style=False` leaves the CSS to the page (see `page_css`).

    >>> from .layout import layout
    >>> graph = Graph((GraphNode("t1", "leaf", "x", number=1),))
    >>> svg = paint(graph, layout(graph, "built-in"))
    >>> '<g id="t1" class="node tensor leaf"' in svg, svg.count('role="graphics-document"')
    (True, 1)
    """
    header = not interactive if header is None else header
    width = math.ceil(max(layout.width, _header_width(graph) if header else 0.0))
    height = layout.height + (HEAD + KEY if header else 0.0)
    parts = [_root(graph, width, height, interactive)]
    if style:
        parts.append(f"<style>{media_css(RULES, theme).strip()}</style>")
    parts += [_definitions(prefix), f'<rect class="ground" width="{width:g}" height="{height:g}" rx="12"/>']
    if header:
        parts += [*_header(graph, width), _key(graph, height - 17)]
    left, top = (width - layout.width) / 2, HEAD if header else 0.0
    parts.append(f'<g class="graph" transform="translate({left:g},{top:g})">')
    parts += [_edge(edge, layout.curves[edge.id], prefix, interactive) for edge in graph.edges]
    parts += [_node(graph, node, layout.boxes[node.id], prefix, interactive) for node in graph.nodes]
    return "\n".join([*parts, "</g>", "</svg>"])


# ------------------------------------------------------------------------------------------------ around


def describe(graph: Graph) -> str:
    """What the whole picture shows, in one sentence."""
    title = f"Computation graph of {graph.title}" if graph.title else "Computation graph"
    return f"{title}: {graph.headline}" if graph.nodes else f"{title}: empty"


def _root(graph: Graph, width: float, height: float, interactive: bool) -> str:
    size = "" if interactive else f' width="{width:g}" height="{height:g}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="tp-graph" viewBox="0 0 {width:g} {height:g}"{size} '
        'role="graphics-document" aria-roledescription="computation graph" '
        f'aria-label="{attribute(describe(graph))}">'
    )


def _definitions(prefix: str) -> str:
    tips = "".join(
        f'<marker id="{attribute(prefix)}{name}" viewBox="0 0 10 10" refX="9.4" refY="5" markerUnits="userSpaceOnUse" '
        f'markerWidth="{size}" markerHeight="{size}" orient="auto">'
        f'<path class="tip{css}" d="M0 .8 10 5 0 9.2z"/></marker>'
        for name, size, css in (("tip", 10, ""), ("return", 15, " return"))
    )
    hatch = (
        f'<pattern id="{attribute(prefix)}hatch" width="6" height="6" patternUnits="userSpaceOnUse" '
        'patternTransform="rotate(45)"><path class="hatch-line" d="M0 0V6"/></pattern>'
    )
    return f"<defs>{tips}{hatch}</defs>"


def _header_width(graph: Graph) -> float:
    title = min(text_width(one_line(graph.title), 16, True), 520.0)
    return 2 * SIDE + max(title, text_width(_subtitle(graph), 12.5), sum(_key_widths(graph)))


def _subtitle(graph: Graph) -> str:
    return " · ".join([graph.headline, *graph.notes]) if graph.nodes else "nothing to draw"


def _header(graph: Graph, width: float) -> Iterable[str]:
    title = fit(one_line(graph.title), 16, width - 2 * SIDE, True)
    yield f'<text class="title" x="{SIDE:g}" y="30">{xml(title)}</text>'
    yield f'<text class="headline" x="{SIDE:g}" y="49">{xml(_subtitle(graph))}</text>'


def _key_items(graph: Graph) -> list[tuple[str, str]]:
    """Only what the picture shows: (classes, words)."""
    tests = (
        ("node tensor leaf", "leaf", any(n.kind in ("leaf", "parameter") for n in graph.nodes)),
        ("node tensor constant", "needs no gradient", any(n.kind == "constant" for n in graph.nodes)),
        ("node op", "operation", any(n.kind == "op" for n in graph.nodes)),
        ("node op output", "output", any(n.kind == "output" for n in graph.nodes)),
        ("node op freed", "freed", any(n.freed for n in graph.nodes)),
    )
    return [(css, words) for css, words, shown in tests if shown]


def _key_widths(graph: Graph) -> list[float]:
    return [22 + 7 + text_width(words, 12.5) + 14 for _, words in _key_items(graph)]


def _key(graph: Graph, y: float) -> str:
    x, items = SIDE, []
    for (css, words), width in zip(_key_items(graph), _key_widths(graph), strict=True):
        radius = 6 if "tensor" in css else 2.5
        box = f'<rect class="box" x="{x:g}" y="{y - 11:g}" width="22" height="13" rx="{radius}"/>'
        items.append(f'<g class="{css}">{box}</g><text x="{x + 29:g}" y="{y:g}">{words}</text>')
        x += width
    return f'<g class="key" aria-hidden="true">{"".join(items)}</g>'


# ------------------------------------------------------------------------------------------ boxes and edges


def _node(graph: Graph, node: GraphNode, box: Box, prefix: str, interactive: bool) -> str:
    words: Content = content(node, interactive)
    said = sentence(graph, node)
    rect = f'width="{box.w:g}" height="{box.h:g}" rx="{5 if node.is_op else 14}"'
    hatch = ""
    if node.freed or (interactive and node.is_op):
        hatch = f'<rect class="hatch" {rect} fill="url(#{attribute(prefix)}hatch)"/>'
    down = (box.h - words.height) / 2  # a box with many edges is higher than its words
    texts = _texts(words.words, down)
    return (
        f'<g id="{attribute(prefix + node.id)}" class="{node.classes}" data-id="{attribute(node.id)}" tabindex="0" '
        f'role="graphics-symbol" aria-roledescription="{"operation" if node.is_op else "tensor"}" '
        f'aria-label="{attribute(said)}" transform="translate({box.x:g},{box.y:g})"><title>{xml(said)}</title>'
        f'<rect class="box" {rect}/>{hatch}{texts}</g>'
    )


def _texts(words: Sequence[Words], down: float) -> str:
    parts: list[str] = []
    for item in words:
        if item.after:  # inside the text before it, so that the space between them is right in every font
            inner = f'<tspan class="{item.css}" dx="{AFTER:g}">{xml(item.text)}</tspan></text>'
            parts[-1] = parts[-1].removesuffix("</text>") + inner
            continue
        css = f"{item.css} end" if item.end else item.css
        parts.append(f'<text class="{css}" x="{item.x:.4g}" y="{item.y + down:g}">{xml(item.text)}</text>')
    return "".join(parts)


def _edge(edge: GraphEdge, curve: Sequence[Point], prefix: str, interactive: bool) -> str:
    p = attribute(prefix)
    parts = [f'<path class="line" d="{_path(curve)}" marker-end="url(#{p}tip)"/>']
    x, y = _middle(curve)
    if interactive:
        parts.append(f'<path class="back" d="{_path(curve[::-1])}" marker-end="url(#{p}return)"/>')
        parts.append(f'<text class="flow" x="{x:g}" y="{y - 9:g}"></text>')
    if edge.label.startswith("×"):
        parts.append(f'<text class="note" x="{x:g}" y="{y - 5:g}">{xml(one_line(edge.label))}</text>')
    return (
        f'<g id="{p}{attribute(edge.id)}" class="edge" data-id="{attribute(edge.id)}" '
        f'data-source="{attribute(edge.source)}" data-target="{attribute(edge.target)}" data-slot="{edge.slot}" '
        f'aria-hidden="true">{"".join(parts)}</g>'
    )


def _path(curve: Sequence[Point]) -> str:
    start, rest = curve[0], curve[1:]
    pieces = [" ".join(f"{x:g} {y:g}" for x, y in rest[i : i + 3]) for i in range(0, len(rest), 3)]
    return f"M{start[0]:g} {start[1]:g}" + "".join(f"C{piece}" for piece in pieces)


def _middle(curve: Sequence[Point]) -> Point:
    """The middle of the last gap: before the level end that leads to a box narrower than its rank, if there is one."""
    a, b, c, d = curve[-7:-3] if len(curve) > 4 and curve[-4][1] == curve[-1][1] else curve[-4:]
    return round((a[0] + 3 * b[0] + 3 * c[0] + d[0]) / 8, 1), round((a[1] + 3 * b[1] + 3 * c[1] + d[1]) / 8, 1)

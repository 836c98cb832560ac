"""`show`: the graph behind a result as one still picture, for notebooks, files and terminals."""

from __future__ import annotations

import base64
import importlib
import json
import os
import re
import tempfile
import webbrowser
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from ..errors import RenderError
from .dot import dot_source, program_output
from .fold import fold
from .graph import Graph, GraphNode, sentence
from .layout import Direction, Layout, layout
from .paint import describe, page_css, paint
from .summary import shape_text
from .text import attribute, clean, one_line, xml
from .theme import FONT, Theme, colours, css_variables, fill_in, variable
from .walk import graph_of

__all__ = ["GraphPicture", "html_image", "show"]

Choice = Literal["auto"] | bool
COLUMNS = ("id", "what", "name", "shape", "value", "gradient", "reads", "state")
MOST_ROWS = 60
WIDEST = 2600.0
"""Wider pictures scroll instead of shrinking into a sliver."""


def show(
    x: Any,
    *,
    params: Any = None,
    names: Any = None,
    values: Choice = "auto",
    grads: Choice = "auto",
    saved: bool = False,
    direction: Direction = "LR",
    theme: Theme = "auto",
    max_nodes: int | None = 400,
    engine: str | os.PathLike[str] | None = None,
) -> GraphPicture:
    """Draw the graph behind `x`: one tensor, several, a dictionary, a module, a Graph or a Trace.

    Works before and after `backward()`; operations whose saved tensors are gone are drawn dashed and marked "freed".
    `params` and `names` (a module, a dictionary name -> tensor, or pairs) name tensors; the rest take the names of
    the caller's variables. `values` and `grads` can be switched off, `saved` adds what each operation keeps.
    A graph of more than `max_nodes` boxes is folded, with honest counts; None never folds.
    Raises TypeError for what has no graph, ValueError for an unknown theme or direction.

    >>> import tensorplay as tp
    >>> x = tp.tensor(2.0, requires_grad=True)
    >>> y = x * x
    >>> print(show(y, engine="built-in"))
    y: 1 operation · 1 leaf · before backward
      t1  leaf      x  scalar  2.0  no grad yet
      n1  × output  y  scalar  4.0               reads x, x
    """
    colours(theme)  # a theme that is none is refused before any work
    graph = _graph(x, params, names, saved)
    graph = _trimmed(graph, values is not False, grads is not False)
    if max_nodes is not None:
        graph = fold(graph, max(max_nodes, 12))
    return GraphPicture(graph, layout(graph, engine, direction=direction), theme=theme, direction=direction)


def _graph(x: Any, params: Any, names: Any, saved: bool) -> Graph:
    known = x if isinstance(x, Graph) else getattr(x, "graph", None)
    known = known() if callable(known) and not isinstance(known, Graph) else known
    return known if isinstance(known, Graph) else graph_of(x, params, names, saved=saved)


def _trimmed(graph: Graph, values: bool, grads: bool) -> Graph:
    if values and grads:
        return graph
    nodes = (
        replace(n, value=n.value if values else None, grad=n.grad if grads else None, show_grad=grads)
        for n in graph.nodes
    )
    return replace(graph, nodes=tuple(nodes), moment=graph.when)


class GraphPicture:
    """A drawn graph. Jupyter shows it; `print` tells it; `save`, `to_html` and `open` take it elsewhere."""

    def __init__(self, graph: Graph, layout: Layout, *, theme: Theme = "auto", direction: Direction = "LR") -> None:
        self.graph = graph
        self.layout = layout
        self.theme: Theme = theme
        self.direction: Direction = direction

    @cached_property
    def svg(self) -> str:
        """The picture as SVG text, complete in itself."""
        return paint(self.graph, self.layout, self.theme)

    @property
    def source(self) -> str:
        """The graph as DOT text."""
        return dot_source(self.graph, direction=self.direction, theme=self.theme)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was folded away, and why a better way to draw was not used."""
        return self.graph.notes + self.layout.notes

    def table(self) -> list[dict[str, str]]:
        """One row a box: id, what, name, shape, value, gradient, reads, state."""
        return [_row(self.graph, node) for node in self.graph.nodes]

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str:
        """One self-contained page with the picture and its table; also written to `path` if given."""
        page = _page(self)
        if path is not None:
            Path(path).write_text(page, encoding="utf-8", newline="\n")
        return page

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the picture; the ending says how: svg, dot, json, html, txt, png or pdf.

        svg, dot, json, html and txt need no program. png is drawn by a Graphviz program, pdf by a system `dot` or
        cairosvg. Raises RenderError with the remedy if the format is unknown or nothing here can write it.
        """
        target = Path(path)
        kind = target.suffix[1:].lower()
        if kind not in _WRITERS:
            raise RenderError(f"cannot write a picture as {kind or 'a file without an ending'}: name it {_ENDINGS}.")
        target.write_bytes(_WRITERS[kind](self))
        return target

    def open(self) -> Path:
        """Open the picture in a browser, from a temporary page; returns its path."""
        folder = Path(tempfile.mkdtemp(prefix="tensorplay-"))
        target = folder / "graph.html"
        self.to_html(target)
        webbrowser.open(target.as_uri())
        return target

    def __repr__(self) -> str:
        return _narration(self)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        # not image/svg+xml: an untrusted notebook drops it, an image with a data address it keeps
        svg = re.sub(r"<title>.*?</title>", "", self.svg, flags=re.DOTALL)  # nobody can hover inside an image
        parts = [html_image(svg, _alternative(self.graph), self.layout.width), _details(self)]
        notes = [xml(one_line(note)) for note in self.layout.notes]
        parts += [f'<p style="font-size:12px;margin:2px 0">{note}</p>' for note in notes]
        return {"text/html": "\n".join(parts), "text/plain": repr(self)}


# ------------------------------------------------------------------------------------------------- text


def _row(graph: Graph, node: GraphNode) -> dict[str, str]:
    if node.folded:
        what, name = "folded", node.detail
    elif node.is_op:
        what = f"{node.label} output" if node.kind == "output" else node.label
        name = node.detail
    else:
        what, name = node.kind, node.label
    gradient = node.grad.text if node.grad else ""
    if not gradient and node.kind in ("leaf", "parameter") and node.show_grad and not node.folded:
        gradient = "no grad yet"
    reads = ", ".join(graph.reads(node.id)[:6]) + ", …" * (len(graph.inputs(node.id)) > 6)
    state = ["freed"] * node.freed + [f"keeps {', '.join(node.keeps)} ({node.saved_bytes:,} B)"] * bool(node.keeps)
    state += [f"{node.hooks} hook{'s' * (node.hooks > 1)}"] * bool(node.hooks)
    shape = "" if node.shape is None else shape_text(node.shape)
    value = node.value.text if node.value else ""
    cells = (node.id, what, name, shape, value, gradient, reads, ", ".join(state))
    return dict(zip(COLUMNS, cells, strict=True))


def _narration(picture: GraphPicture) -> str:
    graph = picture.graph
    title = f"{one_line(graph.title)}: " if graph.title else ""
    lines = [title + (graph.headline if graph.nodes else "nothing to draw")]
    rows, left_out = _shortened(picture.table())
    for row in rows:
        row["reads"] = row["reads"] and f"reads {row['reads']}"
    cells = [[one_line(row[column]) for column in COLUMNS] for row in rows]
    widths = [min(max((len(line[i]) for line in cells), default=0), 40) for i in range(len(COLUMNS))]
    used = [i for i, width in enumerate(widths) if width]
    for number, line in enumerate(cells):
        if left_out and number == len(cells) - 10:
            lines.append(f"  … {left_out:,} more")
        lines.append("  " + "  ".join(line[i].ljust(widths[i]) for i in used).rstrip())
    return "\n".join([*lines, *(f"  note: {one_line(note)}" for note in picture.notes)])


def _shortened(rows: list[dict[str, str]]) -> tuple[list[dict[str, str]], int]:
    if len(rows) <= MOST_ROWS:
        return rows, 0
    return [*rows[: MOST_ROWS - 10], *rows[-10:]], len(rows) - MOST_ROWS


def _alternative(graph: Graph) -> str:
    """What stands for the image: the whole in a sentence, and the boxes one by one while there are few."""
    told = "; ".join(sentence(graph, node).partition(": ")[2] for node in graph.nodes[:12])
    more = f"; and {len(graph.nodes) - 12} more, see the table" if len(graph.nodes) > 12 else ""
    return f"{describe(graph)}. {told}{more}." if told else f"{describe(graph)}."


# ------------------------------------------------------------------------------------------------- HTML


def html_image(svg: str, alternative: str, width: float = 0.0) -> str:
    """An `<img>` that carries its picture: what every notebook shows, trusted or not."""
    data = base64.b64encode(svg.encode()).decode()
    limit = "" if width > WIDEST else "max-width:100%;"
    image = f'<img alt="{attribute(alternative)}" src="data:image/svg+xml;base64,{data}" style="{limit}height:auto">'
    return f'<div style="overflow-x:auto">{image}</div>'


def _details(picture: GraphPicture) -> str:
    rows, left_out = _shortened(picture.table())
    more = f"<p>… and {left_out:,} more boxes.</p>" if left_out else ""
    return (
        f"<details><summary>The same as a table ({len(picture.graph.nodes):,} boxes)</summary>"
        f"{_html_table(rows)}{more}</details>"
    )


def _html_table(rows: Sequence[dict[str, str]]) -> str:
    used = [column for column in COLUMNS if any(row[column] for row in rows)]
    head = "".join(f'<th scope="col" style="text-align:left">{column}</th>' for column in used)
    body = "".join(_html_row(row, used) for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _html_row(row: dict[str, str], columns: Iterable[str]) -> str:
    cells = "".join(f'<td style="text-align:left">{xml(row[column])}</td>' for column in columns)
    return f"<tr>{cells}</tr>"


_PAGE_RULES = f"""
body{{margin:0;padding:24px;background:$paper;color:$ink;font:15px/1.45 {FONT}}}
main{{max-width:1400px;margin:0 auto}}
figure{{margin:0 0 16px;overflow-x:auto;border:1px solid $line;border-radius:12px;background:$card}}
svg{{display:block;margin:0 auto;max-width:100%;height:auto}}
.wide svg{{max-width:none;margin:0}}
@media (max-width:700px){{body{{padding:12px}}svg{{max-width:none}}}}
.table{{overflow-x:auto}}
td{{max-width:30em;overflow-wrap:break-word}}
table{{border-collapse:collapse;font-size:13.5px;font-variant-numeric:tabular-nums}}
th,td{{text-align:left;padding:4px 16px 4px 0;border-bottom:1px solid $line}}
th,.note{{color:$soft;font-weight:600}}
"""


def _page(picture: GraphPicture) -> str:
    title = xml(one_line(picture.graph.title) or "Computation graph")
    css = "\n".join((css_variables(":root", picture.theme), fill_in(_PAGE_RULES, variable), page_css()))
    notes = "".join(f'<p class="note">{xml(one_line(note))}</p>' for note in picture.layout.notes)
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    wide = ' class="wide"' * (picture.layout.width > WIDEST)
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width,initial-scale=1"><title>{title}</title>
<style>{css}</style></head>
<body><main><figure{wide}>{paint(picture.graph, picture.layout, picture.theme, style=False)}</figure>
{notes}<div class="table">{_html_table(picture.table())}</div></main></body></html>
"""


# ------------------------------------------------------------------------------------------------- files


def _png(picture: GraphPicture) -> bytes:
    return program_output(picture.source, "png", _program(picture))


def _pdf(picture: GraphPicture) -> bytes:
    try:
        cairosvg = importlib.import_module("cairosvg")
    except ImportError:
        return program_output(picture.source, "pdf", _program(picture))
    pdf: bytes = cairosvg.svg2pdf(bytestring=paint(picture.graph, picture.layout, _paper(picture)).encode())
    return pdf


def _svg(picture: GraphPicture) -> bytes:
    return paint(picture.graph, picture.layout, _paper(picture)).encode()


def _paper(picture: GraphPicture) -> Theme:
    """A file is light unless it was asked to be dark: nobody knows yet who will look at it."""
    return "dark" if picture.theme == "dark" else "light"


def _program(picture: GraphPicture) -> str | None:
    return picture.layout.rung.program


_WRITERS = {
    "svg": _svg,
    "dot": lambda picture: picture.source.encode(),
    "gv": lambda picture: picture.source.encode(),
    "json": lambda picture: json.dumps(picture.graph.to_dict(), indent=1).encode(),
    "html": lambda picture: picture.to_html().encode(),
    "txt": lambda picture: clean(repr(picture) + "\n").encode(),
    "png": _png,
    "pdf": _pdf,
}
_ENDINGS = "….svg, .html, .dot, .json, .txt, .png or .pdf"

"""DOT text of a graph, and `make_dot`: a `graphviz.Digraph` that draws through our ladder.

The text is written here, not by the `graphviz` package: that takes a name in angle brackets for HTML and leaves
backslashes alone, so some names came out wrong or stopped `dot`. No setting of the package is touched.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import RenderError
from .boxes import content
from .graph import Graph, GraphNode, sentence
from .layout import Direction, layout
from .paint import describe, paint
from .render import Rung, attempt, run_program
from .text import clean, dot_string
from .theme import Theme, colours

if TYPE_CHECKING:
    import graphviz

__all__ = ["dot_lines", "dot_source", "make_dot", "program_output"]

REMEDIES = {
    "pdf": "PDF needs a system Graphviz (https://graphviz.org/download) or `pip install cairosvg`",
    "png": "PNG needs a Graphviz program: `pip install graphviz-pure` brings one",
}


def dot_source(graph: Graph, *, direction: Direction = "LR", theme: Theme = "light") -> str:
    """The graph as DOT text, for any Graphviz program.

    >>> print(dot_source(Graph((GraphNode("t1", "leaf", "<w>"),))).splitlines()[-2].strip()[:16])
    t1 [label="<w>\\n
    """
    return "digraph {\n" + "".join(dot_lines(graph, direction=direction, theme=theme)) + "}\n"


def dot_lines(graph: Graph, *, direction: Direction = "LR", theme: Theme = "light") -> Iterator[str]:
    """The lines between the braces."""
    table = colours(theme)
    ink, card, font = table["ink"], table["card"], 'fontname="Helvetica,Arial,sans-serif"'
    yield f'\tgraph [rankdir={direction} bgcolor="{card}" {font} ranksep=0.6 nodesep=0.3]\n'
    yield f'\tnode [shape=box {font} fontsize=12 style=filled fillcolor="{card}" color="{ink}" fontcolor="{ink}"]\n'
    yield f'\tedge [color="{table["forward"]}" arrowsize=0.7]\n'
    for node in graph.nodes:
        yield f"\t{node.id} [{_attributes(graph, node, theme)}]\n"
    for edge in graph.edges:
        drawn = f" label={dot_string(edge.label)}" if edge.label.startswith("×") else ""
        yield f'\t{edge.source} -> {edge.target} [id={edge.id} class="edge"{drawn}]\n'


def _attributes(graph: Graph, node: GraphNode, theme: Theme) -> str:
    box, table = content(node), colours(theme)
    lines: dict[float, list[str]] = {}
    for words in sorted(_whole_words(node), key=lambda item: item[0]):
        lines.setdefault(words[0], []).append(words[1])
    label = "\n".join("  ".join(line) for line in lines.values())
    parts = [f"label={dot_string(label)}", f'id={node.id} class="{node.classes}"']
    parts.append(f"tooltip={dot_string(sentence(graph, node))}")
    # a program that does not know the width of a sign must not make the box too narrow for it
    parts.append(f"width={min(box.width, 300) / 72:.2f}")
    if node.freed:
        parts.append(f'style="dashed" color="{table["freed"]}" fontcolor="{table["freed"]}"')
    elif not node.is_op:
        stroke = "soft" if node.kind == "constant" else "accumulate"
        parts.append(f'style="rounded,filled" color="{table[stroke]}" penwidth=1.6')
    elif node.kind == "output":
        parts.append(f'penwidth=2 fillcolor="{table["wash"]}"')
    return " ".join(parts)


def _whole_words(node: GraphNode) -> Iterator[tuple[float, str]]:
    """What the box says, line by line; names are whole here, since dot makes the box as wide as they are."""
    whole = {"label": node.label, "detail": node.detail}
    for words in content(node).words:
        if text := whole.get(words.css, words.text):
            yield words.y, text


# ------------------------------------------------------------------------------------ through a program


def program_output(
    source: str, output: str, engine: str | os.PathLike[str] | None = None, arrange: str = "dot"
) -> bytes:
    """DOT text through the first program of the ladder that manages it.

    Raises RenderError, with the remedy, if none does.
    """
    notes: list[str] = []

    def draw(rung: Rung) -> bytes:
        if rung.program is None:
            raise RenderError("the built-in layout writes SVG only")
        return run_program(rung.program, source, output, arrange)

    try:
        return attempt(draw, engine, notes)
    except RenderError:
        kind = output.partition(":")[0]
        remedy = REMEDIES.get(kind, f"the format {kind!r} needs a system Graphviz (https://graphviz.org/download)")
        tried = " ".join(notes[:-1]) or "No Graphviz program was found."
        raise RenderError(f"cannot write {kind}: {remedy}. {tried}") from None


def make_dot(var: Any, params: Any = None, show_saved: bool = False) -> graphviz.Digraph:
    """The graph behind `var` as a `graphviz.Digraph`, to change and draw like any other one.

    `params` names leaves: a dictionary name -> tensor, or a module. `show_saved` adds what each operation keeps for
    backward. It draws with a system `dot`, the graphviz-pure program, or by itself where there is neither.

    >>> import tensorplay as tp
    >>> w = tp.ones(2, requires_grad=True)
    >>> dot = make_dot((w * 2).sum(), params={"w": w})
    >>> "t1 -> n1" in dot.source
    True
    """
    from .walk import graph_of

    graph = graph_of(var, params=params, saved=show_saved)
    digraph = _digraph_class()(format="svg", body=list(dot_lines(graph)))
    digraph.graph, digraph.drawn_source = graph, digraph.source
    return digraph


class _ThroughLadder:
    """What replaces the ways to draw of a `graphviz.Digraph`: each goes through `tensorplay.viz.render`."""

    source: str
    format: str
    engine: str
    body: list[str]
    save: Any
    _view: Any
    graph: Graph | None = None
    drawn_source = ""

    def pipe(self, format: str | None = None, renderer: str | None = None, formatter: str | None = None,
             neato_no_op: bool | int | None = None, quiet: bool = False, *, engine: str | None = None,
             encoding: str | None = None) -> Any:  # fmt: skip
        """The drawing as bytes, or as text if an encoding is given."""
        output = ":".join(part for part in (format or self.format, renderer, formatter) if part)
        data = self._draw(output, engine or self.engine)
        return data if encoding is None else data.decode(encoding)

    def render(self, filename: Any = None, directory: Any = None, view: bool = False, cleanup: bool = False,
               format: str | None = None, renderer: str | None = None, formatter: str | None = None,
               neato_no_op: bool | int | None = None, quiet: bool = False, quiet_view: bool = False, *,
               outfile: Any = None, engine: str | None = None, raise_if_result_exists: bool = False,
               overwrite_source: bool = False) -> str:  # fmt: skip
        """Save the source and the drawing beside it; returns the drawing's path."""
        kind = format or (Path(outfile).suffix[1:] if outfile else "") or self.format
        named = filename or (Path(outfile).with_suffix(".gv") if outfile else None)
        source = Path(self.save(named, directory=directory))
        target = Path(outfile) if outfile else Path(f"{source}.{kind}")
        if raise_if_result_exists and target.exists():
            raise FileExistsError(f"output file exists: {target}")
        target.write_bytes(self.pipe(kind, renderer, formatter, engine=engine))
        if cleanup:
            source.unlink()
        if view:
            self._view(str(target), format=kind, quiet=quiet_view)
        return str(target)

    def _draw(self, output: str, arrange: str) -> bytes:
        try:
            return program_output(self.source, output, arrange=arrange)
        except RenderError:
            if output != "svg" or self.graph is None or self.source != self.drawn_source:
                raise
            return self._painted().encode()

    def _painted(self) -> str:
        assert self.graph is not None
        return paint(self.graph, layout(self.graph))

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None, **options: Any) -> dict[str, Any]:
        from .picture import html_image

        unchanged = self.graph is not None and self.source == self.drawn_source
        try:
            svg = self._painted() if unchanged else self.pipe("svg", encoding="utf-8")
            html = html_image(
                svg, describe(self.graph) if self.graph and unchanged else "A graph that was drawn by hand"
            )
        except RenderError as problem:
            return {"text/plain": f"{problem}\n\n{self.source}"}
        return {"text/html": html, "text/plain": clean(self.source)}


@functools.cache
def _digraph_class() -> Any:
    """The subclass, made on first use so that `graphviz` is imported no earlier."""
    import graphviz

    return type("Picture", (_ThroughLadder, graphviz.Digraph), {"__module__": __name__})

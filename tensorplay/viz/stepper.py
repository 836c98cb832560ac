"""The stepper: a trace that can be played, in a notebook, in a page, or in words."""

from __future__ import annotations

import base64
import html
import itertools
import os
import re
import webbrowser
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from ..errors import TraceError
from .fold import fold
from .graph import GraphNode
from .layout import layout
from .narrate import plain, sentence, transcript
from .paint import paint
from .player import page as pages
from .player.frames import film
from .player.reel import MOST_BOXES
from .state import State
from .summary import Summary
from .text import clean, one_line, short
from .theme import Theme
from .trace import Trace

__all__ = ["Stepper", "stepper"]

_numbers = itertools.count(1)
_ROWS = 40
"""Rows of the event table in a notebook's static form; `print` has all."""


def stepper(trace: Trace, title: str | None = None) -> Stepper:
    """The step-through player of a recorded trace. Raises TypeError for anything else.

    >>> import tensorplay as tp
    >>> x = tp.tensor(2.0, requires_grad=True)
    >>> with tp.viz.record() as trace:
    ...     y = x * x
    ...     y.backward()
    >>> player = tp.viz.stepper(trace)
    >>> print(str(player).splitlines()[2])
     1  Mul (×) takes x and x and makes y = 4.0. For the way back it keeps x (twice).
    """
    if not isinstance(trace, Trace):
        raise TypeError(
            f"stepper() plays a Trace, as made by `with tp.viz.record() as trace:`; got {type(trace).__name__}. "
            f"For a loss, use tp.viz.step(loss)."
        )
    return Stepper(trace, title)


class Stepper:
    """Plays a trace. Its value in a notebook is the player; `print` gives the steps in words."""

    def __init__(self, trace: Trace, title: str | None = None) -> None:
        self.trace = trace
        self._number = 0
        self.title = short(clean(title or trace.graph.title or "A recorded run"), 200)

    def __str__(self) -> str:
        return transcript(self.trace)

    def __repr__(self) -> str:
        return f"<Stepper: {one_line(self.title)}, {len(self.trace)} steps>"

    # ------------------------------------------------------------------------------------- files

    def to_html(
        self,
        path: str | os.PathLike[str],
        title: str | None = None,
        extra: str = "",
        theme: Theme = "auto",
        engine: str | os.PathLike[str] | None = None,
    ) -> Path:
        """Write one self-contained page that plays without kernel or network, and return its path.

        `extra` is HTML set below the player as it is: the caller vouches for it (pictures as `data:` addresses or
        inline SVG; scripts do not run). `#step=17` at the end of the address opens the page at that step.
        """
        target = Path(path)
        target.write_text(pages.page(self.trace, title or self.title, extra, theme, engine), encoding="utf-8")
        return target

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write html, json (the trace), md (the steps in words) or svg (the last frame), by the path's ending.

        Raises TraceError for another ending.
        """
        target = Path(path)
        kind = target.suffix.lower()
        if kind in (".html", ".htm"):
            return self.to_html(target)
        makers = {".json": self.trace.to_json, ".md": self.to_markdown, ".svg": lambda: self.frame_svg(-1)}
        if kind not in makers:
            got = kind or "a file without an ending"
            raise TraceError(f"cannot save a stepper as {got}: use .html, .json, .md or .svg")
        target.write_text(makers[kind](), encoding="utf-8")
        return target

    def to_markdown(self) -> str:
        """The steps in words, as a numbered list."""
        steps = (f"{k}. {_markdown(plain(sentence(self.trace, k)))}" for k in range(1, len(self.trace) + 1))
        start = _markdown(plain(sentence(self.trace, 0)))
        return "\n".join(
            [f"# {_markdown(one_line(self.title))}", "", start, "", *steps, "", *self.trace.left_out.sentences()]
        )

    def open(self) -> Path:
        """Write the page to a new temporary folder and open it in the browser."""
        target = self.to_html(Path(mkdtemp(prefix="tensorplay-")) / "stepper.html")
        webbrowser.open(target.as_uri())
        return target

    # ------------------------------------------------------------------------------- still pictures

    def frame_svg(self, step: int, theme: Theme = "auto") -> str:
        """The picture after `step` steps, as SVG text."""
        state = self.trace.at(step)
        nodes = tuple(_at(node, state) for node in self.trace.graph.nodes)
        moment = f"step {state.step} of {len(self.trace)}"
        graph = fold(replace(self.trace.graph, nodes=nodes, title=self.title, moment=moment), MOST_BOXES)
        return paint(graph, layout(graph), theme)

    # --------------------------------------------------------------------------------- notebooks

    def static_html(self) -> str:
        """What survives an untrusted notebook: two pictures with words for each, and a table of the steps."""
        first, last = (self._image(step) for step in (0, len(self.trace)))
        rows = "".join(self._row(k) for k in range(1, min(len(self.trace), _ROWS) + 1))
        more = len(self.trace) - _ROWS
        rest = f"<p>{more} more steps: print the stepper, or save it as .html.</p>" if more > 0 else ""
        return (
            f'<div class="tp-stills-{self._number}"><p><b>{html.escape(self.title)}</b>, {len(self.trace)} steps. '
            "Run the cell or trust the notebook to play them.</p>"
            f"{first}{last}<details><summary>All steps in words</summary>"
            f"<table><tr><th>step</th><th>what happens</th></tr>{rows}</table>{rest}</details></div>"
        )

    def _image(self, step: int) -> str:
        svg = base64.b64encode(self.frame_svg(step, "light").encode()).decode()
        words = html.escape(f"Step {step} of {len(self.trace)}: {plain(sentence(self.trace, step))}", quote=True)
        return f'<p><img alt="{words}" src="data:image/svg+xml;base64,{svg}" style="max-width:100%"></p>'

    def _row(self, step: int) -> str:
        words = html.escape(plain(sentence(self.trace, step)))
        return f'<tr><td>{step}</td><td style="text-align:left">{words}</td></tr>'

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """The static form and the words. In a kernel, `_ipython_display_` adds the player as a second output."""
        return {"text/html": self.static_html(), "text/plain": self._in_short()}

    def _in_short(self) -> str:
        """The words, as many as a notebook should carry."""
        lines = str(self).splitlines()
        if len(lines) <= 2 * _ROWS:
            return str(self)
        return "\n".join(
            [*lines[:_ROWS], f"… {len(lines) - 2 * _ROWS:,} more lines: print the stepper", *lines[-_ROWS:]]
        )

    def _ipython_display_(self) -> None:
        """The static form first, so that a notebook opened without its kernel shows it; then the live player."""
        from IPython import get_ipython
        from IPython.display import display

        self._number = next(_numbers)
        display(self._repr_mimebundle_(), raw=True)
        if hasattr(get_ipython(), "kernel"):
            display(self.widget())

    def widget(self) -> Any:
        """The live player as an anywidget. Once it plays, it hides the static form shown before it."""
        number = self._number or next(_numbers)
        return _widget_class()(
            markup=pages.markup(self.trace, self.title, prefix=f"player{number}-"),
            film=film(self.trace),
            stills=f"tp-stills-{number}",
        )


@cache
def _widget_class() -> Any:
    import anywidget
    import traitlets

    return type(
        "PlayerWidget",
        (anywidget.AnyWidget,),
        {
            "__module__": __name__,
            "__repr__": lambda self: "(the player stands here when the cell is run)",
            "_esm": pages.script(),
            "_css": pages.styles(),
            "markup": traitlets.Unicode().tag(sync=True),
            "film": traitlets.Dict().tag(sync=True),
            "stills": traitlets.Unicode().tag(sync=True),
        },
    )


def _at(node: GraphNode, state: State) -> GraphNode:
    """A box as it looks at one moment."""
    value, grad = state.values.get(node.id), state.grads.get(node.id)
    if grad is None:
        grad = next((g for g in state.arrived.get(node.id, ()) if g is not None), None)
    return replace(
        node,
        value=Summary(value.shape, value.dtype, value.text) if value else None,
        grad=Summary(grad.shape, grad.dtype, grad.gradient_text) if grad else None,
        freed=node.id in state.freed,
        keeps=() if node.id not in state.saved else node.keeps,
    )


def _markdown(text: str) -> str:
    """Text in which Markdown finds nothing to format."""
    return re.sub(r"([\\`*_{}\[\]<>#|])", r"\\\1", text)

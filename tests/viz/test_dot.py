"""DOT text that every Graphviz program accepts, whatever the names are, and `make_dot`."""

from __future__ import annotations

import html
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import tensorplay as tp
from tensorplay.errors import RenderError
from tensorplay.viz import render
from tensorplay.viz.dot import dot_source, make_dot, program_output
from tensorplay.viz.graph import Graph, GraphNode
from tensorplay.viz.render import pure_program

graphviz = pytest.importorskip("graphviz")

NAMES = [
    "<lambda>", "<lambda> <map>", "\\", "w\\", 'say "hi"', "a & b < c", "{x|y}", "a,a->a", "٥.٠", "层1 ♂ 🙂", "a\nb",
    "nul\x00", "&lt;", "\\N", "\\l", "a;b", "#x", "//", "é", "[a=b]",
]  # fmt: skip
PROGRAMS = [program for program in (pure_program(), shutil.which("dot")) if program]
needs_program = pytest.mark.skipif(not PROGRAMS, reason="no Graphviz program here")


def example(name: str) -> Any:
    w = tp.ones(2, requires_grad=True)
    return make_dot((w * 2).sum(), params={name: w})


@needs_program
@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_every_name_is_drawn_exactly(name: str, program: str) -> None:
    source = example(name).source
    done = subprocess.run([program, "-Kdot", "-Tsvg"], input=source.encode(), capture_output=True, timeout=60)
    assert done.returncode == 0
    complaints = [line for line in done.stderr.decode().splitlines() if "no width for" not in line.lower()]
    assert not [line for line in complaints if "error" in line.lower() or "syntax" in line.lower()]
    texts = re.findall(r"<text[^>]*>(.*?)</text>", done.stdout.decode(), re.DOTALL)
    shown = "\n".join(html.unescape(text).replace("\xa0", " ") for text in texts)
    assert name.replace("\x00", "\ufffd") in shown


@needs_program
def test_ids_and_classes_come_through() -> None:
    svg = program_output(example("w").source, "svg").decode()
    assert set(re.findall(r'<g id="([a-z]\d+)"', svg)) >= {"t1", "n1", "n2", "e1", "e2"}
    assert 'class="node node op' in svg or 'class="node op' in svg


def test_source_is_a_digraph_with_deterministic_names() -> None:
    source = example("w").source
    assert source.startswith("digraph {") and "t1 -> n1" in source
    assert source == example("w").source


def test_freed_and_saved_are_written() -> None:
    w = tp.tensor([1.0, 2.0], requires_grad=True)
    y = (w * w).sum()
    assert "keeps w" in make_dot(y, show_saved=True).source
    y.backward()
    source = make_dot(y).source
    assert "freed" in source and 'style="dashed"' in source and "grad [2.0, 4.0]" in source


def test_it_is_a_digraph_that_can_be_changed() -> None:
    dot = example("w")
    assert isinstance(dot, graphviz.Digraph)
    dot.node("extra", "mine")
    dot.edge("extra", "t1")
    assert "extra -> t1" in dot.source


def test_the_packages_settings_are_untouched() -> None:
    from graphviz.backend import dot_command

    before = dot_command.DOT_BINARY
    example("w")._repr_mimebundle_()
    assert before == dot_command.DOT_BINARY


@needs_program
def test_pipe_and_render(tmp_path: Path) -> None:
    dot = example("w")
    assert "<svg" in dot.pipe(encoding="utf-8") and dot.pipe("png")[:4] == b"\x89PNG"
    path = dot.render(tmp_path / "graph.gv", format="png")
    assert path == str(tmp_path / "graph.gv.png") and (tmp_path / "graph.gv").read_text().startswith("digraph")
    dot.render(outfile=tmp_path / "b.svg", cleanup=True)
    assert (tmp_path / "b.svg").exists() and not (tmp_path / "b.gv").exists()


def test_without_any_program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(render, "pure_program", lambda: None)
    dot = example("w")
    assert "<svg" in dot.pipe("svg", encoding="utf-8")
    assert "data:image/svg+xml" in dot._repr_mimebundle_()["text/html"]
    with pytest.raises(RenderError, match="pip install graphviz-pure"):
        dot.pipe("png")
    with pytest.raises(RenderError, match="cairosvg"):
        dot.pipe("pdf")
    dot.node("extra")
    assert "pip install graphviz-pure" in dot._repr_mimebundle_()["text/plain"] or "extra" in str(dot.source)


def test_a_notebook_never_gets_only_svg() -> None:
    bundle = example("w")._repr_mimebundle_()
    assert set(bundle) == {"text/html", "text/plain"} and bundle["text/html"].count("<img alt=") == 1


def test_dark_source() -> None:
    assert "#1d222b" in dot_source(Graph((GraphNode("t1", "leaf", "x"),)), theme="dark")

"""`show`, from tensors to what notebooks, files and terminals get."""

from __future__ import annotations

import base64
import html.parser
import json
import re
import webbrowser
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

import tensorplay as tp
from tensorplay.errors import RenderError
from tensorplay.viz import render
from tensorplay.viz.graph import Graph, GraphNode
from tensorplay.viz.picture import GraphPicture, show
from tensorplay.viz.render import pure_program


def example() -> tuple[Any, Any]:
    x = tp.tensor(2.0, requires_grad=True)
    b = x * 3
    return x, b * x + b


class Tags(html.parser.HTMLParser):
    """Collects tags and attributes, so that tests see what a browser sees."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_printing_tells_the_graph() -> None:
    x = tp.tensor(2.0, requires_grad=True)
    b = x * 3
    y = b * x + b
    assert str(show(y, engine="built-in")).splitlines() == [
        "y: 3 operations · 1 leaf · before backward",
        "  t1  leaf      x    scalar  2.0   no grad yet",
        "  n1  ×         b    scalar  6.0                reads x",
        "  n2  ×         b·x  scalar                     reads b, x",
        "  n3  + output  y    scalar  18.0               reads b·x, b",
    ]


def test_after_backward_it_says_freed_and_the_gradient() -> None:
    x, y = example()
    y.backward()
    told = repr(show(y, names={"x": x}))
    assert "after backward, graph freed" in told and told.count("freed") == 4
    assert re.search(rf"t1 .*{x.grad.item()}", told)


def test_twice_gives_the_same_picture() -> None:
    _, y = example()
    assert show(y).svg == show(y).svg


def test_a_notebook_gets_an_image_a_table_and_text() -> None:
    _, y = example()
    bundle = show(y)._repr_mimebundle_()
    assert set(bundle) == {"text/html", "text/plain"}
    tags = Tags(bundle["text/html"]).found
    # what a sanitiser removes must not be there: it would leave its text or nothing
    kept = "div img details summary table thead tbody tr th td p"
    assert {tag for tag, _ in tags} <= set(kept.split())
    [image] = [attributes for tag, attributes in tags if tag == "img"]
    assert image["alt"].startswith("Computation graph of y: 3 operations")  # type: ignore[union-attr]
    data = (image["src"] or "").removeprefix("data:image/svg+xml;base64,")
    assert ElementTree.fromstring(base64.b64decode(data)).tag.endswith("svg")


@pytest.mark.parametrize("name", ['"><script>alert(1)</script>', "a\nb", "nul\x00", "<lambda>", "\ud800"])
def test_names_are_harmless_everywhere(name: str, tmp_path: Path) -> None:
    x = tp.tensor(2.0, requires_grad=True)
    picture = show({name: x * 2}, names={name + "!": x})
    for text in (picture._repr_mimebundle_()["text/html"], picture.to_html()):
        assert "script" not in {tag for tag, _ in Tags(text).found}
        text.encode()
    for ending in ("svg", "dot", "json", "html", "txt"):
        picture.save(tmp_path / f"graph.{ending}")


@pytest.mark.parametrize("ending", ["svg", "dot", "gv", "json", "html", "txt"])
def test_saving_needs_no_program(ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(render, "pure_program", lambda: None)
    _, y = example()
    path = show(y).save(tmp_path / f"graph.{ending}")
    text = path.read_text(encoding="utf-8")
    begins = {"svg": "<svg", "json": "{", "html": "<!doctype html>", "txt": "y: 3 operations"}
    assert text.startswith(begins.get(ending, "digraph {"))


def test_saved_json_is_the_graph(tmp_path: Path) -> None:
    _, y = example()
    picture = show(y)
    data = json.loads(picture.save(tmp_path / "g.json").read_text(encoding="utf-8"))
    assert Graph.from_dict(data).to_dict() == picture.graph.to_dict()


@pytest.mark.skipif(not pure_program(), reason="no program")
def test_png(tmp_path: Path) -> None:
    _, y = example()
    assert show(y).save(tmp_path / "graph.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


def test_what_cannot_be_written_names_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(render, "pure_program", lambda: None)
    monkeypatch.setitem(__import__("sys").modules, "cairosvg", None)
    _, y = example()
    with pytest.raises(RenderError, match="pip install graphviz-pure"):
        show(y).save(tmp_path / "g.png")
    with pytest.raises(RenderError, match="pip install cairosvg"):
        show(y).save(tmp_path / "g.pdf")
    with pytest.raises(RenderError, match="name it"):
        show(y).save(tmp_path / "g.bmp")
    assert not list(tmp_path.glob("g.*"))


def test_a_page_makes_no_request_and_holds_the_picture_itself(tmp_path: Path) -> None:
    _, y = example()
    page = show(y).to_html(tmp_path / "g.html")
    assert (tmp_path / "g.html").read_text(encoding="utf-8") == page
    assert "default-src 'none'" in page and page.count("http://") == 1  # the SVG namespace
    assert "<svg" in page and "<table" in page and "<script" not in page


def test_open_opens_the_page(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda url: opened.append(url) or True)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    _, y = example()
    path = show(y).open()
    assert opened == [path.as_uri()] and path.exists()


def test_values_and_gradients_can_be_left_out() -> None:
    _, y = example()
    y.backward()
    bare = show(y, values=False, grads=False)
    assert "15.0" not in bare.svg and "18.0" not in bare.svg and "no grad yet" not in bare.svg
    assert bare.graph.when == "after backward, graph freed"


def test_saved_tensors_on_request() -> None:
    _, y = example()
    assert "keeps" in show(y, saved=True).svg and "keeps" not in show(y).svg


def test_long_chains_are_folded_and_the_picture_says_so() -> None:
    x = tp.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(5000):
        y = y * 0.999
    picture = show(y)
    assert len(picture.graph.nodes) < 400 and "5,000 operations" in repr(picture)
    assert "4,992 folded into 1 box" in repr(picture)
    y.backward()
    assert "freed" in repr(show(y))


def test_a_long_table_is_shortened_honestly() -> None:
    nodes = tuple(GraphNode(f"t{i}", "leaf", f"x{i}", number=i) for i in range(1, 101))
    picture = show(Graph(nodes, title="many"), engine="built-in")
    told = repr(picture).splitlines()
    assert len(told) == 62 and told[-11] == "  … 40 more"
    assert len(picture.table()) == 100
    assert "and 40 more boxes" in picture._repr_mimebundle_()["text/html"]


def test_a_module_shows_its_parameters() -> None:
    picture = show(tp.nn.Linear(2, 3))
    assert [row["name"] for row in picture.table()] == ["weight", "bias"] and picture.graph.title == "Linear"


def test_anything_with_a_graph_can_be_shown() -> None:
    class Trace:
        graph = Graph((GraphNode("t1", "leaf", "x"),), title="recorded")

    assert show(Trace()).graph.title == "recorded"


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(ValueError, match="theme must be one of 'auto', 'light', 'dark', got 'pink'"):
        show(tp.ones(1), theme="pink")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="only tensors have a graph, got int"):
        show(3)


def test_no_program_costs_a_note_at_most(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(render, "pure_program", lambda: None)
    _, y = example()
    picture = show(y)
    assert isinstance(picture, GraphPicture) and picture.layout.engine == "built-in"
    for text in (repr(picture), picture._repr_mimebundle_()["text/html"], picture.to_html()):
        assert "pip install graphviz-pure" in text

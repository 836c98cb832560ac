"""The SVG: well formed, safe, the same ids and classes from every rung, words that fit their boxes."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from tensorplay.viz.boxes import PAD, content
from tensorplay.viz.graph import Graph, GraphEdge, GraphNode
from tensorplay.viz.layout import layout
from tensorplay.viz.paint import paint
from tensorplay.viz.render import pure_program
from tensorplay.viz.summary import summarise
from tensorplay.viz.text import attribute, clean, fit, one_line, text_width

SVG = "{http://www.w3.org/2000/svg}"
ODD = [
    "<lambda>", "<lambda> <map>", "\\", "w\\", 'say "hi"', "a & b < c", "{x|y}", "a,a->a", "٥.٠", "层1 ♂ 🙂", "a\nb",
    "nul\x00", "</text><script>alert(1)</script>", "x" * 300, "\ud800half", "\u202eevil", "&lt;", "]]>", "-->", "",
]  # fmt: skip


def sample(name: str = "x", freed: bool = False) -> Graph:
    value = summarise(np.float32(2))
    x = GraphNode("t1", "leaf", name, shape=(), value=value, number=1, grad=summarise(np.float32(15)))
    b = GraphNode("n1", "op", "×", "b", (), value=value, freed=freed, number=2, op="Mul")
    y = GraphNode("n2", "output", "+", "y", (), freed=freed, hooks=1, number=3, op="Add", keeps=("x",), saved_bytes=4)
    edges = (GraphEdge("e1", "t1", "n1"), GraphEdge("e2", "n1", "n2", 0, "×3"), GraphEdge("e3", "t1", "n2", 1, "y"))
    return Graph((x, b, y), edges, name)


def drawn(graph: Graph, engine: str = "built-in", **options: object) -> ElementTree.Element:
    return ElementTree.fromstring(paint(graph, layout(graph, engine), **options))  # type: ignore[arg-type]


def words(root: ElementTree.Element, css: str) -> list[str]:
    return ["".join(t.itertext()) for t in root.iter(f"{SVG}text") if css in (t.get("class") or "").split()]


def groups(root: ElementTree.Element) -> Iterator[tuple[str, str]]:
    for group in root.iter(f"{SVG}g"):
        if group.get("data-id"):
            yield group.get("id", ""), group.get("class", "")


@pytest.mark.parametrize("name", ODD, ids=ascii)
@pytest.mark.parametrize("interactive", [False, True])
def test_any_name_gives_well_formed_svg_that_holds_it(name: str, interactive: bool) -> None:
    root = drawn(sample(name), interactive=interactive)
    titles = [title.text or "" for title in root.iter(f"{SVG}title")]
    assert clean(name) in titles[0]
    assert not list(root.iter(f"{SVG}script"))
    label = words(root, "label")[0]
    assert label == one_line(name) or (label.endswith("…") and one_line(name).startswith(label[:-1]))


def test_an_attribute_keeps_newlines() -> None:
    root = drawn(sample("a\nb"))
    assert any("a\nb" in (group.get("aria-label") or "") for group in root.iter(f"{SVG}g"))
    assert attribute("a\nb") == "a&#10;b"


@pytest.mark.skipif(not pure_program(), reason="no program to compare with")
@pytest.mark.parametrize("freed", [False, True])
def test_every_rung_gives_the_same_ids_classes_and_words(freed: bool) -> None:
    graph = sample(freed=freed)
    one, two = drawn(graph, "built-in"), drawn(graph, "graphviz-pure")
    assert list(groups(one)) == list(groups(two))
    assert list(one.itertext()) == list(two.itertext())


def test_classes_say_what_a_box_is() -> None:
    found = dict(groups(drawn(sample(freed=True))))
    assert found["t1"] == "node tensor leaf"
    assert found["n1"] == "node op freed"
    assert found["n2"] == "node op output freed hooked"
    assert found["e1"] == "edge"


def test_freed_is_said_hatched_and_dashed_not_only_coloured() -> None:
    svg = paint(sample(freed=True), layout(sample(freed=True), "built-in"))
    root = ElementTree.fromstring(svg)
    assert words(root, "state") == ["freed", "freed"]
    assert ".freed .box{stroke:" in svg and "stroke-dasharray:4 3" in svg and svg.count('class="hatch"') == 2
    assert not words(drawn(sample()), "state")


def test_leaves_are_round_and_operations_are_not() -> None:
    root = drawn(sample())
    radius = {
        group.get("id"): group.find(f"{SVG}rect").get("rx")  # type: ignore[union-attr]
        for group in root.iter(f"{SVG}g")
        if group.get("tabindex")
    }
    assert radius == {"t1": "14", "n1": "5", "n2": "5"}


def test_value_gradient_and_missing_gradient() -> None:
    graph = sample()
    assert words(drawn(graph), "value") == ["2.0", "2.0"] and words(drawn(graph), "grad") == ["grad 15.0"]
    bare = replace(graph, nodes=(replace(graph["t1"], grad=None), *graph.nodes[1:]))
    assert words(drawn(bare), "grad") == ["no grad yet"]
    hidden = replace(graph, nodes=(replace(graph["t1"], grad=None, show_grad=False), *graph.nodes[1:]))
    assert words(drawn(hidden), "grad") == []


def test_only_counts_are_written_on_edges() -> None:
    assert words(drawn(sample()), "note") == ["×3"]


def test_what_a_player_needs_is_there_when_interactive() -> None:
    root = drawn(sample(), interactive=True)
    assert len(words(root, "flow")) == 3 and set(words(root, "flow")) == {""}
    backs = [path for path in root.iter(f"{SVG}path") if path.get("class") == "back"]
    assert len(backs) == 3 and all(path.get("marker-end") == "url(#return)" for path in backs)
    assert len(words(root, "grad")) == 3 and len(words(root, "state")) == 2


def test_a_prefix_makes_all_ids_its_own() -> None:
    ids = [e.get("id") for e in drawn(sample(freed=True), prefix="p7-").iter() if e.get("id")]
    assert ids and all(str(i).startswith("p7-") for i in ids) and len(ids) == len(set(ids))
    svg = paint(sample(freed=True), layout(sample(), "built-in"), prefix="p7-")
    assert "url(#tip)" not in svg and "url(#p7-tip)" in svg and "url(#p7-hatch)" in svg


def test_accessibility() -> None:
    root = drawn(sample())
    assert root.get("role") == "graphics-document" and root.get("aria-roledescription") == "computation graph"
    assert root.get("aria-label") == "Computation graph of x: 2 operations · 1 leaf · after backward"
    boxes = [group for group in root.iter(f"{SVG}g") if group.get("tabindex") == "0"]
    assert len(boxes) == 3
    assert boxes[0].get("aria-label") == "node 1 of 3: x, leaf, scalar, value 2.0, gradient 15.0, goes to b and y"


def test_it_is_scalable_and_stands_alone() -> None:
    svg = paint(sample(), layout(sample(), "built-in"))
    root = ElementTree.fromstring(svg)
    assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
    assert svg.count("http") == 1 and "var(" not in svg  # the one address is the namespace
    assert "<style" not in paint(sample(), layout(sample(), "built-in"), style=False)


def test_themes() -> None:
    light, dark = (paint(sample(), layout(sample(), "built-in"), theme) for theme in ("light", "dark"))
    assert "#ffffff" in light and "#1d222b" in dark and "#1d222b" not in light


def test_an_empty_graph_says_so() -> None:
    assert "nothing to draw" in "".join(drawn(Graph(())).itertext())


# ---------------------------------------------------------------------------------------------- measuring


@pytest.mark.parametrize("name", ODD, ids=ascii)
@pytest.mark.parametrize("interactive", [False, True])
def test_words_fit_their_box(name: str, interactive: bool) -> None:
    for node in sample(name, freed=True).nodes:
        box = content(node, interactive)
        lines: dict[float, float] = {}
        for item in box.words:
            lines[item.y] = lines.get(item.y, 0) + item.width
            assert item.end or item.x + item.width <= box.width - PAD + 0.1
            assert 0 < item.y < box.height
        assert max(lines.values()) <= box.width - 2 * PAD + 0.1


def test_a_cut_name_is_whole_in_the_title() -> None:
    name = "encoder.layers.11.attention.output.dense.weight"
    root = drawn(sample(name))
    assert words(root, "label")[0].endswith("…")
    assert name in next(root.iter(f"{SVG}title")).text  # type: ignore[operator]


def test_nothing_that_fits_is_cut() -> None:
    for name in ("x", "weight", "0.weight", "logits_1"):
        assert fit(name, 14.5, text_width(name, 14.5, True), True) == name


def test_wide_signs_count_as_wide() -> None:
    assert text_width("层", 10) > 10 and text_width("🙂", 10) > 13 and text_width("e\u0301", 10) == text_width("e", 10)

"""Both kinds of rung place every graph sensibly, and whatever fails, the next one draws."""

from __future__ import annotations

import random

import pytest

from tensorplay.viz import layout as layout_module
from tensorplay.viz.graph import Graph, GraphEdge, GraphNode
from tensorplay.viz.layout import Box, Layout, layout
from tensorplay.viz.ranks import arrange, ranks_of
from tensorplay.viz.render import pure_program

ENGINES = ["built-in", pytest.param("graphviz-pure", marks=pytest.mark.skipif(not pure_program(), reason="no program"))]


def random_graph(seed: int, size: int = 18) -> Graph:
    dice = random.Random(seed)
    nodes = [GraphNode(f"t{i}", "leaf", "w" * dice.randint(1, 30)) for i in range(1, 5)]
    edges: list[tuple[str, str, int]] = []
    for i in range(1, size + 1):
        before = [node.id for node in nodes]
        nodes.append(GraphNode(f"n{i}", "op", "+", "x" * dice.randint(0, 20), op="Add"))
        edges += [(dice.choice(before), f"n{i}", slot) for slot in range(dice.randint(1, 3))]
    return Graph(tuple(nodes), tuple(GraphEdge(f"e{i}", *edge) for i, edge in enumerate(edges, 1)))


def overlap(a: Box, b: Box) -> bool:
    return a.x < b.x + b.w and b.x < a.x + a.w and a.y < b.y + b.h and b.y < a.y + a.h


def inside(box: Box, x: float, y: float, by: float = 2.0) -> bool:
    return box.x + by < x < box.x + box.w - by and box.y + by < y < box.y + box.h - by


def along(curve: tuple[tuple[float, float], ...]) -> list[tuple[float, float]]:
    points = []
    for i in range(0, len(curve) - 3, 3):
        a, b, c, d = curve[i : i + 4]
        for step in range(21):
            t = step / 20
            weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
            x, y = (sum(w * p[k] for w, p in zip(weights, (a, b, c, d), strict=True)) for k in (0, 1))
            points.append((x, y))
    return points


def check(graph: Graph, placed: Layout) -> None:
    boxes = placed.boxes
    assert boxes.keys() == {node.id for node in graph.nodes}
    assert placed.curves.keys() == {edge.id for edge in graph.edges}
    names = list(boxes)
    for i, a in enumerate(names):
        assert not any(overlap(boxes[a], boxes[b]) for b in names[i + 1 :]), a
        box = boxes[a]
        assert box.x >= 0 and box.y >= 0 and box.x + box.w <= placed.width and box.y + box.h <= placed.height
    for edge in graph.edges:
        curve = placed.curves[edge.id]
        assert len(curve) % 3 == 1
        assert curve[0][0] == pytest.approx(boxes[edge.source].x + boxes[edge.source].w, abs=0.2)
        assert curve[-1][0] == pytest.approx(boxes[edge.target].x, abs=0.2)
        assert all(0 <= x <= placed.width and 0 <= y <= placed.height for x, y in curve)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("seed", range(6))
def test_boxes_do_not_touch_and_values_flow_to_the_right(engine: str, seed: int) -> None:
    graph = random_graph(seed)
    placed = layout(graph, engine)
    assert placed.engine == engine and not placed.notes
    check(graph, placed)
    for edge in graph.edges:
        assert placed.boxes[edge.source].x + placed.boxes[edge.source].w <= placed.boxes[edge.target].x


@pytest.mark.parametrize("seed", range(6))
def test_edges_pass_beside_boxes_in_the_built_in_layout(seed: int) -> None:
    graph = random_graph(seed)
    placed = layout(graph, "built-in")
    for edge in graph.edges:
        for x, y in along(placed.curves[edge.id]):
            assert not any(inside(box, x, y) for box in placed.boxes.values()), (edge, x, y)


@pytest.mark.parametrize("engine", ENGINES)
def test_top_to_bottom(engine: str) -> None:
    graph = random_graph(1)
    placed = layout(graph, engine, direction="TB")
    for edge in graph.edges:
        assert placed.boxes[edge.source].y + placed.boxes[edge.source].h <= placed.boxes[edge.target].y
    assert placed.boxes["t1"].w == layout(graph, engine).boxes["t1"].w


def test_parallel_edges_have_ends_of_their_own() -> None:
    x, y = GraphNode("t1", "leaf", "x"), GraphNode("n1", "op", "×", op="Mul")
    graph = Graph((x, y), (GraphEdge("e1", "t1", "n1", 0), GraphEdge("e2", "t1", "n1", 1)))
    curves = layout(graph, "built-in").curves
    assert abs(curves["e1"][-1][1] - curves["e2"][-1][1]) >= 9
    assert curves["e1"][-1][1] < curves["e2"][-1][1]


def test_a_box_grows_for_many_edges() -> None:
    leaves = tuple(GraphNode(f"t{i}", "leaf", "x") for i in range(20))
    edges = tuple(GraphEdge(f"e{i}", f"t{i}", "n1", i) for i in range(20))
    placed = layout(Graph((*leaves, GraphNode("n1", "op", "cat")), edges), "built-in")
    assert placed.boxes["n1"].h >= 20 * 9


@pytest.mark.parametrize("engine", ENGINES)
def test_empty_and_single(engine: str) -> None:
    assert layout(Graph(()), engine).boxes == {}
    check(one := Graph((GraphNode("t1", "leaf", "x"),)), layout(one, engine))


def test_stepping_leaves_room_for_travelling_numbers() -> None:
    graph = random_graph(0, 4)
    assert layout(graph, "built-in", interactive=True).width > layout(graph, "built-in").width


def test_unknown_direction() -> None:
    with pytest.raises(ValueError, match="direction must be 'LR'"):
        layout(Graph(()), direction="RL")  # type: ignore[arg-type]


def test_layout_is_the_same_on_every_run() -> None:
    graph = random_graph(3)
    assert layout(graph, "built-in") == layout(graph, "built-in")


def test_a_weight_read_everywhere_stays_linear() -> None:
    nodes = [GraphNode("t1", "leaf", "w"), *(GraphNode(f"n{i}", "op", "×", op="Mul") for i in range(1, 301))]
    edges = [GraphEdge(f"w{i}", "t1", f"n{i}", 1) for i in range(1, 301)]
    edges += [GraphEdge(f"c{i}", f"n{i - 1}", f"n{i}") for i in range(2, 301)]
    placed = layout(Graph(tuple(nodes), tuple(edges)))
    assert placed.engine == "built-in"
    assert placed.rung.name == "built-in" and (not pure_program() or "long edges pass" in placed.notes[0])


def test_what_hangs_on_one_reader_moves_up_to_it() -> None:
    links = [("a", "x", "p"), ("b", "p", "q"), ("c", "q", "r"), ("d", "w", "t"), ("e", "t", "r")]
    rank = ranks_of(["x", "w", "p", "q", "t", "r"], links)
    assert (rank["t"], rank["w"]) == (rank["r"] - 1, rank["r"] - 2)


def test_no_crossings_where_none_are_needed() -> None:
    links = [("1", "a", "d"), ("2", "b", "c"), ("3", "a", "c2"), ("4", "b", "c3")]
    sizes = dict.fromkeys(["a", "b", "c", "d", "c2", "c3"], (10.0, 10.0))
    places = arrange(sizes, links, 20, 5).centres
    for _, s, t in links:
        for _, s2, t2 in links:
            if s != s2:
                assert (places[s][1] - places[s2][1]) * (places[t][1] - places[t2][1]) >= 0


def test_a_cycle_in_a_hand_made_graph_ends() -> None:
    nodes = (GraphNode("n1", "op", "a"), GraphNode("n2", "op", "b"))
    graph = Graph(nodes, (GraphEdge("e1", "n1", "n2"), GraphEdge("e2", "n2", "n1")))
    assert layout(graph, "built-in").boxes.keys() == {"n1", "n2"}


@pytest.mark.skipif(not pure_program(), reason="no program")
def test_no_text_of_the_user_reaches_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []
    real = layout_module.run_program

    def spy(program: str, source: str, *rest: str) -> bytes:
        sent.append(source)
        return real(program, source, *rest)

    monkeypatch.setattr(layout_module, "run_program", spy)
    graph = Graph(
        (GraphNode("t1", "leaf", "secret"), GraphNode("n1", "op", "exp", "secret")), (GraphEdge("e1", "t1", "n1"),)
    )
    layout(graph, "graphviz-pure")
    assert sent and "secret" not in sent[0]

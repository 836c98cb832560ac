"""The Graph dataclasses, folding, and the walk from live tensors."""

from __future__ import annotations

import gc
import graphlib
import json
import weakref
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.events import Source
from tensorplay.viz.fold import fold
from tensorplay.viz.graph import Graph, GraphEdge, GraphNode, sentence
from tensorplay.viz.names import named, roots_of
from tensorplay.viz.summary import number_text, summarise
from tensorplay.viz.walk import graph_of


def leaf(*values: float) -> Any:
    return tp.tensor(list(values), requires_grad=True)


def acyclic(graph: Graph) -> bool:
    sorter: graphlib.TopologicalSorter[str] = graphlib.TopologicalSorter()
    for edge in graph.edges:
        sorter.add(edge.target, edge.source)
    return len(list(sorter.static_order())) > 0


# ----------------------------------------------------------------------------------------------- summary


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.float32(0.1), "0.1"),
        (np.array(3), "3"),
        (np.array([[1.0, 2.0], [3.0, 4.0]]), "[[1.0, 2.0], [3.0, 4.0]]"),
        (np.zeros((0, 3)), "[]"),
        (np.array([True, False]), "[True, False]"),
        (np.full(50, 2.0), "all 2.0"),
        (np.arange(10), "0 to 9, mean 4.5"),
        (np.array([np.nan, np.inf]), "[nan, inf]"),
        (np.array([np.nan, *range(1, 8)]), "1.0 to 7.0, mean 4.0, 1 not finite"),
        (np.array(1 + 2j), "1.0+2.0j"),
    ],
)
def test_summary_text(value: Any, text: str) -> None:
    assert summarise(value).text == text


def test_summary_keeps_exact_numbers_of_small_arrays_only() -> None:
    assert summarise(np.array([0.1, 1 / 3])).exact == (0.1, 1 / 3)
    assert summarise(np.zeros(65)).exact is None


def test_summary_is_a_copy() -> None:
    array = np.zeros(3)
    before = summarise(array)
    array[:] = 1
    assert before.exact == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("value", [1e308, -1e308])
def test_mean_of_huge_numbers_stays_finite(value: float) -> None:
    assert summarise(np.full(10, value)).mean == pytest.approx(value)


def test_numbers_stay_recognisable_as_floats() -> None:
    assert [number_text(v) for v in (1e6, 999999.0, -0.0, float("nan"))] == ["1e6", "999999.0", "-0.0", "nan"]


# ----------------------------------------------------------------------------------------- dataclasses


def test_json_round_trip_keeps_everything() -> None:
    x = GraphNode("t1", "leaf", "x", shape=(2,), value=summarise(np.array([np.nan, 1.0])), number=1)
    source = Source("a.py", 3, "f", "y = x + x")
    y = GraphNode("n1", "output", "+", "y", (2,), hooks=1, source=source, number=2, op="Add", keeps=("x",))
    graph = Graph((x, y), (GraphEdge("e1", "t1", "n1"), GraphEdge("e2", "t1", "n1", 1)), "y", ("a note",))
    text = json.dumps(graph.to_dict(), allow_nan=False)
    again = Graph.from_dict(json.loads(text))
    assert again.to_dict() == graph.to_dict()
    assert again["n1"] == y and again.edges == graph.edges
    assert np.isnan(again["t1"].value.exact[0])  # type: ignore[union-attr,index]


def test_sentence_names_state_and_neighbours() -> None:
    x = GraphNode("t1", "leaf", "x", shape=(2, 3), number=1)
    y = GraphNode("n1", "output", "exp", "y", (2, 3), freed=True, hooks=2, op="Exp", number=2)
    graph = Graph((x, y), (GraphEdge("e1", "t1", "n1"),))
    assert sentence(graph, x) == "node 1 of 2: x, leaf, 2 by 3, no gradient yet, goes to y"
    said = sentence(graph, y)
    assert said.startswith("node 2 of 2: Exp, result y, output, 2 by 3, from x, freed") and said.endswith("2 hooks")


# --------------------------------------------------------------------------------------- live tensors


def test_ids_and_edges_follow_the_order_of_creation() -> None:
    x = tp.tensor(2.0, requires_grad=True)
    b = x * 3
    y = b * x + b
    graph = graph_of(y)
    assert [node.id for node in graph.nodes] == ["t1", "n1", "n2", "n3"]
    pairs = [(e.id, e.source, e.target, e.slot) for e in graph.edges]
    assert pairs == [
        ("e1", "t1", "n1", 0),
        ("e2", "n1", "n2", 0), ("e3", "t1", "n2", 1),
        ("e4", "n2", "n3", 0), ("e5", "n1", "n3", 1),
    ]  # fmt: skip
    assert [graph[i].name for i in ("t1", "n1", "n2", "n3")] == ["x", "b", "b·x", "y"]
    assert graph["n3"].kind == "output" and graph.title == "y"


def test_the_same_program_gives_the_same_graph() -> None:
    def once() -> Graph:
        x = leaf(1.0, 2.0)
        return graph_of(((x * x).exp() + x).sum(), names={"x": x})

    assert once() == once()


def test_before_and_after_backward() -> None:
    x = tp.tensor(2.0, requires_grad=True)
    y = (x * x).exp()
    before = graph_of(y)
    assert before.when == "before backward" and before["t1"].grad is None
    y.backward()
    after = graph_of(y)
    assert after.when == "after backward, graph freed"
    assert all(node.freed for node in after.nodes if node.is_op)
    assert after["t1"].grad.exact == (x.grad.item(),)  # type: ignore[union-attr]
    assert [(e.source, e.target) for e in before.edges] == [(e.source, e.target) for e in after.edges]


def test_a_missing_gradient_is_none_not_zero() -> None:
    w = leaf(1.0, 2.0)
    node = graph_of((w * 2).sum())["t1"]
    assert node.grad is None and "no gradient yet" in sentence(graph_of(w), graph_of(w)["t1"])


def test_a_shared_leaf_is_drawn_once_with_three_edges() -> None:
    w = leaf(1.0, 2.0)
    graph = graph_of((w * w + w).sum())
    assert [node.id for node in graph.nodes if not node.is_op] == ["t1"]
    assert len(graph.out_of("t1")) == 3 and acyclic(graph)


def test_one_module_used_twice_is_two_operations() -> None:
    x, relu = leaf(1.0), tp.nn.ReLU()
    graph = graph_of(relu(relu(x) + 1))
    assert sum(node.op.lower() == "relu" for node in graph.nodes) == 2 and acyclic(graph)


def test_roots_without_history() -> None:
    constant, x = tp.ones(2), leaf(1.0)
    assert [n.kind for n in graph_of(constant).nodes] == ["constant"]
    assert [n.kind for n in graph_of(x).nodes] == ["leaf"]
    assert len(graph_of([x, x * 2, constant]).nodes) == 3


def test_several_roots_and_dictionaries() -> None:
    x = leaf(1.0)
    graph = graph_of({"double": x * 2, "more": (x.exp(), x)})
    outputs = [(node.id, node.detail) for node in graph.nodes if node.kind == "output"]
    assert outputs == [("n1", "double"), ("n2", "more[0]")]
    assert graph.title.startswith("double, more[0]")


def test_names_come_from_the_call_then_from_variables() -> None:
    layer = tp.nn.Linear(1, 1)
    x = tp.zeros(1, 1, requires_grad=True)
    labels = {node.label for node in graph_of(layer(x), names={"input": x}).nodes if not node.is_op}
    assert labels == {"input", "weight", "bias"}
    kinds = {node.label: node.kind for node in graph_of(layer(x)).nodes if not node.is_op}
    assert kinds == {"x": "leaf", "weight": "parameter", "bias": "parameter"}


def test_unnamed_leaves_get_a_fallback_label() -> None:
    def make() -> Any:
        return tp.ones(2, requires_grad=True) * 2

    assert graph_of(make())["t1"].label == "t1"


def test_values_are_taken_from_what_was_saved() -> None:
    def make(x: Any) -> Any:
        hidden = x.exp()
        return hidden * hidden

    graph = graph_of(make(tp.tensor(0.0, requires_grad=True)))
    assert graph["n1"].value.exact == (1.0,)  # type: ignore[union-attr]


def test_what_an_operation_keeps_is_told_in_the_users_names() -> None:
    x = tp.tensor(2.0, requires_grad=True)
    w = tp.tensor(3.0, requires_grad=True)
    assert set(graph_of(x * w, saved=True)["n1"].keeps) == {"x", "w"}


def test_drawing_changes_nothing_and_holds_nothing() -> None:
    x = leaf(1.0, 2.0)
    y = (x * x).sum()
    node = weakref.ref(y.grad_fn)
    graph = graph_of(y)
    y.backward()
    assert x.grad.tolist() == [2.0, 4.0]
    del y
    gc.collect()
    assert node() is None and len(graph.nodes) == 3


def test_the_callers_own_locals_are_left_alone() -> None:
    x = leaf(1.0)
    mine = locals()
    graph_of(x)
    assert mine["x"] is x


@pytest.mark.parametrize("thing", [3, "x", None, object()])
def test_what_has_no_graph_is_refused_with_a_reason(thing: Any) -> None:
    with pytest.raises(TypeError, match="only tensors have a graph, got"):
        roots_of(thing)


def test_names_may_be_given_either_way_round() -> None:
    x = leaf(1.0)
    assert [name for name, _ in named({"x": x})] == [name for name, _ in named([(x, "x")])] == ["x"]


def test_long_chains_are_walked_without_recursion() -> None:
    x = tp.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(5000):
        y = y * 0.999
    graph = graph_of(y)
    assert graph.operations == 5000
    assert fold(graph, 400).operations == 5000


# ------------------------------------------------------------------------------------------------ folding


def chain(length: int, side: bool = False) -> Graph:
    nodes = [GraphNode("t1", "leaf", "x")]
    edges = []
    for i in range(1, length + 1):
        if side:
            nodes.append(GraphNode(f"t{i + 1}", "leaf", f"w{i}"))
            edges.append((f"t{i + 1}", f"n{i}", 1))
        edges.append((f"n{i - 1}" if i > 1 else "t1", f"n{i}", 0))
        nodes.append(GraphNode(f"n{i}", "op" if i < length else "output", "×", op="Mul"))
    return Graph(tuple(nodes), tuple(GraphEdge(f"e{i}", *e) for i, e in enumerate(edges, 1)))


def test_small_graphs_are_not_folded() -> None:
    graph = chain(10)
    assert fold(graph, 11) is graph


@pytest.mark.parametrize("side", [False, True])
def test_a_long_chain_becomes_one_box_with_honest_counts(side: bool) -> None:
    graph = chain(300, side)
    folded = fold(graph, 40)
    assert len(folded.nodes) <= 40
    assert (folded.operations, folded.leaves) == (graph.operations, graph.leaves)
    [box] = [node for node in folded.nodes if node.folded]
    assert box.detail.startswith("292 ops") and box.id == "f1"
    assert folded["n1"] and folded["n300"].kind == "output" and acyclic(folded)


def test_edges_that_a_fold_made_parallel_are_counted() -> None:
    graph = chain(50)
    extra = tuple(GraphEdge(f"s{i}", "t1", f"n{i}", 1) for i in range(2, 50))
    folded = fold(Graph(graph.nodes, graph.edges + extra), 20)
    [box] = [node for node in folded.nodes if node.folded]
    labels = [edge.label for edge in folded.into(box.id) if edge.source == "t1"]
    assert labels == [f"×{box.folded}"]


def test_what_is_no_chain_is_folded_in_the_middle() -> None:
    nodes = [GraphNode("t1", "leaf", "x"), *(GraphNode(f"n{i}", "op", "+", op="Add") for i in range(1, 201))]
    pairs = [(f"n{i - k}" if i > k else "t1", f"n{i}", k - 1) for i in range(1, 201) for k in (1, 2)]
    graph = Graph(tuple(nodes), tuple(GraphEdge(f"e{i}", *p) for i, p in enumerate(pairs, 1)))
    folded = fold(graph, 30)
    assert len(folded.nodes) <= 30 and folded.operations == 200 and acyclic(folded)


def test_many_leaves_of_one_operation_are_folded() -> None:
    leaves = [GraphNode(f"t{i}", "leaf", f"x{i}") for i in range(1, 101)]
    cat = GraphNode("n1", "output", "cat", op="Cat")
    edges = tuple(GraphEdge(f"e{i}", f"t{i}", "n1", i - 1) for i in range(1, 101))
    folded = fold(Graph((*leaves, cat), edges), 20)
    assert len(folded.nodes) == 4 and folded.leaves == 100
    assert [e.label for e in folded.edges if e.source == "f1"] == ["×98"]

"""Operations with several results: each result has its own name, value and gradient in every picture."""

from __future__ import annotations

import json
from typing import Any

import pytest

import tensorplay as tp
from tensorplay.autograd import Function
from tensorplay.viz import Trace
from tensorplay.viz.fold import fold
from tensorplay.viz.graph import Graph
from tensorplay.viz.narrate import plain, sentence
from tensorplay.viz.steps import OpRan, Visited
from tensorplay.viz.walk import graph_of


class Pair(Function):
    """Twice x, a number that is no tensor, and x + 1."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2, 7, x + 1

    @staticmethod
    def backward(ctx: Any, first: Any, number: Any, last: Any) -> Any:
        return first * 2 + last


def matrix() -> Any:
    return tp.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)


def recorded(run: Any) -> Trace:
    with tp.viz.record() as trace:
        run()
    return trace


def told(trace: Trace, kind: type) -> list[str]:
    return [plain(sentence(trace, k)) for k, event in enumerate(trace.events, 1) if isinstance(event, kind)]


def named() -> None:
    y = matrix()
    a, b = tp.unbind(y)
    c = b * 2
    loss = (c * a).sum()
    loss.backward()


def unnamed() -> None:
    y = matrix()
    loss = (tp.unbind(y)[1] * 3).sum()
    loss.backward()


# ---------------------------------------------------------------------------------------- still pictures


def test_each_result_is_called_by_its_own_variable() -> None:
    y = matrix()
    a, b = tp.unbind(y)
    c = (b * 2) * a
    graph = graph_of(c)
    assert [graph.reads(node) for node in ("n1", "n2", "n3")] == [("y",), ("b",), ("b·2", "a")]
    assert graph["n1"].name == "a, b" and graph["n1"].outputs == ("a", "b")
    assert [(edge.source, edge.output) for edge in graph.into("n3")] == [("n2", 0), ("n1", 0)]


def test_a_result_without_a_variable_is_called_by_its_number() -> None:
    y = matrix()
    c = tp.unbind(y)[1] * 3
    assert graph_of(c).reads("n2") == ("unbind(y)[1]",)
    deep = y.exp().exp().exp().unbind()[1] * 3
    assert graph_of(deep, names={"deep": deep}).reads("n5") == ("unbind (n4)[1]",)


def test_a_box_of_several_results_shows_the_value_of_none() -> None:
    y = matrix()
    a, b = tp.unbind(y)
    assert graph_of(a * b)["n1"].value is None


def test_a_module_function_with_several_results() -> None:
    x = tp.tensor([1.0, 2.0], requires_grad=True)
    a, _, b = Pair.apply(x)
    assert graph_of(a * b).reads("n2") == ("a", "b")
    assert graph_of(Pair.apply(x)[2] * 3).reads("n2") == ("Pair(x)[2]",)


def test_what_an_operation_keeps_is_told_by_the_result_it_is() -> None:
    y = matrix()
    a, b = tp.unbind(y)
    assert set(graph_of(a * b, saved=True)["n2"].keeps) == {"a", "b"}


def test_names_of_results_survive_json_and_older_files_have_none() -> None:
    y = matrix()
    a, b = tp.unbind(y)
    data = json.loads(json.dumps(graph_of(a * b).to_dict()))
    assert Graph.from_dict(data).to_dict() == data
    assert Graph.from_dict(data).reads("n2") == ("a", "b")
    for entry in data["nodes"]:
        del entry["outputs"]
    for entry in data["edges"]:
        del entry["output"]
    assert Graph.from_dict(data)["n1"].outputs == ()


def test_an_edge_into_a_fold_stands_for_all_its_results() -> None:
    y = matrix()
    a, b = tp.unbind(y)
    z = a
    for _ in range(40):
        z = z * b + a
    folded = fold(graph_of(z, names={"y": y, "a": a, "b": b}), 8)
    [box] = [node for node in folded.nodes if node.folded]
    assert "a, b" in folded.reads(box.id)


def test_every_one_of_many_results_has_a_name() -> None:
    x = tp.ones(2000, 2, requires_grad=True)
    total = x.unbind()[0]
    for row in x.unbind()[1:]:
        total = total + row
    graph = graph_of(total)
    assert len(graph[graph.nodes[2].id].outputs) == 2000


# ------------------------------------------------------------------------------------------- recordings


def test_a_recording_tells_every_result() -> None:
    ran = told(recorded(named), OpRan)
    assert ran[0].startswith("Unbind takes y and makes a = [1.0, 2.0] and b = [3.0, 4.0].")
    assert ran[1].startswith("Mul (×) takes b and 2 and makes c = ")
    assert ran[2].endswith("For the way back it keeps a and c.")


def test_gradients_go_to_the_result_they_belong_to() -> None:
    visits = told(recorded(named), Visited)
    assert "It sends [1.0, 2.0] to c and [6.0, 8.0] to a." in visits[1]
    assert "It sends [2.0, 4.0] to b." in visits[2]
    assert visits[3].startswith("The gradients [6.0, 8.0] and [2.0, 4.0] reach a, b. It sends [[6.0, 8.0], ")


def test_a_recording_of_results_without_names() -> None:
    trace = recorded(unnamed)
    assert told(trace, OpRan)[1].startswith("Mul (×) takes unbind(y)[1] and 3 and makes unbind(y)[1]·3 = [9.0, 12.0]")
    assert "It sends [3.0, 3.0] to unbind(y)[1]." in told(trace, Visited)[1]


def test_the_pass_starts_at_the_result_it_was_called_on() -> None:
    y = matrix()
    a, b = tp.unbind(y)
    text = str(tp.viz.step(b, tp.tensor([1.0, 10.0])).trace)
    assert "The backward pass starts at b with the gradient [1.0, 10.0]." in text and a is not None


def test_what_is_no_tensor_takes_no_place_among_the_values() -> None:
    def run() -> None:
        x = tp.tensor([1.0, 2.0], requires_grad=True)
        first, _, last = Pair.apply(x)
        loss = (first * last).sum()
        loss.backward()

    trace = recorded(run)
    assert told(trace, OpRan)[0].startswith("Pair takes x and makes first = [2.0, 4.0] and last = [2.0, 3.0].")
    assert isinstance(trace.events[0], OpRan) and trace.events[0].several[1] is None


@pytest.mark.parametrize("run", [named, unnamed])
def test_a_player_of_several_results(run: Any, tmp_path: Any) -> None:
    def page(trace: Trace) -> str:
        tp.viz.stepper(trace).to_html(tmp_path / "page.html")
        return (tmp_path / "page.html").read_text(encoding="utf-8")

    trace = recorded(run)
    assert Trace.from_json(trace.to_json()) == trace
    ours, plain_page = page(trace), page(recorded(lambda: matrix().sum().backward()))
    assert ours.count("not recorded") == plain_page.count("not recorded")  # in the script, not in a box


def test_one_result_with_a_gradient_is_as_before() -> None:
    def run() -> None:
        x = matrix()
        values, _ = x.max(1)
        values.sum().backward()

    trace = recorded(run)
    assert told(trace, OpRan)[0].startswith("Max takes x and makes values = [2.0, 4.0].")
    assert trace.graph["n1"].outputs == () and trace.at(1).values["n1"].numbers == (2.0, 4.0)

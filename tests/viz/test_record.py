"""What a recording holds equals what the engine does when nobody looks, and looking changes nothing."""

from __future__ import annotations

import gc
import threading
import warnings
import weakref
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.viz import Trace
from tensorplay.viz.steps import (
    Accumulated,
    Again,
    Began,
    Ended,
    Failed,
    Freed,
    Hooked,
    OpRan,
    OpRefused,
    Stepped,
    Visited,
    Written,
    Zeroed,
)


def kinds(trace: Trace) -> list[str]:
    return [event.kind for event in trace.events]


def train_step() -> tuple[Any, Any, Any]:
    """A model, its loss and its optimizer, from a fixed seed."""
    tp.manual_seed(3)
    model = tp.nn.Sequential(tp.nn.Linear(6, 5), tp.nn.ReLU(), tp.nn.Linear(5, 3))
    opt = tp.optim.SGD(model.parameters(), lr=0.1)
    x, t = tp.rand(4, 6), tp.randint(0, 3, (4,))
    loss = tp.nn.functional.cross_entropy(model(x), t)
    loss.backward()
    opt.step()
    return model, loss, opt


def recorded_train_step(**settings: Any) -> tuple[Trace, Any]:
    with tp.viz.record(**settings) as trace:
        model, _, opt = train_step()
        opt.zero_grad()
    return trace, model


# ------------------------------------------------------------------------------------------- order


def test_the_order_of_steps() -> None:
    x = tp.tensor(2.0, requires_grad=True)
    with tp.viz.record() as trace:
        y = x * x
        y.backward()
    assert kinds(trace) == ["op", "backward", "visit", "freed", "accumulate", "ended"]
    ended = trace.events[-1]
    assert isinstance(ended, Ended) and (ended.visited, ended.leaves, ended.freed) == (1, 1, 1)


def test_a_training_step_has_all_phases_in_order() -> None:
    trace, _ = recorded_train_step()
    phases = list(dict.fromkeys(event.phase for event in trace.events))
    assert phases == ["forward", "backward", "accumulate", "update"]
    assert kinds(trace)[-5:] == ["optimizer"] * 4 + ["zero"]
    names = {node.label for node in trace.graph.nodes if node.kind == "parameter"}
    assert names == {"0.weight", "0.bias", "2.weight", "2.bias"}


def test_numbers_equal_an_unrecorded_run() -> None:
    trace, _ = recorded_train_step(values="all")
    model, loss, _ = train_step()
    by_name = {node.label: node.id for node in trace.graph.nodes}
    ended = next(k for k, e in enumerate(trace.events, 1) if isinstance(e, Ended))
    state = trace.at(ended)
    for name, p in model.named_parameters():
        assert state.grads[by_name[name]].tolist() == p.grad.tolist()
        assert trace.at(-1).values[by_name[name]].tolist() == p.tolist()
    outputs = [node.id for node in trace.graph.nodes if node.kind == "output"]
    assert [state.values[name].tolist() for name in outputs] == [loss.item()]


def test_recording_changes_no_bit() -> None:
    _, model = recorded_train_step(values="all")
    plain, _, _ = train_step()
    for a, b in zip(model.parameters(), plain.parameters(), strict=True):
        np.testing.assert_array_equal(a.detach().numpy(), b.detach().numpy(), strict=True)


def test_nothing_live_is_kept() -> None:
    x = tp.tensor([1.0, 2.0], requires_grad=True)
    with tp.viz.record() as trace:
        y = (x * x).sum()
        node = weakref.ref(y.grad_fn)
        y.backward()
    del x, y
    gc.collect()
    assert node() is None and len(trace) > 0


def test_both_inputs_of_x_times_x_get_their_own_edge() -> None:
    x = tp.tensor(3.0, requires_grad=True)
    with tp.viz.record() as trace:
        (x * x).backward()
    visit = next(e for e in trace.events if isinstance(e, Visited))
    assert [(s.edge, s.target, s.value.numbers, s.total.numbers) for s in visit.sent] == [
        ("e1", "t1", (3.0,), (3.0,)),
        ("e2", "t1", (3.0,), (6.0,)),
    ]


# ---------------------------------------------------------------------------------- names and lines


def test_names_come_from_the_program() -> None:
    x = tp.tensor(2.0, requires_grad=True)
    with tp.viz.record() as trace:
        b = x * 3
        y = b * x + b
    del y
    names = {node.id: node.name for node in trace.graph.nodes}
    assert names == {"t1": "x", "n1": "b", "n2": "b·x", "n3": "y"}


def test_names_inside_a_function_are_learned_where_backward_is_called() -> None:
    def step() -> None:
        image = tp.ones(2)
        weight = tp.tensor([1.0, 2.0], requires_grad=True)
        loss = (weight * image).sum()
        loss.backward()

    with tp.viz.record() as trace:
        step()
    assert {"image", "weight", "loss"} <= {node.name for node in trace.graph.nodes}


def test_lines_name_no_folder() -> None:
    x = tp.tensor(2.0, requires_grad=True)
    with tp.viz.record() as trace:
        y = x * 3
        y.backward()
    assert [(line.file, line.text) for line in trace.lines] == [
        ("test_record.py", "y = x * 3"),
        ("test_record.py", "y.backward()"),
    ]
    began = next(e for e in trace.events if isinstance(e, Began))
    assert trace.lines[began.line or 0].text == "y.backward()"
    assert "/" not in trace.to_json().replace("</", "")


def test_lines_can_be_left_out() -> None:
    x = tp.tensor(2.0, requires_grad=True)
    with tp.viz.record(source=False) as trace:
        (x * 3).backward()
    assert trace.lines == () and {e.line for e in trace.events} == {None}


# -------------------------------------------------------------------------------------- left out


def test_large_values_are_summarised_and_counted() -> None:
    x = tp.ones(10, 10, requires_grad=True)
    with tp.viz.record() as trace:
        (x * 2.0).sum()
    step = trace.events[0]
    assert isinstance(step, OpRan) and step.value.numbers is None and step.value.total == 200.0
    assert trace.left_out.values > 0 and "were left out" in trace.left_out.sentences()[0]


def test_all_values_within_the_budget() -> None:
    x = tp.ones(10, 10, requires_grad=True)
    with tp.viz.record(values="all") as rich:
        (x * 2.0).sum()
    with tp.viz.record(values="all", budget="1kB") as poor:
        (x * 2.0).sum()
    assert isinstance(rich.events[0], OpRan) and isinstance(poor.events[0], OpRan)
    assert len(rich.events[0].value.numbers or ()) == 100 and rich.left_out.values == 0
    assert poor.events[0].value.numbers is None and poor.left_out.values > 0


@pytest.mark.parametrize("settings", [{"values": "some"}, {"budget": "lots"}])
def test_unreadable_settings(settings: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=r"must be .*, got '(some|lots)'"):
        tp.viz.record(**settings)  # type: ignore[arg-type]


def test_a_limit_of_steps_is_said() -> None:
    x = tp.tensor(1.0, requires_grad=True)
    with tp.viz.record(limit=3) as trace:
        (x * x * x).backward()
    assert len(trace) == 3 and trace.left_out.steps > 0


def test_operations_without_gradient_are_counted_not_shown() -> None:
    with tp.viz.record() as trace:
        _ = tp.ones(2) + 1
    assert len(trace) == 0 and trace.left_out.unrecorded_ops == 1


def test_other_threads_are_not_recorded() -> None:
    def work() -> None:
        (tp.ones(2, requires_grad=True) * 2).sum().backward()

    with tp.viz.record() as trace:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert len(trace) == 0


# ------------------------------------------------------------------------------------ special steps


def test_hooks_are_steps_and_change_what_waits() -> None:
    x = tp.tensor(2.0, requires_grad=True)
    h = x * 3
    h.register_hook(lambda g: g * 10)
    with tp.viz.record() as trace:
        (h * 1.0).backward()
    hook = next(e for e in trace.events if isinstance(e, Hooked))
    assert hook.before is not None and hook.after is not None
    assert (hook.before.numbers, hook.after.numbers) == ((1.0,), (10.0,))
    assert trace.at(-1).grads["t1"].numbers == (30.0,)


def test_in_place_writes_under_no_grad() -> None:
    w = tp.tensor(1.0, requires_grad=True)
    with tp.viz.record() as trace:
        (w * w).backward()
        with tp.no_grad():
            w.sub_(0.5)
            w.grad.zero_()
    written = [e for e in trace.events if isinstance(e, Written)]
    assert [(e.node, e.what, e.value.numbers) for e in written] == [("t1", "value", (0.5,)), ("t1", "grad", (0.0,))]
    assert "t1" in trace.at(-1).stepped and trace.at(-1).grads["t1"].numbers == (0.0,)


def test_an_optimizer_step_is_one_step_a_parameter() -> None:
    trace, _ = recorded_train_step()
    stepped = [e for e in trace.events if isinstance(e, Stepped)]
    assert len(stepped) == 4 and {e.optimizer for e in stepped} == {"SGD"}
    assert not any(isinstance(e, Written) for e in trace.events)
    zeroed = trace.events[-1]
    assert isinstance(zeroed, Zeroed) and set(zeroed.nodes) == {e.node for e in stepped}
    assert not trace.at(-1).grads


def test_a_refused_operation() -> None:
    x = tp.ones(3, requires_grad=True)
    with pytest.raises(RuntimeError), tp.viz.record() as trace:
        x + tp.ones(4)
    step = trace.events[-1]
    assert isinstance(step, OpRefused) and step.op == "Add" and step.shapes == ((3,), (4,))


def test_a_pass_that_fails() -> None:
    def broken(gradient: Any) -> Any:
        raise ZeroDivisionError("on purpose")

    x = tp.tensor(2.0, requires_grad=True)
    h = x * 3
    h.register_hook(broken)
    with pytest.raises(ZeroDivisionError), tp.viz.record() as trace:
        (h * 2.0).backward()
    step = trace.events[-1]
    assert isinstance(step, Failed) and (step.error, step.message) == ("ZeroDivisionError", "on purpose")
    assert not trace.at(-1).pending and not trace.at(-1).grads


def test_backward_on_a_freed_graph() -> None:
    x = tp.tensor(2.0, requires_grad=True)
    y = x * x
    y.backward()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with tp.viz.record() as trace:
            y.backward()
    assert [type(e) for e in trace.events] == [Again]
    assert trace.at(0).freed == {"n1"}


def test_second_order_tells_the_passes_apart() -> None:
    x = tp.tensor(2.0, requires_grad=True)
    with tp.viz.record() as trace:
        y = x**3
        (g,) = tp.autograd.grad(y, x, create_graph=True)
        (g * g).backward()
    assert {e.pass_number for e in trace.events if isinstance(e, Visited)} == {1, 2}
    inner = [e for e in trace.events if isinstance(e, OpRan) and e.pass_number == 1]
    assert inner and all(isinstance(e, OpRan) for e in inner)
    assert trace.at(-1).grads["t1"].numbers == (288.0,)


# -------------------------------------------------------------------------------------------- step


def test_step_runs_the_backward() -> None:
    x = tp.tensor(3.0, requires_grad=True)
    player = tp.viz.step(x * x)
    assert x.grad.item() == 6.0
    assert kinds(player.trace) == ["backward", "visit", "freed", "accumulate", "ended"]


def test_step_knows_what_was_there_before() -> None:
    x = tp.tensor(3.0, requires_grad=True)
    (x * 2.0).backward()
    y = x * x
    start = tp.viz.step(y).trace.at(0)
    assert start.grads["t1"].numbers == (2.0,) and start.saved == {"n1": 8}
    assert "n1" not in start.values and start.done == {"n1"}


def test_step_passes_arguments_on() -> None:
    x = tp.tensor([1.0, 2.0], requires_grad=True)
    y = x * 3
    player = tp.viz.step(y, tp.tensor([1.0, 10.0]), retain_graph=True)
    assert x.grad.tolist() == [3.0, 30.0]
    assert not any(isinstance(e, Freed) for e in player.trace.events)
    began = player.trace.events[0]
    assert isinstance(began, Began) and began.retain and began.seeds[0].value.numbers == (1.0, 10.0)


def test_a_graph_with_several_outputs_finds_its_edges() -> None:
    x = tp.tensor([[1.0, 5.0], [7.0, 2.0]], requires_grad=True)
    with tp.viz.record() as trace:
        values, _ = x.max(1)
        values.sum().backward()
    sent = [s for e in trace.events if isinstance(e, Visited) for s in e.sent]
    assert all(s.edge is not None for s in sent)
    after = next(e for e in trace.events if isinstance(e, Accumulated)).after
    assert after.tolist() == [[0.0, 1.0], [1.0, 0.0]]


def test_a_recording_is_used_once() -> None:
    recording = tp.viz.record()
    with recording:
        pass
    with pytest.raises(RuntimeError, match=r"call record\(\) again"), recording:
        pass

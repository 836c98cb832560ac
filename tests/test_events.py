"""Events: what is told, in which order; and that telling changes nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay import events
from tensorplay.testing import assert_close, valid_cases
from tests.ops.recorded import run

# ------------------------------------------------------------------- a listener changes no bit


class Nobody:
    """Does not listen."""

    def __enter__(self) -> Nobody:
        return self

    def __exit__(self, *exception: object) -> None: ...


class KeepEverything:
    """Holds on to every event, and so to every array, that there is."""

    def __init__(self) -> None:
        self.kept: list[events.Event] = []
        self.subscription = events.subscribe(self.kept.append, source=True)

    def __enter__(self) -> KeepEverything:
        return self

    def __exit__(self, *exception: object) -> None:
        self.subscription.remove()


def one_kind() -> Any:
    return events.listening(lambda event: None, events.NodeVisited)


LISTENERS = [Nobody, one_kind, KeepEverything]


def bits(arrays: list[Any]) -> list[tuple[Any, ...]]:
    return [(a.shape, a.dtype.str, a.tobytes()) for a in map(np.asarray, arrays)]


@pytest.mark.parametrize("case", valid_cases(), ids=str)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_no_listener_changes_a_bit_of_an_op(case, dtype):
    answers = []
    for listener in LISTENERS:
        with listener():
            outs, grads = run(case, dtype)
        answers.append(bits(outs) + bits(grads))
    assert answers[0] == answers[1] == answers[2]


def test_no_listener_changes_which_graph_is_recorded():
    """Without listeners the short paths record; with one, the general path: the graphs must be the same."""
    graphs = []
    for listener in LISTENERS:
        with listener():
            x = tp.tensor([[1.0, 2.0]], requires_grad=True)
            y = ((x * 2 + x).T @ x).exp().sum() - x[0, 0] / 3 + (-x).amax(1)
        graphs.append(structure(y.grad_fn))
    assert graphs[0] == graphs[1] == graphs[2]


def structure(node: Any) -> Any:
    if node is None or node.name() == "AccumulateGrad":
        return node and "leaf"
    kept = [(name, array.shape) for name, array in node.saved_arrays()]
    return node.name(), node.shape, node.params, kept, [structure(n) for n, _ in node.next_functions]


def train_an_mlp() -> list[np.ndarray]:
    """Ten steps of a small network: every parameter at the end, and every loss."""
    tp.manual_seed(3)
    rng = np.random.default_rng(0)
    x, t = tp.tensor(rng.normal(size=(12, 5)).astype("float32")), tp.tensor(rng.integers(0, 3, 12))
    model = tp.nn.Sequential(tp.nn.Linear(5, 7), tp.nn.ReLU(), tp.nn.Linear(7, 3))
    optimizer = tp.optim.Adam(model.parameters(), lr=0.05)
    losses = []
    for _ in range(10):
        optimizer.zero_grad()
        loss = tp.nn.functional.cross_entropy(model(x), t)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return [np.asarray(losses), *(p.detach().numpy().copy() for p in model.parameters())]


def test_no_listener_changes_a_bit_of_a_training_run():
    answers = []
    for listener in LISTENERS:
        with listener():
            answers.append(bits(train_an_mlp()))
    assert answers[0] == answers[1] == answers[2]


def test_training_lowers_the_loss():
    losses = train_an_mlp()[0]
    assert losses[-1] < 0.7 * losses[0]


# ------------------------------------------------------------------------------------ the order


def record(function, *kinds) -> list[events.Event]:
    seen: list[events.Event] = []
    with events.listening(seen.append, *kinds, source=True):
        function()
    return seen


def test_the_order_of_a_pass():
    x = tp.tensor([2.0], requires_grad=True)
    y = x * x
    z = y * 3
    seen = record(z.backward)
    assert [type(event).__name__ for event in seen] == [
        "BackwardStarted",
        "GradientArrived",  # the seed
        "NodeVisited",
        "SavedFreed",
        "GradientArrived",
        "NodeVisited",
        "SavedFreed",
        "GradientArrived",  # x, from both sides of the product
        "GradientArrived",
        "GradAccumulated",
        "BackwardFinished",
    ]
    seed, visited = seen[1], seen[2]
    assert seed.source is None
    assert seed.node is z.grad_fn
    assert_close(seed.value, np.float32([1.0]))
    assert visited.node is z.grad_fn
    assert_close(visited.grads_in[0], np.float32([1.0]))
    assert_close(visited.grads_out[0], np.float32([3.0]))
    assert [event.source for event in seen if isinstance(event, events.GradientArrived)][1:] == [
        z.grad_fn,
        y.grad_fn,
        y.grad_fn,
    ]
    assert [event.node for event in seen if isinstance(event, events.GradientArrived)][2:] == [x, x]


def test_events_are_numbered_and_share_a_pass():
    x = tp.tensor([2.0], requires_grad=True)
    seen = record((x * x).backward)
    numbers = [event.seq for event in seen]
    assert numbers == sorted(numbers)
    assert len({event.pass_id for event in seen}) == 1
    assert seen[0].pass_id is not None
    assert [event.time for event in seen] == sorted(event.time for event in seen)


def test_nested_passes_have_numbers_of_their_own():
    x, w = tp.tensor([2.0], requires_grad=True), tp.tensor([1.0], requires_grad=True)
    y = x * x
    other = w * w
    y.register_hook(lambda g: other.backward())
    seen = record(y.backward, events.BackwardStarted, events.BackwardFinished)
    assert [type(event).__name__ for event in seen] == ["BackwardStarted"] * 2 + ["BackwardFinished"] * 2
    outer, inner = seen[0].pass_id, seen[1].pass_id
    assert outer != inner
    assert [seen[2].pass_id, seen[3].pass_id] == [inner, outer]


def test_accumulation_tells_before_increment_and_after():
    x = tp.tensor([2.0], requires_grad=True)
    first = record((x * 3).backward, events.GradAccumulated)
    second = record((x * 4).backward, events.GradAccumulated)
    assert first[0].before is None
    assert_close(first[0].increment, np.float32([3.0]))
    assert_close([second[0].before, second[0].increment, second[0].after], [np.float32([v]) for v in (3.0, 4.0, 7.0)])
    assert second[0].leaf is x


def test_what_was_told_stays_true_after_later_steps():
    """Numbers in an event are those of its moment, also after `.grad` and the parameter have moved on."""
    p = tp.tensor([1.0], requires_grad=True)
    optimizer = tp.optim.SGD([p], lr=0.5)

    def two_steps() -> None:
        for _ in range(2):
            (p * 2).backward()
            optimizer.step()

    seen = record(two_steps, events.GradAccumulated, events.OptimizerStepped)
    assert [np.asarray(e.after).item() for e in seen if isinstance(e, events.GradAccumulated)] == [2.0, 4.0]
    stepped = [e for e in seen if isinstance(e, events.OptimizerStepped)]
    steps = [(np.asarray(e.before).item(), np.asarray(e.after).item()) for e in stepped]
    assert steps == [(1.0, 0.0), (0.0, -2.0)]


def test_an_operation_tells_its_inputs_outputs_and_what_it_saved():
    x = tp.tensor([2.0], requires_grad=True)
    (event,) = record(lambda: x * 3.0, events.OpExecuted)
    assert event.op.__name__ == "Mul"
    assert event.inputs[0] is x
    assert event.inputs[1] == 3.0
    assert event.outputs[0].grad_fn is event.node
    assert event.source.text == "(event,) = record(lambda: x * 3.0, events.OpExecuted)"
    assert event.source.filename == __file__
    (event,) = record(lambda: x.exp(), events.OpExecuted)
    ((name, array),) = event.saved
    assert name == "out"
    assert array is event.outputs[0]._array


def test_an_operation_that_records_nothing_has_no_node():
    (event,) = record(lambda: tp.ones(2) + 1, events.OpExecuted)
    assert event.node is None


def test_a_refused_operation_is_told():
    def refused() -> None:
        with pytest.raises(tp.errors.ShapeError):
            tp.ones(2) + tp.ones(3)

    (event,) = record(refused, events.OpFailed)
    assert isinstance(event.error, tp.errors.ShapeError)
    assert event.op.__name__ == "Add"


def test_modes_hooks_edits_and_freed_graphs_are_told():
    x = tp.tensor([2.0], requires_grad=True)
    x.register_hook(lambda g: g * 10)

    def program() -> None:
        with tp.no_grad():
            x.add_(1)
        y = x * 3
        y.backward()
        with pytest.warns(tp.errors.FreedGraphWarning):
            y.backward()

    kinds = (events.GradModeChanged, events.InPlace, events.HookFired, events.BackwardOnFreedGraph)
    seen = record(program, *kinds)
    assert [type(event) for event in seen] == [kinds[0], kinds[1], kinds[0], kinds[2], kinds[3]]
    assert (seen[0].before, seen[0].after) == (True, False)
    assert seen[1].tensor is x
    assert seen[1].version == x._version == 1
    assert_close([np.asarray(seen[3].before), np.asarray(seen[3].after)], [np.float32([3.0]), np.float32([30.0])])


def test_a_failed_pass_is_told():
    x = tp.tensor([2.0], requires_grad=True)
    y = x * 2
    y.register_hook(lambda g: 1 / 0)

    def program() -> None:
        with pytest.raises(ZeroDivisionError):
            y.backward()

    seen = record(program, events.BackwardFailed, events.BackwardFinished)
    assert [type(event).__name__ for event in seen] == ["BackwardFailed"]
    assert isinstance(seen[0].error, ZeroDivisionError)


def test_modules_and_zeroed_gradients_are_told():
    model = tp.nn.Sequential(tp.nn.Linear(2, 2), tp.nn.ReLU())
    optimizer = tp.optim.SGD(model.parameters(), lr=0.1)
    entered = record(lambda: model(tp.ones(1, 2)), events.ModuleEntered, events.ModuleLeft)
    assert [(type(e).__name__, type(e.module).__name__) for e in entered] == [
        ("ModuleEntered", "Sequential"),
        ("ModuleEntered", "Linear"),
        ("ModuleLeft", "Linear"),
        ("ModuleEntered", "ReLU"),
        ("ModuleLeft", "ReLU"),
        ("ModuleLeft", "Sequential"),
    ]
    (zeroed,) = record(optimizer.zero_grad, events.GradsZeroed)
    assert len(zeroed.params) == 2


# ------------------------------------------------------------------------------------ listening


def test_only_the_kinds_asked_for_arrive():
    x = tp.tensor([2.0], requires_grad=True)
    seen = record(lambda: (x * 2 + 1).backward(), events.NodeVisited)
    assert {type(event) for event in seen} == {events.NodeVisited}
    assert len(seen) == 2


def test_a_listener_s_exception_propagates_from_an_operation():
    def refuse(event: events.Event) -> None:
        raise LookupError("no")

    with events.listening(refuse, events.OpExecuted), pytest.raises(LookupError, match="no"):
        tp.ones(2) + 1


def test_a_listener_s_exception_propagates_from_backward_and_leaves_grad():
    def refuse(event: events.Event) -> None:
        raise LookupError("no")

    x = tp.tensor([2.0], requires_grad=True)
    y = x * 2
    with events.listening(refuse, events.NodeVisited), pytest.raises(LookupError):
        y.backward()
    assert x.grad is None


def test_a_listener_may_stop_listening_from_inside():
    seen = []

    def once(event: events.Event) -> None:
        seen.append(event)
        handle.remove()

    handle = events.subscribe(once, events.OpExecuted)
    tp.ones(1) + 1
    tp.ones(1) + 1
    assert len(seen) == 1
    handle.remove()


def test_nobody_listening_means_nothing_is_built(monkeypatch):
    """The guard comes first: no event object is even made."""

    def refuse(*args: Any, **kwargs: Any) -> None:
        raise AssertionError("an event was emitted although nobody listens")

    monkeypatch.setattr(events, "emit", refuse)
    for kind in (events.OpExecuted, events.NodeVisited, events.GradientArrived, events.SavedFreed):
        monkeypatch.setattr(events, kind.__name__, refuse)
    train_an_mlp()
    x = tp.tensor([2.0], requires_grad=True)
    x.register_hook(lambda g: g * 2)
    tp.autograd.grad((x**3).sum(), x, create_graph=True)
    with tp.no_grad():
        x.mul_(2)


def test_lines_are_found_only_when_asked_for():
    x = tp.tensor([2.0], requires_grad=True)
    with events.listening(lambda event: None):
        y = x * 2
    assert y.grad_fn.place is None


@pytest.mark.parametrize("wrong", [1, None, int])
def test_a_listener_must_be_callable_and_a_kind_an_event(wrong):
    with pytest.raises(TypeError):
        events.subscribe(print, wrong)
    if wrong is not int:
        with pytest.raises(TypeError):
            events.subscribe(wrong)

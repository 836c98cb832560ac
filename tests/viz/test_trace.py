"""A trace is plain data: equal on every run, readable from a file, and a function of (trace, k) in every state."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.errors import TraceError
from tensorplay.viz import Trace
from tensorplay.viz.steps import STEPS, Accumulated, Freed, Step, Visited
from tensorplay.viz.value import Value


def small() -> Trace:
    x = tp.tensor(2.0, requires_grad=True)
    with tp.viz.record() as trace:
        b = x * 3
        y = b * x + b
        y.backward()
    return trace


# ------------------------------------------------------------------------------------------ values


def test_small_values_keep_every_digit() -> None:
    value = Value.of(np.array([[0.1, 1 / 3]], dtype=np.float32))
    assert value.tolist() == np.array([[0.1, 1 / 3]], dtype=np.float32).tolist()
    assert (value.shape, value.dtype) == ((1, 2), "float32")


def test_large_values_keep_exact_sum_and_extremes() -> None:
    array = np.linspace(-1, 2, 1000).astype(np.float32)
    value = Value.of(array)
    assert value.numbers is None and value.tolist() is None
    assert value.total == np.sum(array, dtype=np.float64)
    assert (value.low, value.high, value.head) == (array.min(), array.max(), tuple(array[:4].tolist()))


@pytest.mark.parametrize(
    ("array", "text", "gradient"),
    [
        (np.array(2.0), "2.0", "2.0"),
        (np.array([1.0, 2.0]), "[1.0, 2.0]", "[1.0, 2.0]"),
        (np.full((3, 4), -0.5), "mean -0.5", "±0.5"),
        (np.zeros((0, 3)), "[]", "[]"),
        (np.array([True, False]), "[True, False]", "[True, False]"),
    ],
)
def test_texts(array: np.ndarray, text: str, gradient: str) -> None:
    assert (Value.of(array).text, Value.of(array).gradient_text) == (text, gradient)


def test_a_value_is_a_copy() -> None:
    array = np.ones(3)
    value = Value.of(array)
    array[:] = 7
    assert value.tolist() == [1, 1, 1]


# ------------------------------------------------------------------------------------------- trace


def test_trace_is_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        small().events = ()  # type: ignore[misc]


def test_same_program_same_trace() -> None:
    """Ids count from the trace's own start, whatever the process did before."""
    first = small()
    tp.ones(3, requires_grad=True).sum().backward()
    assert small() == first


def test_json_round_trip() -> None:
    trace = small()
    assert Trace.from_json(trace.to_json()) == trace


def test_json_is_standard_and_keeps_non_finite_numbers() -> None:
    x = tp.tensor([1.0, 0.0], requires_grad=True)
    with tp.viz.record() as trace:
        x.log().sum().backward()
    text = trace.to_json()
    json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    back = Trace.from_json(text)
    assert repr(back) == repr(trace)
    assert back.at(-1).grads["t1"].numbers == (1.0, np.inf)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("not json", "not JSON"),
        ("[1]", 'expected a JSON object with "format"'),
        ('{"format": "other"}', 'expected a JSON object with "format"'),
        ('{"format": "tensorplay.trace", "version": 99, "trace": {}}', "version 99 cannot be read: .* reads version 1"),
        ('{"format": "tensorplay.trace", "version": 1, "trace": {"is": "os.system"}}', "damaged trace"),
        ('{"format": "tensorplay.trace", "version": 1, "trace": {"is": "Line"}}', "damaged trace"),
        ('{"format": "tensorplay.trace", "version": 1}', "expected a Trace with its Graph inside, got NoneType"),
    ],
)
def test_other_files_are_refused(text: str, message: str) -> None:
    with pytest.raises(TraceError, match=message):
        Trace.from_json(text)


def test_every_step_says_what_it_is() -> None:
    kinds = [step.kind for step in STEPS]
    assert len(set(kinds)) == len(kinds)
    assert "step" not in kinds and all(issubclass(step, Step) for step in STEPS)


# ------------------------------------------------------------------------------------------ states


def test_states_along_the_example() -> None:
    trace = small()
    start, end = trace.at(0), trace.at(-1)
    assert (start.phase, start.values["t1"].numbers, dict(start.grads)) == ("start", (2.0,), {})
    assert end.grads["t1"].numbers == (15.0,)
    assert end.freed == {"n1", "n2", "n3"} and end.live_bytes == 0 and not end.pending


def test_pending_gradients_add_up_before_the_visit() -> None:
    trace = small()
    step = next(k for k, e in enumerate(trace.events, 1) if isinstance(e, Visited) and e.node == "n2")
    state = trace.at(step)
    assert [a.value.numbers for a in state.pending["n1"]] == [(1.0,), (2.0,)]
    assert state.pending["n1"][-1].total.numbers == (3.0,)
    assert state.waits_for(trace, "t1") == ("n1",) and state.waits_for(trace, "n1") == ()
    assert set(state.flow) == {"e2", "e3"}


def test_saved_bytes_live_from_forward_to_free() -> None:
    trace = small()
    born = next(k for k, e in enumerate(trace.events, 1) if e.about == ("n2",))
    gone = next(k for k, e in enumerate(trace.events, 1) if isinstance(e, Freed))
    live = [trace.at(k).live_bytes for k in range(len(trace) + 1)]
    assert live == [8 if born <= k < gone else 0 for k in range(len(trace) + 1)]


def test_state_is_a_pure_function_of_trace_and_step() -> None:
    trace = small()
    forwards = [repr(trace.at(k)) for k in range(len(trace) + 1)]
    backwards = [repr(trace.at(k)) for k in reversed(range(len(trace) + 1))]
    assert forwards == backwards[::-1]
    assert repr(trace.at(-2)) == forwards[-2]


def test_a_kept_state_does_not_change() -> None:
    trace = small()
    state = trace.at(3)
    before = repr(state)
    trace.at(-1)
    assert repr(state) == before
    with pytest.raises(TypeError):
        state.values["t1"] = None  # type: ignore[index]


@pytest.mark.parametrize("step", [99, -99])
def test_no_such_step(step: int) -> None:
    with pytest.raises(IndexError, match="this trace has steps 0 to 10"):
        small().at(step)


def test_accumulation_over_two_passes() -> None:
    a = tp.tensor(1.0, requires_grad=True)
    with tp.viz.record() as trace:
        for _ in range(2):
            (a * a).backward()
    sums = [e for e in trace.events if isinstance(e, Accumulated)]
    assert [(e.before and e.before.numbers, e.increment.numbers, e.after.numbers) for e in sums] == [
        (None, (2.0,), (2.0,)),
        ((2.0,), (2.0,), (4.0,)),
    ]
    assert [e.pass_number for e in sums] == [1, 2]


def test_a_long_chain_is_folded_without_recursion() -> None:
    x = tp.tensor(1.0, requires_grad=True)
    with tp.viz.record(source=False) as trace:
        y = x
        for _ in range(600):
            y = y + 1.0
        y.backward()
    assert len(trace.graph.nodes) == 601
    assert trace.at(-1).grads["t1"].numbers == (1.0,)


def test_the_trace_needs_no_widget_library() -> None:
    code = (
        "import sys, tensorplay as tp, tensorplay.viz\n"
        "x = tp.tensor(2.0, requires_grad=True)\n"
        "with tp.viz.record() as trace: (x * x).backward()\n"
        "tp.viz.stepper(trace).static_html()\n"
        "print([m for m in ('IPython', 'anywidget', 'ipywidgets', 'graphviz', 'matplotlib') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"


def test_a_trace_without_its_graph_is_damaged() -> None:
    text = '{"format": "tensorplay.trace", "version": 1, "trace": {"is": "Trace", "graph": 3}}'
    with pytest.raises(TraceError, match="expected a Trace with its Graph inside, got int"):
        Trace.from_json(text)

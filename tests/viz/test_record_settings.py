"""What a recording may be asked for, and what it keeps when there is much."""

from __future__ import annotations

from typing import Any

import pytest

import tensorplay as tp
from tensorplay.viz import Trace
from tensorplay.viz.steps import Accumulated, Entry, Stepped


def test_a_batch_of_gradients_can_be_written_down() -> None:
    x = tp.tensor([1.0, 2.0], requires_grad=True)
    with tp.viz.record() as trace:
        y = x * x
        tp.autograd.grad(y, x, grad_outputs=tp.eye(2), is_grads_batched=True)
    assert Trace.from_json(trace.to_json()) == trace


@pytest.mark.parametrize(("text", "size"), [("1KB", 1000), ("1 kb", 1000), ("2KiB", 2048), ("0B", 0), (7, 7)])
def test_a_budget_may_be_written_in_several_ways(text: Any, size: int) -> None:
    with tp.viz.record(budget=text) as trace:
        (tp.ones(2, requires_grad=True) * 2).sum().backward()
    assert trace.left_out.budget == size


@pytest.mark.parametrize(
    "wrong", [{"budget": None}, {"budget": -1}, {"budget": "tiny"}, {"limit": None}, {"limit": -1}, {"values": []}]
)
def test_a_setting_that_means_nothing_is_refused_at_once(wrong: Any) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} must be"):
        tp.viz.record(**wrong)


def test_only_text_is_a_title_and_only_a_tensor_has_a_backward() -> None:
    with pytest.raises(TypeError, match="title must be text"):
        tp.viz.record(title=3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="backward of a tensor"):
        tp.viz.step(3)


def test_of_a_large_array_the_number_that_changes_most_is_kept() -> None:
    x = tp.zeros(4, 20, requires_grad=True)
    pull = tp.zeros(4, 20)
    pull[2, 7] = -3.0
    optimizer = tp.optim.SGD([x], lr=0.5)
    with tp.viz.record() as trace:
        for _ in range(2):
            (x * pull).sum().backward()
        optimizer.step()
    *_, added = (e for e in trace if isinstance(e, Accumulated))
    assert added.largest == Entry((2, 7), -3.0, -3.0, -6.0)
    (moved,) = (e for e in trace if isinstance(e, Stepped))
    assert moved.largest == Entry((2, 7), 0.0, 3.0, 3.0)
    assert "most at [2, 7]: -3.0 + -3.0 = -6.0" in str(trace)
    assert Trace.from_json(trace.to_json()) == trace


def test_a_limit_cuts_the_trace_and_changes_nothing_before_the_cut() -> None:
    def run(limit: int) -> Trace:
        x = tp.tensor(2.0, requires_grad=True)
        with tp.viz.record(limit=limit) as trace:
            y = x.exp() * x
            (y + y * x).backward()
            (x * x).backward()
        return trace

    whole = run(1000)
    for limit in range(len(whole)):
        cut = run(limit)
        told = [str(trace).splitlines()[2 : limit + 2] for trace in (cut, whole)]
        assert len(cut) == limit and told[0] == told[1]
        assert cut.left_out.steps == len(whole) - limit

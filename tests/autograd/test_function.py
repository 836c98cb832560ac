"""`Function`: what its rows say, what it keeps alive, and how it looks in pictures and events."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.autograd import Function
from tests.autograd.functions import FUNCTIONS
from tests.autograd.rows import Row, identifier, run


@pytest.mark.parametrize("row", FUNCTIONS, ids=identifier)
def test_row(row: Row) -> None:
    run(row)


@pytest.fixture
def torch() -> Iterator[Any]:
    library = pytest.importorskip("torch")
    library.set_warn_always(True)
    yield library
    library.set_warn_always(False)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # its transforms import what it deprecates itself
@pytest.mark.parametrize("row", FUNCTIONS, ids=identifier)
def test_pytorch_gives_the_same_answers_or_differs(row: Row, torch: Any) -> None:
    if not row.differs:
        run(row, torch)
        return
    with pytest.raises((Exception, pytest.fail.Exception)):
        run(row, torch)


class Keeper(Function):
    """Keeps all there is to keep: an input, both outputs, something in between."""

    @staticmethod
    def forward(ctx, x, w):
        y, z = x * w, x * 3
        ctx.save_for_backward(x, w, y, z, x * 2)
        ctx.save_for_forward(y)
        ctx.note = "mine"
        return y, z

    @staticmethod
    def backward(ctx, g, h):
        x, w, _y, _z, _ = ctx.saved_tensors
        return g * w + h * 3, g * x


def leaf(*values: float) -> tp.Tensor:
    return tp.tensor(list(values), requires_grad=True)


# ------------------------------------------------------------------------------------------- lifetime


def backward(y: tp.Tensor, z: tp.Tensor, x: tp.Tensor) -> None:
    (y + z).sum().backward()


def second_order(y: tp.Tensor, z: tp.Tensor, x: tp.Tensor) -> None:
    (g,) = tp.autograd.grad((y * z).sum(), x, create_graph=True)
    (g * g).sum().backward()


def read(y: tp.Tensor, z: tp.Tensor, x: tp.Tensor) -> None:
    assert len(y.grad_fn.saved_tensors) == 5


def nothing(y: tp.Tensor, z: tp.Tensor, x: tp.Tensor) -> None:
    pass


@pytest.mark.parametrize("use", [nothing, backward, second_order, read])
def test_a_call_dies_by_reference_count(use: Any) -> None:
    x, w = leaf(1.0, 2.0), leaf(3.0, 4.0)
    gc.collect()
    gc.disable()
    try:
        h = x * 2
        y, z = Keeper.apply(h, w)
        node = y.grad_fn
        alive = [weakref.ref(thing) for thing in (h, y, z, node, node.plan.ctx)]
        use(y, z, x)
        del h, y, z, node
        assert [ref() for ref in alive] == [None] * 5
    finally:
        gc.enable()


def test_a_context_kept_by_the_user_keeps_no_graph_alive() -> None:
    x = leaf(1.0)
    y, _ = Keeper.apply(x, x)
    ctx, node = y.grad_fn.plan.ctx, weakref.ref(y.grad_fn)
    del y, _
    assert node() is None
    with pytest.raises(tp.errors.FreedGraphError, match="the graph of this context is gone"):
        _ = ctx.saved_tensors
    assert ctx.note == "mine"


def test_inputs_of_which_nothing_was_saved_are_let_go() -> None:
    x = leaf(1.0)
    h = x.exp()
    alive = weakref.ref(h)

    class Plain(Function):
        @staticmethod
        def forward(ctx, a):
            return a * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    y = Plain.apply(h)
    del h
    assert alive() is None
    y.backward()
    assert x.grad.tolist() == pytest.approx([2 * np.e])


# -------------------------------------------------------------------------------- what others see of it


def test_the_node_tells_what_it_keeps() -> None:
    y, z = Keeper.apply(leaf(1.0, 2.0), leaf(3.0, 4.0))
    node = y.grad_fn
    assert node is z.grad_fn and (y.output_nr, z.output_nr) == (0, 1)
    assert [name for name, _ in node.saved_arrays()] == ["x", "w", "out0", "out1", "saved[4]"]
    assert node.saved_bytes == 40
    assert "KeeperBackward" in repr(node) and "Keeper(x, w)" in repr(node)
    assert not hasattr(node, "unknown")


def test_hooks_and_retained_gradients() -> None:
    x = leaf(1.0, 2.0)
    y, z = Keeper.apply(x, tp.ones(2))
    z.register_hook(lambda g: g * 10)
    y.retain_grad()
    seen: list[Any] = []
    y.grad_fn.register_hook(lambda sent, arrived: seen.append((len(sent), len(arrived))))
    (y + z).sum().backward()
    assert y.grad.tolist() == [1.0, 1.0]
    assert x.grad.tolist() == [31.0, 31.0]
    assert seen == [(2, 2)]


def test_inputs_alone() -> None:
    x, w = leaf(1.0, 2.0), leaf(3.0, 4.0)
    y, _z = Keeper.apply(x, w)
    y.sum().backward(inputs=[w])
    assert x.grad is None and w.grad.tolist() == [1.0, 2.0]


def test_events_tell_of_a_call_as_of_any_operation() -> None:
    seen: list[Any] = []
    with tp.events.listening(seen.append, tp.events.OpExecuted, tp.events.OpFailed, source=True):
        y, _z = Keeper.apply(leaf(1.0), leaf(2.0))
        with pytest.raises(tp.errors.ShapeError):
            Keeper.apply(leaf(1.0, 2.0), leaf(1.0, 2.0, 3.0))
    calls = [event for event in seen if event.op.__name__ == "Keeper"]
    assert [type(event).__name__ for event in calls] == ["OpExecuted", "OpFailed"]
    assert calls[0].node is y.grad_fn and "Keeper.apply(leaf(1.0), leaf(2.0))" in calls[0].source.text
    assert [len(calls[0].inputs), len(calls[0].outputs), len(calls[0].saved)] == [2, 2, 5]


class Scale(Function):
    """k times as much."""

    label, formula = "scale", r"k \cdot x"

    @staticmethod
    def forward(ctx, x, k):
        ctx.k = k
        return x * k

    @staticmethod
    def backward(ctx, g):
        return g * ctx.k, None


def test_pictures_steps_and_sentences() -> None:
    x = leaf(1.0, 2.0)
    with tp.viz.record() as trace:
        y, z = Keeper.apply(Scale.apply(x, 3.0), x)
        loss = (y + z).sum()
        loss.backward()
    picture = str(tp.viz.show(loss))
    assert "scale" in picture and "Keeper" in picture
    told = tp.viz.narrate.transcript(trace)
    assert "Scale" in told and "Keeper takes" in told and "For the way back it keeps" in told
    assert trace.rules["Scale"].formula == r"k \cdot x" and trace.rules["Scale"].summary == "k times as much."
    y = Scale.apply(x, 3.0).sum()
    assert "scale" in str(tp.viz.step(y)).lower() or "Scale" in str(tp.viz.step(y))
    graph = tp.viz.walk.graph_of(Keeper.apply(x, x)[0], names={"x": x}, saved=True)
    assert graph.nodes[-1].keeps == ("x", "x", "its result", "its result", "saved[4]")


def test_anomaly_mode_names_the_function() -> None:
    class Nan(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * float("nan")

    x = leaf(1.0)
    refused = pytest.raises(RuntimeError, match="Function 'NanBackward' returned nan values")
    with pytest.warns(UserWarning), refused, tp.autograd.detect_anomaly():
        Nan.apply(x).backward()

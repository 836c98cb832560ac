"""What lives how long: everything goes by reference count, with the garbage collector switched off."""

from __future__ import annotations

import contextlib
import gc
import sys
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tests.autograd.lifetime import alive, garbage, no_collector, nodes_of, quick_collections  # noqa: F401
from tests.autograd.pieces import graph_of_many_ops, leaf

# -------------------------------------------------------------------------------- graphs of all kinds


def views_and_edits(x: tp.Tensor) -> tp.Tensor:
    h = x * 1
    v = h.reshape(2, 2)[0]
    v.mul_(3)
    h[1:2] = 7.0
    h.exp_()
    return (h * v.sum()).sum()


def several_outputs(x: tp.Tensor) -> tp.Tensor:
    values, _indices = (x * 2).reshape(2, 2).max(1)
    a, _b = values.unbind()
    return a * values.sum()


def broadcast_and_cast(x: tp.Tensor) -> tp.Tensor:
    return (x.to(tp.float64) * tp.ones(3, 1, 4) + x.reshape(4, 1) @ x.reshape(1, 4)).sum()


def detached_parts(x: tp.Tensor) -> tp.Tensor:
    k = (x * 3).detach()
    with tp.no_grad():
        c = x * 5
    return (x * k + c).sum()


class Cube(tp.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: tp.Tensor) -> tp.Tensor:
        out = x * x * x
        ctx.save_for_backward(x, out)
        return out

    @staticmethod
    def backward(ctx: Any, g: tp.Tensor) -> tp.Tensor:
        x, _out = ctx.saved_tensors
        return g * 3 * x * x


def a_custom_function(x: tp.Tensor) -> tp.Tensor:
    return Cube.apply(x * 2).sum()


def packed(x: tp.Tensor) -> tp.Tensor:
    with tp.autograd.graph.saved_tensors_hooks(lambda t: t.detach().numpy().copy(), tp.from_numpy):
        return (x.exp() * x).sum()


def checkpointed(x: tp.Tensor) -> tp.Tensor:
    return tp.utils.checkpoint.checkpoint(lambda a: a.tanh().exp(), x * 2).sum()


def retained(x: tp.Tensor) -> tp.Tensor:
    h = x * 2
    h.retain_grad()
    return (h * h).sum()


def a_layer(x: tp.Tensor) -> tp.Tensor:
    tp.manual_seed(0)
    return tp.nn.functional.cross_entropy(tp.nn.Linear(4, 3)(x.reshape(1, 4)), tp.tensor([2]))


GRAPHS: dict[str, Callable[[tp.Tensor], tp.Tensor]] = {
    graph.__name__: graph
    for graph in (
        graph_of_many_ops, views_and_edits, several_outputs, broadcast_and_cast, detached_parts, a_custom_function,
        packed, checkpointed, retained, a_layer,
    )
}  # fmt: skip


def drop_it(y: tp.Tensor, x: tp.Tensor) -> None:
    """Nothing runs."""


def run_backward(y: tp.Tensor, x: tp.Tensor) -> None:
    y.backward()


def run_backward_retained(y: tp.Tensor, x: tp.Tensor) -> None:
    y.backward(retain_graph=True)


def run_grad(y: tp.Tensor, x: tp.Tensor) -> None:
    tp.autograd.grad(y, x)


def run_second_order(y: tp.Tensor, x: tp.Tensor) -> None:
    (g,) = tp.autograd.grad(y, x, create_graph=True)
    if g.requires_grad:
        g.sum().backward()


def run_create_graph_and_drop(y: tp.Tensor, x: tp.Tensor) -> None:
    with pytest.warns(UserWarning, match="create_graph"):
        y.backward(create_graph=True)
    x.grad = None


def run_limited(y: tp.Tensor, x: tp.Tensor) -> None:
    y.backward(inputs=[x])


def run_told(y: tp.Tensor, x: tp.Tensor) -> None:
    with tp.events.listening(lambda event: None):
        y.backward()


def run_with_anomaly_mode(y: tp.Tensor, x: tp.Tensor) -> None:
    with pytest.warns(tp.errors.AnomalyWarning), tp.autograd.detect_anomaly():
        y.backward()


def run_interrupted(y: tp.Tensor, x: tp.Tensor) -> None:
    def fail(g: tp.Tensor) -> None:
        raise ZeroDivisionError

    with x.register_hook(fail), contextlib.suppress(ZeroDivisionError):
        y.backward()


USES = (
    drop_it, run_backward, run_backward_retained, run_grad, run_second_order, run_create_graph_and_drop, run_limited,
    run_told, run_with_anomaly_mode, run_interrupted,
)  # fmt: skip


@pytest.mark.parametrize("use", USES, ids=lambda use: use.__name__)
@pytest.mark.parametrize("graph", GRAPHS)
def test_nothing_is_left(graph, use):
    x = leaf(0.5, -1.0, 2.0, 0.25)
    y = GRAPHS[graph](x)
    if use is run_create_graph_and_drop and graph == "a_layer":
        return  # the parameters of the layer have a `.grad` as well, and nobody can drop it
    things = [weakref.ref(thing) for thing in (y, x, *nodes_of(y))]
    assert len(things) > 2
    use(y, x)
    del y, x
    assert alive(things) == []
    assert garbage() == []


def test_the_values_of_a_graph_go_when_backward_has_run():
    x = leaf(0.5, -1.0)
    h = x.exp()
    y = (h * h).sum()
    array = weakref.ref(h._array)
    node = y.grad_fn
    del h, y
    assert array() is not None
    node_of_mul = node.next_functions[0][0]
    assert sorted(name for name, _ in node_of_mul.saved_arrays()) == ["x", "y"]
    del node, node_of_mul
    assert array() is None


# --------------------------------------------------------------------------------------------- cycles


def test_create_graph_ties_a_leaf_to_its_grad_until_grad_is_dropped():
    x = leaf(2.0)
    with pytest.warns(UserWarning, match="create_graph"):
        (x * x * x).backward(create_graph=True)
    reference, node = weakref.ref(x), weakref.ref(x.grad.grad_fn)
    x.grad = None
    assert node() is None
    del x
    assert reference() is None
    assert garbage() == []


def test_a_grad_that_is_kept_apart_frees_the_leaf_when_it_goes():
    x = leaf(2.0)
    with pytest.warns(UserWarning, match="create_graph"):
        (x * x * x).backward(create_graph=True)
    g, x.grad = x.grad, None
    reference = weakref.ref(x)
    del x
    assert reference() is not None  # the graph of g ends in it
    del g
    assert reference() is None


def test_without_dropping_it_the_collector_finds_the_cycle():
    x = leaf(2.0)
    with pytest.warns(UserWarning, match="create_graph"):
        (x * x * x).backward(create_graph=True)
    reference = weakref.ref(x)
    del x
    assert reference() is not None
    gc.collect()
    assert reference() is None


@pytest.mark.parametrize("run_it", [True, False])
def test_retain_grad_holds_its_tensor_weakly(run_it):
    x = leaf(1.0, 2.0)
    h = x * 2
    h.retain_grad()
    y = (h * h).sum()
    if run_it:
        y.backward()
        assert h.grad.tolist() == [4.0, 8.0]
    reference = weakref.ref(h)
    del h
    assert reference() is None
    if not run_it:
        y.backward()
    assert x.grad.tolist() == [8.0, 16.0]


def test_weak_references_to_tensors_do_not_keep_them():
    x = leaf(1.0)
    h = x * 2
    cache = weakref.WeakValueDictionary({"x": x, "h": h})
    y = h * 3
    del h
    assert set(cache) == {"x"}
    y.backward()
    assert x.grad.item() == 6.0
    del x, y
    assert set(cache) == set()


# ------------------------------------------------------------------------------ long, wide, many steps


@pytest.mark.parametrize("length", [100_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("run_it", [True, False])
def test_a_long_chain_is_linear_and_dropped_without_recursion(length, run_it):  # B1.29
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(300)
    try:
        x = leaf(1.0)
        h = x
        for _ in range(length):
            h = h + 1.0
        if run_it:
            h.backward()
            assert x.grad.item() == 1.0
        node = weakref.ref(h.grad_fn)
        del h
        assert node() is None
    finally:
        sys.setrecursionlimit(limit)


def test_a_long_chain_of_views_and_one_of_edits():
    x = leaf(1.0, 2.0)
    h = x * 1
    base = h
    for _ in range(5_000):
        h = h.reshape(2)
    for _ in range(3_000):
        base += 1.0
    assert h.tolist() == [3001.0, 3002.0]
    (h * h).sum().backward()  # h is made again from its base, by way of all the views between
    assert x.grad.tolist() == [6002.0, 6004.0]
    things = [weakref.ref(thing) for thing in (h, base, h.grad_fn)]
    del h, base
    assert alive(things) == []


def test_training_steps_leave_no_objects_behind():
    tp.manual_seed(0)
    net = tp.nn.Sequential(tp.nn.Linear(4, 8), tp.nn.ReLU(), tp.nn.Linear(8, 2))
    optimizer = tp.optim.Adam(net.parameters(), lr=1e-3)
    x, t = tp.randn(5, 4), tp.tensor(np.array([0, 1, 0, 1, 1]))

    def step() -> None:
        optimizer.zero_grad()
        tp.nn.functional.cross_entropy(net(x), t).backward()
        optimizer.step()

    for _ in range(5):
        step()
    before = len(gc.get_objects())
    for _ in range(50):
        step()
    assert len(gc.get_objects()) - before < 10
    assert garbage() == []

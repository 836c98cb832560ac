"""The backward loop: order, depth, width, and memory."""

from __future__ import annotations

import gc
import sys
import weakref

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.autograd.engine import Pass, walk
from tensorplay.tensor import edge_of
from tensorplay.testing import assert_close
from tests.autograd.pieces import graph_of_many_ops, leaf

# -------------------------------------------------------------------------------------- order and sums


def test_the_newest_node_goes_first():
    x = leaf(1.0)
    old = x * 2
    deep = ((x * 3) * 4) * 5
    order = []
    nodes = {"old": old, "deep": deep, "sum": deep + old}
    handles = [t.grad_fn.register_hook(lambda *_, name=name: order.append(name)) for name, t in nodes.items()]
    nodes["sum"].backward()
    assert order == ["sum", "deep", "old"]
    assert len(handles) == 3


def test_a_diamond_visits_each_node_once_with_the_whole_gradient():
    x = leaf(2.0)
    shared = x * x
    arrived = []
    shared.register_hook(lambda g: arrived.append(g.item()))
    (shared * 3 + shared * 4 + shared * shared).backward()
    assert arrived == [15.0]
    assert_close(x.grad, np.float32([60.0]))


def test_doubling_paths_take_linear_time():
    x = leaf(1.0)
    y = x
    for _ in range(60):
        y = y + y
    y.backward()
    assert x.grad.item() == 2.0**60


def test_one_tensor_as_both_inputs():
    x = leaf(3.0)
    (x * x * x).backward()
    assert x.grad.item() == 27.0


@pytest.mark.parametrize("depth", [100_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
def test_a_deep_chain_runs_and_is_dropped_without_recursion(depth):
    limit = sys.getrecursionlimit()
    x = leaf(1.0)
    y = x
    for _ in range(depth):
        y = y + 1.0
    assert y.item() == depth + 1
    y.backward(retain_graph=True)
    y.backward(inputs=[x])
    assert x.grad.item() == 2.0
    z = y * 1
    del y, z
    gc.collect()
    assert sys.getrecursionlimit() == limit


def test_a_deep_chain_that_was_never_run_is_dropped_without_recursion():
    x = leaf(1.0)
    y = x
    for _ in range(100_000):
        y = y * y
    del y
    gc.collect()


def test_a_wide_fan_in():
    x = leaf(1.0)
    total = x * 0
    for _ in range(20_000):
        total = total + x * 1.0
    total.backward()
    assert x.grad.item() == 20_000.0


# ---------------------------------------------------------------------------------------------- memory


@pytest.fixture
def no_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def test_dropping_a_graph_frees_it_without_the_collector(no_collector):
    x = leaf(1.0, 2.0, 3.0, 4.0)
    y = graph_of_many_ops(x)
    node = weakref.ref(y.grad_fn)
    del y
    assert node() is None


def test_backward_leaves_no_cycles(no_collector):
    x = leaf(1.0, 2.0, 3.0, 4.0)
    y = graph_of_many_ops(x)
    node, result = weakref.ref(y.grad_fn), weakref.ref(y)
    y.backward()
    del y
    assert node() is None
    assert result() is None
    tensor = weakref.ref(x)
    del x
    assert tensor() is None
    assert gc.collect() == 0


def test_recording_the_derivative_leaves_no_cycles(no_collector):
    x = leaf(1.0, 2.0, 3.0, 4.0)
    (g,) = tp.autograd.grad(graph_of_many_ops(x), x, create_graph=True)
    (g * g).sum().backward()
    tensor = weakref.ref(x)
    del x, g
    assert tensor() is None
    assert gc.collect() == 0


def test_backward_frees_what_was_saved():
    x = tp.zeros(1000, requires_grad=True)
    h = x * 2
    y = (h * h).sum()
    array = weakref.ref(h._array)
    del h
    assert array() is not None
    y.backward()
    assert array() is None
    assert y.grad_fn.freed


def test_keeping_a_loss_keeps_no_activations():
    x = leaf(1.0, 2.0)
    total, seen = 0, []
    for _ in range(3):
        h = x * 2
        seen.append(weakref.ref(h._array))
        loss = (h * h).sum()
        loss.backward()
        total = total + loss
    del h, loss
    assert [array() for array in seen] == [None] * 3


def test_create_graph_ties_grad_to_its_leaf_until_grad_is_dropped():
    x = leaf(1.0, 2.0)
    with pytest.warns(UserWarning, match="create_graph"):
        x.tanh().sum().backward(create_graph=True)
    tensor = weakref.ref(x)
    x.grad = None
    del x
    gc.collect()
    assert tensor() is None


def test_a_pass_can_be_stepped_node_by_node():
    x = tp.tensor([1.0, 2.0], requires_grad=True)
    loss = (x * x + x).sum()
    steps = walk(Pass(stepping=True, retain=True), [(edge_of(loss), np.ones((), "float32"))])
    visited = []
    while True:
        try:
            visited.append(next(steps).name())
        except StopIteration as end:
            leaves = end.value
            break
    assert visited == ["SumBackward", "AddBackward", "MulBackward"]
    assert x.grad is None, "leaf sums are the caller's to write"
    loss.backward()
    assert leaves[x].tolist() == x.grad.tolist()


def test_an_abandoned_pass_changes_no_gradient():
    x = tp.tensor([1.0, 2.0], requires_grad=True)
    steps = walk(Pass(stepping=True), [(edge_of((x * x).sum()), np.ones((), "float32"))])
    next(steps)
    steps.close()
    assert x.grad is None

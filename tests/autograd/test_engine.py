"""The backward loop: order, freeing, depth, memory, threads, and what an error leaves behind."""

from __future__ import annotations

import gc
import sys
import threading
import warnings
import weakref

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.testing import assert_close


def leaf(*values: float) -> tp.Tensor:
    return tp.tensor(list(values), requires_grad=True)


# ---------------------------------------------------------------------------------- order and sums


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


# ------------------------------------------------------------------------------------------ memory


@pytest.fixture
def no_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def graph_of_many_ops(x: tp.Tensor) -> tp.Tensor:
    h = (x * 2 + 1).tanh()
    values, _indices = h.reshape(2, 2).max(1)
    return (h.softmax(0)[1:] ** 2).sum() + values.mean() + (h.reshape(2, 2) @ h.reshape(2, 2)).exp().sum()


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


# ----------------------------------------------------------------------------- freeing and repeating


def test_the_freed_warning_comes_once_per_call_site():
    ys = [leaf(3.0) ** 2 for _ in range(3)]
    for y in ys:
        y.backward()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for y in ys:
            y.backward()
        ys[0].backward()
    assert [warning.category for warning in caught] == [tp.errors.FreedGraphWarning] * 2
    assert {warning.filename for warning in caught} == {__file__}


def test_a_freed_graph_error_names_the_op_and_the_remedy():
    x = leaf(3.0)
    y = x * x
    y.backward()
    with pytest.raises(tp.errors.FreedGraphError, match=r"MulBackward.*retain_graph=True"):
        (y + 1).backward()


def test_a_freed_graph_error_names_both_lines_while_lines_are_recorded():
    with tp.events.listening(lambda event: None, source=True):
        x = leaf(3.0)
        y = x * x  # the line that made it
        y.backward()  # the line that freed it
        with pytest.raises(tp.errors.FreedGraphError) as caught:
            (y + 1).backward()
    assert "y = x * x" in str(caught.value)
    assert "y.backward()" in str(caught.value)


def test_inputs_frees_only_what_was_visited():
    a, b = leaf(2.0), leaf(3.0)
    h = a * a
    k = b * b
    y = h + k
    y.backward(inputs=[a])
    assert h.grad_fn.freed
    assert not k.grad_fn.freed
    assert b.grad is None
    with pytest.raises(tp.errors.FreedGraphError):
        y.backward(inputs=[b])
    assert b.grad is None


def test_repeating_the_same_limited_request_changes_nothing():
    a, b = leaf(2.0), leaf(3.0)
    y = a * a * b
    y.backward(inputs=[a])
    with pytest.warns(tp.errors.FreedGraphWarning):
        y.backward(inputs=[a])
    assert a.grad.item() == 12.0


def test_retain_graph_gives_the_same_bits_again():
    x = tp.rand(4, requires_grad=True)
    y = graph_of_many_ops(x)
    first = tp.autograd.grad(y, x, retain_graph=True)[0]
    second = tp.autograd.grad(y, x, retain_graph=True)[0]
    assert np.array_equal(first.numpy(), second.numpy())
    assert first is not second


# ------------------------------------------------------------------------------------------- errors


def failing(_g: tp.Tensor) -> None:
    raise ZeroDivisionError("from the hook")


def test_an_error_half_way_leaves_every_grad_as_it_was():
    x, w = leaf(1.0), leaf(5.0)
    w.grad = tp.tensor([7.0])
    h = x * 2
    h.register_hook(failing)
    y = h * w
    with pytest.raises(ZeroDivisionError, match="from the hook"):
        y.backward()
    assert x.grad is None
    assert w.grad.item() == 7.0


def test_a_failed_pass_is_named_when_it_is_repeated():
    x = leaf(1.0)
    h = x * 2
    handle = h.register_hook(failing)
    y = h * 3
    with pytest.raises(ZeroDivisionError):
        y.backward()
    handle.remove()
    with pytest.raises(tp.errors.FreedGraphError, match=r"ZeroDivisionError|interrupted"):
        y.backward()
    assert x.grad is None


def test_a_failed_pass_that_retains_can_be_repeated():
    x = leaf(1.0)
    h = x * 2
    handle = h.register_hook(failing)
    y = h * 3
    with pytest.raises(ZeroDivisionError):
        y.backward(retain_graph=True)
    handle.remove()
    y.backward()
    assert x.grad.item() == 6.0


def test_an_overwritten_saved_tensor_is_an_error():
    x = leaf(1.0, 2.0)
    y = x.exp()
    with tp.no_grad():
        y.mul_(2)
    with pytest.raises(tp.errors.VersionError, match="modified by an inplace operation"):
        y.sum().backward()


def test_an_overwritten_tensor_that_nothing_saved_is_fine():
    x = leaf(1.0, 2.0)
    h = x * 1
    y = h + 1
    with tp.no_grad():
        h.mul_(2)
    y.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_an_overwritten_index_output_is_an_error():
    x = leaf(1.0, 2.0)
    values, indices = x.reshape(1, 2).max(1)
    indices.zero_()
    with pytest.raises(tp.errors.VersionError, match="modified by an inplace operation"):
        values.sum().backward()


# -------------------------------------------------------------------------------- `.grad` owns itself


def test_grad_shares_no_memory():
    x, w = leaf(1.0, 2.0), leaf(3.0, 4.0)
    seed = tp.ones(2)
    (x + w).backward(seed)
    seed.fill_(9)
    x.grad.fill_(5)
    assert x.grad.tolist() == [5.0, 5.0]
    assert w.grad.tolist() == [1.0, 1.0]


def test_the_gradients_returned_by_grad_share_no_memory():
    x, w = leaf(1.0, 2.0), leaf(3.0, 4.0)
    seed = tp.ones(2)
    gx, gw = tp.autograd.grad(x + w, [x, w], seed)
    gx.fill_(5)
    assert seed.tolist() == [1.0, 1.0]
    assert gw.tolist() == [1.0, 1.0]


def test_a_view_of_the_seed_is_not_kept():
    x = leaf(1.0, 2.0)
    seed = tp.ones(2)
    x.reshape(2, 1).backward(seed.reshape(2, 1))
    assert not np.shares_memory(x.grad._array, seed._array)


# ------------------------------------------------------------------------------------------- hooks


def test_the_order_of_all_hooks():
    x = leaf(2.0)
    y = x * 3
    order = []
    handles = [
        x.register_post_accumulate_grad_hook(lambda t: order.append("accumulated")),
        x.register_hook(lambda g: order.append("leaf")),
        y.grad_fn.register_hook(lambda sent, arrived: order.append("node after")),
        y.grad_fn.register_prehook(lambda arrived: order.append("node before")),
        y.register_hook(lambda g: order.append("tensor")),
    ]
    y.backward()
    assert order == ["tensor", "node before", "node after", "leaf", "accumulated"]
    with handles[0]:
        pass
    x.grad = None
    (x * 3).backward()
    assert order[5:] == ["leaf"]


def test_a_hook_may_run_a_backward_of_its_own():
    x, w = leaf(2.0), leaf(5.0)
    y = x * 3
    other = w * w
    y.register_hook(lambda g: other.backward())
    y.backward()
    assert x.grad.item() == 3.0
    assert w.grad.item() == 10.0


def test_hooks_see_gradients_that_record_under_create_graph():
    x = leaf(3.0)
    y = x * x
    y.register_hook(lambda g: g * g * 2)
    (g,) = tp.autograd.grad(y, x, tp.tensor([1.0]), create_graph=True)
    assert g.item() == 12.0
    assert tp.autograd.grad(g, x)[0].item() == 4.0


# ------------------------------------------------------------------------------------------ threads


def test_grad_mode_belongs_to_a_thread():
    modes = []
    with tp.no_grad():
        thread = threading.Thread(target=lambda: modes.append(tp.is_grad_enabled()))
        thread.start()
        thread.join()
    assert modes == [True]


def test_threads_run_different_graphs():
    wanted, results = {}, {}

    def work(n: int) -> None:
        x = tp.tensor([float(n)], requires_grad=True)
        y = x
        for _ in range(200):
            y = y + x * 0.5
        y.backward()
        results[n] = x.grad.item()

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for n, thread in enumerate(threads):
        wanted[n] = 101.0
        thread.start()
    for thread in threads:
        thread.join()
    assert results == wanted


# ------------------------------------------------------------------------------------------- modes


def test_modes_nest_and_survive_errors():
    with pytest.raises(KeyError), tp.no_grad(), tp.enable_grad():
        assert tp.is_grad_enabled()
        raise KeyError
    assert tp.is_grad_enabled()


@pytest.mark.parametrize("mode", [tp.no_grad, tp.inference_mode])
def test_modes_decorate_functions_and_generators(mode):
    @mode()
    def function() -> bool:
        return tp.is_grad_enabled()

    @mode()
    def generator():
        yield tp.is_grad_enabled()
        yield tp.is_grad_enabled()

    assert function() is False
    inside = []
    for enabled in generator():
        inside.append((enabled, tp.is_grad_enabled()))
    assert inside == [(False, True), (False, True)]


def test_decorating_with_a_switch_switches_nothing():
    @tp.set_grad_enabled(False)
    def function() -> bool:
        return tp.is_grad_enabled()

    assert tp.is_grad_enabled()
    assert function() is False
    assert tp.is_grad_enabled()


def test_a_switch_in_a_with_block_restores():
    with tp.set_grad_enabled(False):
        assert not tp.is_grad_enabled()
        with tp.enable_grad():
            assert tp.is_grad_enabled()
        assert not tp.is_grad_enabled()
    assert tp.is_grad_enabled()


def test_inference_mode_false_makes_ordinary_tensors():
    with tp.inference_mode():
        a = tp.ones(1)
        with tp.inference_mode(False):
            b = tp.ones(1)
    assert a.is_inference()
    assert not b.is_inference()


def test_backward_inside_inference_mode_leaves_an_ordinary_grad():
    x = leaf(1.0)
    y = x * x
    with tp.inference_mode():
        y.backward()
    (x * x).backward()
    assert x.grad.item() == 4.0
    assert not x.grad.is_inference()


# --------------------------------------------------------------------------- batched gradients


def test_batched_gradients_equal_a_loop():
    x = tp.rand(4, requires_grad=True)
    y = x.tanh() * x.softmax(0)
    vectors = tp.rand(5, 4)
    batched = tp.autograd.grad(y, x, vectors, is_grads_batched=True, retain_graph=True)[0]
    loop = [tp.autograd.grad(y, x, v, retain_graph=True)[0].numpy() for v in vectors]
    assert_close(batched, np.stack(loop), rtol=1e-6)


def test_a_batch_of_gradients_as_large_as_the_input_is_no_confusion():
    x = leaf(1.0, 2.0)
    for y, slope in ((x**3, [3.0, 12.0]), (1 / x, [-1.0, -0.25]), (tp.maximum(x, 2 - x), [0.0, 1.0])):
        (g,) = tp.autograd.grad(y, x, tp.tensor([[1.0, 1.0], [2.0, 2.0]]), is_grads_batched=True)
        assert g.tolist() == [slope, [2 * s for s in slope]]


def test_batched_gradients_can_be_differentiated():
    x = tp.tensor([1.0, 2.0], requires_grad=True)
    (jacobian,) = tp.autograd.grad(x**3, x, tp.eye(2), is_grads_batched=True, create_graph=True)
    assert jacobian.tolist() == [[3.0, 0.0], [0.0, 12.0]]
    (hessian,) = tp.autograd.grad(jacobian.sum(), x)
    assert hessian.tolist() == [6.0, 12.0]


# ------------------------------------------------------------------------------- what nodes tell


def test_node_repr_names_kind_number_and_line():
    with tp.events.listening(lambda event: None, source=True):
        w, x = leaf(1.0), leaf(2.0)
        z = x * w
    text = repr(z.grad_fn)
    assert text.startswith(f"<MulBackward node {z.grad_fn.number}: ")
    assert "x * w" in text
    assert "test_engine.py:" in text


def test_saved_values_can_be_read_until_they_are_freed():
    x = leaf(3.0)
    y = x * x.exp()
    assert float(y.grad_fn._saved_x[0]) == 3.0
    y.backward()
    with pytest.raises(tp.errors.FreedGraphError):
        y.grad_fn._saved_x  # noqa: B018

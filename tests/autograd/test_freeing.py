"""Freed graphs, what an error leaves behind, versions, and who owns `.grad`."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import tensorplay as tp
from tests.autograd.pieces import graph_of_many_ops, leaf

# ------------------------------------------------------------------------------- freeing and repeating


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


# ---------------------------------------------------------------------------------------------- errors


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


# --------------------------------------------------------------------------------- `.grad` owns itself


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


def test_a_grad_that_is_stretched_is_added_to_right_or_refused():
    x = tp.ones(3, requires_grad=True)
    x.grad = tp.ones(1).expand(3)
    try:
        (x * tp.tensor([1.0, 2.0, 3.0])).sum().backward()
    except RuntimeError:
        return
    assert x.grad.tolist() == [2.0, 3.0, 4.0]


def test_a_view_of_the_seed_is_not_kept():
    x = leaf(1.0, 2.0)
    seed = tp.ones(2)
    x.reshape(2, 1).backward(seed.reshape(2, 1))
    assert not np.shares_memory(x.grad._array, seed._array)

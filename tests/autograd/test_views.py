"""Edits of views of every kind: the base's history, the other views', lifetime, and what a batch does."""

from __future__ import annotations

import gc
import weakref

import pytest

import tensorplay as tp
from tests.autograd.pieces import leaf

VIEWS = {
    "a row": lambda y: y[1],
    "a column": lambda y: y[:, 1],
    "one element": lambda y: y[1, 2],
    "every second": lambda y: y[:, ::2],
    "a new dimension": lambda y: y[None, ..., 0],
    "reshape": lambda y: y.reshape(3, 2)[2],
    "view": lambda y: y.view(6)[1:4],
    "flatten": lambda y: y.flatten()[::2],
    "transpose": lambda y: y.transpose(0, 1)[1:],
    "T": lambda y: y.T[0],
    "permute": lambda y: y.permute(1, 0)[2],
    "unsqueeze and squeeze": lambda y: y.unsqueeze(1).squeeze(1)[0],
    "everything": lambda y: y[:],
    "a chain": lambda y: y.T.unsqueeze(0)[0, 1:].T[1],
}
EVERY_VIEW = pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS.keys())
WEIGHTS = [[1.0, 2.0, 3.0], [5.0, 7.0, 11.0]]


def marked(view):
    """1 where the view looks, 0 elsewhere: found by writing through it, without a graph."""
    mask = tp.zeros(2, 3)
    view(mask).fill_(1)
    return mask


def functional(view, x):
    """What the edit means, without one."""
    mask = marked(view)
    return x * 2 * (1 - mask) + (x * 2) * (x * 2) * 3 * mask


@EVERY_VIEW
def test_an_edit_of_a_view_is_an_edit_of_its_base(view):
    x = tp.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
    y = x * 2
    older, edited = y[0], view(y)
    edited.pow_(2).mul_(3)
    weights = tp.tensor(WEIGHTS)
    expected = functional(view, x)
    assert y.tolist() == expected.tolist()
    for ours, plain in ((y * weights, expected * weights), (older, expected[0]), (edited, view(expected))):
        found = tp.autograd.grad((ours * ours).sum(), x, create_graph=True)[0]
        wanted = tp.autograd.grad((plain * plain).sum(), x, create_graph=True)[0]
        assert tp.allclose(found, wanted)
        again, also = (tp.autograd.grad((g * weights).sum(), x, retain_graph=True)[0] for g in (found, wanted))
        assert tp.allclose(again, also)


@EVERY_VIEW
def test_a_constant_becomes_part_of_the_graph(view):
    x = leaf(3.0)
    base = tp.ones(2, 3)
    other = base[0]
    view(base).mul_(x[0])
    assert base.requires_grad and other.requires_grad and not base.is_leaf
    base.sum().backward()
    assert x.grad.tolist() == [marked(view).sum().item()]


def test_edits_of_edits_and_two_views_of_one_place():
    x = leaf(1.0, 2.0, 3.0)
    y = x * 1
    a, b = y[:2], y[1:]
    a.mul_(10)
    b.add_(a)
    a.mul_(b.clone())
    (y * tp.tensor([1.0, 10.0, 100.0])).sum().backward()
    # after a = [10 x0, 10 x1] and b += a, y is [10 x0, y1, y2]; then a *= b makes [10 x0 y1, y1 y2, y2]
    u = leaf(1.0, 2.0, 3.0)
    y1, y2 = 10 * u[1] + 10 * u[0], u[2] + 10 * u[1]
    (10 * u[0] * y1 + 10 * y1 * y2 + 100 * y2).backward()
    assert x.grad.tolist() == u.grad.tolist()


def test_a_reshape_that_copies_is_no_view():
    y = tp.ones(2, 3) * leaf(1.0)
    flat = y.T.reshape(6)
    assert not flat._is_view() and flat._base is None
    flat.mul_(2)
    assert y.sum().item() == 6


def test_an_edit_is_undone_by_nothing_and_keeps_nothing_alive():
    gc.disable()
    try:
        x = leaf(1.0, 2.0, 3.0)
        y = x * x
        v = y[:2]
        v.mul_(10)
        w = y[1:] * y[1:]
        watched = [weakref.ref(t) for t in (y, v, w, w.grad_fn, y.grad_fn)]
        w.sum().backward()
        del y, v, w
        assert [ref() for ref in watched] == [None] * 5
    finally:
        gc.enable()


def test_a_view_made_without_recording_stays_a_constant():
    y = leaf(1.0, 2.0) * 1
    with tp.no_grad():
        v = y[:1]
    y.mul_(3)
    assert not v.requires_grad and v.tolist() == [3.0]


def test_an_output_of_unbind_is_refused_at_every_use_after_an_edit_of_its_base():
    y = leaf(1.0, 2.0) * 1
    a, _ = y.unbind()
    y.mul_(3)
    assert a.requires_grad
    for _ in range(2):
        with pytest.raises(tp.errors.InPlaceError, match="Output 0 of Unbind is a view and its base"):
            a * 2


def test_a_view_gets_a_new_node_by_an_edit_that_is_not_recorded_too():
    y = leaf(1.0, 2.0) * 1
    v = y[:1]
    heard, old = [], v.grad_fn
    v.register_hook(lambda g: heard.append(g))
    with tp.no_grad():
        y.mul_(2)
    assert v.grad_fn is not old
    v.sum().backward()
    assert heard == []


def test_the_old_value_is_kept_for_a_rule_that_reads_it():
    x, w = leaf(1.0, 2.0), leaf(3.0, 4.0)
    y = x * 1
    y.mul_(w)
    y.mul_(w)
    y.sum().backward()
    assert (x.grad.tolist(), w.grad.tolist()) == ([9.0, 16.0], [6.0, 16.0])


@pytest.mark.parametrize("name", ["abs", "exp", "log", "neg", "relu", "sigmoid", "sqrt", "tanh"])
def test_the_in_place_form_of_a_function_has_its_derivative(name):
    x, u = leaf(0.5, 2.0), leaf(0.5, 2.0)
    y = x * 1
    assert getattr(y, name + "_")() is y and y._version == 1
    (y * 3).sum().backward()
    (getattr(u, name)() * 3).sum().backward()
    assert tp.allclose(x.grad, u.grad)


def test_grad_dtype_of_a_leaf():
    x = leaf(1.0, 2.0)
    assert x.grad_dtype is tp.float32
    x.grad_dtype = tp.float64
    (x * 2).sum().backward()
    assert x.grad.dtype is tp.float64
    with pytest.raises(tp.errors.GradError, match="there is already a gradient with dtype"):
        x.grad_dtype = tp.float32
    x.grad = None
    x.grad_dtype = None
    x.grad = tp.ones(2, dtype=tp.float16)
    with pytest.raises(tp.errors.GradError, match="must be a tensorplay dtype or None"):
        x.grad_dtype = 3
    with pytest.raises(tp.errors.GradError, match="can only be accessed on leaf"):
        _ = (x * 2).grad_dtype

"""Checkpoints: gradients as without them, what is kept, and transforms around them."""

from __future__ import annotations

import contextlib
import gc
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.testing import assert_close
from tests.autograd.pieces import leaf
from tests.utils.checkpoints import FORMS, checkpoint

# ------------------------------------------------------------------------------- the same without it


def long_function(x: tp.Tensor, w: tp.Tensor) -> tp.Tensor:
    h = (x @ w).tanh()
    values, _indices = h.max(1)
    return (h.softmax(1) * h.exp()).sum(0) + values.mean() + h.relu()[0]


@pytest.mark.parametrize("reentrant", FORMS)
def test_bit_for_bit_the_gradients_without_a_checkpoint(reentrant):
    grads = []
    for how in (lambda f, *a: f(*a), lambda f, *a: checkpoint(f, *a, use_reentrant=reentrant)):
        tp.manual_seed(3)
        x, w = tp.randn(4, 3, requires_grad=True), tp.randn(3, 3, requires_grad=True)
        (how(long_function, x, w) ** 2).sum().backward()
        grads.append((x.grad.numpy(), w.grad.numpy()))
    for a, b in zip(*grads, strict=True):
        assert np.array_equal(a, b)


@pytest.mark.parametrize("reentrant", FORMS)
@pytest.mark.parametrize("preserve", [True, False])
def test_random_numbers(reentrant, preserve):
    drawn = []

    def dropout(x: tp.Tensor) -> tp.Tensor:
        mask = tp.rand(4)
        drawn.append(mask.tolist())
        return x * mask

    x = tp.ones(4, requires_grad=True)
    y = checkpoint(dropout, x, use_reentrant=reentrant, preserve_rng_state=preserve)
    tp.rand(7)
    before = tp.get_rng_state()
    (y * y).sum().backward()
    assert (drawn[0] == drawn[1]) is preserve
    assert tp.equal(tp.get_rng_state(), before) is preserve


@pytest.mark.parametrize("reentrant", FORMS)
def test_modes_are_those_of_the_first_run_and_then_restored(reentrant):
    seen = []

    def f(x: tp.Tensor) -> tp.Tensor:
        seen.append((tp.is_grad_enabled(), tp.is_inference_mode_enabled()))
        return x * x

    x = leaf(3.0)
    y = checkpoint(f, x, use_reentrant=reentrant)
    with tp.inference_mode():
        y.backward()
        assert (tp.is_grad_enabled(), tp.is_inference_mode_enabled()) == (False, True)
    assert seen == [(not reentrant, False), (True, False)]
    assert x.grad.item() == 6.0
    assert not x.grad.is_inference()


def test_use_reentrant_left_out_is_the_form_that_records():
    x = leaf(3.0)
    assert checkpoint(lambda a: a * a, x).grad_fn.name() == "MulBackward"
    assert checkpoint(lambda a: a * a, x, use_reentrant=True).grad_fn.name() == "CheckpointFunctionBackward"


def test_contexts_surround_the_two_runs():
    log = []

    @contextlib.contextmanager
    def noted(name: str):
        log.append(f"{name} in")
        yield
        log.append(f"{name} out")

    def f(x: tp.Tensor) -> tp.Tensor:
        log.append("f")
        return x.exp().tanh()

    y = checkpoint(f, leaf(1.0), context_fn=lambda: (noted("first"), noted("second")))
    y.backward()
    assert log == ["first in", "f", "first out", "second in", "f", "second out"]


def test_a_backward_in_another_thread():
    x = leaf(3.0)
    y = checkpoint(lambda a: a.exp() * a, x)
    thread = threading.Thread(target=y.backward)
    thread.start()
    thread.join()
    assert_close(x.grad, np.exp(np.float32([3.0])) * 4)


def test_hooks_for_saved_tensors_around_a_checkpoint_see_its_arguments():
    packed = []
    x = leaf(0.25)
    with tp.autograd.graph.saved_tensors_hooks(lambda t: (packed.append(t.item()), t * 2)[1], lambda t: t / 2):
        y = checkpoint(lambda a: a.exp().tanh(), x * 2)
    y.backward()
    assert packed == [0.5]
    assert_close(x.grad, np.float32([2 * np.exp(0.5) / np.cosh(np.exp(0.5)) ** 2]))


# --------------------------------------------------------------------------------------------- memory


@pytest.fixture
def no_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize("reentrant", FORMS)
def test_nothing_inside_is_kept(no_collector, reentrant):
    arrays = []

    def f(x: tp.Tensor) -> tp.Tensor:
        h = x.exp()
        arrays.append(weakref.ref(h._array))
        return h.tanh()

    x = leaf(1.0)
    y = checkpoint(f, x, use_reentrant=reentrant).sum()
    assert arrays[0]() is None
    y.backward()
    assert [array() for array in arrays] == [None, None]


def test_a_checkpoint_inside_another_keeps_no_argument(no_collector):
    """Its argument was computed in the outer one, whose very purpose is not to keep it."""
    arrays = []

    def outer(x: tp.Tensor) -> tp.Tensor:
        h = x.exp()
        arrays.append(weakref.ref(h._array))
        return checkpoint(lambda a: a.tanh().exp(), h).tanh()

    x = leaf(1.0)
    y = checkpoint(outer, x)
    assert arrays[0]() is None
    y.backward()
    assert all(array() is None for array in arrays)


@pytest.mark.parametrize("reentrant", FORMS)
@pytest.mark.parametrize("run_it", [True, False])
def test_everything_goes_by_reference_count(no_collector, reentrant, run_it):
    x = leaf(1.0)
    w = leaf(2.0)
    y = checkpoint(lambda a, w=w: (a * w).exp().tanh(), x * 1, use_reentrant=reentrant).sum()
    if run_it:
        y.backward()
    alive = [weakref.ref(y), weakref.ref(y.grad_fn), weakref.ref(x), weakref.ref(w)]
    del x, y, w
    assert [thing() for thing in alive] == [None] * 4
    assert gc.collect() == 0


def test_a_tensor_that_backward_does_not_ask_for_is_no_error():
    """The first run's node is gone before the repetition comes to its place."""

    def f(a: tp.Tensor) -> tp.Tensor:
        a.exp()
        return a.tanh()

    x = leaf(0.0)
    checkpoint(f, x).backward()
    assert x.grad.item() == 1.0


def test_saved_tensors_may_be_read_more_than_once():
    calls = []
    x = leaf(0.0)
    y = checkpoint(lambda a: (calls.append(1), a.exp())[1], x)
    assert [y.grad_fn._saved_result.item() for _ in range(2)] == [1.0, 1.0]
    y.backward()
    assert x.grad.item() == 1.0
    assert len(calls) == 4


def test_a_second_pass_takes_what_the_first_left_over():
    calls = []
    a, b = leaf(1.0), leaf(2.0)
    y, z = checkpoint(lambda a, b: (calls.append(1), a.exp(), b.exp())[1:], a, b)
    y.backward()
    z.backward()
    assert len(calls) == 2
    assert_close(b.grad, np.exp(np.float32([2.0])))


# ----------------------------------------------------------------------------------- layers, training


def test_the_segments_of_a_model_train_like_the_model():
    losses = []
    for segments in (None, 2):
        tp.manual_seed(0)
        net = tp.nn.Sequential(tp.nn.Linear(3, 8), tp.nn.Tanh(), tp.nn.Linear(8, 8), tp.nn.Tanh(), tp.nn.Linear(8, 1))
        optimizer = tp.optim.SGD(net.parameters(), lr=0.1)
        x, t = tp.randn(16, 3), tp.randn(16, 1)
        for _ in range(5):
            optimizer.zero_grad()
            y = net(x) if segments is None else tp.utils.checkpoint.checkpoint_sequential(net, segments, x)
            loss = ((y - t) ** 2).mean()
            loss.backward()
            optimizer.step()
        losses.append(loss.item())
    assert losses[0] == losses[1]


# ----------------------------------------------------------------------------------------- transforms


def bump(x: tp.Tensor) -> tp.Tensor:
    return (x.tanh().exp() * x).sum()


TRANSFORMS: dict[str, Callable[..., Any]] = {
    "grad": lambda f, x: tp.func.grad(f)(x),
    "grad of grad": lambda f, x: tp.func.grad(lambda y: tp.func.grad(f)(y).sum())(x),
    "hessian": lambda f, x: tp.func.hessian(f)(x),
    "jacrev": lambda f, x: tp.func.jacrev(lambda y: y * f(y))(x),
    "jacfwd": lambda f, x: tp.func.jacfwd(lambda y: y * f(y))(x),
    "jvp": lambda f, x: tp.func.jvp(f, (x,), (x,))[1],
    "vmap": lambda f, x: tp.func.vmap(f)(tp.stack([x, x * 2])),
    "vmap of grad": lambda f, x: tp.func.vmap(tp.func.grad(f))(tp.stack([x, x * 2])),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_inside_a_transform(name):
    """PyTorch refuses those that differentiate backwards."""
    x = tp.tensor([0.3, -0.5])
    assert_close(TRANSFORMS[name](lambda x: checkpoint(bump, x), x), TRANSFORMS[name](bump, x))


def test_a_checkpoint_inside_vmap_cannot_run_again_after_it():
    x = tp.ones(2, 3, requires_grad=True)
    y = tp.func.vmap(lambda row: checkpoint(bump, row))(x).sum()
    with pytest.raises(tp.errors.EscapedTensorError):
        y.backward()

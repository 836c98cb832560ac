"""Checkpoints: what goes wrong, and what is said then."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tensorplay as tp
from tests.autograd.pieces import leaf
from tests.utils.checkpoints import FORMS, checkpoint


def changing(first: Callable[..., Any], then: Callable[..., Any]) -> Callable[..., Any]:
    functions = iter((first, then))
    return lambda x: next(functions)(x)


def doubled(x: tp.Tensor) -> tp.Tensor:
    return x.to(tp.float64).tanh().exp()


@pytest.mark.parametrize(
    ("then", "options", "message"),
    [
        (lambda x: x + 1, {}, "A different number of tensors was saved .* 2 in the forward, 0 in the recomputation"),
        (lambda x: x + 1, {"determinism_check": "none"}, "A different number of tensors was saved"),
        (lambda x: x.tanh().exp().exp(), {"early_stop": False}, "trying to save more tensors during recomputation"),
        (lambda x: x.expand(2).tanh().exp(), {}, r"different metadata .*: tensor 0 had shape \[1\].* has shape \[2\]"),
        (doubled, {}, "different metadata .*: tensor 0 had .*float32 then and has .*float64 now"),
        (lambda x: x + 1, {"debug": True}, r"Operations of the forward: Tanh, Exp\. .* recomputation: Add\."),
    ],
)
def test_a_function_that_does_not_do_the_same(then, options, message):
    y = checkpoint(changing(lambda x: x.tanh().exp(), then), leaf(0.3), **options)
    with pytest.raises(tp.errors.CheckpointError, match=message):
        y.backward()


def test_debug_can_be_switched_from_outside():
    with tp.utils.checkpoint.set_checkpoint_debug_enabled(True):
        y = checkpoint(changing(lambda x: x.tanh().exp(), lambda x: x + 1), leaf(0.3))
    with pytest.raises(RuntimeError, match="Operations of the forward: Tanh, Exp"):
        y.backward()


def test_no_check_where_none_is_wanted():
    x = leaf(0.3)
    checkpoint(changing(lambda x: x.tanh().exp(), doubled), x, determinism_check="none").backward()
    assert x.grad is not None


@pytest.mark.parametrize("reentrant", FORMS)
def test_an_argument_that_was_edited_since(reentrant):
    h = leaf(1.0) * 1
    y = checkpoint(lambda a: a * a, h, use_reentrant=reentrant)
    with tp.no_grad():
        h.mul_(3)
    with pytest.raises(tp.errors.VersionError, match="modified by an inplace operation"):
        y.backward()


def test_what_was_saved_and_edited_in_the_repetition():
    def f(a: tp.Tensor) -> tp.Tensor:
        h = a.exp()
        y = h * 2
        with tp.no_grad():
            h.zero_()
        return y.tanh()

    with pytest.raises(tp.errors.VersionError, match="saved in a checkpointed function"):
        checkpoint(f, leaf(1.0)).backward()


@pytest.mark.parametrize("call", ["grad", "inputs"])
def test_the_older_form_refuses_limited_passes(call):
    x = leaf(3.0)
    y = checkpoint(lambda a: a * a, x, use_reentrant=True)
    with pytest.raises(tp.errors.CheckpointError, match=r"When use_reentrant=True, .*incompatible with \.grad\(\)"):
        tp.autograd.grad(y, x) if call == "grad" else y.backward(inputs=[x])


def test_the_older_form_has_no_second_derivative():
    x = leaf(3.0)
    y = checkpoint(lambda a: a * a * a, x, use_reentrant=True)
    with pytest.warns(UserWarning, match="create_graph"):
        (y * y).backward(create_graph=True)
    g, x.grad = x.grad, None
    with pytest.raises(RuntimeError, match="trying to differentiate twice"):
        g.backward()


def test_the_older_form_warns_when_gradients_cannot_flow():
    with pytest.warns(tp.errors.CheckpointWarning, match="None of the inputs have requires_grad=True"):
        y = checkpoint(lambda a: a * leaf(2.0), tp.ones(1), use_reentrant=True)
    assert not y.requires_grad


def test_the_older_form_says_when_it_is_not_necessary():
    y = checkpoint(lambda a: a.detach(), leaf(1.0), use_reentrant=True)
    with pytest.raises(tp.errors.CheckpointError, match="none of output has requires_grad=True"):
        y.backward()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"use_reentrant": True, "k": 3}, "Unexpected keyword arguments: k"),
        ({"use_reentrant": True, "debug": True}, "Passing `context_fn` or `debug` is only supported when"),
        ({"determinism_check": "strict"}, "determinism_check should be one of"),
    ],
)
def test_options_that_do_not_go_together(options, message):
    with pytest.raises(ValueError, match=message):
        checkpoint(lambda a, **_: a, leaf(1.0), **options)


@pytest.mark.parametrize("segments", [0, 3])
def test_more_segments_than_functions(segments):
    with pytest.raises(tp.errors.CheckpointArgumentError, match=f"cannot divide 2 functions into {segments} segments"):
        tp.utils.checkpoint.checkpoint_sequential([tp.exp, tp.tanh], segments, leaf(1.0))
    with pytest.raises(ValueError, match="Unexpected keyword arguments: foo"):
        tp.utils.checkpoint.checkpoint_sequential([tp.exp], 1, leaf(1.0), foo=1)


@pytest.mark.parametrize("reentrant", FORMS)
def test_an_error_in_the_function_leaves_the_modes_as_they_were(reentrant):
    def f(a: tp.Tensor) -> tp.Tensor:
        raise KeyError("from the function")

    with pytest.raises(KeyError):
        checkpoint(f, leaf(1.0), use_reentrant=reentrant)
    x = leaf(3.0)
    (x * x).backward()
    assert x.grad.item() == 6.0

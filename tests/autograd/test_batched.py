"""`is_grads_batched`: many vectors in one pass."""

from __future__ import annotations

import numpy as np

import tensorplay as tp
from tensorplay.testing import assert_close
from tests.autograd.pieces import leaf


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

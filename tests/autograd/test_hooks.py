"""Hooks: order, nested passes, recorded gradients."""

from __future__ import annotations

import tensorplay as tp
from tests.autograd.pieces import leaf


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

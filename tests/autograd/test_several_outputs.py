"""An op with two differentiable outputs: its edges say which one they mean."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import tensorplay as tp
from tensorplay.apply import apply
from tensorplay.ops.base import OPS, Op


@pytest.fixture
def pair() -> Iterator[Any]:
    """x ↦ (x/2, 3x), as an op that is in the table only while the test runs."""

    class HalfAndTriple(Op):
        outputs = ("half", "triple")
        label = formula = "pair"
        family = "pointwise"

        def forward(xp, x):
            return x / 2, x * 3.0

        def d_x(xp, g):
            return g[0] / 2 + g[1] * 3.0

    yield lambda x: apply(HalfAndTriple, x)
    del OPS["HalfAndTriple"]


def leaf() -> tp.Tensor:
    return tp.tensor([1.0, 2.0], requires_grad=True)


def test_both_outputs_send_to_one_visit_of_the_node(pair):
    x = leaf()
    half, triple = pair(x)
    (half * 2 + triple).sum().backward()
    assert x.grad.tolist() == [4.0, 4.0]


@pytest.mark.parametrize(("which", "slope"), [(0, 0.5), (1, 3.0)])
def test_an_output_that_is_not_used_counts_as_zero(pair, which, slope):
    x = leaf()
    pair(x)[which].sum().backward()
    assert x.grad.tolist() == [slope, slope]


def test_the_graph_tells_the_outputs_apart(pair):
    half, triple = pair(leaf())
    assert (half.output_nr, triple.output_nr) == (0, 1)
    assert half.grad_fn is triple.grad_fn
    assert (half + triple).grad_fn.next_functions == ((half.grad_fn, 0), (half.grad_fn, 1))


def test_hooks_retained_gradients_and_requests_know_their_output(pair):
    x = leaf()
    half, triple = pair(x)
    triple.register_hook(lambda g: g * 10)
    half.retain_grad()
    (half + triple).sum().backward(retain_graph=True)
    assert x.grad.tolist() == [30.5, 30.5]
    assert half.grad.tolist() == [1.0, 1.0]
    to_half, to_triple = tp.autograd.grad((half * half + triple).sum(), [half, triple])
    assert to_half.tolist() == [1.0, 2.0]
    assert to_triple.tolist() == [10.0, 10.0]


def test_the_second_order(pair):
    x = leaf()
    half, triple = pair(x)
    (g,) = tp.autograd.grad((half * triple).sum(), x, create_graph=True)
    assert g.tolist() == [3.0, 6.0]
    assert tp.autograd.grad(g.sum(), x)[0].tolist() == [3.0, 3.0]


def test_events_name_the_output(pair):
    x = leaf()
    half, triple = pair(x)
    total = (half + triple).sum()
    slots = []
    with tp.events.listening(lambda e: slots.append((e.node.name(), e.slot)) if e.node is not x else None,
                             tp.events.GradientArrived):  # fmt: skip
        total.backward()
    assert slots[-2:] == [("HalfAndTripleBackward", 0), ("HalfAndTripleBackward", 1)]

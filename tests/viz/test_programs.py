"""Whatever autograd can do can be drawn, recorded and played, and twice the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tensorplay as tp
from tensorplay.autograd import Function, forward_ad
from tensorplay.utils.checkpoint import checkpoint
from tensorplay.viz import Trace


class Scaled(Function):
    """x·k and x + 1."""

    @staticmethod
    def forward(ctx: Any, x: Any, k: float) -> Any:
        ctx.save_for_backward(x)
        ctx.k = k
        return x * k, x + 1

    @staticmethod
    def backward(ctx: Any, first: Any, last: Any) -> Any:
        return first * ctx.k + last, None


class Raised(Function):
    """x + 1, in place."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.mark_dirty(x)
        return x.add_(1)

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g


def leaf() -> Any:
    return tp.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)


def edited_view(x: Any) -> Any:
    h = x * 1
    v = h[0]
    v.mul_(3)
    w = h[1]
    h.add_(1)
    return (v * w).sum()


def filled(x: Any) -> Any:
    h = tp.zeros(2)
    h[0] = x[0, 1]
    return h.sum()


def hooked(x: Any) -> Any:
    h = x * 2
    h.register_hook(lambda g: g * 2)
    h.retain_grad()
    x.register_post_accumulate_grad_hook(lambda p: None)
    tp.autograd.graph.register_multi_grad_hook([x, h], lambda grads: None)
    loss = (h * h).sum()
    loss.grad_fn.register_prehook(lambda grads: (grads[0] * 2,))
    return loss


def twice(x: Any) -> Any:
    a, b = x.unbind()
    first, second = tp.autograd.grad((a * b * b).sum(), [a, b], create_graph=True)
    return (first * second).sum()


def packed(x: Any) -> Any:
    with tp.autograd.graph.saved_tensors_hooks(lambda t: t.detach().numpy().copy(), tp.tensor):
        return (x * x).exp().sum()


def tangent(x: Any) -> Any:
    with forward_ad.dual_level():
        y = forward_ad.make_dual(x, tp.ones(2, 2)) ** 2
        return forward_ad.unpack_dual(y).tangent.sum()


PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "a view edited in place": edited_view,
    "assignment": filled,
    "unbind": lambda x: (x.unbind()[0] * x.unbind()[1]).sum(),
    "split": lambda x: (x.split(1)[1] * 2).sum(),
    "Function": lambda x: (Scaled.apply(x, 3.0)[1] * 2).sum(),
    "Function in place": lambda x: Raised.apply(x * 2).sum(),
    "hooks": hooked,
    "create_graph": twice,
    "checkpoint": lambda x: checkpoint(lambda t: (t * 2).exp(), x, use_reentrant=False).sum(),
    "saved hooks": packed,
    "forward mode": tangent,
    "vmap": lambda x: tp.func.vmap(lambda row: (row * row).sum())(x).sum(),
    "func.grad": lambda x: tp.func.grad(lambda t: (t**3).sum())(x).sum(),
    "jacfwd": lambda x: tp.func.jacfwd(lambda t: t**2)(x).sum(),
}


def pictures(run: Callable[[Any], Any], folder: Path) -> list[str]:
    """All that can be made of one program, as text."""
    x = leaf()
    y = run(x)
    still = tp.viz.show(y, saved=True)
    texts = [repr(still), still.to_html(), str(tp.viz.make_dot(y)), repr(tp.viz.show(y, max_nodes=4))]
    with tp.viz.record() as trace:
        run(leaf()).backward()
    assert Trace.from_json(trace.to_json()) == trace
    for name, player in (("record", tp.viz.stepper(trace)), ("step", tp.viz.step(y))):
        player.to_html(folder / f"{name}.html")
        texts.append((folder / f"{name}.html").read_text(encoding="utf-8"))
    return [*texts, str(trace), repr(tp.viz.show(y))]


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_program_has_pictures_and_they_are_the_same_twice(name: str, tmp_path: Path) -> None:
    first, second = (pictures(PROGRAMS[name], tmp_path) for _ in range(2))
    assert first == second
    assert "backward pass" in first[-2]


def test_a_pass_over_dual_numbers_may_be_listened_to() -> None:
    x = leaf()
    with tp.viz.record() as trace, forward_ad.dual_level():
        y = (forward_ad.make_dual(x, tp.ones(2, 2)) ** 2).sum()
        y.backward()
        y = (forward_ad.make_dual(x, tp.ones(2, 2)) ** 2).sum()
        y.backward()  # adds to a gradient that has a tangent
    assert x.grad.tolist() == [[4.0, 8.0], [12.0, 16.0]]
    assert Trace.from_json(trace.to_json()) == trace
    with forward_ad.dual_level():
        assert "tensor" not in repr(tp.viz.show(forward_ad.make_dual(leaf(), tp.ones(2, 2)).sum()))

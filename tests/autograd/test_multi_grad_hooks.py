"""A hook on several tensors, called once a pass; here and in PyTorch (B4.8)."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from typing import Any
from weakref import ref

import pytest

import tensorplay as tp
from tests.autograd.pieces import leaf, numbers, one

Program = Callable[[Any], Any]


def watch(lib: Any, tensors: Any, **mode: str) -> tuple[list[Any], Any]:
    """A hook on several tensors that notes what it is given."""
    log: list[Any] = []
    note = (lambda g: log.append(g.item())) if mode else (lambda grads: log.append(numbers(grads)))
    return log, lib.autograd.graph.register_multi_grad_hook(tensors, note, **mode)


# --------------------------------------------------------------------- B4.8: one hook on several tensors


def once_a_pass(lib: Any) -> Any:
    a, b, c = one(lib, 1.0), one(lib, 2.0), one(lib, 3.0)
    log, handle = watch(lib, [a, b, c])
    (a * b).backward()
    (a * b * c).backward()
    (a * 1).backward()
    loss = (a * b * c).sum()
    loss.backward(retain_graph=True)
    loss.backward()
    (one(lib, 1.0) * 2).backward()
    handle.remove()
    handle.remove()
    (a * b).backward()
    return log


def the_first_to_arrive(lib: Any) -> Any:
    a = one(lib, 1.0)
    b = a * 2
    c = b * 3
    log, handle = watch(lib, (a, b, c), mode="any")
    c.backward(retain_graph=True)
    lib.autograd.grad(c, b, retain_graph=True)
    (b * 5).backward(retain_graph=True)
    handle.remove()
    c.backward()
    return log


def what_is_returned_is_ignored(lib: Any) -> Any:
    a, b = one(lib, 1.0), one(lib, 2.0)
    hook = lib.autograd.graph.register_multi_grad_hook
    hook([a, b], lambda grads: grads[0] * 100)
    hook([a, b], lambda grad: grad * 100, mode="any")
    (a * b).backward()
    return a.grad.item(), b.grad.item()


def only_what_the_pass_reaches(lib: Any) -> Any:
    a, b = one(lib, 1.0), one(lib, 2.0)
    c, d = a * 1, b * 1
    log, _handle = watch(lib, [c, d])
    y = c * d
    lib.autograd.grad(y, c, retain_graph=True)
    lib.autograd.grad(y, a, retain_graph=True)
    y.backward(inputs=[b])
    return log


def leaves_asked_for(lib: Any) -> Any:
    a, b = one(lib, 1.0), one(lib, 2.0)
    log, _handle = watch(lib, [a, b])
    (a * b).backward(inputs=[a])
    return log, b.grad


def one_output_of_two(lib: Any) -> Any:
    rows = lib.ones(2, 2, requires_grad=True).unbind(0)
    log: list[Any] = []
    note = lambda grads: log.append([None if g is None else g.tolist() for g in grads])  # noqa: E731
    lib.autograd.graph.register_multi_grad_hook(list(rows), note)
    rows[0].sum().backward()
    return log


def twice_the_same(lib: Any) -> Any:
    a = one(lib, 1.0)
    log, _handle = watch(lib, [a, a])
    (a * 2).backward()
    return log


def nothing_to_watch(lib: Any) -> Any:
    log, handle = watch(lib, [])
    one(lib, 1.0).backward()
    with handle:
        pass
    return log


def recorded(lib: Any) -> Any:
    a, b = one(lib, 3.0), one(lib, 2.0)
    h, k = a * 1, b * 1
    seen: list[Any] = []
    lib.autograd.graph.register_multi_grad_hook([h, k], lambda grads: seen.extend(g.requires_grad for g in grads))
    y = h * k
    lib.autograd.grad(y, [a, b], retain_graph=True)
    lib.autograd.grad(y, [a, b], create_graph=True)
    return seen


def an_interrupted_pass(lib: Any) -> Any:
    a, b = one(lib, 1.0), one(lib, 2.0)
    c, d = a * 1, b * 1
    log, _handle = watch(lib, [c, d])
    fail = [True]

    def raising(g: Any) -> None:
        if fail.pop():
            raise KeyError

    d.register_hook(raising)
    y = c * d
    with pytest.raises(KeyError):
        y.backward(retain_graph=True)
    interrupted = list(log)
    fail.append(False)
    y.backward()
    return interrupted, log


MULTI: list[tuple[Program, Any]] = [
    (once_a_pass, [[2.0, 1.0, None], [6.0, 3.0, 2.0], [1.0, None, None], [6.0, 3.0, 2.0], [6.0, 3.0, 2.0]]),
    (the_first_to_arrive, [1.0, 1.0, 5.0]),
    (what_is_returned_is_ignored, (2.0, 1.0)),
    (only_what_the_pass_reaches, [[2.0, None], [2.0, None], [None, 1.0]]),
    (leaves_asked_for, ([[2.0, None]], None)),
    (one_output_of_two, [[[1.0, 1.0], None]]),
    (twice_the_same, [[2.0, 2.0]]),
    (nothing_to_watch, []),
    (recorded, [False, False, True, True]),
    (an_interrupted_pass, ([], [[2.0, 1.0]])),
]


@pytest.mark.parametrize(("program", "expected"), MULTI, ids=lambda v: f"B4.8 {v.__name__}" if callable(v) else "")
def test_a_hook_on_several_tensors(program: Program, expected: Any, lib: Any) -> None:
    assert program(lib) == expected


def test_b4_8_a_mode_that_does_not_exist(lib: Any) -> None:
    with pytest.raises(ValueError, match="Expects mode to be one of"):
        lib.autograd.graph.register_multi_grad_hook([one(lib, 1.0)], print, mode="some")


def test_b4_8_a_tensor_without_gradient(lib: Any) -> None:
    tensors = [one(lib, 1.0), lib.ones(1)]
    with pytest.raises(AssertionError, match="Expected gradient function to be set"):
        lib.autograd.graph.register_multi_grad_hook(tensors, print)
    log, _handle = watch(lib, tensors, mode="any")
    (tensors[0] * 2).backward()
    assert log == [2.0]


def test_a_root_and_a_leaf_count_too() -> None:
    """PyTorch forgets the root when it counts what is to come, and refuses leaves in autograd.grad."""
    a = leaf(1.0)
    b = a * 2
    c = b * 3
    log, _handle = watch(tp, [c, b, a])
    c.backward(retain_graph=True)
    tp.autograd.grad(c, b, retain_graph=True)
    tp.autograd.grad(c, a)
    assert log == [[1.0, 3.0, 6.0], [1.0, 3.0, None], [1.0, 3.0, 6.0]]


def test_a_rule_that_sends_nothing_to_a_watched_place(lib: Any) -> None:
    class First(lib.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            return x * y

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g, None

    h, k = one(lib, 1.0) * 1, one(lib, 2.0) * 1
    log, _handle = watch(lib, [h, k])
    First.apply(h, k).backward()
    assert log == [[1.0, None]]


def test_a_nested_pass_is_counted_alone() -> None:
    a, b = leaf(1.0), leaf(2.0)
    log, _handle = watch(tp, [a, b])
    y = a * b
    other = a * 5
    y.register_hook(lambda g: other.backward())
    y.backward()
    assert log == [[5.0, None], [2.0, 1.0]]


def test_two_threads_share_a_hook() -> None:
    a, b = leaf(1.0), leaf(2.0)
    log, _handle = watch(tp, [a, b])
    threads = [threading.Thread(target=lambda: [(a * b).backward() for _ in range(50)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert log == [[2.0, 1.0]] * 200


def test_a_hook_on_several_keeps_no_graph_alive() -> None:
    gc.collect()
    gc.disable()
    try:
        x = leaf(1.0, 2.0)
        rows = x.unbind(0)
        y = rows[0] * 2
        hook = tp.autograd.graph.register_multi_grad_hook
        handles = [hook([y, *rows], lambda grads: None), hook([y, x], lambda grad: None, mode="any")]
        alive = [ref(y), ref(y.grad_fn), ref(rows[0].grad_fn)]
        y.backward(retain_graph=True)
        del y, rows
        assert [r() for r in alive] == [None] * 3
        (x * 3).sum().backward()
        assert [handle.remove() for handle in handles] == [None, None]
    finally:
        gc.enable()

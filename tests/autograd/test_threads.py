"""Threads: modes are each thread's own, graphs may run side by side, and one leaf may collect from several."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tests.autograd.pieces import graph_of_many_ops, leaf

# ------------------------------------------------------------------------------------------- the modes


def in_threads(*works: Callable[[], Any]) -> list[Any]:
    """Run each in a thread of its own, all starting together; their results, or the first error."""
    results: list[Any] = [None] * len(works)
    start = threading.Barrier(len(works))

    def run(i: int) -> None:
        start.wait()
        try:
            results[i] = works[i]()
        except BaseException as error:
            results[i] = error

    threads = [threading.Thread(target=run, args=(i,)) for i in range(len(works))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return results


@pytest.fixture
def hasty() -> Iterator[None]:
    """Threads are switched as often as Python can, so that what can go wrong does."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


QUESTIONS: dict[str, tuple[Callable[[], Any], Callable[[], Any], bool]] = {
    "no_grad": (tp.no_grad, tp.is_grad_enabled, True),
    "set_grad_enabled": (lambda: tp.set_grad_enabled(False), tp.is_grad_enabled, True),
    "inference_mode": (tp.inference_mode, tp.is_inference_mode_enabled, False),
    "multithreading": (
        lambda: tp.autograd.set_multithreading_enabled(False), tp.autograd.is_multithreading_enabled, True,
    ),
}  # fmt: skip


@pytest.mark.parametrize("mode", QUESTIONS)
def test_a_mode_belongs_to_its_thread_and_starts_as_usual(mode):  # B1.30
    enter, ask, usual = QUESTIONS[mode]
    with enter():
        assert ask() is not usual
        assert in_threads(ask, ask) == [usual, usual]
    assert ask() is usual


def test_modes_in_two_threads_do_not_disturb_each_other(hasty):  # B1.30
    x = leaf(1.0)

    def recording() -> set[bool]:
        return {(x * 2).requires_grad for _ in range(3000)}

    def not_recording() -> set[bool]:
        with tp.no_grad():
            return {(x * 2).requires_grad for _ in range(3000)}

    def switching() -> set[tuple[bool, bool]]:
        found = set()
        for _ in range(1000):
            with tp.no_grad():
                inside = (x * 2).requires_grad
            found.add((inside, (x * 2).requires_grad))
        return found

    assert in_threads(recording, not_recording, switching) == [{True}, {False}, {(False, True)}]


def test_hooks_for_saved_tensors_belong_to_their_thread():
    x = leaf(2.0)
    packed = []
    with tp.autograd.graph.saved_tensors_hooks(lambda t: (packed.append(t), t * 1)[1], lambda t: t):
        in_threads(lambda: (x * x).backward(), lambda: (x * x).backward())
    assert packed == []
    assert x.grad.item() == 8.0


# ------------------------------------------------------------------------------------------ two graphs


def test_two_graphs_give_the_bits_they_give_alone(hasty):  # B1.30
    values = [np.random.default_rng(i).normal(size=4).astype(np.float32) for i in range(4)]

    def work(value: np.ndarray) -> np.ndarray:
        x = tp.tensor(value, requires_grad=True)
        for _ in range(20):
            x.grad = None
            graph_of_many_ops(x).backward()
        return x.grad.numpy()

    alone = [work(value) for value in values]
    together = in_threads(*(lambda value=value: work(value) for value in values))
    for a, b in zip(alone, together, strict=True):
        assert np.array_equal(a, b)


def test_second_order_in_two_threads(hasty):
    def work() -> float:
        for _ in range(50):
            x = tp.tensor(2.0, requires_grad=True)
            (g,) = tp.autograd.grad(x**3, x, create_graph=True)
            (h,) = tp.autograd.grad(g, x)
        return h.item()

    assert in_threads(work, work) == [12.0, 12.0]


def test_one_graph_that_is_retained_may_run_in_two_threads(hasty):
    x = leaf(0.5, -1.0, 2.0, 0.25)
    y = graph_of_many_ops(x)
    (alone,) = tp.autograd.grad(y, x, retain_graph=True)

    def work() -> list[np.ndarray]:
        return [tp.autograd.grad(y, x, retain_graph=True)[0].numpy() for _ in range(30)]

    for grads in in_threads(work, work):
        assert all(np.array_equal(g, alone.numpy()) for g in grads)


def test_creation_numbers_are_unique(hasty):
    x = leaf(1.0)

    def work() -> list[int]:
        return [(x * 2).grad_fn.number for _ in range(5000)]

    numbers = {number for numbers in in_threads(work, work, work) for number in numbers}
    assert len(numbers) == 15_000


# -------------------------------------------------------------------------------------------- one leaf


@pytest.mark.parametrize("size", [1, 200_000], ids=["small", "large enough for NumPy to let others run"])
def test_no_gradient_is_lost_at_a_leaf_that_threads_share(hasty, size):
    """PyTorch promises less ("non-determinism is expected"); here every gradient arrives, in any order."""
    x = tp.zeros(size, requires_grad=True)
    rounds = 100

    def work() -> None:
        for _ in range(rounds):
            (x * 1.0).sum().backward()

    in_threads(work, work, work, work)
    assert x.grad.min().item() == x.grad.max().item() == 4 * rounds


def test_the_first_gradients_of_two_threads_are_both_kept(hasty):
    for _ in range(200):
        x = leaf(1.0)
        y, z = x * 2, x * 3
        in_threads(y.backward, z.backward)
        assert x.grad.item() == 5.0


def test_hooks_after_accumulation_may_run_a_backward_of_their_own(hasty):
    """They run outside of the lock that guards `.grad`."""
    x, w = leaf(1.0), leaf(1.0)

    @tp.enable_grad()
    def hook(p: tp.Tensor) -> None:
        (w * 2).backward()

    x.register_post_accumulate_grad_hook(hook)

    def work() -> None:
        for _ in range(50):
            (x * 1.0).backward()

    in_threads(work, work)
    assert (x.grad.item(), w.grad.item()) == (100.0, 200.0)


# ------------------------------------------------------------------------------------------- listeners


def test_events_say_in_which_thread_they_happened():
    heard = []
    with tp.events.listening(heard.append, tp.events.OpExecuted, tp.events.NodeVisited):

        def work() -> int:
            (leaf(2.0) * 3).backward()
            return threading.get_ident()

        identities = in_threads(work, work)
    for identity in identities:
        kinds = [type(event).__name__ for event in heard if event.thread_id == identity]
        assert kinds == ["OpExecuted", "NodeVisited"]
    assert len({event.seq for event in heard}) == len(heard)


def test_a_listener_that_comes_and_goes_changes_nothing_elsewhere(hasty):
    def work() -> float:
        x = leaf(1.0)
        for _ in range(300):
            (x * 2 + 1).backward()
        return x.grad.item()

    def listen() -> bool:
        for _ in range(200):
            with tp.events.listening(lambda event: None):
                pass
        return True

    assert in_threads(work, work, listen) == [600.0, 600.0, True]
    assert not tp.events.listeners


# -------------------------------------------------------------------------- set_multithreading_enabled


def test_multithreading_switches_as_a_call_in_a_block_and_as_a_decorator():
    enabled = tp.autograd.is_multithreading_enabled
    assert enabled()
    tp.autograd.set_multithreading_enabled(False)
    assert not enabled()
    tp.autograd.set_multithreading_enabled(True)
    with tp.autograd.set_multithreading_enabled(False) as mode:
        assert not enabled()
    assert enabled()
    with mode:
        assert not enabled()

    @tp.autograd.set_multithreading_enabled(False)
    def inside() -> bool:
        return enabled()

    assert enabled()
    assert inside() is False
    with pytest.raises(KeyError), tp.autograd.set_multithreading_enabled(False):
        raise KeyError
    assert enabled()


def test_multithreading_changes_no_result():
    grads = []
    for mode in (True, False):
        x = leaf(0.5, -1.0, 2.0, 0.25)
        with tp.autograd.set_multithreading_enabled(mode):
            graph_of_many_ops(x).backward()
        grads.append(x.grad.numpy())
    assert np.array_equal(*grads)


def test_a_pass_runs_in_the_thread_that_calls_it():
    seen = []
    y = leaf(1.0) * 2
    y.register_hook(lambda g: seen.append(threading.get_ident()))
    y.backward()
    assert seen == [threading.get_ident()]

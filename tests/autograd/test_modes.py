"""Grad modes and threads."""

from __future__ import annotations

import threading

import pytest

import tensorplay as tp
from tests.autograd.pieces import leaf

# --------------------------------------------------------------------------------------------- threads


def test_grad_mode_belongs_to_a_thread():
    modes = []
    with tp.no_grad():
        thread = threading.Thread(target=lambda: modes.append(tp.is_grad_enabled()))
        thread.start()
        thread.join()
    assert modes == [True]


def test_threads_run_different_graphs():
    wanted, results = {}, {}

    def work(n: int) -> None:
        x = tp.tensor([float(n)], requires_grad=True)
        y = x
        for _ in range(200):
            y = y + x * 0.5
        y.backward()
        results[n] = x.grad.item()

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for n, thread in enumerate(threads):
        wanted[n] = 101.0
        thread.start()
    for thread in threads:
        thread.join()
    assert results == wanted


# ----------------------------------------------------------------------------------------------- modes


def test_modes_nest_and_survive_errors():
    with pytest.raises(KeyError), tp.no_grad(), tp.enable_grad():
        assert tp.is_grad_enabled()
        raise KeyError
    assert tp.is_grad_enabled()


@pytest.mark.parametrize("mode", [tp.no_grad, tp.inference_mode])
def test_modes_decorate_functions_and_generators(mode):
    @mode()
    def function() -> bool:
        return tp.is_grad_enabled()

    @mode()
    def generator():
        yield tp.is_grad_enabled()
        yield tp.is_grad_enabled()

    assert function() is False
    inside = []
    for enabled in generator():
        inside.append((enabled, tp.is_grad_enabled()))
    assert inside == [(False, True), (False, True)]


def test_decorating_with_a_switch_switches_nothing():
    @tp.set_grad_enabled(False)
    def function() -> bool:
        return tp.is_grad_enabled()

    assert tp.is_grad_enabled()
    assert function() is False
    assert tp.is_grad_enabled()


def test_a_switch_in_a_with_block_restores():
    with tp.set_grad_enabled(False):
        assert not tp.is_grad_enabled()
        with tp.enable_grad():
            assert tp.is_grad_enabled()
        assert not tp.is_grad_enabled()
    assert tp.is_grad_enabled()


def test_inference_mode_false_makes_ordinary_tensors():
    with tp.inference_mode():
        a = tp.ones(1)
        with tp.inference_mode(False):
            b = tp.ones(1)
    assert a.is_inference()
    assert not b.is_inference()


def test_backward_inside_inference_mode_leaves_an_ordinary_grad():
    x = leaf(1.0)
    y = x * x
    with tp.inference_mode():
        y.backward()
    (x * x).backward()
    assert x.grad.item() == 4.0
    assert not x.grad.is_inference()

"""What hooks keep alive and for how long, with the garbage collector switched off.

The one exception to reference counts is shown here: a hook that holds its own tensor, on a graph that never runs.
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import tensorplay as tp
from tests.autograd.lifetime import Witness, alive, garbage, no_collector, quick_collections  # noqa: F401
from tests.autograd.pieces import leaf


def on_a_tensor(h: tp.Tensor, hook: Any) -> Any:
    return h.register_hook(lambda g: hook())


def on_a_node(h: tp.Tensor, hook: Any) -> Any:
    return h.grad_fn.register_hook(lambda sent, arrived: hook())


def before_a_node(h: tp.Tensor, hook: Any) -> Any:
    return h.grad_fn.register_prehook(lambda arrived: hook())


def on_several_tensors(h: tp.Tensor, hook: Any) -> Any:
    return tp.autograd.graph.register_multi_grad_hook((h,), lambda grads: hook())


HOOKS = (on_a_tensor, on_a_node, before_a_node, on_several_tensors)


def hooked(register: Callable[..., Any]) -> tuple[tp.Tensor, tp.Tensor, list[Any], Any, list[Any]]:
    """x, y, weak references to what must go, the handle, and what the hook saw. The hook holds h and y."""
    x = leaf(3.0)
    h = x * 2
    y = h * h
    witness = Witness()
    calls: list[Any] = []

    def hook(witness: Witness = witness) -> None:
        calls.append((h.item(), y.item(), witness.__class__))

    handle = register(h, hook)
    things = [weakref.ref(thing) for thing in (h, h.grad_fn, y.grad_fn, witness)]
    return x, y, things, handle, calls


@pytest.mark.parametrize("register", HOOKS, ids=lambda f: f.__name__)
def test_a_hook_that_holds_its_own_tensor_goes_with_the_backward(register):
    x, y, things, handle, calls = hooked(register)
    y.backward()
    assert calls == [(6.0, 36.0, Witness)]
    assert x.grad.item() == 24.0
    assert things[-1]() is None  # the hook is gone, though the graph is still there
    assert things[1]().hooks_count == 1
    del y
    assert alive(things) == []
    handle.remove()
    assert garbage() == []


@pytest.mark.parametrize("register", HOOKS, ids=lambda f: f.__name__)
def test_a_hook_outlives_a_backward_that_retains(register):
    x, y, things, _handle, calls = hooked(register)
    y.backward(retain_graph=True)
    y.backward()
    assert len(calls) == 2
    assert x.grad.item() == 48.0
    del y
    assert alive(things) == []


@pytest.mark.parametrize("register", HOOKS, ids=lambda f: f.__name__)
def test_its_handle_breaks_the_cycle_of_a_graph_that_never_ran(register):
    _x, y, things, handle, _calls = hooked(register)
    del y
    assert things[-1]() is not None
    handle.remove()
    assert alive(things) == []


@pytest.mark.parametrize("register", HOOKS, ids=lambda f: f.__name__)
def test_the_collector_frees_a_graph_that_never_ran(register):
    """In PyTorch this one is never freed: its collector does not see the graph."""
    _x, y, things, _handle, _calls = hooked(register)
    del y, _handle
    gc.collect()
    assert alive(things) == []


@pytest.mark.parametrize("register", HOOKS, ids=lambda f: f.__name__)
def test_a_hook_on_a_freed_graph_is_not_kept(register):
    x = leaf(3.0)
    h = x * 2
    y = h * h
    y.backward()
    witness = Witness()
    handle = register(h, lambda witness=witness: witness)
    reference = weakref.ref(witness)
    del witness
    handle.remove()
    assert reference() is None
    things = [weakref.ref(h), weakref.ref(y)]
    register(h, lambda h=h, y=y: None)
    del h, y
    assert alive(things) == []


@pytest.mark.parametrize("kind", ["register_hook", "register_post_accumulate_grad_hook"])
def test_a_hook_of_a_leaf_that_holds_the_leaf(kind):
    """A leaf's hooks are for every graph to come, so they go with the handle, or the collector finds them."""
    references = []
    for remove in (True, False):
        x = leaf(3.0)
        handle = getattr(x, kind)(lambda _g, x=x: None)
        (x * x).backward()
        assert x.grad.item() == 6.0
        references.append(weakref.ref(x))
        if remove:
            handle.remove()
        del x, handle
    assert [reference() is None for reference in references] == [True, False]
    gc.collect()
    assert references[1]() is None


def test_an_interrupted_pass_keeps_the_hooks_that_have_not_run():
    x = leaf(3.0)
    h = x * 2
    seen = []
    h.register_hook(lambda g: seen.append(g.item()))
    y = h * h
    handle = y.register_hook(lambda g: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        y.backward()
    handle.remove()
    h.backward()
    assert seen == [1.0]
    assert x.grad.item() == 2.0


def test_a_picture_of_a_freed_graph_still_says_how_many_hooks_there_were():
    x = leaf(3.0)
    h = x * 2
    h.register_hook(lambda g: None)
    h.grad_fn.register_hook(lambda sent, arrived: None)
    h.backward()
    assert h.grad_fn.hooks_count == 2
    assert not h.grad_fn.extra.tensor_hooks

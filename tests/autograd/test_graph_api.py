"""The graph as the user holds it: nodes, edges, versions, hooks on several tensors; here and in PyTorch."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from typing import Any
from weakref import ref

import pytest

import tensorplay as tp
from tests.autograd.pieces import leaf

Program = Callable[[Any], Any]


@pytest.fixture(params=["tensorplay", "torch"])
def lib(request: pytest.FixtureRequest) -> Any:
    """Each program runs here and in PyTorch, with the same expected answers."""
    return tp if request.param == "tensorplay" else pytest.importorskip("torch")


def one(lib: Any, *values: float) -> Any:
    return lib.tensor(list(values), requires_grad=True)


def numbers(grads: Any) -> Any:
    return [None if g is None else g.item() for g in grads]


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


# ----------------------------------------------------------------------------- nodes, also those of leaves


def kinds(lib: Any) -> Any:
    node = lib.autograd.graph.Node
    a = one(lib, 1.0)
    y = a * 2
    end = y.grad_fn.next_functions[0][0]
    return (
        isinstance(y.grad_fn, node), isinstance(end, node), isinstance(3, node), issubclass(type(end), node),
        end.name().rpartition("::")[2], end.variable is a, end.metadata, end.next_functions,
        end == (a * 3).grad_fn.next_functions[0][0],
    )  # fmt: skip


def test_nodes(lib: Any) -> None:
    assert kinds(lib) == (True, True, False, True, "AccumulateGrad", True, {}, (), True)


def hooks_at_the_end(lib: Any) -> Any:
    a = one(lib, 1.0)
    y = a * a
    end = y.grad_fn.next_functions[0][0]
    log: list[Any] = []
    end.register_hook(lambda sent, arrived: log.append(("after", sent, numbers(arrived), a.grad.item())))
    end.register_prehook(lambda arrived: log.append(("before", numbers(arrived))))
    a.register_hook(lambda g: log.append("tensor"))
    a.register_post_accumulate_grad_hook(lambda t: log.append("accumulated"))
    y.backward()
    return log


def test_a_node_can_be_called(lib: Any) -> None:
    x = lib.tensor(3.0, requires_grad=True)
    y = x * x
    left, right = y.grad_fn(lib.tensor(2.0))
    assert (left.item(), right.item(), left.requires_grad) == (6.0, 6.0, True)
    with lib.no_grad():
        assert not y.grad_fn(lib.tensor(2.0))[0].requires_grad
    assert y.grad_fn(None) == (None, None)
    y.backward()  # calling a node frees nothing
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        y.grad_fn(lib.tensor(2.0))


def test_a_called_node_takes_one_gradient_per_output(lib: Any) -> None:
    x = lib.ones(2, requires_grad=True)
    first, _ = x.unbind(0)
    assert first.grad_fn(lib.tensor(2.0), None).tolist() == [2.0, 0.0]
    with pytest.raises(TypeError, match="expected 2 arguments, got 1 instead"):
        first.grad_fn(lib.tensor(2.0))
    with pytest.raises(TypeError):
        (x * x).grad_fn(1.0)


def test_calling_the_end_of_a_path_accumulates(lib: Any) -> None:
    x = lib.tensor(3.0, requires_grad=True)
    end = (x * 1).grad_fn.next_functions[0][0]
    end(lib.tensor(2.0))
    end(lib.tensor(2.0))
    assert x.grad.item() == 4.0


def test_the_order_of_hooks_at_a_leaf(lib: Any) -> None:
    assert hooks_at_the_end(lib) == ["tensor", ("before", [2.0]), "accumulated", ("after", (), [2.0], 2.0)]


def replaced_at_the_end(lib: Any) -> Any:
    a = one(lib, 1.0)
    y = a * 3
    end = y.grad_fn.next_functions[0][0]
    handle = end.register_prehook(lambda arrived: (arrived[0] * 2,))
    end.register_hook(lambda sent, arrived: ())
    y.backward(retain_graph=True)
    first = a.grad.item()
    given = lib.autograd.grad(y, a, retain_graph=True)[0].item()
    handle.remove()
    y.backward()
    return first, given, a.grad.item()


def test_a_prehook_at_a_leaf_replaces_what_is_added(lib: Any) -> None:
    assert replaced_at_the_end(lib) == (6.0, 3.0, 9.0)


def test_a_hook_at_a_leaf_has_nothing_to_replace(lib: Any) -> None:
    a = one(lib, 1.0)
    y = a * 3
    y.grad_fn.next_functions[0][0].register_hook(lambda sent, arrived: arrived)
    with pytest.raises(RuntimeError, match="has returned an incorrect number of values"):
        y.backward()


def test_hooks_and_metadata_of_a_leaf_live_as_long_as_the_leaf() -> None:
    a, log = leaf(1.0), []
    end = (a * 1).grad_fn.next_functions[0][0]
    end.metadata["mine"] = 1
    end.register_hook(lambda sent, arrived: log.append("after"))
    assert (end.hooks_count, end.freed, end.saved_bytes, end.place) == (1, False, 0, None)
    del end
    (a * 2).backward()
    end = (a * 1).grad_fn.next_functions[0][0]
    assert log == ["after"]
    assert end.metadata == {"mine": 1}
    with pytest.raises(AttributeError, match="'AccumulateGrad' object has no attribute '_saved_self'"):
        end._saved_self  # noqa: B018


def what_is_not_needed(lib: Any) -> Any:
    a, b = one(lib, 1.0), one(lib, 2.0)
    y = a * b
    seen: list[Any] = []
    y.grad_fn.register_hook(lambda sent, arrived: seen.append((numbers(sent), numbers(arrived))))
    lib.autograd.grad(y, a)
    return seen


def test_a_node_hook_sees_only_what_is_asked_for(lib: Any) -> None:
    assert what_is_not_needed(lib) == [([2.0, None], [1.0])]


# ------------------------------------------------------------------------------------ edges and versions


def edges(lib: Any) -> Any:
    edge, a = lib.autograd.graph.get_gradient_edge, one(lib, 2.0)
    y = a * a
    end = edge(a)
    by_hand = lib.autograd.graph.GradientEdge(y.grad_fn, 0)
    (through,) = lib.autograd.grad(y * 3, edge(y))
    (from_edge,) = lib.autograd.grad(by_hand, end, lib.ones(1))
    rows = lib.ones(2, 2, requires_grad=True).unbind(0)
    return edge(y).node is y.grad_fn, edge(rows[1]).output_nr, end.node.variable is a, through.item(), from_edge.item()


def test_edges(lib: Any) -> None:
    assert edges(lib) == (True, 1, True, 3.0, 4.0)
    with pytest.raises(RuntimeError, match="It is not possible to get the gradient edge"):
        lib.autograd.graph.get_gradient_edge(lib.ones(1))


def versions(lib: Any) -> Any:
    raise_it, a = lib.autograd.graph.increment_version, lib.ones(2)
    seen = []
    for what in (a, [a, a], a.view(2), iter([a]), (), a.detach()):
        raise_it(what)
        seen.append(a._version)
    with lib.inference_mode():
        raise_it(lib.ones(1))
    return seen


def test_increment_version(lib: Any) -> None:
    assert versions(lib) == [1, 3, 4, 5, 5, 6]


@pytest.mark.parametrize("wrong", [3, [3]])
def test_increment_version_of_no_tensor(wrong: Any, lib: Any) -> None:
    with pytest.raises(RuntimeError, match="increment_version expect"):
        lib.autograd.graph.increment_version(wrong)


def test_b3_1_a_version_raised_by_hand_is_noticed(lib: Any) -> None:
    x = one(lib, 3.0)
    y = x * x
    lib.autograd.graph.increment_version(x)
    with pytest.raises(RuntimeError, match="has been modified by an inplace operation"):
        y.backward()


# --------------------------------------------------------------------------- retain_grad in autograd.grad


def retained(lib: Any) -> Any:
    x, w = one(lib, 2.0), one(lib, 1.0)
    h = x * 3
    h.retain_grad()
    h.register_hook(lambda g: g * 2)
    z = h * h * w
    seen = []
    for wanted in (x, h, w):
        lib.autograd.grad(z, wanted, retain_graph=True)
        seen.append(h.grad.item())
    lib.autograd.grad(z, x, create_graph=True)
    return seen, h.grad.item(), h.grad.requires_grad, x.grad


def test_b2_12_retain_grad_also_writes_in_autograd_grad(lib: Any) -> None:
    assert retained(lib) == ([24.0, 48.0, 48.0], 72.0, True, None)


def test_a_batch_of_gradients_is_not_retained() -> None:
    x = leaf(2.0)
    h = x * 3
    h.retain_grad()
    (g,) = tp.autograd.grad(h * h, x, tp.ones(2, 1), is_grads_batched=True)
    assert (g.tolist(), h.grad) == ([[36.0], [36.0]], None)

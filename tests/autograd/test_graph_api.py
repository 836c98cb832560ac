"""The graph as the user holds it: nodes, edges, versions; here and in PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tensorplay as tp
from tests.autograd.pieces import leaf, numbers, one

Program = Callable[[Any], Any]


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

"""Saved tensors as the user reads and edits them, and hooks set on them: the same programs here and in PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tensorplay as tp
from tests.autograd.pieces import leaf, one, told

Program = Callable[[Any], Any]

# -------------------------------------------------------------------------- save_on_cpu, and edits


def test_save_on_cpu_keeps_copies() -> None:
    x = leaf(3.0)
    y = x * 1
    with tp.autograd.graph.save_on_cpu(pin_memory=True):
        z = y * y
    with tp.no_grad():
        y.add_(5)
    z.backward()
    assert x.grad.item() == 6.0


def allowed(lib: Any) -> Any:
    return lib.autograd.graph.allow_mutation_on_saved_tensors()


def an_edit(lib: Any) -> Any:
    with allowed(lib):
        a = one(lib, 2.0)
        b = a.clone()
        out = (b * b).sum()
        b.add_(1)
        out.backward()
    return a.grad.tolist()


def an_edit_of_a_result(lib: Any) -> Any:
    with allowed(lib):
        a = one(lib, 0.0, 0.0)
        b = a.exp()
        b.mul_(2)
        b.sum().backward()
    return a.grad.tolist()


def an_edit_through_a_view(lib: Any) -> Any:
    with allowed(lib):
        a = one(lib, 1.0, 1.0)
        b = a.clone() * 3
        c = b.view(2)
        out = (c * c).sum()
        b[0] = 100.0
        b.add_(1)
        out.backward()
    return a.grad.tolist()


def an_edit_before_double_backward(lib: Any) -> Any:
    with allowed(lib):
        a = one(lib, 2.0)
        b = a.clone()
        out = (b * b * b).sum()
        b.add_(1)
        (g,) = lib.autograd.grad(out, a, create_graph=True)
        (h,) = lib.autograd.grad(g, a)
    return g.item(), h.item()


def an_edit_of_a_leaf(lib: Any) -> Any:
    with allowed(lib):
        a = one(lib, 2.0)
        out = (a * a).sum()
        with lib.no_grad():
            a.add_(1)
        out.backward()
    return a.grad.tolist()


@pytest.mark.parametrize(
    ("program", "expected"),
    [(an_edit, [4.0]), (an_edit_of_a_result, [2.0, 2.0]), (an_edit_through_a_view, [18.0, 18.0]),
     (an_edit_before_double_backward, (12.0, 12.0)), (an_edit_of_a_leaf, [4.0])],
    ids=lambda v: f"B6.9 {v.__name__}" if callable(v) else "",
)  # fmt: skip
def test_edits_of_saved_tensors_are_allowed(program: Program, expected: Any, lib: Any) -> None:
    assert program(lib) == expected


def test_the_block_is_the_only_place_where_such_a_graph_works(lib: Any) -> None:
    with allowed(lib):
        a = one(lib, 2.0)
        out = (a * a).sum()
    with pytest.raises(AssertionError, match="Trying to backward outside of the 'allow_mutation_on_saved_tensors'"):
        out.backward()
    with allowed(lib), pytest.raises(RuntimeError, match="contexts cannot be nested"), allowed(lib):
        pass


# ------------------------------------------------------------------------------ reading what was saved


def names(lib: Any) -> Any:
    x, y = one(lib, 3.0), one(lib, 4.0)
    m = lib.ones(2, 3, requires_grad=True)
    product, power = (x * y).grad_fn, (x**2).grad_fn
    return (
        product._saved_self.item(), product._saved_other.item(), (x * 2.0).grad_fn._saved_self,
        (x * lib.ones(1)).grad_fn._saved_self, float((x * lib.ones(1)).grad_fn._saved_other),
        round(x.exp().grad_fn._saved_result.item(), 3), float(power._saved_exponent), power._saved_self.item(),
        (m @ m.T).grad_fn._saved_mat2.tolist(), tuple(m.sum(0).grad_fn._saved_self_sym_sizes),
        m.sum(0).grad_fn._saved_keepdim, hasattr(product, "_saved_nothing"),
    )  # fmt: skip


def test_pytorch_names(lib: Any) -> None:
    assert names(lib) == (
        3.0, 4.0, None, None, 1.0, 20.086, 2.0, 3.0, [[1.0, 1.0], [1.0, 1.0], [1.0, 1.0]], (2, 3), False, False,
    )  # fmt: skip


def test_a_saved_tensor_shares_memory_history_and_version(lib: Any) -> None:
    x = one(lib, 1.0)
    h = x * 2
    y, e = h * h, h.exp()
    assert y.grad_fn._saved_self.grad_fn is h.grad_fn
    assert e.grad_fn._saved_result.grad_fn is e.grad_fn
    assert (x * x).grad_fn._saved_self is x
    kept = e.grad_fn._saved_result
    with lib.no_grad():
        e.add_(1)
    assert kept.tolist() == e.tolist()
    assert kept._version == e._version == 1
    with pytest.raises(RuntimeError, match="one of the variables needed for gradient computation has been modified"):
        e.grad_fn._saved_result  # noqa: B018


def test_b1_9_reading_after_the_release(lib: Any) -> None:
    x = one(lib, 3.0)
    y = x * x
    kept = y.grad_fn._saved_self
    s = lib.ones(2, 2, requires_grad=True).sum(0)
    y.backward()
    s.sum().backward()
    assert kept.item() == 3.0
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        y.grad_fn._saved_self  # noqa: B018
    assert s.grad_fn._saved_keepdim is False, "parameters stay readable"


def test_our_names_and_what_a_function_saved() -> None:
    class Square(tp.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            return g * 2 * ctx.saved_tensors[0]

    x = leaf(3.0)
    assert (x * leaf(4.0)).grad_fn._saved_y.tolist() == [4.0]
    assert x.exp().grad_fn._saved_out.requires_grad
    assert Square.apply(x).grad_fn._saved_x is x
    with pytest.raises(AttributeError, match="MulBackward saves no 'z': it keeps y, x"):
        (x * x).grad_fn._saved_z  # noqa: B018


def test_a_promoted_input_is_read_with_its_history() -> None:
    x, y = leaf(3.0), tp.tensor([2.0], dtype=tp.float64, requires_grad=True)
    kept = (x * y).grad_fn._saved_x
    assert kept.dtype == tp.float64
    assert tp.autograd.grad(kept, x)[0].tolist() == [1.0]


# ------------------------------------------------------------------------------ hooks set afterwards


def set_afterwards(lib: Any) -> Any:
    log: list[Any] = []
    x = one(lib, 3.0)
    y = x * x
    raw = y.grad_fn._raw_saved_self
    raw.register_hooks(lambda t: told(log, "pack", t * 2), lambda t: told(log, "unpack", t))
    with pytest.raises(RuntimeError, match="Calling register_hooks on a saved tensor whose hooks have already been"):
        raw.register_hooks(lambda t: t, lambda t: t)
    y.backward()
    with pytest.raises(RuntimeError, match="Calling register_hooks on a saved tensor after it has been freed"):
        raw.register_hooks(lambda t: t, lambda t: t)
    return log, x.grad.item()


def set_on_a_result(lib: Any) -> Any:
    a = one(lib, 0.5)
    y = a.exp()
    y.grad_fn._raw_saved_result.register_hooks(lambda t: t, lambda t: t)
    kept = y.grad_fn._saved_result
    (g,) = lib.autograd.grad(y, a, create_graph=True)
    (h,) = lib.autograd.grad(g, a)
    return kept.item() == y.item(), kept.grad_fn is y.grad_fn, h.item() == y.item()


def edited_meanwhile(lib: Any) -> Any:
    x = one(lib, 3.0)
    y = x * 1
    z = y * y
    for raw in (z.grad_fn._raw_saved_self, z.grad_fn._raw_saved_other):
        raw.register_hooks(lambda t: t.clone(), lambda t: t)
    with lib.no_grad():
        y.add_(1)
    z.backward()
    return x.grad.item()


@pytest.mark.parametrize(
    ("program", "expected"),
    [(set_afterwards, (["pack", "unpack"], 9.0)), (set_on_a_result, (True, True, True)), (edited_meanwhile, 6.0)],
    ids=lambda v: v.__name__ if callable(v) else "",
)
def test_raw_saved_tensors(program: Program, expected: Any, lib: Any) -> None:
    assert program(lib) == expected


def test_raw_saved_tensors_refuse_what_is_no_tensor() -> None:
    x = leaf(3.0)
    with pytest.raises(tp.errors.SavedHooksTypeError):
        (x**2).grad_fn._raw_saved_exponent.register_hooks(lambda t: t, lambda t: t)
    with pytest.raises(AttributeError):
        (x + 1).grad_fn._raw_saved_self  # noqa: B018

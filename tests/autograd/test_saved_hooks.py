"""Hooks for saved tensors: the same programs here and in PyTorch."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from typing import Any
from weakref import ref

import numpy as np
import pytest

import tensorplay as tp
from tensorplay import special
from tests.autograd.pieces import graph_of_many_ops, leaf, one, told

Program = Callable[[Any], Any]

# ------------------------------------------------------------------- B6.7: what is called, and when


def order(lib: Any) -> Any:
    log: list[str] = []
    x = one(lib, 3.0)
    with lib.autograd.graph.saved_tensors_hooks(lambda t: told(log, "pack", t), lambda t: told(log, "unpack", t * 10)):
        y = x * x
    packed = list(log)
    y.backward()
    return packed, log, x.grad.item()


def innermost(lib: Any) -> Any:
    log: list[str] = []
    hooks = lib.autograd.graph.saved_tensors_hooks
    x = one(lib, 3.0)
    with hooks(lambda t: told(log, "outer", t), lambda t: t):
        with hooks(lambda t: told(log, "inner", t), lambda t: told(log, "unpack", t)):
            y = x * x
        z = x.exp()
    y.backward()
    z.backward()
    return log, x.grad.item()


def the_tensor_itself(lib: Any) -> Any:
    seen: list[Any] = []
    x = one(lib, 3.0)

    def pack(t: Any) -> Any:
        seen.append((t is x, t.requires_grad, t.grad_fn is None, lib.is_grad_enabled()))
        return t.detach()

    with lib.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        x * x
        x.exp()
        x * 2.0
        with lib.no_grad():
            x * x
    return seen


def first_the_second_operand(lib: Any) -> Any:
    seen: list[Any] = []
    a, b = one(lib, 2.0, 3.0), one(lib, 4.0, 5.0)
    with lib.autograd.graph.saved_tensors_hooks(lambda t: told(seen, t is b, t), lambda t: told(seen, "unpack", t)):
        y = a * b
        a / b
    y.sum().backward()
    return seen


def retained(lib: Any) -> Any:
    log: list[Any] = []
    x = one(lib, 3.0)

    def unpack(t: Any) -> Any:
        log.append(lib.is_grad_enabled())
        return t

    with lib.autograd.graph.saved_tensors_hooks(lambda t: t.detach(), unpack):
        y = x * x
    y.backward(retain_graph=True)
    (g,) = lib.autograd.grad(y, x, create_graph=True)
    h = lib.autograd.grad(g, x, retain_graph=True)
    y.backward()
    return log, x.grad.item(), g.item(), h[0].item()


def another_dtype(lib: Any) -> Any:
    x = one(lib, 3.0)
    with lib.autograd.graph.saved_tensors_hooks(lambda t: t.double(), lambda t: t):
        y = x * x
    y.backward()
    return x.grad.tolist(), str(x.grad.dtype).split(".")[-1]


def anything_can_be_packed(lib: Any) -> Any:
    x = one(lib, 3.0)
    with lib.autograd.graph.saved_tensors_hooks(lambda t: None, lambda nothing: lib.ones(1)):
        y = x * x
    y.backward()
    return x.grad.tolist()


def no_version_is_checked(lib: Any) -> Any:
    x = one(lib, 3.0)
    y = x * 1
    with lib.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
        z = y * y
    with lib.no_grad():
        y.add_(1)
    z.backward()
    return x.grad.tolist()


def third_order(lib: Any) -> Any:
    x = one(lib, 2.0)
    with lib.autograd.graph.saved_tensors_hooks(lambda t: t.detach().numpy() * 1, lib.from_numpy):
        g = x * x * x.exp()
        for _ in range(3):
            (g,) = lib.autograd.grad(g, x, create_graph=True)
    return round(g.item(), 3)


def in_a_thread(lib: Any) -> Any:
    log: list[str] = []
    x = one(lib, 3.0)
    with lib.autograd.graph.saved_tensors_hooks(lambda t: told(log, "pack", t), lambda t: t):
        thread = threading.Thread(target=lambda: x * x)
        thread.start()
        thread.join()
    return log


def a_function(lib: Any) -> Any:
    log: list[str] = []

    class Product(lib.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            ctx.save_for_backward(x, y)
            return x * y

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            x, y = ctx.saved_tensors
            return g * y, g * x

    a, b = one(lib, 3.0), one(lib, 4.0)
    with lib.autograd.graph.saved_tensors_hooks(lambda t: told(log, "pack", t), lambda t: told(log, "unpack", t * 2)):
        y = Product.apply(a, b)
    y.backward()
    return log, a.grad.item(), b.grad.item()


PROGRAMS: list[tuple[str, Program, Any]] = [
    ("B6.7", order, (["pack", "pack"], ["pack", "pack", "unpack", "unpack"], 60.0)),
    ("B6.7", innermost, (["inner", "inner", "outer", "unpack", "unpack"], pytest.approx(6 + np.exp(3.0), rel=1e-6))),
    ("B6.7", the_tensor_itself,
     [(True, True, True, False), (True, True, True, False), (False, True, False, False)]),
    ("B6.7", first_the_second_operand, [True, False, True, False, "unpack", "unpack"]),
    ("B6.7", retained, ([False, False, True, True, False, False], 12.0, 6.0, 2.0)),
    ("B6.7", another_dtype, ([6.0], "float32")),
    ("B6.7", anything_can_be_packed, [2.0]),
    ("B6.7", no_version_is_checked, [6.0]),
    ("B6.7", third_order, pytest.approx(round(float(22 * np.exp(2.0)), 3), abs=2e-3)),
    ("B6.7", in_a_thread, []),
    ("B6.7", a_function, (["pack", "pack", "unpack", "unpack"], 8.0, 6.0)),
]  # fmt: skip


@pytest.mark.parametrize(("row", "program", "expected"), PROGRAMS, ids=lambda v: getattr(v, "__name__", None))
def test_hooks_as_in_pytorch(row: str, program: Program, expected: Any, lib: Any) -> None:
    assert program(lib) == expected, row


# ----------------------------------------------------------------------------------------- errors


def x_squared(lib: Any, pack: Any, unpack: Any) -> Any:
    x = one(lib, 3.0)
    with lib.autograd.graph.saved_tensors_hooks(pack, unpack):
        return x * x


def edits_its_input(lib: Any) -> None:
    x_squared(lib, lambda t: t.mul_(2), lambda t: t)


def returns_no_tensor(lib: Any) -> None:
    x_squared(lib, lambda t: t, lambda t: 3).backward()


def raises_in_pack(lib: Any) -> None:
    x_squared(lib, lambda t: 1 / 0, lambda t: t)


def raises_in_unpack(lib: Any) -> None:
    x_squared(lib, lambda t: t, lambda t: 1 / 0).backward()


def is_disabled(lib: Any) -> None:
    graph = lib.autograd.graph
    with graph.disable_saved_tensors_hooks("outer"), graph.disable_saved_tensors_hooks("not here"):
        x_squared(lib, lambda t: t, lambda t: t)


def is_disabled_inside(lib: Any) -> None:
    x = one(lib, 3.0)
    graph = lib.autograd.graph
    with graph.saved_tensors_hooks(lambda t: t, lambda t: t), graph.disable_saved_tensors_hooks("not here"):
        x * x


def is_disabled_while_hooks_are_in_force(lib: Any) -> None:
    graph = lib.autograd.graph
    with graph.save_on_cpu(), graph.disable_saved_tensors_hooks("not here"):
        pass


def is_disabled_by_a_decorator(lib: Any) -> None:
    lib.autograd.graph.disable_saved_tensors_hooks("not here")(x_squared)(lib, lambda t: t, lambda t: t)


def is_no_function(lib: Any) -> None:
    x_squared(lib, 3, lambda t: t)


ERRORS: list[tuple[str, Program, type[Exception], str]] = [
    ("B6.7", edits_its_input, RuntimeError, "A saved tensor pack hook is modifying its input"),
    ("B6.7", returns_no_tensor, TypeError, "Output of saved tensor unpack_hook expected to be a Tensor"),
    ("B6.7", raises_in_pack, ZeroDivisionError, "division by zero"),
    ("B6.7", raises_in_unpack, ZeroDivisionError, "division by zero"),
    ("B6.7", is_no_function, TypeError, "callable|incompatible function arguments"),
    ("B6.8", is_disabled, RuntimeError, "^not here$"),
    ("B6.8", is_disabled_inside, RuntimeError, "^not here$"),
    ("B6.8", is_disabled_while_hooks_are_in_force, RuntimeError, "^not here$"),
    ("B6.8", is_disabled_by_a_decorator, RuntimeError, "^not here$"),
]


@pytest.mark.parametrize(("row", "program", "error", "phrase"), ERRORS, ids=lambda v: getattr(v, "__name__", None))
def test_errors_as_in_pytorch(row: str, program: Program, error: type[Exception], phrase: str, lib: Any) -> None:
    with pytest.raises(error, match=phrase) as caught:
        program(lib)
    if lib is tp and error is not ZeroDivisionError:
        assert isinstance(caught.value, tp.errors.TensorPlayError)
    assert order(lib)[2] == 60.0, "the hooks are off again"


def test_another_shape_is_refused() -> None:
    y = x_squared(tp, lambda t: t, lambda t: tp.ones(2))
    with pytest.raises(tp.errors.SavedHooksError, match=r"unpack_hook has shape \[2\].* of shape \[1\]"):
        y.backward()


def test_hooks_do_not_change_a_bit_and_the_paths_are_restored() -> None:
    values = np.linspace(-1, 1, 4).astype("float32")
    plain, hooked = (tp.tensor(values.tolist(), requires_grad=True) for _ in range(2))
    graph_of_many_ops(plain).backward()
    with tp.autograd.graph.saved_tensors_hooks(lambda t: t.detach().clone(), lambda t: t):
        loss = graph_of_many_ops(hooked)
    loss.backward()
    assert plain.grad.numpy().tobytes() == hooked.grad.numpy().tobytes()
    assert special.reasons == ()


# ---------------------------------------------------------------------------------------- lifetime


@pytest.mark.parametrize("after", ["backward", "dropped", "retained"])
@pytest.mark.parametrize("hooks", ["identity", "copy", "on cpu", "mutation", "afterwards"])
def test_nothing_leaks_with_the_collector_off(hooks: str, after: str) -> None:
    graph = tp.autograd.graph
    blocks: dict[str, Any] = {
        "identity": lambda: graph.saved_tensors_hooks(lambda t: t, lambda t: t),
        "copy": lambda: graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t),
        "on cpu": graph.save_on_cpu,
        "mutation": graph.allow_mutation_on_saved_tensors,
        "afterwards": lambda: graph.disable_saved_tensors_hooks("not here"),
    }
    gc.collect()
    gc.disable()
    try:
        x = leaf(3.0, 4.0)
        with blocks[hooks]():
            y = (x * x).exp()
            if hooks == "afterwards":
                y.grad_fn._raw_saved_result.register_hooks(lambda t: t, lambda t: t)
            y *= x  # in place: the old value is saved, the tensor goes on
            loss = y.sum()
            if after != "dropped":
                loss.backward(retain_graph=after == "retained")
        alive = [ref(y.grad_fn), ref(y), ref(loss.grad_fn)]
        del y, loss
        assert [r() for r in alive] == [None, None, None]
    finally:
        gc.enable()

"""Checkpoints: gradients, and how often each function runs, as in PyTorch."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tensorplay.testing import assert_close

# ------------------------------------------------------------------- the same program in two libraries


class Program:
    """One library, its checkpoint, and how often each function ran."""

    def __init__(self, name: str) -> None:
        self.lib = importlib.import_module(name)
        module = importlib.import_module(f"{name}.utils.checkpoint")
        self.checkpoint, self.sequential = module.checkpoint, module.checkpoint_sequential
        self.early_stop = module.set_checkpoint_early_stop
        self.calls: list[str] = []

    def leaf(self, *values: float) -> Any:
        return self.lib.tensor(list(values), requires_grad=True)

    def named(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any, **kwargs: Any) -> Any:
            self.calls.append(name)
            return function(*args, **kwargs)

        return counted


def several(p: Program, **form: Any) -> list[Any]:
    """Several outputs, one of them no tensor; an argument without gradient; a number."""
    x, c = p.leaf(0.5, -1.0), p.lib.tensor([2.0, 3.0])
    y, z, k = p.checkpoint(p.named("f", lambda a, b, k: ((a * b).tanh() * k, a.exp(), k)), x, c, 3.0, **form)
    (y * z).sum().backward()
    return [x.grad, c.grad is None, k]


def keywords(p: Program) -> list[Any]:
    x, c = p.leaf(0.5, -1.0), p.lib.tensor([2.0, 3.0])
    p.checkpoint(p.named("f", lambda a, b, k: (a * b).tanh() * k), x, use_reentrant=False, b=c, k=3.0).sum().backward()
    return [x.grad]


def parameters_of_a_closure(p: Program, **form: Any) -> list[Any]:
    x, w = p.leaf(0.5, -1.0), p.leaf(2.0, 3.0)
    p.checkpoint(p.named("f", lambda a: (a * w).tanh() * w), x, **form).sum().backward()
    return [x.grad, w.grad]


def twice(p: Program, **form: Any) -> list[Any]:
    x = p.leaf(0.5, -1.0)
    y = p.checkpoint(p.named("f", lambda a: a.tanh().exp()), x, **form).sum()
    y.backward(retain_graph=True)
    y.backward()
    return [x.grad]


def nested(p: Program, outer: bool, inner: bool) -> list[Any]:
    def first(a: Any) -> Any:
        return p.checkpoint(p.named("inner", lambda b: b.tanh().exp()), a.exp().tanh(), use_reentrant=inner).sigmoid()

    x = p.leaf(0.3)
    p.checkpoint(p.named("outer", first), x, use_reentrant=outer).sum().backward()
    return [x.grad]


def nested_three_deep(p: Program) -> list[Any]:
    form = {"use_reentrant": False}
    inner = p.named("inner", lambda a: a.tanh().exp())
    middle = p.named("middle", lambda a: p.checkpoint(inner, a.sigmoid(), **form).tanh())
    outer = p.named("outer", lambda a: p.checkpoint(middle, a.exp(), **form).sigmoid())
    x = p.leaf(0.3)
    p.checkpoint(outer, x, **form).sum().backward()
    return [x.grad]


def one_after_the_other(p: Program, **form: Any) -> list[Any]:
    x = h = p.leaf(0.3)
    for i in range(4):
        h = p.checkpoint(p.named(str(i), lambda a: a.tanh().exp()), h, **form)
    h.sum().backward()
    return [x.grad]


def stopping_early(p: Program, early: bool, forced: bool | None = None) -> list[Any]:
    def f(a: Any) -> Any:
        p.calls.append("begins")
        y = a.tanh().exp()
        p.calls.append("ends")
        return y + 1

    x = p.leaf(0.3)
    with contextlib.nullcontext() if forced is None else p.early_stop(forced):
        p.checkpoint(f, x, use_reentrant=False, early_stop=early).sum().backward()
    return [x.grad]


def a_gradient_inside(p: Program, early: bool) -> list[Any]:
    def f(a: Any) -> Any:
        y = (a * a * a).sum()
        (g,) = p.lib.autograd.grad(y, a, create_graph=True)
        return g * y

    x = p.leaf(2.0)
    p.checkpoint(p.named("f", f), x, use_reentrant=False, early_stop=early).sum().backward()
    return [x.grad]


def a_second_derivative(p: Program) -> list[Any]:
    x = p.leaf(0.5, -1.0)
    y = p.checkpoint(p.named("f", lambda a: a.tanh().exp()), x, use_reentrant=False).sum()
    (g,) = p.lib.autograd.grad(y, x, create_graph=True)
    (gg,) = p.lib.autograd.grad(g.sum(), x)
    return [g, gg]


def only_some_inputs(p: Program) -> list[Any]:
    a, b = p.leaf(2.0), p.leaf(3.0)
    p.checkpoint(p.named("f", lambda a, b: a.exp() * b), a, b, use_reentrant=False).backward(inputs=[a])
    return [a.grad, b.grad is None]


def edits_inside(p: Program, **form: Any) -> list[Any]:
    x = p.leaf(0.5, -1.0)
    p.checkpoint(p.named("f", lambda a: a.clone().mul_(2) ** 2), x, **form).sum().backward()
    return [x.grad]


def a_hook_inside(p: Program, **form: Any) -> list[Any]:
    seen: list[float] = []

    def f(a: Any) -> Any:
        h = a * 3
        if h.requires_grad:
            h.register_hook(lambda g: (seen.append(g.item()), g * 10)[1])
        return h * h

    x = p.leaf(1.0)
    p.checkpoint(f, x, **form).backward()
    return [x.grad, seen]


def a_tensor_in_a_dict(p: Program, **form: Any) -> list[Any]:
    a, b = p.leaf(2.0), p.leaf(3.0)
    p.checkpoint(p.named("f", lambda d, b: d["a"] * b), {"a": a}, b, **form).backward()
    return [a.grad, b.grad]


def sequential(p: Program, segments: int, **form: Any) -> list[Any]:
    x = p.leaf(0.3)
    layers = [p.named(str(i), lambda a, i=i: (a * (i + 1)).tanh()) for i in range(5)]
    p.sequential(layers, segments, x, **form).sum().backward()
    return [x.grad]


def in_no_grad(p: Program, **form: Any) -> list[Any]:
    x = p.leaf(0.3)
    with p.lib.no_grad():
        y = p.checkpoint(p.named("f", lambda a: a * a), x, **form)
    return [y.requires_grad]


def backward_in_no_grad(p: Program, **form: Any) -> list[Any]:
    x = p.leaf(0.3)
    y = p.checkpoint(p.named("f", lambda a: (p.calls.append(str(p.lib.is_grad_enabled())), a * a)[1]), x, **form)
    with p.lib.no_grad():
        y.backward()
    return [x.grad]


def an_error_in_the_repetition(p: Program, **form: Any) -> list[Any]:
    def f(a: Any) -> Any:
        if len(p.calls) == 2:
            raise KeyError("only this time")
        return a * a

    x = p.leaf(3.0)
    y = p.checkpoint(p.named("f", f), x, **form)
    with pytest.raises(KeyError):
        y.backward(retain_graph=True)
    y.backward()
    return [x.grad]


IN_BOTH_FORMS = [
    several, parameters_of_a_closure, twice, one_after_the_other, edits_inside, a_hook_inside, a_tensor_in_a_dict,
    in_no_grad, backward_in_no_grad, an_error_in_the_repetition,
]  # fmt: skip
PROGRAMS: dict[str, Callable[[Program], list[Any]]] = {
    **{
        f"{program.__name__}, {form}": lambda p, program=program, reentrant=reentrant: program(
            p, use_reentrant=reentrant
        )
        for program in IN_BOTH_FORMS
        for form, reentrant in (("reentrant", True), ("non-reentrant", False))
    },
    **{
        f"nested, {outer} {inner}": lambda p, o=outer, i=inner: nested(p, o, i)
        for outer in (False, True)
        for inner in (False, True)
        if not (outer and inner)  # PyTorch warns there
    },
    **{
        f"sequential, {n} segments, {form}": lambda p, n=n, form=form: sequential(p, n, use_reentrant=form)
        for n in (1, 2, 3, 5)
        for form in (False, True)
    },
    **{f"early stop {early}": lambda p, early=early: stopping_early(p, early) for early in (False, True)},
    "early stop set": lambda p: stopping_early(p, True, False),
    **{f"a gradient inside, {early}": lambda p, early=early: a_gradient_inside(p, early) for early in (False, True)},
    "keywords": keywords,
    "three deep": nested_three_deep,
    "second derivative": a_second_derivative,
    "inputs=": only_some_inputs,
}


def run(library: str, name: str) -> tuple[list[Any], list[str]]:
    program = Program(library)
    results = PROGRAMS[name](program)
    return [r.detach().numpy() if hasattr(r, "detach") else r for r in results], program.calls


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients_and_calls_are_pytorchs(name):
    pytest.importorskip("torch")
    ours, our_calls = run("tensorplay", name)
    theirs, their_calls = run("torch", name)
    assert our_calls == their_calls
    for a, b in zip(ours, theirs, strict=True):
        if isinstance(b, np.ndarray):
            assert_close(a, b, rtol=1e-5)
        else:
            assert a == b


@pytest.mark.parametrize(
    ("name", "calls"),
    [
        ("several, non-reentrant", {"f": 2}),
        ("several, reentrant", {"f": 2}),
        ("twice, non-reentrant", {"f": 3}),
        ("nested, False False", {"outer": 2, "inner": 3}),
        ("three deep", {"outer": 2, "middle": 3, "inner": 4}),
        ("sequential, 2 segments, False", {"0": 2, "1": 2, "2": 1, "3": 1, "4": 1}),
        ("in_no_grad, non-reentrant", {"f": 1}),
    ],
)
def test_how_often_a_function_runs(name, calls):
    _, made = run("tensorplay", name)
    assert {f: made.count(f) for f in sorted(set(made))} == dict(sorted(calls.items()))

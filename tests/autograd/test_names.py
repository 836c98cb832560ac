"""Every public name of autograd is there, with its signature; PyTorch's is the same."""

from __future__ import annotations

import importlib
import inspect
from functools import cache, reduce
from typing import Any

import pytest

import tensorplay as tp
from tests.autograd.names import NAMES, NOT_IN_PYTORCH, OF_NO_USE_IN_TEACHING, SHORT

LISTED = [(where, line) for where, lines in NAMES.items() for line in filter(None, lines.splitlines())]
OF_OBJECTS = ("Tensor", "leaf", "node", "context", "handle")


def identifier(value: object) -> str:
    return str(value).partition("(")[0] or "tp"


def owner(lib: Any, where: str) -> Any:
    """The module, class or object of that name."""
    if where in OF_OBJECTS:
        return of_objects(lib)[where]
    if where == "autograd.Function":
        return lib.autograd.Function
    return importlib.import_module(".".join(filter(None, (lib.__name__, where))))


@cache  # a context belongs to its node, which must be kept
def of_objects(lib: Any) -> dict[str, Any]:
    contexts = []

    class Twice(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            contexts.append(ctx)
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2

    x = lib.ones(2, requires_grad=True)
    y, out = x * 1, Twice.apply(x)
    handle = y.register_hook(print)
    return {"Tensor": y, "leaf": x, "result": out, "node": y.grad_fn, "context": contexts[0], "handle": handle}


def parameters(signature: inspect.Signature) -> list[inspect.Parameter]:
    """What a caller passes: without private arguments, `**kwargs`, and what a decorator without parentheses gets."""
    every = signature.parameters.values()
    hidden = ("function", "orig_func")
    return [p for p in every if p.kind is not p.VAR_KEYWORD and not p.name.startswith("_") and p.name not in hidden]


def check_signature(thing: Any, listed: str) -> None:
    found = parameters(inspect.signature(thing))
    names: dict[str, Any] = {}
    exec(f"def function({listed.partition('(')[2][:-1]}): ...", names)
    wanted = parameters(inspect.signature(names["function"]))
    text = f"{listed}, found {inspect.signature(thing)}"
    assert [(p.kind, p.default) for p in found] == [(p.kind, p.default) for p in wanted], text
    for ours, theirs in zip(found, wanted, strict=True):
        assert ours.kind is ours.VAR_POSITIONAL or ours.name in SHORT.get(theirs.name, {theirs.name}), text


def check(lib: Any, where: str, line: str) -> None:
    name = line.split(" = ")[0].partition("(")[0]
    thing = getattr(owner(lib, where), name)
    if " = " in line:
        assert repr(thing) == line.split(" = ")[1]
    elif "(" in line:
        assert callable(thing)
        check_signature(thing, line)


# The base class takes any arguments, with or without a context: it is the user's that has the one or the other.
ANY = ("autograd.Function", "forward(ctx, *args)")


@pytest.mark.filterwarnings("ignore:The .grad attribute")
@pytest.mark.parametrize(("where", "line"), LISTED, ids=identifier)
def test_name_and_signature(where: str, line: str) -> None:
    if (where, line) == ANY:
        assert isinstance(inspect.getattr_static(tp.autograd.Function, "forward"), staticmethod)
    else:
        check(tp, where, line)


NO_SIGNATURE = "is written in C++ and tells no signature"


@pytest.mark.filterwarnings("ignore:The .grad attribute", "ignore::FutureWarning")
@pytest.mark.parametrize(("where", "line"), LISTED, ids=identifier)
def test_pytorch_has_the_same(where: str, line: str) -> None:
    torch = pytest.importorskip("torch")
    name = f"{where}.{line.partition('(')[0]}"
    if name in NOT_IN_PYTORCH or f"{where}." in NOT_IN_PYTORCH or (where, line) == ANY:
        return
    try:
        check(torch, where, line)
    except ValueError as error:
        assert "no signature found" in str(error), NO_SIGNATURE


# --------------------------------------------------------------------------------- beyond signatures


def test_the_error_of_gradcheck_is_in_the_module_behind_the_function() -> None:
    module = importlib.import_module("tensorplay.autograd.gradcheck")
    assert inspect.ismodule(module)
    assert inspect.isfunction(tp.autograd.gradcheck)
    assert module.GradcheckError is tp.errors.GradcheckError
    assert issubclass(module.GradcheckError, RuntimeError)


MODES = {
    "no_grad": lambda: tp.no_grad(),
    "enable_grad": lambda: tp.enable_grad(),
    "set_grad_enabled": lambda: tp.set_grad_enabled(False),
    "inference_mode": lambda: tp.inference_mode(),
}


@pytest.mark.parametrize("name", MODES)
def test_a_mode_is_a_context_manager_and_a_decorator_of_functions_and_generators(name: str) -> None:
    make, inside = MODES[name], name == "enable_grad"

    def function() -> bool:
        return tp.is_grad_enabled()

    def generator() -> Any:
        for _ in range(2):
            yield tp.is_grad_enabled()

    with tp.set_grad_enabled(not inside):
        with make():
            assert tp.is_grad_enabled() is inside
        found = []
        for enabled in make()(generator)():
            found.append((enabled, tp.is_grad_enabled()))
        assert found == [(inside, not inside)] * 2
        assert make()(function)() is inside
        assert tp.is_grad_enabled() is not inside


@pytest.mark.parametrize("name", ["detect_anomaly", "set_detect_anomaly"])
def test_anomaly_mode_restores(name: str) -> None:
    with pytest.warns(UserWarning) if name == "detect_anomaly" else tp.no_grad():
        mode = tp.autograd.detect_anomaly() if name == "detect_anomaly" else tp.autograd.set_detect_anomaly(True)
    with mode:
        assert tp.is_anomaly_enabled() and tp.is_anomaly_check_nan_enabled()
    assert not tp.is_anomaly_enabled()


def test_multithreading_is_a_mode_of_no_effect() -> None:
    with tp.autograd.set_multithreading_enabled(False):
        x = tp.ones(1, requires_grad=True)
        (x * 2).backward()
    assert x.grad.item() == 2.0


def test_a_handle_is_a_context_manager() -> None:
    x, seen = tp.ones(1, requires_grad=True), []
    y = x * 1
    with y.register_hook(lambda g: seen.append(g.item())) as handle:
        y.backward(retain_graph=True)
    y.backward()
    assert seen == [1.0]
    assert isinstance(handle, type(x.register_hook(print)))


def test_the_errors_fixed_by_the_design() -> None:
    assert issubclass(tp.errors.FreedGraphError, RuntimeError)
    assert issubclass(tp.errors.FreedGraphWarning, Warning)


def test_what_is_left_out_is_not_there_by_accident() -> None:
    missing = object()

    def look(name: str) -> object:
        return reduce(lambda place, part: getattr(place, part, missing), name.split("."), tp)

    listed = {f"{where}.{line.partition('(')[0]}" for where, line in LISTED}
    assert not OF_NO_USE_IN_TEACHING & listed
    assert [name for name in OF_NO_USE_IN_TEACHING if look(name) is not missing] == []


# ------------------------------------------------------------------------------------ values to pin


def f(x: tp.Tensor) -> tp.Tensor:
    return x * x


def g(x: tp.Tensor) -> tp.Tensor:
    return (x**3).sum()


X, ONES = tp.tensor([1.0, 2.0]), tp.ones(2)


def pair(results: Any) -> list[Any]:
    return [result.tolist() for result in results]


def vjp_of_func() -> list[Any]:
    value, pull = tp.func.vjp(f, X)
    return [value.tolist(), pull(ONES)[0].tolist()]


def one_linear() -> list[float]:
    weights = {"weight": tp.ones(1, 2), "bias": tp.zeros(1)}
    return tp.func.functional_call(tp.nn.Linear(2, 1), weights, (ONES,)).tolist()


def per_sample() -> list[Any]:
    slope = tp.func.grad(lambda w, x: (w * x).sum() ** 2)
    return tp.func.vmap(slope, in_dims=(None, 0))(X, tp.eye(2)).tolist()


PINNED = {
    "jacobian": (lambda: tp.autograd.functional.jacobian(f, X).tolist(), [[2.0, 0.0], [0.0, 4.0]]),
    "jacrev": (lambda: tp.func.jacrev(f)(X).tolist(), [[2.0, 0.0], [0.0, 4.0]]),
    "jacfwd": (lambda: tp.func.jacfwd(f)(X).tolist(), [[2.0, 0.0], [0.0, 4.0]]),
    "functional.hessian": (lambda: tp.autograd.functional.hessian(g, X).tolist(), [[6.0, 0.0], [0.0, 12.0]]),
    "func.hessian": (lambda: tp.func.hessian(g)(X).tolist(), [[6.0, 0.0], [0.0, 12.0]]),
    "functional.vjp": (lambda: pair(tp.autograd.functional.vjp(f, X, ONES)), [[1.0, 4.0], [2.0, 4.0]]),
    "func.vjp": (vjp_of_func, [[1.0, 4.0], [2.0, 4.0]]),
    "functional.jvp": (lambda: pair(tp.autograd.functional.jvp(f, X, tp.tensor([1.0, 0.0]))), [[1.0, 4.0], [2.0, 0.0]]),
    "func.jvp": (lambda: pair(tp.func.jvp(f, (X,), (tp.tensor([1.0, 0.0]),))), [[1.0, 4.0], [2.0, 0.0]]),
    "hvp": (lambda: pair(tp.autograd.functional.hvp(g, X, ONES)), [9.0, [6.0, 12.0]]),
    "vhp": (lambda: pair(tp.autograd.functional.vhp(g, X, ONES)), [9.0, [6.0, 12.0]]),
    "grad of grad": (lambda: tp.func.grad(tp.func.grad(lambda x: x**3))(tp.tensor(2.0)).item(), 12.0),
    "grad_and_value": (lambda: pair(tp.func.grad_and_value(g)(X)), [[3.0, 12.0], 9.0]),
    "vmap of grad": (per_sample, [[2.0, 0.0], [0.0, 4.0]]),
    "functional_call": (one_linear, [2.0]),
}


@pytest.mark.parametrize("name", PINNED)
def test_a_pinned_value(name: str) -> None:
    compute, value = PINNED[name]
    assert compute() == value

"""Checkpoints: gradients as without them, how often the function runs, what is kept, and what goes wrong."""

from __future__ import annotations

import contextlib
import gc
import importlib
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.testing import assert_close
from tests.autograd.pieces import leaf

checkpoint = tp.utils.checkpoint.checkpoint
FORMS = [pytest.param(True, id="reentrant"), pytest.param(False, id="non-reentrant")]

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


# ------------------------------------------------------------------------------- the same without it


def long_function(x: tp.Tensor, w: tp.Tensor) -> tp.Tensor:
    h = (x @ w).tanh()
    values, _indices = h.max(1)
    return (h.softmax(1) * h.exp()).sum(0) + values.mean() + h.relu()[0]


@pytest.mark.parametrize("reentrant", FORMS)
def test_bit_for_bit_the_gradients_without_a_checkpoint(reentrant):
    grads = []
    for how in (lambda f, *a: f(*a), lambda f, *a: checkpoint(f, *a, use_reentrant=reentrant)):
        tp.manual_seed(3)
        x, w = tp.randn(4, 3, requires_grad=True), tp.randn(3, 3, requires_grad=True)
        (how(long_function, x, w) ** 2).sum().backward()
        grads.append((x.grad.numpy(), w.grad.numpy()))
    for a, b in zip(*grads, strict=True):
        assert np.array_equal(a, b)


@pytest.mark.parametrize("reentrant", FORMS)
@pytest.mark.parametrize("preserve", [True, False])
def test_random_numbers(reentrant, preserve):
    drawn = []

    def dropout(x: tp.Tensor) -> tp.Tensor:
        mask = tp.rand(4)
        drawn.append(mask.tolist())
        return x * mask

    x = tp.ones(4, requires_grad=True)
    y = checkpoint(dropout, x, use_reentrant=reentrant, preserve_rng_state=preserve)
    tp.rand(7)
    before = tp.get_rng_state()
    (y * y).sum().backward()
    assert (drawn[0] == drawn[1]) is preserve
    assert (tp.get_rng_state() == before) is preserve


@pytest.mark.parametrize("reentrant", FORMS)
def test_modes_are_those_of_the_first_run_and_then_restored(reentrant):
    seen = []

    def f(x: tp.Tensor) -> tp.Tensor:
        seen.append((tp.is_grad_enabled(), tp.is_inference_mode_enabled()))
        return x * x

    x = leaf(3.0)
    y = checkpoint(f, x, use_reentrant=reentrant)
    with tp.inference_mode():
        y.backward()
        assert (tp.is_grad_enabled(), tp.is_inference_mode_enabled()) == (False, True)
    assert seen == [(not reentrant, False), (True, False)]
    assert x.grad.item() == 6.0
    assert not x.grad.is_inference()


def test_use_reentrant_left_out_is_the_form_that_records():
    x = leaf(3.0)
    assert checkpoint(lambda a: a * a, x).grad_fn.name() == "MulBackward"
    assert checkpoint(lambda a: a * a, x, use_reentrant=True).grad_fn.name() == "CheckpointFunctionBackward"


def test_contexts_surround_the_two_runs():
    log = []

    @contextlib.contextmanager
    def noted(name: str):
        log.append(f"{name} in")
        yield
        log.append(f"{name} out")

    def f(x: tp.Tensor) -> tp.Tensor:
        log.append("f")
        return x.exp().tanh()

    y = checkpoint(f, leaf(1.0), context_fn=lambda: (noted("first"), noted("second")))
    y.backward()
    assert log == ["first in", "f", "first out", "second in", "f", "second out"]


def test_a_backward_in_another_thread():
    x = leaf(3.0)
    y = checkpoint(lambda a: a.exp() * a, x)
    thread = threading.Thread(target=y.backward)
    thread.start()
    thread.join()
    assert_close(x.grad, np.exp(np.float32([3.0])) * 4)


def test_hooks_for_saved_tensors_around_a_checkpoint_see_its_arguments():
    packed = []
    x = leaf(0.25)
    with tp.autograd.graph.saved_tensors_hooks(lambda t: (packed.append(t.item()), t * 2)[1], lambda t: t / 2):
        y = checkpoint(lambda a: a.exp().tanh(), x * 2)
    y.backward()
    assert packed == [0.5]
    assert_close(x.grad, np.float32([2 * np.exp(0.5) / np.cosh(np.exp(0.5)) ** 2]))


# --------------------------------------------------------------------------------------------- memory


@pytest.fixture
def no_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize("reentrant", FORMS)
def test_nothing_inside_is_kept(no_collector, reentrant):
    arrays = []

    def f(x: tp.Tensor) -> tp.Tensor:
        h = x.exp()
        arrays.append(weakref.ref(h._array))
        return h.tanh()

    x = leaf(1.0)
    y = checkpoint(f, x, use_reentrant=reentrant).sum()
    assert arrays[0]() is None
    y.backward()
    assert [array() for array in arrays] == [None, None]


def test_a_checkpoint_inside_another_keeps_no_argument(no_collector):
    """Its argument was computed in the outer one, whose very purpose is not to keep it."""
    arrays = []

    def outer(x: tp.Tensor) -> tp.Tensor:
        h = x.exp()
        arrays.append(weakref.ref(h._array))
        return checkpoint(lambda a: a.tanh().exp(), h).tanh()

    x = leaf(1.0)
    y = checkpoint(outer, x)
    assert arrays[0]() is None
    y.backward()
    assert all(array() is None for array in arrays)


@pytest.mark.parametrize("reentrant", FORMS)
@pytest.mark.parametrize("run_it", [True, False])
def test_everything_goes_by_reference_count(no_collector, reentrant, run_it):
    x = leaf(1.0)
    w = leaf(2.0)
    y = checkpoint(lambda a, w=w: (a * w).exp().tanh(), x * 1, use_reentrant=reentrant).sum()
    if run_it:
        y.backward()
    alive = [weakref.ref(y), weakref.ref(y.grad_fn), weakref.ref(x), weakref.ref(w)]
    del x, y, w
    assert [thing() for thing in alive] == [None] * 4
    assert gc.collect() == 0


def test_a_tensor_that_backward_does_not_ask_for_is_no_error():
    """The first run's node is gone before the repetition comes to its place."""

    def f(a: tp.Tensor) -> tp.Tensor:
        a.exp()
        return a.tanh()

    x = leaf(0.0)
    checkpoint(f, x).backward()
    assert x.grad.item() == 1.0


def test_saved_tensors_may_be_read_more_than_once():
    calls = []
    x = leaf(0.0)
    y = checkpoint(lambda a: (calls.append(1), a.exp())[1], x)
    assert [y.grad_fn._saved_result.item() for _ in range(2)] == [1.0, 1.0]
    y.backward()
    assert x.grad.item() == 1.0
    assert len(calls) == 4


def test_a_second_pass_takes_what_the_first_left_over():
    calls = []
    a, b = leaf(1.0), leaf(2.0)
    y, z = checkpoint(lambda a, b: (calls.append(1), a.exp(), b.exp())[1:], a, b)
    y.backward()
    z.backward()
    assert len(calls) == 2
    assert_close(b.grad, np.exp(np.float32([2.0])))


# --------------------------------------------------------------------------------------------- errors


def changing(first: Callable[..., Any], then: Callable[..., Any]) -> Callable[..., Any]:
    functions = iter((first, then))
    return lambda x: next(functions)(x)


def doubled(x: tp.Tensor) -> tp.Tensor:
    return x.to(tp.float64).tanh().exp()


@pytest.mark.parametrize(
    ("then", "options", "message"),
    [
        (lambda x: x + 1, {}, "A different number of tensors was saved .* 2 in the forward, 0 in the recomputation"),
        (lambda x: x + 1, {"determinism_check": "none"}, "A different number of tensors was saved"),
        (lambda x: x.tanh().exp().exp(), {"early_stop": False}, "trying to save more tensors during recomputation"),
        (lambda x: x.expand(2).tanh().exp(), {}, r"different metadata .*: tensor 0 had shape \[1\].* has shape \[2\]"),
        (doubled, {}, "different metadata .*: tensor 0 had .*float32 then and has .*float64 now"),
        (lambda x: x + 1, {"debug": True}, r"Operations of the forward: Tanh, Exp\. .* recomputation: Add\."),
    ],
)
def test_a_function_that_does_not_do_the_same(then, options, message):
    y = checkpoint(changing(lambda x: x.tanh().exp(), then), leaf(0.3), **options)
    with pytest.raises(tp.errors.CheckpointError, match=message):
        y.backward()


def test_debug_can_be_switched_from_outside():
    with tp.utils.checkpoint.set_checkpoint_debug_enabled(True):
        y = checkpoint(changing(lambda x: x.tanh().exp(), lambda x: x + 1), leaf(0.3))
    with pytest.raises(RuntimeError, match="Operations of the forward: Tanh, Exp"):
        y.backward()


def test_no_check_where_none_is_wanted():
    x = leaf(0.3)
    checkpoint(changing(lambda x: x.tanh().exp(), doubled), x, determinism_check="none").backward()
    assert x.grad is not None


@pytest.mark.parametrize("reentrant", FORMS)
def test_an_argument_that_was_edited_since(reentrant):
    h = leaf(1.0) * 1
    y = checkpoint(lambda a: a * a, h, use_reentrant=reentrant)
    with tp.no_grad():
        h.mul_(3)
    with pytest.raises(tp.errors.VersionError, match="modified by an inplace operation"):
        y.backward()


def test_what_was_saved_and_edited_in_the_repetition():
    def f(a: tp.Tensor) -> tp.Tensor:
        h = a.exp()
        y = h * 2
        with tp.no_grad():
            h.zero_()
        return y.tanh()

    with pytest.raises(tp.errors.VersionError, match="saved in a checkpointed function"):
        checkpoint(f, leaf(1.0)).backward()


@pytest.mark.parametrize("call", ["grad", "inputs"])
def test_the_older_form_refuses_limited_passes(call):
    x = leaf(3.0)
    y = checkpoint(lambda a: a * a, x, use_reentrant=True)
    with pytest.raises(tp.errors.CheckpointError, match=r"When use_reentrant=True, .*incompatible with \.grad\(\)"):
        tp.autograd.grad(y, x) if call == "grad" else y.backward(inputs=[x])


def test_the_older_form_has_no_second_derivative():
    x = leaf(3.0)
    y = checkpoint(lambda a: a * a * a, x, use_reentrant=True)
    with pytest.warns(UserWarning, match="create_graph"):
        (y * y).backward(create_graph=True)
    g, x.grad = x.grad, None
    with pytest.raises(RuntimeError, match="trying to differentiate twice"):
        g.backward()


def test_the_older_form_warns_when_gradients_cannot_flow():
    with pytest.warns(tp.errors.CheckpointWarning, match="None of the inputs have requires_grad=True"):
        y = checkpoint(lambda a: a * leaf(2.0), tp.ones(1), use_reentrant=True)
    assert not y.requires_grad


def test_the_older_form_says_when_it_is_not_necessary():
    y = checkpoint(lambda a: a.detach(), leaf(1.0), use_reentrant=True)
    with pytest.raises(tp.errors.CheckpointError, match="none of output has requires_grad=True"):
        y.backward()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"use_reentrant": True, "k": 3}, "Unexpected keyword arguments: k"),
        ({"use_reentrant": True, "debug": True}, "Passing `context_fn` or `debug` is only supported when"),
        ({"determinism_check": "strict"}, "determinism_check should be one of"),
    ],
)
def test_options_that_do_not_go_together(options, message):
    with pytest.raises(ValueError, match=message):
        checkpoint(lambda a, **_: a, leaf(1.0), **options)


@pytest.mark.parametrize("segments", [0, 3])
def test_more_segments_than_functions(segments):
    with pytest.raises(tp.errors.CheckpointArgumentError, match=f"cannot divide 2 functions into {segments} segments"):
        tp.utils.checkpoint.checkpoint_sequential([tp.exp, tp.tanh], segments, leaf(1.0))
    with pytest.raises(ValueError, match="Unexpected keyword arguments: foo"):
        tp.utils.checkpoint.checkpoint_sequential([tp.exp], 1, leaf(1.0), foo=1)


@pytest.mark.parametrize("reentrant", FORMS)
def test_an_error_in_the_function_leaves_the_modes_as_they_were(reentrant):
    def f(a: tp.Tensor) -> tp.Tensor:
        raise KeyError("from the function")

    with pytest.raises(KeyError):
        checkpoint(f, leaf(1.0), use_reentrant=reentrant)
    x = leaf(3.0)
    (x * x).backward()
    assert x.grad.item() == 6.0


# ----------------------------------------------------------------------------------- layers, training


def test_the_segments_of_a_model_train_like_the_model():
    losses = []
    for segments in (None, 2):
        tp.manual_seed(0)
        net = tp.nn.Sequential(tp.nn.Linear(3, 8), tp.nn.Tanh(), tp.nn.Linear(8, 8), tp.nn.Tanh(), tp.nn.Linear(8, 1))
        optimizer = tp.optim.SGD(net.parameters(), lr=0.1)
        x, t = tp.randn(16, 3), tp.randn(16, 1)
        for _ in range(5):
            optimizer.zero_grad()
            y = net(x) if segments is None else tp.utils.checkpoint.checkpoint_sequential(net, segments, x)
            loss = ((y - t) ** 2).mean()
            loss.backward()
            optimizer.step()
        losses.append(loss.item())
    assert losses[0] == losses[1]


# ----------------------------------------------------------------------------------------- transforms


def bump(x: tp.Tensor) -> tp.Tensor:
    return (x.tanh().exp() * x).sum()


TRANSFORMS: dict[str, Callable[..., Any]] = {
    "grad": lambda f, x: tp.func.grad(f)(x),
    "grad of grad": lambda f, x: tp.func.grad(lambda y: tp.func.grad(f)(y).sum())(x),
    "hessian": lambda f, x: tp.func.hessian(f)(x),
    "jacrev": lambda f, x: tp.func.jacrev(lambda y: y * f(y))(x),
    "jacfwd": lambda f, x: tp.func.jacfwd(lambda y: y * f(y))(x),
    "jvp": lambda f, x: tp.func.jvp(f, (x,), (x,))[1],
    "vmap": lambda f, x: tp.func.vmap(f)(tp.stack([x, x * 2])),
    "vmap of grad": lambda f, x: tp.func.vmap(tp.func.grad(f))(tp.stack([x, x * 2])),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_inside_a_transform(name):
    """PyTorch refuses those that differentiate backwards."""
    x = tp.tensor([0.3, -0.5])
    assert_close(TRANSFORMS[name](lambda x: checkpoint(bump, x), x), TRANSFORMS[name](bump, x))


def test_a_checkpoint_inside_vmap_cannot_run_again_after_it():
    x = tp.ones(2, 3, requires_grad=True)
    y = tp.func.vmap(lambda row: checkpoint(bump, row))(x).sum()
    with pytest.raises(tp.errors.EscapedTensorError):
        y.backward()

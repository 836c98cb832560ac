"""gradcheck and gradgradcheck: what they accept, what they catch, what they say, and what they leave behind."""

from __future__ import annotations

import builtins
import itertools
import re
import warnings
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.autograd.gradcheck import GradcheckError

# What the cases are written in. A hook stands for a wrong rule: it changes the gradient and not the value.
WORDS = """
def hooked(change):
    def f(x):
        y = x * 2
        if y.requires_grad:
            y.register_hook(lambda g: None if g is None else change(g))
        return y
    return f

def wrong(factor):
    return hooked(lambda g: g * factor)

count = itertools.count(1)
noisy = lambda size: hooked(lambda g: g + size * next(count))
constant = hooked(lambda g: g * 0 + 1)
double = dict(dtype=lib.float64, requires_grad=True)
x, y, s = t([1., 2.], **double), t([3., -0.5], **double), t(3., **double)
c = t([1 + 2j, -0.5 + 0.3j], dtype=lib.complex128, requires_grad=True)
empty, X = t([], **double), t([[1., 2., 3.], [4., 5., 6.]], **double)
k = t([3., 4.], dtype=lib.float64)
kink = t([0.], **double)
both = lambda x, y: (x * y, (x * x).sum())
"""


def words(library: Any) -> dict[str, Any]:
    names = {"lib": library, "t": library.tensor, "itertools": itertools}
    names |= {"G": library.autograd.gradcheck, "GG": library.autograd.gradgradcheck}
    exec(WORDS, names)
    return names


PASSING = [
    *(f"{check}({case})" for check in ("G", "GG") for case in (
        "lambda x: x * x, x", "lambda x: x * x, (x,)", "lambda x: x * x, [x]", "lambda x: x * 2, x", "both, (x, y)",
        "lambda x: x.exp(), s", "lambda x: x.sum(), empty", "lambda x: x * x, empty", "lambda x: x.T @ x, X",
        "lambda x: (x * x, x > 0) if x.dim() > 1 else x, x", "lambda x, n: x * n, (x, 3)", "lambda x, k: x * k, (x, k)",
        "lambda x: x, x", "lambda x: x.T, X", "lambda x: (x, x[0]), X", "lambda x: x.clone().mul_(x), x",
        "lambda x, y: x * y, (x, x)", "lambda x: x * x, x * 1", "lambda x: x * x, X[:, ::2].detach().requires_grad_()",
        "lambda x: x[0] * x, x",
        "lambda x: x * x, x, check_batched_grad=True", "lambda x: x * x, x, check_grad_dtypes=True",
        "lambda x, y: x * 2, (x, y)", "lambda x: x * x, x, check_undefined_grad=False",
        "lambda x: x * x, x, masked=True", "lambda x: x ** 2.5, c", "lambda x: x ** x, c", "lambda x: 1 / (x * x), c",
        "lambda x: x * x, x, fast_mode=True", "both, (x, y), fast_mode=True", "lambda x: x * x, empty, fast_mode=True",
        "lambda x: x * x, c", "lambda x: x * x, c, fast_mode=True", "lambda x: x.exp() * x, c",
        "lambda x, y: x * y, (c, x)", "lambda x: x * (1 + 2j), x",
    )),
    "G(lambda x: (x * 1e7).int(), x)",
    "G(lambda x: x.detach() * 0, x)", "G(lambda x: x.detach() * 0, x, fast_mode=True)",
    "G(lambda x: x * x, x, check_forward_ad=True)", "G(both, (x, y), check_forward_ad=True, fast_mode=True)",
    "G(lambda x: x * x, x, check_forward_ad=True, check_backward_ad=False)",
    "G(lambda x: x.exp(), c, check_forward_ad=True)", "G(lambda x: x.exp(), c, check_forward_ad=True, fast_mode=True)",
    "G(both, (x, y), check_forward_ad=True, check_batched_grad=True, check_batched_forward_grad=True)",
    "GG(lambda x: x * x * x, x, check_fwd_over_rev=True)",
    "GG(both, (x, y), check_fwd_over_rev=True, check_rev_over_rev=False, check_undefined_grad=False)",
    "GG(lambda x: x * x, x, gen_non_contig_grad_outputs=True)", "GG(lambda x: x * x, x, (k,))",
    "GG(lambda x: x * x, x, k)",
    "GG(lambda x: x * x, x, k.clone().requires_grad_())",
    "G(noisy(1e-9), x, nondet_tol=1e-6, check_backward_ad=False, check_forward_ad=True)",
    # B6.3
    "G(wrong(1.0005), x)", "G(wrong(1.0005), x, fast_mode=True)",
]  # fmt: skip
FAILING = {
    # B6.1
    "G(wrong(1.25), x)": "GradcheckError: Jacobian mismatch for output 0 with respect to input 0,",
    "G(wrong(1.25), x, fast_mode=True)": "GradcheckError: Jacobian mismatch for output 0 with respect to input 0,",
    "G(lambda x, y: (x * y, wrong(2.)(y)), (x, y))": "GradcheckError: Jacobian mismatch for output 1 with respec",
    "G(lambda x: wrong(1.25)(x * 1j), c)": "GradcheckError: While considering the imaginary part of complex outp",
    "G(lambda x: wrong(1.25)(x), c, fast_mode=True)": "GradcheckError: While considering the imaginary part of c",
    "G(noisy(float('nan')), x)": "GradcheckError: Jacobian mismatch for output 0",
    # B6.2
    "G(lambda x: x * 2, k)": "ValueError: gradcheck expects at least one input tensor to require gradient",
    "G(lambda x: x * 2, k.clone()[:1].requires_grad_().expand(3))": "RuntimeError: The 0th input has a dimension",
    "G(lambda x: x, x, check_backward_ad=False)": "AssertionError: Expected at least one of check_forward_ad",
    "G(lambda x: x, x, check_backward_ad=False, check_forward_ad=True, check_batched_grad=True)": "AssertionError: Se",
    "G(lambda x: x, x, check_batched_forward_grad=True)": "AssertionError: Setting check_batched_forward_grad=Tr",
    "GG(lambda x: x, x, check_rev_over_rev=False)": "AssertionError: Expected at least one of check_fwd_over_rev or",
    "GG(lambda x: x, x, check_rev_over_rev=False, check_fwd_over_rev=True)": "AssertionError: Setting check_unde",
    "GG(lambda x: x, x, None, check_rev_over_rev=False, check_fwd_over_rev=True, check_undefined_grad=False, "
    "check_batched_grad=True)": "AssertionError: Setting check_batched_grad=True requires check_rev_over_rev",
    "G(noisy(1e-9), x)": "GradcheckError: Backward is not reentrant, i.e., running backward with same input and",
    # B6.3
    "G(wrong(1.0005), x, rtol=1e-4)": "GradcheckError: Jacobian mismatch",
    "G(wrong(1.0005), x, rtol=1e-4, fast_mode=True)": "GradcheckError: Jacobian mismatch",
    # B6.4
    "G(lambda x: x.relu(), kink)": "GradcheckError: Jacobian mismatch for output 0 with respect to input 0",
    "G(constant, s)": "GradcheckError: backward not multiplied by grad_output",
    "G(lambda x: x.detach() * 1, x)": "GradcheckError: Numerical gradient for function expected to be zero",
    "G(lambda x: x[:1] if x[0] < 1 else x, x)": "AssertionError: Expected `func` to return outputs with the same",
    "G(lambda x: x.double() if x[0] < 1 else x.float(), x)": "AssertionError: Expected `func` to return outputs",
}
FAILING = {expression: told[:108] for expression, told in FAILING.items()}
OURS_ONLY = {
    "G(lambda x: 3., x)": "TypeError: gradcheck expects func to return a tensor or a tuple of tensors, got float",
    "G(lambda x: {'a': x}, x)": "TypeError: gradcheck expects func to return a tensor",
    "GG(lambda x: x > 0, x)": "GradcheckError: gradgradcheck expects at least one output that requires a gradient",
    "G(hooked(lambda g: g * abs(g)), x)": "GradcheckError: backward is not linear in grad_output",
}


PASSING_OURS_ONLY = ["G(lambda x: ((x * 1e7).int(), x * x), x)"]  # PyTorch mixes the outputs up


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("expression", PASSING + PASSING_OURS_ONLY)
def test_passing(expression: str) -> None:
    assert eval(expression, words(tp)) is True


def check_raises(expression: str, answer: str, library: Any) -> BaseException:
    kind, _, phrase = answer.partition(": ")
    with pytest.raises(Exception) as caught:
        eval(expression, words(library))
    expected = getattr(builtins, kind, None)
    assert isinstance(caught.value, expected) if expected else type(caught.value).__name__ == kind
    assert str(caught.value).startswith(phrase)
    return caught.value


@pytest.mark.parametrize("expression", [*FAILING, *OURS_ONLY])
def test_failing(expression: str) -> None:
    error = check_raises(expression, (FAILING | OURS_ONLY)[expression], tp)
    assert isinstance(error, tp.errors.TensorPlayError)


@pytest.mark.parametrize("expression", [e for e, told in FAILING.items() if told.startswith("GradcheckError")])
def test_false_instead_of_a_gradcheck_error(expression: str) -> None:
    assert eval(f"{expression[:-1]}, raise_exception=False)", words(tp)) is False


def test_other_errors_are_raised_in_any_case() -> None:
    x = tp.tensor([1.0], dtype=tp.float64, requires_grad=True)
    with pytest.raises(ZeroDivisionError):
        tp.autograd.gradcheck(lambda x: x * (1 / 0), x, raise_exception=False)
    with pytest.raises(ValueError, match="at least one input tensor"):
        tp.autograd.gradcheck(lambda x: x, x.detach(), raise_exception=False)


@pytest.fixture(scope="module")
def torch() -> Any:
    return pytest.importorskip("torch", exc_type=ImportError)


@pytest.mark.parametrize("expression", PASSING)
def test_torch_passes_the_same(torch: Any, expression: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert eval(expression, words(torch)) is True


@pytest.mark.parametrize("expression", FAILING)
def test_torch_raises_the_same(torch: Any, expression: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_raises(expression, FAILING[expression], torch)


# ------------------------------------------------------------------------------------------------ what is said


def message(expression: str, **more: Any) -> str:
    with pytest.raises(GradcheckError) as caught:
        eval(expression, words(tp) | more)
    return str(caught.value)


def test_the_message_shows_both_jacobians_and_the_worst_entry() -> None:
    told = message("G(lambda X: wrong(1.25)(X).sum(1) + X[:, 0] * X[:, 0], X)")
    assert "numerical:tensor([[ 4.0000,  2.0000,  2.0000,  0.0000,  0.0000,  0.0000]" in told
    assert "analytical:tensor([[ 4.5000,  2.5000,  2.5000,  0.0000,  0.0000,  0.0000]" in told
    assert "6 of 12 entries differ. The worst is row " in told
    assert "absolute error 0.5" in told
    row, column = map(int, re.search(r"is row (\d+), column (\d+)", told).groups())  # type: ignore[union-attr]
    assert f"∂ output 0[{row}] / ∂ input 0[{row}, {column - 3 * row}]" in told


def test_the_worst_entry_is_where_the_error_is_largest() -> None:
    told = message("G(hooked(lambda g: g + t([0., 0.3], dtype=lib.float64) * g), x)")
    assert "1 of 4 entries differ. The worst is row 1, column 1: ∂ output 0[1] / ∂ input 0[1]." in told
    assert "numerical 2, analytical 2.6, absolute error 0.6, relative error 0.3; allowed is" in told


REASONS = {
    "G(lambda x: x.relu(), kink)": "To the left the slope is 0, to the right 1: a kink or a jump",
    "G(lambda x: x * tp.rand(2, dtype=tp.float64), x)": "the function is random",
    "G(wrong(1.25), x)": "so a backward rule between input and output is wrong (the last operation is MulBackward)",
    "GG(Square, x)": "inputs 0 to 0 are those of the function, from 1 on they are the gradients",
    "G(wrong(1.25), x, fast_mode=True)": "These are v·J·u for random vectors u and v (fast mode). In full:\nnume",
}


@pytest.mark.parametrize("expression", REASONS)
def test_the_message_names_the_likely_reason(expression: str) -> None:
    assert REASONS[expression] in message(expression, tp=tp, Square=Square.apply)


def test_float32_inputs_are_warned_of() -> None:
    single = tp.tensor([1.0, 2.0], requires_grad=True)
    with pytest.warns(UserWarning, match="Input #1 requires gradient and is not a double precision") as warned:
        told = _told_of(lambda k, x: x * x, (tp.ones(2), single))
    assert warned[0].filename == __file__
    assert "The input is tensorplay.float32: use float64" in told
    with pytest.warns(UserWarning, match="Input #0"):
        assert tp.autograd.gradcheck(lambda x: x * x, single, eps=1e-2, atol=1e-2, rtol=1e-2)


def _told_of(func: Any, inputs: Any) -> str:
    with pytest.raises(GradcheckError) as caught:
        tp.autograd.gradcheck(func, inputs)
    return str(caught.value)


# ------------------------------------------------------------------------------------------ what is left behind


class Stop(Exception):
    pass


@pytest.mark.parametrize("at", [None, *range(1, 9)])
@pytest.mark.parametrize("fast", [False, True], ids=["slow", "fast"])
def test_inputs_are_restored_exactly(at: int | None, fast: bool) -> None:
    """To the last bit, without a new version, also when the function raises in its nth call."""
    base = tp.tensor([0.1, 77.0, 1 / 3], dtype=tp.float64)
    x = tp.from_numpy(base.numpy()[::2]).requires_grad_()
    before, calls = base.numpy().copy(), itertools.count(1)
    earlier = (x * x).sum()

    def func(x: Any) -> Any:
        if next(calls) == at:
            raise Stop
        return x * x * x

    if at is None or at > (3 if fast else 5):
        assert tp.autograd.gradcheck(func, x, fast_mode=fast)
    else:
        with pytest.raises(Stop):
            tp.autograd.gradcheck(func, x, fast_mode=fast)
    assert np.array_equal(base.numpy(), before)
    assert x._version == 0 and x.grad is None and x.requires_grad
    earlier.backward()  # what was recorded before is still good
    assert np.array_equal(x.grad.numpy(), 2 * before[::2])


def test_the_users_random_numbers_are_left_alone() -> None:
    state = tp.get_rng_state().tolist()
    x = tp.tensor([1.0, 2.0], dtype=tp.float64, requires_grad=True)
    numpy_state = np.random.get_state()[1].copy()
    for fast in (False, True):
        tp.autograd.gradgradcheck(lambda x: x * x, x, fast_mode=fast, check_batched_grad=True)
    assert tp.get_rng_state().tolist() == state
    assert np.array_equal(np.random.get_state()[1], numpy_state)


def test_the_function_may_close_over_its_inputs() -> None:
    """They are moved where they lie, so a module's parameters can be checked."""
    tp.set_default_dtype(tp.float64)
    layer = tp.nn.Linear(2, 3)
    x = tp.ones(4, 2)
    tp.set_default_dtype(tp.float32)
    assert tp.autograd.gradcheck(lambda *_: layer(x).tanh(), tuple(layer.parameters()), rtol=1e-6)
    assert layer.weight.grad is None


def test_a_read_only_input_is_refused() -> None:
    array = np.ones(3)
    x = tp.from_numpy(array).requires_grad_()
    array.flags.writeable = False
    x._array.flags.writeable = False
    with pytest.raises(tp.errors.GradcheckInputError, match="cannot be written to"):
        tp.autograd.gradcheck(lambda x: x * x, x)


# ------------------------------------------------------------------------------------- backwards of one's own


class Three(tp.autograd.Function):
    """Three outputs; `when_missing` is what its backward does if exactly one of them was not used."""

    when_missing = staticmethod(lambda grads: grads)

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.set_materialize_grads(False)
        return x * 2, x * 3, x * 4

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        if [g is None for g in grads].count(True) == 1:
            grads = Three.when_missing(grads)
        return sum(g * factor for g, factor in zip(grads, (2, 3, 4), strict=True) if g is not None)


MISSING = {
    "Expected backward function to handle undefined output grads": lambda grads: [g * 1 for g in grads],
    "Expected all input grads to be undefined or zero": lambda grads: [tp.ones(2) if g is None else g for g in grads],
}


@pytest.mark.parametrize("told", MISSING)
def test_an_output_that_is_not_used(monkeypatch: pytest.MonkeyPatch, told: str) -> None:
    x = tp.tensor([1.0, 2.0], dtype=tp.float64, requires_grad=True)
    assert tp.autograd.gradcheck(Three.apply, x)
    monkeypatch.setattr(Three, "when_missing", staticmethod(MISSING[told]))
    with pytest.raises(GradcheckError, match=told):
        tp.autograd.gradcheck(Three.apply, x)
    assert tp.autograd.gradcheck(Three.apply, x, check_undefined_grad=False)


def test_a_gradient_of_another_dtype(monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine casts where it knows to; a rule that leaves its dtype is caught where asked for."""
    from tensorplay import ops
    from tensorplay.ops.base import Plans

    monkeypatch.setitem(ops.Exp.rules, "x", lambda xp, g, out: (g * out).astype(np.float32))
    monkeypatch.setattr(ops.Exp, "plans", Plans(ops.Exp))
    x = tp.tensor([0.5, 1.0], dtype=tp.float64, requires_grad=True)
    with pytest.raises(GradcheckError, match="Gradient has dtype mismatch"):
        tp.autograd.gradcheck(tp.exp, x, check_grad_dtypes=True)
    with pytest.raises(GradcheckError, match="grad is incorrect type"):
        tp.autograd.gradcheck(tp.exp, x)


def test_batched_gradients_that_differ_are_caught() -> None:
    def f(x: Any) -> Any:
        y = x * 2
        y.register_hook(lambda g: g * (1.0 if isinstance(g._array, np.ndarray) else 3.0))
        return y

    x = tp.tensor([1.0, 2.0], dtype=tp.float64, requires_grad=True)
    assert tp.autograd.gradcheck(f, x)
    with pytest.raises(GradcheckError, match="For output 0 and input 0: batched gradients differ"):
        tp.autograd.gradcheck(f, x, check_batched_grad=True)


def test_a_wrong_tangent_is_caught() -> None:
    """Backward is right, forward mode is not: only check_forward_ad sees it."""
    from tensorplay.autograd import forward_ad

    def f(x: Any) -> Any:
        tangent = forward_ad.unpack_dual(x).tangent if not x.requires_grad else None
        return x * 2 if tangent is None else x * 2.5 - x.detach() * 0.5

    x = tp.tensor([1.0, 2.0], dtype=tp.float64, requires_grad=True)
    assert tp.autograd.gradcheck(f, x)
    with pytest.raises(
        GradcheckError, match="Jacobian computed with forward mode mismatch for output 0 with respect to"
    ):
        tp.autograd.gradcheck(f, x, check_forward_ad=True)


class Square(tp.autograd.Function):
    """Its value is right, its slope too, but the slope is recorded as a constant."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        (x,) = ctx.saved_tensors
        return g * 2 * x.detach()


def test_a_wrong_second_derivative_is_caught() -> None:
    x = tp.tensor([1.0, 2.0], dtype=tp.float64, requires_grad=True)
    assert tp.autograd.gradcheck(Square.apply, x)
    with pytest.raises(GradcheckError, match="Jacobian mismatch for output 0 with respect to input 0"):
        tp.autograd.gradgradcheck(Square.apply, x)


def test_the_module_and_the_function_share_a_name() -> None:
    import importlib

    module = importlib.import_module("tensorplay.autograd.gradcheck")
    assert module.GradcheckError is GradcheckError is tp.errors.GradcheckError
    assert callable(tp.autograd.gradcheck) and tp.autograd.gradcheck is module.gradcheck

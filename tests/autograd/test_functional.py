"""Jacobians, Hessians and products with them: pinned values, and every case beside PyTorch where it is installed."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.autograd import functional
from tensorplay.testing import assert_close

# What the cases are written in. `f` has several outputs, `g` one; L is linear, C constant.
WORDS = """
f = lambda x: x * x
g = lambda x: (x ** 3).sum()
both = lambda x, y: (x * y, (y * y).sum())
L = lambda x: (x * 2).sum()
C = lambda x: ones(1)
x, y, s = t([1., 2.]), t([3.]), t(3.)
X = t([[1., 2., 3.], [4., 5., 6.]])
r = t([1., 2.]).requires_grad_()
one, v = ones(2), t([1., 0.5])
"""


def words(library: Any) -> dict[str, Any]:
    names = {"t": library.tensor, "ones": library.ones, "zeros": library.zeros, "F": library.autograd.functional}
    names |= {"lib": library}
    exec(WORDS, names)
    return names


PINNED = {
    "F.jacobian(f, x)": "tensor([[2., 0.],\n        [0., 4.]])",
    "F.hessian(g, x)": "tensor([[ 6.,  0.],\n        [ 0., 12.]])",
    "F.vjp(f, x, one)": "(tensor([1., 4.]), tensor([2., 4.]))",
    "F.jvp(f, x, t([1., 0.]))": "(tensor([1., 4.]), tensor([2., 0.]))",
    "F.hvp(g, x, one)": "(tensor(9.), tensor([ 6., 12.]))",
    "F.vhp(g, x, one)": "(tensor(9.), tensor([ 6., 12.]))",
    # B6.13
    "F.jacobian(C, x)": "tensor([[0., 0.]])",
}


@pytest.mark.parametrize("expression", PINNED)
def test_pinned(expression: str) -> None:
    assert repr(eval(expression, words(tp))) == PINNED[expression]


VALUES = [
    # nesting
    *(f"F.jacobian({case})" for case in (
        "f, x", "f, (x,)", "f, s", "f, X", "g, X", "both, (x, y)", "lambda x, y: x * y, (x, y)",
        "lambda x: (x * x,), x", "lambda x: (x * x, x.sum()), x", "lambda x: (x * x, x.sum()), (x,)", "C, x",
        "lambda x: (x * x, ones(1)), x",
        "lambda x: x > 1, x", "lambda x: x.sum(), zeros(0)", "lambda x: X @ ones(3, 2) * x, x",
        "g, r, create_graph=True", "f, r, create_graph=True", "f, x, create_graph=True", "f, r",
        "L, r, create_graph=True",
        "f, r, create_graph=True, strict=True", "f, x, strict=True",
    )),
    *(f"F.jacobian({case}, vectorize=True)" for case in (
        "f, x", "f, s", "g, X", "both, (x, y)", "lambda x: (x * x, x.sum()), (x,)", "C, x",
        "lambda x, y: (x * 2, y * 3), (x, y)", "f, r, create_graph=True", "f, r",
    )),
    *(f"F.hessian({case})" for case in (
        "g, x", "g, (x,)", "g, s", "g, X", "lambda x, y: (x * y * y).sum(), (x, y)", "L, x", "g, x, vectorize=True",
        "lambda x, y: (x * y * y).sum(), (x, y), vectorize=True", "lambda x: g(x).reshape(1, 1), x",
        "g, r, create_graph=True", "g, x, strict=True", "lambda x: (x * x).sum(), x, strict=True",
    )),
    *(f"F.vjp({case})" for case in (
        "f, x, v", "f, (x,), v", "g, x", "g, X", "g, x, t(2.)", "both, (x, y), (v, t(2.))", "lambda x, y: g(x), (x, y)",
        "lambda x: (x * x,), x, v", "C, x", "g, r, None, True", "f, x, v, False, True", "g, r, None, True, True",
        "f, r, r, create_graph=True",
    )),
    *(f"F.jvp({case})" for case in (
        "f, x, v", "f, (x,), v", "f, s", "g, x, v", "g, X, X", "both, (x, y), (v, t([2.]))", "C, x, v",
        "lambda x: (x * 2, ones(1)), x, v", "lambda x, y: g(x), (x, y), (v, y)", "f, r, v, True",
        "f, x, v, False, True", "f, r, v, True, True", "f, r, r, create_graph=True",
        "lambda x: x * 2, x, v, False, True",
    )),
    *(f"F.{name}({case})" for name in ("vhp", "hvp") for case in (
        "g, x, v", "g, (x,), (v,)", "g, s", "g, X, X", "lambda x, y: (x * y).sum(), (x, y), (v, y)", "L, x, v",
        "lambda x, y: g(x), (x, y), (v, y)", "g, r, v, True", "g, x, v, False, True", "g, r, v, True, True",
        "lambda x: g(x).reshape(1, 1), x, v",
    )),
    "F.jvp(f, t([1 + 2j]), t([1 + 1j]))", "F.vjp(f, t([1 + 2j]), t([1 + 1j]))",
]  # fmt: skip
FORWARD = [
    *(f'F.jacobian({case}, vectorize=True, strategy="forward-mode")' for case in (
        "f, x", "f, (x,)", "f, s", "g, X", "both, (x, y)", "lambda x: (x * x, x.sum()), (x,)", "C, x", "f, r",
        "lambda x, y: (x * 2, y * 3), (x, y)", "lambda x: x @ ones(2, 3), x",
    )),
    *(f'F.hessian({case}, vectorize=True, outer_jacobian_strategy="forward-mode")' for case in (
        "g, x", "g, (x,)", "lambda x, y: (x * y * y).sum(), (x, y)",
    )),
]  # fmt: skip
SAME_AS_TORCH = [*PINNED, *VALUES]

ERRORS = {
    # B6.13
    "F.jacobian(C, x, strict=True)": "RuntimeError: Output 0 of the user-provided function does not require gradients",
    "F.jacobian(lambda x, y: x * 2, (x, y), strict=True)": "RuntimeError: Output 0 of the user-provided function is in",
    "F.jacobian(L, r, create_graph=True, strict=True)": "RuntimeError: The jacobian of the user-provided function is",
    # B6.14
    "F.jacobian(f, x, strict=True, vectorize=True)": "RuntimeError:",
    'F.jacobian(f, x, strategy="forward-mode")': "NotImplementedError: Computing Jacobian using forward-AD or forward-",
    'F.jacobian(f, x, strict=True, strategy="forward-mode")': "RuntimeError:",
    'F.jacobian(f, x, create_graph=True, strategy="forward-mode")': "NotImplementedError:",
    'F.jacobian(f, x, strategy="sideways")': "AssertionError: Expected strategy to be either",
    'F.hessian(g, x, outer_jacobian_strategy="sideways")': "AssertionError: Expected strategy to be either",
    'F.hessian(g, x, outer_jacobian_strategy="forward-mode")': "NotImplementedError: Computing Jacobian using",
    # B6.15
    "F.hessian(f, x)": "RuntimeError: The Tensor returned by the function given to hessian should contain a si",
    "F.hessian(lambda x: (g(x),), x)": "RuntimeError: The function given to hessian should return a single Tensor",
    "F.hessian(lambda x: 3., x)": "TypeError: The outputs of",
    "F.hessian(g, [x])": "TypeError: The inputs given to",
    "F.hessian(L, x, strict=True)": "RuntimeError: While computing the hessian, found that the jacobian",
    "F.jacobian(f, [x])": "TypeError: The inputs given to jacobian must be either a Tensor or a tuple of Tenso",
    "F.jacobian(f, (x, 3))": "TypeError: The inputs given to jacobian must be either a Tensor or a tuple of Te",
    "F.jacobian(lambda x: [x], x)": "TypeError: The outputs of",
    "F.jacobian(lambda x: (x, 3.), x)": "TypeError: The outputs of",
    "F.jacobian(f, t([1, 2]))": "RuntimeError:",
    # B6.16
    "F.vjp(f, x)": "RuntimeError: The vector v can only be None",
    "F.jvp(f, x)": "RuntimeError: The vector v can only be None",
    "F.hvp(g, x)": "RuntimeError: The vector v can only be None",
    "F.vjp(f, x, ones(3))": "RuntimeError: v has invalid size",
    "F.jvp(f, x, ones(3))": "RuntimeError: v has invalid size",
    "F.vjp(lambda x: (x, x * 2), x, (one, ones(3)))": "RuntimeError: Entry 1 in v has invalid size",
    "F.vjp(lambda x: (x, x * 2), x, one)": "RuntimeError: v is a tuple of invalid length: should be 2 but got 1",
    "F.vjp(f, x, (one, one))": "RuntimeError: The given v should contain a single Tensor",
    "F.vhp(g, x, [one])": "TypeError: The v given to vhp must be either",
    "F.vjp(lambda x, y: g(x), (x, y), None, False, True)": "RuntimeError: The output of the user-provided func",
    "F.vjp(L, r, None, True, True)": "RuntimeError: The jacobian of the user-provided function is independent",
    "F.jvp(C, x, one, False, True)": "RuntimeError: Output 0 of the user-provided function does not require gradients",
    "F.jvp(lambda x, y: g(x), (x, y), (one, y), False, True)": "RuntimeError: The output of the user-provided function",
    "F.jvp(lambda x: x * 2, r, one, True, True)": "RuntimeError: The jacobian of the user-provided function is",
    "F.hvp(f, x, one)": "RuntimeError: The Tensor returned by the function given to hvp should contain a singl",
    "F.vhp(lambda x: (g(x),), x, one)": "RuntimeError: The function given to vhp should return a single Tensor",
    "F.hvp(L, x, one, False, True)": "RuntimeError: While computing the hessian, found that the jacobian",
    "F.vhp(L, x, one, False, True)": "RuntimeError: While computing the hessian, found that the jacobian",
    "F.vhp(lambda x, y: g(x) + y.sum(), (x, y), (one, y), False, True)": "RuntimeError: While computing the hessian",
    "F.vhp(lambda x: (x * x).sum(), r, one, True, True)": "RuntimeError: The hessian of the user-provided function is",
}


@pytest.mark.parametrize("expression", ERRORS)
def test_errors(expression: str) -> None:
    kind, _, phrase = ERRORS[expression].partition(":")
    with pytest.raises(getattr(builtins, kind)) as caught:
        eval(expression, words(tp))
    assert isinstance(caught.value, tp.errors.TensorPlayError)
    assert str(caught.value).startswith(phrase.strip())


# ------------------------------------------------------------------------------------------ beside PyTorch


@pytest.fixture(scope="module")
def torch() -> Any:
    return pytest.importorskip("torch", exc_type=ImportError)


def plain(value: Any) -> Any:
    """Values, nesting and whether they have history."""
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    return value.requires_grad, tuple(value.shape), value.detach().numpy()


@pytest.mark.parametrize("expression", SAME_AS_TORCH)
@pytest.mark.parametrize("grad_mode", [True, False], ids=["recording", "no_grad"])
def test_same_as_torch(torch: Any, expression: str, grad_mode: bool) -> None:
    with torch.set_grad_enabled(grad_mode), tp.set_grad_enabled(grad_mode):
        expected, got = (eval(expression, words(library)) for library in (torch, tp))
    assert_close(plain(got), plain(expected), name=expression)


@pytest.mark.parametrize("expression", FORWARD)
def test_forward_mode_is_the_same_as_reverse(expression: str) -> None:
    reverse = expression.replace("forward-mode", "reverse-mode")
    got, expected = (eval(e, words(tp)) for e in (expression, reverse))
    assert_close(plain(got), plain(expected), name=expression)


@pytest.mark.parametrize("expression", ERRORS)
def test_torch_raises_the_same(torch: Any, expression: str) -> None:
    kind, _, phrase = ERRORS[expression].partition(":")
    with pytest.raises(Exception) as caught:
        eval(expression, words(torch))
    assert any(c.__name__ == kind for c in type(caught.value).__mro__), type(caught.value)
    assert str(caught.value).replace("isonly", "is only").startswith(phrase.strip())


# --------------------------------------------------------------------------------------------- what it leaves


def test_nothing_is_left_on_the_users_tensors() -> None:
    x = tp.tensor([1.0, 2.0], requires_grad=True)
    plain_x = tp.tensor([1.0, 2.0])
    for name in ("jacobian", "vjp", "jvp", "vhp", "hvp", "hessian"):
        for at in (x, plain_x):
            getattr(functional, name)(
                lambda x: (x**3).sum(), at, *([tp.ones(2)] if name in ("jvp", "vhp", "hvp") else [])
            )
    assert x.grad is None and plain_x.grad is None
    assert x.requires_grad and not plain_x.requires_grad
    assert x.is_leaf and x._version == 0


def test_results_can_be_differentiated_under_create_graph() -> None:
    x = tp.tensor([1.0, 2.0], requires_grad=True)
    rows = functional.jacobian(lambda x: x**3, x, create_graph=True)
    (second,) = tp.autograd.grad(rows.sum(), x)
    assert second.tolist() == [6.0, 12.0]
    _, pushed = functional.jvp(lambda x: x**3, x, tp.ones(2), create_graph=True)
    assert tp.autograd.grad(pushed.sum(), x)[0].tolist() == [6.0, 12.0]
    third = functional.jacobian(lambda x: functional.hessian(lambda x: (x**4).sum(), x, create_graph=True), x)
    assert np.array_equal(third.numpy()[[0, 1], [0, 1], [0, 1]], [24.0, 48.0])


def test_an_output_of_no_elements_has_a_jacobian_of_none() -> None:
    """PyTorch has nothing to stack there, and raises."""
    for vectorize in (False, True):
        found = functional.jacobian(lambda x: x[:0], tp.ones(3), vectorize=vectorize)
        assert found.shape == (0, 3)


def test_the_names_stand_in_autograd_too() -> None:
    for name in functional.__all__:
        assert getattr(tp.autograd, name) is getattr(functional, name)

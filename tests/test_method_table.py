"""Methods made of public functions: each is the function itself, and in-place forms edit and record as they should."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay import functional as F
from tensorplay.inplace import twin
from tensorplay.method_table import METHODS, Method, forms
from tensorplay.testing import assert_close

MADE = [method.function for method in METHODS if method.in_place is True]


def test_every_method_is_the_public_function() -> None:
    for method in METHODS:
        for name, _ in forms(method):
            assert hasattr(tp.Tensor, name)
        name = method.function.__name__
        assert inspect.getattr_static(tp.Tensor, name) is method.function
        assert name.endswith("_") or getattr(F, name) is method.function


def test_no_name_is_attached_twice() -> None:
    names = [name for method in METHODS for name, _ in forms(method)]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("function", MADE, ids=lambda function: function.__name__)
def test_an_in_place_form_says_what_it_is(function: Any) -> None:
    form = getattr(tp.Tensor, f"{function.__name__}_")
    assert (form.__name__, form.__module__) == (f"{function.__name__}_", function.__module__)
    assert inspect.signature(form) == inspect.signature(function)
    assert ">>>" not in form.__doc__  # the example shows the function


@pytest.mark.parametrize("function", MADE, ids=lambda function: function.__name__)
def test_an_in_place_form_does_what_its_function_does(function: Any) -> None:
    parameters = inspect.signature(function).parameters.values()
    others = [tp.tensor([2.0, 0.5])] * (sum(p.kind is not p.KEYWORD_ONLY for p in parameters) - 1)
    found = []
    for name in (function.__name__, f"{function.__name__}_"):
        x = tp.tensor([0.25, 1.5], requires_grad=True)
        y = x * 2
        out = getattr(y, name)(*others)
        (out * out).sum().backward()
        found.append([out.tolist(), x.grad.tolist()])
    np.testing.assert_array_equal(found[0], found[1])  # where both are NaN, too
    assert out is y
    z = tp.tensor([0.25, 1.5])
    assert getattr(z, f"{function.__name__}_")(*others) is z
    np.testing.assert_array_equal(z.numpy(), function(tp.tensor([0.25, 1.5]), *others).numpy())
    assert z._version == 1


def names_of(method: Method) -> Iterator[str]:
    return (name for name, _ in forms(method))


def test_a_line_may_give_other_names() -> None:
    assert [*names_of(Method(F.abs, in_place=True, also=("absolute",)))] == ["abs", "abs_", "absolute", "absolute_"]
    assert [*names_of(Method(F.sum))] == ["sum"]


def several(input: tp.Tensor, scale: Any, *, shift: Any = 0.0) -> tp.Tensor:
    """Of several ops, of which the first two save the input, not the last alone."""
    return (input * F.sigmoid(input) * input) * scale + shift


several_ = twin(several, "several_")


def by_both(edit: bool, of_view: bool) -> list[Any]:
    x = tp.tensor([[0.5, -1.0], [2.0, 0.25]], dtype=tp.float64, requires_grad=True)
    scale = tp.tensor([2.0, 3.0], dtype=tp.float64, requires_grad=True)
    shift = tp.tensor(1.0, dtype=tp.float64, requires_grad=True)
    y = x * 1
    part = y[0] if of_view else y
    if edit:
        assert several_(part, scale, shift=shift) is part
    elif of_view:
        y = tp.stack([several(part, scale, shift=shift), y[1]])
    else:
        y = several(part, scale, shift=shift)
    (y * y).sum().backward()
    return [y.detach().numpy(), x.grad.numpy(), scale.grad.numpy(), shift.grad.numpy()]


@pytest.mark.parametrize("of_view", [False, True], ids=["whole", "view"])
def test_the_in_place_form_of_several_ops(of_view: bool) -> None:
    """The old value is kept for the ops that saved it: without that their derivatives would be of the new one."""
    assert_close(by_both(True, of_view), by_both(False, of_view), rtol=1e-12)


def test_an_in_place_form_inside_transforms() -> None:
    x = tp.tensor([[0.5, -1.0], [2.0, 0.25]], dtype=tp.float64)

    def plain(x: tp.Tensor) -> tp.Tensor:
        return several(x * 1, 2.0).sum()

    def edited(x: tp.Tensor) -> tp.Tensor:
        return several_(x * 1, 2.0).sum()

    for transform in (tp.func.grad, lambda f: tp.vmap(tp.func.grad(f)), tp.func.jacfwd, tp.func.hessian):
        assert_close(transform(edited)(x).numpy(), transform(plain)(x).numpy(), rtol=1e-12)


def test_an_in_place_form_leaves_the_memory_where_it_is() -> None:
    array = np.array([0.5, 1.0])
    x = tp.from_numpy(array)
    x.exp_()
    assert_close(array, np.exp([0.5, 1.0]))


def test_an_in_place_form_of_a_leaf_is_refused() -> None:
    x = tp.ones(2, requires_grad=True)
    with pytest.raises(tp.errors.InPlaceError, match="a leaf Variable that requires grad"):
        several_(x, 1.0)
    assert (x.tolist(), x._version) == ([1.0, 1.0], 0)

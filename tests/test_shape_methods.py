"""Views that step through memory, and tensors that change their own shape: they share memory, versions and history."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.testing import assert_close

VIEWS: dict[str, Callable[[tp.Tensor], tp.Tensor]] = {
    "diagonal": lambda x: x.diagonal(),
    "diagonal of the transpose": lambda x: x.T.diagonal(1),
    "unfold": lambda x: x.unfold(1, 2, 2),
    "as_strided": lambda x: x.as_strided((2, 2), (2, 1), 1),
    "as_strided of a row": lambda x: x[1].as_strided((2,), (2,)),
    "select": lambda x: x.select(1, 1),
    "narrow": lambda x: x.narrow(0, 1, 2),
    "movedim": lambda x: x.movedim(0, 1),
    "swapaxes": lambda x: x.swapaxes(0, 1),
    "t": lambda x: x.t(),
    "mH": lambda x: x.mH,
    "unflatten": lambda x: x.unflatten(1, (2, 2)),
    "tensor_split": lambda x: x.tensor_split(2)[0],
    "hsplit": lambda x: x.hsplit(2)[1],
    "atleast_3d": lambda x: tp.atleast_3d(x),
}


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_shares_memory_and_version(name: str) -> None:
    x = tp.arange(12.0).reshape(3, 4).clone()
    view = VIEWS[name](x)
    assert view._is_view() and view._base is x
    assert np.shares_memory(view.numpy(), x.numpy())
    view.mul_(-1)
    assert x._version == view._version == 1
    assert (x < 0).sum() == (view < 0).sum()


@pytest.mark.parametrize("name", VIEWS)
def test_an_edit_of_a_view_is_recorded_in_its_base(name: str) -> None:
    """Against the same computed without an edit: elements that the view shows count nine times."""
    x = tp.arange(1.0, 13.0).reshape(3, 4).requires_grad_()
    y = x * 1
    view = VIEWS[name](y)
    view.mul_(3)
    (y * y).sum().backward()
    shown = tp.zeros(3, 4)
    VIEWS[name](shown).fill_(1)
    assert_close(x.grad.numpy(), (2 * x.detach() * (1 + 8 * shown)).numpy())
    assert "CopySlices" in repr(y.grad_fn)


@pytest.mark.parametrize("name", [name for name in VIEWS if "row" not in name])
def test_a_view_inside_vmap(name: str) -> None:
    xs = tp.arange(24.0).reshape(2, 3, 4)
    assert_close(tp.vmap(VIEWS[name])(xs).numpy(), tp.stack([VIEWS[name](x.clone()) for x in xs]).numpy())

    def edited(x: tp.Tensor) -> tp.Tensor:
        y = x * 1
        VIEWS[name](y).mul_(2)
        return y

    assert_close(tp.vmap(edited)(xs).numpy(), tp.stack([edited(x) for x in xs]).numpy())


EDITS: dict[str, Callable[[tp.Tensor], Any]] = {
    "t_": lambda x: x.t_(),
    "transpose_": lambda x: x.transpose_(0, -1),
    "unsqueeze_": lambda x: x.unsqueeze_(1),
    "squeeze_": lambda x: x.squeeze_(),
    "as_strided_": lambda x: x.as_strided_((4, 3), (1, 4)),
    "two": lambda x: (x.t_(), x.unsqueeze_(0)),
}


@pytest.mark.parametrize("name", EDITS)
def test_views_from_before_follow_a_base_of_another_shape(name: str) -> None:
    x = tp.arange(1.0, 13.0).reshape(3, 4).requires_grad_()
    y = x * 1
    before = y[0]
    EDITS[name](y)
    before.mul_(3)
    again = y * 1
    assert_close(before.detach().numpy(), 3 * x.detach().numpy()[0])
    (again * again).sum().backward(retain_graph=True)
    whole = tp.zeros(3, 4)
    whole[0] = 8
    assert x.grad.shape == (3, 4)

    assert_close(x.grad.numpy(), 2 * x.detach().numpy() * (1 + whole.numpy()))


def test_an_edit_of_the_base_reaches_a_view_from_before_and_one_from_between() -> None:
    x = tp.arange(1.0, 7.0).reshape(2, 3).requires_grad_()
    y = x * 1
    first = y[0]
    y.t_()
    second = y[0]
    y.unsqueeze_(0)
    y.mul_(2)
    assert_close(first.detach().numpy(), np.array([2.0, 4.0, 6.0]))
    assert_close(second.detach().numpy(), np.array([2.0, 8.0]))
    (first.sum() + 10 * second.sum()).backward()
    assert_close(x.grad.numpy(), np.array([[22.0, 2.0, 2.0], [20.0, 0.0, 0.0]]))


def test_another_shape_is_an_edit() -> None:
    x = tp.ones(2, 3, requires_grad=True)
    y = x * 1
    squared = y * y
    assert y.t_() is y and y._version == 1 and y.shape == (3, 2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        squared.sum().backward()
    with pytest.raises(tp.errors.InPlaceError, match="a leaf Variable"):
        x.t_()
    with tp.no_grad():
        assert x.unsqueeze_(0).shape == (1, 2, 3)


def test_contiguous_puts_the_elements_in_order() -> None:
    x = tp.arange(6.0).reshape(2, 3).requires_grad_()
    for moved in (x.T, x[:, ::2], x[0, ::2], x.expand(2, 2, 3)):
        copy = moved.contiguous()
        assert copy.is_contiguous() and not np.shares_memory(copy.detach().numpy(), x.detach().numpy())
        assert copy.tolist() == moved.tolist()
    assert x.contiguous() is x
    x.T.contiguous().sum().backward()
    assert x.grad.tolist() == [[1.0] * 3] * 2


def test_gradients_of_overlapping_memory() -> None:
    """Each place of memory receives all that arrives, and an expanded input its share of that."""
    x = tp.arange(4.0).requires_grad_()
    x.as_strided((3, 2), (1, 1)).sum().backward()
    assert x.grad.tolist() == [1.0, 2.0, 2.0, 1.0]
    y = tp.arange(3.0).requires_grad_()
    y.expand(2, 3).as_strided((3,), (1,)).sum().backward()
    assert y.grad.tolist() == [1.0, 1.0, 1.0]

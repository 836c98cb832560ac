"""Layers, losses and starting values."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay import nn
from tensorplay.errors import ShapeError


def test_linear_starts_within_its_bound() -> None:
    layer = nn.Linear(25, 400)
    for values in (layer.weight.detach().numpy(), layer.bias.detach().numpy()):
        assert np.abs(values).max() <= 0.2 and np.abs(values).max() > 0.19
        assert abs(values.var() - 0.2**2 / 3) < 0.002
    assert layer.weight.shape == (400, 25) and layer.weight._version == 1


def test_linear_is_repeatable_and_follows_dtype() -> None:
    tp.manual_seed(1)
    first = nn.Linear(3, 2).weight.tolist()
    tp.manual_seed(1)
    assert nn.Linear(3, 2).weight.tolist() == first
    assert nn.Linear(3, 2, dtype=tp.float64).bias.dtype is tp.float64
    assert nn.Linear(3, 2, bias=False).bias is None
    assert nn.Linear(0, 2).weight.shape == (2, 0)


@pytest.mark.parametrize("shape", [(3,), (5, 3), (2, 5, 3)])
@pytest.mark.parametrize("bias", [True, False])
def test_linear_is_pytorchs(shape: tuple[int, ...], bias: bool) -> None:
    torch = pytest.importorskip("torch")
    ours, theirs = nn.Linear(3, 2, bias=bias), torch.nn.Linear(3, 2, bias=bias)
    theirs.load_state_dict({name: torch.from_numpy(v.numpy()) for name, v in ours.state_dict().items()})
    x = tp.randn(shape, requires_grad=True)
    y = torch.from_numpy(x.detach().numpy().copy()).requires_grad_()
    (ours(x) ** 2).sum().backward()
    (theirs(y) ** 2).sum().backward()
    np.testing.assert_allclose(ours(x).detach().numpy(), theirs(y).detach().numpy(), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(x.grad.numpy(), y.grad.numpy(), rtol=1e-4, atol=1e-6)
    for mine, other in zip(ours.parameters(), theirs.parameters(), strict=True):
        np.testing.assert_allclose(mine.grad.numpy(), other.grad.numpy(), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("name", ["ReLU", "Tanh", "Sigmoid"])
def test_activations(name: str) -> None:
    torch = pytest.importorskip("torch")
    x = tp.linspace(-3, 3, 13)
    theirs = getattr(torch.nn, name)()(torch.from_numpy(x.numpy()))
    np.testing.assert_allclose(getattr(nn, name)()(x).numpy(), theirs.numpy(), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_losses(reduction: str) -> None:
    torch = pytest.importorskip("torch")
    x, y = tp.randn(5, 4), tp.randn(5, 4)
    classes = tp.tensor([0, 3, 1, 2, 2])
    as_torch = [torch.from_numpy(v.numpy()) for v in (x, y, classes)]
    cases = [("CrossEntropyLoss", classes, as_torch[2]), ("MSELoss", y, as_torch[1])]
    for name, target, their_target in cases:
        ours = getattr(nn, name)(reduction=reduction)(x, target)
        theirs = getattr(torch.nn, name)(reduction=reduction)(as_torch[0], their_target)
        assert ours.shape == tuple(theirs.shape)
        np.testing.assert_allclose(ours.numpy(), theirs.numpy(), rtol=1e-5)


def test_unknown_reduction() -> None:
    with pytest.raises(ValueError, match="valid value for reduction"):
        nn.MSELoss(reduction="median")


def test_sequential() -> None:
    model = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
    model.append(nn.Linear(3, 1))
    assert len(model) == 3 and model[-1] is model[2]
    assert [type(m).__name__ for m in model] == ["Linear", "ReLU", "Linear"]
    assert len(model[:2]) == 2 and model[:2][0] is model[0]
    model[1] = nn.Tanh()
    assert repr(model[1]) == "Tanh()" and [n for n, _ in model.named_children()] == ["0", "1", "2"]
    with pytest.raises(IndexError, match="has 3 modules"):
        model[3]
    assert nn.Sequential({"first": nn.ReLU()}).first(tp.tensor(-1.0)).item() == 0
    assert nn.Sequential()(5) == 5
    for wrong in (None, 3):
        with pytest.raises(TypeError):
            nn.Sequential(wrong)


def test_the_same_module_may_stand_twice() -> None:
    relu = nn.ReLU()
    model = nn.Sequential(relu, nn.Linear(1, 1), relu)
    assert len(model) == 3 and model[2] is relu


# ------------------------------------------------------------------------------------ starting values


@pytest.mark.parametrize(
    ("fill", "std"),
    [
        (lambda w: nn.init.kaiming_normal_(w, nonlinearity="relu"), math.sqrt(2 / 100)),
        (lambda w: nn.init.kaiming_uniform_(w, a=math.sqrt(5)), math.sqrt(1 / 300)),
        (lambda w: nn.init.kaiming_normal_(w, mode="fan_out"), math.sqrt(2 / 50)),
        (nn.init.xavier_normal_, math.sqrt(2 / 150)),
        (nn.init.xavier_uniform_, math.sqrt(2 / 150)),
        (lambda w: nn.init.normal_(w, 0, 3), 3),
    ],
)
def test_spread(fill: Any, std: float) -> None:
    w = tp.empty(50, 100)
    assert fill(w) is w
    assert abs(w.numpy().std() / std - 1) < 0.05 and abs(w.numpy().mean()) < 0.05 * std


def test_filling_is_not_recorded_but_seen() -> None:
    w = tp.zeros(2, 2, requires_grad=True)
    y = (w * w).sum()
    nn.init.constant_(w, 3)
    assert w.is_leaf and w.tolist() == [[3.0, 3.0], [3.0, 3.0]]
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()
    assert nn.init.ones_(w).sum().item() == 4 and nn.init.zeros_(w).sum().item() == 0


def test_init_errors() -> None:
    with pytest.raises(ShapeError, match="fewer than 2 dimensions"):
        nn.init.xavier_uniform_(tp.zeros(3))
    with pytest.raises(ValueError, match="Mode sideways"):
        nn.init.kaiming_uniform_(tp.zeros(2, 2), mode="sideways")
    with pytest.raises(ValueError, match="Unsupported nonlinearity"):
        nn.init.calculate_gain("step")

"""Each wrong use raises a named error that teaches, and is caught by what catches PyTorch's."""

from __future__ import annotations

import importlib
import warnings
from typing import Any

import pytest

import tensorplay as tp
from tests.nn.wrong_uses import USES, Use


def buffered(lib: Any) -> Any:
    module = lib.nn.Module()
    module.register_buffer("b", lib.ones(1))
    return module


def names(name: str) -> dict[str, Any]:
    """What the expressions of the table are made of, in one library."""
    lib = importlib.import_module(name)
    data = importlib.import_module("torch.utils.data" if name == "torch" else "tensorplay.data")
    repeated = importlib.import_module(f"{name}.utils.checkpoint")
    return {
        "L": lib, "nn": lib.nn, "optim": lib.optim, "func": lib.func, "F": lib.autograd.functional, "data": data,
        "checkpoint": repeated.checkpoint, "sequence": repeated.checkpoint_sequential,
        "buffered": lambda: buffered(lib), "w": lib.ones(1, requires_grad=True), "ds": data.TensorDataset(lib.zeros(2)),
    }  # fmt: skip


@pytest.mark.parametrize("use", USES, ids=lambda use: use.code)
def test_a_wrong_use_is_named(use: Use) -> None:
    with pytest.raises(getattr(tp.errors, use.error)) as caught:
        eval(use.code, names("tensorplay"))
    assert type(caught.value).__name__ == use.error
    assert use.phrase in str(caught.value)


@pytest.mark.parametrize("use", USES, ids=lambda use: use.code)
def test_it_is_what_pytorch_raises(use: Use) -> None:
    pytest.importorskip("torch")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if use.elsewhere:
            eval(use.code, names("torch"))
            return
        with pytest.raises(Exception) as caught:
            eval(use.code, names("torch"))
    assert issubclass(getattr(tp.errors, use.error), type(caught.value))


def test_each_use_stands_once() -> None:
    assert len({use.code for use in USES}) == len(USES)


# ----------------------------------------------------------------------------------- arguments by name


@pytest.mark.parametrize("name", ["ReLU", "Tanh", "Sigmoid", "Linear", "Sequential"])
def test_a_layer_names_its_argument_as_pytorch(name: str) -> None:
    layer = {"Linear": lambda: tp.nn.Linear(2, 2), "Sequential": lambda: tp.nn.Sequential(tp.nn.ReLU())}.get(
        name, getattr(tp.nn, name)
    )()
    x = tp.tensor([[1.0, -2.0]])
    assert layer(input=x).tolist() == layer(x).tolist()
    for positional in (None, ()):
        assert tp.func.functional_call(layer, {}, positional, {"input": x}).tolist() == layer(x).tolist()


@pytest.mark.parametrize("name", ["MSELoss", "CrossEntropyLoss"])
def test_a_loss_names_its_arguments_as_pytorch(name: str) -> None:
    x = tp.tensor([[1.0, -2.0]])
    loss = getattr(tp.nn, name)()
    assert loss(input=x, target=x.softmax(1)).item() == loss(x, x.softmax(1)).item()


# -------------------------------------------------------------------------------------- which line it was


def fill(w: tp.Tensor, layer: Any) -> None:
    tp.nn.init.uniform_(w)


def load(w: tp.Tensor, layer: Any) -> None:
    layer.load_state_dict({"weight": tp.zeros(2, 2), "bias": tp.zeros(2)})


@pytest.mark.parametrize(("edit", "said"), [(fill, "uniform_"), (load, "load_state_dict")])
def test_an_edit_tells_its_line_to_the_error_of_a_later_backward(edit: Any, said: str) -> None:
    layer = tp.nn.Linear(2, 2)
    with pytest.warns(tp.errors.AnomalyWarning), tp.autograd.detect_anomaly():
        y = (layer.weight * layer.weight).sum()
        edit(layer.weight, layer)
        with pytest.raises(tp.errors.VersionError, match=rf"changed by {said}\(\) at .*test_wrong_uses"):
            y.backward()


def test_an_empty_tensor_shares_no_memory_with_itself() -> None:
    w = tp.zeros(2, 0)
    assert tp.nn.init.ones_(w) is w
    assert w.add_(1).shape == (2, 0)


def test_one_number_may_fill_an_expanded_tensor() -> None:
    assert tp.nn.init.constant_(tp.zeros(1).expand(3), 2).tolist() == [2.0, 2.0, 2.0]

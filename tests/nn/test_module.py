"""Modules: what is found, what is printed, what is saved, and what a listener hears."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay import nn
from tensorplay.errors import DTypeError, StateDictError


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(2, 3), nn.Tanh())
        self.head = nn.Linear(3, 1, bias=False)
        self.scale = nn.Parameter(tp.tensor(2.0))
        self.register_buffer("mean", tp.zeros(2))
        self.register_buffer("cache", tp.zeros(1), persistent=False)

    def forward(self, x: tp.Tensor) -> tp.Tensor:
        return self.head(self.body(x - self.mean)) * self.scale


def test_what_is_found() -> None:
    net = Net()
    assert [name for name, _ in net.named_modules()] == ["", "body", "body.0", "body.1", "head"]
    assert {name for name, _ in net.named_parameters()} == {"body.0.weight", "body.0.bias", "head.weight", "scale"}
    assert [name for name, _ in net.named_buffers()] == ["mean", "cache"]
    assert [name for name, _ in net.named_children()] == ["body", "head"]
    assert [name for name, _ in net.named_parameters(recurse=False)] == ["scale"]
    assert [name for name, _ in net.head.named_parameters(prefix="x")] == ["x.weight"]
    assert net.get_submodule("body.1") is net.body[1]


def test_shared_parts_are_found_once_and_saved_under_each_name() -> None:
    net = nn.Module()
    net.a = net.b = nn.Linear(1, 1)
    assert len(list(net.parameters())) == 2 and len(list(net.modules())) == 2
    assert list(net.state_dict()) == ["a.weight", "a.bias", "b.weight", "b.bias"]


def test_super_init_may_be_forgotten() -> None:
    class Forgetful(nn.Module):
        def __init__(self) -> None:
            self.layer = nn.Linear(1, 1)

    net = Forgetful()
    assert len(list(net.parameters())) == 2 and net.training
    net.register_buffer("x", tp.zeros(1))
    assert [name for name, _ in nn.Module().named_buffers()] == []


def test_repr() -> None:
    torch = pytest.importorskip("torch")
    ours = nn.Sequential(nn.Linear(4, 3), nn.Sequential(nn.ReLU(), nn.Linear(3, 2, bias=False)), nn.Sigmoid())
    t = torch.nn
    theirs = t.Sequential(t.Linear(4, 3), t.Sequential(t.ReLU(), t.Linear(3, 2, bias=False)), t.Sigmoid())
    assert repr(ours) == repr(theirs)
    assert repr(nn.Module()) == "Module()" and repr(nn.Sequential()) == repr(t.Sequential())


def test_assigning() -> None:
    layer = nn.Linear(2, 2)
    with pytest.raises(TypeError, match="cannot assign a plain tensor as parameter 'weight'"):
        layer.weight = tp.zeros(2, 2)
    layer.bias = None
    assert [name for name, _ in layer.named_parameters()] == ["weight"]
    layer.weight = nn.Parameter(tp.ones(2, 2))
    assert layer(tp.ones(1, 2)).tolist() == [[2.0, 2.0]]
    del layer.weight
    assert list(layer.parameters()) == []


@pytest.mark.parametrize("name", ["", "a.b", "forward", 3])
def test_names_that_cannot_be(name: Any) -> None:
    for register in ("register_parameter", "register_buffer", "add_module"):
        with pytest.raises(TypeError if name == 3 else KeyError, match=r"name|already exists"):
            getattr(nn.Module(), register)(name, None)


def test_registering_the_wrong_thing() -> None:
    net = nn.Module()
    with pytest.raises(TypeError, match="to parameter 'w'"):
        net.register_parameter("w", tp.zeros(1))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="not a Module subclass"):
        net.add_module("w", tp.zeros(1))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="to buffer 'w'"):
        net.register_buffer("w", 3)  # type: ignore[arg-type]


def test_forward_is_required() -> None:
    with pytest.raises(NotImplementedError, match='missing the required "forward" function'):
        nn.Module()(1)


def test_train_and_eval_reach_everything() -> None:
    net = Net()
    assert net.eval() is net and not any(module.training for module in net.modules())
    net.train()
    assert all(module.training for module in net.modules())
    with pytest.raises(ValueError, match="boolean"):
        net.train("yes")  # type: ignore[arg-type]


def test_apply_and_requires_grad() -> None:
    net, seen = Net(), []
    net.apply(lambda module: seen.append(type(module).__name__))
    assert seen == ["Linear", "Tanh", "Sequential", "Linear", "Net"]
    net.requires_grad_(False)
    assert not any(p.requires_grad for p in net.parameters())
    assert not net(tp.ones(1, 2)).requires_grad


def test_zero_grad() -> None:
    net = Net()
    net(tp.ones(4, 2)).sum().backward()
    assert all(p.grad is not None for p in net.parameters())
    old = net.scale.grad
    value = old.item()
    net.zero_grad(set_to_none=False)
    assert net.scale.grad.item() == 0 and old.item() == value
    net.zero_grad()
    assert all(p.grad is None for p in net.parameters())


def test_parameter() -> None:
    data = tp.ones(2)
    p = nn.Parameter(data)
    assert p.is_leaf and p.requires_grad and isinstance(p, tp.Tensor)
    with tp.no_grad():
        data.add_(1)
    assert p.tolist() == [2.0, 2.0] and p._version == data._version
    assert type(p * 1) is tp.Tensor
    assert not nn.Parameter(data, requires_grad=False).requires_grad
    with pytest.raises(TypeError, match="a Parameter is made from a tensor, got list"):
        nn.Parameter([1.0])  # type: ignore[arg-type]
    with pytest.raises(DTypeError, match="Only Tensors of floating point"):
        nn.Parameter(tp.tensor([1]))
    assert nn.Parameter(tp.tensor([1]), requires_grad=False).dtype is tp.int64


def test_deepcopy_is_independent() -> None:
    net = Net()
    twin = copy.deepcopy(net)
    assert all(type(p) is nn.Parameter and p.requires_grad for p in twin.parameters())
    before = net(tp.ones(1, 2)).item()
    with tp.no_grad():
        twin.scale.mul_(3)
    assert net(tp.ones(1, 2)).item() == before
    np.testing.assert_allclose(twin(tp.ones(1, 2)).item(), 3 * before, rtol=1e-5)


# --------------------------------------------------------------------------------------------- state


def test_state_round_trip() -> None:
    a, b = Net(), Net()
    state = a.state_dict()
    assert set(state) == {"body.0.weight", "body.0.bias", "head.weight", "scale", "mean"}
    assert not any(value.requires_grad for value in state.values())
    version = b.scale._version
    assert repr(b.load_state_dict(state)) == "<All keys matched successfully>"
    x = tp.randn(3, 2)
    assert a(x).tolist() == b(x).tolist() and b.scale._version == version + 1
    with tp.no_grad():
        a.scale.add_(1)
    assert state["scale"].item() == a.scale.item()  # shared, as in PyTorch


def test_loading_what_does_not_fit_changes_nothing_and_lists_it_all() -> None:
    net = nn.Linear(2, 3)
    before = net.weight.tolist()
    state = {"weight": tp.zeros(3, 3), "biass": tp.zeros(3)}
    with pytest.raises(StateDictError) as caught:
        net.load_state_dict(state)
    text = str(caught.value)
    assert "missing     bias [3]" in text and "unexpected  biass [3]: meant bias?" in text
    assert "weight: size mismatch, the state has [3, 3], the model [3, 2]" in text
    assert net.weight.tolist() == before
    with pytest.raises(StateDictError, match="size mismatch"):
        net.load_state_dict(state, strict=False)


def test_loading_a_part() -> None:
    net = nn.Linear(2, 3)
    loaded = net.load_state_dict({"bias": np.ones(3), "more": 1}, strict=False)
    assert loaded.missing_keys == ["weight"] and loaded.unexpected_keys == ["more"]
    assert net.bias.tolist() == [1.0, 1.0, 1.0]
    with pytest.raises(TypeError, match="dict-like"):
        net.load_state_dict([1])  # type: ignore[arg-type]


# --------------------------------------------------------------------------------------------- hooks


def test_forward_hooks_see_and_change() -> None:
    layer, seen = nn.ReLU(), []
    before = layer.register_forward_pre_hook(lambda module, args: (args[0] + 1,))
    after = layer.register_forward_hook(lambda module, args, output: seen.append(args[0].item()) or output * 10)
    assert layer(tp.tensor(1.0)).item() == 20 and seen == [2.0]
    before.remove()
    assert layer(tp.tensor(1.0)).item() == 10
    with after:
        pass
    assert layer(tp.tensor(1.0)).item() == 1


def test_a_pre_hook_may_return_one_value() -> None:
    layer = nn.ReLU()
    layer.register_forward_pre_hook(lambda module, args: args[0] * 2)
    assert layer(tp.tensor(1.0)).item() == 2


# -------------------------------------------------------------------------------------------- events


def test_modules_are_told_with_their_path() -> None:
    heard: list[tuple[str, str]] = []
    kinds = (tp.events.ModuleEntered, tp.events.ModuleLeft)
    net = Net()
    with tp.events.listening(lambda e: heard.append((type(e).__name__, e.name)), *kinds):
        net(tp.ones(1, 2))
        net.head(tp.ones(1, 3))
    entered = [name for kind, name in heard if kind == "ModuleEntered"]
    assert entered == ["", "body", "body.0", "body.1", "head", ""]
    assert heard[2:4] == [("ModuleEntered", "body.0"), ("ModuleLeft", "body.0")]


def test_a_module_that_fails_is_left_too() -> None:
    heard: list[Any] = []
    with tp.events.listening(heard.append, tp.events.ModuleLeft), pytest.raises(RuntimeError):
        nn.Linear(2, 2)(tp.ones(1, 3))
    assert len(heard) == 1
    with tp.events.listening(heard.append, tp.events.ModuleEntered):
        nn.ReLU()(tp.ones(1))
    assert heard[-1].name == ""


def test_zeroed_gradients_are_told() -> None:
    heard: list[Any] = []
    layer = nn.Linear(1, 1)
    with tp.events.listening(heard.append, tp.events.GradsZeroed):
        layer.zero_grad()
    assert heard[0].params == (layer.weight, layer.bias)

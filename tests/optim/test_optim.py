"""Optimizers, step by step against PyTorch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.errors import HyperparameterError, StateDictError

SETTINGS: list[tuple[str, dict[str, Any]]] = [
    ("SGD", {"lr": 0.1}),
    ("SGD", {"lr": 0.1, "maximize": True}),
    ("SGD", {"lr": 0.1, "weight_decay": 0.3}),
    ("SGD", {"lr": 0.1, "momentum": 0.9}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "dampening": 0.5, "weight_decay": 0.1}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True, "maximize": True}),
    ("Adam", {"lr": 0.1}),
    ("Adam", {"lr": 0.1, "betas": (0.5, 0.7), "eps": 1e-3}),
    ("Adam", {"lr": 0.1, "weight_decay": 0.1, "maximize": True}),
    ("Adam", {"lr": 0.1, "amsgrad": True, "betas": (0.1, 0.2)}),
    ("Adam", {"lr": 0.1, "weight_decay": 0.1, "decoupled_weight_decay": True}),
    ("AdamW", {"lr": 0.1}),
    ("AdamW", {"lr": 0.1, "weight_decay": 0.3, "amsgrad": True, "maximize": True}),
    ("NAdam", {"lr": 0.1}),
    ("NAdam", {"lr": 0.1, "weight_decay": 0.1, "momentum_decay": 0.1, "betas": (0.5, 0.7)}),
    ("NAdam", {"lr": 0.1, "weight_decay": 0.1, "decoupled_weight_decay": True, "maximize": True}),
    ("RAdam", {"lr": 0.1}),
    ("RAdam", {"lr": 0.1, "betas": (0.5, 0.95), "weight_decay": 0.1}),
    ("RAdam", {"lr": 0.1, "weight_decay": 0.1, "decoupled_weight_decay": True, "maximize": True}),
    ("Adamax", {"lr": 0.1}),
    ("Adamax", {"lr": 0.1, "weight_decay": 0.1, "betas": (0.5, 0.7), "maximize": True}),
    ("Adagrad", {"lr": 0.1}),
    ("Adagrad", {"lr": 0.1, "lr_decay": 0.1, "weight_decay": 0.1, "initial_accumulator_value": 0.5, "maximize": True}),
    ("RMSprop", {"lr": 0.1}),
    ("RMSprop", {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.1}),
    ("RMSprop", {"lr": 0.1, "centered": True, "alpha": 0.5, "momentum": 0.5, "maximize": True}),
    ("Adadelta", {}),
    ("Adadelta", {"lr": 0.5, "rho": 0.5, "eps": 1e-3, "weight_decay": 0.1, "maximize": True}),
]
ids = [f"{name}-{'-'.join(settings)}" for name, settings in SETTINGS]


def gradients(shape: tuple[int, ...], dtype: str) -> Iterator[np.ndarray]:
    rng = np.random.default_rng(0)
    for _ in range(6):
        yield np.asarray(rng.standard_normal(shape)).astype(dtype)


@pytest.mark.parametrize("shape", [(), (3, 2)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("name", "settings"), SETTINGS, ids=ids)
def test_like_pytorch(name: str, settings: dict[str, Any], dtype: str, shape: tuple[int, ...]) -> None:
    torch = pytest.importorskip("torch")
    start = np.ones(shape, dtype)
    ours, theirs = tp.tensor(start, requires_grad=True), torch.tensor(start, requires_grad=True)
    a, b = getattr(tp.optim, name)([ours], **settings), getattr(torch.optim, name)([theirs], **settings)
    for g in gradients(shape, dtype):
        ours.grad, theirs.grad = tp.tensor(g), torch.tensor(g)
        a.step()
        b.step()
        # not closer in float64: NAdam keeps its products in float32 there
        close = {"rtol": 3e-5, "atol": 1e-6} if dtype == "float32" else {"rtol": 1e-8, "atol": 1e-12}
        np.testing.assert_allclose(ours.detach().numpy(), theirs.detach().numpy(), **close)
        assert ours.grad.numpy().tolist() == g.tolist()  # the gradient itself is left alone
    assert ours.dtype is getattr(tp, dtype) and ours.is_leaf


@pytest.mark.parametrize("shape", [(3, 3), (5, 2), (2, 7)])
@pytest.mark.parametrize("settings", [{}, {"nesterov": False, "momentum": 0.5}, {"adjust_lr_fn": "match_rms_adamw"}])
def test_muon_like_pytorch(shape: tuple[int, ...], settings: dict[str, Any]) -> None:
    """PyTorch rounds the iterations to bfloat16, three digits; all else is the same."""
    torch = pytest.importorskip("torch")
    ours, theirs = tp.ones(shape, dtype=tp.float64, requires_grad=True), torch.ones(shape, dtype=torch.float64)
    a, b = tp.optim.Muon([ours], lr=0.1, **settings), torch.optim.Muon([theirs.requires_grad_()], lr=0.1, **settings)
    for g in gradients(shape, "float64"):
        ours.grad, theirs.grad = tp.tensor(g), torch.tensor(g)
        a.step()
        b.step()
    np.testing.assert_allclose(ours.detach().numpy(), theirs.detach().numpy(), atol=0.02)


def test_muon_makes_steps_with_singular_values_near_one() -> None:
    w = tp.zeros(4, 4, dtype=tp.float64, requires_grad=True)
    w.grad = tp.tensor(np.random.default_rng(0).standard_normal((4, 4)))
    tp.optim.Muon([w], lr=1.0, weight_decay=0).step()
    sizes = np.linalg.svd(w.detach().numpy(), compute_uv=False)
    assert sizes.min() > 0.6
    assert sizes.max() < 1.3


def test_a_step_bumps_the_version_so_that_backward_notices() -> None:
    w = tp.tensor([1.0, 2.0], requires_grad=True)
    loss = (w * w).sum()
    loss.backward(retain_graph=True)
    tp.optim.SGD([w], lr=0.1).step()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_parameters_without_a_gradient_stay() -> None:
    a, b = tp.ones(1, requires_grad=True), tp.ones(1, requires_grad=True)
    optimizer = tp.optim.Adam([a, b], lr=0.5)
    (a * 2).sum().backward()
    optimizer.step()
    assert b.item() == 1 and a.item() != 1 and b not in optimizer.state


def test_groups_have_settings_of_their_own() -> None:
    a, b = tp.ones(1, requires_grad=True), tp.ones(1, requires_grad=True)
    optimizer = tp.optim.SGD([{"params": [a]}, {"params": b, "lr": 1.0}], lr=0.1)
    (a + b).sum().backward()
    optimizer.step()
    assert a.item() == pytest.approx(0.9) and b.item() == 0
    optimizer.param_groups[0]["lr"] = 0.5
    optimizer.step()
    assert a.item() == pytest.approx(0.4)
    c = tp.ones(1, requires_grad=True)
    optimizer.add_param_group({"params": [c], "momentum": 0.5})
    assert optimizer.param_groups[2]["lr"] == 0.1


def test_closure_runs_with_recording_on() -> None:
    w = tp.tensor([2.0], requires_grad=True)
    optimizer = tp.optim.SGD([w], lr=0.25)

    def closure() -> tp.Tensor:
        optimizer.zero_grad()
        loss = (w * w).sum()
        loss.backward()
        return loss

    with tp.no_grad():
        assert optimizer.step(closure).item() == 4
    assert w.item() == 1


def test_zero_grad() -> None:
    w = tp.ones(2, requires_grad=True)
    optimizer = tp.optim.SGD([w])
    w.sum().backward()
    optimizer.zero_grad(set_to_none=False)
    assert w.grad.tolist() == [0.0, 0.0]
    optimizer.zero_grad()
    assert w.grad is None


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda w: tp.optim.SGD([w], lr=-1), "Invalid learning rate: -1"),
        (lambda w: tp.optim.SGD([w], lr=float("nan")), "Invalid learning rate: nan"),
        (lambda w: tp.optim.SGD([w], momentum=-1), "Invalid momentum value: -1"),
        (lambda w: tp.optim.SGD([w], weight_decay=-1), "Invalid weight_decay value: -1"),
        (lambda w: tp.optim.SGD([w], nesterov=True), "Nesterov momentum requires"),
        (lambda w: tp.optim.SGD([w], momentum=0.9, dampening=0.1, nesterov=True), "zero dampening"),
        (lambda w: tp.optim.Adam([w], betas=(1.0, 0.9)), "Invalid beta parameter at index 0"),
        (lambda w: tp.optim.Adam([w], betas=(0.9, -0.1)), "Invalid beta parameter at index 1"),
        (lambda w: tp.optim.Adam([w], eps=-1), "Invalid epsilon value"),
        (lambda w: tp.optim.AdamW([w], weight_decay=-1), "Invalid weight_decay value: -1"),
        (lambda w: tp.optim.NAdam([w], momentum_decay=-1), "Invalid momentum_decay value: -1"),
        (lambda w: tp.optim.RAdam([w], betas=(0.9, 2)), "Invalid beta parameter at index 1"),
        (lambda w: tp.optim.Adagrad([w], lr_decay=-1), "Invalid lr_decay value: -1"),
        (lambda w: tp.optim.Adagrad([w], initial_accumulator_value=-1), "Invalid initial_accumulator_value value: -1"),
        (lambda w: tp.optim.RMSprop([w], alpha=-1), "Invalid alpha value: -1"),
        (lambda w: tp.optim.Adadelta([w], rho=1.5), "Invalid rho value: 1.5"),
        (lambda w: tp.optim.Muon([w]), "Muon only supports 2D parameters"),
        (lambda w: tp.optim.Muon([tp.ones(2, 2, requires_grad=True)], adjust_lr_fn="x"), "x is not supported"),
        (lambda w: tp.optim.Muon([tp.ones(2, 2, requires_grad=True)], ns_steps=100), "fewer than 100"),
        (lambda w: tp.optim.SGD([]), "empty parameter list"),
        (lambda w: tp.optim.SGD([w * 2]), "can't optimize a non-leaf Tensor"),
        (lambda w: tp.optim.SGD([{"params": [w]}, {"params": [w]}]), "more than one parameter group"),
        (lambda w: tp.optim.SGD([{"params": [w], "lr": -2}]), "Invalid learning rate: -2"),
    ],
)
def test_bad_settings(make: Any, message: str) -> None:
    with pytest.raises(HyperparameterError, match=message) as caught:
        make(tp.ones(1, requires_grad=True))
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        (tp.ones(1), "iterable of Tensors or dicts"),
        ([3.0], "can only optimize Tensors"),
        ([{"lr": 1}], "'params'"),
        ([{"params": {1}}], "ordered collections"),
    ],
)
def test_bad_parameters(params: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        tp.optim.SGD(params, lr=0.1)


# --------------------------------------------------------------------------------------------- state


def trained(name: str, steps: int, saved: Any = None, start: Any = None, **settings: Any) -> tuple[Any, tp.Tensor]:
    w = tp.tensor([1.0, -2.0] if start is None else start, requires_grad=True)
    optimizer = getattr(tp.optim, name)([w], lr=0.3 if saved is None else 99.0, **settings)
    if saved is not None:
        optimizer.load_state_dict(saved)
    for _ in range(steps):
        optimizer.zero_grad()
        (w**4).sum().backward()
        optimizer.step()
    return optimizer, w


@pytest.mark.parametrize(("name", "settings"), [("SGD", {"momentum": 0.5}), ("Adam", {}), ("Adam", {"amsgrad": True})])
def test_state_round_trip_continues_bit_for_bit(name: str, settings: dict[str, Any]) -> None:
    settings = {**settings} if name == "Adam" else {**settings, "weight_decay": 0.01}
    _, whole = trained(name, 5, **settings)
    half, _ = trained(name, 2, **settings)
    state = half.state_dict()
    half.step()  # the state is a copy: this changes nothing in it
    _, rest = trained(name, 2, **settings)
    _, rest = trained(name, 3, saved=state, start=rest.tolist(), **settings)
    assert rest.tolist() == whole.tolist()


def test_the_form_of_a_state() -> None:
    optimizer, _ = trained("Adam", 1)
    state = optimizer.state_dict()
    assert state["param_groups"][0]["params"] == [0] and state["param_groups"][0]["lr"] == 0.3
    assert set(state["state"][0]) == {"step", "exp_avg", "exp_avg_sq"} and state["state"][0]["step"] == 1


def test_a_state_that_does_not_fit() -> None:
    saved = trained("Adam", 1)[0].state_dict()
    two = tp.optim.Adam([tp.ones(2, requires_grad=True), tp.ones(2, requires_grad=True)])
    with pytest.raises(StateDictError, match="doesn't match the optimizer's parameter groups"):
        two.load_state_dict(saved)
    other = tp.optim.Adam([tp.ones(3, requires_grad=True)], lr=0.5)
    with pytest.raises(ValueError, match=r"size mismatch for exp_avg: the state has \[2\], the parameter \[3\]"):
        other.load_state_dict(saved)
    assert not other.state and other.param_groups[0]["lr"] == 0.5


def test_repr() -> None:
    optimizer = tp.optim.SGD([tp.ones(1, requires_grad=True)], lr=0.1)
    assert repr(optimizer).splitlines()[:4] == ["SGD (", "Parameter Group 0", "    dampening: 0", "    lr: 0.1"]


# -------------------------------------------------------------------------------------------- events


def test_steps_are_told_and_change_nothing() -> None:
    heard: list[Any] = []
    with tp.events.listening(heard.append, tp.events.OptimizerStepped):
        _, watched = trained("Adam", 3)
    _, alone = trained("Adam", 3)
    assert watched.tolist() == alone.tolist() and len(heard) == 3
    assert heard[0].before.tolist() == [1.0, -2.0] and heard[2].after.tolist() == watched.tolist()
    assert heard[0].after.tolist() == heard[1].before.tolist() and heard[0].param is watched


@pytest.mark.parametrize("name", ["tensorplay", "torch"])
def test_hooks_of_a_step(name: str) -> None:
    lib = pytest.importorskip(name)
    w = lib.ones(1, requires_grad=True)
    optimizer = lib.optim.SGD([w], lr=0.1)
    seen: list[Any] = []

    def closure() -> Any:
        seen.append("closure")
        return 7.0

    before = optimizer.register_step_pre_hook(lambda o, args, kwargs: ((o, closure), {}))
    after = optimizer.register_step_post_hook(lambda o, args, kwargs: seen.append(o is optimizer))
    assert optimizer.step() == 7.0
    assert seen == ["closure", True]
    before.remove()
    after.remove()
    assert optimizer.step() is None
    assert len(seen) == 2
    optimizer.register_step_pre_hook(lambda o, args, kwargs: 3)
    with pytest.raises(RuntimeError):
        optimizer.step()

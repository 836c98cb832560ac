"""Schedules, rate by rate against PyTorch."""

from __future__ import annotations

import math
from typing import Any

import pytest

import tensorplay as tp
from tensorplay.errors import HyperparameterError

SCHEDULES: list[str] = [
    "S.StepLR(o, 2)",
    "S.StepLR(o, 3, gamma=0.5)",
    "S.MultiStepLR(o, [1, 4, 4], gamma=0.5)",
    "S.ConstantLR(o)",
    "S.ConstantLR(o, factor=0.5, total_iters=3)",
    "S.LinearLR(o)",
    "S.LinearLR(o, 0.25, 0.5, total_iters=4)",
    "S.LinearLR(o, 1.0, 0.0, total_iters=6)",
    "S.ExponentialLR(o, 0.9)",
    "S.PolynomialLR(o)",
    "S.PolynomialLR(o, total_iters=7, power=2.0)",
    "S.CosineAnnealingLR(o, 4)",
    "S.CosineAnnealingLR(o, 3, eta_min=0.01)",
    "S.CosineAnnealingLR(o, 1)",
    "S.CosineAnnealingWarmRestarts(o, 3)",
    "S.CosineAnnealingWarmRestarts(o, 2, T_mult=2, eta_min=0.01)",
    "S.LambdaLR(o, lambda epoch: 0.95**epoch)",
    "S.LambdaLR(o, [lambda epoch: 0.95**epoch, lambda epoch: 1 + epoch])",
    "S.MultiplicativeLR(o, lambda epoch: 0.95)",
    "S.OneCycleLR(o, 1.0, total_steps=15)",
    "S.OneCycleLR(o, [1.0, 2.0], epochs=5, steps_per_epoch=3, anneal_strategy='linear')",
    "S.OneCycleLR(o, 1.0, total_steps=20, three_phase=True, pct_start=0.4, div_factor=5.0, final_div_factor=10.0)",
    "S.CyclicLR(o, 0.1, 1.0, step_size_up=3)",
    "S.CyclicLR(o, 0.1, 1.0, step_size_up=2, step_size_down=4, mode='triangular2')",
    "S.CyclicLR(o, [0.1, 0.2], 1.0, step_size_up=2, mode='exp_range', gamma=0.9)",
    "S.CyclicLR(o, 0.1, 1.0, step_size_up=2, scale_fn=lambda x: 1 / x, cycle_momentum=False)",
    "S.ChainedScheduler([S.ConstantLR(o, 0.5, 3), S.ExponentialLR(o, 0.9)])",
    "S.ChainedScheduler([S.LinearLR(o), S.CosineAnnealingLR(o, 4)])",
    "S.SequentialLR(o, [S.ConstantLR(o, 0.1, 20), S.ExponentialLR(o, 0.9)], milestones=[3])",
    "S.SequentialLR(o, [S.LinearLR(o), S.CosineAnnealingLR(o, 4), S.StepLR(o, 2)], milestones=[2, 6])",
]
STEPS = 14


def optimizer(lib: Any, name: str = "SGD", **settings: Any) -> Any:
    params = [lib.ones(1, requires_grad=True) for _ in range(2)]
    return getattr(lib.optim, name)([{"params": params[0]}, {"params": params[1], "lr": 0.05}], lr=0.2, **settings)


def rates(lib: Any, code: str, name: str = "SGD", **settings: Any) -> list[Any]:
    o = optimizer(lib, name, **settings)
    schedule = eval(code, {"S": lib.optim.lr_scheduler, "o": o})
    found = []
    for _ in range(STEPS):
        found.append([[group[k] for k in ("lr", "momentum", "betas") if k in group] for group in o.param_groups])
        found.append(list(schedule.get_last_lr()))
        o.step()
        schedule.step()
    return flat(found)


def flat(found: Any) -> list[float]:
    return [x for item in found for x in flat(item)] if isinstance(found, list | tuple) else [found]


@pytest.mark.parametrize("code", SCHEDULES)
def test_like_pytorch(code: str) -> None:
    torch = pytest.importorskip("torch")
    assert rates(tp, code, momentum=0.9) == pytest.approx(rates(torch, code, momentum=0.9), rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("code", [code for code in SCHEDULES if "Cycle" in code or "Cyclic" in code])
def test_the_first_beta_of_adam_is_its_momentum(code: str) -> None:
    torch = pytest.importorskip("torch")
    assert rates(tp, code, "Adam") == pytest.approx(rates(torch, code, "Adam"), rel=1e-9, abs=1e-15)


LOSSES = [1.0, 0.9, 0.9, 0.9, 0.95, 0.5, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6, 0.4, 0.4, 0.4, 0.4, math.nan, 0.4]


@pytest.mark.parametrize(
    "settings",
    [
        {"patience": 1},
        {"patience": 0, "cooldown": 2, "factor": 0.5},
        {"patience": 1, "mode": "max", "threshold_mode": "abs", "threshold": 0.2},
        {"patience": 0, "min_lr": [0.01, 0.02], "eps": 1e-3},
    ],
    ids=str,
)
def test_a_plateau_like_pytorch(settings: dict[str, Any]) -> None:
    torch = pytest.importorskip("torch")
    found = []
    for lib in (tp, torch):
        o = optimizer(lib)
        schedule = lib.optim.lr_scheduler.ReduceLROnPlateau(o, **settings)
        seen = []
        for loss in LOSSES:
            schedule.step(loss)
            seen.append([*schedule.get_last_lr(), schedule.num_bad_epochs, schedule.cooldown_counter])
        found.append(flat(seen))
    assert found[0] == pytest.approx(found[1], rel=1e-12)


@pytest.mark.parametrize("epochs", [[0.5, 1.25, 2.0, 7.5], [3, 0.0, 11]])
def test_restarts_take_fractions_of_epochs(epochs: list[float]) -> None:
    torch = pytest.importorskip("torch")
    found = []
    for lib in (tp, torch):
        o = optimizer(lib)
        schedule = lib.optim.lr_scheduler.CosineAnnealingWarmRestarts(o, 2, T_mult=2)
        o.step()
        seen = []
        for epoch in epochs:
            schedule.step(epoch)
            seen.append(list(schedule.get_last_lr()))
        found.append(flat(seen))
    assert found[0] == pytest.approx(found[1], rel=1e-12)


@pytest.mark.parametrize("code", SCHEDULES)
def test_a_saved_schedule_goes_on(code: str) -> None:
    whole = rates(tp, code, momentum=0.9)
    first = optimizer(tp, momentum=0.9)
    schedule = eval(code, {"S": tp.optim.lr_scheduler, "o": first})
    for _ in range(5):
        first.step()
        schedule.step()
    again = optimizer(tp, momentum=0.9)
    resumed = eval(code, {"S": tp.optim.lr_scheduler, "o": again})
    again.load_state_dict(first.state_dict())
    resumed.load_state_dict(schedule.state_dict())
    seen = []
    for _ in range(5, STEPS):
        seen.append([[group[k] for k in ("lr", "momentum") if k in group] for group in again.param_groups])
        seen.append(list(resumed.get_last_lr()))
        again.step()
        resumed.step()
    assert flat(seen) == pytest.approx(whole[-len(flat(seen)) :], rel=1e-12)


def test_a_schedule_stepped_before_its_optimizer_warns() -> None:
    o = optimizer(tp)
    schedule = tp.optim.lr_scheduler.StepLR(o, 2)
    with pytest.warns(UserWarning, match="before `optimizer.step"):
        schedule.step()


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("S.StepLR(o, 0)", "Expected positive integer step_size"),
        ("S.ConstantLR(o, factor=2)", "expected to be between 0 and 1"),
        ("S.LinearLR(o, start_factor=0)", "greater than 0"),
        ("S.LinearLR(o, end_factor=2)", "between 0 and 1"),
        ("S.LambdaLR(o, [abs])", "same length as optimizer.param_groups"),
        ("S.OneCycleLR(o, 1.0)", "You must define either total_steps"),
        ("S.OneCycleLR(o, 1.0, total_steps=0)", "Expected positive integer total_steps"),
        ("S.OneCycleLR(o, 1.0, total_steps=9, pct_start=2)", "Expected float between 0 and 1"),
        ("S.OneCycleLR(o, 1.0, total_steps=9, anneal_strategy='x')", "must be one of 'cos' or 'linear'"),
        ("S.OneCycleLR(a, 1.0, total_steps=9)", "must support momentum or beta1"),
        ("S.CyclicLR(o, 0.1, 1.0, mode='x')", "mode is invalid"),
        ("S.CosineAnnealingWarmRestarts(o, 0)", "Expected positive integer T_0"),
        ("S.ReduceLROnPlateau(o, factor=1.0)", "Factor should be < 1.0"),
        ("S.ReduceLROnPlateau(o, mode='x')", "mode x is unknown"),
        ("S.SequentialLR(o, [S.StepLR(o, 2)], milestones=[3])", "one more than the number of milestone points"),
        ("S.ChainedScheduler([])", "expects at least one scheduler"),
        ("S.ChainedScheduler([S.StepLR(o, 2), S.StepLR(a, 2)])", "belong to the same optimizer"),
    ],
)
def test_bad_settings(code: str, message: str) -> None:
    with pytest.raises(HyperparameterError, match=message):
        eval(code, {"S": tp.optim.lr_scheduler, "o": optimizer(tp), "a": optimizer(tp, "Adagrad")})


def test_what_is_no_optimizer() -> None:
    with pytest.raises(TypeError, match="is not an Optimizer"):
        tp.optim.lr_scheduler.StepLR(3, 2)


def test_a_cycle_ends() -> None:
    o = optimizer(tp)
    schedule = tp.optim.lr_scheduler.OneCycleLR(o, 1.0, total_steps=2, cycle_momentum=False)
    for _ in range(2):
        o.step()
        schedule.step()
    with pytest.raises(HyperparameterError, match="Tried to step 3 times"):
        schedule.step()

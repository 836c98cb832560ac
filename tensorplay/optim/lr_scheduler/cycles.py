"""Schedules that go up and down: one cycle, triangles, cosines with restarts."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ...errors import HyperparameterError
from ..optimizer import Optimizer
from .base import LRScheduler, check_whole, one_per_group

__all__ = ["CosineAnnealingWarmRestarts", "CyclicLR", "OneCycleLR"]


def _cosine(start: float, end: float, share: float) -> float:
    return end + (start - end) / 2 * (1 + math.cos(math.pi * share))


def _line(start: float, end: float, share: float) -> float:
    return start + (end - start) * share


class CosineAnnealingWarmRestarts(LRScheduler):
    """Half a cosine from base to eta_min in T epochs, then again from base; T starts at T_0 and grows by T_mult.

    After Loshchilov and Hutter 2017. `step(epoch)` also takes fractions, for a rate that changes with every batch.

    >>> import tensorplay as tp
    >>> optimizer = tp.optim.SGD([tp.ones(1, requires_grad=True)], lr=0.5)
    >>> schedule = tp.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=2)
    >>> optimizer.step(); schedule.step(); round(schedule.get_last_lr()[0], 6)
    0.25
    """

    def __init__(
        self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        check_whole("T_0", T_0)
        check_whole("T_mult", T_mult)
        self.T_0, self.T_mult, self.eta_min = T_0, T_mult, eta_min
        self.T_i, self.T_cur = T_0, float(last_epoch)
        super().__init__(optimizer, last_epoch)

    def following(self, lr: float, base: float) -> float:
        """Where the present cosine is."""
        return _cosine(base, self.eta_min, self.T_cur / self.T_i)

    def step(self, epoch: float | None = None) -> None:
        """Go on by one epoch, or to `epoch`. Raises HyperparameterError if that is negative."""
        if epoch is not None and epoch < 0:
            raise HyperparameterError(f"Expected non-negative epoch, but got {epoch}")
        at = self.last_epoch + 1 if epoch is None else epoch
        self._place(at)
        self.last_epoch = math.floor(at) - 1
        super().step()

    def _place(self, at: float) -> None:
        """Which cosine `at` lies in, and how far."""
        self.T_i, self.T_cur = self.T_0, at
        if self.T_mult == 1:
            self.T_cur = at % self.T_0
            return
        while self.T_cur >= self.T_i:
            self.T_cur -= self.T_i
            self.T_i *= self.T_mult


class _WithMomentum(LRScheduler):
    """A schedule that moves the momentum against the rate; Adam's is the first of its betas."""

    def momentum_name(self) -> str:
        """Which setting holds the momentum. Raises HyperparameterError if there is none."""
        name = next((n for n in ("momentum", "betas") if n in self.optimizer.defaults), None)
        if name is None:
            raise HyperparameterError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
        return name

    def set_momenta(self, values: list[float]) -> None:
        """Give each group its momentum."""
        name = self.momentum_name()
        for group, value in zip(self.optimizer.param_groups, values, strict=True):
            group[name] = (value, *group["betas"][1:]) if name == "betas" else value


class OneCycleLR(_WithMomentum):
    """Up from max_lr / div_factor to max_lr, then down to initial / final_div_factor; to be stepped once a batch.

    The momentum goes the other way (Smith and Topin 2018). `three_phase` goes down to the initial rate first, and from
    there to the lowest.

    >>> import tensorplay as tp
    >>> optimizer = tp.optim.SGD([tp.ones(1, requires_grad=True)], lr=0.1, momentum=0.9)
    >>> schedule = tp.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1.0, total_steps=10)
    >>> rates = []
    >>> for _ in range(9):
    ...     optimizer.step()
    ...     schedule.step()
    ...     rates.append(round(schedule.get_last_lr()[0], 2))
    >>> max(rates), rates[-1]
    (1.0, 0.0)
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | list[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.85,
        max_momentum: float | list[float] = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        self.total_steps = _total(total_steps, epochs, steps_per_epoch)
        if not isinstance(pct_start, float) or not 0 <= pct_start <= 1:
            raise HyperparameterError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise HyperparameterError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        self.anneal_strategy, self.cycle_momentum = anneal_strategy, cycle_momentum
        self._ends = _ends(self.total_steps, pct_start, three_phase)
        tops = one_per_group(optimizer, "max_lr", max_lr)
        self._corners = [_corners(top, div_factor, final_div_factor, three_phase) for top in tops]
        low = one_per_group(optimizer, "base_momentum", base_momentum)
        high = one_per_group(optimizer, "max_momentum", max_momentum)
        pairs = zip(low, high, strict=True)
        self._momenta = [[h, b, h, h] if three_phase else [h, b, h] for b, h in pairs]
        self.optimizer = optimizer
        if cycle_momentum:
            self.momentum_name()
        if last_epoch == -1:
            for group, corners in zip(optimizer.param_groups, self._corners, strict=True):
                group["initial_lr"] = corners[0]
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Rates at `last_epoch`; the momenta are set too. Raises HyperparameterError after the last step."""
        if self.last_epoch > self.total_steps:
            raise HyperparameterError(
                f"Tried to step {self.last_epoch} times. The specified number of total steps is {self.total_steps}"
            )
        if self.cycle_momentum:
            self.set_momenta([self._between(corners) for corners in self._momenta])
        return [self._between(corners) for corners in self._corners]

    def _between(self, corners: list[float]) -> float:
        """The value at `last_epoch` of a curve through these corners."""
        number = next((i for i, end in enumerate(self._ends) if self.last_epoch <= end), len(self._ends) - 1)
        start = self._ends[number - 1] if number else 0.0
        share = (self.last_epoch - start) / (self._ends[number] - start)
        curve: Callable[[float, float, float], float] = _cosine if self.anneal_strategy == "cos" else _line
        return curve(corners[number], corners[number + 1], share)


def _total(total_steps: Any, epochs: Any, steps_per_epoch: Any) -> int:
    if total_steps is not None:
        check_whole("total_steps", total_steps)
        return int(total_steps)
    if epochs is None or steps_per_epoch is None:
        raise HyperparameterError("You must define either total_steps OR (epochs AND steps_per_epoch)")
    check_whole("epochs", epochs)
    check_whole("steps_per_epoch", steps_per_epoch)
    return int(epochs * steps_per_epoch)


def _ends(total: int, share: float, three_phase: bool) -> list[float]:
    """The last step of each phase."""
    if three_phase:
        return [share * total - 1, 2 * share * total - 2, float(total - 1)]
    return [share * total - 1, float(total - 1)]


def _corners(top: float, div_factor: float, final_div_factor: float, three_phase: bool) -> list[float]:
    """The rates between the phases."""
    first = top / div_factor
    return [first, top, *([first] if three_phase else []), first / final_div_factor]


class CyclicLR(_WithMomentum):
    """Triangles between base_lr and max_lr, up in `step_size_up` steps and down in `step_size_down` (Smith 2017).

    Modes: "triangular"; "triangular2", where each cycle is half as high as the one before; "exp_range", where the
    height is multiplied by γ every step; or `scale_fn` of the number of the cycle, or of the step (`scale_mode`).

    >>> import tensorplay as tp
    >>> optimizer = tp.optim.SGD([tp.ones(1, requires_grad=True)], lr=0.1, momentum=0.9)
    >>> schedule = tp.optim.lr_scheduler.CyclicLR(optimizer, base_lr=0.0, max_lr=1.0, step_size_up=2)
    >>> optimizer.step(); schedule.step(); schedule.get_last_lr()
    [0.5]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | list[float],
        max_lr: float | list[float],
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float = 0.8,
        max_momentum: float = 0.9,
        last_epoch: int = -1,
    ) -> None:
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise HyperparameterError(f"mode is invalid and scale_fn is None, got mode={mode!r}")
        self.max_lrs = one_per_group(optimizer, "max_lr", max_lr)
        self.total_size = float(step_size_up + (step_size_up if step_size_down is None else step_size_down))
        self.step_ratio = step_size_up / self.total_size
        self.mode, self.gamma, self.scale_fn, self.scale_mode = mode, gamma, scale_fn, scale_mode
        self.cycle_momentum, self._momentum_range = cycle_momentum, (base_momentum, max_momentum)
        self.optimizer = optimizer
        if cycle_momentum:
            self.momentum_name()
        if last_epoch == -1:
            for group, low in zip(optimizer.param_groups, one_per_group(optimizer, "base_lr", base_lr), strict=True):
                group["lr"] = group["initial_lr"] = low
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Rates at `last_epoch`; the momenta are set too."""
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1 + self.last_epoch / self.total_size - cycle
        height = (x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)) * self._scale(cycle)
        if self.cycle_momentum:
            low, high = self._momentum_range
            self.set_momenta([high - (high - low) * height] * len(self.base_lrs))
        return [low + (high - low) * height for low, high in zip(self.base_lrs, self.max_lrs, strict=True)]

    def _scale(self, cycle: int) -> float:
        if self.scale_fn is not None:
            return self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.mode == "triangular2":
            return 1 / 2.0 ** (cycle - 1)
        return float(self.gamma**self.last_epoch) if self.mode == "exp_range" else 1.0

"""Schedules that follow a formula: steps, powers, lines, half a cosine, or a function of yours."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from ...errors import HyperparameterError
from ..optimizer import Optimizer
from .base import Factor, LRScheduler, check_whole, one_per_group

__all__ = [
    "ConstantLR", "CosineAnnealingLR", "ExponentialLR", "LambdaLR", "LinearLR", "MultiStepLR", "MultiplicativeLR",
    "PolynomialLR", "StepLR",
]  # fmt: skip


class LambdaLR(LRScheduler):
    """lr = base · f(epoch), with one function, or one for each group.

    >>> import tensorplay as tp
    >>> optimizer = tp.optim.SGD([tp.ones(1, requires_grad=True)], lr=0.5)
    >>> schedule = tp.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 1 / (1 + epoch))
    >>> optimizer.step(); schedule.step(); schedule.get_last_lr()
    [0.25]
    """

    def __init__(self, optimizer: Optimizer, lr_lambda: Factor | list[Factor], last_epoch: int = -1) -> None:
        self.lr_lambdas = one_per_group(optimizer, "lr_lambda", lr_lambda)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Base times factor, for each group."""
        pairs = zip(self.base_lrs, self.lr_lambdas, strict=True)
        return [base * factor(self.last_epoch) for base, factor in pairs]


class MultiplicativeLR(LambdaLR):
    """lr ← lr · f(epoch), from epoch 1 on.

    >>> import tensorplay as tp
    >>> optimizer = tp.optim.SGD([tp.ones(1, requires_grad=True)], lr=0.5)
    >>> schedule = tp.optim.lr_scheduler.MultiplicativeLR(optimizer, lambda epoch: 0.5)
    >>> optimizer.step(); schedule.step(); schedule.get_last_lr()
    [0.25]
    """

    def get_lr(self) -> list[float]:
        """The present rate times factor, for each group."""
        rates = [group["lr"] for group in self.optimizer.param_groups]
        if self.last_epoch <= 0:
            return rates
        return [lr * factor(self.last_epoch) for lr, factor in zip(rates, self.lr_lambdas, strict=True)]


class StepLR(LRScheduler):
    """lr ← γ lr every `step_size` epochs.

    >>> import tensorplay as tp
    >>> optimizer = tp.optim.SGD([tp.ones(1, requires_grad=True)], lr=0.5)
    >>> schedule = tp.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
    >>> optimizer.step(); schedule.step(); schedule.get_last_lr()
    [0.25]
    """

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        check_whole("step_size", step_size)
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def following(self, lr: float, base: float) -> float:
        """γ lr at multiples of the step size."""
        return lr * self.gamma if self.last_epoch and self.last_epoch % self.step_size == 0 else lr


class MultiStepLR(LRScheduler):
    """lr ← γ lr at each of the `milestones`.

    >>> import tensorplay as tp
    >>> optimizer = tp.optim.SGD([tp.ones(1, requires_grad=True)], lr=0.5)
    >>> schedule = tp.optim.lr_scheduler.MultiStepLR(optimizer, [1, 4], gamma=0.5)
    >>> optimizer.step(); schedule.step(); schedule.get_last_lr()
    [0.25]
    """

    def __init__(
        self, optimizer: Optimizer, milestones: Sequence[int], gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.milestones, self.gamma = Counter(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def following(self, lr: float, base: float) -> float:
        """γ lr at a milestone, twice if it is named twice."""
        return float(lr * self.gamma ** self.milestones[self.last_epoch])


class ConstantLR(LRScheduler):
    """lr = factor · base for the first `total_iters` epochs, then base.

    >>> import tensorplay as tp
    >>> optimizer = tp.optim.SGD([tp.ones(1, requires_grad=True)], lr=0.5)
    >>> schedule = tp.optim.lr_scheduler.ConstantLR(optimizer, factor=0.5, total_iters=1)
    >>> schedule.get_last_lr()
    [0.25]
    >>> optimizer.step(); schedule.step(); schedule.get_last_lr()
    [0.5]
    """

    def __init__(
        self, optimizer: Optimizer, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch: int = -1
    ) -> None:
        if not 0 <= factor <= 1:
            raise HyperparameterError(f"Constant multiplicative factor expected to be between 0 and 1, got {factor}.")
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def following(self, lr: float, base: float) -> float:
        """The factor comes at the start and goes at the end."""
        if self.last_epoch == 0:
            return lr * self.factor
        return lr / self.factor if self.last_epoch == self.total_iters else lr


class LinearLR(LRScheduler):
    """lr goes from start_factor · base to end_factor · base along a line, in `total_iters` epochs: a warm-up.

    >>> import tensorplay as tp
    >>> optimizer = tp.optim.SGD([tp.ones(1, requires_grad=True)], lr=0.5)
    >>> schedule = tp.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.5, total_iters=2)
    >>> optimizer.step(); schedule.step(); schedule.get_last_lr()
    [0.375]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if not 0 < start_factor <= 1:
            raise HyperparameterError(
                "Starting multiplicative factor expected to be greater than 0 and less or equal to 1, got "
                f"{start_factor}."
            )
        if not 0 <= end_factor <= 1:
            raise HyperparameterError(f"Ending multiplicative factor expected to be between 0 and 1, got {end_factor}.")
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        super().__init__(optimizer, last_epoch)

    def following(self, lr: float, base: float) -> float:
        """From the present rate, so that several schedules can be chained: times the ratio of two factors."""
        if self.last_epoch == 0:
            return lr * self.start_factor
        if self.last_epoch > self.total_iters:
            return lr
        return lr * self._factor(self.last_epoch) / self._factor(self.last_epoch - 1)

    def _factor(self, epoch: int) -> float:
        return self.start_factor + (self.end_factor - self.start_factor) * epoch / self.total_iters


class ExponentialLR(LRScheduler):
    """lr ← γ lr every epoch.

    >>> import tensorplay as tp
    >>> optimizer = tp.optim.SGD([tp.ones(1, requires_grad=True)], lr=0.5)
    >>> schedule = tp.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
    >>> optimizer.step(); schedule.step(); schedule.get_last_lr()
    [0.25]
    """

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def following(self, lr: float, base: float) -> float:
        """γ lr, from epoch 1 on."""
        return lr * self.gamma if self.last_epoch else lr


class PolynomialLR(LRScheduler):
    """lr = base · (1 - epoch / total_iters)^power, and 0 from then on.

    >>> import tensorplay as tp
    >>> optimizer = tp.optim.SGD([tp.ones(1, requires_grad=True)], lr=0.5)
    >>> schedule = tp.optim.lr_scheduler.PolynomialLR(optimizer, total_iters=2)
    >>> optimizer.step(); schedule.step(); schedule.get_last_lr()
    [0.25]
    """

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> None:
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch)

    def following(self, lr: float, base: float) -> float:
        """Times the ratio of what is left to what was left."""
        if self.last_epoch == 0 or self.last_epoch > self.total_iters:
            return lr
        left = self.total_iters - self.last_epoch
        return float(lr * (left / (left + 1)) ** self.power)


class CosineAnnealingLR(LRScheduler):
    """lr = η + (base - η) (1 + cos(π epoch / T_max)) / 2, with η = eta_min (Loshchilov and Hutter 2017, no restarts).

    >>> import tensorplay as tp
    >>> optimizer = tp.optim.SGD([tp.ones(1, requires_grad=True)], lr=0.5)
    >>> schedule = tp.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=2)
    >>> optimizer.step(); schedule.step(); round(schedule.get_last_lr()[0], 6)
    0.25
    """

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def following(self, lr: float, base: float) -> float:
        """From the present rate; at the bottom, where that is η, by the first step of the way up."""
        epoch = self.last_epoch
        if epoch == 0:
            return lr
        if self._step_count == 1:  # resumed: there is no rate before it
            return self.eta_min + (base - self.eta_min) * self._share(epoch)
        if self._share(epoch - 1) == 0 or (epoch - 1 - self.T_max) % (2 * self.T_max) == 0:
            return lr + (base - self.eta_min) * self._share(self.T_max + 1)
        return self._share(epoch) / self._share(epoch - 1) * (lr - self.eta_min) + self.eta_min

    def _share(self, epoch: int) -> float:
        return (1 + math.cos(math.pi * epoch / self.T_max)) / 2

"""Schedules made of schedules: one after the other, or all at once; and the one that watches a number of yours."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

from ...errors import HyperparameterError
from ..optimizer import Optimizer
from .base import LRScheduler, one_per_group

__all__ = ["ChainedScheduler", "ReduceLROnPlateau", "SequentialLR"]


def _one_optimizer(schedulers: Sequence[Any], optimizer: Optimizer | None, word: str) -> Optimizer:
    if not schedulers:
        raise HyperparameterError(f"{word} expects at least one scheduler to be chained, but got none.")
    first: Optimizer = optimizer or schedulers[0].optimizer
    for number, scheduler in enumerate(schedulers):
        if scheduler.optimizer is not first:
            raise HyperparameterError(
                f"{word} expects all schedulers to belong to the same optimizer, but got scheduler at index {number} "
                "with another one"
            )
    return first


class _Several(LRScheduler):
    """A schedule whose state holds those of others."""

    _schedulers: list[Any]

    def state_dict(self) -> dict[str, Any]:
        """The state, with those of the schedules inside."""
        own = {name: v for name, v in vars(self).items() if name not in ("optimizer", "_schedulers")}
        return {**own, "_schedulers": [scheduler.state_dict() for scheduler in self._schedulers]}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Go on where the schedules that gave this state were."""
        vars(self).update({name: v for name, v in state_dict.items() if name != "_schedulers"})
        for scheduler, saved in zip(self._schedulers, state_dict["_schedulers"], strict=True):
            scheduler.load_state_dict(saved)


class SequentialLR(_Several):
    """One schedule after the other: the next begins at each of the `milestones`.

    >>> import tensorplay as tp
    >>> optimizer = tp.optim.SGD([tp.ones(1, requires_grad=True)], lr=1.0)
    >>> warm = tp.optim.lr_scheduler.ConstantLR(optimizer, factor=0.5, total_iters=20)
    >>> down = tp.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
    >>> schedule = tp.optim.lr_scheduler.SequentialLR(optimizer, [warm, down], milestones=[1])
    >>> rates = schedule.get_last_lr()
    >>> for _ in range(2):
    ...     optimizer.step()
    ...     schedule.step()
    ...     rates = rates + schedule.get_last_lr()
    >>> rates
    [0.5, 1.0, 0.5]
    """

    def __init__(
        self, optimizer: Optimizer, schedulers: list[LRScheduler], milestones: list[int], last_epoch: int = -1
    ) -> None:
        self.optimizer = _one_optimizer(schedulers, optimizer, type(self).__name__)
        if len(milestones) != len(schedulers) - 1:
            raise HyperparameterError(
                "Sequential Schedulers expects number of schedulers provided to be one more than the number of "
                f"milestone points, but got {len(schedulers)} schedulers and {len(milestones)} milestones"
            )
        self._schedulers, self._milestones = schedulers, milestones
        self.last_epoch = last_epoch + 1
        for scheduler in schedulers:
            scheduler.last_epoch -= 1  # each has taken its first step when it was made, on top of the others
        self._start(schedulers[0])

    def _start(self, scheduler: LRScheduler) -> None:
        """From its first rate: that of the beginning, not what the others left."""
        for group in self.optimizer.param_groups:
            group["lr"] = group["initial_lr"]
        scheduler._step_count = 0
        scheduler.last_epoch = -1
        scheduler.step()
        self._last_lr = scheduler.get_last_lr()

    def step(self) -> None:
        """Go on by one epoch, with the schedule whose turn it is."""
        self.last_epoch += 1
        number = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[number]
        if number and self._milestones[number - 1] == self.last_epoch:
            self._start(scheduler)
            return
        scheduler.step()
        self._last_lr = scheduler.get_last_lr()


class ChainedScheduler(_Several):
    """All schedules at once: each goes on from the rate that the one before it has set.

    >>> import tensorplay as tp
    >>> optimizer = tp.optim.SGD([tp.ones(1, requires_grad=True)], lr=1.0)
    >>> warm = tp.optim.lr_scheduler.ConstantLR(optimizer, factor=0.5, total_iters=20)
    >>> down = tp.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
    >>> schedule = tp.optim.lr_scheduler.ChainedScheduler([warm, down])
    >>> optimizer.step(); schedule.step(); schedule.get_last_lr()
    [0.25]
    """

    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None) -> None:
        self.optimizer = _one_optimizer(schedulers, optimizer, type(self).__name__)
        self._schedulers = list(schedulers)
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    def step(self) -> None:
        """Step all of them, in order."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]


class ReduceLROnPlateau(LRScheduler):
    """lr ← factor · lr when a number of yours, such as the validation loss, has not become better for a while.

    "Better" is less (mode "min") or more ("max") than the best so far, by `threshold`: a share of it (threshold_mode
    "rel") or an amount ("abs"). More than `patience` epochs without it reduce the rate; `cooldown` epochs after that
    are not counted.

    >>> import tensorplay as tp
    >>> optimizer = tp.optim.SGD([tp.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = tp.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=1)
    >>> for loss in [1.0, 1.0, 1.0]:
    ...     schedule.step(loss)
    >>> schedule.get_last_lr()
    [0.1]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: float | list[float] = 0,
        eps: float = 1e-8,
    ) -> None:
        if factor >= 1.0:
            raise HyperparameterError(f"Factor should be < 1.0, got {factor}.")
        if mode not in ("min", "max"):
            raise HyperparameterError(f"mode {mode} is unknown! Expected 'min' or 'max'")
        if threshold_mode not in ("rel", "abs"):
            raise HyperparameterError(f"threshold mode {threshold_mode} is unknown! Expected 'rel' or 'abs'")
        self.optimizer = optimizer
        self.mode, self.factor, self.patience = mode, factor, patience
        self.threshold, self.threshold_mode = threshold, threshold_mode
        self.cooldown, self.eps = cooldown, eps
        self.min_lrs = one_per_group(optimizer, "min_lr", min_lr)
        self.best = inf if mode == "min" else -inf
        self.num_bad_epochs = self.cooldown_counter = self.last_epoch = 0
        self._last_lr = [group["lr"] for group in optimizer.param_groups]

    def step(self, metrics: Any) -> None:  # type: ignore[override]  # it is the one schedule that is told something
        """Tell the number of this epoch."""
        current = float(metrics)
        self.last_epoch += 1
        better = self.is_better(current, self.best)
        self.best = current if better else self.best
        self.num_bad_epochs = 0 if better else self.num_bad_epochs + 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce()
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    @property
    def in_cooldown(self) -> bool:
        """Whether epochs are not counted yet."""
        return self.cooldown_counter > 0

    def is_better(self, a: float, best: float) -> bool:
        """Whether `a` is better than the best so far, by more than the threshold."""
        sign = -1 if self.mode == "min" else 1
        if self.threshold_mode == "rel":
            return sign * a > sign * best * (1 + sign * self.threshold)
        return sign * a > sign * best + self.threshold

    def _reduce(self) -> None:
        for group, least in zip(self.optimizer.param_groups, self.min_lrs, strict=True):
            new = max(group["lr"] * self.factor, least)
            if group["lr"] - new > self.eps:
                group["lr"] = new

"""What all schedules share: when the learning rates change, what is kept of them, and what a checkpoint needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...errors import HyperparameterError, MissingMethodError, OptimizerTypeError, StateDictKeyError
from ...source import warn
from ..optimizer import Optimizer

__all__ = ["LRScheduler"]


class LRScheduler:
    """Base of all schedules: write `following(lr, base)`, the rate of a group at `last_epoch` from its present one.

    The rate of each group when the schedule is made is its base (kept as "initial_lr"); the first rate is set at once.
    Call `step()` after `optimizer.step()`, once an epoch or once a batch, as the schedule counts.

    >>> import tensorplay as tp
    >>> optimizer = tp.optim.SGD([tp.ones(1, requires_grad=True)], lr=1.0)
    >>> class Halving(tp.optim.lr_scheduler.LRScheduler):
    ...     def following(self, lr, base):
    ...         return lr if self.last_epoch == 0 else lr / 2
    >>> schedule = Halving(optimizer)
    >>> rates = []
    >>> for _ in range(3):
    ...     optimizer.step()
    ...     schedule.step()
    ...     rates += schedule.get_last_lr()
    >>> rates
    [0.5, 0.25, 0.125]
    """

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        if not isinstance(optimizer, Optimizer):
            raise OptimizerTypeError(
                f"{type(optimizer).__name__} is not an Optimizer: a schedule changes the rates of one"
            )
        for number, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", group["lr"])
            elif "initial_lr" not in group:
                raise StateDictKeyError(
                    f"param 'initial_lr' is not specified in param_groups[{number}] when resuming an optimizer: load "
                    "the optimizer's state first, or give last_epoch=-1"
                )
        self.optimizer = optimizer
        self.base_lrs: list[float] = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self._step_count = 0
        self._last_lr: list[float] = []
        self.step()

    def following(self, lr: float, base: float) -> float:
        """The rate of a group at `last_epoch`, whose rate is `lr` now and was `base` in the beginning."""
        raise MissingMethodError(f"{type(self).__name__} does not define following(lr, base): write it in the class")

    def get_lr(self) -> list[float]:
        """The rates of all groups at `last_epoch`; `step` sets them. To look at rates, use `get_last_lr`."""
        pairs = zip(self.optimizer.param_groups, self.base_lrs, strict=True)
        return [self.following(group["lr"], base) for group, base in pairs]

    def get_last_lr(self) -> list[float]:
        """The rates that were set last, one a group."""
        return self._last_lr

    def step(self) -> None:
        """Go on by one epoch (or batch) and set the rates."""
        if self._step_count == 1 and not self.optimizer.steps_done:
            warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`: the first rate of the schedule is "
                "skipped. Call optimizer.step() first",
                UserWarning,
            )
        self._step_count += 1
        self.last_epoch += 1
        self.set_rates(self.get_lr())

    def set_rates(self, rates: list[float]) -> None:
        """Give each group its rate."""
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            group["lr"] = rate
        self._last_lr = list(rates)

    def state_dict(self) -> dict[str, Any]:
        """What the schedule knows, as plain data: all but the optimizer, and functions that were given."""
        return {name: value for name, value in vars(self).items() if name != "optimizer" and not _holds_code(value)}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Go on where the schedule that gave this state was. (The rates themselves are in the optimizer's state.)"""
        vars(self).update(state_dict)


def _holds_code(value: Any) -> bool:
    return callable(value) or (isinstance(value, list) and any(map(callable, value)))


def check_whole(word: str, value: Any, least: int = 1) -> None:
    """Raise HyperparameterError unless `value` is a whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise HyperparameterError(f"Expected positive integer {word}, but got {value!r}: it counts steps")


def one_per_group(optimizer: Optimizer, word: str, value: Any) -> list[Any]:
    """A setting as a list with an entry for each group; one that is no list is that of all."""
    groups = len(optimizer.param_groups)
    if not isinstance(value, (list, tuple)):
        return [value] * groups
    if len(value) != groups:
        raise HyperparameterError(
            f"{word} must have the same length as optimizer.param_groups. {word} has {len(value)} values, "
            f"param_groups has {groups}."
        )
    return list(value)


Factor = Callable[[int], float]

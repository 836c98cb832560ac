"""Optimizers that divide each number's step by the size its gradients had: Adagrad, RMSprop, Adadelta."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..errors import HyperparameterError
from ..tensor import Tensor, wrap
from .optimizer import Group, Optimizer, check_at_least_zero, compared, decayed

__all__ = ["Adadelta", "Adagrad", "RMSprop"]


def _remembered(optimizer: Optimizer, tensor: Tensor, **start: float) -> dict[str, Any]:
    """The state of a parameter, with one step more; arrays begin at the numbers given."""
    state = optimizer.state.get(tensor)
    if state is None:
        arrays = {name: wrap(np.full_like(tensor._array, value)) for name, value in start.items()}
        state = optimizer.state[tensor] = {"step": 0, **arrays}
    state["step"] += 1
    return state


def _average(mean: np.ndarray, value: np.ndarray, rate: float) -> None:
    """mean ← rate · mean + (1 - rate) · value."""
    mean *= rate
    mean += (1 - rate) * value


class Adagrad(Optimizer):
    """θ ← θ - lrₜ · g / (√s + eps), where s ← s + g² is the sum of all squares so far (Duchi et al. 2011).

    lrₜ = lr / (1 + (t - 1) · lr_decay). Steps only become shorter: fit for rare features, slow in the end.

    >>> import tensorplay as tp
    >>> w = tp.tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = tp.optim.Adagrad([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([ 0.9000, -1.9000], requires_grad=True)
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        *,
        maximize: bool = False,
    ) -> None:
        settings = {"lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay}
        more = {"initial_accumulator_value": initial_accumulator_value, "maximize": maximize}
        super().__init__(params, {**settings, **more})
        for group in self.param_groups:
            for tensor in group["params"]:  # the sum is there from the start, as in PyTorch's state_dict
                self._sum(tensor, group)

    def check_settings(self, group: Group) -> None:
        """All settings at least 0."""
        check_at_least_zero(group, lr="learning rate", lr_decay="lr_decay value", weight_decay="weight_decay value")
        check_at_least_zero(group, initial_accumulator_value="initial_accumulator_value value", eps="epsilon value")

    def _sum(self, tensor: Tensor, group: Group) -> dict[str, Any]:
        state = self.state.get(tensor)
        if state is None:
            start = wrap(np.full_like(tensor._array, group["initial_accumulator_value"]))
            state = self.state[tensor] = {"step": 0, "sum": start}
        return state

    def update(self, tensor: Tensor, param: np.ndarray, grad: np.ndarray, group: Group) -> None:
        """One parameter's step."""
        state = self._sum(tensor, group)
        state["step"] += 1
        grad = decayed(param, grad, group)
        total = state["sum"]._array
        total += grad * grad
        rate = group["lr"] / (1 + (state["step"] - 1) * group["lr_decay"])
        param -= rate * grad / (np.sqrt(total) + group["eps"])


class RMSprop(Optimizer):
    """θ ← θ - lr · g / (√v + eps), where v ← α v + (1 - α) g² is a running mean of the square (Hinton 2012).

    `centered` subtracts the square of the running mean of g, so that v is a variance; `momentum` sums the steps up.

    >>> import tensorplay as tp
    >>> w = tp.tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = tp.optim.RMSprop([w], lr=0.05)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([ 0.5000, -1.5000], requires_grad=True)
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        maximize: bool = False,
    ) -> None:
        settings = {"lr": lr, "alpha": alpha, "eps": eps, "weight_decay": weight_decay, "momentum": momentum}
        super().__init__(params, {**settings, "centered": centered, "maximize": maximize})

    def check_settings(self, group: Group) -> None:
        """All numbers at least 0."""
        check_at_least_zero(group, lr="learning rate", eps="epsilon value", weight_decay="weight_decay value")
        check_at_least_zero(group, momentum="momentum value", alpha="alpha value")

    def update(self, tensor: Tensor, param: np.ndarray, grad: np.ndarray, group: Group) -> None:
        """One parameter's step."""
        names = ["square_avg"] + ["momentum_buffer"] * (group["momentum"] > 0) + ["grad_avg"] * group["centered"]
        state = _remembered(self, tensor, **dict.fromkeys(names, 0.0))
        grad = decayed(param, grad, group)
        square = state["square_avg"]._array
        _average(square, grad * grad, group["alpha"])
        step = grad / (np.sqrt(self._spread(state, square, grad, group)) + group["eps"])
        if group["momentum"]:
            velocity = state["momentum_buffer"]._array
            velocity *= group["momentum"]
            velocity += step
            step = velocity
        param -= group["lr"] * step

    @staticmethod
    def _spread(state: dict[str, Any], square: np.ndarray, grad: np.ndarray, group: Group) -> np.ndarray:
        """The mean square, or the variance if it is centered."""
        if not group["centered"]:
            return square
        mean = state["grad_avg"]._array
        _average(mean, grad, group["alpha"])
        return square - mean * mean


class Adadelta(Optimizer):
    """θ ← θ - lr · Δ with Δ = √(u + eps) / √(v + eps) · g (Zeiler 2012).

    v ← ρ v + (1 - ρ) g² and u ← ρ u + (1 - ρ) Δ² are running mean squares of the gradient and of the steps, so that a
    step has the unit of the parameter, and no learning rate must be found.

    >>> import tensorplay as tp
    >>> w = tp.tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = tp.optim.Adadelta([w])
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([ 0.9968, -1.9968], requires_grad=True)
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        *,
        maximize: bool = False,
    ) -> None:
        settings = {"lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay}
        super().__init__(params, {**settings, "maximize": maximize})

    def check_settings(self, group: Group) -> None:
        """lr, eps and weight_decay at least 0, rho in [0, 1]."""
        check_at_least_zero(group, lr="learning rate", eps="epsilon value", weight_decay="weight_decay value")
        if not compared("rho value", group["rho"], lambda value: 0.0 <= value <= 1.0):
            raise HyperparameterError(f"Invalid rho value: {group['rho']}. Expected 0 <= rho <= 1.")

    def update(self, tensor: Tensor, param: np.ndarray, grad: np.ndarray, group: Group) -> None:
        """One parameter's step."""
        state = _remembered(self, tensor, square_avg=0.0, acc_delta=0.0)
        grad = decayed(param, grad, group)
        square, moved = state["square_avg"]._array, state["acc_delta"]._array
        _average(square, grad * grad, group["rho"])
        step = np.sqrt(moved + group["eps"]) / np.sqrt(square + group["eps"]) * grad
        _average(moved, step * step, group["rho"])
        param -= group["lr"] * step

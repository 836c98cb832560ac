"""Stochastic gradient descent."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..errors import HyperparameterError
from ..tensor import Tensor, wrap
from .optimizer import Group, Optimizer, check_at_least_zero

__all__ = ["SGD"]


class SGD(Optimizer):
    """θ ← θ - lr · v, where v is the gradient, or with momentum its running sum v ← momentum · v + (1 - dampening) · g.

    `weight_decay` adds λθ to the gradient, `nesterov` looks one step ahead (g + momentum · v), and
    `maximize` climbs instead of descending.

    >>> import tensorplay as tp
    >>> w = tp.tensor([1.0, 2.0], requires_grad=True)
    >>> optimizer = tp.optim.SGD([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([0.8000, 1.6000], requires_grad=True)
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        settings = {"lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay}
        super().__init__(params, {**settings, "nesterov": nesterov, "maximize": maximize})

    def check_settings(self, group: Group) -> None:
        """lr, momentum and weight_decay at least 0; nesterov only with momentum and without dampening."""
        check_at_least_zero(group, lr="learning rate", momentum="momentum value", weight_decay="weight_decay value")
        if group["nesterov"] and (group["momentum"] <= 0 or group["dampening"] != 0):
            raise HyperparameterError(
                f"Nesterov momentum requires a momentum and zero dampening, got momentum={group['momentum']} and "
                f"dampening={group['dampening']}"
            )

    def update(self, tensor: Tensor, param: np.ndarray, grad: np.ndarray, group: Group) -> None:
        """One parameter's step."""
        if group["weight_decay"]:
            grad = grad + group["weight_decay"] * param
        if group["momentum"]:
            grad = self._direction(tensor, grad, group)
        param -= group["lr"] * grad

    def _direction(self, tensor: Tensor, grad: np.ndarray, group: Group) -> np.ndarray:
        momentum = group["momentum"]
        state = self.state.setdefault(tensor, {})
        if "momentum_buffer" not in state:
            state["momentum_buffer"] = wrap(np.array(grad))
            velocity = state["momentum_buffer"]._array
        else:
            velocity = state["momentum_buffer"]._array
            velocity *= momentum
            velocity += grad if not group["dampening"] else (1 - group["dampening"]) * grad
        return grad + momentum * velocity if group["nesterov"] else velocity

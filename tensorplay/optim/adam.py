"""Adam and AdamW: a step size for each number, from the history of its gradient."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..tensor import Tensor, wrap
from .optimizer import Group, Optimizer, check_at_least_zero, check_betas, decayed

__all__ = ["Adam", "AdamW", "follow"]


class Adam(Optimizer):
    """θ ← θ - lr · m̂ / (√v̂ + eps), with running means m of the gradient and v of its square (Kingma and Ba 2015).

    m ← β₁ m + (1 - β₁) g and v ← β₂ v + (1 - β₂) g² start at 0; the hats divide by 1 - βᵗ, which takes
    that start out again. `amsgrad` uses the largest v so far. `weight_decay` λ adds λθ to the gradient; decoupled, it
    shrinks the parameter itself, θ ← θ - lr λ θ, as AdamW does.

    >>> import tensorplay as tp
    >>> w = tp.tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = tp.optim.Adam([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([ 0.9000, -1.9000], requires_grad=True)
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        decoupled_weight_decay: bool = False,
    ) -> None:
        settings = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad}
        super().__init__(params, {**settings, "maximize": maximize, "decoupled_weight_decay": decoupled_weight_decay})

    def check_settings(self, group: Group) -> None:
        """lr, eps and weight_decay at least 0, both betas in [0, 1)."""
        check_at_least_zero(group, lr="learning rate", eps="epsilon value", weight_decay="weight_decay value")
        check_betas(group)

    def update(self, tensor: Tensor, param: np.ndarray, grad: np.ndarray, group: Group) -> None:
        """One parameter's step."""
        grad = decayed(param, grad, group)
        state = self.state.get(tensor)
        if state is None:
            state = self.state[tensor] = _fresh(param, group["amsgrad"])
        state["step"] += 1
        mean, square = state["exp_avg"]._array, state["exp_avg_sq"]._array
        scratch = follow(mean, square, grad, *group["betas"])
        if group["amsgrad"]:
            square = np.maximum(state["max_exp_avg_sq"]._array, square, out=state["max_exp_avg_sq"]._array)
        _descend(param, mean, square, scratch, state["step"], group)


class AdamW(Adam):
    """Adam with decoupled weight decay, θ ← θ - lr λ θ before each step (Loshchilov and Hutter 2019).

    Decay that is added to the gradient, as in `Adam`, is divided by √v̂ with it; this one is not.

    >>> import tensorplay as tp
    >>> w = tp.tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = tp.optim.AdamW([w], lr=0.1, weight_decay=0.5)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([ 0.8500, -1.8000], requires_grad=True)
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize=maximize, decoupled_weight_decay=True)


def _fresh(param: np.ndarray, amsgrad: bool) -> dict[str, Any]:
    names = ["exp_avg", "exp_avg_sq"] + ["max_exp_avg_sq"] * amsgrad
    return {"step": 0, **{name: wrap(np.zeros_like(param)) for name in names}}


def follow(mean: np.ndarray, square: np.ndarray, grad: np.ndarray, beta1: float, beta2: float) -> np.ndarray:
    """Move both running means towards the new gradient; returns an array that is free for other use."""
    scratch = np.multiply(grad, 1 - beta1, out=np.empty_like(mean))
    mean *= beta1
    mean += scratch
    np.multiply(grad, grad, out=scratch)
    scratch *= 1 - beta2
    square *= beta2
    square += scratch
    return scratch


def _descend(
    param: np.ndarray, mean: np.ndarray, square: np.ndarray, scratch: np.ndarray, step: int, group: Group
) -> None:
    beta1, beta2 = group["betas"]
    np.sqrt(square, out=scratch)
    scratch /= math.sqrt(1 - beta2**step)
    scratch += group["eps"]
    np.divide(mean, scratch, out=scratch)
    scratch *= group["lr"] / (1 - beta1**step)
    param -= scratch

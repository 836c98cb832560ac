"""Relatives of Adam: the same running means, another way to turn them into a step."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..tensor import Tensor, wrap
from .adam import follow
from .optimizer import Group, Optimizer, check_at_least_zero, check_betas, decayed

__all__ = ["Adamax", "NAdam", "RAdam"]


class _Moments(Optimizer):
    """Running means of the gradient and of its square, m and v, kept as `exp_avg` and `exp_avg_sq`."""

    kept = ("exp_avg", "exp_avg_sq")

    def check_settings(self, group: Group) -> None:
        """lr, eps and weight_decay at least 0, both betas in [0, 1)."""
        check_at_least_zero(group, lr="learning rate", eps="epsilon value", weight_decay="weight_decay value")
        check_betas(group)

    def remembered(self, tensor: Tensor, **more: Any) -> dict[str, Any]:
        """The state of a parameter, with one step more."""
        state = self.state.get(tensor)
        if state is None:
            zeros = {name: wrap(np.zeros_like(tensor._array)) for name in self.kept}
            state = self.state[tensor] = {"step": 0, **more, **zeros}
        state["step"] += 1
        return state

    def moments(self, state: dict[str, Any], grad: np.ndarray, group: Group) -> tuple[np.ndarray, np.ndarray]:
        """m and v after the new gradient."""
        mean, square = state["exp_avg"]._array, state["exp_avg_sq"]._array
        follow(mean, square, grad, *group["betas"])
        return mean, square


class NAdam(_Moments):
    """Adam that looks one step ahead, as Nesterov's momentum does (Dozat 2016).

    With μₜ = β₁ (1 - ½ · 0.96^(t ψ)), ψ the `momentum_decay`, the step is lr times
    ((1 - μₜ) g / (1 - Πμ) + μₜ₊₁ m / (1 - Πμ · μₜ₊₁)) / (√v̂ + eps).

    >>> import tensorplay as tp
    >>> w = tp.tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = tp.optim.NAdam([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w.tolist()[0] < 1.0
    True
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        settings = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        more = {"momentum_decay": momentum_decay, "decoupled_weight_decay": decoupled_weight_decay}
        super().__init__(params, {**settings, **more, "maximize": maximize})

    def check_settings(self, group: Group) -> None:
        """As for Adam, and momentum_decay at least 0."""
        super().check_settings(group)
        check_at_least_zero(group, momentum_decay="momentum_decay value")

    def update(self, tensor: Tensor, param: np.ndarray, grad: np.ndarray, group: Group) -> None:
        """One parameter's step."""
        state = self.remembered(tensor, mu_product=1.0)
        grad = decayed(param, grad, group)
        now, then = (_momentum(group, t) for t in (state["step"], state["step"] + 1))
        state["mu_product"] *= now
        mean, square = self.moments(state, grad, group)
        size = np.sqrt(square / (1 - group["betas"][1] ** state["step"])) + group["eps"]
        ahead = then / (1 - state["mu_product"] * then) * mean
        param -= group["lr"] * ((1 - now) / (1 - state["mu_product"]) * grad + ahead) / size


def _momentum(group: Group, t: int) -> float:
    """μₜ, which grows from β₁/2 towards β₁."""
    mu: float = group["betas"][0] * (1 - 0.5 * 0.96 ** (t * group["momentum_decay"]))
    return mu


class RAdam(_Moments):
    """Adam whose first steps, while v̂ is still a guess, are those of momentum alone (Liu et al. 2020).

    ρ∞ = 2 / (1 - β₂) - 1 and ρₜ = ρ∞ - 2 t β₂ᵗ / (1 - β₂ᵗ) say how many gradients v is worth. Where ρₜ > 5 the step is
    lr · m̂ · r / (√v̂ + eps) with r² = (ρₜ - 4)(ρₜ - 2) ρ∞ / ((ρ∞ - 4)(ρ∞ - 2) ρₜ), before it lr · m̂.

    >>> import tensorplay as tp
    >>> w = tp.tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = tp.optim.RAdam([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([ 0.8000, -1.6000], requires_grad=True)
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        settings = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        super().__init__(params, {**settings, "maximize": maximize, "decoupled_weight_decay": decoupled_weight_decay})

    def update(self, tensor: Tensor, param: np.ndarray, grad: np.ndarray, group: Group) -> None:
        """One parameter's step."""
        state = self.remembered(tensor)
        mean, square = self.moments(state, decayed(param, grad, group), group)
        (beta1, beta2), t = group["betas"], state["step"]
        step = group["lr"] / (1 - beta1**t) * mean
        correction = 1 - beta2**t
        rectified = _rectification(beta2, t, correction)
        if rectified:
            step *= rectified * math.sqrt(correction) / (np.sqrt(square) + group["eps"])
        param -= step


def _rectification(beta2: float, t: int, correction: float) -> float:
    """r, or 0 while too little is known of v."""
    longest = 2 / (1 - beta2) - 1
    known = longest - 2 * t * beta2**t / correction
    if known <= 5:
        return 0.0
    return math.sqrt((known - 4) * (known - 2) * longest / ((longest - 4) * (longest - 2) * known))


class Adamax(_Moments):
    """θ ← θ - lr / (1 - β₁ᵗ) · m / u, where u ← max(β₂ u, |g| + eps) (Kingma and Ba 2015, section 7.1).

    The size of the gradient is its largest value so far, slowly forgotten, in place of the root mean square of Adam.

    >>> import tensorplay as tp
    >>> w = tp.tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = tp.optim.Adamax([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([ 0.9000, -1.9000], requires_grad=True)
    """

    kept = ("exp_avg", "exp_inf")

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        *,
        maximize: bool = False,
    ) -> None:
        settings = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        super().__init__(params, {**settings, "maximize": maximize})

    def update(self, tensor: Tensor, param: np.ndarray, grad: np.ndarray, group: Group) -> None:
        """One parameter's step."""
        state = self.remembered(tensor)
        grad = decayed(param, grad, group)
        mean, largest = state["exp_avg"]._array, state["exp_inf"]._array
        beta1, beta2 = group["betas"]
        mean += (1 - beta1) * (grad - mean)
        np.maximum(beta2 * largest, np.abs(grad) + group["eps"], out=largest)
        param -= group["lr"] / (1 - beta1 ** state["step"]) * mean / largest

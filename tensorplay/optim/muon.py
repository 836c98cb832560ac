"""Muon: steps of a matrix that are close to orthogonal."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..errors import HyperparameterError
from ..tensor import Tensor, wrap
from .optimizer import Group, Optimizer, check_at_least_zero

__all__ = ["Muon"]

MOST_STEPS = 100
"""More Newton-Schulz iterations than this are surely a mistake."""


class Muon(Optimizer):
    """Θ ← (1 - lr λ) Θ - lr' · orthogonal(M) for matrices, where M is the running mean of the gradient (Jordan 2024).

    M ← μ M + (1 - μ) G, with `nesterov` G is mixed in once more. The singular values of M are brought close to 1 by
    `ns_steps` Newton-Schulz iterations X ← a X + (b A + c A²) X with A = X Xᵀ: all directions are then learned at
    the same pace. lr' = lr · √max(1, rows / columns), or with `adjust_lr_fn="match_rms_adamw"` lr · 0.2 √max(rows,
    columns). Biases, embeddings and all that is no matrix are for another optimizer.

    The iterations run in the dtype of the parameter (PyTorch: bfloat16).

    >>> import tensorplay as tp
    >>> w = tp.tensor([[1.0, 0.0], [0.0, 2.0]], requires_grad=True)
    >>> optimizer = tp.optim.Muon([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> (w[0, 0] < 1.0).item()
    True
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = (3.4445, -4.775, 2.0315),
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:
        settings = {"lr": lr, "weight_decay": weight_decay, "momentum": momentum, "nesterov": nesterov, "eps": eps}
        iteration = {"ns_coefficients": ns_coefficients, "ns_steps": ns_steps, "adjust_lr_fn": adjust_lr_fn}
        super().__init__(params, {**settings, **iteration})

    def check_settings(self, group: Group) -> None:
        """lr, momentum and weight_decay at least 0; parameters are real matrices."""
        check_at_least_zero(group, lr="learning rate", momentum="momentum value", weight_decay="weight_decay value")
        if group["adjust_lr_fn"] not in (None, "original", "match_rms_adamw"):
            raise HyperparameterError(
                f"Adjust learning rate function {group['adjust_lr_fn']} is not supported: expected None, 'original' or "
                "'match_rms_adamw'"
            )
        if not group["ns_steps"] < MOST_STEPS or len(group["ns_coefficients"]) != 3:
            raise HyperparameterError(
                f"expected fewer than {MOST_STEPS} Newton-Schulz steps and 3 coefficients, got "
                f"ns_steps={group['ns_steps']}, ns_coefficients={group['ns_coefficients']}"
            )
        for tensor in group["params"]:
            if tensor.ndim != 2 or tensor.dtype.is_complex:
                raise HyperparameterError(
                    f"Muon only supports 2D parameters whereas we found a parameter with size: {list(tensor.shape)} "
                    f"({tensor.dtype}). Give others to AdamW"
                )

    def update(self, tensor: Tensor, param: np.ndarray, grad: np.ndarray, group: Group) -> None:
        """One matrix's step."""
        state = self.state.setdefault(tensor, {})
        if "momentum_buffer" not in state:
            state["momentum_buffer"] = wrap(np.zeros_like(param))
        mean, momentum = state["momentum_buffer"]._array, group["momentum"]
        mean += (1 - momentum) * (grad - mean)
        direction = grad + momentum * (mean - grad) if group["nesterov"] else mean
        param *= 1 - group["lr"] * group["weight_decay"]
        param -= group["lr"] * _scale(param.shape, group) * _orthogonal(direction, group)


def _scale(shape: tuple[int, ...], group: Group) -> float:
    rows, columns = shape
    if group["adjust_lr_fn"] == "match_rms_adamw":
        return 0.2 * math.sqrt(max(rows, columns))
    return math.sqrt(max(1.0, rows / max(columns, 1)))


def _orthogonal(matrix: np.ndarray, group: Group) -> np.ndarray:
    """The matrix with singular values between about 0.7 and 1.2."""
    tall = matrix.shape[0] > matrix.shape[1]
    x = matrix.T if tall else matrix  # A is then the smaller of the two products
    x = x / max(float(np.linalg.norm(x)), group["eps"])
    a, b, c = group["ns_coefficients"]
    for _ in range(group["ns_steps"]):
        gram = x @ x.T
        x = a * x + (b * gram + c * gram @ gram) @ x
    return x.T if tall else x

"""Losses: how wrong a prediction is, as one number."""

from __future__ import annotations

from ..functional.losses import check_reduction
from ..tensor import Tensor
from . import functional
from .module import Module

__all__ = ["CrossEntropyLoss", "MSELoss"]


class _Loss(Module):
    def __init__(self, reduction: str = "mean") -> None:
        super().__init__()
        check_reduction(reduction)
        self.reduction = reduction


class CrossEntropyLoss(_Loss):
    """-log of the probability that softmax gives to the right class; scores (N, C), classes (N).

    >>> import tensorplay as tp
    >>> loss = tp.nn.CrossEntropyLoss()
    >>> loss(tp.tensor([[2.0, 0.0]]), tp.tensor([0]))
    tensor(0.1269)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """One number, or one a sample with `reduction="none"`."""
        return functional.cross_entropy(input, target, reduction=self.reduction)


class MSELoss(_Loss):
    """The mean of (input - target)².

    >>> import tensorplay as tp
    >>> tp.nn.MSELoss()(tp.tensor([1.0, 2.0]), tp.tensor([1.0, 4.0]))
    tensor(2.)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """One number, or one an element with `reduction="none"`."""
        return functional.mse_loss(input, target, reduction=self.reduction)

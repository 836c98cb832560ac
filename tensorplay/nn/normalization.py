"""Layers that normalise: batch, layer, group and instance."""

from __future__ import annotations

from typing import Any

from .. import creation
from ..autograd.modes import no_grad
from ..creation import DTypeLike
from ..errors import HyperparameterError
from ..tensor import Tensor, rank
from . import init
from . import normalization_functions as F
from .module import Module
from .parameter import Parameter

__all__ = [
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "GroupNorm",
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "LayerNorm",
    "LocalResponseNorm",
    "RMSNorm",
]


def _learned(shape: Any, needed: bool, **made: Any) -> Parameter | None:
    return Parameter(creation.empty(shape, **made)) if needed else None


class _Scaled(Module):
    """What all share: a learned scale and shift, which start at 1 and 0."""

    weight: Parameter | None
    bias: Parameter | None

    def reset_parameters(self) -> None:
        """Scale 1, shift 0."""
        if self.weight is not None:
            init.ones_(self.weight)
        shift = getattr(self, "bias", None)
        if shift is not None:
            init.zeros_(shift)


class _Statistics(_Scaled):
    """Batch and instance normalisation: scale and shift for each channel, and running statistics."""

    ranks: tuple[int, ...] = ()
    running_mean: Any
    running_var: Any
    num_batches_tracked: Any

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: object = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        self.weight = _learned(num_features, affine, device=device, dtype=dtype)
        self.bias = _learned(num_features, affine, device=device, dtype=dtype)
        tracked = track_running_stats
        self.register_buffer("running_mean", creation.zeros(num_features, dtype=dtype) if tracked else None)
        self.register_buffer("running_var", creation.ones(num_features, dtype=dtype) if tracked else None)
        self.register_buffer("num_batches_tracked", creation.tensor(0) if tracked else None)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Mean 0, variance 1, no batch seen."""
        if self.track_running_stats:
            with no_grad():
                self.running_mean.zero_()
                self.running_var.fill_(1)
                self.num_batches_tracked.zero_()

    def _check_input(self, input: Tensor) -> None:
        if rank(input) not in self.ranks:
            wanted = " or ".join(f"{r}D" for r in self.ranks)
            raise HyperparameterError(f"expected {wanted} input (got {rank(input)}D input): shape {list(input.shape)}")

    def _step(self) -> float:
        """Count this batch; how far the running statistics move: by `momentum`, or to the mean over all batches."""
        if not (self.training and self.track_running_stats):
            return self.momentum or 0.0
        with no_grad():
            self.num_batches_tracked.add_(1)
        return 1.0 / self.num_batches_tracked.item() if self.momentum is None else self.momentum

    def extra_repr(self) -> str:
        """The sizes and options."""
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.affine}, track_running_stats={self.track_running_stats}"
        )


class _BatchNorm(_Statistics):
    """Statistics over the batch."""

    def forward(self, input: Tensor) -> Tensor:
        """Same shape as `input`."""
        self._check_input(input)
        step, of_batch = self._step(), self.training or self.running_mean is None
        kept = not self.training or self.track_running_stats
        center, spread = (self.running_mean, self.running_var) if kept else (None, None)
        return F.batch_norm(input, center, spread, self.weight, self.bias, of_batch, step, self.eps)


class BatchNorm1d(_BatchNorm):
    """`nn.functional.batch_norm` of (N, C) or (N, C, L), with running statistics for evaluation.

    >>> import tensorplay as tp
    >>> sorted(tp.nn.BatchNorm1d(2).state_dict())
    ['bias', 'num_batches_tracked', 'running_mean', 'running_var', 'weight']
    """

    ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    """`nn.functional.batch_norm` of (N, C, H, W), with running statistics for evaluation.

    >>> import tensorplay as tp
    >>> tp.nn.BatchNorm2d(2)(tp.ones(1, 2, 2, 2)).shape
    (1, 2, 2, 2)
    """

    ranks = (4,)


class BatchNorm3d(_BatchNorm):
    """`nn.functional.batch_norm` of (N, C, D, H, W), with running statistics for evaluation.

    >>> import tensorplay as tp
    >>> tp.nn.BatchNorm3d(2)(tp.ones(1, 2, 2, 2, 2)).shape
    (1, 2, 2, 2, 2)
    """

    ranks = (5,)


class _InstanceNorm(_Statistics):
    """Statistics of each example; scale, shift and running statistics only if asked for."""

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: object = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype)

    def forward(self, input: Tensor) -> Tensor:
        """Same shape as `input`; one example alone may come without the first dimension."""
        self._check_input(input)
        alone = rank(input) == self.ranks[0]
        of_input = self.training or not self.track_running_stats
        center, spread = self.running_mean, self.running_var
        x = input.unsqueeze(0) if alone else input
        out = F.instance_norm(x, center, spread, self.weight, self.bias, of_input, self.momentum or 0.0, self.eps)
        return out.squeeze(0) if alone else out


class InstanceNorm1d(_InstanceNorm):
    """`nn.functional.instance_norm` of (N, C, L) or (C, L).

    >>> import tensorplay as tp
    >>> tp.nn.InstanceNorm1d(2)(tp.ones(1, 2, 3)).shape
    (1, 2, 3)
    """

    ranks = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """`nn.functional.instance_norm` of (N, C, H, W) or (C, H, W).

    >>> import tensorplay as tp
    >>> tp.nn.InstanceNorm2d(2)(tp.ones(1, 2, 3, 3)).shape
    (1, 2, 3, 3)
    """

    ranks = (3, 4)


class InstanceNorm3d(_InstanceNorm):
    """`nn.functional.instance_norm` of (N, C, D, H, W) or (C, D, H, W).

    >>> import tensorplay as tp
    >>> tp.nn.InstanceNorm3d(2)(tp.ones(1, 2, 2, 2, 2)).shape
    (1, 2, 2, 2, 2)
    """

    ranks = (4, 5)


class LayerNorm(_Scaled):
    """`nn.functional.layer_norm` over the last dimensions, with learned scale and shift.

    >>> import tensorplay as tp
    >>> tp.nn.LayerNorm(2)
    LayerNorm((2,), eps=1e-05, elementwise_affine=True, bias=True)
    """

    def __init__(
        self,
        normalized_shape: Any,
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: object = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        self.weight = _learned(self.normalized_shape, elementwise_affine, device=device, dtype=dtype)
        self.bias = _learned(self.normalized_shape, elementwise_affine and bias, device=device, dtype=dtype)
        self.reset_parameters()

    def forward(self, input: Tensor) -> Tensor:
        """Same shape as `input`."""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """The sizes and options."""
        affine = f"elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}"
        return f"{self.normalized_shape}, eps={self.eps}, {affine}"


class RMSNorm(_Scaled):
    """`nn.functional.rms_norm` over the last dimensions, with a learned scale.

    >>> import tensorplay as tp
    >>> tp.nn.RMSNorm(2)
    RMSNorm((2,), eps=None, elementwise_affine=True)
    """

    def __init__(
        self,
        normalized_shape: Any,
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: object = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        self.weight = _learned(self.normalized_shape, elementwise_affine, device=device, dtype=dtype)
        self.reset_parameters()

    def forward(self, input: Tensor) -> Tensor:
        """Same shape as `input`."""
        return F.rms_norm(input, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        """The sizes and options."""
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class GroupNorm(_Scaled):
    """`nn.functional.group_norm`, with a learned scale and shift for each channel.

    >>> import tensorplay as tp
    >>> tp.nn.GroupNorm(1, 2)(tp.ones(3, 2)).shape
    (3, 2)
    """

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: object = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__()
        if num_channels % num_groups:
            raise HyperparameterError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups, self.num_channels, self.eps, self.affine = num_groups, num_channels, eps, affine
        self.weight = _learned(num_channels, affine, device=device, dtype=dtype)
        self.bias = _learned(num_channels, affine, device=device, dtype=dtype)
        self.reset_parameters()

    def forward(self, input: Tensor) -> Tensor:
        """Same shape as `input`."""
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """The sizes and options."""
        sizes = f"{self.num_groups}, {self.num_channels}"
        return f"{sizes}, eps={self.eps}, affine={self.affine}, bias={self.affine}"


class LocalResponseNorm(Module):
    """`nn.functional.local_response_norm` as a layer.

    >>> import tensorplay as tp
    >>> tp.nn.LocalResponseNorm(2)
    LocalResponseNorm(2, alpha=0.0001, beta=0.75, k=1.0)
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size, self.alpha, self.beta, self.k = size, alpha, beta, k

    def forward(self, input: Tensor) -> Tensor:
        """Same shape as `input`."""
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        """The size and the numbers."""
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"

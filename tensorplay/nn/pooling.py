"""Layers that pool: each window of an image becomes one number."""

from __future__ import annotations

from typing import Any

from ..tensor import Tensor
from . import pooling_sizes as F
from .module import Module
from .window import Size, per_dim

__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "LPPool1d",
    "LPPool2d",
    "LPPool3d",
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
]


class _MaxPool(Module):
    """What all share: the window, and how it moves."""

    def __init__(
        self,
        kernel_size: Size,
        stride: Any = None,
        padding: Size = 0,
        dilation: Size = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.dilation = padding, dilation
        self.return_indices, self.ceil_mode = return_indices, ceil_mode

    def forward(self, input: Tensor) -> Any:
        """The largest number under each window, and where it is, if `return_indices`."""
        options = (self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode, self.return_indices)
        return getattr(F, self.function)(input, *options)

    function = "max_pool1d"

    def extra_repr(self) -> str:
        """The window."""
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


class _Adaptive(Module):
    """What all share: how many tiles there are."""

    function = "adaptive_avg_pool1d"

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def forward(self, input: Tensor) -> Any:
        """One number for each tile."""
        return getattr(F, self.function)(input, self.output_size)

    def extra_repr(self) -> str:
        """The sizes."""
        return f"output_size={self.output_size}"


class _AdaptiveMax(_Adaptive):
    """With where the largest numbers are, if asked."""

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__(output_size)
        self.return_indices = return_indices

    def forward(self, input: Tensor) -> Any:
        """The largest number of each tile, and where it is, if `return_indices`."""
        return getattr(F, self.function)(input, self.output_size, self.return_indices)


class _LPPool(Module):
    """What all share: the power and the window."""

    function = "lp_pool1d"

    def __init__(self, norm_type: float, kernel_size: Size, stride: Any = None, ceil_mode: bool = False) -> None:
        super().__init__()
        self.norm_type, self.kernel_size, self.stride, self.ceil_mode = norm_type, kernel_size, stride, ceil_mode

    def forward(self, input: Tensor) -> Tensor:
        """One number for each window."""
        return getattr(F, self.function)(input, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)

    def extra_repr(self) -> str:
        """The power and the window."""
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"ceil_mode={self.ceil_mode}"
        )


class MaxPool1d(_MaxPool):
    """The largest number under each window: `nn.functional.max_pool1d` as a layer.

    >>> import tensorplay as tp
    >>> tp.nn.MaxPool1d(2)(tp.ones(1, 1, 4)).shape
    (1, 1, 2)
    """

    function = "max_pool1d"


class LPPool1d(_LPPool):
    """(Σ xᵖ)^(1/p) under each window: `nn.functional.lp_pool1d` as a layer.

    >>> import tensorplay as tp
    >>> tp.nn.LPPool1d(2, 2)(tp.ones(1, 1, 4)).shape
    (1, 1, 2)
    """

    function = "lp_pool1d"


class AdaptiveAvgPool1d(_Adaptive):
    """The mean of each of `output_size` tiles: `nn.functional.adaptive_avg_pool1d` as a layer.

    >>> import tensorplay as tp
    >>> tp.nn.AdaptiveAvgPool1d(2)(tp.ones(1, 1, 4)).shape
    (1, 1, 2)
    """

    function = "adaptive_avg_pool1d"


class AdaptiveMaxPool1d(_AdaptiveMax):
    """The largest number of each of `output_size` tiles: `nn.functional.adaptive_max_pool1d` as a layer.

    >>> import tensorplay as tp
    >>> tp.nn.AdaptiveMaxPool1d(2)(tp.ones(1, 1, 4)).shape
    (1, 1, 2)
    """

    function = "adaptive_max_pool1d"


class AvgPool1d(Module):
    """The mean under each window: `nn.functional.avg_pool1d` as a layer.

    >>> import tensorplay as tp
    >>> tp.nn.AvgPool1d(2)(tp.ones(1, 1, 4)).shape
    (1, 1, 2)
    """

    def __init__(
        self,
        kernel_size: Size,
        stride: Any = None,
        padding: Size = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        self.kernel_size = per_dim(kernel_size, 1, "kernel_size")
        self.stride = self.kernel_size if stride is None else per_dim(stride, 1, "stride")
        self.padding = per_dim(padding, 1, "padding")
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        """One number for each window."""
        return F.avg_pool1d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad)

    def extra_repr(self) -> str:
        """The window."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class _AvgPool(Module):
    """What both share: the window, and how it moves."""

    function = "avg_pool2d"

    def __init__(
        self,
        kernel_size: Size,
        stride: Any = None,
        padding: Size = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.ceil_mode = padding, ceil_mode
        self.count_include_pad, self.divisor_override = count_include_pad, divisor_override

    def forward(self, input: Tensor) -> Tensor:
        """One number for each window."""
        window = (self.kernel_size, self.stride, self.padding, self.ceil_mode)
        out: Tensor = getattr(F, self.function)(input, *window, self.count_include_pad, self.divisor_override)
        return out

    def extra_repr(self) -> str:
        """The window."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxPool2d(_MaxPool):
    """The largest number under each window: `nn.functional.max_pool2d` as a layer.

    >>> import tensorplay as tp
    >>> tp.nn.MaxPool2d(2)(tp.ones(1, 1, 4, 4)).shape
    (1, 1, 2, 2)
    """

    function = "max_pool2d"


class LPPool2d(_LPPool):
    """(Σ xᵖ)^(1/p) under each window: `nn.functional.lp_pool2d` as a layer.

    >>> import tensorplay as tp
    >>> tp.nn.LPPool2d(2, 2)(tp.ones(1, 1, 4, 4)).shape
    (1, 1, 2, 2)
    """

    function = "lp_pool2d"


class AdaptiveAvgPool2d(_Adaptive):
    """The mean of each of `output_size` tiles: `nn.functional.adaptive_avg_pool2d` as a layer.

    >>> import tensorplay as tp
    >>> tp.nn.AdaptiveAvgPool2d(2)(tp.ones(1, 1, 4, 4)).shape
    (1, 1, 2, 2)
    """

    function = "adaptive_avg_pool2d"


class AdaptiveMaxPool2d(_AdaptiveMax):
    """The largest number of each of `output_size` tiles: `nn.functional.adaptive_max_pool2d` as a layer.

    >>> import tensorplay as tp
    >>> tp.nn.AdaptiveMaxPool2d(2)(tp.ones(1, 1, 4, 4)).shape
    (1, 1, 2, 2)
    """

    function = "adaptive_max_pool2d"


class AvgPool2d(_AvgPool):
    """The mean under each window: `nn.functional.avg_pool2d` as a layer.

    >>> import tensorplay as tp
    >>> tp.nn.AvgPool2d(2)(tp.ones(1, 1, 4, 4)).shape
    (1, 1, 2, 2)
    """

    function = "avg_pool2d"


class MaxPool3d(_MaxPool):
    """The largest number under each window: `nn.functional.max_pool3d` as a layer.

    >>> import tensorplay as tp
    >>> tp.nn.MaxPool3d(2)(tp.ones(1, 1, 4, 4, 4)).shape
    (1, 1, 2, 2, 2)
    """

    function = "max_pool3d"


class LPPool3d(_LPPool):
    """(Σ xᵖ)^(1/p) under each window: `nn.functional.lp_pool3d` as a layer.

    >>> import tensorplay as tp
    >>> tp.nn.LPPool3d(2, 2)(tp.ones(1, 1, 4, 4, 4)).shape
    (1, 1, 2, 2, 2)
    """

    function = "lp_pool3d"


class AdaptiveAvgPool3d(_Adaptive):
    """The mean of each of `output_size` tiles: `nn.functional.adaptive_avg_pool3d` as a layer.

    >>> import tensorplay as tp
    >>> tp.nn.AdaptiveAvgPool3d(2)(tp.ones(1, 1, 4, 4, 4)).shape
    (1, 1, 2, 2, 2)
    """

    function = "adaptive_avg_pool3d"


class AdaptiveMaxPool3d(_AdaptiveMax):
    """The largest number of each of `output_size` tiles: `nn.functional.adaptive_max_pool3d` as a layer.

    >>> import tensorplay as tp
    >>> tp.nn.AdaptiveMaxPool3d(2)(tp.ones(1, 1, 4, 4, 4)).shape
    (1, 1, 2, 2, 2)
    """

    function = "adaptive_max_pool3d"


class AvgPool3d(_AvgPool):
    """The mean under each window: `nn.functional.avg_pool3d` as a layer.

    >>> import tensorplay as tp
    >>> tp.nn.AvgPool3d(2)(tp.ones(1, 1, 4, 4, 4)).shape
    (1, 1, 2, 2, 2)
    """

    function = "avg_pool3d"

"""Convolutional layers."""

from __future__ import annotations

import math
from typing import Any

from .. import creation
from ..creation import DTypeLike
from ..errors import HyperparameterError
from ..tensor import Tensor, rank
from . import convolution_functions as F
from . import init
from .module import Module
from .padding_functions import pad
from .parameter import Parameter
from .window import Size, per_dim

__all__ = [
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "ConvTranspose3d",
]

_MODES = ("zeros", "reflect", "replicate", "circular")


class _Convolution(Module):
    """What all share: the kernels, how they start, and how they move."""

    weight: Parameter
    bias: Parameter | None
    dims = 1
    transposed = False
    kernel_size: tuple[int, ...]
    stride: tuple[int, ...]
    padding: Any
    dilation: tuple[int, ...]
    output_padding: tuple[int, ...]

    def _begin(self, channels: tuple[int, int], window: dict[str, Any], groups: int, bias: bool, mode: str,
               made: dict[str, Any]) -> None:  # fmt: skip
        _check_layer(channels, groups, mode, window["padding"], window["stride"])
        self.in_channels, self.out_channels = channels
        for name, value in window.items():
            setattr(self, name, value if isinstance(value, str) else per_dim(value, self.dims, name))
        self.groups, self.padding_mode = groups, mode
        first, second = channels if self.transposed else channels[::-1]
        self.weight = Parameter(creation.empty(first, second // groups, *self.kernel_size, **made))
        self.bias = Parameter(creation.empty(self.out_channels, **made)) if bias else None
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new starting values, evenly spread between ±1/√(numbers under a kernel)."""
        if not self.weight.numel():
            return
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            bound = 1 / math.sqrt(init.fans(self.weight)[0])
            init.uniform_(self.bias, -bound, bound)

    def extra_repr(self) -> str:
        """The sizes, and what is not as usual."""
        ones, zeros = (1,) * self.dims, (0,) * self.dims
        usual: dict[str, Any] = {"padding": zeros, "dilation": ones, "output_padding": zeros, "groups": 1}
        if self.padding == "valid":
            usual["padding"] = "valid"
        shown = [f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"]
        shown += [f"{name}={getattr(self, name, value)}" for name, value in usual.items() if self._differs(name, value)]
        shown += ["bias=False"] if self.bias is None else []
        shown += [f"padding_mode={self.padding_mode}"] if self.padding_mode != "zeros" else []
        return ", ".join(shown)

    def _differs(self, name: str, value: Any) -> bool:
        return bool(getattr(self, name, value) != value)


class _Plain(_Convolution):
    """A convolution, where the frame may be other than zeros."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Size,
        stride: Size = 1,
        padding: Any = 0,
        dilation: Size = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: object = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__()
        window = {"kernel_size": kernel_size, "stride": stride, "padding": padding, "dilation": dilation}
        made = {"device": device, "dtype": dtype}
        self._begin((in_channels, out_channels), window, groups, bias, padding_mode, made)

    def forward(self, input: Tensor) -> Tensor:
        """Shape (N, in_channels, …) to (N, out_channels, …)."""
        padding = self.padding
        if self.padding_mode != "zeros":
            frame = F._flat(F._ends(padding, self.kernel_size, self.stride, self.dilation))
            input, padding = pad(input, frame, self.padding_mode), 0
        out: Tensor = getattr(F, f"conv{self.dims}d")(
            input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups
        )
        return out


class _Transposed(_Convolution):
    """The adjoint of a convolution."""

    transposed = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Size,
        stride: Size = 1,
        padding: Size = 0,
        output_padding: Size = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Size = 1,
        padding_mode: str = "zeros",
        device: object = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__()
        if padding_mode != "zeros":
            raise HyperparameterError(
                f'Only "zeros" padding mode is supported for {type(self).__name__}, got {padding_mode!r}'
            )
        window = {"kernel_size": kernel_size, "stride": stride, "padding": padding, "dilation": dilation}
        made = {"device": device, "dtype": dtype}
        window["output_padding"] = output_padding
        self._begin((in_channels, out_channels), window, groups, bias, padding_mode, made)

    def forward(self, input: Tensor, output_size: Any = None) -> Tensor:
        """Shape (N, in_channels, …) to (N, out_channels, …), of the size asked for where several are possible."""
        more = self.output_padding if output_size is None else self._missing(input, tuple(output_size))
        out: Tensor = getattr(F, f"conv_transpose{self.dims}d")(
            input, self.weight, self.bias, self.stride, self.padding, more, self.groups, self.dilation
        )
        return out

    def _missing(self, input: Tensor, size: tuple[int, ...]) -> tuple[int, ...]:
        """What the size asked for is larger than the smallest possible one."""
        sizes = input.shape[rank(input) - self.dims :]
        parts = zip(sizes, self.stride, self.padding, self.kernel_size, self.dilation, strict=True)
        least = [(n - 1) * s - 2 * p + d * (k - 1) + 1 for n, s, p, k, d in parts]
        more = tuple(want - have for want, have in zip(size[-self.dims :], least, strict=True))
        if any(not 0 <= m < s for m, s in zip(more, self.stride, strict=True)):
            raise HyperparameterError(
                f"requested an output size of {size}, but valid sizes range from {least} to "
                f"{[n + s - 1 for n, s in zip(least, self.stride, strict=True)]} for an input of {list(sizes)}"
            )
        return more


def _check_layer(channels: tuple[int, int], groups: int, mode: str, padding: Any, stride: Any) -> None:
    if groups <= 0:
        raise HyperparameterError(f"groups must be a positive integer, got {groups}")
    for name, count in zip(("in_channels", "out_channels"), channels, strict=True):
        if count % groups:
            raise HyperparameterError(f"{name} must be divisible by groups: got {count} channels and {groups} groups")
    if isinstance(padding, str) and padding not in ("same", "valid"):
        raise HyperparameterError(f"Invalid padding string {padding!r}, should be one of {{'valid', 'same'}}")
    if padding == "same" and any(s != 1 for s in (stride if isinstance(stride, (tuple, list)) else (stride,))):
        raise HyperparameterError(f"padding='same' is not supported for strided convolutions: got stride {stride}")
    if mode not in _MODES:
        raise HyperparameterError(f"padding_mode must be one of {{{', '.join(_MODES)}}}, but got padding_mode={mode!r}")


class Conv1d(_Plain):
    """`nn.functional.conv1d` with a learned weight (out_channels, in_channels/groups, *kernel_size) and bias.

    Both start evenly spread between ±1/√(in_channels/groups · elements of the kernel).

    >>> import tensorplay as tp
    >>> tp.nn.Conv1d(1, 3, 2)(tp.ones(1, 1, 4)).shape
    (1, 3, 3)
    """

    dims = 1


class ConvTranspose1d(_Transposed):
    """`nn.functional.conv_transpose1d` with a learned weight (in_channels, out_channels/groups, *kernel_size) and bias.

    >>> import tensorplay as tp
    >>> tp.nn.ConvTranspose1d(1, 3, 2, stride=2)(tp.ones(1, 1, 4)).shape
    (1, 3, 8)
    """

    dims = 1


class Conv2d(_Plain):
    """`nn.functional.conv2d` with a learned weight (out_channels, in_channels/groups, *kernel_size) and bias.

    Both start evenly spread between ±1/√(in_channels/groups · elements of the kernel).

    >>> import tensorplay as tp
    >>> tp.nn.Conv2d(1, 3, 2)(tp.ones(1, 1, 4, 4)).shape
    (1, 3, 3, 3)
    """

    dims = 2


class ConvTranspose2d(_Transposed):
    """`nn.functional.conv_transpose2d` with a learned weight (in_channels, out_channels/groups, *kernel_size) and bias.

    >>> import tensorplay as tp
    >>> tp.nn.ConvTranspose2d(1, 3, 2, stride=2)(tp.ones(1, 1, 4, 4)).shape
    (1, 3, 8, 8)
    """

    dims = 2


class Conv3d(_Plain):
    """`nn.functional.conv3d` with a learned weight (out_channels, in_channels/groups, *kernel_size) and bias.

    Both start evenly spread between ±1/√(in_channels/groups · elements of the kernel).

    >>> import tensorplay as tp
    >>> tp.nn.Conv3d(1, 3, 2)(tp.ones(1, 1, 4, 4, 4)).shape
    (1, 3, 3, 3, 3)
    """

    dims = 3


class ConvTranspose3d(_Transposed):
    """`nn.functional.conv_transpose3d` with a learned weight (in_channels, out_channels/groups, *kernel_size) and bias.

    >>> import tensorplay as tp
    >>> tp.nn.ConvTranspose3d(1, 3, 2, stride=2)(tp.ones(1, 1, 4, 4, 4)).shape
    (1, 3, 8, 8, 8)
    """

    dims = 3

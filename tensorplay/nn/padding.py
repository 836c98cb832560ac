"""Layers that pad: a frame around each image, of constants or of its own elements."""

from __future__ import annotations

from typing import Any

from ..tensor import Tensor
from .module import Module
from .padding_functions import pad
from .window import Size

__all__ = [
    "CircularPad1d",
    "CircularPad2d",
    "CircularPad3d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
]


def _frame(padding: Any, count: int) -> tuple[int, ...]:
    """(before, after) for each dimension; a single number counts for all."""
    return tuple(padding) if isinstance(padding, (tuple, list)) else (padding,) * count


class _Padding(Module):
    """What all share: the frame, and how it is filled."""

    mode = "constant"
    dims: int

    def __init__(self, padding: Size) -> None:
        super().__init__()
        self.padding = _frame(padding, 2 * self.dims)

    def forward(self, input: Tensor) -> Tensor:
        """Each padded size n becomes before + n + after."""
        return pad(input, self.padding, self.mode)

    def extra_repr(self) -> str:
        """The frame."""
        return f"{self.padding}"


class _ConstantPad(_Padding):
    """A frame of any value."""

    def __init__(self, padding: Size, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        """Each padded size n becomes before + n + after."""
        return pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        """The frame and its value."""
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPad):
    """A frame of `value`, along the last dimension.

    `padding` is a number, or (before, after) for each dimension, from the last one on.

    >>> import tensorplay as tp
    >>> tp.nn.ConstantPad1d(1, 2.0)(tp.ones(1, 1, 4)).shape
    (1, 1, 6)
    """

    dims = 1


class ConstantPad2d(_ConstantPad):
    """A frame of `value`, along the last 2 dimensions.

    `padding` is a number, or (before, after) for each dimension, from the last one on.

    >>> import tensorplay as tp
    >>> tp.nn.ConstantPad2d(1, 2.0)(tp.ones(1, 1, 4, 4)).shape
    (1, 1, 6, 6)
    """

    dims = 2


class ConstantPad3d(_ConstantPad):
    """A frame of `value`, along the last 3 dimensions.

    `padding` is a number, or (before, after) for each dimension, from the last one on.

    >>> import tensorplay as tp
    >>> tp.nn.ConstantPad3d(1, 2.0)(tp.ones(1, 1, 4, 4, 4)).shape
    (1, 1, 6, 6, 6)
    """

    dims = 3


class ZeroPad1d(_Padding):
    """A frame of zeros, along the last dimension.

    `padding` is a number, or (before, after) for each dimension, from the last one on.

    >>> import tensorplay as tp
    >>> tp.nn.ZeroPad1d(1)(tp.ones(1, 1, 4)).shape
    (1, 1, 6)
    """

    dims = 1


class ZeroPad2d(_Padding):
    """A frame of zeros, along the last 2 dimensions.

    `padding` is a number, or (before, after) for each dimension, from the last one on.

    >>> import tensorplay as tp
    >>> tp.nn.ZeroPad2d(1)(tp.ones(1, 1, 4, 4)).shape
    (1, 1, 6, 6)
    """

    dims = 2


class ZeroPad3d(_Padding):
    """A frame of zeros, along the last 3 dimensions.

    `padding` is a number, or (before, after) for each dimension, from the last one on.

    >>> import tensorplay as tp
    >>> tp.nn.ZeroPad3d(1)(tp.ones(1, 1, 4, 4, 4)).shape
    (1, 1, 6, 6, 6)
    """

    dims = 3


class ReflectionPad1d(_Padding):
    """A frame that mirrors the image without repeating its edge, along the last dimension.

    `padding` is a number, or (before, after) for each dimension, from the last one on.

    >>> import tensorplay as tp
    >>> tp.nn.ReflectionPad1d(1)(tp.ones(1, 1, 4)).shape
    (1, 1, 6)
    """

    mode = "reflect"
    dims = 1


class ReflectionPad2d(_Padding):
    """A frame that mirrors the image without repeating its edge, along the last 2 dimensions.

    `padding` is a number, or (before, after) for each dimension, from the last one on.

    >>> import tensorplay as tp
    >>> tp.nn.ReflectionPad2d(1)(tp.ones(1, 1, 4, 4)).shape
    (1, 1, 6, 6)
    """

    mode = "reflect"
    dims = 2


class ReflectionPad3d(_Padding):
    """A frame that mirrors the image without repeating its edge, along the last 3 dimensions.

    `padding` is a number, or (before, after) for each dimension, from the last one on.

    >>> import tensorplay as tp
    >>> tp.nn.ReflectionPad3d(1)(tp.ones(1, 1, 4, 4, 4)).shape
    (1, 1, 6, 6, 6)
    """

    mode = "reflect"
    dims = 3


class ReplicationPad1d(_Padding):
    """A frame that repeats the edge, along the last dimension.

    `padding` is a number, or (before, after) for each dimension, from the last one on.

    >>> import tensorplay as tp
    >>> tp.nn.ReplicationPad1d(1)(tp.ones(1, 1, 4)).shape
    (1, 1, 6)
    """

    mode = "replicate"
    dims = 1


class ReplicationPad2d(_Padding):
    """A frame that repeats the edge, along the last 2 dimensions.

    `padding` is a number, or (before, after) for each dimension, from the last one on.

    >>> import tensorplay as tp
    >>> tp.nn.ReplicationPad2d(1)(tp.ones(1, 1, 4, 4)).shape
    (1, 1, 6, 6)
    """

    mode = "replicate"
    dims = 2


class ReplicationPad3d(_Padding):
    """A frame that repeats the edge, along the last 3 dimensions.

    `padding` is a number, or (before, after) for each dimension, from the last one on.

    >>> import tensorplay as tp
    >>> tp.nn.ReplicationPad3d(1)(tp.ones(1, 1, 4, 4, 4)).shape
    (1, 1, 6, 6, 6)
    """

    mode = "replicate"
    dims = 3


class CircularPad1d(_Padding):
    """A frame that goes on at the other end of the image, along the last dimension.

    `padding` is a number, or (before, after) for each dimension, from the last one on.

    >>> import tensorplay as tp
    >>> tp.nn.CircularPad1d(1)(tp.ones(1, 1, 4)).shape
    (1, 1, 6)
    """

    mode = "circular"
    dims = 1


class CircularPad2d(_Padding):
    """A frame that goes on at the other end of the image, along the last 2 dimensions.

    `padding` is a number, or (before, after) for each dimension, from the last one on.

    >>> import tensorplay as tp
    >>> tp.nn.CircularPad2d(1)(tp.ones(1, 1, 4, 4)).shape
    (1, 1, 6, 6)
    """

    mode = "circular"
    dims = 2


class CircularPad3d(_Padding):
    """A frame that goes on at the other end of the image, along the last 3 dimensions.

    `padding` is a number, or (before, after) for each dimension, from the last one on.

    >>> import tensorplay as tp
    >>> tp.nn.CircularPad3d(1)(tp.ones(1, 1, 4, 4, 4)).shape
    (1, 1, 6, 6, 6)
    """

    mode = "circular"
    dims = 3

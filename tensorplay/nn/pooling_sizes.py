"""Pooling in one, two and three dimensions, with PyTorch's arguments."""

from __future__ import annotations

from typing import Any

from ..tensor import Tensor
from .pooling_functions import adaptive_avg, adaptive_max, averaged, largest, powered
from .window import Size

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "adaptive_max_pool3d",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "lp_pool1d",
    "lp_pool2d",
    "lp_pool3d",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
]


def max_pool1d(
    input: Tensor,
    kernel_size: Size,
    stride: Any = None,
    padding: Size = 0,
    dilation: Size = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest number under each window of (N, C, L), `stride` (as wide as the window, if not given) apart.

    With `return_indices` also where it is in the flattened image. The gradient goes to the first of equal ones.
    Raises ShapeError for windows that do not fit.

    >>> import tensorplay as tp
    >>> tp.nn.functional.max_pool1d(tp.tensor([[1.0, 3.0, 2.0, 0.0]]), 2).shape
    (1, 2)
    """
    values, indices = largest(1, input, kernel_size, stride, padding, dilation, ceil_mode)
    return (values, indices) if return_indices else values


def max_pool2d(
    input: Tensor,
    kernel_size: Size,
    stride: Any = None,
    padding: Size = 0,
    dilation: Size = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest number under each window of (N, C, H, W), `stride` (as wide as the window, if not given) apart.

    With `return_indices` also where it is in the flattened image. The gradient goes to the first of equal ones.
    Raises ShapeError for windows that do not fit.

    >>> import tensorplay as tp
    >>> tp.nn.functional.max_pool2d(tp.ones(1, 4, 4), 2).shape
    (1, 2, 2)
    """
    values, indices = largest(2, input, kernel_size, stride, padding, dilation, ceil_mode)
    return (values, indices) if return_indices else values


def max_pool3d(
    input: Tensor,
    kernel_size: Size,
    stride: Any = None,
    padding: Size = 0,
    dilation: Size = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest number under each window of (N, C, D, H, W), `stride` (as wide as the window, if not given) apart.

    With `return_indices` also where it is in the flattened image. The gradient goes to the first of equal ones.
    Raises ShapeError for windows that do not fit.

    >>> import tensorplay as tp
    >>> tp.nn.functional.max_pool3d(tp.ones(1, 4, 4, 4), 2).shape
    (1, 2, 2, 2)
    """
    values, indices = largest(3, input, kernel_size, stride, padding, dilation, ceil_mode)
    return (values, indices) if return_indices else values


def avg_pool1d(
    input: Tensor,
    kernel_size: Size,
    stride: Any = None,
    padding: Size = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """The mean under each window of (N, C, L), `stride` (as wide as the window, if not given) apart.

    Zeros of the padding count, unless `count_include_pad` is False.
    Raises ShapeError for windows that do not fit.

    >>> import tensorplay as tp
    >>> tp.nn.functional.avg_pool1d(tp.tensor([[1.0, 3.0, 2.0, 0.0]]), 2).shape
    (1, 2)
    """
    return averaged(1, input, kernel_size, stride, padding, ceil_mode, count_include_pad, None)


def avg_pool2d(
    input: Tensor,
    kernel_size: Size,
    stride: Any = None,
    padding: Size = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """The mean under each window of (N, C, H, W), `stride` (as wide as the window, if not given) apart.

    Zeros of the padding count, unless `count_include_pad` is False. `divisor_override` divides by another number.
    Raises ShapeError for windows that do not fit.

    >>> import tensorplay as tp
    >>> tp.nn.functional.avg_pool2d(tp.ones(1, 4, 4), 2).shape
    (1, 2, 2)
    """
    return averaged(2, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


def avg_pool3d(
    input: Tensor,
    kernel_size: Size,
    stride: Any = None,
    padding: Size = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """The mean under each window of (N, C, D, H, W), `stride` (as wide as the window, if not given) apart.

    Zeros of the padding count, unless `count_include_pad` is False. `divisor_override` divides by another number.
    Raises ShapeError for windows that do not fit.

    >>> import tensorplay as tp
    >>> tp.nn.functional.avg_pool3d(tp.ones(1, 4, 4, 4), 2).shape
    (1, 2, 2, 2)
    """
    return averaged(3, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


def lp_pool1d(
    input: Tensor, norm_type: float, kernel_size: Size, stride: Any = None, ceil_mode: bool = False
) -> Tensor:
    """(Σ xᵖ)^(1/p) under each window of (N, C, L), where p is `norm_type`.

    Raises ShapeError for windows that do not fit.

    >>> import tensorplay as tp
    >>> tp.nn.functional.lp_pool1d(tp.tensor([[1.0, 3.0, 2.0, 0.0]]), 2, 2).shape
    (1, 2)
    """
    return powered(1, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool2d(
    input: Tensor, norm_type: float, kernel_size: Size, stride: Any = None, ceil_mode: bool = False
) -> Tensor:
    """(Σ xᵖ)^(1/p) under each window of (N, C, H, W), where p is `norm_type`.

    Raises ShapeError for windows that do not fit.

    >>> import tensorplay as tp
    >>> tp.nn.functional.lp_pool2d(tp.ones(1, 4, 4), 2, 2).shape
    (1, 2, 2)
    """
    return powered(2, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool3d(
    input: Tensor, norm_type: float, kernel_size: Size, stride: Any = None, ceil_mode: bool = False
) -> Tensor:
    """(Σ xᵖ)^(1/p) under each window of (N, C, D, H, W), where p is `norm_type`.

    Raises ShapeError for windows that do not fit.

    >>> import tensorplay as tp
    >>> tp.nn.functional.lp_pool3d(tp.ones(1, 4, 4, 4), 2, 2).shape
    (1, 2, 2, 2)
    """
    return powered(3, input, norm_type, kernel_size, stride, ceil_mode)


def adaptive_avg_pool1d(input: Tensor, output_size: Any) -> Tensor:
    """The mean of each of `output_size` tiles of (N, C, L): tile i of o runs from ⌊i·L/o⌋ to ⌈(i + 1)·L/o⌉.

    None keeps a size. Raises ShapeError for an input of other dimensions.

    >>> import tensorplay as tp
    >>> tp.nn.functional.adaptive_avg_pool1d(tp.tensor([[1.0, 3.0, 2.0, 0.0]]), 2).shape
    (1, 2)
    """
    return adaptive_avg(1, input, output_size)


def adaptive_max_pool1d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """The largest number of each of `output_size` tiles of (N, C, L), as in `adaptive_avg_pool1d`.

    With `return_indices` also where it is in the flattened image. Raises ShapeError for an input of other dimensions.

    >>> import tensorplay as tp
    >>> tp.nn.functional.adaptive_max_pool1d(tp.tensor([[1.0, 3.0, 2.0, 0.0]]), 2).shape
    (1, 2)
    """
    values, indices = adaptive_max(1, input, output_size)
    return (values, indices) if return_indices else values


def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """The mean of each of `output_size` tiles of (N, C, H, W): tile i of o runs from ⌊i·L/o⌋ to ⌈(i + 1)·L/o⌉.

    None keeps a size. Raises ShapeError for an input of other dimensions.

    >>> import tensorplay as tp
    >>> tp.nn.functional.adaptive_avg_pool2d(tp.ones(1, 4, 4), 2).shape
    (1, 2, 2)
    """
    return adaptive_avg(2, input, output_size)


def adaptive_max_pool2d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """The largest number of each of `output_size` tiles of (N, C, H, W), as in `adaptive_avg_pool2d`.

    With `return_indices` also where it is in the flattened image. Raises ShapeError for an input of other dimensions.

    >>> import tensorplay as tp
    >>> tp.nn.functional.adaptive_max_pool2d(tp.ones(1, 4, 4), 2).shape
    (1, 2, 2)
    """
    values, indices = adaptive_max(2, input, output_size)
    return (values, indices) if return_indices else values


def adaptive_avg_pool3d(input: Tensor, output_size: Any) -> Tensor:
    """The mean of each of `output_size` tiles of (N, C, D, H, W): tile i of o runs from ⌊i·L/o⌋ to ⌈(i + 1)·L/o⌉.

    None keeps a size. Raises ShapeError for an input of other dimensions.

    >>> import tensorplay as tp
    >>> tp.nn.functional.adaptive_avg_pool3d(tp.ones(1, 4, 4, 4), 2).shape
    (1, 2, 2, 2)
    """
    return adaptive_avg(3, input, output_size)


def adaptive_max_pool3d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """The largest number of each of `output_size` tiles of (N, C, D, H, W), as in `adaptive_avg_pool3d`.

    With `return_indices` also where it is in the flattened image. Raises ShapeError for an input of other dimensions.

    >>> import tensorplay as tp
    >>> tp.nn.functional.adaptive_max_pool3d(tp.ones(1, 4, 4, 4), 2).shape
    (1, 2, 2, 2)
    """
    values, indices = adaptive_max(3, input, output_size)
    return (values, indices) if return_indices else values

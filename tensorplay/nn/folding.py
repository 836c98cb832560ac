"""Windows as columns and back: what turns a convolution into a matrix product, and its adjoint."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from .. import ops
from ..apply import apply
from ..errors import ShapeError
from ..functional import permute, reshape, squeeze
from ..tensor import Tensor, wrap
from .padding_functions import pad
from .window import Size, batched, check_fits, per_dim, windows

__all__ = ["fold", "unfold"]


def unfold(input: Tensor, kernel_size: Size, dilation: Size = 1, padding: Size = 0, stride: Size = 1) -> Tensor:
    """What lies under each window of (N, C, H, W) as a column: (N, C · elements of the kernel, places).

    Raises ShapeError for windows that do not fit.

    >>> import tensorplay as tp
    >>> tp.nn.functional.unfold(tp.ones(1, 2, 3, 3), 2).shape
    (1, 8, 4)
    """
    x, alone = batched(input, 2, "unfold")
    kernel, edge = per_dim(kernel_size, 2, "kernel_size"), per_dim(padding, 2, "padding")
    spread, step = per_dim(dilation, 2, "dilation"), per_dim(stride, 2, "stride")
    framed = pad(x, (edge[1], edge[1], edge[0], edge[0]))
    check_fits(framed.shape[2:], kernel, spread)
    seen = permute(windows(framed, kernel, step, spread), (0, 1, 4, 5, 2, 3))
    out = reshape(seen, (x.shape[0], x.shape[1] * prod(kernel), prod(seen.shape[4:])))
    return squeeze(out, 0) if alone else out


def fold(
    input: Tensor, output_size: Size, kernel_size: Size, dilation: Size = 1, padding: Size = 0, stride: Size = 1
) -> Tensor:
    """The adjoint of `unfold`: columns (N, C · elements of the kernel, places) added where they lie in (N, C, H, W).

    Raises ShapeError where the sizes do not belong together.

    >>> import tensorplay as tp
    >>> tp.nn.functional.fold(tp.ones(1, 4, 4), (3, 3), 2)
    tensor([[[[1., 2., 1.],
              [2., 4., 2.],
              [1., 2., 1.]]]])
    """
    x, alone = batched(input, 1, "fold")
    size, kernel = per_dim(output_size, 2, "output_size"), per_dim(kernel_size, 2, "kernel_size")
    edge, spread = per_dim(padding, 2, "padding"), per_dim(dilation, 2, "dilation")
    step = per_dim(stride, 2, "stride")
    framed = tuple(n + 2 * p for n, p in zip(size, edge, strict=True))
    check_fits(framed, kernel, spread)
    rows, columns = (_positions(*each) for each in zip(framed, kernel, spread, step, strict=True))
    count, places = x.shape[0], rows.shape[1] * columns.shape[1]
    if x.shape[1] % prod(kernel) or x.shape[2] != places:
        raise ShapeError(
            f"Expected size of input's dimension 1 to be divisible by the product of kernel_size {kernel}, and "
            f"dimension 2 to match the calculated number of sliding blocks {places}, but got input of size "
            f"{list(input.shape)}"
        )
    channels = x.shape[1] // prod(kernel)
    front = permute(reshape(x, (count, channels, *kernel, rows.shape[1], columns.shape[1])), (2, 3, 4, 5, 0, 1))
    index = wrap(rows[:, None, :, None]), wrap(columns[None, :, None, :])
    added: Any = permute(apply(ops.AddAt, front, *index, shape=(*framed, count, channels)), (2, 3, 0, 1))
    out: Tensor = pad(added, (-edge[1], -edge[1], -edge[0], -edge[0]))
    return squeeze(out, 0) if alone else out


def _positions(size: int, kernel: int, dilation: int, stride: int) -> np.ndarray:
    """Which row (or column) element k of window i lies in: (kernel, places)."""
    places = (size - dilation * (kernel - 1) - 1) // stride + 1
    return np.arange(kernel)[:, None] * dilation + np.arange(places) * stride

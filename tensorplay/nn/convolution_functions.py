"""Convolutions: a kernel slides over an image, and each place gives the sum of products of what lies under it.

The windows are a strided view of the image; one matrix product with the kernels does the rest. A transposed
convolution is the adjoint: the image with zeros between its elements, under the reversed kernel.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from .. import ops
from ..apply import apply1
from ..errors import DTypeError, ShapeError
from ..functional import flip, matmul, permute, reshape, squeeze
from ..tensor import Tensor, rank
from .padding_functions import pad
from .window import Size, batched, check_fits, per_dim, windows

__all__ = ["conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d"]

Padding = int | Sequence[int] | str


def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Size = 1,
    padding: Padding = 0,
    dilation: Size = 1,
    groups: int = 1,
) -> Tensor:
    """out[n, o, i] = bias[o] + Σ_c,k weight[o, c, k] · input[n, c, i·stride - padding + k·dilation].

    Shapes: input (N, C, L) or (C, L), weight (O, C/groups, K), bias (O,): the result is (N, O, L') with
    L' = (L + 2·padding - dilation·(K - 1) - 1) // stride + 1. Raises ShapeError where they do not fit.

    >>> import tensorplay as tp
    >>> tp.nn.functional.conv1d(tp.tensor([[1.0, 2.0, 4.0]]), tp.tensor([[[1.0, -1.0]]]))
    tensor([[-1., -2.]])
    """
    return _conv(1, input, weight, bias, stride, padding, dilation, groups)


def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Size = 1,
    padding: Padding = 0,
    dilation: Size = 1,
    groups: int = 1,
) -> Tensor:
    """out[n, o, i, j] = bias[o] + Σ_c,k,l weight[o, c, k, l] · input[n, c, i·stride + k, j·stride + l].

    Shapes: input (N, C, H, W) or (C, H, W), weight (O, C/groups, K, L), bias (O,): the result is (N, O, H', W'), with
    sizes as in `conv1d`. `padding` is a number for each dimension, "same" or "valid". Raises ShapeError where they do
    not fit.

    >>> import tensorplay as tp
    >>> tp.nn.functional.conv2d(tp.ones(1, 3, 3), tp.ones(1, 1, 2, 2))
    tensor([[[4., 4.],
             [4., 4.]]])
    """
    return _conv(2, input, weight, bias, stride, padding, dilation, groups)


def conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Size = 1,
    padding: Padding = 0,
    dilation: Size = 1,
    groups: int = 1,
) -> Tensor:
    """The convolution of `conv2d` in three dimensions: input (N, C, D, H, W), weight (O, C/groups, K, L, M).

    Raises ShapeError where they do not fit.

    >>> import tensorplay as tp
    >>> tp.nn.functional.conv3d(tp.ones(1, 3, 3, 3), tp.ones(1, 1, 3, 3, 3))
    tensor([[[[27.]]]])
    """
    return _conv(3, input, weight, bias, stride, padding, dilation, groups)


def conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Size = 1,
    padding: Size = 0,
    output_padding: Size = 0,
    groups: int = 1,
    dilation: Size = 1,
) -> Tensor:
    """The adjoint of `conv1d` with the same weight: each element of the input spreads a copy of the kernel.

    Shapes: input (N, C, L), weight (C, O/groups, K): the result is (N, O, L') with
    L' = (L - 1)·stride - 2·padding + dilation·(K - 1) + output_padding + 1. Raises ShapeError where they do not fit.

    >>> import tensorplay as tp
    >>> tp.nn.functional.conv_transpose1d(tp.tensor([[1.0, 2.0]]), tp.tensor([[[1.0, 10.0]]]))
    tensor([[ 1., 12., 20.]])
    """
    return _transposed(1, input, weight, bias, stride, padding, output_padding, groups, dilation)


def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Size = 1,
    padding: Size = 0,
    output_padding: Size = 0,
    groups: int = 1,
    dilation: Size = 1,
) -> Tensor:
    """The adjoint of `conv2d`: input (N, C, H, W), weight (C, O/groups, K, L), sizes as in `conv_transpose1d`.

    Raises ShapeError where they do not fit.

    >>> import tensorplay as tp
    >>> tp.nn.functional.conv_transpose2d(tp.ones(1, 2, 2), tp.ones(1, 1, 2, 2), stride=2).shape
    (1, 4, 4)
    """
    return _transposed(2, input, weight, bias, stride, padding, output_padding, groups, dilation)


def conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Size = 1,
    padding: Size = 0,
    output_padding: Size = 0,
    groups: int = 1,
    dilation: Size = 1,
) -> Tensor:
    """The adjoint of `conv3d`: input (N, C, D, H, W), weight (C, O/groups, K, L, M), sizes as in `conv_transpose1d`.

    Raises ShapeError where they do not fit.

    >>> import tensorplay as tp
    >>> tp.nn.functional.conv_transpose3d(tp.ones(1, 1, 1, 1), tp.ones(1, 2, 2, 2, 2)).shape
    (2, 2, 2, 2)
    """
    return _transposed(3, input, weight, bias, stride, padding, output_padding, groups, dilation)


def _conv(n: int, input: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, groups: int) -> Tensor:
    x, alone = batched(input, n, f"conv{n}d")
    _check(n, x, weight, bias, groups, weight.shape[0] if rank(weight) else 0)
    if x.shape[1] != weight.shape[1] * groups:
        raise ShapeError(
            f"Given groups={groups}, weight of size {list(weight.shape)}, expected input{list(x.shape)} to have "
            f"{weight.shape[1] * groups} channels, but got {x.shape[1]} channels instead"
        )
    step, spread = _positive(stride, n, "stride"), _positive(dilation, n, "dilation")
    ends = _ends(padding, weight.shape[2:], step, spread)
    if any(a or b for a, b in ends):
        x = pad(x, _flat(ends))
    return _finished(_products(x, weight, step, spread, groups), bias, alone)


def _products(x: Tensor, weight: Tensor, stride: Any, dilation: Any, groups: int) -> Tensor:
    """(N, C, *sizes) and (O, C/groups, *kernel) to (N, O, *places)."""
    kernel, n = weight.shape[2:], rank(x) - 2
    check_fits(x.shape[2:], kernel, dilation)
    seen = windows(x, kernel, stride, dilation)
    places = seen.shape[2 : 2 + n]
    under = permute(seen, (0, 1, *range(2 + n, 2 + 2 * n), *range(2, 2 + n)))
    terms = weight.shape[1] * prod(kernel)
    columns = reshape(under, (x.shape[0], groups, terms, prod(places)))
    rows = reshape(weight, (groups, weight.shape[0] // groups, terms))
    return reshape(matmul(rows, columns), (x.shape[0], weight.shape[0], *places))


def _transposed(n: int, input: Any, weight: Any, bias: Any, stride: Any, padding: Any, more: Any, groups: int,
                dilation: Any) -> Tensor:  # fmt: skip
    x, alone = batched(input, n, f"conv_transpose{n}d")
    _check(n, x, weight, bias, groups, weight.shape[1] * groups if rank(weight) > 1 else 0)
    if x.shape[1] != weight.shape[0]:
        raise ShapeError(
            f"Given transposed=1, weight of size {list(weight.shape)}, expected input{list(x.shape)} to have "
            f"{weight.shape[0]} channels, but got {x.shape[1]} channels instead"
        )
    step, spread = _positive(stride, n, "stride"), _positive(dilation, n, "dilation")
    extra, cut = per_dim(more, n, "output_padding"), per_dim(padding, n, "padding")
    if any(e >= max(s, d) for e, s, d in zip(extra, step, spread, strict=True)):
        raise ShapeError(
            f"output padding must be smaller than either stride or dilation, but got output_padding {extra}, stride "
            f"{step} and dilation {spread}"
        )
    reach = [d * (k - 1) for k, d in zip(weight.shape[2:], spread, strict=True)]
    ends = [(r - p, r - p + e) for r, p, e in zip(reach, cut, extra, strict=True)]
    framed = pad(_apart(x, step), _flat(ends))
    return _finished(_products(framed, _reversed(weight, groups), (1,) * n, spread, groups), bias, alone)


def _apart(x: Tensor, stride: tuple[int, ...]) -> Tensor:
    """The elements `stride` apart, with zeros between them."""
    if all(s == 1 for s in stride):
        return x
    sizes = tuple(max((m - 1) * s + 1, 0) for m, s in zip(x.shape[2:], stride, strict=True))
    index = (slice(None), slice(None), *(slice(None, None, s) for s in stride))
    return apply1(ops.Put, x, {"index": index, "shape": (*x.shape[:2], *sizes)})


def _reversed(weight: Tensor, groups: int) -> Tensor:
    """The kernels of the adjoint: in reverse order, inputs and outputs exchanged within each group."""
    inputs, outputs, *kernel = weight.shape
    dims = tuple(range(2, rank(weight)))
    grouped = reshape(flip(weight, dims), (groups, inputs // groups, outputs, *kernel))
    swapped = permute(grouped, (0, 2, 1, *(d + 1 for d in dims)))
    return reshape(swapped, (groups * outputs, inputs // groups, *kernel))


def _finished(out: Tensor, bias: Tensor | None, alone: bool) -> Tensor:
    if bias is not None:
        out = out + reshape(bias, (-1, *(1,) * (rank(out) - 2)))
    return squeeze(out, 0) if alone else out


def _check(n: int, x: Tensor, weight: Tensor, bias: Tensor | None, groups: int, outputs: int) -> None:
    if rank(weight) != n + 2:
        raise ShapeError(f"Expected a weight of {n + 2} dimensions, but got weight of size {list(weight.shape)}")
    if x.dtype != weight.dtype:
        raise DTypeError(
            f"Input type ({x.dtype}) and weight type ({weight.dtype}) should be the same: convert one of them, for "
            "example with x.to(weight.dtype)"
        )
    if groups < 1:
        raise ShapeError(f"non-positive groups is not supported: groups is at least 1, got {groups}")
    if weight.shape[0] % groups:
        raise ShapeError(
            f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got weight of "
            f"size {list(weight.shape)} instead"
        )
    if bias is not None and bias.shape != (outputs,):
        raise ShapeError(
            f"Given weight of size {list(weight.shape)}, expected bias to be 1-dimensional with {outputs} elements, "
            f"but got bias of size {list(bias.shape)} instead"
        )


def _positive(value: Any, n: int, name: str) -> tuple[int, ...]:
    numbers = per_dim(value, n, name)
    if min(numbers) < 1:
        raise ShapeError(f"non-positive {name} is not supported: it is at least 1, got {value}")
    return numbers


def _ends(padding: Any, kernel: Any, stride: Any, dilation: Any) -> list[tuple[int, int]]:
    """How many zeros stand before and after each dimension."""
    if not isinstance(padding, str):
        numbers = per_dim(padding, len(kernel), "padding")
        if min(numbers) < 0:
            raise ShapeError(f"negative padding is not supported: it is at least 0, got {padding}")
        return [(p, p) for p in numbers]
    if padding not in ("same", "valid"):
        raise ShapeError(f"Invalid padding string: '{padding}': expected 'same', 'valid' or numbers")
    if padding == "valid":
        return [(0, 0)] * len(kernel)
    if any(s != 1 for s in stride):
        raise ShapeError(f"padding='same' is not supported for strided convolutions: stride must be 1, got {stride}")
    totals = [d * (k - 1) for k, d in zip(kernel, dilation, strict=True)]
    return [(t // 2, t - t // 2) for t in totals]


def _flat(ends: Sequence[tuple[int, int]]) -> list[int]:
    """In the order of `pad`: the last dimension first."""
    return [number for both in reversed(ends) for number in both]

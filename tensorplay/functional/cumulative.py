"""Running results along a dimension."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..apply import apply, apply1, apply2
from ..errors import RangeError, ShapeError, UnsupportedDTypeError
from ..ops.families import normal_dim
from ..tensor import Tensor, rank
from .common import ValuesIndices, alone, in_single, narrowed, widened

__all__ = ["cummax", "cummin", "cumprod", "cumsum", "diff", "logcumsumexp"]


def cumsum(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """Running sum along `dim`: out[k] = input[0] + … + input[k].

    >>> import tensorplay as tp
    >>> tp.cumsum(tp.tensor([1.0, 2.0, 3.0]), 0)
    tensor([1., 3., 6.])
    """
    return _running(ops.Cumsum, input, dim, dtype)


def cumprod(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """Running product along `dim`: out[k] = input[0] · … · input[k]. Its gradients are exact at zeros too.

    >>> import tensorplay as tp
    >>> tp.cumprod(tp.tensor([1.0, 2.0, 3.0]), 0)
    tensor([1., 2., 6.])
    """
    return _running(ops.Cumprod, input, dim, dtype)


def _running(op: type[ops.Op], input: Tensor, dim: int, dtype: Any) -> Tensor:
    dim = normal_dim(dim, rank(input))
    input = widened(input, dtype)
    return narrowed(apply1(op, input, {"dim": dim}) if rank(input) else apply1(ops.Clone, input), dtype)


def cummax(input: Tensor, dim: int) -> ValuesIndices:
    """Largest element so far along `dim`, and where it is: of equal ones the last. From the first NaN on it is NaN.

    The gradient of each result goes to the position in `indices`. Raises UnsupportedDTypeError for complex numbers.

    >>> import tensorplay as tp
    >>> tp.cummax(tp.tensor([1, 3, 2, 3]), 0).indices
    tensor([0, 1, 1, 3])
    """
    return _extreme_so_far(ops.Cummax, input, dim)


def cummin(input: Tensor, dim: int) -> ValuesIndices:
    """Smallest element so far along `dim`, and where it is: of equal ones the last. From the first NaN on it is NaN.

    The gradient of each result goes to the position in `indices`. Raises UnsupportedDTypeError for complex numbers.

    >>> import tensorplay as tp
    >>> tp.cummin(tp.tensor([3, 1, 2, 0]), 0).values
    tensor([3, 1, 1, 0])
    """
    return _extreme_so_far(ops.Cummin, input, dim)


def _extreme_so_far(op: type[ops.Op], input: Tensor, dim: int) -> ValuesIndices:
    dim = normal_dim(dim, rank(input))
    if input.dtype.is_complex and rank(input) and input._array.size:
        raise UnsupportedDTypeError(
            f'"{op.__name__.lower()}_cpu" not implemented for {input.dtype}: complex numbers are in no order'
        )
    return ValuesIndices(*(apply(op, input, dim=dim) if rank(input) else alone(input)))


def logcumsumexp(input: Tensor, dim: int) -> Tensor:
    """Running log Σ exp(x) along `dim`, without overflow: out[k] = log(exp(input[0]) + … + exp(input[k])).

    Raises UnsupportedDTypeError for whole numbers.

    >>> import tensorplay as tp
    >>> tp.logcumsumexp(tp.tensor([100.0, 100.0]), 0)
    tensor([100.0000, 100.6931])
    """
    dim = normal_dim(dim, rank(input))
    if not (input.dtype.is_floating_point or input.dtype.is_complex):
        raise UnsupportedDTypeError(
            f'"logcumsumexp_out_cpu" not implemented for {input.dtype}: convert with x.float() first'
        )
    if not rank(input):
        return apply1(ops.Clone, input)
    return in_single(lambda x: apply1(ops.LogCumsumExp, x, {"dim": dim}), input)


def diff(
    input: Tensor, n: int = 1, dim: int = -1, prepend: Tensor | None = None, append: Tensor | None = None
) -> Tensor:
    """Differences of neighbours along `dim`, input[k+1] - input[k], taken n times; of bools, whether they differ.

    `prepend` and `append` are joined to the input first. Raises RangeError for a negative n, ShapeError for a
    single number and where what is joined does not fit.

    >>> import tensorplay as tp
    >>> tp.diff(tp.tensor([1, 4, 9]), append=tp.tensor([16]))
    tensor([3, 5, 7])
    """
    if not rank(input):
        raise ShapeError("diff expects input to be at least one-dimensional: a single number has no neighbour")
    dim = normal_dim(dim, rank(input))
    if n < 0:
        raise RangeError(f"order must be non-negative but got {n}: it says how many times differences are taken")
    if n == 0:
        return apply1(ops.Alias, input)
    parts = [x for x in (prepend, input, append) if x is not None]
    for part in parts:
        _check_joined(input, part, dim)
    joined = apply(ops.Cat, *parts, dim=dim) if len(parts) > 1 else input
    for _ in range(min(n, joined.shape[dim])):
        joined = _neighbours(joined, dim)
    return joined


def _neighbours(x: Tensor, dim: int) -> Tensor:
    before = (slice(None),) * dim
    later: Any = apply1(ops.GetItem, x, {"index": (*before, slice(1, None))})
    earlier = apply1(ops.GetItem, x, {"index": (*before, slice(0, max(x.shape[dim] - 1, 0)))})
    return later != earlier if x._array.dtype.kind == "b" else apply2(ops.Sub, later, earlier)


def _check_joined(input: Tensor, part: Tensor, dim: int) -> None:
    if rank(part) != rank(input):
        raise ShapeError(
            "diff expects prepend or append to be the same dimension as input: "
            f"got shape {list(part.shape)} for an input of shape {list(input.shape)}"
        )
    for d, (m, k) in enumerate(zip(input.shape, part.shape, strict=True)):
        if m != k and d != dim:
            raise ShapeError(
                "diff expects the shape of tensor to prepend or append to match that of input except along the "
                f"differencing dimension; input.size({d}) = {m}, but got tensor.size({d}) = {k}"
            )

"""Quantiles: values below which a given part of the elements lies."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import ops
from ..apply import apply, apply1
from ..arrays.dtypes import float32, float64
from ..errors import ArgumentTypeError, DTypeError, EmptyReductionError, RangeError, ShapeError
from ..lifting import plain, values
from ..ops.families import normal_dim
from ..tensor import Tensor, rank, wrap
from .pointwise import where
from .reduction import any, sum
from .sorting import sort

__all__ = ["nanquantile", "quantile"]

INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


def quantile(
    input: Tensor, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear"
) -> Tensor:
    """The q-quantile of all elements, or along `dim`: of n in order, the one at position q · (n - 1).

    Where that is between two elements, `interpolation` says what to take: "linear" between them, the "lower", the
    "higher" or the "nearest" of the two, or their "midpoint". A tensor of several q puts a dimension for them in front.
    NaN if one element is NaN. The gradient goes to the elements it is made of, and to q. Raises DTypeError unless the
    elements are float32 or float64, RangeError for a q that is not between 0 and 1, EmptyReductionError for no
    elements.

    >>> import tensorplay as tp
    >>> tp.quantile(tp.tensor([1.0, 2.0, 3.0, 10.0]), 0.5)
    tensor(2.5000)
    >>> tp.quantile(tp.tensor([1.0, 2.0, 3.0, 10.0]), tp.tensor([0.0, 0.5]), interpolation="lower")
    tensor([1., 2.])
    """
    return _quantile("quantile", input, q, dim, keepdim, interpolation)


def nanquantile(
    input: Tensor, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear"
) -> Tensor:
    """The q-quantile of the elements that are not NaN: `quantile` as if they were not there. NaN if all are NaN.

    >>> import tensorplay as tp
    >>> tp.nanquantile(tp.tensor([1.0, float("nan"), 3.0]), 0.5)
    tensor(2.)
    """
    return _quantile("nanquantile", input, q, dim, keepdim, interpolation)


def _quantile(name: str, input: Tensor, q: Any, dim: int | None, keepdim: bool, interpolation: str) -> Tensor:
    size = rank(input)
    along = None if dim is None else normal_dim(dim, size)
    _check_input(name, input, interpolation)
    q = _checked_q(name, input, q)
    rows = _rows(input, along)
    rows = sort(rows, -1).values
    many = apply1(ops.Reshape, q, {"shape": (-1,)})
    found = _between(rows, _positions(rows, many, name == "nanquantile"), interpolation)
    order = (found.ndim - 1, *range(found.ndim - 1))
    found = apply1(ops.Permute, found, {"dims": order})
    lead = tuple(q.shape)
    return apply1(ops.Reshape, found, {"shape": (*lead, *_left(tuple(input.shape), along, keepdim))})


def _rows(input: Tensor, along: int | None) -> Tensor:
    """What one result is made of in the last dimension."""
    if along is None or not input.ndim:
        return apply1(ops.Reshape, input, {"shape": (-1,)})
    others = [d for d in range(input.ndim) if d != along]
    return apply1(ops.Permute, input, {"dims": (*others, along)})


def _left(shape: tuple[int, ...], along: int | None, keepdim: bool) -> tuple[int, ...]:
    if keepdim:
        return tuple(1 if along in (None, d) else n for d, n in enumerate(shape))
    return () if along is None else tuple(n for d, n in enumerate(shape) if d != along)


def _positions(rows: Tensor, q: Tensor, skip: bool) -> Tensor:
    """Where in each sorted row the quantiles are. NaN stands last: without `skip`, a row with NaN ends there."""
    last = float(rows.shape[-1] - 1)
    strange: Any = rows != rows
    if skip:
        numbers = rows.shape[-1] - sum(strange, -1, True)
        top = where(numbers > 0, numbers - 1, 0)
        return q * apply(ops.Cast, top, dtype=rows.dtype.numpy)
    at = q * last
    return where(any(strange, -1, True), last, at)


def _between(rows: Tensor, at: Tensor, interpolation: str) -> Tensor:
    """The elements at these positions, or what lies between two of them."""
    if interpolation in ("lower", "higher", "nearest"):
        return apply(ops.Gather, rows, _whole(rows, at, interpolation), dim=rows.ndim - 1)
    low = _whole(rows, at, "lower")
    part: Any = at - low if interpolation == "linear" else 0.5
    start, end = (apply(ops.Gather, rows, p, dim=rows.ndim - 1) for p in (low, _whole(rows, at, "higher")))
    near = start + part * (end - start)
    far = end - (1 - part) * (end - start)  # from the nearer of the two: exact at both ends
    return where(part < 0.5, near, far) if interpolation == "linear" else far


def _whole(rows: Tensor, at: Tensor, how: str) -> Tensor:
    """Positions as whole numbers: rounded down, up, or to the nearest, of two the even one."""
    rounding: Any = {"lower": np.floor, "higher": np.ceil, "nearest": np.rint}[how]
    found = values(lambda x: rounding(x).astype(np.int64), at)
    return apply1(ops.Expand, found, {"shape": (*rows.shape[:-1], at.shape[-1])})


def _check_input(name: str, input: Tensor, interpolation: str) -> None:
    if interpolation not in INTERPOLATIONS:
        raise RangeError(
            f"{name}() interpolation must be one of linear, lower, higher, midpoint or nearest, but got {interpolation}"
        )
    if input.dtype not in (float32, float64):
        raise DTypeError(
            f"{name}() input tensor must be either float or double dtype, got {input.dtype}: convert with x.float()"
        )
    if not input._array.size:
        raise EmptyReductionError(f"{name}() input tensor must be non-empty, got shape {list(input.shape)}")


def _checked_q(name: str, input: Tensor, q: Any) -> Tensor:
    """q as a tensor of the input's dtype. Raises RangeError for values that are not between 0 and 1."""
    if isinstance(q, Tensor):
        if q.ndim > 1:
            raise ShapeError(f"{name}() q must be a scalar or 1D tensor, got shape {list(q.shape)}")
        if q.dtype != input.dtype:
            raise DTypeError(
                f"{name}() q tensor must be same dtype as the input tensor: got {q.dtype} for {input.dtype}"
            )
        numbers = plain(q._array)
        if not ((numbers >= 0) & (numbers <= 1)).all():
            raise RangeError(f"{name}() q values must be in the range [0, 1]: got {numbers.tolist()}")
        return q
    if isinstance(q, bool) or not isinstance(q, (int, float, np.number)):
        raise ArgumentTypeError(f"{name}() received q of type {type(q).__name__}: expected a number or a Tensor")
    if not 0 <= q <= 1:
        raise RangeError(f"{name}() q must be in the range [0, 1] but got {q}")
    return wrap(np.asarray(q, input.dtype.numpy))

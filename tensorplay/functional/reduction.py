"""Many elements to one: sums, products, and questions about all of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import ops
from ..apply import apply1
from ..arrays.dtypes import uint8
from ..errors import ArgumentTypeError, DTypeError
from ..ops.families import normal_dim, normal_dims
from ..tensor import Tensor, rank, wrap
from .common import Dim, in_single, narrowed, widened
from .comparison import isnan
from .pointwise import where

__all__ = ["all", "any", "count_nonzero", "logsumexp", "mean", "nanmean", "nansum", "prod", "sum"]


# ------------------------------------------------------------------------------------ sums, products


def sum(input: Tensor, dim: Dim = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Sum of all elements, or along `dim` (one dimension or several).

    >>> import tensorplay as tp
    >>> tp.sum(tp.ones(2, 3), 1)
    tensor([3., 3.])
    """
    dims = normal_dims(dim, rank(input))
    return narrowed(apply1(ops.Sum, widened(input, dtype), {"dim": dims, "keepdim": keepdim}), dtype)


def mean(input: Tensor, dim: Dim = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Average of all elements, or along `dim`. Raises DTypeError for whole numbers; NaN for no elements.

    >>> import tensorplay as tp
    >>> tp.mean(tp.tensor([1.0, 2.0, 6.0]))
    tensor(3.)
    """
    dims = normal_dims(dim, rank(input))
    if dtype is not None:
        input = input.to(dtype)
    if not (input.dtype.is_floating_point or input.dtype.is_complex):
        raise DTypeError(
            "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype, "
            f"got {input.dtype}: convert with x.float() first"
        )
    return apply1(ops.Mean, input, {"dim": dims, "keepdim": keepdim})


def prod(input: Tensor, dim: int | None = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Product of all elements, or along `dim`; 1 for no elements.

    The gradient of an element is the product of the others: exact with one zero and with several, at every order.
    Raises DimensionTypeError for several dimensions, ArgumentTypeError for `keepdim` without `dim`.

    >>> import tensorplay as tp
    >>> tp.prod(tp.tensor([[1.0, 2.0], [3.0, 4.0]]), 1)
    tensor([ 2., 12.])
    """
    if dim is None and keepdim:
        raise ArgumentTypeError(
            "prod() received an invalid combination of arguments: keepdim belongs to one dimension, so name it (dim=…)"
        )
    input = widened(input, dtype)
    along = None if dim is None else normal_dim(dim, rank(input))
    dim = along if rank(input) else None
    return narrowed(apply1(ops.Prod, input, {"dim": dim, "keepdim": keepdim}), dtype)


def nansum(input: Tensor, dim: Dim = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Sum of the elements that are not NaN, of all or along `dim`; 0 if there is none. Raises DTypeError for complex.

    >>> import tensorplay as tp
    >>> tp.nansum(tp.tensor([1.0, float("nan"), 2.0]))
    tensor(3.)
    """
    rank(input)
    if input.dtype.is_complex:
        raise DTypeError(
            f"nansum on CPU does not support complex inputs, got {input.dtype}: sum the real and imaginary parts"
        )
    numbers = where(isnan(input), 0, input) if input.dtype.is_floating_point else input
    return sum(numbers, dim, keepdim, dtype=dtype)


def nanmean(input: Tensor, dim: Dim = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Average of the elements that are not NaN, of all or along `dim`; NaN if there is none.

    Raises DTypeError for whole and for complex numbers.

    >>> import tensorplay as tp
    >>> tp.nanmean(tp.tensor([1.0, float("nan"), 2.0]))
    tensor(1.5000)
    """
    rank(input)
    if not (input.dtype.is_floating_point or input.dtype.is_complex):
        raise DTypeError(
            f"nanmean(): expected input to have floating point or complex dtype but got {input.dtype}: "
            "convert with x.float() first"
        )
    numbers: Any = input == input  # NaN is not
    return nansum(input, dim, keepdim, dtype=dtype) / sum(numbers, dim, keepdim)


def logsumexp(input: Tensor, dim: Any, keepdim: bool = False) -> Tensor:
    """log Σ exp(x) along `dim`, one dimension or several, without overflow; -inf where there is nothing.

    Its gradient is the softmax. Whole numbers become floating-point ones.

    >>> import tensorplay as tp
    >>> tp.logsumexp(tp.tensor([100.0, 100.0]), 0)
    tensor(100.6931)
    """
    params = {"dim": normal_dims(dim, rank(input)), "keepdim": keepdim}
    return in_single(lambda x: apply1(ops.LogSumExp, x, params), input)


# ------------------------------------------------------------------------------ questions about elements


def count_nonzero(input: Tensor, dim: Dim = None) -> Tensor:
    """How many elements are not zero, of all or along `dim`. NaN is not zero.

    >>> import tensorplay as tp
    >>> tp.count_nonzero(tp.tensor([[0, 1], [2, 3]]), 1)
    tensor([1, 2])
    """
    rank(input)
    true: Any = input != 0
    return sum(true, dim)


def all(input: Tensor, dim: Dim = None, keepdim: bool = False) -> Tensor:
    """Whether every element is true (not zero), of all or along `dim`; True for no elements. uint8 stays uint8.

    >>> import tensorplay as tp
    >>> tp.all(tp.tensor([[True, False], [True, True]]), 1)
    tensor([False,  True])
    """
    return _question(np.logical_and, input, dim, keepdim)


def any(input: Tensor, dim: Dim = None, keepdim: bool = False) -> Tensor:
    """Whether some element is true (not zero), of all or along `dim`; False for no elements. uint8 stays uint8.

    >>> import tensorplay as tp
    >>> tp.any(tp.tensor([0.0, 0.0, 3.0]))
    tensor(True)
    """
    return _question(np.logical_or, input, dim, keepdim)


def _question(join: Any, input: Tensor, dim: Any, keepdim: bool) -> Tensor:
    dims = normal_dims(dim, rank(input))
    array = input._array
    if array.__class__ is np.ndarray and dim != () and dim != []:
        found = wrap(np.asarray(join.reduce(array, axis=dims, keepdims=keepdim)))
    else:
        found = _counted(join, input, dim, keepdim)
    return found.to(uint8) if input.dtype == uint8 else found


def _counted(join: Any, input: Tensor, dim: Any, keepdim: bool) -> Any:
    """The answer inside a transform; and along no dimension, where PyTorch asks each element by itself."""
    true: Any = input != 0
    if isinstance(dim, (tuple, list)) and not dim:
        return true
    return sum(~true, dim, keepdim) == 0 if join is np.logical_and else sum(true, dim, keepdim) != 0

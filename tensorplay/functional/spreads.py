"""How far numbers lie apart: variances and standard deviations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import ops
from ..apply import apply1
from ..errors import ArgumentTypeError, DTypeError
from ..ops.families import count, normal_dims
from ..source import warn
from ..tensor import Tensor, rank
from .common import in_single
from .reduction import mean

__all__ = ["std", "std_mean", "var", "var_mean"]


def var(
    input: Tensor, dim: Any = None, unbiased: bool | None = None, keepdim: bool = False, *, correction: Any = None
) -> Tensor:
    """Variance of all elements, or along `dim`: Σ (x - mean)² / (n - correction).

    `correction` is 1 unless given; `unbiased=False` is another way to say 0. Where n - correction is 0 the result
    is NaN or infinite, which a warning says. Of complex numbers it is the mean of |x - mean|², a real number. Raises
    DTypeError for whole numbers, ArgumentTypeError if both `unbiased` and `correction` are given.

    >>> import tensorplay as tp
    >>> tp.var(tp.tensor([1.0, 2.0, 3.0, 6.0]), correction=0)
    tensor(3.5000)
    """
    return _spread(ops.Var, input, dim, unbiased, keepdim, correction)


def std(
    input: Tensor, dim: Any = None, unbiased: bool | None = None, keepdim: bool = False, *, correction: Any = None
) -> Tensor:
    """Standard deviation of all elements, or along `dim`: the root of the variance, with the arguments of `var`.

    Its gradient is 0 where all elements are equal.

    >>> import tensorplay as tp
    >>> tp.std(tp.tensor([1.0, 1.0, 5.0, 5.0]), unbiased=False)
    tensor(2.)
    """
    return _spread(ops.Std, input, dim, unbiased, keepdim, correction)


def var_mean(
    input: Tensor, dim: Any = None, unbiased: bool | None = None, keepdim: bool = False, *, correction: Any = None
) -> tuple[Tensor, Tensor]:
    """Variance and average of all elements, or along `dim`, with the arguments of `var`.

    >>> import tensorplay as tp
    >>> tp.var_mean(tp.tensor([1.0, 2.0, 3.0, 6.0]), correction=0)
    (tensor(3.5000), tensor(3.))
    """
    dims = None if isinstance(dim, bool) else dim
    return var(input, dim, unbiased, keepdim, correction=correction), mean(input, dims, keepdim)


def std_mean(
    input: Tensor, dim: Any = None, unbiased: bool | None = None, keepdim: bool = False, *, correction: Any = None
) -> tuple[Tensor, Tensor]:
    """Standard deviation and average of all elements, or along `dim`, with the arguments of `var`.

    >>> import tensorplay as tp
    >>> tp.std_mean(tp.tensor([1.0, 1.0, 5.0, 5.0]), unbiased=False)
    (tensor(2.), tensor(3.))
    """
    dims = None if isinstance(dim, bool) else dim
    return std(input, dim, unbiased, keepdim, correction=correction), mean(input, dims, keepdim)


def _spread(op: type[ops.Op], input: Tensor, dim: Any, unbiased: Any, keepdim: bool, correction: Any) -> Tensor:
    name = op.__name__.lower()
    if isinstance(dim, bool):  # x.var(False): the one argument is `unbiased`
        dim, unbiased = None, dim
    if unbiased is not None and correction is not None:
        raise ArgumentTypeError(
            f"{name}() received an invalid combination of arguments: unbiased says the same as correction, so give one"
        )
    dims = normal_dims(dim, rank(input))
    if not (input.dtype.is_floating_point or input.dtype.is_complex):
        raise DTypeError(
            f"std and var only support floating point and complex dtypes: got {input.dtype}. Convert whole numbers "
            "with x.float() first"
        )
    less = correction if correction is not None else 1 if unbiased is None else int(unbiased)
    _warn_of_too_few(name, input.shape, dims, less)
    return in_single(lambda x: apply1(op, x, {"dim": dims, "keepdim": keepdim, "correction": less}), input)


def _warn_of_too_few(name: str, shape: Sequence[int], dims: tuple[int, ...] | None, correction: float) -> None:
    if count(tuple(shape), dims) <= correction:
        warn(
            f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor: "
            f"it is {correction}, and one result is made of {count(tuple(shape), dims)}. It is NaN or infinite",
            UserWarning,
        )

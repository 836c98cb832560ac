"""Many elements to one: sums, products, extremes, norms, spreads."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any, NamedTuple

from .. import ops
from ..apply import apply, apply1
from ..errors import ArgumentTypeError, DTypeError, EmptyReductionError, NormOrderError
from ..ops.families import count, normal_dim, normal_dims
from ..source import warn
from ..tensor import Tensor, rank
from .common import Dim, alone, widened
from .pointwise import maximum, minimum

__all__ = ["amax", "amin", "argmax", "argmin", "max", "mean", "min", "norm", "prod", "std", "sum", "var"]


# ------------------------------------------------------------------------------------ sums, products


def sum(input: Tensor, dim: Dim = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Sum of all elements, or along `dim` (one dimension or several).

    >>> import tensorplay as tp
    >>> tp.sum(tp.ones(2, 3), 1)
    tensor([3., 3.])
    """
    dims = normal_dims(dim, rank(input))
    return apply1(ops.Sum, widened(input, dtype), {"dim": dims, "keepdim": keepdim})


def mean(input: Tensor, dim: Dim = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Average of all elements, or along `dim`. Raises DTypeError for whole numbers; NaN for no elements.

    >>> import tensorplay as tp
    >>> tp.mean(tp.tensor([1.0, 2.0, 6.0]))
    tensor(3.)
    """
    dims = normal_dims(dim, rank(input))
    if dtype is not None:
        input = input.to(dtype)
    if input._array.dtype.kind not in "fc":
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
    return apply1(ops.Prod, input, {"dim": dim, "keepdim": keepdim})


# ------------------------------------------------------------------------------------------ extremes


class MaxResult(NamedTuple):
    """What `max` and `min` along a dimension return."""

    values: Tensor
    indices: Tensor


def amax(input: Tensor, dim: Dim = None, keepdim: bool = False) -> Tensor:
    """Largest element along `dim`; ties share the gradient evenly.

    >>> import tensorplay as tp
    >>> tp.amax(tp.tensor([[1.0, 4.0], [3.0, 2.0]]), 1)
    tensor([4., 3.])
    """
    return apply1(ops.Amax, input, {"dim": normal_dims(dim, rank(input)), "keepdim": keepdim})


def amin(input: Tensor, dim: Dim = None, keepdim: bool = False) -> Tensor:
    """Smallest element along `dim`; ties share the gradient evenly.

    >>> import tensorplay as tp
    >>> tp.amin(tp.tensor([[1.0, 4.0], [3.0, 2.0]]), 1)
    tensor([1., 2.])
    """
    return apply1(ops.Amin, input, {"dim": normal_dims(dim, rank(input)), "keepdim": keepdim})


def max(input: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    """Largest element of all; or (values, indices) along one dimension; or, given a tensor, `maximum`.

    Along a dimension the first of equal elements takes all of the gradient.

    >>> import tensorplay as tp
    >>> tp.max(tp.tensor([[1.0, 4.0], [3.0, 2.0]]), 1).indices
    tensor([1, 0])
    """
    if isinstance(dim, Tensor):
        return maximum(input, dim)
    if dim is None:
        return amax(input)
    return _along(ops.Max, input, dim, keepdim)


def min(input: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    """Smallest element of all; or (values, indices) along one dimension; or, given a tensor, `minimum`.

    >>> import tensorplay as tp
    >>> tp.min(tp.tensor([3.0, 1.0, 2.0]))
    tensor(1.)
    """
    if isinstance(dim, Tensor):
        return minimum(input, dim)
    if dim is None:
        return amin(input)
    return _along(ops.Min, input, dim, keepdim)


def _along(op: type[ops.Op], input: Tensor, dim: int, keepdim: bool) -> MaxResult:
    """Extremum along one dimension. A single number is its own, at position 0."""
    dim = normal_dim(dim, rank(input))
    if not rank(input):
        return MaxResult(*alone(input))
    return MaxResult(*apply(op, input, dim=dim, keepdim=keepdim))


def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Position of the largest element, in the flattened tensor or along `dim`. It has no gradient.

    >>> import tensorplay as tp
    >>> tp.argmax(tp.tensor([1.0, 9.0, 2.0]))
    tensor(1)
    """
    dim = None if dim is None or not rank(input) else normal_dim(dim, rank(input))
    return apply(ops.ArgMax, input, dim=dim, keepdim=keepdim)


def argmin(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Position of the smallest element, in the flattened tensor or along `dim`. It has no gradient.

    >>> import tensorplay as tp
    >>> tp.argmin(tp.tensor([1.0, 9.0, 0.0]))
    tensor(2)
    """
    dim = None if dim is None or not rank(input) else normal_dim(dim, rank(input))
    return apply(ops.ArgMin, input, dim=dim, keepdim=keepdim)


# --------------------------------------------------------------------------------------------- norms


def norm(
    input: Tensor, p: float | str | None = "fro", dim: Dim = None, keepdim: bool = False, dtype: Any = None
) -> Tensor:
    """The p-norm of all elements, or along `dim`: (Σ |x|ᵖ)^(1/p). "fro" is 2, the length.

    inf gives the largest |x| and -inf the smallest, 0 the number of elements that are not 0. The gradient of a norm
    that is 0 is 0. Raises DTypeError for whole numbers, NormOrderError for an order that does not exist.

    >>> import tensorplay as tp
    >>> tp.norm(tp.tensor([3.0, 4.0]))
    tensor(5.)
    >>> tp.norm(tp.tensor([[3.0, -4.0], [0.0, 0.0]]), 1, dim=1)
    tensor([7., 0.])
    """
    dims = normal_dims(dim, rank(input))
    order = _order(p)
    input = input if dtype is None else input.to(dtype)
    if input._array.dtype.kind not in "fc":
        raise DTypeError(
            "linalg.vector_norm: Expected a floating point or complex tensor as input. "
            f"Got {input.dtype}: convert with x.float() first"
        )
    _check_some(input, order, dims)
    return apply1(ops.Norm, input, {"p": order, "dim": dims, "keepdim": keepdim})


def _order(p: Any) -> float:
    """The order as a number. Raises NormOrderError for a word that names none here."""
    if p is None or p == "fro":
        return 2
    try:
        return p if isinstance(p, (int, float)) else float(p)
    except (TypeError, ValueError):
        raise NormOrderError(
            f"linalg.matrix_norm: Order {p} not supported: expected a number, inf, -inf or 'fro'"
        ) from None


def _check_some(input: Tensor, p: float, dims: tuple[int, ...] | None) -> None:
    """Raise EmptyReductionError for a norm of nothing that would have to be infinite."""
    sizes = [input.shape[d] for d in (range(rank(input)) if dims is None else dims)]
    if 0 in sizes and (p < 0 or p == inf):
        raise EmptyReductionError(
            f"linalg.vector_norm cannot compute the {p} norm on an empty tensor because the operation does not have "
            f"an identity: the shape is {list(input.shape)}"
        )


# ------------------------------------------------------------------------------------------- spreads


def var(
    input: Tensor, dim: Any = None, unbiased: bool | None = None, keepdim: bool = False, *, correction: Any = None
) -> Tensor:
    """Variance of all elements, or along `dim`: Σ (x - mean)² / (n - correction).

    `correction` is 1 unless given; `unbiased=False` is another way to say 0. Where n - correction is 0 the result
    is NaN or infinite, which a warning says. Raises DTypeError for whole and complex numbers, ArgumentTypeError if
    both `unbiased` and `correction` are given.

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


def _spread(op: type[ops.Op], input: Tensor, dim: Any, unbiased: Any, keepdim: bool, correction: Any) -> Tensor:
    name = op.__name__.lower()
    if isinstance(dim, bool):  # x.var(False): the one argument is `unbiased`
        dim, unbiased = None, dim
    if unbiased is not None and correction is not None:
        raise ArgumentTypeError(
            f"{name}() received an invalid combination of arguments: unbiased says the same as correction, so give one"
        )
    if input._array.dtype.kind != "f":
        raise DTypeError(
            "std and var only support floating point and complex dtypes, and here only real ones: "
            f"got {input.dtype}. Convert whole numbers with x.float() first"
        )
    dims = normal_dims(dim, rank(input))
    less = correction if correction is not None else 1 if unbiased is None else int(unbiased)
    _warn_of_too_few(name, input.shape, dims, less)
    return apply1(op, input, {"dim": dims, "keepdim": keepdim, "correction": less})


def _warn_of_too_few(name: str, shape: Sequence[int], dims: tuple[int, ...] | None, correction: float) -> None:
    if count(tuple(shape), dims) <= correction:
        warn(
            f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor: "
            f"it is {correction}, and one result is made of {count(tuple(shape), dims)}. It is NaN or infinite",
            UserWarning,
        )

"""Samples of distributions, as new tensors and in place. They have no gradient: a sample is no function of its bounds.

Everything comes from the counted stream of `random.py`, so the same seed and the same calls give the same samples.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from .apply import apply
from .arrays import dtypes, philox
from .creation import DTypeLike, check_device, size_of
from .errors import ContinuousDTypeError, DTypeError, RandomDTypeError, RangeError, ShapeError
from .functional import expand
from .inplace import assign
from .lifting import readable
from .ops import Copy
from .ops.families import broadcast_shapes
from .random import Generator, draw, each, whole_numbers
from .tensor import Tensor, rank

__all__ = ["bernoulli", "multinomial", "normal", "randint_like"]

DOUBLE = np.dtype("float64")


def _method(function: Callable[..., Any]) -> Callable[..., Any]:
    """Attach a function of this file to Tensor under its own name."""
    setattr(Tensor, function.__name__, function)
    return function


def _floating(x: Any, name: str) -> np.dtype[Any]:
    """The dtype of a tensor that takes random numbers. Raises RandomDTypeError for whole numbers."""
    rank(x)
    found = x.dtype
    if not (found.is_floating_point or found.is_complex):
        raise RandomDTypeError(f"{name} is not implemented for {found}: the numbers are no whole ones; use x.float()")
    return found.numpy


def _between_0_and_1(p: Any, name: str) -> None:
    if not np.all((p >= 0) & (p <= 1)):
        raise RangeError(f"{name} expects p to be in [0, 1], but got p={p}")


def _not_negative(std: Any) -> None:
    if np.iscomplexobj(std):
        raise RangeError("normal expects standard deviation to be non-complex")
    if isinstance(std, np.ndarray):
        if (std < 0).any():
            raise RangeError("normal expects all elements of std >= 0.0, but some are negative")
    elif std < 0:
        raise RangeError(f"normal expects std >= 0.0, but found std {std}")


# --------------------------------------------------------------------------------------- new tensors


def normal(
    mean: Any,
    std: Any = 1.0,
    size: Any = None,
    *,
    generator: Generator | None = None,
    dtype: DTypeLike | None = None,
    device: object = None,
    requires_grad: bool = False,
) -> Tensor:
    """Numbers from the normal distribution with this mean and standard deviation: numbers with a size, or tensors.

    Raises RangeError for a negative deviation, TypeError where neither a size nor a tensor says how many are wanted.

    >>> import tensorplay as tp
    >>> tp.normal(0.0, 1.0, (2, 3)).shape, tp.normal(tp.zeros(4), 2.0).shape
    ((2, 3), (4,))
    """
    check_device(device)
    given = [x for x in (mean, std) if isinstance(x, Tensor)]
    if bool(given) == (size is not None):
        raise TypeError("normal() takes (mean, std, size) where both are numbers, or a tensor for either, and no size")
    for x in given:
        _floating(x, "normal")
    centre, spread = (readable(x) if isinstance(x, Tensor) else x for x in (mean, std))
    _not_negative(spread)
    shape = size_of((size,)) if not given else broadcast_shapes(np.shape(centre), np.shape(spread))
    found = dtypes.as_numpy(dtype) if not given else dtypes.result_dtype(*(readable(x) for x in given))
    sample = each(lambda *lead: _normal((*lead, *shape), centre, spread, found, generator), requires_grad)
    for x in given:
        sample = _without_slope(sample, expand(x, shape))
    return sample


def _without_slope(sample: Tensor, given: Tensor) -> Tensor:
    """The sample, recorded where what it was drawn by is: as in PyTorch, with a gradient of zero."""
    return apply(Copy, given, sample) if given.requires_grad else sample


def _normal(shape: Any, mean: Any, std: Any, dtype: Any, generator: Generator | None) -> np.ndarray:
    return np.asarray(draw(philox.normal, shape, dtype, generator) * std + mean).astype(dtype, copy=False)


@_method
def bernoulli(input: Tensor, p: float | None = None, *, generator: Generator | None = None) -> Tensor:
    """Ones with the probability that each element of `input` tells, else zeros; with `p`, that for all of them.

    Raises RangeError for a probability that is not between 0 and 1.

    >>> import tensorplay as tp
    >>> tp.bernoulli(tp.tensor([0.0, 1.0]))
    tensor([0., 1.])
    """
    found = _floating(input, "bernoulli") if p is None else input._array.dtype
    chance = readable(input) if p is None else p
    _between_0_and_1(chance, "bernoulli")
    shape = input.shape
    sample = each(lambda *lead: _hits((*lead, *shape), chance, generator).astype(found), False)
    return _without_slope(sample, input)


def _hits(shape: Any, chance: Any, generator: Generator | None) -> np.ndarray:
    return np.asarray(draw(philox.uniform, shape, DOUBLE, generator) < chance)


@_method
def multinomial(
    input: Tensor, num_samples: int, replacement: bool = False, *, generator: Generator | None = None
) -> Tensor:
    """Positions, drawn with the weights that each row of `input` tells; without replacement each at most once.

    The weights need not sum to 1. Raises RangeError for weights that are negative, not finite or all zero, and where
    more samples are wanted than there are positions; ShapeError unless `input` has one or two dimensions.

    >>> import tensorplay as tp
    >>> tp.multinomial(tp.tensor([0.0, 1.0, 0.0]), 3, replacement=True)
    tensor([1, 1, 1])
    """
    if rank(input) not in (1, 2):
        raise ShapeError(f"prob_dist must be 1 or 2 dim, got shape {list(input.shape)}")
    if not input.dtype.is_floating_point:
        raise DTypeError(f"multinomial only supports floating-point dtypes for input, got: {input.dtype}")
    weights = readable(input).astype(DOUBLE)
    _check_weights(weights, num_samples, replacement)
    choose = _with_replacement if replacement else _without_replacement
    return each(lambda *lead: choose(weights, num_samples, lead, generator), False)


def _check_weights(weights: np.ndarray, count: int, replacement: bool) -> None:
    if count <= 0:
        raise RangeError(f"cannot sample n_sample <= 0 samples, got {count}")
    if not replacement and count > weights.shape[-1]:
        raise RangeError(
            f"cannot sample n_sample > prob_dist.size(-1) samples without replacement: got {count} of "
            f"{weights.shape[-1]}"
        )
    if not (np.isfinite(weights) & (weights >= 0)).all():
        raise RangeError("probability tensor contains either `inf`, `nan` or element < 0")
    if (weights.sum(-1) <= 0).any():
        raise RangeError("invalid multinomial distribution (sum of probabilities <= 0)")


def _with_replacement(weights: np.ndarray, count: int, lead: Any, generator: Generator | None) -> np.ndarray:
    """Where uniform numbers fall among the sums of the weights. An interval of length 0 is never hit."""
    sums = np.cumsum(weights, -1)
    at = draw(philox.uniform, (*lead, *weights.shape[:-1], count), DOUBLE, generator) * sums[..., -1:]
    if weights.ndim == 1:
        return np.searchsorted(sums, at, "right")
    rows = [np.searchsorted(row, at[..., k, :], "right") for k, row in enumerate(sums)]
    return np.stack(rows, -2) if rows else np.zeros(at.shape, np.int64)


def _without_replacement(weights: np.ndarray, count: int, lead: Any, generator: Generator | None) -> np.ndarray:
    """The positions whose exponential waiting times, at rates that are the weights, end first."""
    times = _waiting((*lead, *weights.shape), DOUBLE, generator)
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = np.where(weights > 0, times / weights, np.inf)
    return np.argsort(ends, -1, kind="stable")[..., :count].astype(np.int64)


def _waiting(shape: Any, dtype: Any, generator: Generator | None) -> np.ndarray:
    """Exponential numbers of rate 1."""
    return np.asarray(-np.log1p(-draw(philox.uniform, shape, dtype, generator)))


def randint_like(
    input: Tensor,
    *bounds: Any,
    generator: Generator | None = None,
    dtype: DTypeLike | None = None,
    device: object = None,
    requires_grad: bool = False,
    **named: Any,
) -> Tensor:
    """Whole numbers from low to high - 1 in the shape and dtype of `input`: `(input, high)` or `(input, low, high)`.

    Raises RangeError if there is no number to draw.

    >>> import tensorplay as tp
    >>> tp.randint_like(tp.zeros(2), 3, 4)
    tensor([3., 3.])
    """
    rank(input)
    check_device(device)
    low, high = _ends(bounds, named, ("low", "high"), "randint_like")
    return whole_numbers(
        0 if low is None else low, high, input.shape, dtype or input.dtype, generator, requires_grad, "randint_like"
    )


def _ends(given: Any, named: dict[str, Any], words: tuple[str, str], name: str) -> tuple[int | None, Any]:
    """(low, high), by position or by name, where the first can be left out."""
    first, last = words
    both = len(given) + len(named) == 2
    free = [word for word in ((first, last) if both else (last,)) if word not in named]
    if len(free) != len(given) or not set(named) <= {first, last}:
        raise TypeError(
            f"{name}() takes ({last}) or ({first}, {last}), got {len(given)} positional arguments and "
            f"{sorted(named) or 'no names'}"
        )
    values = {**named, **dict(zip(free, given, strict=True))}
    low = values.get(first)
    return None if low is None else operator.index(low), operator.index(values[last])


# ------------------------------------------------------------------------------------------ in place


def _filled(x: Tensor, name: str, make: Callable[..., np.ndarray]) -> Tensor:
    """x with numbers of its own shape in it; recorded like any other edit, and nothing flows back through it."""
    shape, dtype = x.shape, x._array.dtype
    return assign(x, each(lambda *lead: make((*lead, *shape)).astype(dtype, copy=False), False), name)


def _both_parts(number: Any, dtype: np.dtype[Any]) -> Any:
    """A bound of complex numbers is one of their real and of their imaginary parts, as in PyTorch."""
    return number * (1 + 1j) if dtype.kind == "c" else number


@_method
def normal_(self: Tensor, mean: float = 0, std: float = 1, *, generator: Generator | None = None) -> Tensor:
    """Every element becomes a number from the normal distribution. Raises RangeError for a negative deviation.

    >>> import tensorplay as tp
    >>> tp.zeros(2, 3).normal_(5.0, 0.0)
    tensor([[5., 5., 5.],
            [5., 5., 5.]])
    """
    found = _floating(self, "normal_")
    _not_negative(std)
    centre = _both_parts(mean, found)
    return _filled(self, "normal_", lambda shape: _normal(shape, centre, std, found, generator))


@_method
def uniform_(
    self: Tensor, from_: float = 0, to: float = 1, *, generator: Generator | None = None, **named: Any
) -> Tensor:
    """Every element becomes a number spread evenly over [from, to). Raises RangeError if from is above to.

    >>> import tensorplay as tp
    >>> x = tp.zeros(100).uniform_(2, 3)
    >>> bool((x >= 2).all() and (x < 3).all())
    True
    """
    found = _floating(self, "uniform_")
    low = named.pop("from", from_)
    if named:
        raise TypeError(f"uniform_() got an unexpected keyword argument {next(iter(named))!r}")
    if low > to:
        raise RangeError(f"uniform_ expects to return a [from, to) range, but found from={low} > to={to}")
    return _filled(self, "uniform_", lambda shape: _spread(shape, low, to, found, generator))


def _spread(shape: Any, low: float, high: float, dtype: Any, generator: Generator | None) -> np.ndarray:
    """Rounding may reach the upper end, which does not belong to the range."""
    values = (draw(philox.uniform, shape, dtype, generator) * (high - low) + _both_parts(low, dtype)).astype(
        dtype, copy=False
    )
    if dtype.kind == "c" or low == high:
        return values
    return np.where(values >= high, np.asarray(low, dtype), values)


@_method
def exponential_(self: Tensor, lambd: float = 1, *, generator: Generator | None = None) -> Tensor:
    """Every element becomes a waiting time: density λ·exp(-λx). Raises RangeError unless λ is positive.

    >>> import tensorplay as tp
    >>> bool((tp.zeros(100).exponential_(2.0) >= 0).all())
    True
    """
    rank(self)
    if not self.dtype.is_floating_point:
        raise ContinuousDTypeError(
            "Exponential distribution is a continuous probability distribution. dtype must be a floating point but you "
            f"specified {self.dtype}"
        )
    if not lambd > 0:
        raise RangeError(f"exponential_ expects lambda > 0.0, but found lambda={lambd}")
    return _filled(self, "exponential_", lambda shape: _waiting(shape, DOUBLE, generator) / lambd)


@_method
def bernoulli_(self: Tensor, p: Any = 0.5, *, generator: Generator | None = None) -> Tensor:
    """Every element becomes 1 with probability `p` (a number, or a tensor of one for each), else 0.

    Raises RangeError for a probability that is not between 0 and 1.

    >>> import tensorplay as tp
    >>> tp.zeros(2).bernoulli_(1.0)
    tensor([1., 1.])
    """
    rank(self)
    chance = readable(expand(p, self.shape)) if isinstance(p, Tensor) else p
    _between_0_and_1(chance, "bernoulli_")
    return _filled(self, "bernoulli_", lambda shape: _hits(shape, chance, generator))


@_method
def random_(self: Tensor, *bounds: Any, generator: Generator | None = None, **named: Any) -> Tensor:
    """Every element becomes a whole number: `random_(from, to)` and `random_(to)` leave out `to`, without bounds
    any that the dtype holds exactly, from 0 on. Raises RangeError for bounds that contradict each other or the dtype.

    >>> import tensorplay as tp
    >>> tp.zeros(2).random_(3, 4)
    tensor([3., 3.])
    """
    rank(self)
    free = not bounds and not named
    low, high = (0, _largest(self)) if free else _ends(bounds, named, ("from", "to"), "random_")
    found = whole_numbers(low or 0, high, self.shape, self.dtype, generator, False, "random_")
    return assign(self, found, "random_")


def _largest(x: Tensor) -> int:
    """One more than the largest whole number up to which a dtype holds each."""
    dtype = x._array.dtype
    if dtype.kind in "iu":
        return int(np.iinfo(dtype).max) + (dtype.itemsize < 8)
    return 2 if dtype.kind == "b" else 2 ** philox.digits(dtype) + 1

"""Numbers at even distances, grids of them, and the index pairs of triangles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations as _choices
from itertools import combinations_with_replacement as _choices_again
from typing import Any

import numpy as np

from . import functional
from .arrays import dtypes
from .arrays.nested import cast
from .creation import DTypeLike, check_device
from .errors import DTypeError, EmptyListError, RangeError, ShapeError
from .lifting import readable
from .tensor import Tensor, rank, wrap

__all__ = [
    "arange",
    "cartesian_prod",
    "combinations",
    "linspace",
    "logspace",
    "meshgrid",
    "one_hot",
    "tril_indices",
    "triu_indices",
    "vander",
]


def arange(
    start: Any = None,
    end: Any = None,
    step: Any = 1,
    *,
    dtype: DTypeLike | None = None,
    device: object = None,
    requires_grad: bool = False,
) -> Tensor:
    """The numbers start, start + step, … below `end`; `arange(end)` starts at 0.

    int64 if all three are whole numbers, else the default dtype. Raises RangeError for a step of 0 or
    one that leads away from `end`.

    >>> import tensorplay as tp
    >>> tp.arange(3), tp.arange(0, 1, 0.25)
    (tensor([0, 1, 2]), tensor([0.0000, 0.2500, 0.5000, 0.7500]))
    """
    check_device(device)
    if start is None and end is None:
        raise TypeError("arange() missing its end: write arange(end), arange(start, end) or arange(start, end, step)")
    start, end = (0, start) if end is None else (start or 0, end)
    start, end, step = map(_scalar, (start, end, step))
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RangeError(f"unsupported range: {start} -> {end}: arange would never reach its end")
    whole = all(isinstance(v, int) for v in (start, end, step))
    found = dtypes.as_numpy(dtype if dtype is not None else dtypes.int64 if whole else None)
    if found == np.int64:  # as in PyTorch, all three are made whole before they are used
        start, end, step = int(start), int(end), int(step)
    count = _count(start, end, step)
    start, step = (int(start), int(step)) if found.kind in "iu" else (start, float(step))
    values = start + np.arange(count) * step
    return wrap(cast(values, found), requires_grad)


def _scalar(value: Any) -> Any:
    """A Python number, also where it stands in a tensor. Raises TypeError for what is none."""
    if isinstance(value, (Tensor, np.generic)):
        return value.item()
    if not isinstance(value, (int, float, complex)):
        raise TypeError(f"expected a number, not {type(value).__name__}: got {value!r}")
    return value


def _count(start: float, end: float, step: float) -> int:
    if step == 0:
        raise RangeError("step must be nonzero: arange would never reach its end")
    if (end - start) * step < 0:
        raise RangeError(
            f"upper bound and lower bound inconsistent with step sign: from {start} to {end} in steps of {step}"
        )
    if isinstance(start, int) and isinstance(end, int) and isinstance(step, int):
        return -((start - end) // step)  # exact also beyond 2⁵³
    return math.ceil((end - start) / step)


def linspace(
    start: Any,
    end: Any,
    steps: int,
    *,
    dtype: DTypeLike | None = None,
    device: object = None,
    requires_grad: bool = False,
) -> Tensor:
    """`steps` numbers at equal distances from `start` to `end`, both included.

    Raises RangeError for a negative number of steps.

    >>> import tensorplay as tp
    >>> tp.linspace(0, 1, 5)
    tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000])
    """
    check_device(device)
    values, found = _between(start, end, steps, dtype)
    return wrap(cast(values, found), requires_grad)


def _between(start: Any, end: Any, steps: int, dtype: DTypeLike | None) -> tuple[np.ndarray, np.dtype[Any]]:
    """Numbers at equal distances, and the dtype they are meant for; counted from the nearer end, as in PyTorch."""
    first, last = _scalar(start), _scalar(end)
    if steps < 0:
        raise RangeError(f"number of steps must be non-negative, got {steps}")
    numbers = isinstance(first, complex) or isinstance(last, complex)
    found = dtypes.as_numpy(dtypes.default_complex_dtype() if numbers and dtype is None else dtype)
    if found.kind in "iu":
        first, last = int(first), int(last)
    step = (last - first) / max(steps - 1, 1)
    places = np.arange(steps)
    near_start = places < steps // 2 if steps > 1 else places == 0
    return np.where(near_start, first + step * places, last - step * (steps - 1 - places)), found


def logspace(
    start: Any,
    end: Any,
    steps: int,
    base: float = 10.0,
    *,
    dtype: DTypeLike | None = None,
    device: object = None,
    requires_grad: bool = False,
) -> Tensor:
    """`steps` numbers whose logarithms lie at equal distances: base to the power of start, …, end.

    Raises RangeError for a negative number of steps.

    >>> import tensorplay as tp
    >>> tp.logspace(0, 2, 3)
    tensor([  1.,  10., 100.])
    """
    check_device(device)
    exponents, found = _between(start, end, steps, dtype)
    with np.errstate(all="ignore"):
        return wrap(cast(np.power(base, exponents), found), requires_grad)


def tril_indices(
    row: int,
    col: int,
    offset: int = 0,
    *,
    dtype: DTypeLike | None = None,
    device: object = None,
    requires_grad: bool = False,
) -> Tensor:
    """The positions of the lower triangle of a row-by-col matrix: their rows, and below them their columns.

    >>> import tensorplay as tp
    >>> tp.tril_indices(2, 2)
    tensor([[0, 1, 1],
            [0, 0, 1]])
    """
    check_device(device)
    return _pairs(row, col, dtype, requires_grad, lambda distance: distance <= offset)


def triu_indices(
    row: int,
    col: int,
    offset: int = 0,
    *,
    dtype: DTypeLike | None = None,
    device: object = None,
    requires_grad: bool = False,
) -> Tensor:
    """The positions of the upper triangle of a row-by-col matrix: their rows, and below them their columns.

    >>> import tensorplay as tp
    >>> tp.triu_indices(2, 2)
    tensor([[0, 0, 1],
            [0, 1, 1]])
    """
    check_device(device)
    return _pairs(row, col, dtype, requires_grad, lambda distance: distance >= offset)


def _pairs(row: int, col: int, dtype: DTypeLike | None, requires_grad: bool, chosen: Any) -> Tensor:
    if row < 0 or col < 0:
        raise ShapeError(f"{'row' if row < 0 else 'col'} must be non-negative, got {min(row, col)}")
    found = dtypes.as_numpy(dtype or dtypes.int64)
    if found not in (np.int32, np.int64):
        raise DTypeError(f"indices of triangles are not implemented for {dtypes.of(found)}: int64 and int32 are")
    distance = np.arange(col) - np.arange(row)[:, None]
    return wrap(np.stack(np.nonzero(chosen(distance))).astype(found), requires_grad)


def meshgrid(*tensors: Any, indexing: str = "ij") -> tuple[Tensor, ...]:
    """Vectors stretched to one grid: views, of which the k-th varies along dimension k only.

    With `indexing="xy"` the first two dimensions are exchanged, as plots want them. Raises ShapeError for tensors of
    more than one dimension, or another `indexing`.

    >>> import tensorplay as tp
    >>> tp.meshgrid(tp.tensor([1, 2]), tp.tensor([3, 4]), indexing="xy")
    (tensor([[1, 2],
            [1, 2]]), tensor([[3, 3],
            [4, 4]]))
    """
    xs = list(tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)) else tensors)
    if not xs:
        raise EmptyListError("meshgrid expects a non-empty TensorList, got none")
    for x in xs:
        if rank(x) > 1:
            raise ShapeError(f"meshgrid: Expected 0D or 1D tensor in the tensor list but got shape {list(x.shape)}")
    if len({x.dtype for x in xs}) > 1:
        raise DTypeError(f"meshgrid expects all tensors to have the same dtype, got {[x.dtype.name for x in xs]}")
    if indexing not in ("ij", "xy"):
        raise ShapeError(f'meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    if indexing == "xy" and len(xs) > 1:
        return tuple(functional.transpose(grid, 0, 1) for grid in _grid(xs))
    return tuple(_grid(xs))


def _grid(xs: Sequence[Tensor]) -> list[Tensor]:
    """Each vector along a dimension of its own, stretched to all of them."""
    shape = tuple(x.numel() for x in xs)
    places = ((1,) * k + (-1,) + (1,) * (len(xs) - k - 1) for k in range(len(xs)))
    return [functional.expand(functional.reshape(x, place), shape) for x, place in zip(xs, places, strict=True)]


def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """The powers of each element, one row each: x^(N-1), …, x, 1, or the other way round; N is the size of x at first.

    Raises ShapeError unless x is a vector.

    >>> import tensorplay as tp
    >>> tp.vander(tp.tensor([2, 3]), 3)
    tensor([[4, 2, 1],
            [9, 3, 1]])
    """
    if rank(x) != 1:
        raise ShapeError(f"x must be a one-dimensional tensor, got shape {list(x.shape)}")
    x = x.to(dtypes.int64) if x._array.dtype.kind in "biu" else x
    columns = x.numel() if N is None else N
    if columns < 0:
        raise RangeError(f"N must be non-negative, got {columns}")
    if not columns:
        return wrap(np.zeros((x.numel(), 0), x._array.dtype))
    ones = functional.clone(functional.expand(wrap(np.ones((), x._array.dtype)), x.shape))
    powers = [ones]
    for _ in range(columns - 1):
        powers.append(powers[-1] * x)
    return functional.stack(powers if increasing else powers[::-1], 1)


def cartesian_prod(*tensors: Any) -> Tensor:
    """Every combination of one element of each vector, one row each; of one vector the vector itself.

    >>> import tensorplay as tp
    >>> tp.cartesian_prod(tp.tensor([1, 2]), tp.tensor([3, 4]))
    tensor([[1, 3],
            [1, 4],
            [2, 3],
            [2, 4]])
    """
    for x in tensors:
        if rank(x) != 1:
            raise ShapeError(f"Expect a 1D vector, but got shape {list(x.shape)}")
    if len(tensors) == 1:
        return tensors[0]
    return functional.stack([functional.reshape(grid, (-1,)) for grid in meshgrid(*tensors)], 1)


def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """Every choice of `r` elements of a vector, in order, one row each.

    Raises ShapeError unless `input` is a vector, RangeError for a negative `r`.

    >>> import tensorplay as tp
    >>> tp.combinations(tp.tensor([1, 2, 3]))
    tensor([[1, 2],
            [1, 3],
            [2, 3]])
    """
    if rank(input) != 1:
        raise ShapeError(f"Expect a 1D vector, but got shape {list(input.shape)}")
    if r < 0:
        raise RangeError(f"Expect a non-negative number, but got {r}")
    if r == 0:
        return input[:0].detach()
    choose = _choices_again if with_replacement else _choices
    found = np.array(list(choose(range(input.numel()), r)), np.int64).reshape(-1, r)
    return input[wrap(found)]


def one_hot(input: Tensor, num_classes: int = -1) -> Tensor:
    """Classes as rows of zeros with a one at the class: a last dimension of `num_classes`, or as many as are needed.

    Raises DTypeError unless the classes are int64, RangeError for one that is negative or too large.

    >>> import tensorplay as tp
    >>> tp.nn.functional.one_hot(tp.tensor([0, 2]))
    tensor([[1, 0, 0],
            [0, 0, 1]])
    """
    rank(input)
    if input.dtype is not dtypes.int64:
        raise DTypeError(f"one_hot is only applicable to index tensor of type LongTensor, got {input.dtype}")
    classes = readable(input)
    if classes.size == 0 and num_classes <= 0:
        raise RangeError("Can not infer total number of classes from empty tensor: say num_classes=")
    if (classes < 0).any():
        raise RangeError(f"Class values must be non-negative, got {classes.min()}")
    count = int(classes.max()) + 1 if num_classes == -1 else num_classes
    if classes.size and classes.max() >= count:
        raise RangeError(f"Class values must be smaller than num_classes, got {classes.max()} and {count}")
    return wrap((classes[..., None] == np.arange(count)).astype(np.int64))

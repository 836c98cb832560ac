"""Making tensors: from Python numbers and arrays, and filled with something.

Names, argument order and inferred dtypes are PyTorch's. Every tensor made here is a leaf.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .arrays import dtypes
from .arrays.device import Device
from .arrays.dtypes import DType
from .arrays.nested import cast, from_sequence
from .errors import ShapeError
from .leaves import flag, tracked
from .lifting import alike, readable
from .source import warn
from .tensor import Tensor, rank, wrap

__all__ = [
    "as_tensor",
    "asarray",
    "empty",
    "empty_like",
    "eye",
    "from_numpy",
    "full",
    "full_like",
    "ones",
    "ones_like",
    "tensor",
    "zeros",
    "zeros_like",
]

DTypeLike = DType | str | type | np.dtype[Any]
Shape = tuple[int, ...]


# ----------------------------------------------------------------------------------- from given data


def tensor(data: Any, dtype: DTypeLike | None = None, device: object = None, requires_grad: bool = False) -> Tensor:
    """A leaf that holds a copy of `data`: a number, nested lists of numbers, or an array.

    Without `dtype`, whole numbers become int64, floats the default dtype, bools bool, complex numbers
    complex64; arrays keep theirs. A tensor of one element inside a list is one number, as in PyTorch; to join
    larger ones there is `tp.stack`. Raises RaggedError for rows of different length, ScalarError for a larger tensor
    inside a list, DTypeError for `requires_grad` on integers, ArgumentTypeError where that is no bool.

    >>> import tensorplay as tp
    >>> tp.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    tensor([[1., 2.],
            [3., 4.]], requires_grad=True)
    >>> tp.tensor([1, 2]).dtype
    tensorplay.int64
    """
    check_device(device)
    if isinstance(data, Tensor):
        warn(
            "To copy construct from a tensor, source.detach().clone() says what happens: the copy has no history. "
            "Add .requires_grad_(True) if it is to be a leaf of its own.",
            UserWarning,
        )
    return wrap(_copied(data, dtype), flag(requires_grad))


def as_tensor(data: Any, dtype: DTypeLike | None = None, device: object = None) -> Tensor:
    """`data` as a tensor, without a copy where that is possible.

    A tensor of the right dtype is returned as it is, history included; an array is shared.

    >>> import numpy as np, tensorplay as tp
    >>> array = np.zeros(2, "float32")
    >>> t = tp.as_tensor(array)
    >>> array[0] = 5
    >>> t
    tensor([5., 0.])
    """
    check_device(device)
    if isinstance(data, Tensor):
        same = dtype is None or dtypes.as_numpy(dtype) == data._array.dtype
        return data if same else data.to(dtypes.as_dtype(dtype))
    if isinstance(data, np.ndarray) and (dtype is None or dtypes.as_numpy(dtype) == data.dtype):
        return from_numpy(data)
    return wrap(_copied(data, dtype))


def asarray(
    obj: Any,
    *,
    dtype: DTypeLike | None = None,
    device: object = None,
    copy: bool | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """`obj` as a tensor: without a copy where possible (`copy=None`), always with one, or never (`copy=False`).

    Raises ValueError where a copy is needed and forbidden.

    >>> import tensorplay as tp
    >>> tp.asarray([1, 2])
    tensor([1, 2])
    """
    x = as_tensor(obj, dtype, device)
    shared = x is obj or (isinstance(obj, np.ndarray) and x._array is obj)
    if copy is False and not shared:
        raise ValueError("asarray(): can't alias arbitrary sequence or change its dtype without a copy: use copy=None")
    x = x.clone() if copy and shared else x
    return x.requires_grad_() if flag(requires_grad) else x


def from_numpy(ndarray: np.ndarray) -> Tensor:
    """A tensor that shares the memory of a NumPy array: a change of one is seen in the other.

    Raises TypeError for what is no array, or an array of a kind that a tensor cannot hold.

    >>> import numpy as np, tensorplay as tp
    >>> tp.from_numpy(np.arange(3))
    tensor([0, 1, 2])
    """
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(
            f"expected np.ndarray (got {type(ndarray).__name__}); tp.tensor(data) makes a tensor from lists"
        )
    dtypes.of(ndarray.dtype)
    if not ndarray.flags.writeable:
        warn(
            "The given NumPy array is not writable, and a tensor that shares it can be written to by in-place "
            "operations, which will fail. tp.tensor(ndarray) makes a copy.",
            UserWarning,
        )
    return wrap(ndarray)


def check_device(device: object) -> None:
    """Raise DeviceError unless `device` is None or "cpu", the only device so far."""
    if device is not None:
        Device(str(device))


def _copied(data: Any, dtype: DTypeLike | None) -> np.ndarray:
    """A new array of these numbers."""
    wanted = None if dtype is None else dtypes.as_numpy(dtype)
    if isinstance(data, Tensor):
        data = readable(data)
    if not isinstance(data, np.ndarray):
        return from_sequence(data, wanted)
    dtypes.of(data.dtype)
    return cast(data, wanted or data.dtype)


# ------------------------------------------------------------------------------------------- filled


def named_size(size: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
    """The size, also where it is given by its name. Raises TypeError if both are, and for any other name."""
    if set(named) - {"size"} or (named and size):
        wrong = next(iter(set(named) - {"size"}), "size")
        raise TypeError(f"got an unexpected keyword argument {wrong!r}, or the size twice")
    return (named["size"],) if named else size


def size_of(size: tuple[Any, ...]) -> Shape:
    """The shape meant by `(2, 3)` given as two arguments, a tuple, a list or a Size."""
    if len(size) == 1 and isinstance(size[0], Sequence):
        size = tuple(size[0])
    elif not size:
        raise TypeError("the size is missing: write zeros(2, 3) or zeros((2, 3)); zeros(()) is a single number")
    for n in size:
        if isinstance(n, (bool, float, str)) or not hasattr(n, "__index__"):
            raise TypeError(f"a size is made of ints, got {n!r} ({type(n).__name__}) in {tuple(size)}")
    shape = tuple(operator.index(n) for n in size)
    if any(n < 0 for n in shape):
        raise ShapeError(f"Trying to create tensor with negative dimension {min(shape)}: {list(shape)}")
    return shape


def zeros(
    *size: Any, dtype: DTypeLike | None = None, device: object = None, requires_grad: bool = False, **named: Any
) -> Tensor:
    """A tensor of zeros, `zeros(2, 3)` or `zeros((2, 3))`.

    >>> import tensorplay as tp
    >>> tp.zeros(2, 3)
    tensor([[0., 0., 0.],
            [0., 0., 0.]])
    """
    check_device(device)
    return wrap(np.zeros(size_of(named_size(size, named)), dtypes.as_numpy(dtype)), requires_grad)


def ones(
    *size: Any, dtype: DTypeLike | None = None, device: object = None, requires_grad: bool = False, **named: Any
) -> Tensor:
    """A tensor of ones, `ones(2, 3)` or `ones((2, 3))`.

    >>> import tensorplay as tp
    >>> tp.ones(3, dtype=tp.int64)
    tensor([1, 1, 1])
    """
    check_device(device)
    return wrap(np.ones(size_of(named_size(size, named)), dtypes.as_numpy(dtype)), requires_grad)


def empty(
    *size: Any, dtype: DTypeLike | None = None, device: object = None, requires_grad: bool = False, **named: Any
) -> Tensor:
    """A tensor whose numbers are whatever was in memory; to be filled before it is read.

    >>> import tensorplay as tp
    >>> tp.empty(2, 3).shape
    (2, 3)
    """
    check_device(device)
    return wrap(np.empty(size_of(named_size(size, named)), dtypes.as_numpy(dtype)), requires_grad)


def full(
    size: Any,
    fill_value: Any,
    *,
    dtype: DTypeLike | None = None,
    device: object = None,
    requires_grad: bool = False,
) -> Tensor:
    """A tensor of one number everywhere; without `dtype` it takes that of the number.

    >>> import tensorplay as tp
    >>> tp.full((2,), 3), tp.full((2,), 0.5)
    (tensor([3, 3]), tensor([0.5000, 0.5000]))
    """
    check_device(device)
    value = readable(fill_value) if isinstance(fill_value, Tensor) else fill_value
    found = dtypes.as_numpy(dtype) if dtype is not None else dtypes.result_dtype(value)
    if isinstance(size, int):
        raise TypeError(f"full(): argument 'size' (position 1) must be tuple of ints, not int: write ({size},)")
    return wrap(np.full(size_of((size,)), cast(value, found), found), requires_grad)


def zeros_like(
    input: Tensor, *, dtype: DTypeLike | None = None, device: object = None, requires_grad: bool = False
) -> Tensor:
    """Zeros with the shape and dtype of `input`.

    >>> import tensorplay as tp
    >>> tp.zeros_like(tp.tensor([1, 2]))
    tensor([0, 0])
    """
    return _like(input, lambda shape: zeros(shape, dtype=dtype or input.dtype, device=device), requires_grad)


def ones_like(
    input: Tensor, *, dtype: DTypeLike | None = None, device: object = None, requires_grad: bool = False
) -> Tensor:
    """Ones with the shape and dtype of `input`.

    >>> import tensorplay as tp
    >>> tp.ones_like(tp.tensor([1.5, 2.5]))
    tensor([1., 1.])
    """
    return _like(input, lambda shape: ones(shape, dtype=dtype or input.dtype, device=device), requires_grad)


def empty_like(
    input: Tensor, *, dtype: DTypeLike | None = None, device: object = None, requires_grad: bool = False
) -> Tensor:
    """A tensor with the shape and dtype of `input`, to be filled before it is read.

    >>> import tensorplay as tp
    >>> tp.empty_like(tp.zeros(2, 3)).shape
    (2, 3)
    """
    return _like(input, lambda shape: empty(shape, dtype=dtype or input.dtype, device=device), requires_grad)


def full_like(
    input: Tensor,
    fill_value: Any,
    *,
    dtype: DTypeLike | None = None,
    device: object = None,
    requires_grad: bool = False,
) -> Tensor:
    """One number everywhere, with the shape and dtype of `input`.

    >>> import tensorplay as tp
    >>> tp.full_like(tp.zeros(2), 7)
    tensor([7., 7.])
    """
    kind = dtype or input.dtype
    return _like(input, lambda shape: full(shape, fill_value, dtype=kind, device=device), requires_grad)


def _like(input: Tensor, make: Callable[[Shape], Tensor], requires_grad: Any) -> Tensor:
    """`make(shape of input)`; inside `vmap` one for each example, so that it can be written into."""
    rank(input)
    x = alike(input, make)
    x._needs_grad = tracked(requires_grad, x._array.dtype)
    return x


# -------------------------------------------------------------------------------------- sequences


def eye(
    n: int,
    m: int | None = None,
    *,
    dtype: DTypeLike | None = None,
    device: object = None,
    requires_grad: bool = False,
) -> Tensor:
    """Ones on the diagonal of an n-by-m matrix (square without `m`), zeros elsewhere.

    >>> import tensorplay as tp
    >>> tp.eye(2)
    tensor([[1., 0.],
            [0., 1.]])
    """
    check_device(device)
    rows, columns = size_of((n, n if m is None else m))
    return wrap(np.eye(rows, columns, dtype=dtypes.as_numpy(dtype)), requires_grad)

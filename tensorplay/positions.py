"""Index tensors made ready: checked, brought to the leading dimension, or widened to address single elements.

What is public in `functional/indexing.py` and `functional/scattering.py` is made of these and of the ops `Index`,
`IndexPut` and `IndexAdd`, which take one index array for each leading dimension.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .apply import apply, apply1
from .errors import DTypeError, IndexingError, NotATensorError, PositionError, ShapeError
from .inplace import fitting
from .lifting import plain
from .ops import Expand, GetItem, Op, Permute, Reshape
from .tensor import Tensor, rank, wrap
from .views import owned

__all__ = ["check_positions", "cut", "grid", "line_of", "on_dim", "scattered", "single", "stretched"]


# ------------------------------------------------------------------------------------------- checks


def check_positions(
    index: Any, dim: int, size: int, lowest: int, error: type[IndexingError] = IndexingError, opening: str = ""
) -> None:
    """Raise `error` for the first position in `index` that is not between `lowest` and `size` - 1."""
    array = plain(index._array if isinstance(index, Tensor) else index)
    wrong = array[(array < lowest) | (array >= size)]
    if wrong.size:
        raise error(f"{opening}index {wrong.flat[0]} is out of bounds for dimension {dim} with size {size}")


def line_of(name: str, index: Any, not_a_line: tuple[type[Exception], str], wrong: type[Exception]) -> Tensor:
    """`index` as a tensor of one dimension of whole numbers, or the errors of the function `name`."""
    if not isinstance(index, Tensor):
        raise NotATensorError(f"{name}(): argument 'index' must be Tensor, not {type(index).__name__}: got {index!r}")
    if index._array.dtype not in (np.int64, np.int32):
        raise wrong(
            f"{name}(): Expected dtype int32 or int64 for index, Expected a long tensor for index, but got "
            f"{index.dtype}: convert with index.long()"
        )
    if index.ndim > 1:
        error, text = not_a_line
        raise error(f"{name}(): {text}, but got one of {index.ndim} dimensions, of shape {list(index.shape)}")
    return index if index.ndim else apply1(Reshape, index, {"shape": (1,)})


def single(input: Tensor, value: Any, name: str) -> Tensor:
    """A number, or a tensor of one number, as a 0-d tensor of the dtype of `input`."""
    if not isinstance(value, Tensor):
        return wrap(fitting(input, value))
    if value.ndim:
        raise ShapeError(
            f"{name} only supports a 0-dimensional value tensor, but got tensor with {value.ndim} dimension(s)."
        )
    if value._array.dtype.kind == "c" and input._array.dtype.kind not in "cb":
        raise DTypeError(f"value cannot be converted to type {input.dtype} without overflow: it is {value.dtype}")
    return value.to(input.dtype)


def scattered(name: str, input: Tensor, dim: int, index: Any, src: Any = None) -> Tensor:
    """The index of `scatter` and its kin, when it fits `input` and `src`; the errors are those of PyTorch."""
    _check_index(name, index)
    if src is not None and not isinstance(src, Tensor):
        raise NotATensorError(f"{name}(): argument 'src' (position 4) must be Tensor, not {type(src).__name__}")
    if src is not None and src._array.dtype != input._array.dtype:
        raise DTypeError(
            f"scatter(): Expected self.dtype to be equal to src.dtype, got {input.dtype} and {src.dtype}: convert "
            "with src.to(input.dtype)"
        )
    if not index._array.size:
        return index
    for what, x in (("self", input), ("src", src)):
        if x is not None and max(x.ndim, 1) != max(index.ndim, 1):
            raise ShapeError(
                f"Index tensor must have the same number of dimensions as {what} tensor: got shape {list(index.shape)} "
                f"for {list(x.shape)}"
            )
    _check_sizes(dim, index, input, src)
    check_positions(index, dim, input.shape[dim] if rank(input) else 1, 0, PositionError)
    return index


def _check_index(name: str, index: Any) -> None:
    if not isinstance(index, Tensor):
        raise NotATensorError(f"{name}(): argument 'index' (position 3) must be Tensor, not {type(index).__name__}")
    if index._array.dtype not in (np.int64, np.int32):
        raise DTypeError(f"{name}(): Expected dtype int32/int64 for index, got {index.dtype}: convert with .long()")


def _check_sizes(dim: int, index: Tensor, input: Tensor, src: Tensor | None) -> None:
    outside = [n > m for d, (n, m) in enumerate(zip(index.shape, input.shape, strict=False)) if d != dim]
    beyond = src is not None and any(n > m for n, m in zip(index.shape, src.shape or (1,), strict=False))
    if any(outside) or beyond:
        raise ShapeError(
            f"Expected index {list(index.shape)} to be no larger than self {list(input.shape)} apart from dimension "
            f"{dim}" + ("" if src is None else f" and to be no larger size than src {list(src.shape)}")
        )


# ---------------------------------------------------------------------------- where the positions point


def grid(index: Tensor, dim: int) -> tuple[Tensor, ...]:
    """Index tensors for all dimensions that address x[..., index, ...] with every other dimension in step."""
    ndim = index.ndim
    return tuple(
        index if d == dim else wrap(np.arange(n).reshape((1,) * d + (n,) + (1,) * (ndim - d - 1)))
        for d, n in enumerate(index.shape)
    )


def cut(x: Tensor, shape: tuple[int, ...]) -> Tensor:
    """The corner of x that has this shape."""
    return x if x.shape == shape else apply1(GetItem, x, {"index": tuple(map(slice, shape))})


def on_dim(op: type[Op], x: Tensor, dim: int, index: Tensor, v: Tensor) -> Tensor:
    """`op(x, v, index)`, an edit of the leading dimension, on dimension `dim` of x; v has it too, or no dimension."""
    if not rank(x):
        line = apply1(Reshape, x, {"shape": (1,)})
        return apply1(Reshape, on_dim(op, line, 0, index, v), {"shape": ()})
    if not dim:
        return apply(op, x, v, index)
    order = (dim, *(d for d in range(x.ndim) if d != dim))
    back = tuple(sorted(range(x.ndim), key=order.__getitem__))
    front = apply1(Permute, v, {"dims": order}) if v.ndim else v
    out = apply(op, apply1(Permute, x, {"dims": order}), front, index)
    return owned(apply1(Permute, out, {"dims": back}))


def stretched(x: Tensor, shape: tuple[int, ...]) -> Tensor:
    """x, stretched where it is not of this shape."""
    return x if x.shape == shape else apply1(Expand, x, {"shape": shape})

"""The same numbers arranged differently: views wherever memory allows."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from .. import ops
from ..apply import apply1
from ..arrays.dtypes import DType, as_numpy, of
from ..arrays.memory import place, steps
from ..errors import ShapeError
from ..lifting import readable
from ..ops.families import normal_dim, normal_dims
from ..tensor import Tensor, rank, wrap
from .common import Dim

__all__ = ["expand", "flatten", "flip", "permute", "reshape", "squeeze", "transpose", "unsqueeze", "view"]


def _sizes(shape: tuple[Any, ...]) -> tuple[int, ...]:
    """Sizes given one by one or as a sequence."""
    if not shape:
        raise TypeError("missing 1 required positional arguments: the sizes or dimensions, as numbers or as a tuple")
    return tuple(shape[0]) if len(shape) == 1 and not isinstance(shape[0], (int, np.integer)) else tuple(shape)


def _resolved(input: Tensor, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The one size given as -1 worked out from the others."""
    if any(n < -1 for n in shape):
        raise ShapeError(f"invalid shape dimension {min(shape)} in shape {list(shape)}: sizes are at least 0, or -1")
    if -1 not in shape:
        return shape
    known = prod(n for n in shape if n != -1)
    size = prod(input._shape)
    if shape.count(-1) > 1:
        raise ShapeError(f"only one dimension can be inferred, got {list(shape)}")
    if known == 0 or size % known:
        raise ShapeError(f"shape '{list(shape)}' is invalid for input of size {size}: {size} is no multiple of {known}")
    return tuple(size // known if n == -1 else n for n in shape)


def reshape(input: Tensor, *shape: Any) -> Tensor:
    """The same elements in another shape; one size may be -1. A view where memory allows, else a copy.

    >>> import tensorplay as tp
    >>> tp.arange(4).reshape(2, -1)
    tensor([[0, 1],
            [2, 3]])
    """
    return apply1(ops.Reshape, input, {"shape": _resolved(input, _sizes(shape))})


def view(input: Tensor, *shape: Any, dtype: DType | None = None) -> Tensor:
    """`reshape` that never copies: raises ShapeError where the memory's order does not allow a view.

    With a dtype instead of a shape it is the same bytes read as numbers of that dtype. What is read is no function of
    the numbers, so the result has no history; it shares memory and versions, as `detach()` does.

    >>> import tensorplay as tp
    >>> tp.ones(2, 3).view(6).shape
    (6,)
    >>> tp.ones(2).view(tp.int32)
    tensor([1065353216, 1065353216], dtype=tensorplay.int32)
    """
    if dtype is not None or (len(shape) == 1 and isinstance(shape[0], DType)):
        return _reread(input, dtype if dtype is not None else shape[0])
    out = reshape(input, *shape)
    if out._array.size and isinstance(out._array, np.ndarray) and not np.may_share_memory(out._array, input._array):
        raise ShapeError(
            f"view size is not compatible with input tensor's size and stride: {list(input.shape)} cannot be seen as "
            f"{list(out.shape)} without copying. Use reshape() instead"
        )
    return out


def _reread(input: Tensor, dtype: DType) -> Tensor:
    """The bytes as numbers of another dtype: the last dimension shrinks or grows as these are larger or smaller."""
    array = readable(input)
    out = wrap(_checked_bytes(array, as_numpy(dtype)).view(as_numpy(dtype)))
    out._cell = input._cell
    return out


def _checked_bytes(array: Any, dtype: Any) -> Any:
    """The array, if its bytes can be read as this dtype; raises ShapeError if not."""
    old, new = array.itemsize, dtype.itemsize
    if old == new:
        return array
    strides, ratio = steps(array), new // old
    wrong = ""
    if not array.ndim:
        wrong = "self.dim() cannot be 0"
    elif strides[-1] != 1 and array.size:
        wrong = f"self.stride(-1) must be 1 (got {strides[-1]})"
    elif ratio and array.shape[-1] % ratio:
        wrong = f"self.size(-1) must be divisible by {ratio} (got {array.shape[-1]})"
    elif ratio and place(array)[0] % ratio:
        wrong = f"self.storage_offset() must be divisible by {ratio} (got {place(array)[0]})"
    elif ratio and array.size and any(s % ratio for s in strides[:-1]):
        wrong = f"self.stride() must be divisible by {ratio} (got {list(strides)})"
    if wrong:
        raise ShapeError(
            f"{wrong} to view {of(array.dtype)} as {of(dtype)} (different element sizes): use clone() first"
        )
    return array


def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Dimensions from `start_dim` to `end_dim` as one; the tensor itself if that is one dimension already.

    >>> import tensorplay as tp
    >>> tp.flatten(tp.ones(2, 3, 4), 1).shape
    (2, 12)
    """
    start, end = normal_dim(start_dim, rank(input)), normal_dim(end_dim, rank(input))
    if start > end:
        raise ShapeError(f"flatten() has invalid args: start_dim {start_dim} cannot come after end_dim {end_dim}")
    shape = input.shape
    if start == end and shape:
        return input
    return reshape(input, (*shape[:start], prod(shape[start : end + 1]), *shape[end + 1 :]))


def permute(input: Tensor, *dims: Any) -> Tensor:
    """Dimensions in the order `dims`: a view.

    >>> import tensorplay as tp
    >>> tp.ones(2, 3, 4).permute(2, 0, 1).shape
    (4, 2, 3)
    """
    order = tuple(normal_dim(d, rank(input)) for d in _sizes(dims))
    if sorted(order) != list(range(rank(input))):
        raise ShapeError(f"permute(): dims {list(order)} must name each of the {rank(input)} dimensions once")
    return apply1(ops.Permute, input, {"dims": order})


def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Two dimensions exchanged: a view.

    >>> import tensorplay as tp
    >>> tp.ones(2, 3).transpose(0, 1).shape
    (3, 2)
    """
    a, b = normal_dim(dim0, rank(input)), normal_dim(dim1, rank(input))
    order = list(range(rank(input)))
    if order:
        order[a], order[b] = order[b], order[a]
    return apply1(ops.Permute, input, {"dims": tuple(order)})


def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """A dimension of size 1 put in at `dim`: a view.

    >>> import tensorplay as tp
    >>> tp.ones(3).unsqueeze(1).shape
    (3, 1)
    """
    at = normal_dim(dim, rank(input) + 1)
    return apply1(ops.Reshape, input, {"shape": (*input.shape[:at], 1, *input.shape[at:])})


def squeeze(input: Tensor, dim: Dim = None) -> Tensor:
    """Dimensions of size 1 dropped: all, or those named: a view.

    >>> import tensorplay as tp
    >>> tp.ones(1, 3, 1).squeeze(0).shape
    (3, 1)
    """
    dims = normal_dims(dim, rank(input)) or (range(rank(input)) if dim is None else ())
    return apply1(ops.Reshape, input, {"shape": tuple(n for i, n in enumerate(input.shape) if n != 1 or i not in dims)})


def expand(input: Tensor, *sizes: Any) -> Tensor:
    """Dimensions of size 1 stretched without copying; -1 leaves a size as it is. Gradients are summed back.

    >>> import tensorplay as tp
    >>> tp.tensor([[1.0], [2.0]]).expand(2, 3)
    tensor([[1., 1., 1.],
            [2., 2., 2.]])
    """
    shape = _sizes(sizes)
    lead = len(shape) - rank(input)
    shape = tuple(input.shape[i - lead] if n == -1 and i >= lead else n for i, n in enumerate(shape))
    if lead < 0 or any(n < 0 for n in shape):
        raise ops.Expand.explain((input._array,), {"shape": shape}, ValueError())
    return apply1(ops.Expand, input, {"shape": shape})


def flip(input: Tensor, *places: Any, dims: Any = None) -> Tensor:
    """The elements in reverse order along `dims`, given one by one or as a sequence: a copy, with its own memory.

    Raises DimensionError for a dimension that is not there, ShapeError for one named twice.

    >>> import tensorplay as tp
    >>> tp.flip(tp.tensor([[1, 2], [3, 4]]), (0, 1))
    tensor([[4, 3],
            [2, 1]])
    """
    chosen = _sizes(places if dims is None else (dims,))
    along = normal_dims(chosen, rank(input)) if chosen else None
    return apply1(ops.Flip, input, {"dims": along or ()})

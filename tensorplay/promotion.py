"""In what dtype, and in which namespace, an operation computes."""

from __future__ import annotations

from typing import Any

import numpy as np

from .arrays.cpu import cpu
from .arrays.dtypes import as_numpy, result_dtype
from .autograd.bridge import bridge
from .ops import Op
from .tensor import Tensor

__all__ = ["prepared", "space_of"]

ndarray, asarray = np.ndarray, np.asarray
F32, F64, U8 = np.dtype("float32"), np.dtype("float64"), np.dtype("uint8")


def prepared(op: type[Op], arrays: tuple[Any, ...]) -> tuple[Any, ...]:
    """Inputs in the dtype the operation computes in: PyTorch's common one, floating where only that makes sense."""
    if not (op.promote or op.floating):
        return arrays
    start = op.promote_from
    joint = arrays[start:] if op.promote else arrays[:1]
    common = getattr(joint[0], "dtype", None)
    if (common is F32 or common is F64) and all(
        getattr(a, "dtype", common) is common and a.__class__ not in (complex, bool) for a in joint
    ):
        return arrays  # by far the most frequent case, decided without asking NumPy
    dtype = result_dtype(*joint)
    op.check(joint, dtype)
    if op.floating and dtype.kind not in "fc":
        dtype = as_numpy(None)
    cast = tuple(_cast(a, dtype) for a in joint)
    if not any(hasattr(a, "dtype") for a in cast):  # numbers alone have no dtype to give
        cast = tuple(asarray(a, dtype) for a in cast)
    return arrays[:start] + cast if op.promote else cast + arrays[1:]


def _cast(x: Any, dtype: Any) -> Any:
    """Numbers stay numbers: they are weak, and take the dtype of what they meet."""
    if getattr(x, "dtype", dtype) == dtype:
        if x.__class__ is int and dtype == U8 and -256 < x < 0:  # as in C: counted from 256 down
            return x % 256
        return x
    if isinstance(x, Tensor):  # a constant of a lower layer
        return bridge.tensors.cast(x, dtype)
    return x.astype(dtype) if x.__class__ is ndarray else space_of((x,)).cast(x, dtype)


def space_of(arrays: tuple[Any, ...]) -> Any:
    """The namespace of the highest rank among the arrays."""
    spaces = [a.space for a in arrays if hasattr(a, "space")]
    return max(spaces, key=lambda s: s.rank) if spaces else cpu

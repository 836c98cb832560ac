"""What tensors can do besides remembering: conversion, size and dtype, questions.

The methods that are public functions too are attached in `method_table.py`.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from . import ops, printing
from .apply import apply, apply1
from .arrays.device import Device
from .arrays.dtypes import as_numpy, bool_, float16, float32, float64, int32, int64, is_dtype_name
from .autograd.bridge import bridge
from .errors import ConversionError, MembershipError, ScalarError, SingleNumberError
from .lifting import readable
from .ops.families import normal_dim
from .source import warn
from .tensor import Tensor, number_from

__all__: list[str] = []


def _method(function: Callable[..., Any]) -> Callable[..., Any]:
    """Attach a function of this file to Tensor under its own name."""
    setattr(Tensor, function.__name__, function)
    return function


def _attach(**members: Any) -> None:
    """Attach to Tensor what is not a function of its own name."""
    for name, member in members.items():
        setattr(Tensor, name, member)


# ----------------------------------------------------------------------------------- to Python, NumPy


@_method
def item(self: Tensor) -> Any:
    """The one number in this tensor, as a Python number."""
    return number_from(self)


@_method
def tolist(self: Tensor) -> Any:
    """Nested lists of Python numbers."""
    return self._array.tolist()


@_method
def numpy(self: Tensor, *, force: bool = False) -> Any:
    """The numbers as a NumPy array that shares the memory; of a tensor that requires grad only with `force`.

    Raises ConversionError for that, and inside `vmap`, where each example would need an array of its own.

    >>> import tensorplay as tp
    >>> tp.ones(2, requires_grad=True).numpy(force=True)
    array([1., 1.], dtype=float32)
    """
    if not force and self.requires_grad:
        raise ConversionError(
            "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead: "
            "NumPy would not record what is done to it"
        )
    return self._array if self._array.__class__ is np.ndarray else readable(self)


@_method
def __array__(self: Tensor, dtype: Any = None, copy: bool | None = None) -> Any:
    return np.array(self.numpy(), dtype=dtype, copy=copy)


@_method
def __bool__(self: Tensor) -> bool:
    if self._array.size != 1:
        raise ConversionError(
            "Boolean value of Tensor with "
            + ("no values" if self._array.size == 0 else "more than one value")
            + " is ambiguous: use (x > 0).all(), .any() or a single element"
        )
    return builtins.bool(self._array)


def _real(value: complex, kind: type) -> float:
    if value.imag:
        raise ConversionError(
            f"value cannot be converted to type {kind.__name__} without overflow: {value} has an imaginary part. Use "
            "complex(x), or take x.real or x.abs()"
        )
    return value.real


def _number(kind: type) -> Callable[[Tensor], Any]:
    def convert(self: Tensor) -> Any:
        if self._array.size != 1:
            raise ScalarError(
                "only one element tensors can be converted to Python scalars: this one has "
                f"{self._array.size} elements. Pick one, or use tolist()"
            )
        value = number_from(self)
        if isinstance(value, builtins.complex) and kind is not builtins.complex:
            value = _real(value, kind)
        if kind is not builtins.int and self.requires_grad:
            warn(
                "Converting a tensor with requires_grad=True to a scalar leaves the graph: use x.detach() or x.item()",
                UserWarning,
            )
        return kind(value)

    return convert


_attach(__float__=_number(builtins.float), __int__=_number(builtins.int), __complex__=_number(builtins.complex))


@_method
def __index__(self: Tensor) -> int:
    if self._array.dtype.kind not in "iub" or self._array.size != 1:
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return builtins.int(number_from(self))


@_method
def __len__(self: Tensor) -> int:
    if not self._shape:
        raise SingleNumberError("len() of a 0-d tensor: it is a single number, so item() gives it and shape is ()")
    return self._shape[0]


@_method
def __iter__(self: Tensor) -> Iterator[Tensor]:
    if not self._shape:
        raise SingleNumberError("iteration over a 0-d tensor: it is a single number, so use item()")
    return (self[i] for i in range(self._shape[0]))


@_method
def __contains__(self: Tensor, element: Any) -> bool:
    if not isinstance(element, (Tensor, builtins.int, builtins.float, builtins.complex, np.generic)):
        raise MembershipError(
            f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}."
        )
    found: Any = self == element
    return builtins.bool(found.any())


@_method
def __repr__(self: Tensor) -> str:
    if not isinstance(self._array, np.ndarray):  # of a transform: a batch, a dual
        now = bridge.settled(self)
        return f"tensor({self._array!r})" if now is self else repr(now)
    node = self.grad_fn
    name = node.name() if node is not None else None
    return printing.format_tensor(self._array, requires_grad=self._needs_grad, grad_fn=name)


@_method
def __format__(self: Tensor, spec: str) -> str:
    """A single number is written as such, so that f"{loss:.3f}" works; for more there is no format."""
    if not self._shape:
        return format(self._array.item(), spec)
    if spec:
        raise TypeError(f"unsupported format string passed to Tensor.__format__: {spec!r}. It works for one number")
    return repr(self)


# ------------------------------------------------------------------------------------- size and dtype


@_method
def size(self: Tensor, dim: int | None = None) -> Any:
    """The shape, or the size of one dimension."""
    return self._shape if dim is None else self._shape[normal_dim(dim, self.ndim)]


@_method
def dim(self: Tensor) -> int:
    """Number of dimensions."""
    return len(self._shape)


@_method
def is_floating_point(self: Tensor) -> bool:
    """Whether the dtype is a floating one."""
    return self._array.dtype.kind == "f"


@_method
def contiguous(self: Tensor) -> Tensor:
    """The tensor itself if its memory is in order, else a copy that is."""
    return self if is_contiguous(self) else apply1(ops.Contiguous, self)


@_method
def is_contiguous(self: Tensor) -> bool:
    """Whether the elements lie in memory in order."""
    array = self._array
    return builtins.bool(array.__class__ is not np.ndarray or array.flags.c_contiguous)


@_method
def stride(self: Tensor, dim: int | None = None) -> Any:
    """Steps in memory, in elements, from one index to the next in each dimension, or in one."""
    found = tuple(s // self._array.itemsize for s in self._array.strides)
    return found if dim is None else found[normal_dim(dim, self.ndim)]


@_method
def to(self: Tensor, *target: Any, dtype: Any = None, device: Any = None, copy: bool = False) -> Tensor:
    """The tensor in another dtype and on another device, given in any order, or those of another tensor.

    Itself if nothing changes, unless `copy=True`. The only device so far is "cpu".
    """
    for wanted in target:
        if isinstance(wanted, Tensor):
            dtype, device = wanted.dtype, wanted.device
        elif isinstance(wanted, Device) or (isinstance(wanted, str) and not is_dtype_name(wanted)):
            device = wanted
        else:
            dtype = wanted
    if device is not None:
        Device(device)
    found = self._array.dtype if dtype is None else as_numpy(dtype)
    if found == self._array.dtype:
        return self.clone() if copy else self
    return apply(ops.Cast, self if found.kind in "fc" else self.detach(), dtype=found)  # integers have no gradient


@_method
def cpu(self: Tensor) -> Tensor:
    """The tensor itself: "cpu" is the only device."""
    return self


@_method
def type_as(self: Tensor, other: Tensor) -> Tensor:
    """The tensor in the dtype of another."""
    return to(self, other.dtype)


def _cast_method(name: str, dtype: Any) -> None:
    def cast(self: Tensor) -> Tensor:
        return to(self, dtype)

    cast.__name__, cast.__doc__ = name, f"The tensor as {dtype}."
    setattr(Tensor, name, cast)


for _name, _dtype in {
    "float": float32,
    "double": float64,
    "half": float16,
    "int": int32,
    "long": int64,
    "bool": bool_,
}.items():
    _cast_method(_name, _dtype)

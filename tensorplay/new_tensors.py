"""Methods that make new tensors with the dtype of a given one: `x.new_zeros(2, 3)` and its like."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import creation
from .creation import DTypeLike
from .errors import DTypeError
from .tensor import Tensor

__all__: list[str] = []


def _method(function: Callable[..., Any]) -> Callable[..., Any]:
    """Attach a function of this file to Tensor under its own name."""
    setattr(Tensor, function.__name__, function)
    return function


def _sized(name: str, what: str) -> None:
    """Attach `new_zeros` made of `zeros`, and the like."""
    make = getattr(creation, name)

    def new(
        self: Tensor,
        *size: Any,
        dtype: DTypeLike | None = None,
        device: object = None,
        requires_grad: bool = False,
        **named: Any,
    ) -> Tensor:
        return make(*size, dtype=dtype or self.dtype, device=device, requires_grad=requires_grad, **named)

    new.__name__ = new.__qualname__ = f"new_{name}"
    new.__doc__ = f"""A tensor {what} of this size, in the dtype of this tensor unless another is given.

    >>> import tensorplay as tp
    >>> tp.tensor([1]).new_{name}(2, 3).shape
    (2, 3)
    """
    _method(new)


for _name, _what in {"zeros": "of zeros", "ones": "of ones", "empty": "whose numbers are not set yet,"}.items():
    _sized(_name, _what)


@_method
def new_full(
    self: Tensor,
    size: Any,
    fill_value: Any,
    *,
    dtype: DTypeLike | None = None,
    device: object = None,
    requires_grad: bool = False,
) -> Tensor:
    """A tensor of this size with one number everywhere, in the dtype of this tensor unless another is given.

    Raises DTypeError for a complex number where the dtype is a real one.

    >>> import tensorplay as tp
    >>> tp.tensor([1.0]).new_full((2,), 3)
    tensor([3., 3.])
    """
    kind = dtype or self.dtype
    if isinstance(fill_value, complex) and not creation.zeros(0, dtype=kind).dtype.is_complex:
        raise DTypeError(f"value cannot be converted to type {kind} without overflow: got {fill_value}")
    return creation.full(size, fill_value, dtype=kind, device=device, requires_grad=requires_grad)


@_method
def new_tensor(
    self: Tensor,
    data: Any,
    *,
    dtype: DTypeLike | None = None,
    device: object = None,
    requires_grad: bool = False,
) -> Tensor:
    """A leaf that holds a copy of `data`, in the dtype of this tensor unless another is given.

    >>> import tensorplay as tp
    >>> tp.tensor([1.0]).new_tensor([1, 2])
    tensor([1., 2.])
    """
    return creation.tensor(data, dtype or self.dtype, device, requires_grad)

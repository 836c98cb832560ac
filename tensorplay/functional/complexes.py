"""Complex numbers: made of parts or of polar coordinates, conjugated, measured."""

from __future__ import annotations

import math

from .. import ops
from ..apply import apply1
from ..errors import DTypeError
from ..operands import need_tensors
from ..tensor import Tensor
from .common import conjugated
from .comparison import isnan
from .elementary import atan2, cos, sin
from .pointwise import add, clone, mul, where

__all__ = [
    "angle", "complex", "conj", "conj_physical", "is_complex", "is_floating_point", "polar", "resolve_conj",
]  # fmt: skip


def complex(real: Tensor, imag: Tensor) -> Tensor:
    """real + i · imag; shapes broadcast; both parts have the same floating dtype, or DTypeError is raised.

    >>> import tensorplay as tp
    >>> tp.complex(tp.tensor([1.0]), tp.tensor([2.0]))
    tensor([1.+2.j])
    """
    _check_parts("complex", real=real, imag=imag)
    return add(real, mul(imag, 1j))


def polar(abs: Tensor, angle: Tensor) -> Tensor:
    """abs · (cos angle + i sin angle); shapes broadcast; both have the same floating dtype, or DTypeError is raised.

    >>> import tensorplay as tp
    >>> tp.polar(tp.tensor([2.0]), tp.tensor([0.0]))
    tensor([2.+0.j])
    """
    _check_parts("polar", abs=abs, angle=angle)
    return complex(mul(abs, cos(angle)), mul(abs, sin(angle)))


def angle(input: Tensor) -> Tensor:
    """The angle of each complex number in [-π, π]; of real ones π below 0 and 0 above, with the slope 0.

    >>> import tensorplay as tp
    >>> tp.angle(tp.tensor([1.0, -2.0]))
    tensor([0.0000, 3.1416])
    """
    need_tensors("angle", input=input)
    if input.dtype.is_complex:
        real = {"complex64": "float32"}.get(input.dtype.name, "float64")
        parts = [apply1(ops.Cast, x, {"dtype": real}) for x in (input, mul(input, -1j))]
        return atan2(parts[1], parts[0])
    number = input if input.dtype.is_floating_point else mul(input, 1.0)
    return where(number < 0, math.pi, where(isnan(number), number, 0.0))


def conj(input: Tensor) -> Tensor:
    """The complex conjugate of each element; a real tensor itself. Complex numbers are copied.

    >>> import tensorplay as tp
    >>> tp.conj(tp.tensor([1 + 2j]))
    tensor([1.-2.j])
    """
    need_tensors("conj", input=input)
    return conjugated(input)


def conj_physical(input: Tensor) -> Tensor:
    """The complex conjugate of each element, always with memory of its own.

    >>> import tensorplay as tp
    >>> tp.conj_physical(tp.tensor([1 + 2j]))
    tensor([1.-2.j])
    """
    need_tensors("conj_physical", input=input)
    return conjugated(input) if input.dtype.is_complex else clone(input)


def resolve_conj(input: Tensor) -> Tensor:
    """The tensor itself: a conjugate is computed at once here, never put off.

    >>> import tensorplay as tp
    >>> tp.resolve_conj(tp.tensor([1.0]))
    tensor([1.])
    """
    need_tensors("resolve_conj", input=input)
    return input


def is_complex(input: Tensor) -> bool:
    """Whether the numbers are complex.

    >>> import tensorplay as tp
    >>> tp.is_complex(tp.tensor([1j]))
    True
    """
    need_tensors("is_complex", input=input)
    return input.dtype.is_complex


def is_floating_point(input: Tensor) -> bool:
    """Whether the numbers are real and floating.

    >>> import tensorplay as tp
    >>> tp.is_floating_point(tp.tensor([1.0]))
    True
    """
    need_tensors("is_floating_point", input=input)
    return input.dtype.is_floating_point


def _check_parts(name: str, **parts: Tensor) -> None:
    need_tensors(name, **parts)
    first, second = (x.dtype for x in parts.values())
    if not first.is_floating_point or first is not second or first.name == "bfloat16":
        raise DTypeError(
            f"{name} expected both inputs to be Half, Float or Double tensors of one dtype, got {first} and {second}: "
            "convert with x.float()"
        )

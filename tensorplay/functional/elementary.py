"""The elementary functions, element by element: exponential, logarithms, root, angles."""

from __future__ import annotations

from .. import ops
from ..apply import apply1, apply2
from ..errors import NotATensorError
from ..tensor import Tensor

__all__ = ["arctan2", "atan2", "cos", "exp", "log", "log2", "sin", "sqrt", "tanh"]


def exp(input: Tensor) -> Tensor:
    """Exponential of each element; d/dx eˣ = eˣ.

    >>> import tensorplay as tp
    >>> tp.exp(tp.tensor([0.0, 1.0]))
    tensor([1.0000, 2.7183])
    """
    return apply1(ops.Exp, input)


def log(input: Tensor) -> Tensor:
    """Natural logarithm of each element; -inf at 0, NaN below; d/dx ln x = 1/x.

    >>> import tensorplay as tp
    >>> tp.log(tp.tensor([1.0, 0.0]))
    tensor([0., -inf])
    """
    return apply1(ops.Log, input)


def log2(input: Tensor) -> Tensor:
    """Logarithm to base 2 of each element; -inf at 0, NaN below; d/dx log₂ x = 1 / (x ln 2).

    >>> import tensorplay as tp
    >>> tp.log2(tp.tensor([8.0, 0.5]))
    tensor([ 3., -1.])
    """
    return apply1(ops.Log2, input)


def sqrt(input: Tensor) -> Tensor:
    """Square root of each element; d/dx √x = 1 / (2√x), infinite at 0.

    >>> import tensorplay as tp
    >>> tp.sqrt(tp.tensor([4.0, 9.0]))
    tensor([2., 3.])
    """
    return apply1(ops.Sqrt, input)


def sin(input: Tensor) -> Tensor:
    """Sine of each element, an angle in radians; d/dx sin x = cos x.

    >>> import tensorplay as tp
    >>> tp.sin(tp.tensor([0.0, 0.5]))
    tensor([0.0000, 0.4794])
    """
    return apply1(ops.Sin, input)


def cos(input: Tensor) -> Tensor:
    """Cosine of each element, an angle in radians; d/dx cos x = -sin x.

    >>> import tensorplay as tp
    >>> tp.cos(tp.tensor([0.0, 0.5]))
    tensor([1.0000, 0.8776])
    """
    return apply1(ops.Cos, input)


def atan2(input: Tensor, other: Tensor) -> Tensor:
    """The angle of the point (other, input), seen from the origin, in [-π, π]; shapes broadcast.

    ∂/∂input = other / r², ∂/∂other = -input / r² with r² = input² + other²; both are 0 at the origin.
    Raises NotATensorError if one of the two is a number.

    >>> import tensorplay as tp
    >>> tp.atan2(tp.tensor([1.0, 0.0]), tp.tensor([1.0, -1.0]))
    tensor([0.7854, 3.1416])
    """
    for place, (name, x) in enumerate((("input", input), ("other", other)), 1):
        if not isinstance(x, Tensor):
            raise NotATensorError(
                f"atan2(): argument '{name}' (position {place}) must be Tensor, not {type(x).__name__}: "
                "tp.tensor(...) makes one"
            )
    return apply2(ops.Atan2, input, other)


arctan2 = atan2


def tanh(input: Tensor) -> Tensor:
    """Hyperbolic tangent of each element; d/dx = 1 - tanh².

    >>> import tensorplay as tp
    >>> tp.tanh(tp.tensor([0.0, 1.0]))
    tensor([0.0000, 0.7616])
    """
    return apply1(ops.Tanh, input)

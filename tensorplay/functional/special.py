"""Other exponentials, logarithms and roots, the error function and the gamma function, element by element."""

from __future__ import annotations

from .. import ops
from ..apply import apply1
from ..operands import need_tensors
from ..tensor import Tensor
from .common import in_single
from .pointwise import pow

__all__ = [  # noqa: RUF022 - by letters, not by the numbers in names
    "digamma",
    "erf",
    "erfc",
    "erfinv",
    "exp2",
    "expm1",
    "lgamma",
    "log10",
    "log1p",
    "reciprocal",
    "rsqrt",
    "square",
]  # fmt: skip


def exp2(input: Tensor) -> Tensor:
    """Two to the power of each element; d/dx 2ˣ = 2ˣ ln 2.

    >>> import tensorplay as tp
    >>> tp.exp2(tp.tensor([0.0, 3.0]))
    tensor([1., 8.])
    """
    return apply1(ops.Exp2, input)


def expm1(input: Tensor) -> Tensor:
    """eˣ - 1 of each element, exact near 0; d/dx = eˣ.

    >>> import tensorplay as tp
    >>> tp.expm1(tp.tensor([0.0, 1.0]))
    tensor([0.0000, 1.7183])
    """
    return apply1(ops.Expm1, input)


def log10(input: Tensor) -> Tensor:
    """Logarithm to base 10 of each element; -inf at 0, NaN below; d/dx = 1 / (x ln 10).

    >>> import tensorplay as tp
    >>> tp.log10(tp.tensor([10.0, 0.5]))
    tensor([ 1.0000, -0.3010])
    """
    return apply1(ops.Log10, input)


def log1p(input: Tensor) -> Tensor:
    """ln(1 + x) of each element, exact near 0; d/dx = 1 / (1 + x).

    >>> import tensorplay as tp
    >>> tp.log1p(tp.tensor([0.0, 1.0]))
    tensor([0.0000, 0.6931])
    """
    return apply1(ops.Log1p, input)


def rsqrt(input: Tensor) -> Tensor:
    """1 / √x of each element; inf at 0, NaN below; d/dx = -1 / (2 x √x).

    >>> import tensorplay as tp
    >>> tp.rsqrt(tp.tensor([4.0, 1.0]))
    tensor([0.5000, 1.0000])
    """
    return apply1(ops.Rsqrt, input)


def reciprocal(input: Tensor) -> Tensor:
    """1 / x of each element; d/dx = -1 / x².

    >>> import tensorplay as tp
    >>> tp.reciprocal(tp.tensor([4.0, -2.0]))
    tensor([ 0.2500, -0.5000])
    """
    return apply1(ops.Reciprocal, input)


def erf(input: Tensor) -> Tensor:
    """The error function of each element; d/dx = 2/√π · exp(-x²).

    >>> import tensorplay as tp
    >>> tp.erf(tp.tensor([0.0, 1.0]))
    tensor([0.0000, 0.8427])
    """
    need_tensors("erf", input=input)
    return in_single(lambda x: apply1(ops.Erf, x), input)


def erfc(input: Tensor) -> Tensor:
    """1 - erf(x) of each element, exact for large ones; d/dx = -2/√π · exp(-x²).

    >>> import tensorplay as tp
    >>> tp.erfc(tp.tensor([0.0, 1.0]))
    tensor([1.0000, 0.1573])
    """
    need_tensors("erfc", input=input)
    return in_single(lambda x: apply1(ops.Erfc, x), input)


def erfinv(input: Tensor) -> Tensor:
    """Inverse of the error function, NaN beyond ±1; d/dx = √π/2 · exp(erf⁻¹(x)²).

    >>> import tensorplay as tp
    >>> tp.erfinv(tp.tensor([0.0, 0.5]))
    tensor([0.0000, 0.4769])
    """
    need_tensors("erfinv", input=input)
    return in_single(lambda x: apply1(ops.Erfinv, x), input)


def lgamma(input: Tensor) -> Tensor:
    """ln |Γ(x)| of each element; d/dx = ψ(x), the `digamma`.

    >>> import tensorplay as tp
    >>> tp.lgamma(tp.tensor([1.0, 4.0]))
    tensor([0.0000, 1.7918])
    """
    need_tensors("lgamma", input=input)
    return in_single(lambda x: apply1(ops.Lgamma, x), input)


def digamma(input: Tensor) -> Tensor:
    """ψ(x) of each element, the slope of `lgamma`; d/dx = ψ′(x).

    >>> import tensorplay as tp
    >>> tp.digamma(tp.tensor([1.0, 4.0]))
    tensor([-0.5772,  1.2561])
    """
    need_tensors("digamma", input=input)
    return in_single(lambda x: apply1(ops.Digamma, x), input)


def square(input: Tensor) -> Tensor:
    """x² of each element; d/dx x² = 2x.

    >>> import tensorplay as tp
    >>> tp.square(tp.tensor([3.0, -2.0]))
    tensor([9., 4.])
    """
    need_tensors("square", input=input)
    return pow(input.long() if input.dtype.name == "bool" else input, 2)

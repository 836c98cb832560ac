"""The functions behind the layers, for use without a module."""

from __future__ import annotations

from ..apply import apply
from ..functional import matmul, relu, sigmoid, tanh, transpose
from ..ops import Linear
from ..scores import cross_entropy, log_softmax, mse_loss, softmax
from ..tensor import Tensor

__all__ = ["cross_entropy", "linear", "log_softmax", "mse_loss", "relu", "sigmoid", "softmax", "tanh"]


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input · weightᵀ + bias: shapes (…, in), (out, in) and (out,) give (…, out).

    >>> import tensorplay as tp
    >>> tp.nn.functional.linear(tp.ones(1, 2), tp.tensor([[1.0, 2.0]]), tp.tensor([10.0]))
    tensor([[13.]])
    """
    if bias is not None and input.ndim >= 2:
        return apply(Linear, input, weight, bias)
    product = matmul(input, transpose(weight, 0, 1))
    return product if bias is None else product + bias

"""The functions behind the layers, for use without a module."""

from __future__ import annotations

from ..apply import apply
from ..errors import NotATensorError
from ..functional import log_softmax, matmul, relu, sigmoid, softmax, tanh, transpose
from ..functional.losses import cross_entropy, mse_loss
from ..ops import Linear
from ..ops.contraction import flat_error
from ..tensor import Tensor, rank

__all__ = ["cross_entropy", "linear", "log_softmax", "mse_loss", "relu", "sigmoid", "softmax", "tanh"]


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input · weightᵀ + bias: shapes (…, in), (out, in) and (out,) give (…, out), and a weight (in,) gives (…).

    Raises ShapeError where the sizes do not fit, or an argument is a single number.

    >>> import tensorplay as tp
    >>> tp.nn.functional.linear(tp.ones(1, 2), tp.tensor([[1.0, 2.0]]), tp.tensor([10.0]))
    tensor([[13.]])
    """
    if not isinstance(input, Tensor):
        raise NotATensorError(
            f"linear(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}: write tp.tensor(...)"
        )
    if bias is not None and input.ndim >= 2:
        return apply(Linear, input, weight, bias)
    if not (rank(input) and rank(weight)):
        raise flat_error("linear", input.shape, weight.shape)
    product = matmul(input, weight if weight.ndim == 1 else transpose(weight, 0, 1))
    return product if bias is None else product + bias

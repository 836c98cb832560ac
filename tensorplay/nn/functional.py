"""The functions behind the layers, for use without a module."""

from __future__ import annotations

from ..apply import apply
from ..errors import NotATensorError, ShapeError
from ..functional import einsum, log_softmax, matmul, relu, sigmoid, softmax, tanh, transpose
from ..functional.losses import cross_entropy, mse_loss
from ..grids import one_hot
from ..ops import Linear
from ..ops.contraction import check_bias, flat_error
from ..tensor import Tensor, rank
from .activation_functions import (
    celu,
    elu,
    gelu,
    glu,
    hardshrink,
    hardsigmoid,
    hardswish,
    hardtanh,
    leaky_relu,
    logsigmoid,
    mish,
    prelu,
    relu6,
    selu,
    silu,
    softmin,
    softplus,
    softshrink,
    softsign,
    tanhshrink,
    threshold,
)
from .convolution_functions import (
    conv1d,
    conv2d,
    conv3d,
    conv_transpose1d,
    conv_transpose2d,
    conv_transpose3d,
)
from .dropout_functions import (
    alpha_dropout,
    dropout,
    dropout1d,
    dropout2d,
    dropout3d,
    feature_alpha_dropout,
)
from .embedding import embedding, embedding_bag
from .folding import fold, unfold
from .normalization_functions import (
    batch_norm,
    group_norm,
    instance_norm,
    layer_norm,
    local_response_norm,
    rms_norm,
)
from .padding_functions import pad
from .pooling_sizes import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    adaptive_max_pool1d,
    adaptive_max_pool2d,
    adaptive_max_pool3d,
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
    lp_pool1d,
    lp_pool2d,
    lp_pool3d,
    max_pool1d,
    max_pool2d,
    max_pool3d,
)

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "adaptive_max_pool3d",
    "alpha_dropout",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "batch_norm",
    "bilinear",
    "celu",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "cross_entropy",
    "dropout",
    "dropout1d",
    "dropout2d",
    "dropout3d",
    "elu",
    "embedding",
    "embedding_bag",
    "feature_alpha_dropout",
    "fold",
    "gelu",
    "glu",
    "group_norm",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "instance_norm",
    "layer_norm",
    "leaky_relu",
    "linear",
    "local_response_norm",
    "log_softmax",
    "logsigmoid",
    "lp_pool1d",
    "lp_pool2d",
    "lp_pool3d",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "mish",
    "mse_loss",
    "one_hot",
    "pad",
    "prelu",
    "relu",
    "relu6",
    "rms_norm",
    "selu",
    "sigmoid",
    "silu",
    "softmax",
    "softmin",
    "softplus",
    "softshrink",
    "softsign",
    "tanh",
    "tanhshrink",
    "threshold",
    "unfold",
]


def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x₁ᵀ W x₂ + b for each pair of rows: (…, in1), (…, in2), (out, in1, in2) and (out,) give (…, out).

    Raises ShapeError where the sizes do not fit.

    >>> import tensorplay as tp
    >>> tp.nn.functional.bilinear(tp.ones(1, 2), tp.ones(1, 3), tp.ones(1, 2, 3))
    tensor([[6.]])
    """
    if rank(weight) != 3:
        raise ShapeError(
            f"bilinear(): weight must have 3 dimensions (out, in1, in2), got {list(weight.shape)}: "
            f"one matrix for each output"
        )
    if tuple(input1.shape[:-1]) != tuple(input2.shape[:-1]):
        raise ShapeError(
            f"bilinear(): input dimensions do not match: got {list(input1.shape)} and {list(input2.shape)}, which may "
            f"differ in the last one only"
        )
    for number, x in ((1, input1), (2, input2)):
        if x.shape[-1] != weight.shape[number]:
            raise ShapeError(
                f"bilinear(): input{number} size does not match weight size: got {x.shape[-1]} but expected "
                f"{weight.shape[number]}"
            )
    out = einsum("...i,oij,...j->...o", input1, weight, input2)
    return out if bias is None else out + bias


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input · weightᵀ + bias: shapes (…, in), (out, in) and (out,) give (…, out), and a weight (in,) gives (…).

    Raises ShapeError where the sizes do not fit, or an argument is a single number. A bias of another shape is
    stretched to the result's, but never stretches the result.

    >>> import tensorplay as tp
    >>> tp.nn.functional.linear(tp.ones(1, 2), tp.tensor([[1.0, 2.0]]), tp.tensor([10.0]))
    tensor([[13.]])
    """
    if not isinstance(input, Tensor):
        raise NotATensorError(
            f"linear(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}: write tp.tensor(...)"
        )
    if bias is not None:
        check_bias(input.shape, _shape_of(weight), _shape_of(bias))
    if bias is not None and input.ndim >= 2:
        return apply(Linear, input, weight, bias)
    if not (rank(input) and rank(weight)):
        raise flat_error("linear", input.shape, weight.shape)
    product = matmul(input, weight if weight.ndim == 1 else transpose(weight, 0, 1))
    return product if bias is None else product + bias


def _shape_of(x: Tensor) -> tuple[int, ...]:
    """The shape; raises NotATensorError for what is no tensor."""
    rank(x)
    return x.shape

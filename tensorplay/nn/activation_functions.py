"""The activation functions of networks, element by element, and those that weigh one half by the other."""

from __future__ import annotations

import math

from .. import ops
from ..apply import apply1
from ..errors import ShapeError, UnsupportedDTypeError
from ..functional import mul, reshape, sigmoid, softmax, split, sub, tanh, where
from ..functional.common import in_single
from ..operands import need_tensors
from ..tensor import Tensor, rank

__all__ = [
    "celu",
    "elu",
    "gelu",
    "glu",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "leaky_relu",
    "logsigmoid",
    "mish",
    "prelu",
    "relu6",
    "selu",
    "silu",
    "softmin",
    "softplus",
    "softshrink",
    "softsign",
    "tanhshrink",
    "threshold",
]


def _floating(name: str, input: Tensor) -> Tensor:
    need_tensors(name, input=input)
    if not input.dtype.is_floating_point:
        raise UnsupportedDTypeError(f"{name} is not implemented for {input.dtype}: convert with x.float() first")
    return input


def _finished(input: Tensor, out: Tensor, inplace: bool) -> Tensor:
    return input.copy_(out) if inplace else out


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """`x` above the threshold, `value` elsewhere, element by element.

    Raises UnsupportedDTypeError for whole or complex numbers.

    >>> import tensorplay as tp
    >>> tp.nn.functional.threshold(tp.tensor([-1.0, 2.0]), 0.0, 5.0)
    tensor([5., 2.])
    """
    out = in_single(
        lambda x: apply1(ops.Threshold, x, {"threshold": threshold, "value": value}), _floating("threshold", input)
    )
    return _finished(input, out, inplace)


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """`x`, held between two bounds, element by element. Raises UnsupportedDTypeError for whole or complex numbers.

    >>> import tensorplay as tp
    >>> tp.nn.functional.hardtanh(tp.tensor([-1.0, 2.0]))
    tensor([-1.,  1.])
    """
    out = in_single(lambda x: apply1(ops.HardTanh, x, {"low": min_val, "high": max_val}), _floating("hardtanh", input))
    return _finished(input, out, inplace)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """`x`, held between 0 and 6, element by element. Raises UnsupportedDTypeError for whole or complex numbers.

    >>> import tensorplay as tp
    >>> tp.nn.functional.relu6(tp.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """
    out = in_single(lambda x: apply1(ops.HardTanh, x, {"low": 0.0, "high": 6.0}), _floating("relu6", input))
    return _finished(input, out, inplace)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """`x` · min(max(x + 3, 0), 6) / 6, element by element. Raises UnsupportedDTypeError for whole or complex numbers.

    >>> import tensorplay as tp
    >>> tp.nn.functional.hardswish(tp.tensor([-1.0, 2.0]))
    tensor([-0.3333,  1.6667])
    """
    out = in_single(lambda x: apply1(ops.HardSwish, x, {}), _floating("hardswish", input))
    return _finished(input, out, inplace)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """`x` above 0, α (eˣ - 1) below, element by element. Raises UnsupportedDTypeError for whole or complex numbers.

    >>> import tensorplay as tp
    >>> tp.nn.functional.elu(tp.tensor([-1.0, 2.0]))
    tensor([-0.6321,  2.0000])
    """
    out = in_single(lambda x: apply1(ops.Elu, x, {"alpha": alpha, "scale": 1.0, "speed": 1.0}), _floating("elu", input))
    return _finished(input, out, inplace)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """`elu` with the constants that keep mean 0 and variance 1, element by element.

    Raises UnsupportedDTypeError for whole or complex numbers.

    >>> import tensorplay as tp
    >>> tp.nn.functional.selu(tp.tensor([-1.0, 2.0]))
    tensor([-1.1113,  2.1014])
    """
    out = in_single(
        lambda x: apply1(ops.Elu, x, {"alpha": 1.6732632423543772, "scale": 1.0507009873554805, "speed": 1.0}),
        _floating("selu", input),
    )
    return _finished(input, out, inplace)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """`x` above 0, α (exp(x/α) - 1) below, element by element.

    Raises UnsupportedDTypeError for whole or complex numbers.

    >>> import tensorplay as tp
    >>> tp.nn.functional.celu(tp.tensor([-1.0, 2.0]))
    tensor([-0.6321,  2.0000])
    """
    out = in_single(
        lambda x: apply1(ops.Elu, x, {"alpha": alpha, "scale": 1.0, "speed": 1.0 / alpha}), _floating("celu", input)
    )
    return _finished(input, out, inplace)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """`x` above 0, a small multiple of it below, element by element.

    Raises UnsupportedDTypeError for whole or complex numbers.

    >>> import tensorplay as tp
    >>> tp.nn.functional.leaky_relu(tp.tensor([-1.0, 2.0]))
    tensor([-0.0100,  2.0000])
    """
    out = in_single(lambda x: apply1(ops.LeakyRelu, x, {"slope": negative_slope}), _floating("leaky_relu", input))
    return _finished(input, out, inplace)


def logsigmoid(input: Tensor) -> Tensor:
    """ln σ(x), exact for large negative numbers, element by element.

    Raises UnsupportedDTypeError for whole or complex numbers.

    >>> import tensorplay as tp
    >>> tp.nn.functional.logsigmoid(tp.tensor([-1.0, 2.0]))
    tensor([-1.3133, -0.1269])
    """
    out = in_single(lambda x: apply1(ops.LogSigmoid, x, {}), _floating("logsigmoid", input))
    return out


def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """`x`, or 0 within `lambd` of 0, element by element. Raises UnsupportedDTypeError for whole or complex numbers.

    >>> import tensorplay as tp
    >>> tp.nn.functional.hardshrink(tp.tensor([-1.0, 2.0]))
    tensor([-1.,  2.])
    """
    out = in_single(lambda x: apply1(ops.HardShrink, x, {"lambd": lambd}), _floating("hardshrink", input))
    return out


def softsign(input: Tensor) -> Tensor:
    """`x` / (1 + |x|), element by element. Raises UnsupportedDTypeError for whole or complex numbers.

    >>> import tensorplay as tp
    >>> tp.nn.functional.softsign(tp.tensor([-1.0, 2.0]))
    tensor([-0.5000,  0.6667])
    """
    out = in_single(lambda x: apply1(ops.SoftSign, x, {}), _floating("softsign", input))
    return out


def softplus(input: Tensor, beta: float = 1, threshold: float = 20) -> Tensor:
    """ln(1 + exp(βx)) / β, and `x` itself where βx is above the threshold, element by element.

    Raises UnsupportedDTypeError for whole or complex numbers.

    >>> import tensorplay as tp
    >>> tp.nn.functional.softplus(tp.tensor([-1.0, 2.0]))
    tensor([0.3133, 2.1269])
    """
    out = in_single(
        lambda x: apply1(ops.SoftPlus, x, {"beta": beta, "threshold": threshold}), _floating("softplus", input)
    )
    return out


def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """`x`, moved towards 0 by `lambd`, element by element. Raises UnsupportedDTypeError for whole or complex numbers.

    >>> import tensorplay as tp
    >>> tp.nn.functional.softshrink(tp.tensor([-1.0, 2.0]))
    tensor([-0.5000,  1.5000])
    """
    out = in_single(lambda x: apply1(ops.SoftShrink, x, {"lambd": lambd}), _floating("softshrink", input))
    return out


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """min(max(x + 3, 0), 6) / 6, element by element. Raises UnsupportedDTypeError for whole or complex numbers.

    >>> import tensorplay as tp
    >>> tp.nn.functional.hardsigmoid(tp.tensor([-1.0, 2.0]))
    tensor([0.3333, 0.8333])
    """
    out = in_single(lambda x: apply1(ops.HardSigmoid, x, {}), _floating("hardsigmoid", input))
    return _finished(input, out, inplace)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """`x` · σ(x), element by element. Raises UnsupportedDTypeError for whole or complex numbers.

    >>> import tensorplay as tp
    >>> tp.nn.functional.silu(tp.tensor([-1.0, 2.0]))
    tensor([-0.2689,  1.7616])
    """
    out = in_single(lambda x: apply1(ops.Silu, x, {}), _floating("silu", input))
    return _finished(input, out, inplace)


def tanhshrink(input: Tensor) -> Tensor:
    """x - tanh(x), element by element.

    >>> import tensorplay as tp
    >>> tp.nn.functional.tanhshrink(tp.tensor([-1.0, 2.0]))
    tensor([-0.2384,  1.0360])
    """
    return sub(input, tanh(input))


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """x · tanh(ln(1 + eˣ)), element by element.

    >>> import tensorplay as tp
    >>> tp.nn.functional.mish(tp.tensor([-1.0, 2.0]))
    tensor([-0.3034,  1.9440])
    """
    return _finished(input, in_single(lambda x: mul(x, tanh(softplus(x))), _floating("mish", input)), inplace)


def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """x · Φ(x), with the normal distribution's Φ or its approximation by "tanh". Raises ShapeError for other words.

    >>> import tensorplay as tp
    >>> tp.nn.functional.gelu(tp.tensor([-1.0, 2.0]))
    tensor([-0.1587,  1.9545])
    """
    if approximate not in ("none", "tanh"):
        raise ShapeError(f"approximate argument must be either none or tanh, got {approximate!r}")
    if approximate == "none":
        return in_single(lambda x: apply1(ops.Gelu, x), _floating("gelu", input))
    return in_single(_gelu_by_tanh, _floating("gelu", input))


def _gelu_by_tanh(x: Tensor) -> Tensor:
    return 0.5 * x * (1 + tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """The first half along `dim`, weighed by σ of the second. Raises ShapeError for an odd size.

    >>> import tensorplay as tp
    >>> tp.nn.functional.glu(tp.tensor([3.0, 0.0]))
    tensor([1.5000])
    """
    need_tensors("glu", input=input)
    if not rank(input) or input.shape[dim] % 2:
        raise ShapeError(f"Halving dimension must be even, but dimension {dim} of {list(input.shape)} is not")
    first, second = split(input, input.shape[dim] // 2, dim)
    return mul(first, sigmoid(second))


def softmin(input: Tensor, dim: int) -> Tensor:
    """softmax(-x) along `dim`.

    >>> import tensorplay as tp
    >>> tp.nn.functional.softmin(tp.tensor([0.0, 0.0]), 0)
    tensor([0.5000, 0.5000])
    """
    return softmax(-input, dim)


def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """x above 0, weight · x below; one weight, or one for each channel (dimension 1).

    >>> import tensorplay as tp
    >>> tp.nn.functional.prelu(tp.tensor([-1.0, 2.0]), tp.tensor([0.25]))
    tensor([-0.2500,  2.0000])
    """
    need_tensors("prelu", input=input, weight=weight)
    if weight.numel() != 1 and rank(input) > 1:
        weight = reshape(weight, (-1, *[1] * (rank(input) - 2)))
    return where(input > 0, input, weight * input)

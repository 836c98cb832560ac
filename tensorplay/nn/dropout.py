"""Layers that drop numbers at random while training."""

from __future__ import annotations

from ..tensor import Tensor
from . import dropout_functions as F
from .module import Module

__all__ = [
    "AlphaDropout",
    "Dropout",
    "Dropout1d",
    "Dropout2d",
    "Dropout3d",
    "FeatureAlphaDropout",
]


class _Dropout(Module):
    """What all share: the probability."""

    function = "dropout"

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        F.check_chance(p)
        self.p, self.inplace = p, inplace

    def forward(self, input: Tensor) -> Tensor:
        """Same shape as `input`; in evaluation mode, the input itself."""
        out: Tensor = getattr(F, self.function)(input, self.p, self.training, self.inplace)
        return out

    def extra_repr(self) -> str:
        """The probability."""
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_Dropout):
    """`nn.functional.dropout` as a layer: active in training, nothing in evaluation.

    Raises HyperparameterError unless p is between 0 and 1.

    >>> import tensorplay as tp
    >>> tp.nn.Dropout().eval()(tp.ones(1, 2, 1))
    tensor([[[1.],
             [1.]]])
    """

    function = "dropout"


class Dropout1d(_Dropout):
    """`nn.functional.dropout1d` as a layer: active in training, nothing in evaluation.

    Raises HyperparameterError unless p is between 0 and 1.

    >>> import tensorplay as tp
    >>> tp.nn.Dropout1d().eval()(tp.ones(1, 2, 1))
    tensor([[[1.],
             [1.]]])
    """

    function = "dropout1d"


class Dropout2d(_Dropout):
    """`nn.functional.dropout2d` as a layer: active in training, nothing in evaluation.

    Raises HyperparameterError unless p is between 0 and 1.

    >>> import tensorplay as tp
    >>> tp.nn.Dropout2d().eval()(tp.ones(1, 2, 1))
    tensor([[[1.],
             [1.]]])
    """

    function = "dropout2d"


class Dropout3d(_Dropout):
    """`nn.functional.dropout3d` as a layer: active in training, nothing in evaluation.

    Raises HyperparameterError unless p is between 0 and 1.

    >>> import tensorplay as tp
    >>> tp.nn.Dropout3d().eval()(tp.ones(1, 2, 1))
    tensor([[[1.],
             [1.]]])
    """

    function = "dropout3d"


class AlphaDropout(_Dropout):
    """`nn.functional.alpha_dropout` as a layer: active in training, nothing in evaluation.

    Raises HyperparameterError unless p is between 0 and 1.

    >>> import tensorplay as tp
    >>> tp.nn.AlphaDropout().eval()(tp.ones(1, 2, 1))
    tensor([[[1.],
             [1.]]])
    """

    function = "alpha_dropout"


class FeatureAlphaDropout(_Dropout):
    """`nn.functional.feature_alpha_dropout` as a layer: active in training, nothing in evaluation.

    Raises HyperparameterError unless p is between 0 and 1.

    >>> import tensorplay as tp
    >>> tp.nn.FeatureAlphaDropout().eval()(tp.ones(1, 2, 1))
    tensor([[[1.],
             [1.]]])
    """

    function = "feature_alpha_dropout"

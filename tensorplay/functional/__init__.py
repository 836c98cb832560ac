"""Public functions of tensors, with PyTorch's names and argument order, one file a family of ops.

Each is thin: it checks and completes the arguments, and applies one op, or a few. The families are those of `ops/`,
and a file imports only from families that are listed before its own (`common` comes before all). Losses are public in
`nn.functional`. Most functions are also methods of `Tensor`: `method_table.py` says which.
"""

from __future__ import annotations

from . import (
    activation,
    comparison,
    contraction,
    cumulative,
    elementary,
    indexing,
    joining,
    pointwise,
    reduction,
    shaping,
    sorting,
)

# the families, in the order in which they build on each other
# isort: off
from .pointwise import abs, add, clone, detach, div, maximum, minimum, mul, neg, pow, sub, where
from .elementary import atan2, cos, exp, log, log2, sin, sqrt, tanh
from .comparison import allclose, equal, isfinite, isnan
from .reduction import amax, amin, argmax, argmin, max, mean, min, norm, prod, std, sum, var
from .cumulative import cumprod, cumsum
from .sorting import argsort, median, sort
from .shaping import expand, flatten, flip, permute, reshape, squeeze, transpose, unsqueeze, view
from .joining import cat, chunk, concat, split, stack, unbind
from .indexing import gather, index_put
from .contraction import matmul
from .activation import log_softmax, relu, sigmoid, softmax
# isort: on

__all__ = [
    *pointwise.__all__,
    *elementary.__all__,
    *comparison.__all__,
    *reduction.__all__,
    *cumulative.__all__,
    *sorting.__all__,
    *shaping.__all__,
    *joining.__all__,
    *indexing.__all__,
    *contraction.__all__,
    *activation.__all__,
]

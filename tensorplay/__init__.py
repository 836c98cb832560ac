"""TensorPlay, teaching edition: automatic differentiation one can watch.

    >>> import tensorplay as tp
    >>> x = tp.tensor([1.0, 2.0, 3.0], requires_grad=True)
    >>> loss = (x * x).sum()
    >>> loss.backward()
    >>> x.grad
    tensor([2., 4., 6.])

`tp.viz.show(loss)` draws the graph; `tp.viz.step(loss)` steps through its backward pass.
"""

from __future__ import annotations

import importlib
from typing import Any

# the engine, in the order its layers build on each other
from . import autograd, errors, events, func, nn, optim
from . import copying as _copying  # attaches how tensors are copied and pickled
from . import method_table as _method_table  # attaches the public functions as methods
from . import methods as _methods  # attaches the other methods
from . import operators as _operators  # attaches the operators of Tensor
from . import recording as _recording  # fills in the namespace of create_graph
from . import transformed as _transformed  # runs the Functions of users

# tensors
from .arrays.device import Device as device
from .arrays.dtypes import (
    DType as dtype,
)
from .arrays.dtypes import (
    bool_ as bool,
)
from .arrays.dtypes import (
    complex64,
    complex128,
    double,
    float16,
    float32,
    float64,
    get_default_dtype,
    half,
    int8,
    int16,
    int32,
    int64,
    long,
    promote_types,
    set_default_dtype,
    short,
    uint8,
)
from .autograd import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from .autograd.anomaly import is_anomaly_check_nan_enabled, is_anomaly_enabled
from .creation import (
    arange,
    as_tensor,
    empty,
    empty_like,
    eye,
    from_numpy,
    full,
    full_like,
    linspace,
    ones,
    ones_like,
    tensor,
    zeros,
    zeros_like,
)
from .func import vmap
from .printing import set_printoptions
from .random import (
    Generator,
    get_rng_state,
    initial_seed,
    manual_seed,
    rand,
    rand_like,
    randint,
    randn,
    randn_like,
    randperm,
    seed,
    set_rng_state,
)
from .tensor import Tensor

# functions, by family
# isort: off
from .functional.pointwise import abs, add, clone, detach, div, maximum, minimum, mul, neg, pow, sub, where
from .functional.elementary import atan2, cos, exp, log, log2, sin, sqrt, tanh
from .functional.comparison import allclose, equal, isfinite, isnan
from .functional.reduction import amax, amin, argmax, argmin, max, mean, min, norm, prod, std, sum, var
from .functional.cumulative import cumprod, cumsum
from .functional.sorting import argsort, median, sort
from .functional.shaping import expand, flatten, flip, permute, reshape, squeeze, transpose, unsqueeze, view
from .functional.joining import cat, chunk, concat, split, stack, unbind
from .functional.indexing import gather, index_put
from .functional.contraction import matmul
from .functional.activation import log_softmax, relu, sigmoid, softmax
# isort: on

__version__ = "0.1.0"

_LATER = ("classroom", "data", "datasets", "testing", "utils", "viz")
"""Loaded when first used: `import tensorplay` costs numpy and little else."""


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})

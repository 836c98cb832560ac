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
from . import new_tensors as _new_tensors  # attaches those that make tensors like a given one
from . import operators as _operators  # attaches the operators of Tensor
from . import recording as _recording  # fills in the namespace of create_graph
from . import shape_methods as _shape_methods  # attaches those that have no public function of their name
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
    can_cast,
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
    result_type,
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
    as_tensor,
    asarray,
    empty,
    empty_like,
    eye,
    from_numpy,
    full,
    full_like,
    ones,
    ones_like,
    tensor,
    zeros,
    zeros_like,
)
from .func import vmap
from .grids import (
    arange,
    cartesian_prod,
    combinations,
    linspace,
    logspace,
    meshgrid,
    tril_indices,
    triu_indices,
    vander,
)
from .inplace import fill_, zero_
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
from .sampling import bernoulli, multinomial, normal, randint_like
from .tensor import Tensor

# functions, by family
# isort: off
from .functional.pointwise import abs, add, clone, detach, div, divide, maximum, minimum, mul, multiply, neg, pow, sub
from .functional.pointwise import subtract, where
from .functional.division import float_power, floor_divide, fmod, remainder, rsub, true_divide
from .functional.bounds import clamp, clamp_max, clamp_min, clip, fmax, fmin
from .functional.binary import addcdiv, addcmul, copysign, heaviside, hypot, lerp, logaddexp, logaddexp2, xlogy
from .functional.relations import allclose, eq, equal, ge, greater, greater_equal, gt, isclose, le, less, less_equal
from .functional.relations import lt, ne, not_equal
from .functional.logic import bitwise_and, bitwise_left_shift, bitwise_not, bitwise_or, bitwise_right_shift
from .functional.logic import bitwise_xor, logical_and, logical_not, logical_or, logical_xor
from .functional.elementary import arctan2, atan2, cos, exp, log, log2, sin, sqrt, tanh
from .functional.trigonometric import acos, acosh, arccos, arccosh, arcsin, arcsinh, arctan, arctanh, asin, asinh, atan
from .functional.trigonometric import atanh, cosh, deg2rad, rad2deg, sinh, tan
from .functional.special import digamma, erf, erfc, erfinv, exp2, expm1, lgamma, log1p, log10, reciprocal, rsqrt, square
from .functional.rounding import absolute, ceil, fix, floor, frac, negative, positive, round, sgn, sign, trunc
from .functional.comparison import isfinite, isinf, isnan, isneginf, isposinf, isreal, signbit
from .functional.complexes import angle, complex, conj, conj_physical, is_complex, is_floating_point, polar
from .functional.complexes import resolve_conj
from .functional.reduction import all, any, count_nonzero, logsumexp, mean, nanmean, nansum, prod, sum
from .functional.extremes import amax, amin, aminmax, argmax, argmin, max, min
from .functional.norms import dist, norm
from .functional.spreads import std, std_mean, var, var_mean
from .functional.cumulative import cummax, cummin, cumprod, cumsum, diff, logcumsumexp
from .functional.sorting import argsort, msort, sort, topk
from .functional.choosing import kthvalue, median, mode, nanmedian
from .functional.quantiles import nanquantile, quantile
from .functional.counting import bincount, histc, unique, unique_consecutive
from .functional.shaping import expand, flatten, flip, permute, reshape, squeeze, transpose, unsqueeze, view
from .functional.dimensions import (
    adjoint,
    atleast_1d,
    atleast_2d,
    atleast_3d,
    broadcast_shapes,
    broadcast_tensors,
    broadcast_to,
    moveaxis,
    movedim,
    narrow,
    numel,
    ravel,
    select,
    swapaxes,
    swapdims,
    t,
    unflatten,
)
from .functional.strided import (
    as_strided,
    diag,
    diag_embed,
    diagflat,
    diagonal,
    fliplr,
    flipud,
    repeat_interleave,
    roll,
    rot90,
    tile,
    tril,
    triu,
)
from .functional.joining import (
    cat,
    chunk,
    column_stack,
    concat,
    concatenate,
    dstack,
    hstack,
    row_stack,
    split,
    split_with_sizes,
    stack,
    unbind,
    vstack,
)
from .functional.splitting import dsplit, hsplit, tensor_split, vsplit
from .functional.indexing import gather, index_put, index_select, take, take_along_dim
from .functional.scattering import index_add, index_copy, index_fill, scatter, scatter_add, scatter_reduce
from .functional.masking import argwhere, masked_fill, masked_scatter, masked_select, nonzero
from .functional.searching import bucketize, searchsorted
from .functional.contraction import matmul
from .functional.products import (
    addbmm,
    addmm,
    addmv,
    addr,
    baddbmm,
    bmm,
    cdist,
    chain_matmul,
    cross,
    dot,
    ger,
    inner,
    kron,
    mm,
    mv,
    outer,
    trace,
    vdot,
)
from .functional.einstein import einsum, tensordot
from .functional.decompositions import (
    cholesky,
    det,
    inverse,
    logdet,
    matrix_power,
    pinverse,
    qr,
    slogdet,
    svd,
)
from .functional.activation import log_softmax, relu, sigmoid, softmax
# isort: on

__version__ = "0.1.0"

_LATER = ("classroom", "data", "datasets", "linalg", "testing", "utils", "viz")
"""Loaded when first used: `import tensorplay` costs numpy and little else."""


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})

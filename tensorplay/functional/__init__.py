"""Public functions of tensors, with PyTorch's names and argument order, one file a family of ops.

Each is thin: it checks and completes the arguments, and applies one op, or a few. The families are those of `ops/`,
and a file imports only from families that are listed before its own (`common` comes before all). Losses are public in
`nn.functional`. Most functions are also methods of `Tensor`: `method_table.py` says which.
"""

from __future__ import annotations

from . import (
    activation,
    binary,
    bounds,
    choosing,
    comparison,
    complexes,
    contraction,
    counting,
    cumulative,
    decompositions,
    dimensions,
    division,
    einstein,
    elementary,
    extremes,
    indexing,
    joining,
    logic,
    masking,
    norms,
    pointwise,
    products,
    quantiles,
    reduction,
    relations,
    rounding,
    scattering,
    searching,
    shaping,
    sorting,
    special,
    splitting,
    spreads,
    strided,
    trigonometric,
)

# the families, in the order in which they build on each other
# isort: off
from .pointwise import abs, add, clone, detach, div, divide, maximum, minimum, mul, multiply, neg, pow, sub, subtract
from .pointwise import where
from .division import float_power, floor_divide, fmod, remainder, rsub, true_divide
from .bounds import clamp, clamp_max, clamp_min, clip, fmax, fmin
from .binary import addcdiv, addcmul, copysign, heaviside, hypot, lerp, logaddexp, logaddexp2, xlogy
from .relations import allclose, eq, equal, ge, greater, greater_equal, gt, isclose, le, less, less_equal, lt, ne
from .relations import not_equal
from .logic import bitwise_and, bitwise_left_shift, bitwise_not, bitwise_or, bitwise_right_shift, bitwise_xor
from .logic import logical_and, logical_not, logical_or, logical_xor
from .elementary import arctan2, atan2, cos, exp, log, log2, sin, sqrt, tanh
from .trigonometric import acos, acosh, arccos, arccosh, arcsin, arcsinh, arctan, arctanh, asin, asinh, atan, atanh
from .trigonometric import cosh, deg2rad, rad2deg, sinh, tan
from .special import digamma, erf, erfc, erfinv, exp2, expm1, lgamma, log1p, log10, reciprocal, rsqrt, square
from .rounding import absolute, ceil, fix, floor, frac, negative, positive, round, sgn, sign, trunc
from .comparison import isfinite, isinf, isnan, isneginf, isposinf, isreal, signbit
from .complexes import angle, complex, conj, conj_physical, is_complex, is_floating_point, polar, resolve_conj
from .reduction import all, any, count_nonzero, logsumexp, mean, nanmean, nansum, prod, sum
from .extremes import amax, amin, aminmax, argmax, argmin, max, min
from .norms import dist, norm
from .spreads import std, std_mean, var, var_mean
from .cumulative import cummax, cummin, cumprod, cumsum, diff, logcumsumexp
from .sorting import argsort, msort, sort, topk
from .choosing import kthvalue, median, mode, nanmedian
from .quantiles import nanquantile, quantile
from .counting import bincount, histc, unique, unique_consecutive
from .shaping import expand, flatten, flip, permute, reshape, squeeze, transpose, unsqueeze, view
from .dimensions import (
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
from .strided import (
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
from .joining import (
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
from .splitting import dsplit, hsplit, tensor_split, vsplit
from .indexing import gather, index_put, index_select, take, take_along_dim
from .scattering import index_add, index_copy, index_fill, scatter, scatter_add, scatter_reduce
from .masking import argwhere, masked_fill, masked_scatter, masked_select, nonzero
from .searching import bucketize, searchsorted
from .contraction import matmul
from .products import (
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
from .einstein import einsum, tensordot
from .decompositions import (
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
from .activation import log_softmax, relu, sigmoid, softmax
# isort: on

__all__ = [
    *pointwise.__all__,
    *division.__all__,
    *bounds.__all__,
    *binary.__all__,
    *relations.__all__,
    *logic.__all__,
    *elementary.__all__,
    *trigonometric.__all__,
    *special.__all__,
    *rounding.__all__,
    *comparison.__all__,
    *complexes.__all__,
    *reduction.__all__,
    *extremes.__all__,
    *norms.__all__,
    *spreads.__all__,
    *cumulative.__all__,
    *sorting.__all__,
    *choosing.__all__,
    *quantiles.__all__,
    *counting.__all__,
    *shaping.__all__,
    *dimensions.__all__,
    *strided.__all__,
    *joining.__all__,
    *splitting.__all__,
    *indexing.__all__,
    *scattering.__all__,
    *masking.__all__,
    *searching.__all__,
    *contraction.__all__,
    *products.__all__,
    *einstein.__all__,
    *decompositions.__all__,
    *activation.__all__,
]

"""Which public functions are methods of `Tensor` too, and which have an in-place form: one line a function.

The method is the very function, attached by name, so `help(x.sum)` and `help(tp.sum)` show one text and nothing is
said twice. The in-place form, such as `sin_`, is made of the function, unless the line gives one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from . import functional as F
from . import inplace, operands, placing
from .tensor import Tensor

__all__ = ["METHODS", "Method", "forms"]

Function = Callable[..., Any]


class Method(NamedTuple):
    """A function as a method of its own name and of the names in `also`."""

    function: Function
    in_place: bool | Function = False
    """Whether there is an in-place form, or that form itself."""
    also: tuple[str, ...] = ()


METHODS = (
    # pointwise
    Method(F.abs, in_place=True, also=("absolute",)),
    Method(F.add, in_place=operands.add_),
    Method(F.clone),
    Method(F.div, in_place=operands.div_, also=("divide",)),
    Method(F.maximum),
    Method(F.minimum),
    Method(F.mul, in_place=inplace.mul_, also=("multiply",)),
    Method(F.neg, in_place=True, also=("negative",)),
    Method(F.pow, in_place=inplace.pow_),
    Method(F.sub, in_place=operands.sub_, also=("subtract",)),
    # division
    Method(F.float_power, in_place=operands.float_power_),
    Method(F.floor_divide, in_place=inplace.twin(F.floor_divide, "floor_divide_")),
    Method(F.fmod, in_place=True),
    Method(F.remainder, in_place=True),
    Method(F.true_divide, in_place=True),
    # bounds
    Method(F.clamp, in_place=True, also=("clip",)),
    Method(F.clamp_max, in_place=True),
    Method(F.clamp_min, in_place=True),
    Method(F.fmax),
    Method(F.fmin),
    # binary
    Method(F.addcdiv, in_place=inplace.twin(F.addcdiv, "addcdiv_")),
    Method(F.addcmul, in_place=inplace.twin(F.addcmul, "addcmul_")),
    Method(F.copysign, in_place=True),
    Method(F.heaviside, in_place=inplace.twin(F.heaviside, "heaviside_")),
    Method(F.hypot, in_place=True),
    Method(F.lerp, in_place=True),
    Method(F.logaddexp),
    Method(F.logaddexp2),
    Method(F.xlogy, in_place=True),
    # relations
    Method(F.allclose),
    Method(F.eq, in_place=inplace.twin(F.eq, "eq_")),
    Method(F.equal),
    Method(F.ge, in_place=inplace.twin(F.ge, "ge_"), also=("greater_equal",)),
    Method(F.gt, in_place=inplace.twin(F.gt, "gt_"), also=("greater",)),
    Method(F.isclose),
    Method(F.le, in_place=inplace.twin(F.le, "le_"), also=("less_equal",)),
    Method(F.lt, in_place=inplace.twin(F.lt, "lt_"), also=("less",)),
    Method(F.ne, in_place=inplace.twin(F.ne, "ne_"), also=("not_equal",)),
    # logic
    Method(F.bitwise_and, in_place=inplace.twin(F.bitwise_and, "bitwise_and_")),
    Method(F.bitwise_left_shift, in_place=inplace.twin(F.bitwise_left_shift, "bitwise_left_shift_")),
    Method(F.bitwise_not, in_place=inplace.twin(F.bitwise_not, "bitwise_not_")),
    Method(F.bitwise_or, in_place=inplace.twin(F.bitwise_or, "bitwise_or_")),
    Method(F.bitwise_right_shift, in_place=inplace.twin(F.bitwise_right_shift, "bitwise_right_shift_")),
    Method(F.bitwise_xor, in_place=inplace.twin(F.bitwise_xor, "bitwise_xor_")),
    Method(F.logical_and, in_place=inplace.twin(F.logical_and, "logical_and_")),
    Method(F.logical_not, in_place=inplace.twin(F.logical_not, "logical_not_")),
    Method(F.logical_or, in_place=inplace.twin(F.logical_or, "logical_or_")),
    Method(F.logical_xor, in_place=inplace.twin(F.logical_xor, "logical_xor_")),
    # elementary
    Method(F.atan2, in_place=True, also=("arctan2",)),
    Method(F.cos, in_place=True),
    Method(F.exp, in_place=True),
    Method(F.log, in_place=True),
    Method(F.log2, in_place=True),
    Method(F.sin, in_place=True),
    Method(F.sqrt, in_place=True),
    Method(F.tanh, in_place=True),
    # trigonometric, special, rounding
    Method(F.acos, in_place=True, also=("arccos",)),
    Method(F.acosh, in_place=True, also=("arccosh",)),
    Method(F.asin, in_place=True, also=("arcsin",)),
    Method(F.asinh, in_place=True, also=("arcsinh",)),
    Method(F.atan, in_place=True, also=("arctan",)),
    Method(F.atanh, in_place=True, also=("arctanh",)),
    Method(F.ceil, in_place=True),
    Method(F.cosh, in_place=True),
    Method(F.deg2rad, in_place=True),
    Method(F.digamma, in_place=True),
    Method(F.erf, in_place=True),
    Method(F.erfc, in_place=True),
    Method(F.erfinv, in_place=True),
    Method(F.exp2, in_place=True),
    Method(F.expm1, in_place=True),
    Method(F.floor, in_place=True),
    Method(F.frac, in_place=True),
    Method(F.lgamma, in_place=True),
    Method(F.log10, in_place=True),
    Method(F.log1p, in_place=True),
    Method(F.positive),
    Method(F.rad2deg, in_place=True),
    Method(F.reciprocal, in_place=True),
    Method(F.round, in_place=True),
    Method(F.rsqrt, in_place=True),
    Method(F.sgn, in_place=True),
    Method(F.sign, in_place=True),
    Method(F.sinh, in_place=True),
    Method(F.square, in_place=True),
    Method(F.tan, in_place=True),
    Method(F.trunc, in_place=True, also=("fix",)),
    # comparison, complexes
    Method(F.angle),
    Method(F.conj),
    Method(F.conj_physical, in_place=True),
    Method(F.is_complex),
    Method(F.isfinite),
    Method(F.isinf),
    Method(F.isnan),
    Method(F.isneginf),
    Method(F.isposinf),
    Method(F.isreal),
    Method(F.resolve_conj),
    Method(F.signbit),
    # reduction
    Method(F.all),
    Method(F.any),
    Method(F.count_nonzero),
    Method(F.logsumexp),
    Method(F.mean),
    Method(F.nanmean),
    Method(F.nansum),
    Method(F.prod),
    Method(F.sum),
    # extremes
    Method(F.amax),
    Method(F.amin),
    Method(F.aminmax),
    Method(F.argmax),
    Method(F.argmin),
    Method(F.max),
    Method(F.min),
    # norms
    Method(F.dist),
    Method(F.norm),
    # spreads
    Method(F.std),
    Method(F.var),
    # cumulative
    Method(F.cummax),
    Method(F.cummin),
    Method(F.cumprod, in_place=inplace.twin(F.cumprod, "cumprod_")),
    Method(F.cumsum, in_place=inplace.twin(F.cumsum, "cumsum_")),
    Method(F.diff),
    Method(F.logcumsumexp),
    # sorting
    Method(F.argsort),
    Method(F.msort),
    Method(F.sort),
    Method(F.topk),
    # choosing
    Method(F.kthvalue),
    Method(F.median),
    Method(F.mode),
    Method(F.nanmedian),
    # quantiles
    Method(F.nanquantile),
    Method(F.quantile),
    # counting
    Method(F.bincount),
    Method(F.histc),
    Method(F.unique),
    Method(F.unique_consecutive),
    # shaping
    Method(F.expand),
    Method(F.flatten),
    Method(F.flip),
    Method(F.permute),
    Method(F.reshape),
    Method(F.squeeze),
    Method(F.transpose),
    Method(F.unsqueeze),
    Method(F.view),
    # dimensions
    Method(F.adjoint),
    Method(F.broadcast_to),
    Method(F.moveaxis),
    Method(F.movedim),
    Method(F.narrow),
    Method(F.numel),
    Method(F.ravel),
    Method(F.select),
    Method(F.swapaxes),
    Method(F.swapdims),
    Method(F.t),
    Method(F.unflatten),
    # strided
    Method(F.as_strided),
    Method(F.diag),
    Method(F.diag_embed),
    Method(F.diagflat),
    Method(F.diagonal),
    Method(F.fliplr),
    Method(F.flipud),
    Method(F.repeat_interleave),
    Method(F.roll),
    Method(F.rot90),
    Method(F.tile),
    Method(F.tril, in_place=inplace.twin(F.tril, "tril_")),
    Method(F.triu, in_place=inplace.twin(F.triu, "triu_")),
    # joining
    Method(F.chunk),
    Method(F.split),
    Method(F.split_with_sizes),
    Method(F.tensor_split),
    Method(F.hsplit),
    Method(F.vsplit),
    Method(F.dsplit),
    Method(F.unbind),
    # indexing
    Method(F.gather),
    Method(F.index_put, in_place=placing.index_put_),
    Method(F.index_select),
    Method(F.take),
    Method(F.take_along_dim),
    # scattering
    Method(F.index_add, in_place=inplace.twin(F.index_add, "index_add_")),
    Method(F.index_copy, in_place=inplace.twin(F.index_copy, "index_copy_")),
    Method(F.index_fill, in_place=inplace.twin(F.index_fill, "index_fill_")),
    Method(F.scatter, in_place=inplace.twin(F.scatter, "scatter_")),
    Method(F.scatter_add, in_place=inplace.twin(F.scatter_add, "scatter_add_")),
    Method(F.scatter_reduce, in_place=inplace.twin(F.scatter_reduce, "scatter_reduce_")),
    # masking
    Method(F.argwhere),
    Method(F.masked_fill, in_place=inplace.twin(F.masked_fill, "masked_fill_")),
    Method(F.masked_scatter, in_place=inplace.twin(F.masked_scatter, "masked_scatter_")),
    Method(F.masked_select),
    Method(F.nonzero),
    # contraction
    Method(F.matmul),
    Method(F.addbmm, in_place=inplace.twin(F.addbmm, "addbmm_")),
    Method(F.addmm, in_place=inplace.twin(F.addmm, "addmm_")),
    Method(F.addmv, in_place=inplace.twin(F.addmv, "addmv_")),
    Method(F.addr, in_place=inplace.twin(F.addr, "addr_")),
    Method(F.baddbmm, in_place=inplace.twin(F.baddbmm, "baddbmm_")),
    Method(F.bmm),
    Method(F.cross),
    Method(F.dot),
    Method(F.ger),
    Method(F.inner),
    Method(F.kron),
    Method(F.mm),
    Method(F.mv),
    Method(F.outer),
    Method(F.trace),
    Method(F.vdot),
    Method(F.cholesky),
    Method(F.det),
    Method(F.inverse),
    Method(F.logdet),
    Method(F.matrix_power),
    Method(F.pinverse),
    Method(F.qr),
    Method(F.slogdet),
    Method(F.svd),
    # activation
    Method(F.log_softmax),
    Method(F.relu, in_place=True),
    Method(F.sigmoid, in_place=True),
    Method(F.softmax),
    # edits that have no other form
    Method(inplace.copy_),
    Method(inplace.fill_),
    Method(inplace.zero_),
    Method(placing.put_),
)


def forms(method: Method) -> Iterator[tuple[str, Function]]:
    """Each name that a line attaches, and the function behind it."""
    for name in (method.function.__name__, *method.also):
        yield name, method.function
        if method.in_place:
            yield f"{name}_", inplace.twin(method.function, f"{name}_") if method.in_place is True else method.in_place


for _method in METHODS:
    for _name, _function in forms(_method):
        setattr(Tensor, _name, _function)

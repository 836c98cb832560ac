"""The namespace that records: every name of a rule, as operations on Tensors.

Under `create_graph` a rule runs here unchanged, and its own graph appears. What a name does is one
op, so a derivative is made of the same pieces as any other computation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import ops
from .apply import apply, apply1, apply2
from .arrays.composite import Composite
from .arrays.dtypes import as_numpy
from .arrays.elementwise import UNARY, fill
from .autograd.bridge import bridge
from .lifting import stopped
from .tensor import Tensor, wrap

__all__ = ["TensorSpace", "tensors"]

Shape = tuple[int, ...]


def _unary(op: Any) -> Any:
    return staticmethod(lambda x: apply1(op, x))


def _binary(op: Any) -> Any:
    def run(x: Any, y: Any) -> Any:
        return apply2(op, x, y) if isinstance(x, Tensor) and isinstance(y, Tensor) else apply(op, x, y)

    return staticmethod(run)


def _reduction(op: Any) -> Any:
    return staticmethod(lambda x, dim, keepdim: apply1(op, x, {"dim": dim, "keepdim": keepdim}))


def _along(op: Any) -> Any:
    return staticmethod(lambda x, dim: apply1(op, x, {"dim": dim}))


class TensorSpace(Composite):
    """Tensors, recorded."""

    rank = 1
    sigmoid, relu, copy, in_order = map(_unary, (ops.Sigmoid, ops.Relu, ops.Clone, ops.Contiguous))
    gate = _binary(ops.Gate)
    sum, mean, prod, amax, amin = map(_reduction, (ops.Sum, ops.Mean, ops.Prod, ops.Amax, ops.Amin))
    cumsum, cumprod, softmax, log_softmax = map(_along, (ops.Cumsum, ops.Cumprod, ops.Softmax, ops.LogSoftmax))
    logcumsumexp = _along(ops.LogCumsumExp)

    @staticmethod
    def conj(x: Any) -> Any:
        """Real numbers and tensors pass unchanged, and unrecorded."""
        if isinstance(x, Tensor):
            return apply1(ops.Conj, x) if x._array.dtype.kind == "c" else x
        return x.conjugate() if x.__class__ is complex else x

    @staticmethod
    def stop(x: Tensor) -> Tensor:
        return stopped(x)

    @staticmethod
    def cast(x: Tensor, dtype: Any) -> Tensor:
        target = as_numpy(dtype)
        return x if x._array.dtype == target else apply(ops.Cast, x, dtype=target)

    @staticmethod
    def where(c: Any, x: Any, y: Any) -> Any:
        return apply(ops.Where, c, x, y)

    # -------------------------------------------------------------------------- along a dimension

    @staticmethod
    def norm(x: Tensor, p: float, dim: Any, keepdim: bool) -> Tensor:
        return apply1(ops.Norm, x, {"p": p, "dim": dim, "keepdim": keepdim})

    @staticmethod
    def cummax(x: Tensor, dim: int) -> Tensor:
        return apply(ops.Cummax, x, dim=dim)[0]

    @staticmethod
    def cummin(x: Tensor, dim: int) -> Tensor:
        return apply(ops.Cummin, x, dim=dim)[0]

    @staticmethod
    def argmax(x: Tensor, dim: int | None, keepdim: bool) -> Tensor:
        return apply(ops.ArgMax, x, dim=dim, keepdim=keepdim)

    @staticmethod
    def argmin(x: Tensor, dim: int | None, keepdim: bool) -> Tensor:
        return apply(ops.ArgMin, x, dim=dim, keepdim=keepdim)

    @staticmethod
    def argsort(x: Tensor, dim: int) -> Tensor:
        return apply(ops.ArgSort, x, dim=dim, descending=False)

    # ----------------------------------------------------------------------- another arrangement

    @staticmethod
    def reshape(x: Tensor, shape: Shape) -> Tensor:
        return apply1(ops.Reshape, x, {"shape": shape})

    @staticmethod
    def permute(x: Tensor, dims: Shape) -> Tensor:
        return apply1(ops.Permute, x, {"dims": dims})

    @staticmethod
    def flip(x: Tensor, dims: Shape) -> Tensor:
        return apply1(ops.Flip, x, {"dims": dims})

    @staticmethod
    def T(x: Tensor) -> Tensor:
        n = x.ndim
        return apply1(ops.Permute, x, {"dims": (*range(n - 2), n - 1, n - 2)})

    @staticmethod
    def expand(x: Tensor, shape: Shape) -> Tensor:
        return apply1(ops.Expand, x, {"shape": shape})

    @staticmethod
    def diagonal(x: Tensor, offset: int, dim1: int, dim2: int) -> Tensor:
        return apply1(ops.Diagonal, x, {"offset": offset, "dim1": dim1, "dim2": dim2})

    @staticmethod
    def unfold(x: Tensor, dim: int, size: int, step: int) -> Tensor:
        return apply1(ops.Unfold, x, {"dim": dim, "size": size, "step": step})

    @staticmethod
    def as_strided(x: Tensor, size: Shape, stride: Shape, offset: int, like: Shape) -> Tensor:
        return apply1(ops.AsStrided, x, {"size": size, "stride": stride, "offset": offset, "like": like})

    @staticmethod
    def sum_to(x: Tensor, shape: Shape) -> Tensor:
        return apply1(ops.SumTo, x, {"shape": shape})

    @staticmethod
    def cat(xs: Sequence[Tensor], dim: int) -> Tensor:
        return apply(ops.Cat, *xs, dim=dim)

    @staticmethod
    def stack(xs: Sequence[Tensor], dim: int) -> Tensor:
        return apply(ops.Stack, *xs, dim=dim)

    # ------------------------------------------------------------------------------- by position

    @staticmethod
    def arange(n: int) -> Tensor:
        return wrap(np.arange(n))

    @staticmethod
    def index(x: Tensor, index: tuple[Any, ...]) -> Tensor:
        return apply1(ops.GetItem, x, {"index": index})

    @staticmethod
    def put(x: Tensor, index: tuple[Any, ...], shape: Shape) -> Tensor:
        return apply1(ops.Put, x, {"index": index, "shape": shape})

    @staticmethod
    def put_view(x: Tensor, v: Any, steps: Sequence[Any]) -> Tensor:
        return apply(ops.CopySlices, x, v, steps=tuple(steps))

    @staticmethod
    def put_at(x: Tensor, ix: Sequence[Tensor], v: Any) -> Tensor:
        return apply(ops.IndexPut, x, v, *ix)

    @staticmethod
    def take(x: Tensor, ix: Sequence[Tensor]) -> Tensor:
        return apply(ops.Index, x, *ix)

    @staticmethod
    def add_at(x: Tensor, ix: Sequence[Tensor], shape: Shape) -> Tensor:
        return apply(ops.AddAt, x, *ix, shape=shape)

    @staticmethod
    def gather(x: Tensor, index: Tensor, dim: int) -> Tensor:
        return apply(ops.Gather, x, index, dim=dim)

    @staticmethod
    def scatter(x: Tensor, index: Tensor, dim: int, shape: Shape) -> Tensor:
        return apply(ops.Scatter, x, index, dim=dim, shape=shape)

    @staticmethod
    def fold(x: Tensor, v: Tensor, index: Tensor, dim: int, how: str) -> Tensor:
        if how == "multiply":
            return apply(ops.ScatterProd, x, v, index, dim=dim)
        return apply(ops.ScatterExtreme, x, v, index, dim=dim, how=how)

    # ---------------------------------------------------------------------------------- matrices

    inv, cofactor = map(_unary, (ops.Inverse, ops.Cofactor))
    cholesky, solve = _unary(ops.Cholesky), _binary(ops.Solve)

    @staticmethod
    def solve_triangular(a: Tensor, b: Tensor, upper: bool, unitriangular: bool) -> Tensor:
        return apply(ops.SolveTriangular, a, b, upper=upper, unitriangular=unitriangular)

    @staticmethod
    def det(x: Tensor) -> Tensor:
        return apply(ops.Det, x)

    @staticmethod
    def slogdet(x: Tensor) -> Any:
        return apply(ops.Slogdet, x)

    @staticmethod
    def qr(x: Tensor, mode: str) -> Any:
        return apply(ops.Qr, x, mode=mode)

    @staticmethod
    def svd(x: Tensor, full_matrices: bool) -> Any:
        return apply(ops.Svd, x, full_matrices=full_matrices)

    @staticmethod
    def eigh(x: Tensor) -> Any:
        return apply(ops.Eigh, x)


_OPS = {name.lower(): op for name, op in ops.OPS.items()}
fill(TensorSpace, lambda name, path: (_unary if name in UNARY else _binary)(_OPS[name.replace("_", "")]))

tensors = TensorSpace()
"""The namespace of `create_graph`."""

bridge.tensors = tensors

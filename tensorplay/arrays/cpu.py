"""The namespace over NumPy arrays, with Numba kernels slotted in where they measure faster.

NumPy's wrappers cost more than the tape at teaching sizes, so this file calls what lies beneath them:
`np.add.reduce` (0.66 us) for `np.sum`, a stride-0 array (0.2 us) for `np.broadcast_to` (1.7 us).
Infinities and NaN are results here, as in PyTorch, not warnings: what can make them is decorated with `_quietly`.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from math import inf
from typing import Any

import numpy as np

from . import kernels, matrices, memory
from .composite import Composite
from .elementwise import fill, ufunc

__all__ = ["Cpu", "cpu"]

Array = np.ndarray[Any, Any]
# Plain operators (x * y, x @ y) have no room for it: silence what NumPy says from within this package. A user who puts
# a filter in front of this one (`simplefilter("always")`, `-W error`) sees NumPy's warnings again. That is a decision:
# an `np.errstate` around each costs more than the operation, and `np.seterr` would change arrays of the user.
warnings.filterwarnings("ignore", r".* encountered in ", RuntimeWarning, r"tensorplay\.")
ndarray = np.ndarray
add_up: Any = np.add.reduce
multiply: Any = np.multiply.reduce
largest: Any = np.maximum.reduce
smallest: Any = np.minimum.reduce


def _quietly(function: Any) -> Any:
    return staticmethod(np.errstate(all="ignore")(function))


def _needs_sum(old: tuple[int, ...], new: tuple[int, ...]) -> tuple[int, ...]:
    """The dimensions to sum so that a gradient of shape `old` fits an operand of shape `new`."""
    lead = len(old) - len(new)
    return tuple(range(lead)) + tuple(lead + i for i, n in enumerate(new) if n == 1 and old[lead + i] != 1)


class Cpu(Composite):
    """NumPy arrays. One instance, `cpu`, is the namespace of forward and first-order backward passes."""

    rank = 0
    abs, sign, maximum, minimum, tanh = np.absolute, np.sign, np.maximum, np.minimum, np.tanh

    @staticmethod
    def conj(x: Any) -> Any:
        """Real arrays and numbers pass unchanged: np.conjugate would copy them, and give numbers a strong dtype."""
        if x.__class__ is ndarray:
            return np.conjugate(x) if x.dtype.kind == "c" else x
        return x.conjugate() if isinstance(x, (complex, np.complexfloating)) else x

    @_quietly
    def pow(x: Any, y: Any) -> Array:
        try:
            return x**y
        except ValueError:
            return _whole_power(x, y)

    @_quietly
    def sigmoid(x: Array) -> Array:
        return 1 / (1 + np.exp(-x))

    @staticmethod
    def relu(x: Array) -> Array:
        return np.maximum(x, 0)

    @staticmethod
    def where(c: Any, x: Any, y: Any) -> Array:
        """A number counts as weakly typed, as in arithmetic: it takes the other branch's dtype."""
        if x.__class__ is not ndarray and isinstance(y, ndarray):
            x = y.dtype.type(x)
        elif y.__class__ is not ndarray and isinstance(x, ndarray):
            y = x.dtype.type(y)
        return np.where(c, x, y)

    @staticmethod
    def gate(x: Array, y: Array) -> Array:
        return np.where(y > 0, x, x.dtype.type(0))

    @staticmethod
    def copy(x: Array) -> Array:
        return np.array(x)

    @staticmethod
    def in_order(x: Array) -> Array:
        return np.array(x, order="C")

    @staticmethod
    def cast(x: Array, dtype: Any) -> Array:
        """A complex number becomes real by its real part: what a real input can use of a complex gradient."""
        x = np.asarray(x)
        if x.dtype.kind == "c" and np.dtype(dtype).kind != "c":
            return x.real.astype(dtype)  # a copy, even if the dtype fits: x.real is a view of x
        return x.astype(dtype, copy=False)

    # ------------------------------------------------------------------------------- many to one

    @staticmethod
    def sum(x: Array, dim: Any, keepdim: bool) -> Array:
        return _half_sum(x, dim, keepdim) if x.itemsize == 2 else add_up(x, dim, None, None, keepdim)

    @_quietly
    def mean(x: Array, dim: Any, keepdim: bool) -> Array:
        if x.itemsize == 2:  # the sum of many may be too large for half precision, the mean is not
            return np.asarray(cpu.mean(x.astype(np.float32), dim, keepdim)).astype(x.dtype)
        total = add_up(x, dim, None, None, keepdim)
        return total / (x.size // total.size if total.size else 1)

    @staticmethod
    def amax(x: Array, dim: Any, keepdim: bool) -> Array:
        return largest(x, dim, None, None, keepdim)

    @staticmethod
    def amin(x: Array, dim: Any, keepdim: bool) -> Array:
        return smallest(x, dim, None, None, keepdim)

    @_quietly
    def prod(x: Array, dim: int | None, keepdim: bool) -> Array:
        return multiply(x, dim, None, None, keepdim)

    @staticmethod
    def argmax(x: Any, dim: int | None, keepdim: bool) -> Array:
        return np.asarray(x.argmax(dim, keepdims=keepdim))

    @staticmethod
    def argmin(x: Any, dim: int | None, keepdim: bool) -> Array:
        return np.asarray(x.argmin(dim, keepdims=keepdim))

    # ------------------------------------------------------------------------ along one dimension

    @_quietly
    def cumsum(x: Array, dim: int) -> Array:
        return _accumulated(np.add, x, dim)

    @_quietly
    def cumprod(x: Array, dim: int) -> Array:
        return _accumulated(np.multiply, x, dim)

    @staticmethod
    def cummax(x: Array, dim: int) -> Array:
        return np.maximum.accumulate(x, dim)

    @staticmethod
    def cummin(x: Array, dim: int) -> Array:
        return np.minimum.accumulate(x, dim)

    @_quietly
    def logcumsumexp(x: Array, dim: int) -> Array:
        if x.dtype.kind == "c":  # NumPy has it for real numbers only
            return Composite.logcumsumexp(cpu, x, dim)
        return _accumulated(np.logaddexp, x, dim)

    @staticmethod
    def argsort(x: Array, dim: int) -> Array:
        return np.argsort(x, dim, kind="stable")

    # ----------------------------------------------------------------------- another arrangement

    @staticmethod
    def reshape(x: Array, shape: tuple[int, ...]) -> Array:
        return x.reshape(shape)

    @staticmethod
    def permute(x: Array, dims: tuple[int, ...]) -> Array:
        return x.transpose(dims)

    @staticmethod
    def T(x: Array) -> Array:
        return x.swapaxes(-1, -2)

    @staticmethod
    def flip(x: Array, dims: tuple[int, ...]) -> Array:
        return np.flip(x, dims).copy()

    @staticmethod
    def expand(x: Any, shape: tuple[int, ...]) -> Array:
        x = np.asarray(x)
        if x.size == 1 and x.flags.c_contiguous:
            return ndarray(shape, x.dtype, x, 0, (0,) * len(shape))
        return np.broadcast_to(x, shape)

    @staticmethod
    def diagonal(x: Array, offset: int, dim1: int, dim2: int) -> Array:
        """NumPy's is read-only, for no reason that still holds."""
        out = x.diagonal(offset, dim1, dim2)
        out.flags.writeable = x.flags.writeable
        return out

    @staticmethod
    def unfold(x: Array, dim: int, size: int, step: int) -> Array:
        count = (x.shape[dim] - size) // step + 1
        pace = x.strides[dim]
        shape = (*x.shape[:dim], count, *x.shape[dim + 1 :], size)
        return memory.window(x, shape, (*x.strides[:dim], pace * step, *x.strides[dim + 1 :], pace), 0)

    @staticmethod
    def as_strided(x: Array, size: Any, stride: Any, offset: int, like: Any) -> Array:
        x = memory.laid_out(x, like)
        return memory.window(x, size, tuple(s * x.itemsize for s in stride), offset * x.itemsize)

    @staticmethod
    def sum_to(x: Array, shape: tuple[int, ...]) -> Array:
        axes = _needs_sum(x.shape, shape)
        return np.asarray(cpu.sum(x, axes, False)).reshape(shape) if axes else x.reshape(shape)

    @staticmethod
    def cat(xs: Sequence[Array], dim: int) -> Array:
        return np.concatenate(xs, dim)

    # ------------------------------------------------------------------------------- by position

    @staticmethod
    def arange(n: int) -> Array:
        return np.arange(n)

    @staticmethod
    def index(x: Array, index: tuple[Any, ...]) -> Array:
        """A view. The trailing ellipsis keeps a full index from becoming a scalar copy."""
        return x[index if Ellipsis in index else (*index, Ellipsis)]

    @staticmethod
    def put(x: Array, index: tuple[Any, ...], shape: tuple[int, ...]) -> Array:
        out = np.zeros(shape, x.dtype)
        out[index] = x
        return out

    def put_view(xp, x: Array, v: Any, steps: Sequence[Any]) -> Array:
        """On a copy that keeps the order of memory, so that what was a view of x is one of the copy."""
        out = np.array(x)
        xp.view(out, steps)[...] = v
        return out

    @staticmethod
    def put_at(x: Array, ix: Sequence[Array], v: Any) -> Array:
        out = np.array(x)
        out[tuple(ix)] = v
        return out

    @staticmethod
    def take(x: Array, ix: Sequence[Array]) -> Array:
        return x[tuple(ix)]

    @staticmethod
    def add_at(x: Array, ix: Sequence[Array], shape: tuple[int, ...]) -> Array:
        return kernels.add_at(np.asarray(x), tuple(ix), shape)

    @staticmethod
    def gather(x: Array, index: Array, dim: int) -> Array:
        return x[_grid(index, dim)]

    @staticmethod
    def scatter(x: Array, index: Array, dim: int, shape: tuple[int, ...]) -> Array:
        x = x[tuple(slice(n) for n in index.shape)]
        return kernels.add_at(x, _grid(index, dim), shape)

    @_quietly
    def fold(x: Array, v: Array, index: Array, dim: int, how: str) -> Array:
        out = np.array(x)
        ufunc(how).at(out, _grid(index, dim), v)
        return out

    # ---------------------------------------------------------------------------------- matrices

    inv, det, cofactor = staticmethod(matrices.inv), staticmethod(matrices.det), staticmethod(matrices.cofactor)
    solve, solve_triangular = staticmethod(matrices.solve), staticmethod(matrices.solve_triangular)
    cholesky, qr, svd = staticmethod(matrices.cholesky), staticmethod(matrices.qr), staticmethod(matrices.svd)
    eigh, slogdet = staticmethod(matrices.eigh), staticmethod(matrices.slogdet)

    # ------------------------------------------------------------------------------------- fused

    @_quietly
    def softmax(x: Array, dim: int) -> Array:
        e = np.exp(x - largest(x, dim, None, None, True, -inf))
        e /= add_up(e, dim, None, None, True)
        return e

    @_quietly
    def log_softmax(x: Array, dim: int) -> Array:
        shifted = x - largest(x, dim, None, None, True, -inf)  # -inf: the largest of none, where a size is 0
        shifted -= np.log(add_up(np.exp(shifted), dim, None, None, True))
        return shifted

    def cross_entropy(xp, x: Array, t: Array) -> tuple[Array, Array]:
        logp = xp.log_softmax(x, 1)
        return -logp[np.arange(len(t)), t], logp

    @staticmethod
    def cross_entropy_grad(g: Array, x: Array, t: Array, logp: Array) -> Array:
        slope = np.exp(logp)
        slope[np.arange(len(t)), t] -= 1
        slope *= g[:, None]
        return slope


@np.errstate(all="ignore")
def _half_sum(x: Array, dim: Any, keepdim: bool) -> Array:
    """Half precision is added up in single precision and rounded once, as in PyTorch; 16-bit integers are as any."""
    if x.dtype.kind in "iu":
        return add_up(x, dim, None, None, keepdim)
    return np.asarray(add_up(x, dim, np.float32, None, keepdim)).astype(x.dtype)


def _accumulated(function: Any, x: Array, dim: int) -> Array:
    """Running results; those of half precision are kept in single precision meanwhile."""
    if x.itemsize == 2 and x.dtype.kind not in "iu":
        return function.accumulate(x, dim, np.float32).astype(x.dtype)
    return function.accumulate(x, dim, x.dtype)  # else NumPy widens small integers


def _whole_power(x: Any, y: Any) -> Array:
    """A power of whole numbers, where y may be negative (NumPy refuses): 1 over a whole number, cut off, but for ±1."""
    unit = np.where(abs(x) == 1, x ** (y & 1), 0)
    out = np.where(y < 0, unit, x ** np.maximum(y, 0))
    return out.astype((x if isinstance(x, ndarray) else y).dtype)


def _grid(index: Array, dim: int) -> tuple[Array, ...]:
    """Index arrays that address x[..., index, ...] with every other dimension in step."""
    rank = index.ndim
    return tuple(
        index if d == dim else np.arange(n).reshape((1,) * d + (n,) + (1,) * (rank - d - 1))
        for d, n in enumerate(index.shape)
    )


def _elementwise(name: str, path: str) -> Any:
    """NumPy's function as it is; SciPy's, found at the first call, with half precision kept (it has none)."""
    if "." not in path:
        return _quietly(ufunc(path))

    def run(*xs: Any) -> Array:
        out = ufunc(path)(*xs)
        kept = next(x.dtype for x in xs if isinstance(x, (ndarray, np.generic)))
        return out.astype(kept) if kept.itemsize == 2 and kept.kind not in "iu" else out

    return _quietly(run)


fill(Cpu, _elementwise)
cpu = Cpu()
"""The namespace of ordinary computation."""

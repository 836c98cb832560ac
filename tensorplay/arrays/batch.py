"""The batching namespace: every name, run for a whole batch at once.

A `Batched` value carries a hidden leading axis. A rule written for one example sees the shape of one
example; the namespace puts the batch axis where each family needs it:

- pointwise and contraction: ranks are aligned by inserting 1-axes behind the batch axis;
- reduction: dimensions move up by one;
- shaping: the batch size is put in front of the shape;
- indexing: an `arange` over the batch joins the index.

The values themselves live in an inner namespace: arrays, or Tensors when the graph is recorded.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from math import prod
from typing import Any, NoReturn

from ..errors import VmapReadError
from .composite import Composite
from .elementwise import UNARY, fill

__all__ = ["BatchSpace", "Batched"]

Shape = tuple[int, ...]


class Batched:
    """A value with a batch axis in front that rules do not see."""

    __slots__ = ("data", "space")
    __array_ufunc__ = None  # else ndarray * Batched would build an array of objects
    __hash__ = object.__hash__

    def __init__(self, data: Any, space: BatchSpace) -> None:
        self.data = data
        self.space = space

    @property
    def shape(self) -> Shape:
        """The shape of one example."""
        return tuple(self.data.shape[1:])

    @property
    def ndim(self) -> int:
        """The rank of one example."""
        return len(self.data.shape) - 1

    @property
    def size(self) -> int:
        """How many elements one example has."""
        return prod(self.shape)

    @property
    def nbytes(self) -> int:
        """The bytes of the whole batch."""
        return getattr(self.data, "_array", self.data).nbytes

    @property
    def dtype(self) -> Any:
        """The NumPy dtype of the numbers, also where they are Tensors."""
        dtype = self.data.dtype
        return getattr(dtype, "numpy", dtype)

    @property
    def count(self) -> int:
        """How many examples the batch has."""
        return self.data.shape[0]

    def __neg__(self) -> Batched:
        return Batched(-self.data, self.space)

    def astype(self, dtype: Any) -> Batched:
        """The batch cast."""
        return self.space.cast(self, dtype)

    # There is one number for each example, so none that Python could go on with.

    def item(self) -> NoReturn:
        """Raise VmapReadError."""
        raise VmapReadError(
            f"vmap: It looks like you're calling .item() on a Tensor. There is one value for each of the {self.count} "
            f"examples: compute with tensors (tp.where instead of if), or take the number outside vmap"
        )

    tolist = item

    def __bool__(self) -> NoReturn:
        raise VmapReadError(
            f"vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow: the "
            f"{self.count} examples may disagree. Compute both branches and choose with tp.where(condition, a, b)"
        )

    def __repr__(self) -> str:
        text = f"{self.count} of shape {list(self.shape)}"
        return f"batch of {text}: {self.data!r}" if self.space.level else f"Batched({text})"


def _operator(function: Callable[[Any, Any], Any], swapped: bool = False) -> Callable[[Batched, Any], Batched]:
    def method(self: Batched, other: Any) -> Batched:
        pair = (other, self) if swapped else (self, other)
        return self.space._together(function, *pair)

    return method


for _name in ("add", "sub", "mul", "truediv", "pow", "matmul"):
    _function = getattr(operator, _name)
    setattr(Batched, f"__{_name}__", _operator(_function))
    setattr(Batched, f"__r{_name}__", _operator(_function, swapped=True))
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Batched, f"__{_name}__", _operator(getattr(operator, _name)))


def _one(name: str) -> Any:
    """A name of one input that changes no shape."""

    def run(xp: BatchSpace, x: Any, *args: Any) -> Any:
        function = getattr(xp.inner, name)
        return Batched(function(x.data, *args), xp) if isinstance(x, Batched) else function(x, *args)

    run.__name__ = name
    return run


def _along(name: str) -> Any:
    """A name of one input that changes no shape, along one of its dimensions."""

    def run(xp: BatchSpace, x: Any, dim: int) -> Any:
        function = getattr(xp.inner, name)
        return Batched(function(x.data, dim + 1), xp) if isinstance(x, Batched) else function(x, dim)

    run.__name__ = name
    return run


def _two(name: str) -> Any:
    """A name of broadcasting inputs."""

    def run(xp: BatchSpace, *operands: Any) -> Any:
        return xp._together(getattr(xp.inner, name), *operands)

    run.__name__ = name
    return run


def _of_matrices(name: str) -> Any:
    """A name of matrices, which takes leading dimensions as a batch of its own."""

    def run(xp: BatchSpace, *args: Any) -> Any:
        function = getattr(xp.inner, name)
        if not any(isinstance(x, Batched) for x in args):
            return function(*args)
        rank = max(len(getattr(x, "shape", ())) for x in args)
        out = function(*(xp._aligned(x, rank) for x in args))
        return tuple(Batched(o, xp) for o in out) if isinstance(out, tuple) else Batched(out, xp)

    run.__name__ = name
    return run


class BatchSpace(Composite):
    """Names over `Batched` values and plain ones, computed in the namespace `inner`."""

    level = 0
    """That of the transform the batch belongs to; 0 for the engine's own batches of gradients."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.rank = 10 + inner.rank

    sigmoid, relu, conj, copy, cast, stop = map(_one, ("sigmoid", "relu", "conj", "copy", "cast", "stop"))
    in_order = _one("in_order")
    where, gate = map(_two, ("where", "gate"))

    # ------------------------------------------------------------------------------ putting axes

    def _together(self, function: Callable[..., Any], *operands: Any) -> Any:
        """Run a broadcasting function with the batch axis in front of all that the operands broadcast to."""
        if not any(isinstance(x, Batched) for x in operands):
            return function(*operands)
        rank = max(len(getattr(x, "shape", ())) for x in operands)
        return Batched(function(*(self._aligned(x, rank) for x in operands)), self)

    def _aligned(self, x: Any, rank: int) -> Any:
        """Batched data whose examples have `rank` dimensions (1-axes inserted behind the batch axis)."""
        if not isinstance(x, Batched):
            return x
        missing = rank - x.ndim
        return x.data if missing <= 0 else self.inner.reshape(x.data, (x.count, *(1,) * missing, *x.shape))

    def spread(self, x: Any, size: int) -> Any:
        """Data with a batch axis, repeated where there was none."""
        if isinstance(x, Batched):
            return x.data
        return self.inner.expand(x, (size, *x.shape))

    def _lead(self, size: int, rank: int) -> Any:
        """The numbers of the batch as an index array that broadcasts against `rank` further axes."""
        return self.inner.reshape(self.inner.arange(size), (size, *(1,) * rank))

    # ------------------------------------------------------------------------------- many to one

    def _reduce(self, name: str, x: Any, dim: Any, keepdim: bool) -> Any:
        function = getattr(self.inner, name)
        if not isinstance(x, Batched):
            return function(x, dim, keepdim)
        dims = range(x.ndim) if dim is None else dim
        return Batched(function(x.data, tuple(d + 1 for d in dims), keepdim), self)

    def sum(self, x: Any, dim: Any, keepdim: bool) -> Any:
        return self._reduce("sum", x, dim, keepdim)

    def mean(self, x: Any, dim: Any, keepdim: bool) -> Any:
        return self._reduce("mean", x, dim, keepdim)

    def amax(self, x: Any, dim: Any, keepdim: bool) -> Any:
        return self._reduce("amax", x, dim, keepdim) if x.ndim else x

    def amin(self, x: Any, dim: Any, keepdim: bool) -> Any:
        return self._reduce("amin", x, dim, keepdim) if x.ndim else x

    def norm(self, x: Any, p: float, dim: Any, keepdim: bool) -> Any:
        if not isinstance(x, Batched):
            return self.inner.norm(x, p, dim, keepdim)
        dims = range(x.ndim) if dim is None else dim
        return Batched(self.inner.norm(x.data, p, tuple(d + 1 for d in dims), keepdim), self)

    def _position(self, name: str, x: Any, dim: int | None, keepdim: bool) -> Any:
        function = getattr(self.inner, name)
        if not isinstance(x, Batched):
            return function(x, dim, keepdim)
        if dim is not None:
            return Batched(function(x.data, dim + 1, keepdim), self)
        flat = function(self.inner.reshape(x.data, (x.count, -1)), 1, False)
        return Batched(self.inner.reshape(flat, (x.count, *(1,) * x.ndim)) if keepdim else flat, self)

    def argmax(self, x: Any, dim: int | None, keepdim: bool) -> Any:
        return self._position("argmax", x, dim, keepdim)

    def argmin(self, x: Any, dim: int | None, keepdim: bool) -> Any:
        return self._position("argmin", x, dim, keepdim)

    def prod(self, x: Any, dim: int | None, keepdim: bool) -> Any:
        return self._position("prod", x, dim, keepdim)

    # ------------------------------------------------------------------------ along one dimension

    cumsum, cumprod, argsort = map(_along, ("cumsum", "cumprod", "argsort"))
    cummax, cummin, logcumsumexp = map(_along, ("cummax", "cummin", "logcumsumexp"))

    # ----------------------------------------------------------------------- another arrangement

    def reshape(self, x: Any, shape: Shape) -> Any:
        if not isinstance(x, Batched):
            return self.inner.reshape(x, shape)
        return Batched(self.inner.reshape(x.data, (x.count, *shape)), self)

    def permute(self, x: Any, dims: Shape) -> Any:
        if not isinstance(x, Batched):
            return self.inner.permute(x, dims)
        return Batched(self.inner.permute(x.data, (0, *(d + 1 for d in dims))), self)

    def flip(self, x: Any, dims: Shape) -> Any:
        if not isinstance(x, Batched):
            return self.inner.flip(x, dims)
        return Batched(self.inner.flip(x.data, tuple(d + 1 for d in dims)), self)

    def T(self, x: Any) -> Any:
        return Batched(self.inner.T(x.data), self) if isinstance(x, Batched) else self.inner.T(x)

    def expand(self, x: Any, shape: Shape) -> Any:
        if not isinstance(x, Batched):
            return self.inner.expand(x, shape)
        return Batched(self.inner.expand(self._aligned(x, len(shape)), (x.count, *shape)), self)

    def diagonal(self, x: Any, offset: int, dim1: int, dim2: int) -> Any:
        if not isinstance(x, Batched):
            return self.inner.diagonal(x, offset, dim1, dim2)
        return Batched(self.inner.diagonal(x.data, offset, dim1 + 1, dim2 + 1), self)

    def unfold(self, x: Any, dim: int, size: int, step: int) -> Any:
        if not isinstance(x, Batched):
            return self.inner.unfold(x, dim, size, step)
        return Batched(self.inner.unfold(x.data, dim + 1, size, step), self)

    def as_strided(self, x: Any, size: Shape, stride: Shape, offset: int, like: Shape) -> Any:
        """Each example in memory of its own, as many elements after the one before as an example spans."""
        if not isinstance(x, Batched):
            return self.inner.as_strided(x, size, stride, offset, like)
        span = 1 + sum((n - 1) * s for n, s in zip(x.shape, like, strict=True))
        every = (x.count, *size), (span, *stride), offset, (span, *like)
        return Batched(self.inner.as_strided(x.data, *every), self)

    def sum_to(self, x: Any, shape: Shape) -> Any:
        if not isinstance(x, Batched):
            return self.inner.sum_to(x, shape)
        ones = (1,) * (x.ndim - len(shape))
        return Batched(self.inner.reshape(self.inner.sum_to(x.data, (x.count, *ones, *shape)), (x.count, *shape)), self)

    def cat(self, xs: Sequence[Any], dim: int) -> Any:
        size = _batch_size(*xs)
        if size is None:
            return self.inner.cat(xs, dim)
        return Batched(self.inner.cat([self.spread(x, size) for x in xs], dim + 1), self)

    # ------------------------------------------------------------------------------- by position

    def arange(self, n: int) -> Any:
        return self.inner.arange(n)

    def index(self, x: Any, index: tuple[Any, ...]) -> Any:
        if not isinstance(x, Batched):
            return self.inner.index(x, index)
        return Batched(self.inner.index(x.data, (slice(None), *index)), self)

    def put(self, x: Any, index: tuple[Any, ...], shape: Shape) -> Any:
        if not isinstance(x, Batched):
            return self.inner.put(x, index, shape)
        return Batched(self.inner.put(x.data, (slice(None), *index), (x.count, *shape)), self)

    def put_view(self, x: Any, v: Any, steps: Sequence[Any]) -> Any:
        size = _batch_size(x, v)
        if size is None:
            return self.inner.put_view(x, v, steps)
        value = self.spread(v, size) if hasattr(v, "shape") else v
        every = ((PerExample, {"steps": tuple(steps)}),)
        return Batched(self.inner.put_view(self.spread(x, size), value, every), self)

    def put_at(self, x: Any, ix: Sequence[Any], v: Any) -> Any:
        size = _batch_size(x, v, *ix)
        if size is None:
            return self.inner.put_at(x, ix, v)
        rank = max(len(i.shape) for i in ix) + len(x.shape) - len(ix)
        return Batched(self.inner.put_at(self.spread(x, size), self._joined(size, ix), self._aligned(v, rank)), self)

    def _joined(self, size: int, ix: Sequence[Any]) -> tuple[Any, ...]:
        rank = max(len(i.shape) for i in ix)
        return (self._lead(size, rank), *(self._aligned(i, rank) for i in ix))

    def take(self, x: Any, ix: Sequence[Any]) -> Any:
        size = _batch_size(x, *ix)
        if size is None:
            return self.inner.take(x, ix)
        return Batched(self.inner.take(self.spread(x, size), self._joined(size, ix)), self)

    def add_at(self, x: Any, ix: Sequence[Any], shape: Shape) -> Any:
        size = _batch_size(x, *ix)
        if size is None:
            return self.inner.add_at(x, ix, shape)
        return Batched(self.inner.add_at(self.spread(x, size), self._joined(size, ix), (size, *shape)), self)

    def gather(self, x: Any, index: Any, dim: int) -> Any:
        size = _batch_size(x, index)
        if size is None:
            return self.inner.gather(x, index, dim)
        return Batched(self.inner.gather(self.spread(x, size), self.spread(index, size), dim + 1), self)

    def scatter(self, x: Any, index: Any, dim: int, shape: Shape) -> Any:
        size = _batch_size(x, index)
        if size is None:
            return self.inner.scatter(x, index, dim, shape)
        return Batched(
            self.inner.scatter(self.spread(x, size), self.spread(index, size), dim + 1, (size, *shape)), self
        )

    def fold(self, x: Any, v: Any, index: Any, dim: int, how: str) -> Any:
        size = _batch_size(x, v, index)
        if size is None:
            return self.inner.fold(x, v, index, dim, how)
        return Batched(self.inner.fold(*(self.spread(y, size) for y in (x, v, index)), dim + 1, how), self)

    # ---------------------------------------------------------------------------------- matrices

    inv, det, slogdet, cofactor = map(_of_matrices, ("inv", "det", "slogdet", "cofactor"))
    solve, solve_triangular = map(_of_matrices, ("solve", "solve_triangular"))
    cholesky, qr, svd, eigh = map(_of_matrices, ("cholesky", "qr", "svd", "eigh"))


fill(BatchSpace, lambda name, path: (_one if name in UNARY else _two)(name))


class PerExample:
    """A chain of views taken in every example at once: one step of a chain over the whole batch."""

    @staticmethod
    def forward(xp: Any, x: Any, *, steps: Sequence[Any]) -> Any:
        space = BatchSpace(xp)
        return space.view(Batched(x, space), steps).data


def _batch_size(*values: Any) -> int | None:
    return next((v.count for v in values if isinstance(v, Batched)), None)

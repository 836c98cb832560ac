"""Arrays without numbers: a namespace that knows shapes and dtypes only.

Running an op here proves that its rules look at no value, so they can be compiled or batched, and says
what shape and dtype come out. Any attempt to read a value raises `ValueRead`. Shapes that do not fit
raise the same errors as real arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, NoReturn

import numpy as np

from ..arrays.composite import Composite
from ..arrays.elementwise import fill, ufunc
from ..errors import EmptyReductionError, IndexingError, ShapeError
from ..ops.families import broadcast_shapes, keep_shape

__all__ = ["ShapeArray", "Shapes", "ValueRead", "shape_of", "shapes"]

Shape = tuple[int, ...]


class ValueRead(TypeError):
    """A rule asked for a number where only shapes are known."""


class ShapeArray:
    """A shape and a dtype."""

    __slots__ = ("dtype", "shape")
    __array_ufunc__ = None
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, shape: Shape, dtype: Any) -> None:
        self.shape = tuple(shape)
        self.dtype = np.dtype(dtype)

    @property
    def ndim(self) -> int:
        """How many dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """How many elements."""
        return prod(self.shape)

    def __repr__(self) -> str:
        return f"ShapeArray({self.shape}, {self.dtype})"

    def _no_value(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise ValueRead(f"a rule tried to read a value of {self!r}; rules may use shapes and dtypes only")

    __bool__ = __int__ = __float__ = __complex__ = __index__ = __iter__ = __array__ = __contains__ = _no_value
    __getitem__ = __setitem__ = item = tolist = _no_value

    def __matmul__(self, other: ShapeArray) -> ShapeArray:
        a, b = self.shape, other.shape
        if len(a) < 2 or len(b) < 2 or a[-1] != b[-2]:
            raise ShapeError(f"shapes {a} and {b} cannot be multiplied")
        lead = broadcast_shapes(a[:-2], b[:-2])
        return ShapeArray((*lead, a[-2], b[-1]), np.result_type(self.dtype, other.dtype))


def shape_of(value: Any) -> Any:
    """The symbolic stand-in of an array; other values stay.

    >>> shape_of(np.zeros((2, 3), np.float32))
    ShapeArray((2, 3), float32)
    """
    return ShapeArray(value.shape, value.dtype) if isinstance(value, np.ndarray) else value


# ------------------------------------------------------------------------------------------ pointwise


def _computed(ufunc: np.ufunc, *operands: Any) -> ShapeArray:
    """Broadcast shape, and the dtype NumPy would give: asked on arrays of size 0, so without a number."""
    common: Shape = ()
    for x in operands:
        common = broadcast_shapes(common, x.shape) if isinstance(x, ShapeArray) else common
    empty = (np.empty(0, x.dtype) if isinstance(x, ShapeArray) else x for x in operands)
    return ShapeArray(common, ufunc(*empty).dtype)


def _pointwise(name: str, path: str) -> Any:
    return staticmethod(lambda *operands: _computed(ufunc(path), *operands))


def _method(ufunc: np.ufunc, swapped: bool = False) -> Callable[..., ShapeArray]:
    def method(self: ShapeArray, *other: Any) -> ShapeArray:
        return _computed(ufunc, *other, self) if swapped else _computed(ufunc, self, *other)

    return method


_OPERATORS: dict[str, Any] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "truediv": np.true_divide,
    "pow": np.power,
}
_OPERATORS |= {"and": np.bitwise_and, "or": np.bitwise_or}
_COMPARISONS: dict[str, Any] = {"lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal}
_COMPARISONS |= {"eq": np.equal, "ne": np.not_equal}

for _name, _ufunc in _OPERATORS.items():
    setattr(ShapeArray, f"__{_name}__", _method(_ufunc))
    setattr(ShapeArray, f"__r{_name}__", _method(_ufunc, swapped=True))
for _name, _ufunc in (_COMPARISONS | {"neg": np.negative, "abs": np.absolute, "invert": np.invert}).items():
    setattr(ShapeArray, f"__{_name}__", _method(_ufunc))


# ------------------------------------------------------------------------------------------ namespace


class Shapes(Composite):
    """The names a rule may use, in shapes."""

    rank = 0
    copy = staticmethod(lambda x: x)

    @staticmethod
    def conj(x: Any) -> Any:
        """Neither shape nor dtype changes; a number stays a number."""
        return x

    @staticmethod
    def cast(x: ShapeArray, dtype: Any) -> ShapeArray:
        """Another dtype."""
        return ShapeArray(x.shape, dtype)

    @staticmethod
    def where(c: Any, x: Any, y: Any) -> ShapeArray:
        """Three operands broadcast; the condition adds nothing to the dtype."""
        chosen = _computed(np.maximum, x, y)
        return ShapeArray(broadcast_shapes(getattr(c, "shape", ()), chosen.shape), chosen.dtype)

    @staticmethod
    def sum(x: ShapeArray, dim: Any, keepdim: bool) -> ShapeArray:
        """A reduced shape; NumPy widens small integers."""
        return ShapeArray(_reduced(x.shape, dim, keepdim), np.add.reduce(np.empty(0, x.dtype)).dtype)

    @staticmethod
    def amax(x: ShapeArray, dim: Any, keepdim: bool) -> ShapeArray:
        """A reduced shape of the same dtype; something must be there to reduce."""
        _require_elements(x.shape, dim)
        return ShapeArray(_reduced(x.shape, dim, keepdim), x.dtype)

    amin = amax

    @staticmethod
    def prod(x: ShapeArray, dim: int | None, keepdim: bool) -> ShapeArray:
        """A reduced shape; NumPy widens small integers."""
        return Shapes.sum(x, None if dim is None else (dim,), keepdim)

    @staticmethod
    def cumsum(x: ShapeArray, dim: int) -> ShapeArray:
        """The same shape; NumPy widens small integers."""
        return ShapeArray(x.shape, Shapes.sum(x, None, False).dtype)

    cumprod = cumsum

    @staticmethod
    def argsort(x: ShapeArray, dim: int) -> ShapeArray:
        """Positions."""
        return ShapeArray(x.shape, np.intp)

    @staticmethod
    def argmax(x: ShapeArray, dim: int | None, keepdim: bool) -> ShapeArray:
        """Positions."""
        dims = None if dim is None else (dim,)
        _require_elements(x.shape, dims)
        return ShapeArray(_reduced(x.shape, dims, keepdim), np.intp)

    argmin = argmax

    @staticmethod
    def reshape(x: ShapeArray, shape: Shape) -> ShapeArray:
        """As many elements; one size may be -1."""
        known = prod(n for n in shape if n != -1)
        if -1 in shape:
            shape = tuple(x.size // max(known, 1) if n == -1 else n for n in shape)
        if prod(shape) != x.size:
            raise ShapeError(f"shape '{list(shape)}' is invalid for input of size {x.size}")
        return ShapeArray(shape, x.dtype)

    @staticmethod
    def permute(x: ShapeArray, dims: tuple[int, ...]) -> ShapeArray:
        """Sizes in another order."""
        return ShapeArray(tuple(x.shape[d] for d in dims), x.dtype)

    @staticmethod
    def flip(x: ShapeArray, dims: tuple[int, ...]) -> ShapeArray:
        """The same shape."""
        return x

    @staticmethod
    def T(x: ShapeArray) -> ShapeArray:
        """The last two sizes swapped."""
        return ShapeArray((*x.shape[:-2], x.shape[-1], x.shape[-2]), x.dtype)

    @staticmethod
    def expand(x: ShapeArray, shape: Shape) -> ShapeArray:
        """A larger shape that x broadcasts to."""
        if broadcast_shapes(x.shape, tuple(shape)) != tuple(shape):
            raise ShapeError(f"shape {x.shape} does not expand to {tuple(shape)}")
        return ShapeArray(shape, x.dtype)

    @staticmethod
    def diagonal(x: ShapeArray, offset: int, dim1: int, dim2: int) -> ShapeArray:
        """As many as both dimensions have from the offset on."""
        rows, columns = x.shape[dim1] - max(-offset, 0), x.shape[dim2] - max(offset, 0)
        rest = tuple(n for d, n in enumerate(x.shape) if d not in (dim1, dim2))
        return ShapeArray((*rest, max(min(rows, columns), 0)), x.dtype)

    @staticmethod
    def unfold(x: ShapeArray, dim: int, size: int, step: int) -> ShapeArray:
        """As many windows as fit."""
        count = (x.shape[dim] - size) // step + 1
        return ShapeArray((*x.shape[:dim], count, *x.shape[dim + 1 :], size), x.dtype)

    @staticmethod
    def as_strided(x: ShapeArray, size: Shape, stride: Shape, offset: int, like: Shape) -> ShapeArray:
        """The sizes asked for, if they lie in memory that x shows."""
        last = offset + sum((n - 1) * s for n, s in zip(size, stride, strict=True))
        if last > sum((n - 1) * s for n, s in zip(x.shape, like, strict=True)) and 0 not in size:
            raise ShapeError(f"sizes {list(size)}, strides {list(stride)} are out of bounds for storage of {x}")
        return ShapeArray(size, x.dtype)

    @staticmethod
    def sum_to(x: ShapeArray, shape: Shape) -> ShapeArray:
        """A smaller shape that broadcasts to x."""
        if broadcast_shapes(x.shape, tuple(shape)) != x.shape:
            raise ShapeError(f"shape {x.shape} does not sum to {tuple(shape)}")
        return ShapeArray(shape, x.dtype)

    @staticmethod
    def cat(xs: Sequence[ShapeArray], dim: int) -> ShapeArray:
        """The sizes along one dimension, added up."""
        first = xs[0].shape
        total = sum(x.shape[dim] for x in xs)
        return ShapeArray((*first[:dim], total, *first[dim + 1 :]), np.result_type(*(x.dtype for x in xs)))

    @staticmethod
    def arange(n: int) -> ShapeArray:
        """Positions 0 to n - 1."""
        return ShapeArray((n,), np.intp)

    @staticmethod
    def index(x: ShapeArray, index: tuple[Any, ...]) -> ShapeArray:
        """What a basic index leaves."""
        return ShapeArray(_indexed(x.shape, index), x.dtype)

    @staticmethod
    def put(x: ShapeArray, index: tuple[Any, ...], shape: Shape) -> ShapeArray:
        """The shape asked for, if x fits the place."""
        Shapes.expand(x, _indexed(shape, index))
        return ShapeArray(shape, x.dtype)

    def put_view(xp, x: ShapeArray, v: Any, steps: Sequence[Any]) -> ShapeArray:
        """The shape of x, if v fits what the views show of it."""
        if isinstance(v, ShapeArray):
            Shapes.expand(v, xp.view(x, steps).shape)
        return x

    @staticmethod
    def put_at(x: ShapeArray, ix: Sequence[ShapeArray], v: Any) -> ShapeArray:
        """The shape of x, if v fits what would be taken from it."""
        if isinstance(v, ShapeArray):
            Shapes.expand(v, _taken(x.shape, ix))
        return x

    @staticmethod
    def take(x: ShapeArray, ix: Sequence[ShapeArray]) -> ShapeArray:
        """The index arrays' common shape in place of the leading dimensions."""
        return ShapeArray(_taken(x.shape, ix), x.dtype)

    @staticmethod
    def add_at(x: ShapeArray, ix: Sequence[ShapeArray], shape: Shape) -> ShapeArray:
        """The shape asked for, if x fits what would be taken from it."""
        Shapes.expand(x, _taken(shape, ix))
        return ShapeArray(shape, x.dtype)

    @staticmethod
    def gather(x: ShapeArray, index: ShapeArray, dim: int) -> ShapeArray:
        """The index's shape."""
        _require_inside(index.shape, x.shape, dim)
        return ShapeArray(index.shape, x.dtype)

    @staticmethod
    def scatter(x: ShapeArray, index: ShapeArray, dim: int, shape: Shape) -> ShapeArray:
        """The shape asked for, if the index lies inside."""
        _require_inside(index.shape, shape, dim)
        return ShapeArray(shape, x.dtype)

    @staticmethod
    def fold(x: ShapeArray, v: ShapeArray, index: ShapeArray, dim: int, how: str) -> ShapeArray:
        """The shape of x, if the index lies inside and v has its shape."""
        _require_inside(index.shape, x.shape, dim)
        Shapes.expand(v, index.shape)
        return x

    # ---------------------------------------------------------------------------------- matrices

    inv = cofactor = cholesky = staticmethod(lambda x: x)
    det = staticmethod(lambda x: ShapeArray(x.shape[:-2], x.dtype))
    slogdet = staticmethod(lambda x: (ShapeArray(x.shape[:-2], x.dtype), ShapeArray(x.shape[:-2], _real(x.dtype))))
    eigh = staticmethod(lambda x: (ShapeArray(x.shape[:-1], _real(x.dtype)), x))

    @staticmethod
    def solve(a: ShapeArray, b: ShapeArray) -> ShapeArray:
        """A product with the inverse has the same shape."""
        return a @ b

    @staticmethod
    def solve_triangular(a: ShapeArray, b: ShapeArray, upper: bool, unitriangular: bool) -> ShapeArray:
        """A product with the inverse has the same shape."""
        return a @ b

    @staticmethod
    def qr(x: ShapeArray, mode: str) -> tuple[ShapeArray, ShapeArray]:
        """Two factors."""
        *lead, m, n = x.shape
        k = m if mode == "complete" else min(m, n)
        return ShapeArray((*lead, m, k), x.dtype), ShapeArray((*lead, k, n), x.dtype)

    @staticmethod
    def svd(x: ShapeArray, full_matrices: bool) -> tuple[ShapeArray, ShapeArray, ShapeArray]:
        """Three factors."""
        *lead, m, n = x.shape
        k = min(m, n)
        rows, columns = (m, n) if full_matrices else (k, k)
        s = ShapeArray((*lead, k), _real(x.dtype))
        return ShapeArray((*lead, m, rows), x.dtype), s, ShapeArray((*lead, columns, n), x.dtype)


def _real(dtype: Any) -> Any:
    return np.empty(0, dtype).real.dtype


def _reduced(shape: Shape, dim: Any, keepdim: bool) -> Shape:
    if keepdim:
        return keep_shape(shape, dim)
    return () if dim is None else tuple(n for i, n in enumerate(shape) if i not in dim)


def _require_elements(shape: Shape, dim: Any) -> None:
    if 0 in (shape if dim is None else [shape[d] for d in dim if shape]):
        raise EmptyReductionError(f"Expected reduction dim to be non-empty in shape {shape}")


def _require_inside(index: Shape, shape: Shape, dim: int) -> None:
    outside = [d for d, (m, n) in enumerate(zip(index, shape, strict=True)) if d != dim and m > n]
    if outside:
        raise ShapeError(f"index of shape {index} is larger than {shape} in dimensions {outside}")


def _indexed(shape: Shape, index: tuple[Any, ...]) -> Shape:
    """The shape that integers, slices, None and one ellipsis leave of a shape."""
    used = sum(item is not None and item is not Ellipsis for item in index)
    if used > len(shape):
        raise IndexingError(f"too many indices for tensor of dimension {len(shape)}")
    sizes, left, result = iter(shape), len(shape) - used, []
    for item in index if Ellipsis in index else (*index, Ellipsis):
        if item is None:
            result.append(1)
        elif item is Ellipsis:
            result += [next(sizes) for _ in range(left)]
        elif isinstance(item, slice):
            result.append(len(range(*item.indices(next(sizes)))))
        else:
            _require_bounds(item, next(sizes))
    return tuple(result)


def _require_bounds(position: int, size: int) -> None:
    if not -size <= position < size:
        raise IndexingError(f"index {position} is out of bounds for dimension with size {size}")


def _taken(shape: Shape, ix: Sequence[ShapeArray]) -> Shape:
    common: Shape = ()
    for index in ix:
        common = broadcast_shapes(common, index.shape)
    return common + tuple(shape[len(ix) :])


fill(Shapes, _pointwise)
shapes = Shapes()
"""The one namespace."""

"""A GPU array library without a GPU: as strict as the real one about where numbers live.

`library` imitates CuPy's module and `DeviceArray` its array: NumPy does the arithmetic underneath, but
nothing crosses between host and device unless `get` or `asarray` says so, names that CuPy lacks are
refused, and reductions give 0-d arrays, not scalars. In two places it is stricter: an array has no
truth value and is no Python number (CuPy would stop and wait for the device), and assigning through
repeated indices is refused (on a GPU the order, and so the result, is undefined).

`standin` is a namespace over it: the rules of ops run there as they would on a GPU.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from ..arrays import matrices
from ..arrays.composite import Composite
from ..arrays.cpu import cpu
from ..arrays.elementwise import fill, ufunc

__all__ = ["FUNCTIONS", "DeviceArray", "GpuStandIn", "Library", "library", "standin"]

Array = np.ndarray[Any, Any]

_FUNCTION_NAMES = """
abs absolute add all amax amin any arange arctan2 argmax argmin argsort asarray ascontiguousarray broadcast_to ceil
clip concatenate conj conjugate copysign cos cumprod cumsum divide dot einsum empty empty_like equal exp expand_dims
expm1 eye flip floor floor_divide fmax fmin fmod full full_like greater greater_equal hypot isfinite isinf isnan less
less_equal linspace log log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or matmul max maximum mean min
minimum moveaxis multiply negative nonzero not_equal ones ones_like power prod ravel reciprocal remainder repeat
reshape rint roll rollaxis sign sin sinh sqrt square squeeze stack subtract sum swapaxes take take_along_axis tanh
tensordot tile transpose tril triu true_divide where zeros zeros_like arccos arccosh arcsin arcsinh arctan arctanh
cosh exp2 log10 tan trunc
"""
_METHOD_NAMES = """
all any argmax argmin argsort astype conj copy cumsum dot max mean min prod ravel repeat reshape squeeze sum swapaxes
take transpose
"""

FUNCTIONS = frozenset(_FUNCTION_NAMES.split())
"""The functions of CuPy that this library has. What is not listed is refused, `errstate` for one."""

_METHODS = frozenset(_METHOD_NAMES.split())
_OPERATORS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor")


# --------------------------------------------------------------------------------------------- array


class DeviceArray:
    """An array on the pretended device. Make one with `library.asarray(host)`, bring it back with `get()`."""

    __slots__ = ("_host",)
    __array_ufunc__ = None

    def __init__(self, host: Array) -> None:
        self._host = host

    shape = property(lambda self: self._host.shape)
    dtype = property(lambda self: self._host.dtype)
    ndim = property(lambda self: self._host.ndim)
    size = property(lambda self: self._host.size)
    nbytes = property(lambda self: self._host.nbytes)
    T = property(lambda self: DeviceArray(self._host.T))

    def get(self) -> Array:
        """A copy on the host: the explicit way back."""
        return np.array(self._host)

    def __repr__(self) -> str:
        return f"DeviceArray(shape={self.shape}, dtype={self.dtype})"

    def __len__(self) -> int:
        return len(self._host)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in _METHODS:
            raise AttributeError(f"'cupy.ndarray' object has no attribute {name!r}")
        return _on_device(getattr(self._host, name))

    def __array__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError(
            "Implicit conversion to a NumPy array is not allowed. Please use `.get()` to construct a NumPy array "
            "explicitly."
        )

    def _no_number(self, *args: Any) -> NoReturn:
        raise TypeError("a rule may not read a value on the device: it would stop and wait for the GPU")

    __bool__ = __int__ = __float__ = __complex__ = __index__ = __iter__ = item = tolist = _no_number
    __hash__ = None  # type: ignore[assignment]

    def __getitem__(self, index: Any) -> DeviceArray:
        return DeviceArray(np.asarray(self._host[_index(index, self.shape)]))

    def __setitem__(self, index: Any, value: Any) -> None:
        key = _index(index, self.shape)
        if _repeats(key, self.shape):
            raise TypeError("assignment through repeated indices: the result is undefined on a GPU; use add.at")
        self._host[key] = _host(value)


def _operator(name: str, swapped: bool) -> Callable[[Any, Any], Any]:
    function = getattr(operator, f"{name}_" if name in ("and", "or") else name)

    def method(self: DeviceArray, other: Any) -> Any:
        if not isinstance(other, DeviceArray | np.ndarray | np.generic | int | float | complex):
            return NotImplemented
        with np.errstate(all="ignore"):
            result = function(_host(other), self._host) if swapped else function(self._host, _host(other))
        return DeviceArray(np.asarray(result))

    return method


def _unary(name: str) -> Callable[[Any], Any]:
    function = getattr(operator, name)
    return lambda self: DeviceArray(np.asarray(function(self._host)))


for _name in _OPERATORS:
    setattr(DeviceArray, f"__{_name}__", _operator(_name, swapped=False))
    setattr(DeviceArray, f"__r{_name}__", _operator(_name, swapped=True))
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(DeviceArray, f"__{_name}__", _operator(_name, swapped=False))
for _name in ("neg", "abs", "invert"):
    setattr(DeviceArray, f"__{_name}__", _unary(_name))


def _host(value: Any) -> Any:
    """What NumPy shall compute with; an array that is on the host does not belong here."""
    if isinstance(value, DeviceArray):
        return value._host
    if isinstance(value, np.ndarray):
        raise TypeError(f"Unsupported type {type(value)}")
    return value


def _on_device(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` with device arrays in and out; also inside lists and tuples."""

    def lower(value: Any) -> Any:
        return type(value)(map(lower, value)) if type(value) in (list, tuple) else _host(value)

    def call(*args: Any, **kwargs: Any) -> Any:
        with np.errstate(all="ignore"):
            out = function(*map(lower, args), **{name: lower(value) for name, value in kwargs.items()})
        return tuple(map(DeviceArray, out)) if isinstance(out, tuple) else DeviceArray(np.asarray(out))

    return call


def _index(index: Any, shape: tuple[int, ...]) -> Any:
    """An index with integer arrays wrapped into range: CuPy checks no bounds, it wraps."""
    keys = index if isinstance(index, tuple) else (index,)
    arrays = [isinstance(k, DeviceArray) and k.dtype.kind in "iu" for k in keys]
    if not any(arrays):
        return tuple(map(_host, keys))
    sizes = zip(keys, arrays, shape, strict=False)
    return tuple(_host(k) % size if wraps else _host(k) for k, wraps, size in sizes)


def _repeats(key: tuple[Any, ...], shape: tuple[int, ...]) -> bool:
    if not any(isinstance(k, np.ndarray) and k.dtype.kind in "iu" for k in key):
        return False
    cells = np.arange(int(np.prod(shape))).reshape(shape)[key]
    return len(np.unique(cells)) != cells.size


# ------------------------------------------------------------------------------------------- library


class _Ufunc:
    """`library.add` and the like: callable, with `reduce` and `at`."""

    def __init__(self, ufunc: np.ufunc) -> None:
        self._ufunc = ufunc
        self.reduce = _on_device(ufunc.reduce)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return _on_device(self._ufunc)(*args, **kwargs)

    def at(self, target: DeviceArray, indices: Any, values: Any) -> None:
        """Unbuffered in-place operation: repeated indices accumulate."""
        self._ufunc.at(target._host, _index(indices, target.shape), _host(values))


class Library:
    """The module: attributes are the functions of CuPy listed in `FUNCTIONS`, and its dtypes."""

    ndarray = DeviceArray

    def __getattr__(self, name: str) -> Any:
        found = getattr(np, name, None)
        if isinstance(found, type) and issubclass(found, np.generic):
            return found
        if name not in FUNCTIONS:
            raise AttributeError(f"module 'cupy' has no attribute {name!r}")
        return _Ufunc(found) if isinstance(found, np.ufunc) else _on_device(getattr(np, name))

    @staticmethod
    def asarray(value: Any, dtype: Any = None) -> DeviceArray:
        """To the device: the explicit way in."""
        return value if isinstance(value, DeviceArray) else DeviceArray(np.array(value, dtype))


library = Library()
"""The one library."""


# ----------------------------------------------------------------------------------------- namespace


class GpuStandIn(Composite):
    """The names a rule may use, over `library`. What is not written here comes from the composite bodies."""

    rank = 0
    copy = staticmethod(lambda x: x.copy())
    cast = staticmethod(lambda x, dtype: x.astype(dtype))
    sum = staticmethod(lambda x, dim, keepdim: library.sum(x, axis=dim, keepdims=keepdim))
    amax = staticmethod(lambda x, dim, keepdim: library.amax(x, axis=dim, keepdims=keepdim))
    amin = staticmethod(lambda x, dim, keepdim: library.amin(x, axis=dim, keepdims=keepdim))
    prod = staticmethod(lambda x, dim, keepdim: library.prod(x, axis=dim, keepdims=keepdim))
    cumsum = staticmethod(lambda x, dim: library.cumsum(x, axis=dim))
    cumprod = staticmethod(lambda x, dim: library.cumprod(x, axis=dim))
    argsort = staticmethod(lambda x, dim: library.argsort(x, axis=dim, kind="stable"))
    argmax = staticmethod(lambda x, dim, keepdim: library.argmax(x, axis=dim, keepdims=keepdim))
    argmin = staticmethod(lambda x, dim, keepdim: library.argmin(x, axis=dim, keepdims=keepdim))
    reshape = staticmethod(lambda x, shape: x.reshape(shape))
    permute = staticmethod(lambda x, dims: x.transpose(dims))
    flip = staticmethod(lambda x, dims: library.flip(x, axis=dims))
    T = staticmethod(lambda x: x.swapaxes(-1, -2))
    # views that NumPy makes differently than CuPy: those of CuPy can be written to as they come
    diagonal = staticmethod(lambda x, *args: DeviceArray(cpu.diagonal(x._host, *args)))
    unfold = staticmethod(lambda x, *args: DeviceArray(cpu.unfold(x._host, *args)))
    as_strided = staticmethod(lambda x, *args: DeviceArray(cpu.as_strided(x._host, *args)))
    expand = staticmethod(lambda x, shape: library.broadcast_to(library.asarray(x), shape))
    cat = staticmethod(lambda xs, dim: library.concatenate(xs, axis=dim))
    arange = staticmethod(lambda n: library.arange(n))
    index = staticmethod(lambda x, index: x[index if Ellipsis in index else (*index, Ellipsis)])
    take = staticmethod(lambda x, ix: x[tuple(ix)])
    gather = staticmethod(lambda x, index, dim: x[_grid(index, dim)])

    @staticmethod
    def conj(x: Any) -> Any:
        """A number stays a number, weakly typed."""
        return library.conjugate(x) if isinstance(x, DeviceArray) else x

    @staticmethod
    def where(c: Any, x: Any, y: Any) -> DeviceArray:
        """A number takes the dtype of the other branch."""
        known = next((v.dtype.type for v in (x, y) if isinstance(v, DeviceArray)), lambda number: number)
        branches = (v if isinstance(v, DeviceArray) else known(v) for v in (x, y))
        return library.where(c, *branches)

    @staticmethod
    def sum_to(x: DeviceArray, shape: tuple[int, ...]) -> DeviceArray:
        """Sum over what was stretched."""
        lead = x.ndim - len(shape)
        axes = (*range(lead), *(lead + i for i, n in enumerate(shape) if n == 1))
        return library.sum(x, axis=axes).reshape(shape)

    @staticmethod
    def put(x: DeviceArray, index: tuple[Any, ...], shape: tuple[int, ...]) -> DeviceArray:
        """Zeros with x at a basic index."""
        out = library.zeros(shape, x.dtype)
        out[index] = x
        return out

    def put_view(xp, x: DeviceArray, v: Any, steps: Sequence[Any]) -> DeviceArray:
        """A copy, written through its view."""
        out = x.copy()
        xp.view(out, steps)[...] = v
        return out

    @staticmethod
    def put_at(x: DeviceArray, ix: Sequence[DeviceArray], v: Any) -> DeviceArray:
        """A copy with v at integer arrays."""
        out = x.copy()
        out[tuple(ix)] = v
        return out

    @staticmethod
    def add_at(x: DeviceArray, ix: Sequence[DeviceArray], shape: tuple[int, ...]) -> DeviceArray:
        """Zeros with x added at integer arrays."""
        out = library.zeros(shape, x.dtype)
        library.add.at(out, tuple(ix), x)
        return out

    def scatter(xp, x: DeviceArray, index: DeviceArray, dim: int, shape: tuple[int, ...]) -> DeviceArray:
        """Zeros with x added along one dimension; x may be wider than the index."""
        return xp.add_at(x[tuple(map(slice, index.shape))], _grid(index, dim), shape)

    @staticmethod
    def fold(x: DeviceArray, v: DeviceArray, index: DeviceArray, dim: int, how: str) -> DeviceArray:
        """A copy of x with v taken in along one dimension."""
        out = x.copy()
        getattr(library, how).at(out, _grid(index, dim), v)
        return out


def _grid(index: DeviceArray, dim: int) -> tuple[DeviceArray, ...]:
    """Index arrays that address x[..., index, ...] with every other dimension in step."""
    return tuple(
        index if d == dim else library.arange(n).reshape((1,) * d + (n,) + (1,) * (index.ndim - d - 1))
        for d, n in enumerate(index.shape)
    )


for _name in matrices.__all__:
    setattr(GpuStandIn, _name, staticmethod(_on_device(getattr(matrices, _name))))


def _elementwise(name: str, path: str) -> Any:
    """CuPy has NumPy's functions under their names, and SciPy's in `cupyx.scipy.special`."""
    return staticmethod(lambda *xs: _on_device(ufunc(path))(*xs) if "." in path else getattr(library, path)(*xs))


fill(GpuStandIn, _elementwise)
standin = GpuStandIn()
"""The one namespace."""

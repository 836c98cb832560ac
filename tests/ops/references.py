"""What each op's forward must give, in plain NumPy and independent of our namespaces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.ops import (
    references_binary,
    references_decompositions,
    references_reductions,
    references_scattering,
    references_strided,
    references_unary,
)


def softmax(x: np.ndarray, dim: int) -> np.ndarray:
    e = np.exp(x - x.max(dim, keepdims=True))
    return e / e.sum(dim, keepdims=True)


def cross_entropy(x: np.ndarray, t: np.ndarray) -> np.ndarray:
    p = softmax(x, 1)
    return np.array([-np.log(p[n, c]) for n, c in enumerate(t)], x.dtype)


def linear(x: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> np.ndarray:
    return np.einsum("...i,oi->...o", x, weight) + bias


def add_at(x: np.ndarray, *ix: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    out = np.zeros(shape, x.dtype)
    for n, place in enumerate(zip(*ix, strict=True)):
        out[tuple(int(i) for i in place)] += x[n]
    return out


def scatter(x: np.ndarray, index: np.ndarray, dim: int, shape: tuple[int, ...]) -> np.ndarray:
    out = np.zeros(shape, x.dtype)
    for place in np.ndindex(index.shape):
        target = list(place)
        target[dim] = int(index[place])
        out[tuple(target)] += x[place]
    return out


def put(x: np.ndarray, index: Any, shape: tuple[int, ...]) -> np.ndarray:
    out = np.zeros(shape, x.dtype)
    out[index] = x
    return out


def copy_slices(x: np.ndarray, v: np.ndarray, steps: Any) -> np.ndarray:
    """The positions that the views show are found by taking the same views of the numbers 0, 1, 2, ..."""
    where = np.arange(x.size).reshape(x.shape)
    for op, params in steps:
        where = where[params["index"]] if op.__name__ == "GetItem" else where.transpose(params["dims"])
    out = x.ravel().copy()
    out[where] = v
    return out.reshape(x.shape)


def index_put(x: np.ndarray, v: np.ndarray, *ix: np.ndarray) -> np.ndarray:
    out = x.copy()
    out[ix] = v
    return out


def sum_to(x: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    lead = x.ndim - len(shape)
    axes = tuple(range(lead)) + tuple(lead + i for i, n in enumerate(shape) if n == 1)
    return x.sum(axes).reshape(shape)


def extremum(name: str) -> Callable[..., Any]:
    def both(x: np.ndarray, dim: int, keepdim: bool) -> tuple[Any, Any]:
        values = getattr(np, name)(x, axis=dim, keepdims=keepdim)
        return values, getattr(np, "arg" + name)(x, axis=dim, keepdims=keepdim)

    return both


def median(x: np.ndarray, dim: int, keepdim: bool) -> tuple[Any, Any]:
    indices = np.take(np.argsort(x, dim, kind="stable"), [(x.shape[dim] - 1) // 2], dim)
    values = np.take_along_axis(x, indices, dim)
    return (values, indices) if keepdim else (values.squeeze(dim), indices.squeeze(dim))


def in_order(x: np.ndarray, dim: int, descending: bool) -> tuple[Any, Any]:
    indices = np.argsort(-x if descending else x, dim, kind="stable")
    return np.take_along_axis(x, indices, dim), indices


def index_add(x: np.ndarray, v: np.ndarray, *ix: np.ndarray) -> np.ndarray:
    out = x.copy()
    np.add.at(out, ix, v)
    return out


def norm(x: np.ndarray, p: float, dim: Any, keepdim: bool) -> Any:
    size = np.abs(x)
    if np.isinf(p):
        return (np.max if p > 0 else np.min)(size, dim, keepdims=keepdim)
    if p == 0:
        return (size > 0).sum(dim, keepdims=keepdim).astype(x.dtype)
    return ((size**p).sum(dim, keepdims=keepdim) ** (1 / p)).astype(x.dtype)


def spread(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, dim, keepdim, correction: function(x, axis=dim, keepdims=keepdim, ddof=correction)


def reduction(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, dim, keepdim: function(x, axis=dim, keepdims=keepdim)


REFERENCES: dict[str, Callable[..., Any]] = {
    "Abs": np.abs,
    "Add": np.add,
    "Alias": np.copy,
    "AddAt": add_at,
    "Amax": reduction(np.max),
    "Amin": reduction(np.min),
    "ArgMax": reduction(np.argmax),
    "ArgMin": reduction(np.argmin),
    "ArgSort": lambda x, dim, descending: in_order(x, dim, descending)[1],
    "Atan2": np.arctan2,
    "Cast": lambda x, dtype: x.astype(dtype),
    "Cat": lambda *xs, dim: np.concatenate(xs, dim),
    "Clone": np.copy,
    "Conj": np.conj,
    "Copy": lambda x, v: np.broadcast_to(v, x.shape),
    "CopySlices": copy_slices,
    "Cos": np.cos,
    "CrossEntropy": cross_entropy,
    "Cumprod": lambda x, dim: np.cumprod(x, dim),
    "Cumsum": lambda x, dim: np.cumsum(x, dim),
    "Div": np.divide,
    "Exp": np.exp,
    "Expand": lambda x, shape: np.broadcast_to(x, shape),
    "Fill": lambda x, v: np.full(x.shape, v),
    "Flip": lambda x, dims: np.flip(x, dims),
    "Gate": lambda x, y: np.where(y > 0, x, x.dtype.type(0)),
    "Gather": lambda x, index, dim: np.take_along_axis(
        x[tuple(slice(None) if d == dim else slice(n) for d, n in enumerate(index.shape))], index, dim
    ),
    "GetItem": lambda x, index: x[index],
    "Index": lambda x, *ix: x[ix],
    "IndexAdd": index_add,
    "IndexPut": index_put,
    "Linear": linear,
    "Log": np.log,
    "Log2": np.log2,
    "LogSoftmax": lambda x, dim: np.log(softmax(x, dim)),
    "MatMul": np.matmul,
    "Max": extremum("max"),
    "Maximum": np.maximum,
    "Mean": reduction(np.mean),
    "Median": median,
    "MedianOfAll": lambda x, keepdim: np.sort(x, axis=None)[(x.size - 1) // 2].reshape((1,) * x.ndim * keepdim),
    "Min": extremum("min"),
    "Minimum": np.minimum,
    "Mul": np.multiply,
    "Neg": np.negative,
    "Norm": norm,
    "Permute": lambda x, dims: np.transpose(x, dims),
    "Pow": np.power,
    "Prod": reduction(np.prod),
    "Put": put,
    "Relu": lambda x: x * (x > 0),
    "Reshape": lambda x, shape: np.reshape(x, shape),
    "Scatter": scatter,
    "Sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "Sign": np.sign,
    "Sin": np.sin,
    "Softmax": softmax,
    "Sort": in_order,
    "Split": lambda x, sizes, dim: tuple(np.split(x, np.cumsum(sizes)[:-1], dim)),
    "Sqrt": np.sqrt,
    "Std": spread(np.std),
    "Stack": lambda *xs, dim: np.stack(xs, dim),
    "Sub": np.subtract,
    "Sum": reduction(np.sum),
    "SumTo": sum_to,
    "Tanh": np.tanh,
    "Unbind": lambda x, dim: tuple(np.moveaxis(x, dim, 0)),
    "Var": spread(np.var),
    "Where": np.where,
    **references_binary.REFERENCES,
    **references_reductions.REFERENCES,
    **references_decompositions.REFERENCES,
    **references_scattering.REFERENCES,
    **references_strided.REFERENCES,
    **references_unary.REFERENCES,
}

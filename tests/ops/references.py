"""What each op's forward must give, in plain NumPy and independent of our namespaces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


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


def sum_to(x: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    lead = x.ndim - len(shape)
    axes = tuple(range(lead)) + tuple(lead + i for i, n in enumerate(shape) if n == 1)
    return x.sum(axes).reshape(shape)


def extremum(name: str) -> Callable[..., Any]:
    def both(x: np.ndarray, dim: int, keepdim: bool) -> tuple[Any, Any]:
        values = getattr(np, name)(x, axis=dim, keepdims=keepdim)
        return values, getattr(np, "arg" + name)(x, axis=dim, keepdims=keepdim)

    return both


def reduction(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, dim, keepdim: function(x, axis=dim, keepdims=keepdim)


REFERENCES: dict[str, Callable[..., Any]] = {
    "Abs": np.abs,
    "Add": np.add,
    "AddAt": add_at,
    "Amax": reduction(np.max),
    "Amin": reduction(np.min),
    "ArgMax": reduction(np.argmax),
    "ArgMin": reduction(np.argmin),
    "Cast": lambda x, dtype: x.astype(dtype),
    "Clone": np.copy,
    "Conj": np.conj,
    "CrossEntropy": cross_entropy,
    "Div": np.divide,
    "Exp": np.exp,
    "Expand": lambda x, shape: np.broadcast_to(x, shape),
    "Gather": lambda x, index, dim: np.take_along_axis(
        x[tuple(slice(None) if d == dim else slice(n) for d, n in enumerate(index.shape))], index, dim
    ),
    "GetItem": lambda x, index: x[index],
    "Index": lambda x, *ix: x[ix],
    "Linear": linear,
    "Log": np.log,
    "LogSoftmax": lambda x, dim: np.log(softmax(x, dim)),
    "MatMul": np.matmul,
    "Max": extremum("max"),
    "Maximum": np.maximum,
    "Mean": reduction(np.mean),
    "Min": extremum("min"),
    "Minimum": np.minimum,
    "Mul": np.multiply,
    "Neg": np.negative,
    "Permute": lambda x, dims: np.transpose(x, dims),
    "Pow": np.power,
    "Put": put,
    "Relu": lambda x: x * (x > 0),
    "Reshape": lambda x, shape: np.reshape(x, shape),
    "Scatter": scatter,
    "Sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "Softmax": softmax,
    "Sqrt": np.sqrt,
    "Sub": np.subtract,
    "Sum": reduction(np.sum),
    "SumTo": sum_to,
    "Tanh": np.tanh,
    "Where": np.where,
}

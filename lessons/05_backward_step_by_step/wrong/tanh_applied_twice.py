"""Wrong on purpose. tanh of the output: `out` is taken for the input."""

import numpy as np


def unbroadcast(g, shape):
    added = g.ndim - len(shape)
    g = g.sum(axis=tuple(range(added)))
    repeated = tuple(axis for axis, size in enumerate(shape) if size == 1)
    return g.sum(axis=repeated, keepdims=True)


def mul_backward(g, x, y):
    return unbroadcast(g * y, x.shape), unbroadcast(g * x, y.shape)


def tanh_backward(g, out):
    return g * (1.0 - np.tanh(out) ** 2)


def matmul_backward(g, x, w):
    return g @ w.T, x.T @ g

"""Wrong on purpose. The shape is forced by taking the first numbers. Nothing is summed."""

import numpy as np


def unbroadcast(g, shape):
    return g.ravel()[: int(np.prod(shape))].reshape(shape)


def mul_backward(g, x, y):
    return unbroadcast(g * y, x.shape), unbroadcast(g * x, y.shape)


def tanh_backward(g, out):
    return g * (1.0 - out**2)


def matmul_backward(g, x, w):
    return g @ w.T, x.T @ g

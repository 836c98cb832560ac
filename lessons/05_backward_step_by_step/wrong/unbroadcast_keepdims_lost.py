"""Wrong on purpose. The sum is right, but the axis of length 1 is gone from the result."""


def unbroadcast(g, shape):
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    return g.sum(axis=tuple(axis for axis, size in enumerate(shape) if size == 1))


def mul_backward(g, x, y):
    return unbroadcast(g * y, x.shape), unbroadcast(g * x, y.shape)


def tanh_backward(g, out):
    return g * (1.0 - out**2)


def matmul_backward(g, x, w):
    return g @ w.T, x.T @ g

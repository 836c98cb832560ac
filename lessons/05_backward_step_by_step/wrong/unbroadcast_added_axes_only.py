"""Wrong on purpose. Only new axes in front are summed; axes of length 1 that were repeated are forgotten."""


def unbroadcast(g, shape):
    return g.sum(axis=tuple(range(g.ndim - len(shape))))


def mul_backward(g, x, y):
    return unbroadcast(g * y, x.shape), unbroadcast(g * x, y.shape)


def tanh_backward(g, out):
    return g * (1.0 - out**2)


def matmul_backward(g, x, w):
    return g @ w.T, x.T @ g

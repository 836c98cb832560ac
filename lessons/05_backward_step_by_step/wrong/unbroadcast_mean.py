"""Wrong on purpose. The copies are averaged, where they have to be added."""


def unbroadcast(g, shape):
    added = g.ndim - len(shape)
    g = g.mean(axis=tuple(range(added))) if added else g
    repeated = tuple(axis for axis, size in enumerate(shape) if size == 1)
    return g.mean(axis=repeated, keepdims=True) if repeated else g


def mul_backward(g, x, y):
    return unbroadcast(g * y, x.shape), unbroadcast(g * x, y.shape)


def tanh_backward(g, out):
    return g * (1.0 - out**2)


def matmul_backward(g, x, w):
    return g @ w.T, x.T @ g

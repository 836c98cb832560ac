"""Wrong on purpose. One stretched axis is summed, where there may be several."""


def unbroadcast(g, shape):
    if g.ndim > len(shape):
        return g.sum(axis=0)
    for axis, size in enumerate(shape):
        if size == 1:
            return g.sum(axis=axis, keepdims=True)
    return g


def mul_backward(g, x, y):
    return unbroadcast(g * y, x.shape), unbroadcast(g * x, y.shape)


def tanh_backward(g, out):
    return g * (1.0 - out**2)


def matmul_backward(g, x, w):
    return g @ w.T, x.T @ g

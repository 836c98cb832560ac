"""Wrong on purpose. The stretched axes are not summed: the gradient keeps the shape of the output."""


def unbroadcast(g, shape):
    return g


def mul_backward(g, x, y):
    return unbroadcast(g * y, x.shape), unbroadcast(g * x, y.shape)


def tanh_backward(g, out):
    return g * (1.0 - out**2)


def matmul_backward(g, x, w):
    return g @ w.T, x.T @ g

# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#       format_version: '1.3'
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Exercise 5. Three backward rules
#
# You write what a node does when it is visited: the **vector-Jacobian product**. In comes `g`, the gradient that
# arrived, with the shape of the node's output. Out goes one gradient for each input, **with the shape of that input**.
#
# Everything here is a NumPy array. There are ten points, and the public tests give six of them. The other tests are
# hidden: they use other shapes and larger arrays, and ask nothing new.
#
# Check your work as often as you like, in this folder: `tensorplay check`.

# %%
import numpy as np

# %% [markdown]
# ## a. Undo the stretching (3 points)
#
# When shapes differ, NumPy stretches: an axis of length 1 is repeated, and missing axes are added *in front*. A number
# that was used several times must receive the sum of what its copies receive.


# %%
def unbroadcast(g: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Sum `g` over the axes along which an array of this `shape` was stretched.

    `g` has the stretched shape, the result has `shape`.

    The row [[10, 20, 30]] of shape (1, 3) met an array of shape (2, 3), so it was used for two rows:

    >>> unbroadcast(np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), (1, 3))
    array([[5., 7., 9.]])

    As a vector of shape (3,) it also got a new axis in front, which has to go again:

    >>> unbroadcast(np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), (3,))
    array([5., 7., 9.])
    """
    ### BEGIN HINT 1
    # There are two kinds of stretched axes. Which of them exist in `shape`, which do not?
    ### END HINT 1
    ### BEGIN HINT 2
    # First sum the axes that were added in front: there are g.ndim - len(shape) of them.
    # Then sum each axis that has length 1 in `shape`, and keep it: g.sum(axis=..., keepdims=True).
    ### END HINT 2
    ### BEGIN SOLUTION
    added = g.ndim - len(shape)
    g = g.sum(axis=tuple(range(added)))
    repeated = tuple(axis for axis, size in enumerate(shape) if size == 1)
    return g.sum(axis=repeated, keepdims=True)
    ### END SOLUTION


# %% [markdown]
# ## b. The product (3 points)
#
# Forward: `z = x * y`, where one of the two may have been stretched.


# %%
def mul_backward(g: np.ndarray, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Backward of `z = x * y`: the gradients of `x` and of `y`.

    `g` has the shape of `z`, the results have the shapes of `x` and `y`.

    In the lesson a 1 arrived at b * x, with b = 6 and x = 2. It sent 2 to b and 6 to x:

    >>> mul_backward(np.array([1.0]), np.array([6.0]), np.array([2.0]))
    (array([2.]), array([6.]))
    """
    ### BEGIN HINT 1
    # Turn x up by 1: by how much does x * y grow? That slope, times g, goes to x.
    ### END HINT 1
    ### BEGIN HINT 2
    # Let part a bring each result to the shape of its input.
    ### END HINT 2
    ### BEGIN SOLUTION
    return unbroadcast(g * y, x.shape), unbroadcast(g * x, y.shape)
    ### END SOLUTION


# %% [markdown]
# ## c. tanh (1 point)
#
# Forward: `out = tanh(x)`. The slope of tanh is 1 - tanh², so it can be had from the output alone. That is why a tanh
# node saves its output and lets its input go.


# %%
def tanh_backward(g: np.ndarray, out: np.ndarray) -> np.ndarray:
    """Backward of `out = tanh(x)`: the gradient of `x`, from the output that was saved.

    `g`, `out` and the result have the same shape.

    At x = 0 the output is 0 and the curve is steepest, with slope 1. Further out it is flatter:

    >>> tanh_backward(np.array([10.0, 10.0]), np.array([0.0, 0.5]))
    array([10. ,  7.5])
    """
    ### BEGIN HINT 1
    # `out` is already tanh(x). What is the slope, written with `out`? And what has to be multiplied by it?
    ### END HINT 1
    ### BEGIN SOLUTION
    return g * (1.0 - out**2)
    ### END SOLUTION


# %% [markdown]
# ## d. The matrix product (2 points)
#
# Forward: `z = x @ w`, a batch of rows times a table of weights.


# %%
def matmul_backward(g: np.ndarray, x: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Backward of `z = x @ w`: the gradients of `x` and of `w`.

    `x` is (n, k), `w` is (k, m), `g` is (n, m). The results are (n, k) and (k, m).

    >>> x, w = np.array([[1.0, 2.0]]), np.array([[3.0], [4.0]])
    >>> matmul_backward(np.array([[10.0]]), x, w)
    (array([[30., 40.]]), array([[10.],
           [20.]]))
    """
    ### BEGIN HINT 1
    # Write down the three shapes. Which product of g with x or w, perhaps transposed, has the shape you need?
    ### END HINT 1
    ### BEGIN HINT 2
    # (n, m) @ (m, k) is (n, k). Who is (m, k)?
    ### END HINT 2
    ### BEGIN SOLUTION
    return g @ w.T, x.T @ g
    ### END SOLUTION


# %% [markdown]
# That is all a network needs. One layer is `tanh(x @ w + b)`: its backward is your `tanh_backward`, then `unbroadcast`
# for `b`, then your `matmul_backward`. A hidden test puts them together in this way (1 point).

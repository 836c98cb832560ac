"""Tests of exercise 5: the student's rules against the engine's own backward.

The student's code runs elsewhere. Inputs are drawn here, and the answers are worked out here.
"""

from __future__ import annotations

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.testing import assert_close


def engine_gradients(function, arrays, g):
    """The gradients of `function` at `arrays`, found by the engine, when `g` arrives at its result."""
    tensors = [tp.tensor(array, requires_grad=True) for array in arrays]
    function(*tensors).backward(tp.tensor(g))
    return tuple(tensor.grad.numpy() for tensor in tensors)


def check_unbroadcast(student, g, shape):
    """Stretching is linear: its gradient does not depend on the values, so zeros will do."""
    (answer,) = engine_gradients(lambda x: x.expand(g.shape), [np.zeros(shape)], g)
    assert_close(student.unbroadcast(g, shape), answer, name=f"unbroadcast(g, {shape})")


def check_mul(student, rng, x_shape, y_shape):
    """Two random arrays of these shapes, and a random gradient of the shape of their product."""
    x, y = rng.normal(size=x_shape), rng.normal(size=y_shape)
    g = rng.normal(size=(x * y).shape)
    answer = engine_gradients(lambda x, y: x * y, [x, y], g)
    assert_close(student.mul_backward(g, x, y), answer, name="mul_backward(g, x, y)")


def check_matmul(student, rng, n, k, m):
    """n rows of k numbers, through a table of k by m."""
    x, w, g = rng.normal(size=(n, k)), rng.normal(size=(k, m)), rng.normal(size=(n, m))
    answer = engine_gradients(lambda x, w: x @ w, [x, w], g)
    assert_close(student.matmul_backward(g, x, w), answer, name="matmul_backward(g, x, w)")


# ---------------------------------------------------------------------------------- a. unbroadcast


@pytest.mark.points(1)
@pytest.mark.task("unbroadcast")
@pytest.mark.hint("The axis of length 1 was repeated. Sum over it, and keep it: keepdims=True.")
def test_unbroadcast_repeated_axis(student, rng):
    """unbroadcast: an axis of length 1 was repeated."""
    g = rng.normal(size=(4, 3))
    check_unbroadcast(student, g, (1, 3))
    check_unbroadcast(student, g, (4, 1))


@pytest.mark.points(1)
@pytest.mark.task("unbroadcast")
@pytest.mark.hint("Axes that were added in front do not exist in the input, so they must be gone from the result.")
def test_unbroadcast_added_axis(student, rng):
    """unbroadcast: an axis was added in front, or nothing happened at all."""
    g = rng.normal(size=(4, 3))
    check_unbroadcast(student, g, (3,))
    check_unbroadcast(student, g, (4, 3))


@pytest.mark.points(1)
@pytest.mark.hidden
@pytest.mark.task("unbroadcast")
@pytest.mark.hint("Several axes may be stretched at once: some repeated, others added in front.")
def test_unbroadcast_several_axes(student, rng):
    """unbroadcast: several axes at once."""
    g = rng.normal(size=(2, 3, 4))
    for shape in [(3, 1), (1, 3, 4), (2, 1, 1), (1, 1), (1,)]:
        check_unbroadcast(student, g, shape)


# ------------------------------------------------------------------------------------------ b. mul


@pytest.mark.points(1)
@pytest.mark.task("mul_backward")
@pytest.mark.hint("Each input is multiplied by the other one, and by g.")
def test_mul_same_shapes(student, rng):
    """mul_backward: two arrays of one shape."""
    check_mul(student, rng, (2, 3), (2, 3))


@pytest.mark.points(1)
@pytest.mark.task("mul_backward")
@pytest.mark.hint("A stretched input receives the sum over its copies: use unbroadcast on both results.")
def test_mul_with_a_row(student, rng):
    """mul_backward: an array times a row."""
    check_mul(student, rng, (2, 3), (3,))


@pytest.mark.points(1)
@pytest.mark.hidden
@pytest.mark.task("mul_backward")
@pytest.mark.hint("Either input may be the stretched one, and both may be.")
def test_mul_stretched(student, rng):
    """mul_backward: either input is stretched, or both are."""
    for x_shape, y_shape in [((3,), (2, 3)), ((2, 1), (1, 3)), ((2, 3), (1, 1))]:
        check_mul(student, rng, x_shape, y_shape)


# ----------------------------------------------------------------------------------------- c. tanh


@pytest.mark.points(1)
@pytest.mark.task("tanh_backward")
@pytest.mark.hint("The slope is 1 - out², where `out` is tanh(x) already. By the chain rule it is multiplied by g.")
def test_tanh(student, rng):
    """tanh_backward: any gradient arrives."""
    x, g = rng.normal(size=(2, 3, 4))
    (answer,) = engine_gradients(lambda x: x.tanh(), [x], g)
    assert_close(student.tanh_backward(g, np.tanh(x)), answer, name="tanh_backward(g, out)")


# --------------------------------------------------------------------------------------- d. matmul


@pytest.mark.points(1)
@pytest.mark.task("matmul_backward")
@pytest.mark.hint("With three different sizes n, k, m only one product has the right shape for each result.")
def test_matmul_rectangular(student, rng):
    """matmul_backward: three different sizes."""
    check_matmul(student, rng, 4, 2, 3)


@pytest.mark.points(1)
@pytest.mark.hidden
@pytest.mark.task("matmul_backward")
@pytest.mark.hint("With square arrays every order and every transpose fits, and only one is right. See part d.")
def test_matmul_square(student, rng):
    """matmul_backward: square arrays, and a single row."""
    check_matmul(student, rng, 3, 3, 3)
    check_matmul(student, rng, 1, 3, 2)


# ------------------------------------------------------------------------------------- all together
@pytest.mark.points(1)
@pytest.mark.hidden
@pytest.mark.task("together")
@pytest.mark.hint("Each part may pass alone, but here the result of one is what arrives at the next.")
def test_whole_layer(student, rng):
    """All together: one layer, tanh(x @ w + b), on sixteen images."""
    images = rng.integers(0, 17, size=(16, 64)) / 16.0
    w, b = 0.3 * rng.normal(size=(64, 8)), rng.normal(size=8)
    g = rng.normal(size=(16, 8)) / 16.0

    before_tanh = student.tanh_backward(g, np.tanh(images @ w + b))
    _, for_w = student.matmul_backward(before_tanh, images, w)
    for_b = student.unbroadcast(before_tanh, (8,))
    answer = engine_gradients(lambda w, b: (tp.tensor(images) @ w + b).tanh(), [w, b], g)
    assert_close((for_w, for_b), answer, name="the gradients of w and b")

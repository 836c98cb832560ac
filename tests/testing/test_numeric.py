"""Central differences against derivatives known by hand."""

from __future__ import annotations

import numpy as np

from tensorplay.testing import assert_close, numeric

X = np.array([[0.3, -1.2], [2.0, 0.7]])


def test_jacobian_of_several_outputs():
    expected = np.zeros((2, 2, 2))
    for row in range(2):
        expected[row, row] = 2 * X[row]
    assert_close(numeric.jacobian(lambda x: (x * x).sum(1), [X]), expected, rtol=1e-8, atol=1e-8)


def test_gradient_is_the_vector_times_the_jacobian():
    g = np.array([[1.0, 2.0], [3.0, 4.0]])
    y = np.array([5.0, 6.0])
    assert_close(numeric.gradient(lambda x, y: x * y, [X, y], g, which=1), (g * X).sum(0), rtol=1e-8)


def test_a_direction_is_a_combination_of_the_gradient():
    v = np.array([[1.0, -1.0], [0.5, 2.0]])
    slope = numeric.directional(lambda x: np.sin(x).sum(), [X], [v])
    assert_close(slope, np.asarray((np.cos(X) * v).sum()), rtol=1e-8)


def test_none_holds_an_input_still():
    assert numeric.directional(lambda x, i: x[i].sum(), [X, np.array([0, 1])], [np.ones_like(X), None]).round(6) == 4.0


def test_second_order_in_full_and_along_directions():
    x = X.reshape(-1)

    def f(x: np.ndarray) -> np.ndarray:
        return (x[:-1] * x[1:] ** 2).sum()

    expected = np.zeros((4, 4))
    for i in range(3):
        expected[i + 1, i + 1] += 2 * x[i]
        expected[i, i + 1] += 2 * x[i + 1]
        expected[i + 1, i] += 2 * x[i + 1]
    assert_close(numeric.hessian(f, [x]), expected, rtol=1e-5, atol=1e-5)
    u, v = np.array([1.0, 2.0, -1.0, 0.5]), np.array([0.0, 1.0, 1.0, -2.0])
    assert_close(numeric.second_directional(f, [x], [u], [v]), np.asarray(u @ expected @ v), rtol=1e-5)


def test_float32_inputs_are_moved_in_float64():
    x = np.array([1.0], np.float32)
    assert_close(numeric.jacobian(np.exp, [x])[0, 0], np.float64(np.e), rtol=1e-8)
    assert x.tolist() == [1.0]

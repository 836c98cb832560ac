"""Tests of the example exercise. They use NumPy only, so that they run with or without the engine."""

import numpy as np
import pytest

TOLERANCE = 1e-6
SECRET_SHAPE = (2, 3)


def close(actual, expected, tolerance=TOLERANCE):
    assert type(actual) is np.ndarray, f"an array is expected, not a {type(actual).__name__}"
    assert actual.shape == expected.shape, f"shape {actual.shape} where {expected.shape} is expected"
    assert np.allclose(actual, expected, rtol=tolerance, equal_nan=True), f"{actual} where {expected} is expected"


def secret(rng):
    return rng.standard_normal(SECRET_SHAPE)


@pytest.mark.points(2)
@pytest.mark.task("d_mul")
@pytest.mark.hint("The factor that stays is the other input.")
def test_mul(student):
    """d_mul: the gradient of each factor"""
    gx, gy = student.d_mul(np.array([1.0, 1.0]), np.array([2.0, 3.0]), np.array([4.0, 5.0]))
    close(gx, np.array([4.0, 5.0]))
    close(gy, np.array([2.0, 3.0]))


# Only the teacher sees this one.
@pytest.mark.points(2)
@pytest.mark.task("d_mul")
@pytest.mark.hidden
@pytest.mark.hint("Try a gradient that is not 1.")
def test_mul_secret(student, rng):
    """d_mul: any numbers"""
    g, x, y = secret(rng), secret(rng), secret(rng)
    gx, gy = student.d_mul(g, x, y)
    close(gx, g * y)
    close(gy, g * x)


@pytest.mark.points(2)
@pytest.mark.task("d_mean")
@pytest.mark.hint("Every element has the same share of the mean.")
def test_mean(student):
    """d_mean: each element gets its share"""
    close(student.d_mean(1.0, np.zeros(4)), np.full(4, 0.25))


@pytest.mark.points(1)
@pytest.mark.task("d_mean")
@pytest.mark.hidden
def test_mean_secret(student, rng):
    """d_mean: two dimensions"""
    x = secret(rng)
    close(student.d_mean(3.0, x), np.full(SECRET_SHAPE, 0.5))


@pytest.mark.points(1)
@pytest.mark.task("d_relu")
@pytest.mark.parametrize("x", [-1.5, 0.0, 2.0])
def test_relu(student, x):
    """d_relu: off, at the kink, on"""
    close(student.d_relu(np.array([3.0]), np.array([x])), np.array([3.0 if x > 0 else 0.0]))

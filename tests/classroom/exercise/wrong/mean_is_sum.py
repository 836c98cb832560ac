"""Forgets to divide by the number of elements."""

import numpy as np


def d_mul(g, x, y):
    return g * y, g * x


def d_mean(g, x):
    return g * np.ones_like(x)


def d_relu(g, x):
    return np.where(x > 0, g, 0.0)

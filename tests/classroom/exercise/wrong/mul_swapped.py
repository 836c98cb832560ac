"""Gives each factor its own value back."""

import numpy as np


def d_mul(g, x, y):
    return g * x, g * y


def d_mean(g, x):
    return g * np.ones_like(x) / x.size


def d_relu(g, x):
    return np.where(x > 0, g, 0.0)

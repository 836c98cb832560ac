"""What the ops of angles, special functions, rounding and activation must give, in plain NumPy and SciPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

REFERENCES: dict[str, Callable[..., Any]] = {
    "Acos": lambda x: np.pi / 2 - np.arcsin(x),
    "Acosh": lambda x: np.log(x + np.sqrt(x * x - 1)),
    "Asin": lambda x: np.arctan2(x, np.sqrt(1 - x * x)),
    "Asinh": lambda x: np.log(x + np.sqrt(x * x + 1)),
    "Atan": lambda x: np.arctan2(x, np.ones_like(x)),
    "Atanh": lambda x: np.log((1 + x) / (1 - x)) / 2,
    "Ceil": lambda x: -np.floor(-x),
    "Cosh": lambda x: (np.exp(x) + np.exp(-x)) / 2,
    "Digamma": lambda x: special.polygamma(0, x).astype(x.dtype),
    "Erf": lambda x: 1 - special.erfc(x),
    "Erfc": lambda x: 1 - special.erf(x),
    "Erfinv": lambda x: special.ndtri((x + 1) / 2) / np.sqrt(2).astype(x.dtype),
    "Exp2": lambda x: np.exp(x * np.log(2).astype(x.dtype)),
    "Expm1": lambda x: np.exp(x) - 1,
    "Floor": lambda x: x - np.mod(x, 1),
    "Lgamma": lambda x: np.log(np.abs(special.gamma(x))),
    "Log10": lambda x: np.log(x) / np.log(10).astype(x.dtype),
    "Log1p": lambda x: np.log(1 + x),
    "Reciprocal": lambda x: x**-1.0,
    "Round": np.round,
    "Rsqrt": lambda x: x**-0.5,
    "Sinh": lambda x: (np.exp(x) - np.exp(-x)) / 2,
    "Tan": lambda x: np.sin(x) / np.cos(x),
    "Trunc": lambda x: np.sign(x) * np.floor(np.abs(x)),
    "Zeta": lambda s, x: (special.polygamma(int(s) - 1, x) * (-1) ** s / special.gamma(s)).astype(x.dtype),
    "Threshold": lambda x, threshold, value: np.where(x > threshold, x, x.dtype.type(value)),
    "HardTanh": lambda x, low, high: np.clip(x, low, high),
    "Elu": lambda x, alpha, scale, speed: scale * np.where(x > 0, x, alpha * (np.exp(speed * x) - 1)).astype(x.dtype),
    "LeakyRelu": lambda x, slope: np.maximum(x, x * slope),
    "Gelu": lambda x: (x * special.ndtr(x)).astype(x.dtype),
    "LogSigmoid": lambda x: -np.log(1 + np.exp(-x)),
    "HardShrink": lambda x, lambd: x * (np.abs(x) > lambd),
    "SoftShrink": lambda x, lambd: np.sign(x) * np.maximum(np.abs(x) - lambd, 0),
    "SoftSign": lambda x: x / (1 + np.abs(x)),
    "SoftPlus": lambda x, beta, threshold: np.where(beta * x > threshold, x, np.log(1 + np.exp(beta * x)) / beta),
    "HardSigmoid": lambda x: np.clip(x / 6 + 0.5, 0, 1),
    "HardSwish": lambda x: x * np.clip(x / 6 + 0.5, 0, 1),
    "Silu": lambda x: x / (1 + np.exp(-x)),
}

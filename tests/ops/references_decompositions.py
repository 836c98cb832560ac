"""What the ops of `ops/decompositions.py` must give, in plain NumPy and SciPy."""

from __future__ import annotations

from typing import Any

import numpy as np


def each(function: Any, x: np.ndarray, *others: np.ndarray) -> np.ndarray:
    """A function of one matrix on every matrix of a batch."""
    lead = np.broadcast_shapes(x.shape[:-2], *(y.shape[:-2] for y in others))
    wide = [np.broadcast_to(y, (*lead, *y.shape[-2:])) for y in (x, *others)]
    found = {at: np.asarray(function(*(y[at] for y in wide))) for at in np.ndindex(*lead)}
    return np.stack(list(found.values())).reshape(*lead, *next(iter(found.values())).shape).astype(x.dtype)


def minors(x: np.ndarray) -> np.ndarray:
    out = np.empty_like(x)
    for i, j in np.ndindex(x.shape):
        out[i, j] = (-1) ** (i + j) * np.linalg.det(np.delete(np.delete(x, i, 0), j, 1))
    return out


def triangular(a: np.ndarray, b: np.ndarray, upper: bool, unitriangular: bool) -> np.ndarray:
    part = np.triu(a) if upper else np.tril(a)
    if unitriangular:
        np.fill_diagonal(part, 1)
    return np.linalg.inv(part) @ b


def symmetric(x: np.ndarray) -> np.ndarray:
    return (x + np.swapaxes(x, -1, -2)) / 2


REFERENCES: dict[str, Any] = {
    "Cholesky": lambda x: np.linalg.cholesky(symmetric(x)),
    "Cofactor": lambda x: each(minors, x),
    "Det": lambda x: np.asarray(np.linalg.det(x)),
    "Eigh": lambda x: tuple(np.linalg.eigh(symmetric(x))),
    "Inverse": lambda x: each(np.linalg.inv, x),
    "Pinv": lambda x, atol, rtol: each(lambda y: np.linalg.pinv(y, rcond=1e-9), x),
    "Qr": lambda x, mode: tuple(np.linalg.qr(x, mode)),
    "Slogdet": lambda x: tuple(np.linalg.slogdet(x)),
    "Solve": lambda a, b: each(lambda y, c: np.linalg.inv(y) @ c, a, b),
    "SolveTriangular": lambda a, b, **how: each(lambda y, c: triangular(y, c, **how), a, b),
    "Svd": lambda x, full_matrices: tuple(np.linalg.svd(x, full_matrices)),
}

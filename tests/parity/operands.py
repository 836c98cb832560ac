"""What the expressions are made of: the same numbers in both libraries, in every dtype, the same in every run.

Those of the dtype under test:

| name | shape | numbers |
|---|---|---|
| `a`, `b`, `c` | (2, 3) | of both signs, all different, none zero |
| `p` | (2, 3) | positive, between 0 and 4 |
| `u` | (2, 3) | between -1 and 1 |
| `k` | (2, 3) | with ties and zeros |
| `n` | (2, 3) | with NaN and infinities (ordinary numbers where the dtype has none) |
| `row`, `col` | (3,), (2, 1) | of both signs |
| `v`, `o` | (3,) | of both signs |
| `s` | () | 1.25 |
| `e` | (0, 3) | none |
| `x` | (2, 2, 3) | of both signs |
| `q`, `h` | (3, 3) | any; symmetric (Hermitian) positive definite |
| `qs`, `hs` | (2, 3, 3) | batches of these |

Those of a dtype of their own: `i`, `j` int64 (2, 3) with numbers 0, 1 (`j` too: legal indices of every dimension),
`m` bool (2, 3), `f` float (2, 3) of the default dtype, `z`, `w` complex (2, 3), `t` uint8 (2, 3).
Beside them: `lib` the library, `dt` the dtype under test, `np`, `inf`, `nan`, `pi`, and `kind(tensor)`: its shape and
dtype, for results that are random or not set.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

DTYPES = ("float32", "float64", "float16", "bfloat16", "int64", "int32", "uint8", "bool", "complex64", "complex128")
SHAPES = {"a": (2, 3), "b": (2, 3), "c": (2, 3), "p": (2, 3), "u": (2, 3), "k": (2, 3), "n": (2, 3), "row": (3,)}
SHAPES |= {"col": (2, 1), "v": (3,), "o": (3,), "s": (), "e": (0, 3), "x": (2, 2, 3), "q": (3, 3), "h": (3, 3)}
SHAPES |= {"qs": (2, 3, 3), "hs": (2, 3, 3)}
OWN = {"i": "int64", "j": "int64", "m": "bool", "f": "float32", "z": "complex64", "w": "complex64", "t": "uint8"}
TIES = np.array([[1.0, 0.0, 1.0], [2.0, 2.0, -1.0]])
STRANGE = np.array([[math.nan, 1.0, math.inf], [-math.inf, -2.0, math.nan]])
FIXED = {"i": np.array([[0, 1, 1], [1, 0, 1]]), "j": np.array([[1, 0, 0], [0, 1, 0]])}
FIXED |= {"m": np.array([[True, False, True], [False, False, True]]), "t": np.array([[0, 7, 255], [3, 128, 1]])}


def _generator(name: str) -> np.random.Generator:
    return np.random.default_rng([ord(letter) for letter in name])


def _distinct(name: str) -> np.ndarray:
    """Different numbers in ±(1/32 … 127/32), which every floating dtype holds exactly."""
    rng, size = _generator(name), math.prod(SHAPES.get(name, (2, 3)))
    return rng.choice(np.arange(1, 128), size, replace=False) / 32 * rng.choice((-1, 1), size)


def _real(name: str) -> np.ndarray:
    if name in ("k", "n"):
        return TIES if name == "k" else STRANGE
    if name == "s":
        return np.array(1.25)
    values = _distinct(name).reshape(SHAPES.get(name, (2, 3)))
    if name == "p":
        return np.abs(values)
    if name == "u":
        return values / 4
    return values


def _definite(name: str, values: np.ndarray) -> np.ndarray:
    if name not in ("h", "hs"):
        return values
    product = np.round(values @ np.conj(np.swapaxes(values, -1, -2)) / 4) / 2
    return product + 2 * np.eye(3)


@cache
def values(name: str, dtype: str) -> np.ndarray:
    """The numbers of an operand; bfloat16 ones come as float32, which both libraries convert exactly."""
    if name in FIXED:
        return FIXED[name].astype(dtype)
    real = _real(name)
    if dtype.startswith("complex"):
        imaginary = 0.75 if name == "s" else _distinct(f"{name}i").reshape(-1)[: max(real.size, 0)]
        other = np.resize(imaginary, real.shape) if real.size else np.zeros(real.shape)
        turned = real + 1j * np.where(np.isfinite(real), other / (4 if name == "u" else 1), 0)
        return np.asarray(_definite(name, turned)).astype(dtype)
    if dtype in ("bfloat16", "float16", "float32", "float64"):
        return np.asarray(_definite(name, real)).astype("float32" if dtype == "bfloat16" else dtype)
    whole = np.nan_to_num(real, nan=3, posinf=5, neginf=-4)
    whole = np.sign(whole) * np.ceil(np.abs(whole) * (1 if name != "u" else 0.999))
    return (np.abs(whole) if dtype == "uint8" else whole > 0 if dtype == "bool" else whole).astype(dtype)


def dtype_of(name: str, dtype: str) -> str:
    """The dtype an operand has while `dtype` is under test."""
    own = OWN.get(name, dtype)
    return own if name not in ("z", "w") or dtype not in ("float64", "complex128") else "complex128"


def operand(lib: Any, name: str, dtype: str) -> Any:
    kind = dtype_of(name, dtype)
    made = lib.tensor(values(name, kind))
    return made.to(lib.bfloat16) if kind == "bfloat16" else made


NAMES = frozenset({*SHAPES, *OWN})
FLOATING = ("float16", "bfloat16", "float32", "float64", "complex64", "complex128")

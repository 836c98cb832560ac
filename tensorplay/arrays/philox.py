"""Random numbers by counting: Philox4x32-10, vectorised.

The generator has no hidden state that must be walked through. Block number `counter` of the stream
`key` is four 32-bit words, computed from these two numbers alone by ten rounds of multiplying and
mixing. So any part of a stream can be made on its own, in any order, on any device, and it is always
the same. A state is just (key, counter).

Algorithm and constants: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3" (2011).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

__all__ = ["bits", "blocks_of", "digits", "integers", "normal", "permutation", "uniform", "words_for"]

_ROUNDS = 10
_MULTIPLIERS = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_KEY_STEPS = 0x9E3779B9, 0xBB67AE85
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_MASK64 = (1 << 64) - 1

# How many of a word's bits a floating dtype can hold exactly, and how many words that takes.
_MANTISSA = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}


def blocks_of(words: int) -> int:
    """How many blocks of four words it takes to hold `words` of them."""
    return -(-words // 4)


def bits(key: int, counter: int, n: int) -> np.ndarray:
    """The first `n` 32-bit words of stream `key`, from block `counter` on, as a uint32 array.

    `key` has 64 bits and `counter` 128; larger ones wrap around.

    >>> [hex(word) for word in bits(0, 0, 4)]
    ['0x6627e8d5', '0xe169c58d', '0xbc57ac4c', '0x9b00dbd8']
    """
    blocks = _rounds(_counters(counter, blocks_of(n)), key & 0xFFFFFFFF, (key >> 32) & 0xFFFFFFFF)
    return np.stack(blocks, axis=1).astype(np.uint32).reshape(-1)[:n]


def _counters(counter: int, n: int) -> tuple[np.ndarray, ...]:
    """The numbers counter, counter + 1, … as four arrays of 32-bit words, kept in 64 bits for the products."""
    low = np.uint64(counter & _MASK64) + np.arange(n, dtype=np.uint64)
    carry = low < np.uint64(counter & _MASK64)
    high = np.full(n, (counter >> 64) & _MASK64, np.uint64) + carry
    return low & _LOW, low >> _HALF, high & _LOW, high >> _HALF


def _rounds(words: tuple[np.ndarray, ...], key0: int, key1: int) -> tuple[np.ndarray, ...]:
    a, b, c, d = words
    for _ in range(_ROUNDS):
        left, right = a * _MULTIPLIERS[0], c * _MULTIPLIERS[1]
        a, b, c, d = (
            (right >> _HALF) ^ b ^ np.uint64(key0),
            right & _LOW,
            (left >> _HALF) ^ d ^ np.uint64(key1),
            left & _LOW,
        )
        key0, key1 = (key0 + _KEY_STEPS[0]) & 0xFFFFFFFF, (key1 + _KEY_STEPS[1]) & 0xFFFFFFFF
    return a, b, c, d


def words_for(dtype: np.dtype[Any], n: int) -> int:
    """How many words `uniform` and `normal` use for `n` numbers of this floating dtype."""
    return n * (2 if dtype.itemsize == 8 else 1)


def digits(dtype: np.dtype[Any]) -> int:
    """How many binary digits a floating dtype has, so up to 2 to that power it holds every whole number."""
    return _MANTISSA[dtype.name]


def uniform(key: int, counter: int, shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray:
    """Numbers spread evenly over [0, 1), each a multiple of 2⁻¹¹, 2⁻²⁴ or 2⁻⁵³ (float16, 32, 64; 2⁻⁸: bfloat16).

    Every such multiple is exact in its dtype, so nothing is ever rounded up to 1.
    """
    n, known = math.prod(shape), digits(dtype)
    words = bits(key, counter, words_for(dtype, n))
    if dtype.itemsize == 8:
        return ((_pairs(words) >> np.uint64(64 - known)) * 2.0**-known).reshape(shape)
    return ((words >> np.uint32(32 - known)).astype(dtype) * dtype.type(2.0**-known)).reshape(shape)


def normal(key: int, counter: int, shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray:
    """Numbers from the standard normal distribution, by the Box-Muller transform.

    Two uniform numbers u, v give two normal ones: √(-2 ln u) · cos 2πv and √(-2 ln u) · sin 2πv.
    Computed in float64 whatever the dtype, so that another machine's cos cannot change a float32.
    """
    n = math.prod(shape)
    even = n + n % 2
    words = bits(key, counter, words_for(dtype, even))
    whole = _pairs(words) >> np.uint64(11) if dtype.itemsize == 8 else words
    scale = 2.0**-53 if dtype.itemsize == 8 else 2.0**-32
    u, v = (whole[0::2] + 1.0) * scale, whole[1::2] * scale  # u is never 0: its logarithm is taken
    radius, angle = np.sqrt(-2.0 * np.log(u)), 2.0 * np.pi * v
    both = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    return both.reshape(-1)[:n].astype(dtype).reshape(shape)


def integers(key: int, counter: int, low: int, high: int, shape: tuple[int, ...]) -> np.ndarray:
    """Whole numbers from [low, high), as int64. The bias is below (high - low) / 2⁶⁴."""
    wide = _pairs(bits(key, counter, 2 * math.prod(shape)))
    # uint64 arithmetic wraps around, which is what adding a negative `low` needs.
    return (wide % np.uint64(high - low) + np.uint64(low & _MASK64)).astype(np.int64).reshape(shape)


def permutation(key: int, counter: int, n: int) -> np.ndarray:
    """The numbers 0 … n-1 in random order: they are sorted by 64 random bits each."""
    return np.argsort(_pairs(bits(key, counter, 2 * n)), kind="stable").astype(np.int64)


def _pairs(words: np.ndarray) -> np.ndarray:
    """Neighbouring 32-bit words joined to 64-bit ones."""
    wide = words.astype(np.uint64)
    return (wide[0::2] << _HALF) | wide[1::2]

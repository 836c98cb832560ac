"""Random tensors. The same seed and the same calls give the same numbers on every machine and device.

The numbers come from a counter (see `tensorplay.arrays.philox`), so the whole state of a generator
is two integers: the seed, and how many blocks of the stream are used up. It is not PyTorch's stream.
"""

from __future__ import annotations

import math
import operator
import secrets
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from .arrays import dtypes, philox
from .arrays.device import CPU, Device
from .creation import DTypeLike, check_device, named_size, size_of
from .errors import RandomDTypeError, RangeError
from .leaves import flag
from .lifting import batched, random_frames, readable
from .tensor import Tensor, rank, wrap

__all__ = [
    "Generator",
    "default_generator",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "rand",
    "rand_like",
    "randint",
    "randn",
    "randn_like",
    "randperm",
    "seed",
    "set_rng_state",
]

Filler = Callable[[int, int, tuple[int, ...], np.dtype[Any]], np.ndarray]


class Generator:
    """A source of random numbers of its own, independent of the default one.

    >>> import tensorplay as tp
    >>> g = tp.Generator().manual_seed(0)
    >>> state = g.get_state()
    >>> first = tp.rand(2, generator=g)
    >>> g.set_state(state)
    >>> (tp.rand(2, generator=g) == first).numpy()
    array([ True,  True])
    """

    __slots__ = ("_lock", "_offset", "_seed")

    def __init__(self, device: object = "cpu") -> None:
        check_device(device)
        self._lock = threading.Lock()
        self.seed()

    def manual_seed(self, seed: int) -> Generator:
        """Start the stream of this seed (an int of up to 64 bits) at its beginning; returns the generator."""
        number = int(seed) if isinstance(seed, str) else operator.index(seed)
        if not -(1 << 63) <= number < 1 << 64:
            raise ValueError(f"Overflow: a seed has 64 bits, from -2**63 to 2**64 - 1, got {seed}")
        with self._lock:
            self._seed, self._offset = number % (1 << 64), 0
        return self

    def seed(self) -> int:
        """Start a stream that nobody can foresee, and return its seed so that it can be repeated."""
        return self.manual_seed(secrets.randbits(63)).initial_seed()

    def initial_seed(self) -> int:
        """The seed this stream started from."""
        return self._seed

    @property
    def device(self) -> Device:
        """Where its numbers are made: "cpu" is the only device so far."""
        return CPU

    def get_state(self) -> Tensor:
        """Where the stream stands, as bytes: 8 of the seed, 16 of the number of blocks used."""
        seed, offset = self.position()
        data = seed.to_bytes(8, "little") + offset.to_bytes(16, "little")
        return wrap(np.frombuffer(data, np.uint8).copy())

    def set_state(self, new_state: Tensor) -> None:
        """Go back (or forward) to a state that `get_state` returned. Raises TypeError or RangeError for another."""
        if not isinstance(new_state, Tensor) or new_state._array.dtype != np.uint8:
            kind = new_state.dtype if isinstance(new_state, Tensor) else type(new_state).__name__
            raise TypeError(f"RNG state must be a ByteTensor, as get_state() returns it, but got {kind}")
        data = readable(new_state).tobytes()
        if len(data) != 24:
            raise RangeError(f"expected a state of size 24 but found the input RNG state size to be {len(data)}")
        self.go_to((int.from_bytes(data[:8], "little"), int.from_bytes(data[8:], "little")))

    def position(self) -> tuple[int, int]:
        """What `get_state` says, as numbers: the seed, and how many blocks are used."""
        with self._lock:
            return self._seed, self._offset

    def go_to(self, position: tuple[int, int]) -> None:
        """Go back (or forward) to what `position` returned."""
        with self._lock:
            self._seed, self._offset = position

    def take(self, words: int) -> tuple[int, int]:
        """Reserve `words` 32-bit words: (key, counter) of the first. Two threads never get the same ones."""
        with self._lock:
            start = self._offset
            self._offset += philox.blocks_of(words)
            return self._seed, start

    def __repr__(self) -> str:
        return f"Generator(seed={self._seed}, offset={self._offset})"


default_generator = Generator()
"""The generator that is used where none is given."""


def manual_seed(seed: int) -> Generator:
    """Make everything random that follows repeatable: start the default stream of this seed.

    >>> import tensorplay as tp
    >>> g = tp.manual_seed(0)
    >>> first = tp.rand(3)
    >>> g = tp.manual_seed(0)
    >>> (tp.rand(3) == first).numpy()
    array([ True,  True,  True])
    """
    return default_generator.manual_seed(seed)


def seed() -> int:
    """Give the default generator a seed that nobody can foresee, and return it."""
    return default_generator.seed()


def initial_seed() -> int:
    """The seed of the default generator."""
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """The state of the default generator, as bytes: it may be kept, saved, and given to `set_rng_state`."""
    return default_generator.get_state()


def set_rng_state(new_state: Tensor) -> None:
    """Put the default generator into a state that `get_rng_state` returned."""
    default_generator.set_state(new_state)


# --------------------------------------------------------------------------------- random tensors


def draw(fill: Filler, shape: tuple[int, ...], dtype: np.dtype[Any], generator: Generator | None) -> np.ndarray:
    """An array of this shape from `philox.uniform` or `philox.normal`."""
    if dtype.kind == "c":
        return _complex(fill, shape, dtype, generator)
    if not dtypes.of(dtype).is_floating_point:
        raise RandomDTypeError(
            f"random {fill.__name__} numbers are floating-point numbers, got dtype {dtypes.of(dtype)}. "
            "tp.randint(low, high, size) draws whole numbers."
        )
    n = math.prod(shape)
    words = philox.words_for(dtype, n + n % 2)
    key, counter = (generator or default_generator).take(words)
    return fill(key, counter, shape, dtype)


def _complex(fill: Filler, shape: tuple[int, ...], dtype: np.dtype[Any], generator: Generator | None) -> np.ndarray:
    """Real and imaginary parts side by side; those of normal numbers with half of the variance each."""
    part = np.dtype("float32" if dtype.itemsize == 8 else "float64")
    pairs = draw(fill, (*shape, 2), part, generator)
    if fill is philox.normal:
        pairs *= part.type(math.sqrt(0.5))
    return np.ascontiguousarray(pairs).view(dtype).reshape(shape)


def _drawn(fill: Filler, shape: tuple[int, ...], dtype: Any, generator: Generator | None, needs_grad: bool) -> Tensor:
    found = dtypes.as_numpy(dtype)
    return each(lambda *lead: draw(fill, (*lead, *shape), found, generator), needs_grad)


def each(make: Callable[..., np.ndarray], needs_grad: bool) -> Tensor:
    """`make(*lead)` as a tensor: inside a vmap with randomness "different" an array for each example.

    `lead` are the sizes of those batches, the outermost first.
    """
    frames = random_frames()
    x = wrap(make(*(frame.space.size for frame in frames)))
    for frame in frames:
        x = batched(x, frame.level)
    if needs_grad is not None:
        x.requires_grad = flag(needs_grad)
    return x


def rand(
    *size: Any,
    generator: Generator | None = None,
    dtype: DTypeLike | None = None,
    device: object = None,
    requires_grad: bool = False,
    **named: Any,
) -> Tensor:
    """Numbers spread evenly over [0, 1).

    >>> import tensorplay as tp
    >>> x = tp.rand(2, 3)
    >>> x.shape, bool((x >= 0).all() and (x < 1).all())
    ((2, 3), True)
    """
    check_device(device)
    return _drawn(philox.uniform, size_of(named_size(size, named)), dtype, generator, requires_grad)


def randn(
    *size: Any,
    generator: Generator | None = None,
    dtype: DTypeLike | None = None,
    device: object = None,
    requires_grad: bool = False,
    **named: Any,
) -> Tensor:
    """Numbers from the normal distribution with mean 0 and variance 1.

    >>> import tensorplay as tp
    >>> tp.randn(2, 3, requires_grad=True).requires_grad
    True
    """
    check_device(device)
    return _drawn(philox.normal, size_of(named_size(size, named)), dtype, generator, requires_grad)


def rand_like(
    input: Tensor,
    *,
    generator: Generator | None = None,
    dtype: DTypeLike | None = None,
    device: object = None,
    requires_grad: bool = False,
) -> Tensor:
    """`rand` with the shape and dtype of `input`."""
    rank(input)
    check_device(device)
    return _drawn(philox.uniform, input.shape, dtype or input.dtype, generator, requires_grad)


def randn_like(
    input: Tensor,
    *,
    generator: Generator | None = None,
    dtype: DTypeLike | None = None,
    device: object = None,
    requires_grad: bool = False,
) -> Tensor:
    """`randn` with the shape and dtype of `input`."""
    rank(input)
    check_device(device)
    return _drawn(philox.normal, input.shape, dtype or input.dtype, generator, requires_grad)


def randint(
    *bounds_and_size: Any,
    generator: Generator | None = None,
    dtype: DTypeLike | None = None,
    device: object = None,
    requires_grad: bool = False,
    **named: Any,
) -> Tensor:
    """Whole numbers from low to high - 1: `randint(high, size)` or `randint(low, high, size)`.

    int64 unless `dtype` says otherwise. Raises RangeError if there is no number to draw.

    >>> import tensorplay as tp
    >>> x = tp.randint(3, 5, (100,))
    >>> x.min().item(), x.max().item()
    (3, 4)
    """
    check_device(device)
    low, high, size = _bounds(bounds_and_size, named)
    if isinstance(size, int):
        raise TypeError(f"randint(): argument 'size' must be tuple of ints, not int: write ({size},)")
    return whole_numbers(low, high, size_of((size,)), dtype or dtypes.int64, generator, requires_grad, "randint")


def whole_numbers(
    low: int, high: int, shape: Any, dtype: Any, generator: Generator | None, needs_grad: bool, name: str
) -> Tensor:
    """Whole numbers from low to high - 1. Raises RangeError if there is none, or one that the dtype cannot hold."""
    found = dtypes.as_numpy(dtype)
    if low >= high:
        first, last = ("from", "to") if name == "random_" else ("low", "high")
        raise RangeError(f"{name} expects '{first}' to be less than '{last}', but got {first}={low} >= {last}={high}")
    if found.kind == "c":
        raise RangeError(f"{name} handles only integral, floating-point and boolean types, got {dtypes.of(found)}")
    if found.kind in "iub":
        least, most = (0, 1) if found.kind == "b" else (np.iinfo(found).min, np.iinfo(found).max)
        if low < least or high - 1 > most:
            which, wrong = ("from", low) if low < least else ("to - 1", high - 1)
            raise RangeError(f"{which} is out of bounds for {dtypes.of(found)}: {wrong} is not in [{least}, {most}]")

    def make(*lead: int) -> np.ndarray:
        key, counter = (generator or default_generator).take(2 * math.prod((*lead, *shape)))
        return philox.integers(key, counter, low, high, (*lead, *shape)).astype(found, copy=False)

    return each(make, needs_grad)


def _bounds(given: tuple[Any, ...], named: dict[str, Any]) -> tuple[int, int, Any]:
    """low, high and size, by position or by name, where only low can be left out."""
    names = ("low", "high", "size") if len(given) + len(named) == 3 else ("high", "size")
    free = [name for name in names if name not in named]
    if len(free) != len(given) or not set(named) <= set(names):
        raise TypeError(
            "randint() takes (high, size) or (low, high, size), "
            f"got {len(given)} positional arguments and {sorted(named) or 'no names'}"
        )
    values = {"low": 0, **named, **dict(zip(free, given, strict=True))}
    return operator.index(values["low"]), operator.index(values["high"]), values["size"]


def randperm(
    n: int,
    *,
    generator: Generator | None = None,
    dtype: DTypeLike | None = None,
    device: object = None,
    requires_grad: bool = False,
) -> Tensor:
    """The numbers 0 … n-1 in random order.

    >>> import tensorplay as tp
    >>> sorted(tp.randperm(5).tolist())
    [0, 1, 2, 3, 4]
    """
    check_device(device)
    (count,) = size_of((n,))
    found = dtypes.as_numpy(dtype or dtypes.int64)

    def make(*lead: int) -> np.ndarray:
        order = np.empty((*lead, count), found)
        for place in np.ndindex(lead):
            key, counter = (generator or default_generator).take(2 * count)
            order[place] = philox.permutation(key, counter, count)
        return order

    return each(make, requires_grad)

"""Datasets: something with a length, and a sample at each index."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from numbers import Real
from typing import Any, Generic, TypeVar

import numpy as np

from ..arrays import philox
from ..errors import (
    DataArgumentError,
    DatasetSizeError,
    HyperparameterError,
    IndexingError,
    MissingLengthError,
    MissingMethodError,
    TensorExpectedError,
)
from ..random import Generator, default_generator
from ..tensor import Tensor, wrap

__all__ = ["Dataset", "Subset", "TensorDataset", "random_split"]

T = TypeVar("T", covariant=True)


class Dataset(Generic[T]):
    """Base of datasets: write `__getitem__(index)` and `__len__()`.

    >>> import tensorplay as tp
    >>> class Squares(tp.data.Dataset):
    ...     def __len__(self):
    ...         return 4
    ...     def __getitem__(self, index):
    ...         return index, index**2
    >>> next(iter(tp.data.DataLoader(Squares(), batch_size=4)))
    [tensor([0, 1, 2, 3]), tensor([0, 1, 4, 9])]
    """

    def __getitem__(self, index: Any) -> T:
        raise MissingMethodError(
            f"{type(self).__name__} does not define __getitem__(index): write it in the class, to return one sample"
        )

    def __len__(self) -> int:
        raise MissingLengthError(
            f"object of type '{type(self).__name__}' has no len(): it does not define __len__(). Write it in the "
            "class, to return the number of samples"
        )


class TensorDataset(Dataset[tuple[Tensor, ...]]):
    """Tensors side by side: sample i is row i of each.

    Raises DatasetSizeError if they differ in their number of rows, TensorExpectedError for what is no tensor.

    >>> import tensorplay as tp
    >>> dataset = tp.data.TensorDataset(tp.tensor([[1.0], [2.0]]), tp.tensor([0, 1]))
    >>> dataset[1]
    (tensor([2.]), tensor(1))
    """

    def __init__(self, *tensors: Tensor) -> None:
        for tensor in tensors:
            if not isinstance(tensor, Tensor):
                raise TensorExpectedError(
                    f"TensorDataset takes tensors, got '{type(tensor).__name__}' object: write tp.tensor(...)"
                )
        sizes = [tensor.shape[0] if tensor.ndim else None for tensor in tensors]
        if not tensors or len(set(sizes)) > 1 or None in sizes:
            raise DatasetSizeError(
                f"Size mismatch between tensors: each needs the same number of rows, got {sizes or 'no tensors'}. "
                "Sample i is row i of each"
            )
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        return self.tensors[0].shape[0]

    def batch(self, indices: Sequence[int]) -> list[Tensor]:
        """The rows at `indices`, gathered at once: what stacking them one by one would give."""
        rows = np.asarray(indices, np.int64)
        outside = rows[(rows < -len(self)) | (rows >= len(self))]
        if outside.size:
            raise IndexingError(f"index {outside[0]} is out of bounds: this TensorDataset has {len(self)} samples")
        return [tensor[wrap(rows)] if tensor.requires_grad else wrap(tensor._array[rows]) for tensor in self.tensors]


class Subset(Dataset[T]):
    """Some samples of another dataset.

    >>> import tensorplay as tp
    >>> whole = tp.data.TensorDataset(tp.tensor([10, 11, 12]))
    >>> tp.data.Subset(whole, [2, 0])[0]
    (tensor(12),)
    """

    def __init__(self, dataset: Any, indices: Sequence[int]) -> None:
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, index: Any) -> T:
        if not hasattr(self.indices, "__getitem__"):
            raise DataArgumentError(
                f"'{type(self.indices).__name__}' object is not subscriptable: a Subset's indices are a list of ints"
            )
        try:
            chosen = self.indices[index]
        except IndexError:
            raise IndexingError(f"index {index} is out of range: this Subset has {len(self)} samples") from None
        return self.dataset[chosen]

    def __len__(self) -> int:
        return length_of(self.indices, "the indices of a Subset are")


def random_split(dataset: Any, lengths: Sequence[float], generator: Generator | None = None) -> list[Subset[Any]]:
    """Divide a dataset at random into parts of these lengths, or of these shares if they add up to 1.

    Raises HyperparameterError if the lengths do not add up to that of the dataset, DataArgumentError for what is no
    dataset, no list of numbers or no generator.

    >>> import tensorplay as tp
    >>> parts = tp.data.random_split(tp.data.TensorDataset(tp.arange(10)), [0.7, 0.3])
    >>> [len(part) for part in parts]
    [7, 3]
    """
    total = length_of(dataset, "a dataset is")
    counts = _counts(total, lengths)
    if sum(counts) != total:
        raise HyperparameterError(
            f"Sum of input lengths does not equal the length of the input dataset: {list(lengths)} add up to "
            f"{sum(counts)}, the dataset has {total}"
        )
    order = shuffled(total, generator)
    ends = itertools.accumulate(counts)
    return [Subset(dataset, order[end - count : end]) for count, end in zip(counts, ends, strict=True)]


def _counts(total: int, lengths: Sequence[float]) -> list[int]:
    """Shares become whole numbers, rounded down; what is left over goes to the first parts, one each."""
    if not isinstance(lengths, (Sequence, np.ndarray)) or not all(isinstance(n, Real) for n in lengths):
        raise DataArgumentError(
            f"random_split: lengths should be a sequence of numbers, such as [8, 2] or [0.8, 0.2], got {lengths!r}"
        )
    if any(length < 0 for length in lengths):
        raise HyperparameterError(f"lengths and shares are at least 0, got {list(lengths)}")
    if all(isinstance(length, int) for length in lengths) or abs(sum(lengths) - 1) > 1e-9:
        return [int(length) for length in lengths]
    counts = [int(total * length) for length in lengths]
    for part in range(total - sum(counts)):
        counts[part % len(counts)] += 1
    return counts


def length_of(thing: Any, what: str) -> int:
    """len(thing); DataArgumentError, which says `what` it should be, if it has none."""
    if not hasattr(thing, "__len__"):
        raise DataArgumentError(
            f"object of type '{type(thing).__name__}' has no len(): {what} something with a length and a value at "
            f"each index, such as a TensorDataset or a list"
        )
    return len(thing)


def shuffled(count: int, generator: Generator | None) -> list[int]:
    """The numbers below `count` in a random order."""
    source = default_generator if generator is None else generator
    if not isinstance(source, Generator):
        raise DataArgumentError(
            f"generator should be a tp.Generator or None, got {type(source).__name__}: write "
            f"tp.Generator().manual_seed(0)"
        )
    key, counter = source.take(2 * count)
    return philox.permutation(key, counter, count).tolist()


def batches(order: Sequence[int], size: int, drop_last: bool) -> Iterator[Sequence[int]]:
    """`order` in pieces of `size`; the last may be shorter, or is left out."""
    end = len(order) - len(order) % size if drop_last else len(order)
    return (order[start : start + size] for start in range(0, end, size))

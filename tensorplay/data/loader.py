"""DataLoader: samples in batches, in order or shuffled."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from .. import creation
from ..arrays import philox
from ..errors import HyperparameterError, ShapeError
from ..random import Generator, default_generator
from ..tensor import Tensor, wrap
from .dataset import TensorDataset, batches

__all__ = ["DataLoader", "default_collate"]


class DataLoader:
    """Walks through a dataset in batches; each `for` loop is one epoch, with a new order if `shuffle`.

    `sampler` gives the indices instead of `shuffle`; `drop_last` leaves out a last, shorter batch;
    `collate_fn` makes a batch from a list of samples; `generator` makes the shuffling repeatable.

    >>> import tensorplay as tp
    >>> dataset = tp.data.TensorDataset(tp.arange(5))
    >>> for (batch,) in tp.data.DataLoader(dataset, batch_size=2):
    ...     print(batch)
    tensor([0, 1])
    tensor([2, 3])
    tensor([4])
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int = 1,
        shuffle: bool = False,
        sampler: Iterable[int] | None = None,
        *,
        drop_last: bool = False,
        collate_fn: Callable[[list[Any]], Any] | None = None,
        generator: Generator | None = None,
    ) -> None:
        self.batch_size = operator.index(batch_size)
        if self.batch_size < 1:
            raise HyperparameterError(f"batch_size should be a positive integer value, but got batch_size={batch_size}")
        if shuffle and sampler is not None:
            raise HyperparameterError("sampler option is mutually exclusive with shuffle: the sampler gives the order")
        self.dataset, self.shuffle, self.sampler = dataset, shuffle, sampler
        self.drop_last, self.collate_fn, self.generator = drop_last, collate_fn, generator

    def __len__(self) -> int:
        count = len(self.dataset if self.sampler is None else self.sampler)  # type: ignore[arg-type]
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)

    def __iter__(self) -> Iterator[Any]:
        for indices in batches(self._order(), self.batch_size, self.drop_last):
            yield self._batch(indices)

    def _order(self) -> Sequence[int]:
        if self.sampler is not None:
            return list(self.sampler)
        if not self.shuffle:
            return range(len(self.dataset))
        count = len(self.dataset)
        key, counter = (self.generator or default_generator).take(2 * count)
        return philox.permutation(key, counter, count).tolist()

    def _batch(self, indices: Sequence[int]) -> Any:
        if self.collate_fn is None and type(self.dataset) is TensorDataset:
            return self.dataset.batch(indices)  # one gather instead of a stack of rows
        return (self.collate_fn or default_collate)([self.dataset[index] for index in indices])


def default_collate(samples: Sequence[Any]) -> Any:
    """Turn a list of samples into one batch: tensors and arrays are stacked, numbers become a tensor.

    Tuples, lists and dicts of these are collated part by part; strings stay a list.

    >>> import tensorplay as tp
    >>> tp.data.default_collate([{"x": 1.5, "name": "a"}, {"x": 2.5, "name": "b"}])
    {'x': tensor([1.5000, 2.5000], dtype=tensorplay.float64), 'name': ['a', 'b']}
    """
    first = samples[0]
    if isinstance(first, (Tensor, np.ndarray)):
        return _stacked(samples)
    if isinstance(first, (str, bytes)):
        return list(samples)
    if isinstance(first, (bool, int, float, np.generic)):
        # As in PyTorch: Python floats become float64 here, and only here.
        return creation.tensor(samples, dtype="float64" if type(first) is float else None)
    if isinstance(first, Mapping):
        return {key: default_collate([sample[key] for sample in samples]) for key in first}
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*map(default_collate, zip(*samples, strict=True)))
    if isinstance(first, Sequence):
        return [default_collate(part) for part in _parts(samples)]
    raise TypeError(
        "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; "
        f"found {type(first).__name__}. Give the DataLoader a collate_fn that knows what to do with it."
    )


def _parts(samples: Sequence[Sequence[Any]]) -> Iterator[tuple[Any, ...]]:
    lengths = {len(sample) for sample in samples}
    if len(lengths) > 1:
        raise ShapeError(f"each element in list of batch should be of equal size, got sizes {sorted(lengths)}")
    return zip(*samples, strict=True)


def _stacked(samples: Sequence[Any]) -> Tensor:
    arrays = [sample._array if isinstance(sample, Tensor) else sample for sample in samples]
    if any(isinstance(sample, Tensor) and sample.requires_grad for sample in samples):
        raise TypeError("a batch is stacked from plain values: detach() samples that require a gradient")
    shapes = sorted({array.shape for array in arrays})
    if len(shapes) > 1:
        raise ShapeError(
            f"stack expects each tensor to be equal size, but the samples of one batch have the shapes {shapes}"
        )
    return wrap(np.stack(arrays))

"""DataLoader: samples in batches, in order or shuffled."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from .. import creation
from ..autograd.callables import check_function
from ..errors import (
    CollateError,
    CollateKeyError,
    DataArgumentError,
    EmptyBatchError,
    HyperparameterError,
    ShapeError,
)
from ..functional.joining import stack
from ..random import Generator
from ..tensor import Tensor, wrap
from .dataset import TensorDataset, batches, length_of, shuffled

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
        if not isinstance(batch_size, (int, np.integer)) or isinstance(batch_size, bool) or batch_size < 1:
            raise HyperparameterError(
                f"batch_size should be a positive integer value, but got batch_size={batch_size}: the number of "
                "samples in a batch"
            )
        if shuffle and sampler is not None:
            raise HyperparameterError("sampler option is mutually exclusive with shuffle: the sampler gives the order")
        self.batch_size = int(batch_size)
        self.dataset, self.shuffle, self.sampler = dataset, shuffle, sampler
        self.drop_last, self.collate_fn, self.generator = drop_last, collate_fn, generator

    def __len__(self) -> int:
        if self.sampler is None:
            count = length_of(self.dataset, "a dataset is")
        else:
            count = length_of(self.sampler, "to count the batches, a sampler is")
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)

    def __iter__(self) -> Iterator[Any]:
        for indices in batches(self._order(), self.batch_size, self.drop_last):
            yield self._batch(indices)

    def _order(self) -> Sequence[int]:
        if self.sampler is not None:
            if not isinstance(self.sampler, Iterable) and not hasattr(self.sampler, "__getitem__"):
                raise DataArgumentError(
                    f"'{type(self.sampler).__name__}' object is not iterable: a sampler gives the indices of samples "
                    "one after the other, as a list does"
                )
            return list(self.sampler)
        count = length_of(self.dataset, "a dataset is")
        return shuffled(count, self.generator) if self.shuffle else range(count)

    def _batch(self, indices: Sequence[int]) -> Any:
        if self.collate_fn is None and type(self.dataset) is TensorDataset:
            return self.dataset.batch(indices)  # one gather instead of a stack of rows
        collate = default_collate if self.collate_fn is None else self.collate_fn
        check_function(collate, "DataLoader(collate_fn=...)")
        return collate([self.dataset[index] for index in indices])


def default_collate(samples: Sequence[Any]) -> Any:
    """Turn a list of samples into one batch: tensors and arrays are stacked, numbers become a tensor.

    Tuples, lists and dicts of these are collated part by part; strings stay a list.

    Raises CollateError for samples of other or of different kinds, CollateKeyError where a dict lacks a key,
    ShapeError where sizes differ, EmptyBatchError for no samples.

    >>> import tensorplay as tp
    >>> tp.data.default_collate([{"x": 1.5, "name": "a"}, {"x": 2.5, "name": "b"}])
    {'x': tensor([1.5000, 2.5000], dtype=tensorplay.float64), 'name': ['a', 'b']}
    """
    if not isinstance(samples, Sequence):
        raise CollateError(
            f"'{type(samples).__name__}' object is not subscriptable: default_collate takes a list of samples"
        )
    if not samples:
        raise EmptyBatchError("list index out of range: default_collate needs at least one sample to make a batch")
    first = samples[0]
    if isinstance(first, (Tensor, np.ndarray)):
        return _stacked(samples)
    if isinstance(first, (str, bytes)):
        return list(samples)
    if isinstance(first, (bool, int, float, np.generic)):
        # As in PyTorch: Python floats become float64 here, and only here.
        _check_kinds(samples, (bool, int, float, np.generic))
        return creation.tensor(samples, dtype="float64" if type(first) is float else None)
    if isinstance(first, Mapping):
        _check_kinds(samples, Mapping)
        return {key: default_collate([_entry(sample, key) for sample in samples]) for key in first}
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*map(default_collate, _parts(samples)))
    if isinstance(first, Sequence):
        return [default_collate(part) for part in _parts(samples)]
    raise CollateError(
        "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; "
        f"found {type(first).__name__}. Give the DataLoader a collate_fn that knows what to do with it."
    )


def _check_kinds(samples: Sequence[Any], kinds: Any) -> None:
    """Raise CollateError unless all samples are of the kind of the first."""
    for number, sample in enumerate(samples):
        if not isinstance(sample, kinds):
            raise CollateError(
                f"default_collate: the samples of one batch should be of one kind: element 0 is "
                f"{type(samples[0]).__name__}, element {number} is {type(sample).__name__}"
            )


def _entry(sample: Mapping[Any, Any], key: Any) -> Any:
    if key not in sample:
        raise CollateKeyError(
            f"{key!r} is a key of the first sample of the batch, but another one has only the keys {list(sample)}"
        )
    return sample[key]


def _parts(samples: Sequence[Sequence[Any]]) -> Iterator[tuple[Any, ...]]:
    _check_kinds(samples, Sequence)
    lengths = {len(sample) for sample in samples}
    if len(lengths) > 1:
        raise ShapeError(f"each element in list of batch should be of equal size, got sizes {sorted(lengths)}")
    return zip(*samples, strict=True)


def _stacked(samples: Sequence[Any]) -> Tensor:
    _check_kinds(samples, (Tensor, np.ndarray))
    arrays = [sample._array if isinstance(sample, Tensor) else sample for sample in samples]
    shapes = sorted({array.shape for array in arrays})
    if len(shapes) > 1:
        raise ShapeError(
            f"stack expects each tensor to be equal size, but the samples of one batch have the shapes {shapes}"
        )
    if any(isinstance(sample, Tensor) and sample.requires_grad for sample in samples):
        return stack([sample if isinstance(sample, Tensor) else wrap(sample) for sample in samples])
    return wrap(np.stack(arrays))

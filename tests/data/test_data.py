"""Datasets and loaders."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.data import DataLoader, Dataset, Subset, TensorDataset, default_collate, random_split
from tensorplay.errors import HyperparameterError, ShapeError


class Pair(NamedTuple):
    x: Any
    y: Any


class Squares(Dataset[tuple[int, int]]):
    def __init__(self, n: int) -> None:
        self.n = n

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, index: int) -> tuple[int, int]:
        return index, index * index


def flat(lists: Any) -> list[Any]:
    return [item for one in lists for item in one]


def firsts(loader: Any) -> list[list[int]]:
    return [batch[0].tolist() for batch in loader]


def test_tensor_dataset() -> None:
    x, y = tp.randn(4, 2), tp.arange(4)
    dataset = TensorDataset(x, y)
    assert len(dataset) == 4 and dataset.tensors == (x, y)
    assert dataset[2][0].tolist() == x[2].tolist() and dataset[1:3][1].tolist() == [1, 2]


@pytest.mark.parametrize("tensors", [(), (tp.zeros(2), tp.zeros(3)), (tp.tensor(1.0),)])
def test_tensor_dataset_needs_equal_rows(tensors: tuple[tp.Tensor, ...]) -> None:
    with pytest.raises(ShapeError, match="Size mismatch between tensors"):
        TensorDataset(*tensors)
    with pytest.raises(TypeError, match="takes tensors"):
        TensorDataset([1, 2])  # type: ignore[arg-type]


@pytest.mark.parametrize(("drop_last", "sizes"), [(False, [3, 3, 1]), (True, [3, 3])])
def test_batches_in_order(drop_last: bool, sizes: list[int]) -> None:
    for dataset in (TensorDataset(tp.arange(7)), Squares(7)):
        loader = DataLoader(dataset, batch_size=3, drop_last=drop_last)
        assert [len(batch) for batch in firsts(loader)] == sizes and len(loader) == len(sizes)
        assert flat(firsts(loader)) == list(range(sum(sizes)))


def test_shuffling_is_new_each_epoch_and_repeatable() -> None:
    dataset = TensorDataset(tp.arange(20))
    loader = DataLoader(dataset, 6, shuffle=True, generator=tp.Generator().manual_seed(0))
    one, two = firsts(loader), firsts(loader)
    assert one != two and sorted(flat(one)) == list(range(20))
    again = DataLoader(dataset, 6, shuffle=True, generator=tp.Generator().manual_seed(0))
    assert [firsts(again), firsts(again)] == [one, two]
    tp.manual_seed(0)
    assert firsts(DataLoader(dataset, 6, shuffle=True)) == one  # the default generator, same seed


def test_rows_stay_together() -> None:
    loader = DataLoader(TensorDataset(tp.arange(50), tp.arange(50) * 2), 7, shuffle=True)
    assert all(y.tolist() == (x * 2).tolist() for x, y in loader)


def test_one_gather_is_what_stacking_gives() -> None:
    dataset = TensorDataset(tp.randn(6, 2, 3), tp.arange(6))
    gathered = list(DataLoader(dataset, 4))
    stacked = list(DataLoader(dataset, 4, collate_fn=default_collate))
    for a, b in zip(flat(gathered), flat(stacked), strict=True):
        assert a.dtype is b.dtype and a.tolist() == b.tolist()


def test_the_batch_is_a_copy() -> None:
    x = tp.zeros(4)
    (batch,) = next(iter(DataLoader(TensorDataset(x), 4)))
    batch.add_(1)
    assert x.tolist() == [0.0] * 4


def test_sampler_and_collate_fn() -> None:
    assert firsts(DataLoader(Squares(9), 2, sampler=[5, 1, 7])) == [[5, 1], [7]]
    assert list(DataLoader(Squares(3), 2, collate_fn=len)) == [2, 1]
    assert len(DataLoader(Squares(9), 2, sampler=[5, 1, 7])) == 2


def test_loader_errors() -> None:
    for size in (0, -1, 2.5, True, "2", None):
        with pytest.raises(HyperparameterError, match="batch_size should be a positive integer"):
            DataLoader(Squares(3), size)  # type: ignore[arg-type]
    with pytest.raises(HyperparameterError, match="mutually exclusive"):
        DataLoader(Squares(3), shuffle=True, sampler=[1])
    with pytest.raises(NotImplementedError, match="__len__"):
        len(Dataset())


def test_an_empty_dataset_has_no_batches() -> None:
    assert list(DataLoader(TensorDataset(tp.zeros(0, 3)), 2, shuffle=True)) == []


@pytest.mark.parametrize(
    "samples",
    [
        [1, 2],
        [1.5, 2.5],
        [True, False],
        [np.float32(1), np.float32(2)],
        [np.ones(2), np.zeros(2)],
        [(1, 2.5), (3, 4.5)],
        [{"a": 1}, {"a": 2}],
        [[1, [2, 3]], [4, [5, 6]]],
    ],
    ids=repr,
)
def test_collate_like_pytorch(samples: list[Any]) -> None:
    torch = pytest.importorskip("torch")
    from torch.utils.data import default_collate as theirs

    def plain(value: Any) -> Any:
        if isinstance(value, (tp.Tensor, torch.Tensor)):
            return str(value.dtype).rpartition(".")[2], value.tolist()
        if isinstance(value, dict):
            return {key: plain(item) for key, item in value.items()}
        return [plain(item) for item in value]

    assert plain(default_collate(samples)) == plain(theirs(samples))


def test_collate_other_things() -> None:
    assert default_collate(["a", "b"]) == ["a", "b"]
    pair = default_collate([Pair(1, "a"), Pair(2, "b")])
    assert isinstance(pair, Pair) and pair.x.tolist() == [1, 2] and pair.y == ["a", "b"]
    assert default_collate([tp.zeros(2), tp.ones(2)]).shape == (2, 2)
    with pytest.raises(ShapeError, match="stack expects each tensor to be equal size"):
        default_collate([tp.zeros(2), tp.zeros(3)])
    with pytest.raises(ShapeError, match="should be of equal size"):
        default_collate([(1, 2), (1,)])
    with pytest.raises(TypeError, match="found set"):
        default_collate([{1}])
    x = tp.zeros(2, requires_grad=True)
    default_collate([x, tp.ones(2), np.ones(2, np.float32)])[0].sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


# --------------------------------------------------------------------------------------------- splits


def test_random_split() -> None:
    g = tp.Generator().manual_seed(0)
    a, b = random_split(Squares(10), [7, 3], generator=g)
    assert sorted([*a.indices, *b.indices]) == list(range(10)) and list(a.indices) != sorted(a.indices)
    assert isinstance(a, Subset) and a[0] == (a.indices[0], a.indices[0] ** 2)
    again = random_split(Squares(10), [7, 3], generator=tp.Generator().manual_seed(0))
    assert again[0].indices == a.indices
    assert [len(part) for part in random_split(Squares(11), [0.5, 0.25, 0.25])] == [6, 3, 2]
    assert firsts(DataLoader(a, 7)) == [list(a.indices)]


def test_random_split_errors() -> None:
    with pytest.raises(HyperparameterError, match="Sum of input lengths does not equal"):
        random_split(Squares(10), [7, 4])
    with pytest.raises(HyperparameterError, match="at least 0"):
        random_split(Squares(10), [11, -1])


# --------------------------------------------------------------------------------------------- digits


def test_digits() -> None:
    pytest.importorskip("sklearn")
    train, test = tp.datasets.digits()
    images, labels = train.tensors
    assert (len(train), len(test)) == (1438, 359)
    assert images.shape == (1438, 64) and images.dtype is tp.float32 and labels.dtype is tp.int64
    assert images.min().item() == 0 and images.max().item() == 1
    whole = np.concatenate([labels.numpy(), test.tensors[1].numpy()])
    for digit in range(10):
        share = (test.tensors[1].numpy() == digit).sum() / (whole == digit).sum()
        assert abs(share - 0.2) < 0.004
    tp.manual_seed(123)
    assert tp.datasets.digits()[1].tensors[1].tolist() == test.tensors[1].tolist()


def test_no_digit_is_in_both_parts() -> None:
    train, test = tp.datasets.stratified_split(tp.tensor([0, 1, 2] * 10), test_share=0.3)
    assert sorted([*train.tolist(), *test.tolist()]) == list(range(30)) and len(test) == 9
    with pytest.raises(HyperparameterError, match="between 0 and 1"):
        tp.datasets.stratified_split(tp.arange(3), test_share=1.0)


def test_without_scikit_learn_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "sklearn.datasets", None)
    with pytest.raises(ImportError, match="pip install scikit-learn"):
        tp.datasets.digits()

"""Odd arguments of functions and operators: a right answer, or a named error that says what to do."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest

import tensorplay as tp
from tensorplay import errors

MATRIX = tp.arange(24.0).reshape(2, 12)


def written(target: tp.Tensor, index: object, value: object) -> tp.Tensor:
    target[index] = value
    return target


def read_only() -> tp.Tensor:
    array = np.broadcast_to(np.ones(2, "float32"), 2)
    with pytest.warns(UserWarning, match="not writ"):
        return tp.from_numpy(array)


REFUSED: list[tuple[Callable[[], object], type[Exception], str]] = [
    (lambda: MATRIX.sum(dim=1.5), errors.DimensionTypeError, "argument 'dim' must be int, not float"),
    (lambda: MATRIX.max(dim=(0, 1)), errors.DimensionTypeError, "must be int, not tuple"),
    (lambda: tp.ones(1).expand(()), errors.ShapeError, "number of sizes provided"),
    (lambda: tp.ones(1, 1).expand(3), errors.ShapeError, "number of sizes provided"),
    (lambda: tp.ones(3).expand(-1, 3), errors.ShapeError, "-1 only keeps a size"),
    (lambda: MATRIX.reshape(-2, 12), errors.ShapeError, "invalid shape dimension -2"),
    (lambda: tp.gather(MATRIX, 0, tp.tensor([0])), errors.ShapeError, "Index tensor must have the same number"),
    (
        lambda: tp.gather(MATRIX, 1, tp.tensor([[-1]])),
        errors.IndexingError,
        "index -1 is out of bounds for dimension 1",
    ),
    (lambda: tp.gather(MATRIX, 1, tp.tensor([[1.0]])), errors.DTypeError, "Expected dtype int64 for index"),
    (lambda: tp.gather(MATRIX, 1, tp.zeros(3, 1, dtype=tp.int64)), errors.ShapeError, "no larger than input"),
    (lambda: tp.tensor([True]) - tp.tensor([True]), errors.DTypeError, "with two bool tensors is not supported"),
    (lambda: -tp.tensor([True]), errors.DTypeError, "on a bool tensor is not supported"),
    (lambda: ~tp.ones(1), errors.UnsupportedDTypeError, "only implemented on integer and Boolean-type"),
    (lambda: tp.tensor([1], dtype=tp.uint8) + 300, errors.DTypeError, "without overflow"),
    (lambda: tp.ones(2).eq("a"), TypeError, "compares with a Tensor or a number"),
    (lambda: "a" in tp.ones(2), TypeError, "only supports Tensor or scalar"),
    (lambda: f"{tp.ones(2):.2f}", TypeError, "unsupported format string"),
    (lambda: MATRIX[([[0], [0, 1]],)], errors.IndexingError, "same length"),
    (lambda: written(tp.zeros(2), 5, 1.0), errors.IndexingError, "index 5 is out of bounds for dimension 0"),
    (lambda: written(tp.zeros(2), (0, 0), 1.0), errors.IndexingError, "too many indices for tensor of dimension 1"),
    (lambda: written(tp.zeros(2), 0, None), errors.InPlaceTypeError, "can't assign a NoneType"),
    (lambda: written(tp.zeros(2), 0, "7"), errors.InPlaceTypeError, "can't assign a str"),
    (lambda: written(tp.zeros(2, dtype=tp.int64), 0, float("nan")), errors.DTypeError, "without overflow"),
    (lambda: written(tp.zeros(2, dtype=tp.uint8), 0, 300), errors.DTypeError, "without overflow"),
    (lambda: written(tp.zeros(2), 0, 1j), errors.DTypeError, "without overflow"),
    (lambda: tp.zeros(2).fill_(tp.ones(2)), errors.ShapeError, "0-dimension value tensor"),
    (lambda: tp.zeros(2).add_("a"), errors.InPlaceTypeError, "takes a Tensor or a number"),
    (lambda: read_only().add_(1), errors.InPlaceError, "read-only"),
    (lambda: tp.optim.SGD([tp.nn.Parameter(tp.ones(1).expand(3))]), errors.InPlaceError, "single memory location"),
]


F = tp.nn.functional
ONE, WHOLE = tp.tensor(2.0), tp.tensor(0)
REFUSED += [
    (lambda: F.linear(tp.ones(3, 2), tp.ones(1, 2), tp.ones(2)), errors.ShapeError, r"size of the tensor \(1\)"),
    (lambda: F.linear(tp.ones(2), tp.ones(1, 2), tp.ones(2)), errors.ShapeError, r"shape \[1\], got \[2\]"),
    (lambda: F.linear(tp.ones(4, 3, 2), tp.ones(1, 2), tp.ones(2)), errors.ShapeError, "at non-singleton dimension 2"),
    (lambda: F.linear(tp.ones(2), tp.ones(3, 2), tp.ones(2, 3)), errors.ShapeError, r"sizes provided \(1\) must be"),
    (lambda: F.cross_entropy(ONE, WHOLE), errors.DTypeError, "Expected floating point type for target with class"),
    (lambda: F.cross_entropy(ONE, ONE), IndexError, "scores are a single number, and have no"),
    (lambda: F.cross_entropy(ONE, WHOLE[None]), IndexError, "no dimension of classes"),
    (lambda: F.cross_entropy(tp.ones(2, 3), tp.tensor([0.0])), ValueError, r"batch_size \(2\) to match target .*\(1\)"),
    (lambda: F.cross_entropy(tp.ones(2, 3), tp.tensor([0.0, 1.0])), errors.DTypeError, "to be Long or Byte"),
    (lambda: F.cross_entropy(tp.ones(2, 3, 4), tp.ones(2, 5)), RuntimeError, r"target size \[2, 4\], got \[2, 5\]"),
    (lambda: tp.tensor({}), RuntimeError, "Could not infer dtype of dict"),
    (lambda: tp.ones(3).view(tp.float64), errors.ShapeError, r"size\(-1\) must be divisible by 2"),
    (lambda: tp.ones(2, 4).T.view(tp.float64), errors.ShapeError, r"stride\(-1\) must be 1"),
    (lambda: tp.ones(3, 3)[:, :2].view(tp.float64), errors.ShapeError, r"stride\(\) must be divisible by 2"),
    (lambda: tp.ones(3)[1:].view(tp.float64), errors.ShapeError, r"storage_offset\(\) must be divisible by 2"),
    (lambda: tp.ones(()).view(tp.float64), errors.ShapeError, r"dim\(\) cannot be 0"),
    *(
        (call, IndexError, call.__code__.co_names[-1] + r"\(\): Expected reduction dim")
        for call in (lambda: EMPTY.amax(1), lambda: EMPTY.max(1), lambda: EMPTY.argmax(1), lambda: EMPTY.median(1))
    ),
    (lambda: tp.ones(2).gather(0, tp.tensor([5])), RuntimeError, "index 5 is out of bounds for dimension 0"),
]
EMPTY = tp.zeros(2, 0)


def test_bytes_read_as_another_dtype() -> None:
    x = tp.ones(2, requires_grad=True)
    y = x * 1
    seen = y.view(tp.int32)
    assert seen.tolist() == [0x3F800000] * 2 and not seen.requires_grad
    assert tp.ones(2, 4).view(tp.float64).shape == (2, 2) and tp.ones(2).view(dtype=tp.uint8).shape == (8,)
    seen.zero_()
    assert y.tolist() == [0.0, 0.0] and y._version == seen._version == 1
    assert tp.ones(()).view(tp.int32).shape == () and tp.zeros(0).view(tp.float64).shape == (0,)


@pytest.mark.parametrize("make", [lambda: tp.ones(2), lambda: tp.nn.Parameter(tp.ones(2))], ids=["tensor", "parameter"])
def test_a_tensor_takes_attributes(make: Callable[[], tp.Tensor]) -> None:
    """They stay with copies and pickles; a result has none. (PyTorch's Parameter loses them in deepcopy.)"""
    x = make()
    x.note = [5]  # type: ignore[attr-defined]
    for twin in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert twin.note == [5]
    assert copy.deepcopy(x).note is not x.note and copy.copy(x).note is x.note
    assert not hasattr(x * 2, "note") and not hasattr(x.detach(), "note")
    with pytest.raises(AttributeError):
        x.shape = (1,)  # type: ignore[misc]


def test_one_example_with_its_class_in_a_list() -> None:
    loss = F.cross_entropy(tp.tensor([2.0, 1.0]), tp.tensor([0]), reduction="none")
    assert loss.shape == () and loss.item() == F.cross_entropy(tp.tensor([2.0, 1.0]), WHOLE).item()


def test_two_values_of_a_tied_parameter() -> None:
    model = tp.nn.Sequential(tp.nn.Linear(2, 2), tp.nn.Linear(2, 2))
    model[1].weight = model[0].weight
    with pytest.raises(ValueError, match="multiple values for a tied parameter"):
        tp.func.functional_call(model, {"0.weight": tp.ones(2, 2), "1.weight": tp.zeros(2, 2)}, tp.ones(2))


@pytest.mark.parametrize(("call", "kind", "phrase"), REFUSED, ids=[case[2] for case in REFUSED])
def test_refused(call: Callable[[], object], kind: type[Exception], phrase: str) -> None:
    with pytest.raises(kind, match=phrase):
        call()


def test_dimensions_in_every_form() -> None:
    assert MATRIX.sum(dim=[]).shape == MATRIX.mean(dim=()).shape == ()
    assert MATRIX.sum(dim=np.int64(1)).tolist() == [66.0, 210.0]
    number = tp.tensor(2.0)
    assert [f(number).tolist() for f in (lambda x: x.sum(0), lambda x: x.mean((-1,)), lambda x: x.amax(0))] == [2.0] * 3


def test_softmax_of_nothing_is_nothing() -> None:
    assert tp.softmax(tp.zeros(2, 0), 1).shape == tp.log_softmax(tp.zeros(2, 0), 1).shape == (2, 0)


def test_comparisons_happen_in_the_common_dtype() -> None:
    assert (tp.tensor([0.1]) == tp.tensor(0.1, dtype=tp.float64)).tolist() == [True]
    assert (tp.tensor([1j, 2]) == 1j).tolist() == [True, False]
    assert (tp.ones(2) == None) is False  # noqa: E711
    assert 2 in tp.tensor([1, 2]) and tp.tensor(3) not in tp.tensor([1, 2])


def test_numbers_written_by_format_and_conversion() -> None:
    assert f"{tp.tensor(1.5, requires_grad=True)} {tp.tensor(2):>3}" == "1.5   2"
    assert complex(tp.tensor(1j)) == 1j
    with pytest.raises(TypeError, match="only integer tensors of a single element"):
        [1, 2][tp.tensor([0, 1])]  # type: ignore[call-overload]


def test_writing_odd_values() -> None:
    assert written(tp.zeros(2), 0, tp.ones(1, 1)).tolist() == [1.0, 0.0]
    assert tp.zeros(2).copy_([1, 2]).tolist() == [1.0, 2.0]
    assert tp.zeros(2, dtype=tp.uint8).add_(tp.tensor([300, -1])).tolist() == [44, 255]


def test_a_uint8_index_is_a_mask() -> None:
    with pytest.warns(UserWarning, match="indexing with dtype uint8 is now deprecated"):
        assert tp.tensor([5, 6])[tp.tensor([0, 1], dtype=tp.uint8)].tolist() == [6]


def test_to_takes_devices_dtypes_and_tensors() -> None:
    x = tp.ones(2)
    assert x.to("cpu") is x.to(x.device) is x.to(device="cpu") is x.to(x) is x
    assert x.to("cpu", copy=True) is not x
    assert x.to("cpu", tp.float64).dtype is x.to(tp.ones(1, dtype=tp.float64)).dtype is tp.float64
    with pytest.raises(errors.DeviceError, match="cuda"):
        x.to("cuda")


@pytest.mark.parametrize("value", ["x", None, 1j, [[1], [2, 3]]])
def test_a_state_with_a_wrong_entry_changes_nothing(value: object) -> None:
    model = tp.nn.Linear(1, 1)
    before = model.weight.item()
    with pytest.raises(errors.StateDictError, match="nothing was loaded"):
        model.load_state_dict({"weight": tp.ones(1, 1), "bias": value, 3: value})
    assert model.weight.item() == before


def test_infinities_are_no_warnings() -> None:
    """In a process of its own: pytest puts its filters before those of the package."""
    code = "import tensorplay as tp; x = tp.full((2, 2), 1e30); x * x; x + 3e38; x @ x; (x * 1e8).sum(); x * 1e300"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")

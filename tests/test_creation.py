"""Creation functions: values, dtypes and errors, compared with PyTorch where it is there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.errors import (
    ArgumentTypeError,
    DeviceError,
    DTypeError,
    RaggedError,
    RangeError,
    ScalarError,
    ShapeError,
    UnsupportedDTypeError,
)

CALLS = [
    "zeros(2, 3)", "zeros((2, 3))", "zeros([2])", "zeros(())", "zeros(0)", "ones(2, dtype={0}.int64)",
    "ones(2, dtype=bool)", "full((2, 2), 3)", "full((2,), 3.5)", "full((2,), True)", "full((2,), 1j)",
    "full((2,), 3, dtype={0}.float64)", "full((), 7)", "eye(2)", "eye(2, 3)", "eye(0)", "eye(3, dtype={0}.bool)",
    "arange(5)", "arange(2, 5)", "arange(5, 2, -1)", "arange(0, 1, 0.25)", "arange(2.0)", "arange(1, 10, 4)",
    "arange(0)", "arange(3, dtype={0}.float16)", "arange(0, 1, 0.1, dtype={0}.float64)", "arange(-2**62, -2**62 + 3)",
    "linspace(0, 1, 5)", "linspace(3, 3, 1)", "linspace(0, 1, 0)", "linspace(0, 10, 5, dtype={0}.int64)",
    "linspace(-1, 1, 7)", "zeros_like({0}.arange(3))", "ones_like({0}.zeros(2, 2))", "full_like({0}.ones(2), 3)",
    "full_like({0}.arange(2), 3.7)", "zeros_like({0}.arange(3), dtype={0}.float32)", "tensor(1)", "tensor(1.0)",
    "tensor(True)", "tensor(1j)", "tensor([[1, 2], [3, 4]])", "tensor([])", "tensor([[], []])",
    "tensor([3, 0], dtype={0}.bool)", "tensor([1, 2], dtype={0}.float64)", "tensor([1.9, -1.9], dtype={0}.int32)",
    "tensor([{0}.tensor(1.0), 2])", "tensor([{0}.ones(1), {0}.ones(1)])", "tensor([2, {0}.ones(1, 1)])",
    "tensor([[{0}.ones(1)], [{0}.tensor(2)]])", "tensor([{0}.tensor([1]), {0}.tensor(2.0, dtype={0}.float64)])",
    "tensor([{0}.tensor([True])])", "tensor([{0}.tensor([1j]), 1.0])", "tensor([[1.0], {0}.ones(1)])",
    "as_tensor([{0}.ones(1), {0}.tensor(2.0)])", "as_tensor(3)", "as_tensor([1.0, 2.0])", "tensor((1, 2.0))",
    "tensor(range(3))",
]  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_like_pytorch(call: str) -> None:
    torch = pytest.importorskip("torch")
    theirs = eval("torch." + call.format("torch"), {"torch": torch}).numpy()
    ours = eval("tp." + call.format("tp"), {"tp": tp}).numpy()
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-7)


def test_tensor_copies_and_keeps_the_arrays_dtype() -> None:
    array = np.array([1, 2], "int32")
    x = tp.tensor(array)
    array[0] = 9
    assert x.tolist() == [1, 2] and x.dtype is tp.int32
    assert tp.tensor(np.float64(1)).dtype is tp.float64


def test_copy_construction_warns_and_drops_the_history() -> None:
    x = tp.tensor([1.0], requires_grad=True)
    with pytest.warns(UserWarning, match="To copy construct from a tensor"):
        y = tp.tensor(x * 2)
    assert y.is_leaf and not y.requires_grad and y.tolist() == [2.0]
    with pytest.warns(UserWarning, match="no gradient will flow back"):
        tp.tensor([x.sum(), 2.0])


@pytest.mark.parametrize("shape", [(2,), (0,), (3, 1)])
def test_a_tensor_in_a_list_is_one_number(shape: tuple[int, ...]) -> None:
    torch = pytest.importorskip("torch")
    for lib in (tp, torch):
        with pytest.raises(ValueError, match="only one element tensors can be converted to Python scalars"):
            lib.tensor([lib.ones(1), lib.zeros(*shape)])
    with pytest.raises(ScalarError, match=r"tp.stack\(list\) joins tensors of one shape"):
        tp.tensor([tp.ones(shape)])


MAKERS = {
    "zeros": lambda lib, flag: lib.zeros(1, requires_grad=flag),
    "ones": lambda lib, flag: lib.ones(1, requires_grad=flag),
    "empty": lambda lib, flag: lib.empty(1, requires_grad=flag),
    "full": lambda lib, flag: lib.full((1,), 2.0, requires_grad=flag),
    "eye": lambda lib, flag: lib.eye(1, requires_grad=flag),
    "arange": lambda lib, flag: lib.arange(1.0, requires_grad=flag),
    "linspace": lambda lib, flag: lib.linspace(0, 1, 2, requires_grad=flag),
    "ones_like": lambda lib, flag: lib.ones_like(lib.ones(1), requires_grad=flag),
    "full_like": lambda lib, flag: lib.full_like(lib.ones(1), 2.0, requires_grad=flag),
    "rand": lambda lib, flag: lib.rand(1, requires_grad=flag),
    "randn_like": lambda lib, flag: lib.randn_like(lib.ones(1), requires_grad=flag),
    "randint": lambda lib, flag: lib.randint(0, 2, (1,), requires_grad=flag),
    "randperm": lambda lib, flag: lib.randperm(1, requires_grad=flag),
    "integers": lambda lib, flag: lib.ones(1, dtype=lib.int64, requires_grad=flag),
    "tensor": lambda lib, flag: lib.tensor([1.0], requires_grad=flag),
    "Parameter": lambda lib, flag: lib.nn.Parameter(lib.ones(1), flag),
    "requires_grad_": lambda lib, flag: lib.ones(1).requires_grad_(flag),
}


@pytest.mark.parametrize("library", ["tensorplay", "torch"])
@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_requires_grad_is_a_bool(make: Any, library: str) -> None:
    lib = pytest.importorskip(library)
    for value in ("x", "", 1, 0, 1.0, np.True_, [], lib.tensor(True)):
        with pytest.raises(TypeError, match=r"requires?_grad"):
            make(lib, value)
    assert make(lib, False).requires_grad is False


def test_requires_grad_none_is_false() -> None:
    """In PyTorch too, but not where it is the tensor itself that is asked."""
    for name in ("zeros", "full", "arange", "ones_like", "rand", "randint", "integers"):
        assert MAKERS[name](tp, None).requires_grad is False
    for name in ("tensor", "Parameter", "requires_grad_"):
        with pytest.raises(ArgumentTypeError, match="must be bool, not NoneType"):
            MAKERS[name](tp, None)


def test_requires_grad() -> None:
    x = tp.zeros(2, requires_grad=True)
    assert x.requires_grad and x.is_leaf
    for call in (lambda: tp.tensor(1, requires_grad=True), lambda: tp.arange(3, requires_grad=True)):
        with pytest.raises(DTypeError, match="Only Tensors of floating point and complex dtype can require gradients"):
            call()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: tp.zeros(), TypeError, "the size is missing"),
        (lambda: tp.zeros(2.0), TypeError, "a size is made of ints"),
        (lambda: tp.zeros(True), TypeError, "a size is made of ints"),
        (lambda: tp.zeros(2, -1), ShapeError, r"negative dimension -1: \[2, -1\]"),
        (lambda: tp.eye(-1), ShapeError, "negative dimension"),
        (lambda: tp.arange(0, 1, 0), RangeError, "step must be nonzero"),
        (lambda: tp.arange(0, -1), RangeError, "inconsistent with step sign"),
        (lambda: tp.linspace(0, 1, -1), RangeError, "number of steps must be non-negative"),
        (lambda: tp.zeros(2, device="cuda"), DeviceError, 'the only device is "cpu"'),
        (lambda: tp.zeros(2, dtype="float31"), TypeError, "invalid dtype"),
        (lambda: tp.tensor([[1, 2], [3]]), RaggedError, "expected sequence of length 2"),
        (lambda: tp.tensor("a"), TypeError, "invalid data type 'str'"),
        (lambda: tp.from_numpy([1]), TypeError, "expected np.ndarray"),
        (lambda: tp.from_numpy(np.array(["a"])), UnsupportedDTypeError, "can't convert np.ndarray"),
    ],
)
def test_errors(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


def test_device_cpu_is_accepted() -> None:
    assert tp.ones(1, device="cpu").device == "cpu" and tp.tensor(1, device="cpu").item() == 1


def test_from_numpy_and_as_tensor_share_memory() -> None:
    array = np.zeros(3, "float32")
    for share in (tp.from_numpy(array), tp.as_tensor(array)):
        array[0] += 1
        assert share[0].item() == array[0]
    assert tp.as_tensor(array, dtype=tp.float64).dtype is tp.float64
    x = tp.ones(2, requires_grad=True)
    assert tp.as_tensor(x) is x


def test_a_read_only_array_is_warned_about() -> None:
    array = np.zeros(2)
    array.flags.writeable = False
    with pytest.warns(UserWarning, match="not writable"):
        tp.from_numpy(array)


def test_created_in_inference_mode() -> None:
    with tp.inference_mode():
        made = [tp.zeros(1), tp.tensor([1.0]), tp.rand(2), tp.arange(2)]
    assert all(x.is_inference() for x in made)


def test_the_default_dtype_is_followed() -> None:
    tp.set_default_dtype(tp.float64)
    try:
        made = [tp.zeros(1), tp.tensor(1.5), tp.rand(1), tp.arange(0, 1, 0.5), tp.full((1,), 2.0)]
    finally:
        tp.set_default_dtype(tp.float32)
    assert {x.dtype for x in made} == {tp.float64}

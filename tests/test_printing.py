"""Printing, compared with PyTorch character by character."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from tensorplay.arrays import dtypes
from tensorplay.printing import format_tensor, set_printoptions

SHAPES = [
    (), (1,), (3,), (7,), (40,), (2, 3), (1, 1), (5, 5), (2, 3, 4), (2, 2, 2, 2), (0,), (2, 0), (0, 3),
    (1000,), (1001,), (40, 40), (3, 400), (400, 3), (11, 10, 12), (7, 8, 9, 3), (2000, 1), (1, 3, 500),
]  # fmt: skip
SCALES = (1.0, 1e-6, 1e5, 1e9)


@pytest.fixture(autouse=True)
def options() -> Iterator[None]:
    yield
    set_printoptions(precision=4, threshold=1000, edgeitems=3, linewidth=80)


def theirs(array: np.ndarray, **change: bool) -> str:
    torch = pytest.importorskip("torch")
    tensor = torch.from_numpy(array.copy())
    return repr(tensor.requires_grad_() if change.get("requires_grad") else tensor)


@pytest.fixture
def torch_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a line breaks depends on the length of `dtype=torch.float64`, so for comparing we say "torch" too."""
    monkeypatch.setattr(dtypes.DType, "__repr__", lambda self: f"torch.{self.name}")


def arrays(dtype: str) -> Iterator[np.ndarray]:
    rng = np.random.default_rng(0)
    for shape in SHAPES:
        for scale in SCALES:
            values = np.asarray(rng.standard_normal(shape) * scale)
            yield from map(np.asarray, variants(values, dtype, rng))


def variants(values: np.ndarray, dtype: str, rng: np.random.Generator) -> Iterator[np.ndarray]:
    kind = np.dtype(dtype).kind
    with np.errstate(all="ignore"):
        if kind == "c":
            yield np.asarray(values + 1j * rng.standard_normal(values.shape)).astype(dtype)
        elif kind == "f":
            yield values.astype(dtype)
            yield np.round(values).astype(dtype)
            special = rng.choice([np.nan, np.inf, -np.inf, 0.0, 1.0, -1.0], values.shape)
            yield np.where(np.abs(special) == 1, values, special).astype(dtype)
            yield (rng.random(values.shape) * 10.0 ** rng.uniform(-8, 8, values.shape)).astype(dtype)
        else:
            yield np.clip(values, -100, 100).astype(dtype) if kind in "iu" else values > 0


@pytest.mark.usefixtures("torch_names")
@pytest.mark.parametrize("dtype", [dtype.name for dtype in dtypes.ALL])
def test_like_pytorch(dtype: str) -> None:
    for array in arrays(dtype):
        assert format_tensor(array) == theirs(array)


@pytest.mark.usefixtures("torch_names")
@pytest.mark.parametrize(
    "values",
    [
        [1e-5, 1.0], [5e-324, 1.0], [-0.0, 1.5], [0.0, 0.0], [-0.0], [1e8], [1e8 + 8], [999.0, 1e6], [1e-4],
        [99999999.5], [1e300, 1e-300], [1000.0, 1.0], [1001.0, 1.0], [np.nan], [np.inf, -np.inf], [np.nan, 0.25],
    ],
)  # fmt: skip
def test_the_edges_of_each_format(values: list[float]) -> None:
    with np.errstate(over="ignore"):
        for dtype in ("float32", "float64"):
            array = np.array(values).astype(dtype)
            assert format_tensor(array) == theirs(array)


@pytest.mark.usefixtures("torch_names")
@pytest.mark.parametrize("shape", [(3,), (7,), (8,), (9,), (10,), (2, 3), (30,), (2, 0), (0,)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_suffixes_break_where_pytorchs_do(shape: tuple[int, ...], dtype: str) -> None:
    array = np.random.default_rng(1).standard_normal(shape).astype(dtype)
    assert format_tensor(array, requires_grad=True) == theirs(array, requires_grad=True)


def test_documented_forms() -> None:
    assert format_tensor(np.array([0.5, 1.0], "float32")) == "tensor([0.5000, 1.0000])"
    assert format_tensor(np.array(12.0, "float32")) == "tensor(12.)"
    assert format_tensor(np.array([True, False])) == "tensor([ True, False])"
    assert format_tensor(np.array([1e-5, 1], "float32")) == "tensor([1.0000e-05, 1.0000e+00])"
    assert format_tensor(np.empty((2, 0), "float32")) == "tensor([], size=(2, 0))"
    assert format_tensor(np.array([1.5])) == "tensor([1.5000], dtype=tensorplay.float64)"


def test_grad_fn_stands_for_requires_grad() -> None:
    array = np.array(2.0, "float32")
    assert format_tensor(array, requires_grad=True, grad_fn="MulBackward") == "tensor(2., grad_fn=<MulBackward>)"
    assert format_tensor(array, requires_grad=True) == "tensor(2., requires_grad=True)"


def test_the_default_dtype_is_not_told() -> None:
    dtypes.set_default_dtype("float64")
    try:
        assert format_tensor(np.array([1.5])) == "tensor([1.5000])"
        assert format_tensor(np.array([1.5], "float32")) == "tensor([1.5000], dtype=tensorplay.float32)"
    finally:
        dtypes.set_default_dtype("float32")


@pytest.mark.usefixtures("torch_names")
def test_options() -> None:
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(2)
    chosen = {"precision": 2, "threshold": 5, "edgeitems": 1, "linewidth": 40}
    set_printoptions(**chosen)
    torch.set_printoptions(**chosen)
    try:
        for array in (rng.standard_normal(20), rng.standard_normal((4, 4)), rng.standard_normal((2, 2))):
            assert format_tensor(array) == theirs(array)
    finally:
        torch.set_printoptions(profile="default")


def test_scientific_can_be_forced() -> None:
    set_printoptions(sci_mode=True)
    assert format_tensor(np.array([0.5], "float32")) == "tensor([5.0000e-01])"
    set_printoptions(sci_mode=False)
    assert format_tensor(np.array([1e-5, 1.5], "float32")) == "tensor([0.0000, 1.5000])"

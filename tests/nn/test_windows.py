"""Padding, convolutions, pooling, normalisation and dropout: values and gradients are PyTorch's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay import errors, func, nn
from tensorplay.autograd import gradcheck, gradgradcheck

F = nn.functional


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(len(shape)).normal(size=shape)


IMAGES = {1: numbers(2, 4, 9), 2: numbers(2, 4, 7, 6), 3: numbers(1, 4, 5, 4, 6)}


def compare(call: Any, *arrays: np.ndarray) -> None:
    """`call(namespace, functional, *tensors)` gives in both libraries the same results and gradients."""
    torch = pytest.importorskip("torch")
    ours = [tp.tensor(a).requires_grad_(a.dtype.kind == "f") for a in arrays]
    theirs = [torch.tensor(a, requires_grad=a.dtype.kind == "f") for a in arrays]
    got, want = call(tp, F, *ours), call(torch, torch.nn.functional, *theirs)
    pairs = list(zip(got, want, strict=True)) if isinstance(want, tuple) else [(got, want)]
    for mine, other in pairs:
        assert mine.shape == tuple(other.shape) and str(mine.dtype).split(".")[-1] == str(other.dtype).split(".")[-1]
        np.testing.assert_allclose(mine.detach().numpy(), other.detach().numpy(), rtol=1e-9, atol=1e-11)
    mine, other = pairs[0]
    weights = numbers(*mine.shape)
    (mine * tp.tensor(weights)).sum().backward()
    (other * torch.tensor(weights)).sum().backward()
    for a, b in zip(ours, theirs, strict=True):
        if b.grad is not None:
            np.testing.assert_allclose(a.grad.numpy(), b.grad.numpy(), rtol=1e-8, atol=1e-10)


PADS = [
    (2, (1, 2), "constant", 0), (2, (1, 2, 0, 3), "constant", 1.5), (2, (-1, 2, 3, -2), "constant", 2.0),
    (1, (2, 3), "reflect", None), (2, (2, 3, 1, 0), "reflect", None), (3, (1, 1, 2, 0, 1, 3), "reflect", None),
    (1, (2, 12), "replicate", None), (2, (-1, 3, 1, 0), "replicate", None), (2, (2, 6, 7, 1), "circular", None),
]  # fmt: skip


@pytest.mark.parametrize(("n", "frame", "mode", "value"), PADS)
def test_pad(n: int, frame: Any, mode: str, value: Any) -> None:
    compare(lambda lib, f, x: f.pad(x, frame, mode, value), IMAGES[n])


CONVOLUTIONS: list[dict[str, Any]] = [
    {}, {"stride": 2}, {"padding": 1}, {"padding": 2, "stride": 3}, {"dilation": 2}, {"padding": "valid"},
    {"groups": 2}, {"groups": 4, "padding": 1, "dilation": 2, "stride": 2}, {"padding": "same", "dilation": 2},
    {"padding": "same"},
]  # fmt: skip


@pytest.mark.parametrize("options", CONVOLUTIONS, ids=str)
@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("width", [1, 2])
@pytest.mark.filterwarnings("ignore:Using padding='same' with even kernel")
def test_conv(n: int, options: dict[str, Any], width: int) -> None:
    weight = numbers(8, 4 // options.get("groups", 1), *(3, width, 2)[:n])
    compare(lambda lib, f, x, w, b: getattr(f, f"conv{n}d")(x, w, b, **options), IMAGES[n], weight, numbers(8))
    compare(lambda lib, f, x, w: getattr(f, f"conv{n}d")(x[0], w, **options), IMAGES[n], weight)


TRANSPOSED: list[dict[str, Any]] = [
    {}, {"stride": 2}, {"stride": 3, "padding": 1, "output_padding": 2}, {"padding": 2}, {"dilation": 2, "groups": 2},
    {"groups": 4, "padding": 1, "dilation": 2, "stride": 2, "output_padding": 1},
]  # fmt: skip


@pytest.mark.parametrize("options", TRANSPOSED, ids=str)
@pytest.mark.parametrize("n", [1, 2, 3])
def test_conv_transpose(n: int, options: dict[str, Any]) -> None:
    groups = options.get("groups", 1)
    name, arrays = f"conv_transpose{n}d", (IMAGES[n], numbers(4, 3, *(3, 2, 3)[:n]), numbers(3 * groups))
    compare(lambda lib, f, x, w, b: getattr(f, name)(x, w, b, **options), *arrays)


POOLS: list[dict[str, Any]] = [
    {"kernel_size": 2}, {"kernel_size": 3, "stride": 2}, {"kernel_size": 3, "stride": 2, "padding": 1},
    {"kernel_size": 3, "stride": 2, "padding": 1, "ceil_mode": True},
    {"kernel_size": 2, "stride": 3, "ceil_mode": True},
]  # fmt: skip


@pytest.mark.parametrize("options", POOLS, ids=str)
@pytest.mark.parametrize("n", [1, 2, 3])
def test_pools(n: int, options: dict[str, Any]) -> None:
    x = IMAGES[n]
    compare(lambda lib, f, x: getattr(f, f"max_pool{n}d")(x, **options, return_indices=True), x)
    compare(lambda lib, f, x: getattr(f, f"max_pool{n}d")(x, **options), np.round(x))  # ties
    for included in (True, False):
        compare(lambda lib, f, x, c=included: getattr(f, f"avg_pool{n}d")(x, **options, count_include_pad=c), x)
    if n > 1:
        compare(lambda lib, f, x: getattr(f, f"avg_pool{n}d")(x, **options, divisor_override=3), x)
    if "padding" not in options:
        compare(lambda lib, f, x: getattr(f, f"lp_pool{n}d")(x, 2.0, **options), x)


def test_max_pool_dilated() -> None:
    compare(lambda lib, f, x: f.max_pool2d(x, 2, 1, 1, 2, return_indices=True), IMAGES[2])
    compare(lambda lib, f, x: f.max_pool2d(x[0], (3, 2), 2, return_indices=True), IMAGES[2])


@pytest.mark.parametrize("size", [1, 2, 3, 4])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_adaptive_pools(n: int, size: int) -> None:
    compare(lambda lib, f, x: getattr(f, f"adaptive_avg_pool{n}d")(x, size), IMAGES[n])
    compare(lambda lib, f, x: getattr(f, f"adaptive_max_pool{n}d")(x, size, True), IMAGES[n])


FOLDS = [{"kernel_size": 2}, {"kernel_size": (3, 2), "padding": 1, "stride": 2}, {"kernel_size": 2, "dilation": 2}]


@pytest.mark.parametrize("options", FOLDS, ids=str)
def test_unfold_and_fold(options: dict[str, Any]) -> None:
    columns = F.unfold(tp.tensor(IMAGES[2]), **options).numpy()
    compare(lambda lib, f, x: f.unfold(x, **options), IMAGES[2])
    compare(lambda lib, f, x: f.fold(x, (7, 6), **options), columns)


def test_adaptive_pool_keeps_a_size() -> None:
    compare(lambda lib, f, x: f.adaptive_avg_pool2d(x, (None, 2)), IMAGES[2])


NORMS: dict[str, Any] = {
    "batch": lambda lib, f, x, w, b: f.batch_norm(x, None, None, w, b, True),
    "batch, evaluation": lambda lib, f, x, w, b: f.batch_norm(x, b.detach(), w.detach() ** 2, w, b),
    "group": lambda lib, f, x, w, b: f.group_norm(x, 2, w, b),
    "instance": lambda lib, f, x, w, b: f.instance_norm(x, None, None, w, b),
    "layer": lambda lib, f, x, w, b: f.layer_norm(x.transpose(1, -1), (4,), w, b) if x.ndim == 3 else x * 1,
    "rms": lambda lib, f, x, w, b: f.rms_norm(x.transpose(1, -1), (4,), w),
    "local": lambda lib, f, x, w, b: f.local_response_norm(x, 3, 0.1),
}


@pytest.mark.parametrize("name", NORMS)
@pytest.mark.parametrize("n", [1, 2, 3])
def test_norms(name: str, n: int) -> None:
    compare(NORMS[name], IMAGES[n], numbers(4) + 2, numbers(4))


LAYERS: dict[str, tuple[Any, int]] = {
    "Conv2d(4, 6, 3, padding=1, groups=2)": (2, 2), "Conv2d(4, 6, 3, padding='same', padding_mode='reflect')": (2, 2),
    "Conv1d(4, 6, 3, padding=2, stride=2, padding_mode='circular', bias=False)": (1, 1), "Conv3d(4, 2, 2)": (3, 3),
    "Conv2d(4, 6, (3, 2), padding=(2, 1), dilation=2, padding_mode='replicate')": (2, 2),
    "ConvTranspose2d(4, 6, 3, stride=2, output_padding=1)": (2, 2), "ConvTranspose1d(4, 6, 3)": (1, 1),
    "BatchNorm1d(4)": (1, 1), "BatchNorm2d(4, momentum=None)": (2, 2), "BatchNorm3d(4, affine=False)": (3, 3),
    "BatchNorm2d(4, track_running_stats=False)": (2, 2), "LayerNorm((7, 6))": (2, 2), "GroupNorm(2, 4)": (2, 2),
    "InstanceNorm1d(4, affine=True, track_running_stats=True)": (1, 1), "InstanceNorm2d(4)": (2, 2),
    "RMSNorm(6)": (2, 2), "LocalResponseNorm(2)": (2, 2), "LayerNorm(6, bias=False)": (2, 2),
    "MaxPool2d(2)": (2, 2), "MaxPool1d(3, 2, 1)": (1, 1), "AvgPool1d(2)": (1, 1), "AvgPool2d(3, 2, 1)": (2, 2),
    "AvgPool3d(2)": (3, 3), "AdaptiveAvgPool2d(2)": (2, 2), "AdaptiveMaxPool1d(3)": (1, 1), "LPPool2d(2, 2)": (2, 2),
    "ConstantPad1d(1, 2.0)": (1, 1), "ZeroPad2d(1)": (2, 2), "ReflectionPad2d((1, 2, 3, 1))": (2, 2),
    "ReplicationPad3d(1)": (3, 3), "CircularPad2d(1)": (2, 2), "ZeroPad1d(2)": (1, 1), "ZeroPad3d(1)": (3, 3),
    "Dropout(0.3).eval()": (2, 2), "AlphaDropout().eval()": (2, 2), "Dropout2d(0.2).eval()": (2, 2),
}  # fmt: skip


@pytest.mark.parametrize("text", LAYERS)
def test_layers(text: str) -> None:
    torch = pytest.importorskip("torch")
    ours, theirs = eval("nn." + text), eval("torch.nn." + text, {"torch": torch})
    assert repr(ours) == repr(theirs)
    assert list(ours.state_dict()) == list(theirs.state_dict())
    theirs.load_state_dict({k: torch.from_numpy(np.array(v.numpy())) for k, v in ours.state_dict().items()})
    x = IMAGES[LAYERS[text][0]].astype(np.float32)
    for _ in range(2):
        got, want = ours(tp.tensor(x)), theirs(torch.tensor(x))
        np.testing.assert_allclose(got.detach().numpy(), want.detach().numpy(), rtol=1e-4, atol=1e-5)
    for name, value in theirs.state_dict().items():
        np.testing.assert_allclose(ours.state_dict()[name].numpy(), value.numpy(), rtol=1e-4, atol=1e-6)
    got, want = ours.eval()(tp.tensor(x)), theirs.eval()(torch.tensor(x))
    np.testing.assert_allclose(got.detach().numpy(), want.detach().numpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", ["Conv2d", "ConvTranspose2d"])
def test_starting_values(name: str) -> None:
    layer = getattr(nn, name)(40, 40, 3)
    for values in (layer.weight, layer.bias):
        assert 0.9 / 360**0.5 < abs(values).max().item() <= 1 / 360**0.5


SECOND: dict[str, Any] = {
    "conv": lambda x: F.conv2d(x, x[:1, :, :2, :2], stride=2, padding=1),
    "transposed": lambda x: F.conv_transpose2d(x, x[0, :, None, :2, :2], stride=2),
    "max": lambda x: F.max_pool2d(x, 2, padding=1) ** 2,
    "mean": lambda x: F.avg_pool2d(x, 2) ** 2,
    "adaptive": lambda x: F.adaptive_avg_pool2d(x, 2) ** 2,
    "reflect": lambda x: F.pad(x, (1, 1, 1, 1), "reflect") ** 2,
    "batch norm": lambda x: F.batch_norm(x, None, None, training=True),
    "layer norm": lambda x: F.layer_norm(x, (3,)),
}


@pytest.mark.parametrize("name", SECOND)
def test_second_order_and_batches(name: str) -> None:
    x = tp.tensor(numbers(2, 2, 3, 3)).requires_grad_()
    assert gradcheck(SECOND[name], (x,)) and gradgradcheck(SECOND[name], (x,))
    many = tp.tensor(numbers(3, 2, 2, 3, 3))
    one_by_one = np.stack([SECOND[name](m).numpy() for m in many])
    np.testing.assert_allclose(func.vmap(SECOND[name])(many).numpy(), one_by_one, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("name", ["dropout", "dropout1d", "dropout2d", "dropout3d"])
def test_dropout(name: str) -> None:
    tp.manual_seed(0)
    x = (
        tp.ones(20, 30, *(8,) * int(name[7:8] or 1), requires_grad=True)
        if name != "dropout3d"
        else tp.ones(9, 9, 2, 2, 2)
    )
    out = getattr(F, name)(x, 0.25)
    values = out.detach().numpy()
    np.testing.assert_allclose(np.unique(values), [0, 4 / 3], rtol=1e-6)
    assert abs((values == 0).mean() - 0.25) < 0.1
    if name != "dropout":
        assert (values == values[:, :, *(slice(0, 1),) * (values.ndim - 2)]).all()
    assert getattr(F, name)(x, 1.0).sum().item() == 0 and getattr(F, name)(x, 0.5, False) is x


def test_dropout_in_place_and_alpha() -> None:
    x = tp.ones(100)
    assert F.dropout(x, 0.5, inplace=True) is x and 0 in x.tolist()
    tp.manual_seed(1)
    out = F.alpha_dropout(tp.randn(20000), 0.3, True)
    assert abs(out.mean().item()) < 0.05 and abs(out.std().item() - 1) < 0.05
    assert F.feature_alpha_dropout(tp.randn(2, 3, 4), 0.5, True).shape == (2, 3, 4)


x = tp.zeros(1, 2, 5, 5)
WRONG: list[tuple[Any, type[Exception], type[Exception], str]] = [
    (lambda: F.conv2d(x, tp.zeros(3, 4, 3, 3)), errors.ShapeError, RuntimeError, "to have 4 channels, but got 2"),
    (lambda: F.conv2d(tp.zeros(5), tp.zeros(3, 4, 3, 3)), errors.ShapeError, RuntimeError, "Expected 3D (unbatched)"),
    (lambda: F.conv2d(x, tp.zeros(3, 2, 7, 7)), errors.ShapeError, RuntimeError, "can't be greater than actual input"),
    (lambda: F.conv2d(x, tp.zeros(3, 2, 3, 3), tp.zeros(4)), errors.ShapeError, RuntimeError, "expected bias to be"),
    (lambda: F.conv2d(x, tp.zeros(3, 2, 3, 3), stride=0), errors.ShapeError, RuntimeError, "non-positive stride"),
    (lambda: F.conv2d(x, tp.zeros(3, 2, 3, 3), padding=-1), errors.ShapeError, RuntimeError, "negative padding"),
    (lambda: F.conv2d(x, tp.zeros(3, 2, 3, 3), padding="a"), errors.ShapeError, RuntimeError, "Invalid padding string"),
    (lambda: F.max_pool2d(x, 2, padding=2), errors.ShapeError, RuntimeError, "at most half of effective kernel size"),
    (lambda: F.max_pool2d(x, 7), errors.ShapeError, RuntimeError, "Output size is too small"),
    (lambda: F.pad(x, (1,)), errors.ShapeError, RuntimeError, "Padding length must be divisible by 2"),
    (lambda: F.pad(x, (6, 1, 1, 1), "reflect"), errors.ShapeError, RuntimeError, "Padding size should be less than"),
    (lambda: F.pad(x, (6, 1, 1, 1), "circular"), errors.ShapeError, RuntimeError, "wrapping around more than once"),
    (lambda: F.pad(x, (1, 1), "a"), errors.PaddingModeError, NotImplementedError, "Unrecognised padding mode a"),
    (lambda: F.batch_norm(x, None, None), errors.ShapeError, RuntimeError, "must be defined in evaluation mode"),
    (lambda: F.batch_norm(tp.zeros(1, 2), None, None, training=True), errors.HyperparameterError, ValueError,
     "Expected more than 1 value per channel"),
    (lambda: F.layer_norm(x, (4,)), errors.ShapeError, RuntimeError, "expected input with shape [*, 4]"),
    (lambda: F.group_norm(x, 3), errors.ShapeError, RuntimeError, "divisible by num_groups"),
    (lambda: F.dropout(x, 1.5), errors.HyperparameterError, ValueError, "between 0 and 1, but got 1.5"),
    (lambda: nn.BatchNorm2d(2)(tp.zeros(2, 2)), errors.HyperparameterError, ValueError, "expected 4D input (got 2D"),
    (lambda: nn.Conv2d(3, 4, 3, groups=2), errors.HyperparameterError, ValueError, "in_channels must be divisible"),
    (lambda: nn.Conv2d(4, 4, 3, padding_mode="a"), errors.HyperparameterError, ValueError, "padding_mode must be one"),
]  # fmt: skip


@pytest.mark.parametrize("row", WRONG, ids=lambda row: row[3])
def test_wrong_uses(row: Any) -> None:
    call, ours, built_in, message = row
    with pytest.raises(ours) as caught:
        call()
    assert isinstance(caught.value, built_in) and message in str(caught.value)

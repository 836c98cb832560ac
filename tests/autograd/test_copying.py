"""copy, deepcopy and pickle of tensors: what goes along, what is shared, and what is refused."""

from __future__ import annotations

import copy
import io
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.testing import assert_close
from tests.autograd.pieces import leaf


def pickled(x: Any) -> Any:
    return pickle.loads(pickle.dumps(x))


class Named(tp.nn.Parameter):
    """A subclass that keeps something of its own."""

    name: str


def named(name: str = "w") -> Named:
    parameter = Named(tp.tensor([1.0, 2.0]))
    parameter.name = [name]  # type: ignore[assignment]
    return parameter


WAYS = [copy.copy, copy.deepcopy, pickled]
VALUES = [
    np.float32([[1.5, -2.0]]), np.float64(3.0), np.zeros((0, 2), np.float32), np.array([True, False]),
    np.arange(3), np.uint8([255]), np.float16([0.5]), np.complex64([1 + 2j]),
]  # fmt: skip


@pytest.mark.parametrize("way", WAYS, ids=lambda w: w.__name__)
@pytest.mark.parametrize("value", VALUES, ids=lambda v: f"{v.dtype}{v.shape}")
def test_value_dtype_and_shape(way, value):
    x = tp.tensor(value)
    y = way(x)
    assert y is not x
    assert (y.dtype, y.shape, y.requires_grad, y.is_leaf) == (x.dtype, x.shape, False, True)
    assert np.array_equal(y.numpy(), x.numpy())
    assert np.shares_memory(y.numpy(), x.numpy()) is (way is copy.copy and x.numel() > 0)


@pytest.mark.parametrize("way", WAYS, ids=lambda w: w.__name__)
@pytest.mark.parametrize("needs", [True, False])
def test_requires_grad_goes_along(way, needs):
    x = tp.tensor([1.0, 2.0], requires_grad=needs)
    y = way(x)
    assert y.requires_grad is needs
    if needs:
        (y * y).sum().backward()
        assert y.grad.tolist() == [2.0, 4.0]
        assert x.grad is None


def test_a_deepcopy_has_a_copy_of_grad():
    x = leaf(1.0, 2.0)
    (x * x).sum().backward()
    y = copy.deepcopy(x)
    y.grad.zero_()
    assert x.grad.tolist() == [2.0, 4.0]
    assert y.grad.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("way", [copy.copy, pickled], ids=lambda w: w.__name__)
def test_a_copy_and_a_pickle_have_no_grad(way):
    x = leaf(1.0, 2.0)
    (x * x).sum().backward()
    assert way(x).grad is None


@pytest.mark.parametrize("way", WAYS, ids=lambda w: w.__name__)
def test_a_parameter_stays_one_and_leaves_its_grad(way):
    p = tp.nn.Parameter(tp.ones(2))
    (p * p).sum().backward()
    q = way(p)
    assert type(q) is tp.nn.Parameter
    assert (q.requires_grad, q.grad, q.tolist()) == (True, None, [1.0, 1.0])


@pytest.mark.parametrize("way", WAYS, ids=lambda w: w.__name__)
def test_a_subclass_keeps_its_class_and_its_attributes(way):
    p = named()
    q = way(p)
    assert type(q) is Named
    assert q.name == ["w"]
    assert (q.name is p.name) is (way is copy.copy)


def test_a_frozen_parameter_stays_frozen():
    assert not copy.deepcopy(tp.nn.Parameter(tp.ones(1), requires_grad=False)).requires_grad
    assert not pickled(tp.nn.Parameter(tp.ones(1), requires_grad=False)).requires_grad


# --------------------------------------------------------------------------------------------- sharing


def test_one_tensor_twice_stays_one_tensor():
    x = leaf(1.0)
    a, b = copy.deepcopy([x, x])
    assert a is b
    assert a is not x
    c, d = pickled([x, x])
    assert c is d


def test_a_tensor_that_holds_itself():
    p = named()
    p.name = [p]  # type: ignore[assignment]
    q = copy.deepcopy(p)
    assert q.name[0] is q


SHARING: dict[str, Callable[[tp.Tensor], tp.Tensor]] = {
    "slice": lambda x: x[1:],
    "reversed rows": lambda x: tp.from_numpy(x.numpy()[::-1, ::2]),
    "reshape": lambda x: x.reshape(-1),
    "transpose": lambda x: x.T,
    "element": lambda x: x[1, 2],
    "detach": lambda x: x.detach(),
    "stretched": lambda x: x[:, :1].expand(2, 4, 2),
    "other dtype": lambda x: tp.from_numpy(x.numpy().view(np.int32)),
}


def swapped(array: np.ndarray) -> np.ndarray:
    """The same numbers in a memory that runs along neither the first nor the last axis."""
    return array.swapaxes(0, 1).copy().swapaxes(0, 1)


@pytest.mark.parametrize("base", ["rows", "columns", "permuted"])
@pytest.mark.parametrize("view", SHARING)
def test_tensors_that_share_memory_share_it_in_the_copy(view, base):
    memory = np.arange(12, dtype=np.float32).reshape(2, 3, 2)
    x = tp.from_numpy({"rows": memory, "columns": memory.copy("F"), "permuted": swapped(memory)}[base].copy("K"))
    v = SHARING[view](x)
    for order in (1, -1):
        twins = dict(zip("xv"[::order], copy.deepcopy([x, v][::order]), strict=True))
        assert np.array_equal(twins["v"].numpy(), v.numpy())
        assert twins["v"].stride() == v.stride() or v.numel() == 1
        assert np.shares_memory(twins["x"].numpy(), twins["v"].numpy()) is np.shares_memory(x.numpy(), v.numpy())
        assert not np.shares_memory(twins["v"].numpy(), v.numpy())
        twins["x"].fill_(7.0)
        assert (twins["v"].tolist() != v.tolist()) is np.shares_memory(x.numpy(), v.numpy())


def test_memory_with_holes_is_copied_without_them():
    x = tp.from_numpy(np.arange(12.0).reshape(3, 4)[:, 1:3])
    y = copy.deepcopy(x)
    assert y.tolist() == x.tolist()
    z = tp.from_numpy(np.frombuffer(bytearray(range(8)), np.uint8)[::2])
    assert copy.deepcopy(z).tolist() == [0, 2, 4, 6]


def test_a_tensor_and_the_array_it_shows():
    memory = np.zeros(3)
    for pair in ([memory, tp.from_numpy(memory)], [tp.from_numpy(memory), memory]):
        a, b = copy.deepcopy(pair)
        assert np.shares_memory(np.asarray(a), np.asarray(b))
        assert not np.shares_memory(np.asarray(a), memory)


def test_copies_that_share_memory_share_their_version():
    x = tp.ones(3)
    a, b = copy.deepcopy([x, x.detach()])
    a.add_(1)
    assert (a._version, b._version, x._version) == (1, 1, 0)
    y = copy.copy(x)
    x.add_(1)
    assert (x._version, y._version) == (1, 1)


def test_an_edit_of_a_copy_is_noticed_where_the_memory_is_shared():
    w = tp.ones(2)
    x = leaf(1.0, 2.0)
    y = (x * w).sum()
    copy.copy(w).mul_(3)
    with pytest.raises(tp.errors.VersionError, match="modified by an inplace operation"):
        y.backward()


# ------------------------------------------------------------------------------------- history, hooks


def test_a_deepcopy_of_a_non_leaf_is_refused():  # B2.17
    with pytest.raises(tp.errors.CopyError, match="Only Tensors created explicitly by the user") as caught:
        copy.deepcopy(leaf(1.0) * 2)
    assert isinstance(caught.value, RuntimeError)


def test_a_deepcopy_of_a_view_of_something_that_was_edited_is_refused():
    base = tp.zeros(2)
    v = base[0]
    base[1:] = leaf(3.0)
    with pytest.raises(tp.errors.CopyError):
        copy.deepcopy(v)


def test_a_grad_with_history_is_refused_too():
    x = leaf(3.0)
    with pytest.warns(UserWarning, match="create_graph"):
        (x * x).backward(create_graph=True)
    with pytest.raises(tp.errors.CopyError):
        copy.deepcopy(x)
    x.grad = None


@pytest.mark.parametrize("way", [copy.copy, pickled], ids=lambda w: w.__name__)
def test_a_copy_or_a_pickle_of_a_non_leaf_is_a_leaf(way):
    x = leaf(1.0, 2.0)
    y = way(x * 2)
    assert (y.is_leaf, y.requires_grad, y.tolist()) == (True, True, [2.0, 4.0])
    y.sum().backward()
    assert x.grad is None


def doubled(g: tp.Tensor) -> tp.Tensor:
    return g * 2


def hook_on_a_leaf() -> tp.Tensor:
    x = leaf(1.0)
    x.register_hook(doubled)
    return x


def hook_after_accumulation() -> tp.Tensor:
    x = leaf(1.0)
    x.register_post_accumulate_grad_hook(doubled)
    return x


def hook_on_a_result() -> tp.Tensor:
    y = leaf(1.0) * 1
    y.register_hook(doubled)
    return y


@pytest.mark.parametrize("way", [copy.copy, pickled], ids=lambda w: w.__name__)
@pytest.mark.parametrize("make", [hook_on_a_leaf, hook_after_accumulation, hook_on_a_result], ids=lambda f: f.__name__)
def test_hooks_are_left_behind_with_a_warning(way, make):
    x = make()
    with pytest.warns(tp.errors.HooksDroppedWarning, match=r"backward hook .*doubled.* will not be serialized"):
        y = way(x)
    y.backward()
    assert y.grad.item() == 1.0


def test_a_deepcopy_leaves_hooks_behind():
    y = copy.deepcopy(hook_on_a_leaf())
    y.backward()
    assert y.grad.item() == 1.0


def test_a_copy_made_in_inference_mode():
    x = leaf(1.0)
    with tp.inference_mode():
        i = tp.ones(1)
        assert copy.deepcopy(x).is_inference()
    for way in (copy.deepcopy, pickled):
        assert not way(i).is_inference()
    assert copy.copy(i).is_inference()


# ------------------------------------------------------------------------------------ models, pickles


def test_a_model_comes_back_from_its_pickle():
    tp.manual_seed(0)
    net = tp.nn.Sequential(tp.nn.Linear(3, 4), tp.nn.Tanh(), tp.nn.Linear(4, 1))
    x = tp.randn(2, 3)
    net(x).sum().backward()
    twin = pickled(net)
    assert_close(twin(x), net(x))
    assert [p.grad for p in twin.parameters()] == [None] * 4
    twin(x).sum().backward()
    for p, q in zip(net.parameters(), twin.parameters(), strict=True):
        assert_close(q.grad, p.grad)
        assert not np.shares_memory(p._array, q._array)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_every_protocol(protocol):
    x = leaf(1.0, 2.0)
    y = pickle.loads(pickle.dumps({"x": x, "y": [x]}, protocol))
    assert y["x"] is y["y"][0]
    assert y["x"].requires_grad


def test_a_pickle_of_a_view_keeps_only_what_it_shows():
    big = tp.zeros(100_000)
    assert len(pickle.dumps(big[:3])) < 1000


def test_a_pickle_looks_up_nothing_but_numpy_and_us():
    """What an unpickler that allows a list of names must allow."""
    names = set()

    class Listing(pickle.Unpickler):
        def find_class(self, module: str, name: str) -> Any:
            names.add(f"{module}.{name}")
            return super().find_class(module, name)

    Listing(io.BytesIO(pickle.dumps(leaf(1.0)))).load()
    ours = {name for name in names if not name.startswith("numpy")}
    assert ours == {"tensorplay.copying.rebuild", "tensorplay.tensor.Tensor"}


# --------------------------------------------------------------------------------------- beside PyTorch


def outcome(lib: Any, way: str, make: str) -> tuple[Any, ...]:
    """What a copy is in a library: class, flags, grad, values, whether memory is shared; or the error's class."""
    ways = {"copy": copy.copy, "deepcopy": copy.deepcopy, "pickle": pickled}
    x = eval(make, {"tp": lib})
    (x * x).sum().backward() if x.requires_grad and x.is_leaf else None
    try:
        y = ways[way](x)
    except RuntimeError:
        return ("RuntimeError",)
    before = y.tolist()
    with lib.no_grad():
        x.detach().zero_()
    grad = None if y.grad is None else y.grad.tolist()
    return type(y).__name__, y.requires_grad, y.is_leaf, grad, before, y.tolist(), str(y.dtype).rpartition(".")[2]


MADE = [
    "tp.tensor([1., 2.], requires_grad=True)", "tp.tensor([1., 2.])", "tp.tensor([1, 2])",
    "tp.tensor([1., 2.], requires_grad=True) * 2", "tp.nn.Parameter(tp.ones(2))", "tp.ones(2, 3)[0]",
    "tp.ones(2, requires_grad=True)[0]", "tp.nn.Parameter(tp.ones(2), requires_grad=False)",
]  # fmt: skip


@pytest.mark.parametrize("way", ["copy", "deepcopy", "pickle"])
@pytest.mark.parametrize("make", MADE)
def test_as_pytorch(way, make):
    torch = pytest.importorskip("torch")
    assert outcome(tp, way, make) == outcome(torch, way, make)


@pytest.mark.parametrize("way", WAYS, ids=lambda w: w.__name__)
def test_a_tensor_inside_a_transform_is_refused(way):
    with pytest.raises(tp.errors.CopyError, match=r"inside a transform"):
        tp.func.vmap(way)(tp.ones(2, 3))

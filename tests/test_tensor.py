"""Tensors as objects: attributes, conversions, operands of other kinds, views, versions, in-place edits."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import tensorplay as tp

# ------------------------------------------------------------------------------------- attributes


def test_what_a_tensor_tells_about_itself():
    x = tp.zeros(2, 3)
    assert (x.shape, x.ndim, x.numel(), len(x), x.dtype, x.device) == ((2, 3), 2, 6, 2, tp.float32, "cpu")
    assert (x.is_leaf, x.requires_grad, x.grad, x.grad_fn, x.output_nr) == (True, False, None, None, 0)


def test_device_is_accepted_where_tensors_are_made():
    assert tp.ones(2, device="cpu").device == "cpu"
    with pytest.raises(RuntimeError):
        tp.ones(2, device="cuda")


def test_results_of_0_d_operations_are_0_d_tensors():
    x = tp.tensor(2.0)
    for y in (x + 1, x * x, x.exp(), tp.ones(3).sum(), tp.ones(3)[0], tp.ones(2, 2).max(), x.reshape(1)[0]):
        assert y.shape == ()
        assert type(y._array) is np.ndarray


def test_tensors_are_keys_by_identity():
    a, b = tp.ones(1), tp.ones(1)
    assert {a: 1, b: 2}[a] == 1
    assert (a == b).tolist() == [True]


# ------------------------------------------------------------------------------------ conversions


def test_numbers_lists_and_arrays():
    x = tp.tensor([[1.5, 2.0]])
    assert x.tolist() == [[1.5, 2.0]]
    assert x[0, 0].item() == float(x[0, 0]) == 1.5
    assert int(tp.tensor(3.7)) == 3
    assert [10, 20, 30][tp.tensor(1)] == 20
    assert isinstance(x.numpy(), np.ndarray)
    assert np.asarray(x).tolist() == [[1.5, 2.0]]
    assert [row.tolist() for row in tp.tensor([[1, 2], [3, 4]])] == [[1, 2], [3, 4]]


def test_numpy_and_detach_share_memory_clone_does_not():
    x = tp.zeros(2)
    x.numpy()[0] = 5.0
    assert x.tolist() == [5.0, 0.0]
    x.detach()[1] = 6.0
    assert x.tolist() == [5.0, 6.0]
    x.clone()[0] = 0.0
    assert x.tolist() == [5.0, 6.0]
    source = np.zeros(2, np.float32)
    y = tp.tensor(source)
    source[0] = 1.0
    assert y.tolist() == [0.0, 0.0]


def test_truth_is_that_of_one_element():
    assert bool(tp.tensor([2.0]))
    assert not tp.tensor(0)
    with pytest.raises(RuntimeError, match="ambiguous"):
        bool(tp.ones(2))


def test_deepcopy_of_a_leaf_has_memory_of_its_own():
    x = tp.ones(2, requires_grad=True)
    y = copy.deepcopy(x)
    assert y.requires_grad
    assert y.is_leaf
    assert not np.shares_memory(x._array, y._array)


# -------------------------------------------------------------------------------- other operands


def test_numpy_numbers_are_weak_and_arrays_become_tensors():
    x = tp.ones(2, requires_grad=True)
    assert (x * np.float64(3)).dtype == (np.float64(3) * x).dtype == tp.float32
    y = np.array([1.0, 2.0], np.float32) * x
    assert type(y) is tp.Tensor
    assert y.requires_grad


def test_foreign_operands_get_their_turn():
    class Foreign:
        def __radd__(self, other):
            return "mine"

        def __rmatmul__(self, other):
            return "mine too"

    assert tp.ones(1) + Foreign() == "mine"
    assert tp.ones(1) @ Foreign() == "mine too"
    with pytest.raises(TypeError):
        tp.ones(1) + "text"


def test_comparisons_are_not_recorded():
    x = tp.tensor([1.0, 2.0], requires_grad=True)
    for result in (x > 1, x >= 1, x < 1, x <= 1, x == 1, x != 1, x.argmax()):
        assert not result.requires_grad
    assert (x > 1.5).tolist() == [False, True]
    assert (x == x).dtype == tp.bool


# ------------------------------------------------------------------------------ NumPy's functions

NUMPY = {
    "exp": np.exp,
    "add": lambda x: np.add(x, 1),
    "matmul": lambda x: np.matmul(x, x),
    "reduce": np.add.reduce,
    "accumulate": np.multiply.accumulate,
    "an array on the right": lambda x: np.add(x, np.ones(2)),
    "another dtype": lambda x: np.exp(x, dtype="float64"),
    "modf": lambda x: np.modf(x)[1],
    "absolute": np.abs,
    "reshape": lambda x: np.reshape(x, (2, 1)),
    "cumsum": np.cumsum,
    "argmax": np.argmax,
}


@pytest.mark.filterwarnings("ignore:__array_wrap__:DeprecationWarning")
@pytest.mark.parametrize("library", ["tensorplay", "torch"])
@pytest.mark.parametrize("function", NUMPY.values(), ids=NUMPY)
def test_what_numpy_makes_of_a_tensor_is_a_tensor(function, library):
    lib = pytest.importorskip(library)
    out = function(lib.tensor([1.5, -2.0]))
    assert type(out) is lib.Tensor
    assert np.array_equal(out.numpy(), function(np.array([1.5, -2.0], "float32")))
    with pytest.raises(RuntimeError, match=r"Can't call numpy\(\) on Tensor that requires grad"):
        function(lib.tensor([1.5, -2.0], requires_grad=True))


def test_an_unrecorded_function_names_the_recorded_one():
    with pytest.raises(tp.errors.ConversionError, match=r"np.exp would not be recorded. .* use tp.exp"):
        np.exp(tp.ones(1, requires_grad=True))


@pytest.mark.parametrize("write", [lambda x: np.exp(np.ones(2), out=x), lambda x: np.add.at(x, [0], 1)])
def test_numpy_does_not_write_into_a_tensor(write):
    x = tp.ones(2)
    with pytest.raises(TypeError, match="return arrays must be of ArrayType"):
        write(x)
    assert (x.tolist(), x._version) == ([1.0, 1.0], 0)


def test_numpy_writes_into_arrays_what_needs_no_gradient():
    array = same = np.ones(2)
    array += tp.ones(2)
    assert same.tolist() == [2.0, 2.0]
    with pytest.raises(RuntimeError, match="Can't call numpy"):
        array += tp.ones(2, requires_grad=True)
    assert same.tolist() == [2.0, 2.0]


OPERATORS = {
    "+": lambda a, x: a + x,
    "-": lambda a, x: a - x,
    "*": lambda a, x: a * x,
    "/": lambda a, x: a / x,
    "**": lambda a, x: a**x,
    "@": lambda a, x: a @ x,
}


@pytest.mark.parametrize("operator", OPERATORS.values(), ids=OPERATORS)
def test_an_array_on_the_left_becomes_a_tensor_and_is_recorded(operator):
    a, x = np.array([2.0, 3.0], "float32"), tp.tensor([1.5, 2.5], requires_grad=True)
    out = operator(a, x)
    assert out.requires_grad
    expected = operator(tp.tensor(a), x)
    assert out.tolist() == expected.tolist()
    assert tp.autograd.grad(out.sum(), x)[0].tolist() == tp.autograd.grad(expected.sum(), x)[0].tolist()


def test_comparisons_with_arrays_and_numpy_numbers_on_the_left():
    x = tp.tensor([1.0, 3.0], requires_grad=True)
    for left in (np.full(2, 2.0), np.float64(2)):
        results = [left < x, left <= x, left > x, left >= x, left == x, left != x]
        assert [r.tolist() for r in results] == [[False, True]] * 2 + [[True, False]] * 2 + [[False] * 2, [True] * 2]


def test_a_matrix_product_takes_arrays_on_both_sides():
    x = tp.tensor([[1.0, 2.0]], requires_grad=True)
    a = np.ones((2, 2), "float32")
    assert (x @ a).tolist() == [[3.0, 3.0]]
    assert (a @ x.T).requires_grad and (x @ a).requires_grad


# ------------------------------------------------------------------------------ views and versions


VIEWS = {
    "row": lambda x: x[0],
    "columns": lambda x: x[:, ::2],
    "element": lambda x: x[1, 2],
    "view": lambda x: x.view(3, 2),
    "reshape": lambda x: x.reshape(6),
    "transpose": lambda x: x.transpose(0, 1),
    "T": lambda x: x.T,
    "expand": lambda x: x.expand(4, 2, 3),
    "unsqueeze": lambda x: x.unsqueeze(0),
    "flatten": lambda x: x.flatten(),
    "detach": lambda x: x.detach(),
}
COPIES = {
    "clone": lambda x: x.clone(),
    "list index": lambda x: x[[0, 1]],
    "mask": lambda x: x[x >= 0],
    "reshape that must copy": lambda x: x.T.reshape(6),
    "operation": lambda x: x + 0,
}


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_shares_memory_and_version(name):
    x = tp.zeros(2, 3)
    view = VIEWS[name](x)
    assert np.shares_memory(view._array, x._array)
    x.add_(1)
    assert view._version == x._version == 1
    assert (view.numpy() == 1).all()


@pytest.mark.parametrize("name", COPIES)
def test_a_copy_does_not(name):
    x = tp.zeros(2, 3)
    other = COPIES[name](x)
    x.add_(1)
    assert other._version == 0
    assert (other.numpy() == 0).all()


def test_each_edit_raises_the_version_once():
    x = tp.ones(3)
    edits = [
        lambda: x.add_(1),
        lambda: x.sub_(1),
        lambda: x.mul_(2),
        lambda: x.div_(2),
        lambda: x.zero_(),
        lambda: x.fill_(3),
        lambda: x.copy_(tp.ones(3)),
        lambda: x.__setitem__(0, 5.0),
        lambda: x.__iadd__(1),
    ]
    for n, edit in enumerate(edits, start=1):
        edit()
        assert x._version == n
    assert x.tolist() == [6.0, 2.0, 2.0]


def test_an_edit_returns_the_same_object():
    x = tp.ones(2)
    same = x
    x += 1
    x *= 3
    assert x is same
    assert x.mul_(2).add_(1) is x
    assert x.tolist() == [13.0, 13.0]


def test_an_edit_may_not_widen():
    with pytest.raises(RuntimeError, match="result type Float can't be cast"):
        tp.ones(2, dtype=tp.int64).add_(1.5)
    with pytest.raises(RuntimeError, match=r"output with shape \[2\] doesn't match the broadcast shape"):
        tp.ones(2).add_(tp.ones(3, 2))


def test_an_edit_of_a_recorded_tensor_is_recorded_or_refused_never_wrong():
    x = tp.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    try:
        y.mul_(10)
    except RuntimeError:
        return
    y.sum().backward()
    assert x.grad.tolist() == [10.0, 10.0]


def test_a_view_of_an_edited_tensor_has_the_right_gradient_or_none():
    x = tp.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    view = y[0:1]
    try:
        y.mul_(10)
        view.sum().backward()
    except RuntimeError:
        return
    assert view.tolist() == [10.0]
    assert x.grad.tolist() == [10.0, 0.0]


def test_a_retained_gradient_follows_the_tensor_through_an_edit():
    """A hook stays with the value it was registered on; `retain_grad` follows the tensor."""
    x = tp.tensor([2.0], requires_grad=True)
    y = x.clone()
    seen = []
    y.register_hook(lambda g: seen.append(g.item()))
    y.retain_grad()
    try:
        y.mul_(3)
    except RuntimeError:
        return
    y.register_hook(lambda g: seen.append(g.item()))
    (y * y).sum().backward()
    assert seen == [12.0, 36.0]
    assert y.grad.item() == 12.0


def test_writing_a_recorded_value_into_a_plain_tensor_is_recorded_or_refused_never_lost():
    x = tp.tensor([1.0], requires_grad=True)
    y = tp.zeros(2)
    try:
        y[0:1] = x * 3
    except RuntimeError:
        assert y.tolist() == [0.0, 0.0]
        return
    y.sum().backward()
    assert x.grad.tolist() == [3.0]


def test_inference_tensors_are_not_edited_outside():
    with tp.inference_mode():
        i = tp.ones(2)
        i.add_(1)
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor"):
        i.add_(1)
    with pytest.raises(RuntimeError, match="Setting requires_grad=True on inference tensor"):
        i.requires_grad_()
    assert i.clone().add_(1).tolist() == [3.0, 3.0]
    assert (i * 2).tolist() == [4.0, 4.0]

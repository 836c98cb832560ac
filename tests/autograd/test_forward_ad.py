"""`autograd.forward_ad`: dual tensors by hand, alone and together with a backward pass."""

from __future__ import annotations

import pytest

import tensorplay as tp
from tensorplay.arrays.levels import frames
from tensorplay.autograd import forward_ad
from tensorplay.testing import assert_close
from tests.autograd.rows import Row, identifier, run

_FWD = "fwd = tp.autograd.forward_ad"
_X = "x = tp.tensor([1., 2.])"

# fmt: off
ROWS = [
    Row("B6.10", "make_dual outside a level", steps=(
        _FWD, _X, ("fwd.make_dual(x, x)", "raises ForwardADError: Trying to create a dual Tensor for forward AD but no "
                                          "level exists"),
    )),
    Row("B6.10", "a level inside a level", steps=(
        _FWD, ("with fwd.dual_level(): fwd.enter_dual_level()",
               "raises ForwardADError: Nested forward mode AD is not supported"),
        ("fwd.enter_dual_level()", "0"), ("fwd.exit_dual_level()", "None"),
        ("fwd.exit_dual_level()", "raises ForwardADError: Dual level must be a positive number"),
    )),
    Row("B6.10", "a tangent of another size", steps=(
        _FWD, _X, ("with fwd.dual_level(): fwd.make_dual(x, tp.ones(3))",
                   "raises ForwardADError: Trying to set a forward gradient that has a different size"),
    )),
    Row("B6.10", "an integer primal, an integer tangent", steps=(
        _FWD, _X,
        ("with fwd.dual_level(): fwd.make_dual(x.long(), x)",
         "raises ForwardADValueError: Expected primal to be floating point"),
        ("with fwd.dual_level(): fwd.make_dual(x, x.long())",
         "raises ForwardADValueError: Expected tangent to be floating point"),
    )),
    Row("B6.10", "a tensor that moves already", steps=(
        _FWD, _X, ("with fwd.dual_level(): fwd.make_dual(fwd.make_dual(x, x), x)",
                   "raises ForwardADError: Making a dual Tensor based on a Tensor that already has a forward gradient"),
    )),
    Row("B6.10", "what is no tensor", differs="AttributeError", steps=(
        _FWD, _X, ("with fwd.dual_level(): fwd.make_dual(x, 3.0)",
                   "raises GradTypeError: make_dual: expected a Tensor as tangent, got float"),
    )),
    Row("B6.11", "unpack_dual of a plain tensor", steps=(
        _FWD, _X, ("fwd.unpack_dual(x)", "UnpackedDualTensor(primal=tensor([1., 2.]), tangent=None)"),
        "with fwd.dual_level(): pair = fwd.unpack_dual(x)",
        ("pair", "UnpackedDualTensor(primal=tensor([1., 2.]), tangent=None)"),
    )),
    Row("B6.11", "after the level has closed a dual tensor is its primal", steps=(
        _FWD, _X, "with fwd.dual_level(): d = fwd.make_dual(x, x)",
        ("d", "tensor([1., 2.])"), ("fwd.unpack_dual(d)", "UnpackedDualTensor(primal=tensor([1., 2.]), tangent=None)"),
        ("d * 2", "tensor([2., 4.])"), ("d.numpy().tolist()", "[1.0, 2.0]"),
        "with fwd.dual_level(): again = fwd.unpack_dual(d)",
        ("again.tangent", "None"),
    )),
    Row("B6.11", "a dual tensor, printed and taken apart", steps=(
        _FWD, _X, "with fwd.dual_level(): d = fwd.make_dual(x, x); text = repr(d); y = fwd.unpack_dual(d * d)",
        ("text", "'tensor([1., 2.], tangent=tensor([1., 2.]))'"),
        ("y", "UnpackedDualTensor(primal=tensor([1., 4.]), tangent=tensor([2., 8.]))"),
    )),
    Row("B6.12", "forward over reverse: the gradient of x³ carries its own derivative", steps=(
        _FWD, "x = tp.tensor(2., requires_grad=True)",
        "with fwd.dual_level():\n"
        "    d = fwd.make_dual(x, tp.tensor(1.))\n"
        "    (g,) = tp.autograd.grad(d ** 3, x)\n"
        "    g, t = fwd.unpack_dual(g)",
        ("g, t", "(tensor(12.), tensor(12.))"),
    )),
    Row("B6.12", "backward() of a dual tensor", steps=(
        _FWD, "x = tp.tensor(2., requires_grad=True)",
        "with fwd.dual_level(): (fwd.make_dual(x, tp.tensor(1.)) ** 3).backward()",
        ("x.grad", "tensor(12.)"),
    )),
    Row("B6.12", "a dual tensor may be used in two backward passes", steps=(
        _FWD, "x = tp.tensor(2., requires_grad=True)",
        "with fwd.dual_level():\n"
        "    d = fwd.make_dual(x, tp.tensor(1.))\n"
        "    (d ** 3).backward()\n"
        "    (d ** 2).backward()",
        ("x.grad", "tensor(16.)"),
    )),
]
# fmt: on


@pytest.mark.parametrize("row", ROWS, ids=identifier)
def test_row(row: Row) -> None:
    run(row)
    assert frames() == (), "a level is left open"


@pytest.mark.parametrize("row", [row for row in ROWS if not row.differs], ids=identifier)
def test_pytorch_gives_the_same_answers(row: Row) -> None:
    run(row, pytest.importorskip("torch"))


@pytest.mark.parametrize("row", [row for row in ROWS if row.differs], ids=identifier)
def test_pytorch_still_differs(row: Row) -> None:
    torch = pytest.importorskip("torch")
    with pytest.raises((Exception, pytest.fail.Exception)):
        run(row, torch)


def test_a_level_is_left_after_an_error():
    with pytest.raises(ZeroDivisionError), forward_ad.dual_level():
        raise ZeroDivisionError
    assert frames() == ()


def test_hessian_vector_product_of_a_model():
    """Parameters move, the gradient is taken backward: its tangent is H v, as two backward passes give it."""
    model = tp.nn.Sequential(tp.nn.Linear(3, 4), tp.nn.Tanh(), tp.nn.Linear(4, 2))
    names, parameters = zip(*model.named_parameters(), strict=True)
    x, t = tp.rand(5, 3), tp.tensor([0, 1, 1, 0, 1])
    vectors = [tp.rand_like(p) for p in parameters]

    def loss(values):
        scores = tp.func.functional_call(model, dict(zip(names, values, strict=True)), x)
        return tp.nn.functional.cross_entropy(scores, t)

    with forward_ad.dual_level():
        duals = [forward_ad.make_dual(p, v) for p, v in zip(parameters, vectors, strict=True)]
        grads = tp.autograd.grad(loss(duals), parameters)
        products = [forward_ad.unpack_dual(g).tangent for g in grads]
    grads = tp.autograd.grad(loss(parameters), parameters, create_graph=True)
    expected = tp.autograd.grad(grads, parameters, vectors)
    assert not any(p.requires_grad for p in products)
    assert_close([p.numpy() for p in products], [e.numpy() for e in expected], rtol=1e-5, atol=1e-6)


def test_a_leaf_beside_a_dual_tensor_gets_its_gradient():
    w = tp.tensor([2.0, 3.0], requires_grad=True)
    with forward_ad.dual_level():
        d = forward_ad.make_dual(tp.tensor([1.0, 2.0]), tp.ones(2))
        (w * d * d).sum().backward()
        primal, tangent = forward_ad.unpack_dual(w.grad)
    assert (primal.tolist(), tangent.tolist()) == ([1.0, 4.0], [2.0, 4.0])


def test_a_level_below_a_vmap():
    """The tangents are mapped, the level is around the vmap: a Jacobian column by column."""
    x = tp.tensor([1.0, 2.0, 3.0])
    with forward_ad.dual_level():
        columns = tp.vmap(lambda t: forward_ad.unpack_dual(forward_ad.make_dual(x, t).softmax(0)).tangent)(tp.eye(3))
    assert_close(columns.T, tp.func.jacrev(lambda a: a.softmax(0))(x), rtol=1e-6, atol=1e-7)


def test_what_moves_inside_a_mapped_tensor_is_taken_apart():
    with forward_ad.dual_level():
        d = forward_ad.make_dual(tp.ones(2, 3), tp.ones(2, 3))
        tangents = tp.vmap(lambda row: forward_ad.unpack_dual(row * row).tangent)(d)
    assert tangents.tolist() == [[2.0] * 3] * 2


def test_an_edit_in_place_moves_the_target():
    with forward_ad.dual_level():
        d = forward_ad.make_dual(tp.tensor([1.0, 2.0]), tp.tensor([1.0, 10.0]))
        target = tp.zeros(3)
        target[0] = d[1]
        target[1:].add_(d[0] * 3)
        primal, tangent = forward_ad.unpack_dual(target)
    assert (primal.tolist(), tangent.tolist()) == ([2.0, 3.0, 3.0], [10.0, 3.0, 3.0])

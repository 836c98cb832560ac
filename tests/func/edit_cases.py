"""Edits in place, flags and leaves inside the function transforms, as data (see `tests/autograd/rows.py`)."""

from __future__ import annotations

from tests.autograd.rows import Row

_F = "F = tp.func"
_X = "x = tp.tensor([1., 2.])"
_SETUP = (
    _F, _X, "w = tp.tensor([1., 2.], requires_grad=True)", "h = w * 1", "c = tp.tensor([5., 6.])",
    "def then(edit):\n    def f(x):\n        edit(x)\n        return (x * x).sum()\n    return f",
)  # fmt: skip
_CAPTURED = "raises InPlaceError: During a grad (vjp, jvp, grad, etc) transform, the function"
_LEAF = "raises InPlaceError: a leaf Variable that requires grad is being used in an in-place operation"
_VIEW = "raises InPlaceError: a view of a leaf Variable that requires grad is being used in an in-place operation"
_FLAG = "raises TransformError: You are attempting to call Tensor.requires_grad_()"
_RETAIN = "raises TransformError: You are attempting to call Tensor.retain_grad() inside of a function"

# fmt: off
FLAGS = [
    Row("B6.18", f"requires_grad_() inside {name}", steps=(
        *_SETUP, (f"{call.format('x.requires_grad_(False)')}", _FLAG), (call.format("x.requires_grad_()"), _FLAG),
        (call.format("(x * x).requires_grad_()"), _FLAG), (call.format("c.requires_grad_()"), _FLAG),
        ("c.requires_grad, x.requires_grad", "(False, False)"),
    ))
    for name, call in (
        ("grad", "F.grad(then(lambda x: {}))(x)"), ("vjp", "F.vjp(then(lambda x: {}), x)"),
        ("jvp", "F.jvp(then(lambda x: {}), (x,), (x,))"), ("vmap", "tp.vmap(then(lambda x: {}))(x)"),
        ("jacrev", "F.jacrev(then(lambda x: {}))(x)"), ("hessian", "F.hessian(then(lambda x: {}))(x)"),
    )
] + [
    Row("B6.18", "retain_grad() inside grad, and where nothing requires one", steps=(
        *_SETUP, ("F.grad(then(lambda x: x.retain_grad()))(x)", _RETAIN),
        ("F.grad(then(lambda x: (x * x).retain_grad()))(x)", _RETAIN),
        ("tp.vmap(then(lambda x: x.retain_grad()))(x)", "raises GradError: can't retain_grad on Tensor"),
    )),
    Row("B6.18", "random numbers, flags that are set and dual levels are not concerned", steps=(
        *_SETUP, ("F.grad(lambda x: (x + 0 * tp.rand(2)).sum())(x)", "tensor([1., 1.])"),
        ("F.grad(lambda x: (x + 0 * tp.rand(2, requires_grad=True)).sum())(x)", "tensor([1., 1.])"),
        ("F.grad(then(lambda x: setattr(x, 'requires_grad', False)))(x)", "tensor([0., 0.])"),
        "with tp.autograd.forward_ad.dual_level(): c.requires_grad_()", ("c.requires_grad", "True"),
    )),
]

EDITS = [
    Row("B6.18", f"an edit of the argument of {name}: {kind}", steps=(
        *_SETUP, (call.format("x.mul_(2)", given), _LEAF), (call.format("x[0].mul_(2)", given), _VIEW),
        (call.format("x.__setitem__(0, 5.)", given), _VIEW), (call.format("x.copy_(c)", given), _LEAF),
        (f"{given}.tolist()", "[1.0, 2.0]"), (f"{given}._version", "0"),
    ))
    for name, call in (
        ("grad", "F.grad(then(lambda x: {}))({})"), ("vjp", "F.vjp(then(lambda x: {}), {})"),
        ("jacrev", "F.jacrev(then(lambda x: {}))({})"),
        ("grad in grad", "F.grad(lambda y: F.grad(then(lambda x: {}))(y).sum())({})"),
        ("grad in jvp", "F.jvp(F.grad(then(lambda x: {0})), ({1},), (c,))"),
    )
    for kind, given in (("plain", "x"), ("a leaf", "w"), ("the result of an operation", "h"))
] + [
    Row("B6.18", f"an edit of a captured tensor in {name}", steps=(
        *_SETUP, *((call.format(edit), _CAPTURED) for edit in (
            "c.add_(1)", "c.copy_(x)", "c.copy_(x.detach())", "c.__setitem__(0, x.sum())", "c[0].mul_(2)",
            "c.detach().add_(1)", "w.add_(1)", "h.add_(x)", "tp.no_grad()(c.add_)(1)",
        )),
        ("c.tolist(), c.requires_grad, c._version, h.tolist()", "([5.0, 6.0], False, 0, [1.0, 2.0])"),
    ))
    for name, call in (
        ("grad", "F.grad(then(lambda x: {}))(x)"), ("vjp", "F.vjp(then(lambda x: {}), x)"),
        ("jvp", "F.jvp(then(lambda x: {}), (x,), (x,))"), ("jacfwd", "F.jacfwd(then(lambda x: {}))(x)"),
        ("grad in grad", "F.grad(lambda y: F.grad(then(lambda x: {}))(y).sum())(x)"),
        ("grad in vmap", "tp.vmap(F.grad(then(lambda x: {})))(x.reshape(1, 2))"),
    )
] + [
    Row("B6.18", "an edit of what an outer transform made", steps=(
        *_SETUP,
        "def outer(make, edit):\n    def f(y):\n        m = make(y)\n"
        "        return F.grad(lambda x: (edit(m, x), (x * m).sum())[1])(tp.ones(2)).sum()\n    return f",
        *((f"F.grad(outer(lambda y: {made}, lambda m, x: {edit}))(x)", _CAPTURED)
          for made in ("y", "y * 2", "tp.ones(2)") for edit in ("m.add_(1)", "m.add_(x)")),
        ("tp.vmap(outer(lambda y: y * 2, lambda m, x: m.add_(1)))(x.reshape(1, 2))", _CAPTURED),
        ("F.jvp(outer(lambda y: y * 2, lambda m, x: m.add_(1)), (x,), (x,))", _CAPTURED),
    )),
    Row("B6.18", "a vmap may edit what it captured; in a gradient it may not", steps=(
        *_SETUP, ("tp.vmap(then(lambda x: c.add_(1)))(x.reshape(1, 2))", "tensor([5.])"), ("c", "tensor([6., 7.])"),
        ("F.grad(lambda z: tp.vmap(then(lambda x: c.add_(1)))(z.reshape(1, 2)).sum())(x)", _CAPTURED),
    )),
    Row("B6.18", "what was made inside may be edited, also in a vmap further inside", steps=(
        *_SETUP,
        ("F.grad(lambda x: tp.zeros(2).copy_(x).mul_(x).sum())(x)", "tensor([2., 4.])"),
        ("F.grad(lambda x: ((c * 1).add_(x) * x).sum())(x)", "tensor([ 7., 10.])"),
        ("F.grad(lambda x: (c.clone().mul_(x)).sum())(x)", "tensor([5., 6.])"),
        ("F.jvp(lambda x: h.clone().mul_(x), (x,), (x,))[1].tolist()", "[1.0, 4.0]"),
        ("F.grad(lambda x: (x * (lambda own: (tp.vmap(lambda z: own.add_(1))(tp.ones(3)), own)[1])(tp.zeros(2)))"
         ".sum())(x)", "tensor([1., 1.])"),
        "def f(x):\n    y = h.clone()\n    y[0] = x[1]\n    return y",
        ("F.jvp(f, (x,), (x,))[1].tolist()", "[2.0, 0.0]"),
    )),
    Row("B6.18", "without recording an argument can be edited, the caller's tensor with it", steps=(
        *_SETUP, ("F.grad(then(lambda x: tp.no_grad()(x.mul_)(2)))(x)", "tensor([4., 8.])"), ("x", "tensor([2., 4.])"),
    )),
    Row("B6.18", "an edit of an argument of vmap or jvp stays inside", differs="the caller's tensor changes", steps=(
        *_SETUP, ("tp.vmap(lambda x: x.add_(1))(x)", "tensor([2., 3.])"), ("x", "tensor([1., 2.])"),
        ("F.jvp(lambda x: x.mul_(2), (x,), (x,))", "(tensor([2., 4.]), tensor([2., 4.]))"), ("x", "tensor([1., 2.])"),
    )),
    Row("B6.22", "a target made like a mapped tensor has room for each example", steps=(
        _F, "z = tp.tensor([[1., 2.], [3., 4.]])",
        "def f(make):\n    def g(x):\n        y = make(x)\n        y[0] = x[1]\n        return y\n    return g",
        *((f"tp.vmap(f({make}){more})(z).tolist()", answer) for make, more, answer in (
            ("tp.zeros_like", "", "[[2.0, 0.0], [4.0, 0.0]]"), ("tp.ones_like", "", "[[2.0, 1.0], [4.0, 1.0]]"),
            ("lambda x: tp.full_like(x, 3.)", "", "[[2.0, 3.0], [4.0, 3.0]]"),
            ("lambda x: tp.empty_like(x).fill_(5.)", "", "[[2.0, 5.0], [4.0, 5.0]]"),
            ("lambda x: tp.rand_like(x).fill_(5.)", ", randomness='different'", "[[2.0, 5.0], [4.0, 5.0]]"),
            ("lambda x: tp.randn_like(x).fill_(5.)", ", randomness='different'", "[[2.0, 5.0], [4.0, 5.0]]"),
        )),
        ("tp.vmap(lambda x: tp.vmap(lambda y: f(tp.zeros_like)(x) + y)(tp.zeros(1)))(z).tolist()",
         "[[[2.0, 0.0]], [[4.0, 0.0]]]"),
        ("tp.vmap(tp.zeros_like)(z.long())", "tensor([[0, 0],\n        [0, 0]])"),
        ("F.jvp(f(tp.zeros_like), (z[0],), (z[1],))", "(tensor([2., 0.]), tensor([4., 0.]))"),
        ("F.grad(lambda x: f(tp.zeros_like)(x).sum())(z[0])", "tensor([0., 1.])"),
    )),
]

LEAVES = [
    Row("B6.18", "a leaf that the function makes does not make the result require a gradient", steps=(
        *_SETUP, "own = lambda x: (x * tp.tensor(3., requires_grad=True)).sum()",
        ("F.grad(own)(x).requires_grad, F.vjp(own, x)[0].requires_grad, F.jacrev(own)(x).requires_grad",
         "(False, False, False)"),
        ("F.grad(lambda x: own(x) * x.sum())(w).requires_grad", "True"),
        ("F.grad(lambda x: own(x) + (w * x * x).sum())(x).requires_grad", "True"),
        "v = tp.tensor(1., requires_grad=True)", ("F.vjp(own, x)[1](v)[0].requires_grad", "True"),
        "pull = F.vjp(own, x)[1]", ("pull(tp.tensor(1., requires_grad=True))[0].requires_grad", "True"),
        ("tp.vmap(lambda x: x * tp.tensor(3., requires_grad=True))(x).requires_grad", "True"),
    )),
    Row("B6.18", "in a jvp it does", differs="it does not", steps=(
        *_SETUP, ("F.jvp(lambda x: x * tp.tensor(3., requires_grad=True), (x,), (x,))[0].requires_grad", "True"),
    )),
    Row("B6.18", "a copy made inside is a constant", differs="cannot copy a wrapped tensor", steps=(
        *_SETUP, "import copy", ("F.grad(lambda x: (copy.deepcopy(x) * x).sum())(x)", "tensor([1., 2.])"),
    )),
    Row("B6.22", "a tensor kept from a finished vmap", differs="a later vmap may use it", steps=(
        _X, "kept = []", "_ = tp.vmap(lambda x: kept.append(x) or x)(x)",
        ("tp.vmap(lambda z: z + kept[0])(x)", "raises EscapedTensorError: a tensor from inside vmap was used after"),
    )),
]

OPTIONS = [
    Row("B6.21", "with out_dims None anything may be returned", steps=(
        ("tp.vmap(lambda x: (x, 'hello'), out_dims=(0, None))(tp.ones(2))", "(tensor([1., 1.]), 'hello')"),
        ("tp.vmap(lambda x: 1.0, out_dims=None)(tp.ones(2))", "1.0"),
    )),
    Row("B6.21", "out_dims that are no ints", steps=(
        ("tp.vmap(lambda x: x, out_dims='lol')(tp.ones(2))",
         "raises VmapError: vmap(<lambda>, ..., out_dims=lol): `out_dims` must be an int, None or a python collection"),
        ("tp.vmap(lambda x: (x, x), out_dims=(0, 0.5))(tp.ones(2))",
         "raises VmapError: vmap(<lambda>, ..., out_dims=(0, 0.5)): `out_dims` must be an int, None or a python"),
    )),
    Row("B6.17", "argnums that name nothing", steps=(
        _F, _X, *((f"F.{name}(lambda x: x.sum(), argnums=())(x)", "raises TransformError: argnums must be non-empty")
                  for name in ("grad", "jacrev", "jacfwd", "hessian")),
    )),
    Row("B6.20", "a function that returns nothing", steps=(
        _F, _X, *((code, f"raises TransformError: {name}: Expected f to be a function that has non-empty output (got "
                         "output = []") for code, name in (
            ("F.jacrev(lambda x: [])(x)", "vjp(f, *primals)"), ("F.vjp(lambda x: [], x)", "vjp(f, *primals)"),
            ("F.jvp(lambda x: [], (x,), (x,))", "jvp(f, primals, tangents)"),
            ("F.jacfwd(lambda x: [])(x)", "jvp(f, primals, tangents)"),
        )),
    )),
    Row("B6.20", "a cotangent that is None, or no tensor, or missing", steps=(
        _F, _X, "pull = F.vjp(lambda x: x.sum(), x)[1]", ("pull(None)", "(tensor([1., 1.]),)"),
        ("pull(1.0)", "raises TransformTypeError: gradients can be either Tensors or None, but got float"),
        ("F.vjp(lambda x: (x.sum(), x * 2), x)[1]((None, x))", "(tensor([3., 5.]),)"),
        ("F.vjp(lambda x: x * 2, x)[1](None)",
         "raises NonScalarError: grad can be implicitly created only for scalar outputs"),
    )),
    Row("B6.20", "a call without cotangents names what was called", differs="speaks of a wrapper", steps=(
        _F, _X, ("F.vjp(lambda x: x.sum(), x)[1]()", "raises TypeError: vjp_fn() missing 1 required positional"),
    )),
    Row("B6.24", "names that are given twice, or are no names", steps=(
        _F, _X, "layer, p = tp.nn.Linear(2, 1), {'weight': tp.ones(1, 2)}",
        ("F.functional_call(layer, [p, p], x)",
         "raises ValueError: ['weight'] appeared in multiple dictionaries; "),
        ("F.functional_call(layer, p | {'bias': tp.zeros(1)}, None, {'input': x})", "tensor([3.])"),
    )),
    Row("B6.24", "a key that is no path", differs="an AttributeError", steps=(
        _F, _X, ("F.functional_call(tp.nn.Linear(2, 1), {1: x}, x)",
                 "raises ParametrizeTypeError: 'int' object has no attribute 'rpartition'"),
    )),
    Row("B6.18", "checkpoint's older form inside a transform", differs="speaks of setup_context", steps=(
        _F, _X, "import importlib", "cp = importlib.import_module(tp.__name__ + '.utils.checkpoint').checkpoint",
        ("F.grad(lambda x: cp(lambda y: (y * y).sum(), x, use_reentrant=True))(x)",
         "raises CheckpointError: checkpoint with use_reentrant=True does not work inside a functorch transform"),
        ("F.grad(lambda x: cp(lambda y: (y * y).sum(), x, use_reentrant=False))(x)", "tensor([2., 4.])"),
    )),
]
# fmt: on

EDIT_CASES = [*FLAGS, *EDITS, *LEAVES, *OPTIONS]

"""Corner cases of the function transforms, as data (see `tests/autograd/rows.py`)."""

from __future__ import annotations

from tests.autograd.rows import Row

_X = "x = tp.tensor([1., 2.])"
_F = "F = tp.func"
_SQUARE = "f = lambda x: x * x"
_CUBES = "g = lambda x: (x ** 3).sum()"

# fmt: off
GRADIENTS = [
    Row("B6.20", "an output that is the input itself has the derivative 1", steps=(
        _F, _X, ("F.jacrev(lambda x: x)(x)", "tensor([[1., 0.],\n        [0., 1.]])"),
        ("F.vjp(lambda x: (x, x * x), tp.tensor(3.))[1]((tp.tensor(1.), tp.tensor(1.)))", "(tensor(7.),)"),
        ("F.vjp(lambda x: x, x)[0].requires_grad", "False"),
    )),
    Row("B6.17", "grad of what is not 0-d", steps=(
        _F, _X, ("F.grad(lambda x: x)(x)",
                 "raises TransformError: grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor"),
        ("F.grad(lambda x: x.sum().reshape(1))(x)",
         "raises TransformError: grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor"),
    )),
    Row("B6.17", "argnums that do not fit", steps=(
        _F, _X, ("F.grad(lambda x: x.sum(), argnums=2)(x)",
                 "raises TransformError: Got argnum=2, but only 1 positional inputs"),
        ("F.grad(lambda x: x.sum(), argnums=(0, 0))(x)", "raises TransformError: argnums elements must be unique"),
        ("F.grad(lambda x: x.sum(), argnums='0')(x)", "raises TransformError: argnums must be int or Tuple"),
        ("F.grad(lambda x: x.sum(), argnums=-1)(x)", "tensor([1., 1.])"),
    )),
    Row("B6.17", "no tensor: returned, or given", steps=(
        _F, _X, ("F.grad(lambda x: 3.0)(x)",
                 "raises TransformError: grad_and_value(f)(*args): Expected f(*args) to return a Tensor"),
        ("F.grad(lambda x: (x.sum(),))(x)",
         "raises TransformError: grad_and_value(f)(*args): Expected f(*args) to return a Tensor"),
        ("F.grad(lambda x: x)(3.0)", "raises TransformInputError: Thing passed to transform API must be Tensor"),
        ("F.grad(lambda x: x.sum())(x.long())", "raises DTypeError: only Tensors of floating point dtype"),
    )),
    Row("B6.17", "has_aux without a pair", steps=(
        _F, _X, ("F.grad(lambda x: x.sum(), has_aux=True)(x)",
                 "raises TransformError: grad_and_value(f)(*args): output of function f should be a tuple: "
                 "(output, aux)"),
        ("F.grad(lambda x: (x.sum(), 1, 2), has_aux=True)(x)",
         "raises TransformError: grad_and_value(f)(*args): output of function f should be a tuple: (output, aux)"),
        ("F.grad(lambda x: (x.sum(), x * 3), has_aux=True)(x)", "(tensor([1., 1.]), tensor([3., 6.]))"),
    )),
    Row("B6.17", "grad, twice, and with the value", steps=(
        _F, _X, ("F.grad(F.grad(lambda x: x ** 3))(tp.tensor(2.))", "tensor(12.)"),
        ("F.grad_and_value(lambda x: (x * x).sum())(x)", "(tensor([2., 4.]), tensor(5.))"),
        ("F.grad(lambda x: tp.ones(()))(x)", "tensor([0., 0.])"),
    )),
    Row("B6.18", "an outer no_grad does not switch it off", steps=(
        _F, _X, "x.requires_grad_()", "with tp.no_grad(): y = F.grad(lambda x: (x * x).sum())(x)",
        ("y, y.requires_grad", "(tensor([2., 4.]), False)"),
    )),
    Row("B6.18", "an inner one makes constants", steps=(
        _F, _X, "def f(x):\n    with tp.no_grad(): c = x * x\n    return (c * x).sum()",
        ("F.grad(f)(x)", "tensor([1., 4.])"),
    )),
    Row("B6.18", "an outer requires_grad sees through it", steps=(
        _F, "x = tp.tensor([1., 2.], requires_grad=True)", "y = F.grad(lambda x: (x ** 3).sum())(x)",
        ("y.requires_grad", "True"), "y.sum().backward()", ("x.grad", "tensor([ 6., 12.])"),
    )),
    Row("B6.18", "of leaves made inside nothing is left outside", steps=(
        _F, _X, ("F.grad(lambda x: (x * x).sum())(x).requires_grad", "False"),
        ("F.grad_and_value(lambda x: (x * x).sum())(x)[1].requires_grad", "False"),
        ("F.grad(lambda x: ((x * x).sum(), x * 2), has_aux=True)(x)[1].requires_grad", "False"),
        ("F.grad(lambda x: F.grad(lambda y: (x * y).sum())(x).sum())(x).requires_grad", "False"), ("x.grad", "None"),
        ("x.requires_grad", "False"),
    )),
    Row("B6.18", "the mode as seen inside, and afterwards", steps=(
        _F, _X, "seen = []", "def f(x):\n    seen.append(tp.is_grad_enabled())\n    return (x * x).sum()",
        "with tp.no_grad(): _ = F.grad(f)(x); seen.append(tp.is_grad_enabled())",
        ("seen, tp.is_grad_enabled()", "([True, False], True)"),
    )),
    Row("B6.19", "backward() inside a transform", steps=(
        _F, _X, ("F.grad(lambda x: x.sum().backward())(x)",
                 "raises TransformError: backward() called inside a functorch transform"),
        "x.requires_grad_()", ("tp.vmap(lambda x: (x * x).backward())(x)",
                               "raises TransformError: backward() called inside a functorch transform"),
        ("x.grad", "None"),
    )),
    Row("B6.20", "a cotangent of another shape, of another nest", steps=(
        _F, _X, "value, pull = F.vjp(lambda x: x * x, x)",
        ("pull(tp.ones(3))", "raises TransformError: Mismatch in shape: grad_output[0] has a shape of"),
        ("pull((x, x))", "raises TransformError: Expected pytree structure of cotangents to be the same"),
        ("value, pull(x), pull(tp.ones(2))", "(tensor([1., 4.]), (tensor([2., 8.]),), (tensor([2., 4.]),))"),
        ("F.vjp(lambda x: 3.0, x)", "raises TransformError: vjp(f, *primals): expected f(*primals) to return only "
                                    "tensors"),
    )),
    Row("B6.20", "jvp: primals that are no tuple, tangents that do not match", steps=(
        _F, _X, ("F.jvp(lambda x: x * x, x, x)",
                 "raises TransformError: jvp(f, primals, tangents): Expected primals to be a tuple"),
        ("F.jvp(lambda x: x * x, (x,), (x, x))",
         "raises TransformError: jvp(f, primals, tangents): Expected primals and tangents to have the same python"),
        ("F.jvp(lambda x: x * x, (), ())",
         "raises TransformError: jvp(f, primals, tangents): Expected primals to contain at least one Tensor"),
        ("F.jvp(lambda x: x * x, (x,), (tp.ones(3),))",
         "raises ForwardADError: Trying to set a forward gradient that has a different size"),
        ("F.jvp(lambda x: x * x, (x.long(),), (x,))",
         "raises ForwardADValueError: Expected primal to be floating point"),
        ("F.jvp(lambda x: 3.0, (x,), (x,))",
         "raises TransformError: jvp(f, primals, tangents): expected f(*primals) to return only tensors"),
    )),
    Row("B6.20", "jvp of what does not depend on its input", steps=(
        _F, _X, ("F.jvp(lambda x: tp.ones(3), (x,), (x,))", "(tensor([1., 1., 1.]), tensor([0., 0., 0.]))"),
        ("F.jvp(lambda x: tp.ones(3), (x,), (x,), strict=True)",
         "raises TransformError: jvp(f, primals, tangents, strict=True): The output of f is independent of the "
         "inputs"),
    )),
    Row("B6.20", "linearize: tangents that do not match", steps=(
        _F, _X, "value, push = F.linearize(lambda x: x * x, x)", ("value, push(x)", "(tensor([1., 4.]), "
                                                                                    "tensor([2., 8.]))"),
        ("push(tp.ones(3))", "raises TransformError: tangent:0 with shape"),
        ("push(x, x)", "raises TransformError: Expected the tangents"),
    )),
    Row("B6.20", "the pinned derivatives", steps=(
        _F, _X, _SQUARE, _CUBES,
        ("F.jacrev(f)(x).tolist(), F.jacfwd(f)(x).tolist()", "([[2.0, 0.0], [0.0, 4.0]], [[2.0, 0.0], [0.0, 4.0]])"),
        ("F.hessian(g)(x).tolist()", "[[6.0, 0.0], [0.0, 12.0]]"),
        ("F.jvp(f, (x,), (tp.tensor([1., 0.]),))", "(tensor([1., 4.]), tensor([2., 0.]))"),
        ("F.jvp(F.grad(g), (x,), (tp.ones(2),))[1]", "tensor([ 6., 12.])"),
        ("F.jacrev(f, chunk_size=1)(x).tolist()", "[[2.0, 0.0], [0.0, 4.0]]"),
        ("F.jacrev(f, chunk_size=0)(x)", "raises VmapError: jacrev: `chunk_size` should be greater than 0"),
    )),
]

VMAP = [
    Row("B6.21", "nothing to map over", steps=(
        ("tp.vmap(lambda: tp.ones(2))()", "raises VmapError: vmap(<lambda>)(<inputs>): got no inputs"),
        ("tp.vmap(lambda x: x, in_dims=(None,))(tp.ones(2))",
         "raises VmapError: vmap: Expected at least one Tensor to vmap over"),
        ("tp.vmap(lambda x: x)(2.0)", "raises VmapError: vmap(<lambda>, in_dims=0, ...)(<inputs>): Got in_dim=0 for an "
                                      "input but the input is of type"),
    )),
    Row("B6.21", "sizes differ", steps=(
        ("tp.vmap(lambda x, y: x)(tp.ones(2), tp.ones(3))",
         "raises VmapError: vmap: Expected all tensors to have the same size in the mapped dimension"),
    )),
    Row("B6.21", "a dimension out of range, a 0-d input", steps=(
        ("tp.vmap(lambda x: x, in_dims=1)(tp.ones(2))",
         "raises VmapError: vmap(<lambda>, in_dims=1, ...)(<inputs>): Got in_dim=1 for some input"),
        ("tp.vmap(lambda x: x)(tp.ones(()))",
         "raises VmapError: vmap(<lambda>, in_dims=0, ...)(<inputs>): Got in_dim=0 for some input"),
        ("tp.vmap(lambda x: x, out_dims=5)(tp.ones(2))", "raises DimensionError: Dimension out of range"),
    )),
    Row("B6.21", "nests that do not match", steps=(
        ("tp.vmap(lambda x: x, in_dims=(0, 0))(tp.ones(2))",
         "raises VmapError: vmap(<lambda>, in_dims=(0, 0), ...)(<inputs>): in_dims is not compatible with the "
         "structure"),
        ("tp.vmap(lambda x: x, in_dims='a')(tp.ones(2))",
         "raises VmapError: vmap(<lambda>, in_dims=a, ...)(<inputs>): expected `in_dims` to be int or a"),
        ("tp.vmap(lambda x: (x, x), out_dims=(0,))(tp.ones(2))",
         "raises VmapError: vmap(<lambda>, ..., out_dims=(0,))(<inputs>): out_dims is not compatible"),
    )),
    Row("B6.21", "a result that is no tensor", steps=(
        ("tp.vmap(lambda x: 1.0)(tp.ones(2))",
         "raises VmapError: vmap(<lambda>, ...): `<lambda>` must only return Tensors, got type <class 'float'>"),
        ("tp.vmap(lambda x: None)(tp.ones(2))",
         "raises VmapError: vmap(<lambda>, ...): `<lambda>` must only return Tensors"),
        ("tp.vmap(lambda x: x, out_dims=None)(tp.ones(2))",
         "raises VmapError: vmap(<lambda>, ...): `<lambda>` can not return a BatchedTensor when out_dim is None"),
    )),
    Row("B6.21", "chunk_size", steps=(
        ("tp.vmap(lambda x: x, chunk_size=0)(tp.ones(2))",
         "raises VmapError: vmap: chunk_size should be None or greater"),
        ("tp.vmap(lambda x: x * x, chunk_size=2)(tp.arange(5))", "tensor([ 0,  1,  4,  9, 16])"),
        ("tp.vmap(lambda x: x * x)(tp.ones(0, 2)).tolist()", "[]"),
    )),
    Row("B6.22", "a number is asked for", steps=(
        ("tp.vmap(lambda x: x.item())(tp.ones(2))",
         "raises VmapReadError: vmap: It looks like you're calling .item() on a Tensor"),
        ("tp.vmap(lambda x: x * float(x))(tp.ones(2))",
         "raises VmapReadError: vmap: It looks like you're calling .item() on a Tensor"),
    )),
    Row("B6.22", "a truth value is asked for", steps=(
        ("tp.vmap(lambda x: x if x > 0 else -x)(tp.ones(2))",
         "raises VmapReadError: vmap: It looks like you're attempting to use a Tensor in some data-dependent control"),
    )),
    Row("B6.22", "the numbers leave for NumPy", differs="speaks of storage", steps=(
        ("tp.vmap(lambda x: x.numpy())(tp.ones(2))",
         "raises VmapReadError: vmap: It looks like you're calling .numpy() on a Tensor"),
    )),
    Row("B6.22", "a mask picks another number of elements for each example", steps=(
        ("tp.vmap(lambda x: x[x > 0])(tp.ones(2, 2))",
         "raises VmapReadError: vmap: We do not support batching operators that can support dynamic shape"),
    )),
    Row("B6.22", "random functions", steps=(
        ("tp.vmap(lambda x: x + tp.rand(2))(tp.zeros(3))",
         "raises RandomnessError: vmap: called random operation while in randomness error mode"),
        ("tp.vmap(lambda x: x, randomness='other')(tp.zeros(3))",
         "raises RandomnessError: Only allowed values for randomness are 'error', 'different', or 'same'. Got other"),
        "same = tp.vmap(lambda x: x + tp.rand(2), randomness='same')(tp.zeros(3))",
        ("tuple(same.shape), (same == same[0]).all().item()", "((3, 2), True)"),
        "each = tp.vmap(lambda x: x + tp.randn(2), randomness='different')(tp.zeros(3))",
        ("tuple(each.shape), (each[0] == each[1]).any().item()", "((3, 2), False)"),
        "each = tp.vmap(lambda x: tp.randint(0, 10 ** 6, (2,)), randomness='different')(tp.zeros(3))",
        ("tuple(each.shape), (each[0] == each[1]).any().item()", "((3, 2), False)"),
    )),
    Row("B6.22", "random functions in nested vmaps", steps=(
        "inner = lambda r: (lambda x: tp.vmap(lambda y: tp.rand(()) + y, randomness=r)(tp.zeros(2)))",
        "x = tp.zeros(3)",
        ("tp.vmap(inner('different'))(x)", "raises RandomnessError: vmap: called random operation"),
        "a = tp.vmap(inner('different'), randomness='different')(x)",
        ("len(set(a.flatten().tolist()))", "6"),
        "a = tp.vmap(inner('same'), randomness='different')(x)",
        ("len(set(a.flatten().tolist())), (a[:, 0] == a[:, 1]).all().item()", "(3, True)"),
        "a = tp.vmap(inner('different'), randomness='same')(x)",
        ("len(set(a.flatten().tolist())), (a[0] == a[1]).all().item()", "(2, True)"),
    )),
    Row("B6.23", "a result that does not depend on the batch is repeated along it", steps=(
        ("tp.vmap(lambda x: tp.tensor([5., 6.]))(tp.ones(2)).tolist()", "[[5.0, 6.0], [5.0, 6.0]]"),
        ("tp.vmap(lambda x: tp.ones(3), out_dims=None)(tp.ones(2))", "tensor([1., 1., 1.])"),
        ("tuple(tp.vmap(lambda x, k=None: x * k)(tp.ones(2), k=tp.ones(2)).shape)", "(2, 2)"),
    )),
    Row("B6.23", "per-sample gradients", steps=(
        "g = tp.vmap(tp.func.grad(lambda w, x: (w @ x) ** 2), in_dims=(None, 0))",
        ("g(tp.tensor([1., 2.]), tp.eye(2)).tolist()", "[[2.0, 0.0], [0.0, 4.0]]"),
    )),
    Row("B6.23", "nests of inputs and outputs", steps=(
        "f = lambda d: {'sum': d['a'] + d['b'][0], 'pair': (d['a'], d['b'][0].sum())}",
        "y = tp.vmap(f, in_dims=({'a': 0, 'b': [1]},), out_dims={'sum': 1, 'pair': (0, 0)})",
        "y = y({'a': tp.ones(2, 3), 'b': [tp.ones(3, 2)]})",
        ("tuple(y['sum'].shape), tuple(y['pair'][0].shape), y['pair'][1]", "((3, 2), (2, 3), tensor([3., 3.]))"),
    )),
]

STATELESS = [
    Row("B6.24", "functional_call uses what it is given, and leaves the module alone", steps=(
        _F, "layer = tp.nn.Linear(2, 1)", "before = layer.weight",
        "new = {'weight': tp.ones(1, 2), 'bias': tp.zeros(1)}",
        ("F.functional_call(layer, new, tp.ones(2)).tolist(), layer.weight is before", "([2.0], True)"),
        ("F.functional_call(layer, [{'weight': tp.ones(1, 2)}, {'bias': tp.ones(1)}], (tp.ones(2),)).tolist()",
         "[3.0]"),
        ("tp.allclose(F.functional_call(layer, {'weight': tp.ones(1, 2)}, tp.ones(2)), 2 + layer.bias)", "True"),
    )),
    Row("B6.24", "strict and missing, strict and unknown", steps=(
        _F, "layer = tp.nn.Linear(2, 1)", "new = {'weight': tp.ones(1, 2)}",
        ("F.functional_call(layer, new, tp.ones(2), strict=True)",
         "raises ParametrizeError: Error(s) in reparametrizing"),
        "new = {'weight': tp.ones(1, 2), 'bias': tp.ones(1), 'other': tp.ones(1)}",
        ("F.functional_call(layer, new, tp.ones(2), strict=True)",
         "raises ParametrizeError: Error(s) in reparametrizing"),
    )),
    Row("B6.24", "an unknown name is ignored", steps=(
        _F, "layer = tp.nn.Linear(2, 1)", "new = {'weight': tp.ones(1, 2), 'bias': tp.zeros(1), 'other': tp.ones(1)}",
        ("F.functional_call(layer, new, tp.ones(2)).tolist()", "[2.0]"),
    )),
    Row("B6.24", "the module is put back after an error", steps=(
        _F, "layer = tp.nn.Linear(2, 1)", "before = layer.weight",
        ("F.functional_call(layer, {'weight': tp.ones(1, 3)}, tp.ones(2))", "raises RuntimeError: "),
        ("layer.weight is before", "True"),
    )),
    Row("B6.24", "a tied parameter is given once for both its names", steps=(
        _F, "net = tp.nn.Sequential(tp.nn.Linear(2, 2, bias=False), tp.nn.Linear(2, 2, bias=False))",
        "net[1].weight = net[0].weight", "new = {'0.weight': tp.ones(2, 2)}",
        ("F.functional_call(net, new, tp.ones(2)).tolist()", "[4.0, 4.0]"),
        ("F.functional_call(net, new, tp.ones(2), tie_weights=False).tolist() == "
         "(tp.ones(2, 2) @ net[0].weight.T).tolist()[0]", "False"),
    )),
    Row("B6.24", "gradients by the parameters", steps=(
        _F, "net = tp.nn.Sequential(tp.nn.Linear(2, 2), tp.nn.Tanh(), tp.nn.Linear(2, 1))", "x = tp.ones(3, 2)",
        "p = dict(net.named_parameters())", "g = F.grad(lambda p: F.functional_call(net, p, x).sum())(p)",
        "net(x).sum().backward()",
        ("all(tp.allclose(g[n], q.grad) for n, q in net.named_parameters()), sorted(g) == sorted(p)", "(True, True)"),
    )),
    Row("B6.24", "an ensemble runs as one module", steps=(
        _F, "nets = [tp.nn.Linear(2, 1) for _ in range(3)]", "p, b = F.stack_module_state(nets)",
        ("tuple(p['weight'].shape), p['weight'].requires_grad, p['weight'].is_leaf, b", "((3, 1, 2), True, True, {})"),
        "x = tp.ones(5, 2)",
        "y = tp.vmap(lambda p, b, x: F.functional_call(nets[0], (p, b), (x,)), in_dims=(0, 0, None))(p, b, x)",
        ("tp.allclose(y, tp.stack([net(x) for net in nets]))", "True"),
        ("F.stack_module_state([])", "raises ParametrizeError: stack_module_state: Expected at least one model"),
        ("F.stack_module_state([nets[0], tp.nn.Tanh()])",
         "raises ParametrizeError: stack_module_state: Expected all models to be of the same class"),
    )),
]

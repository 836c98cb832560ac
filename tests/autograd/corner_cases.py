"""Corner cases of freed graphs, roots, `.grad`, hooks, printing and errors, as data (see `documented.py`)."""

from __future__ import annotations

from tests.autograd.documented import Row

_X = "x = tp.tensor([3.], requires_grad=True)"
_X2 = "x = tp.tensor([1., 2.], requires_grad=True)"
_SECOND_TIME = "raises RuntimeError: Trying to backward through the graph a second time"

# fmt: off
CORNER_CASES = [
    # freed graphs, roots, inputs
    Row("B1.2", "retain, then release, then a third time", warns="FreedGraphWarning", steps=(
        _X, "y = x ** 3", "y.backward(retain_graph=True)", ("x.grad", "tensor([27.])"),
        "y.backward()", ("x.grad", "tensor([54.])"),
        "y.backward()", ("x.grad", "tensor([54.])"),
    )),
    Row("B1.3", "two roots share a node", steps=(
        _X, "y = x * x", "a = y * 2", "b = y * 3", "a.backward()", ("b.backward()", _SECOND_TIME),
        ("x.grad", "tensor([12.])"),
    )),
    Row("B1.4", "a new node on a freed one", steps=(
        _X, "y = x ** 3", "y.backward()", "z = y * x", ("z.backward()", _SECOND_TIME),
    )),
    Row("B1.5", "grad twice, and after backward", steps=(
        _X, "y = x ** 3", "g = tp.autograd.grad(y, x)", ("tp.autograd.grad(y, x)", _SECOND_TIME),
        "z = x ** 2", "z.backward()", ("tp.autograd.grad(z, x)", _SECOND_TIME),
    )),
    Row("B1.6", "a graph that saved nothing is freed all the same", warns="FreedGraphWarning", steps=(
        _X, "y = (x + 1).sum()", "y.backward()", "y.backward()", ("x.grad", "tensor([1.])"),
    )),
    Row("B1.7", "an inner tensor of a graph freed from another root", warns="FreedGraphWarning", steps=(
        _X, "h = x * 2", "z = h * h", "z.backward()", ("x.grad", "tensor([24.])"),
        "h.backward()", ("x.grad", "tensor([24.])"),
    )),
    Row("B1.8", "a freed root beside a live one: nothing is accumulated", steps=(
        _X, "a = x * x", "a.backward()", "b = x * 3", ("tp.autograd.backward([a, b])", _SECOND_TIME),
        ("x.grad", "tensor([6.])"),
    )),
    Row("B1.9", "name, shape and edges stay readable after the free", steps=(
        _X, "y = x * x", "y.backward()",
        ("y.grad_fn.name(), y.grad_fn.shape, len(y.grad_fn.next_functions), y.grad_fn.freed",
         "('MulBackward', (1,), 2, True)"),
    )),
    Row("B1.10", "a leaf has no graph to free", steps=(
        "x = tp.tensor(2., requires_grad=True)", "x.backward()", ("x.grad", "tensor(1.)"),
        "x.backward()", ("x.grad", "tensor(2.)"),
    )),
    Row("B1.11", "a root without history", steps=(
        ("tp.tensor([1.]).backward()",
         "raises RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn"),
    )),
    Row("B1.12", "no roots: nothing happens", steps=(("tp.autograd.backward([])", "None"),)),
    Row("B1.13", "a root of size 0", steps=(
        "x = tp.zeros(0, requires_grad=True)",
        ("(x * 2).backward()", "raises RuntimeError: grad can be implicitly created only for scalar outputs"),
    )),
    Row("B1.14", "a gradient that is a list or a number", steps=(
        _X2, ("(x * 2).backward([1., 1.])", "raises TypeError: gradients can be either Tensors or None"),
        ("(x * 2).backward(1.)", "raises TypeError: gradients can be either Tensors or None"),
    )),
    Row("B1.15", "a complex gradient for a real output", steps=(
        _X2, ("(x * 2).backward(tp.ones(2, dtype=tp.complex64))",
              "raises RuntimeError: For complex Tensors, both grad_output and output"),
    )),
    Row("B1.16", "more gradients than outputs", steps=(
        _X, ("tp.autograd.grad([x * 2], [x], [tp.ones(1), tp.ones(1)])",
             "raises RuntimeError: got 1 tensors and 2 gradients"),
    )),
    Row("B1.17", "both names of the argument", steps=(
        _X, ("tp.autograd.backward(x * 2, grad_tensors=tp.ones(1), grad_variables=tp.ones(1))",
             "raises RuntimeError: `grad_tensors` and `grad_variables`"),
    )),
    Row("B1.18", "inputs=[]", steps=(
        _X, ("(x * 2).backward(inputs=[])", "raises RuntimeError: `inputs` argument to `backward()` cannot be empty"),
        ("tp.autograd.grad(x * 2, [])", "raises RuntimeError: `inputs` argument to `grad()` cannot be empty"),
    )),
    Row("B1.19", "inputs= a tensor that needs no gradient", steps=(
        _X, ("(x * 2).backward(inputs=[tp.ones(1)])",
             "raises RuntimeError: can't retain_grad on Tensor that has requires_grad=False"),
    )),
    Row("B1.20", "inputs= a leaf that is not in the graph", steps=(
        _X, "w = tp.ones(1, requires_grad=True)", "(x * 2).backward(inputs=[w])", ("x.grad, w.grad", "(None, None)"),
    )),
    Row("B1.21", "grad for an input that needs no gradient", steps=(
        _X, ("tp.autograd.grad(x * 2, tp.ones(1))",
             "raises RuntimeError: One of the differentiated Tensors does not require grad"),
    )),
    Row("B1.22", "materialize_grads against allow_unused=False", steps=(
        _X, ("tp.autograd.grad(x * 2, x, materialize_grads=True, allow_unused=False)",
             "raises ValueError: Expected allow_unused to be True or not passed"),
    )),
    Row("B1.23", "is_grads_batched with a wrong shape; with an unused input", steps=(
        _X2, "w = tp.ones(1, requires_grad=True)",
        ("tp.autograd.grad(x * 2, x, tp.ones(3, 3), is_grads_batched=True)",
         "raises RuntimeError: If `is_grads_batched=True`, we interpret the first dimension"),
        ("tp.autograd.grad(x * 2, [x, w], tp.eye(2), is_grads_batched=True, allow_unused=True)[1]", "None"),
    )),
    Row("B1.24", "grad of a tensor by itself", steps=(_X, ("tp.autograd.grad(x, x)", "(tensor([1.]),)"))),
    Row("B1.25", "backward inside no_grad works; create_graph there records", steps=(
        _X, "y = x ** 3", "with tp.no_grad(): (g,) = tp.autograd.grad(y, x, create_graph=True)",
        ("g.requires_grad", "True"), "with tp.no_grad(): y.backward()", ("x.grad", "tensor([27.])"),
    )),
    Row("B1.26", "the recorded derivative of a linear function is a constant", steps=(
        _X, "(g,) = tp.autograd.grad((x * 2).sum(), x, create_graph=True)", ("g.requires_grad", "False"),
    )),
    Row("B1.28", "what `inputs=` freed is freed", steps=(
        _X, "w = tp.ones(1, requires_grad=True)", "h = x * w", "y = (h * h).sum()", "y.backward(inputs=[x])",
        ("y.backward(inputs=[w])", _SECOND_TIME), ("w.grad", "None"),
    )),
    # .grad, flags, dtype
    Row("B2.1", "accumulation is in place when nothing records", steps=(
        _X, "(x * 2).backward()", "g = x.grad", "(x * 2).backward()", ("x.grad is g, g", "(True, tensor([4.]))"),
    )),
    Row("B2.2", "accumulation under create_graph makes a new tensor", warns="UserWarning", steps=(
        _X, "(x * 2).backward()", "g = x.grad", "(x * x).backward(create_graph=True)",
        ("x.grad is g, g, x.grad.detach()", "(False, tensor([2.]), tensor([8.]))"), "x.grad = None",
    )),
    Row("B2.4", ".grad of a non-leaf", warns="NonLeafGradWarning", steps=(
        _X, "y = x * 2", "y.backward()", ("y.grad", "None"),
    )),
    Row("B2.5", ".grad assigned something that does not fit", steps=(
        _X, ("setattr(x, 'grad', 1.)", "raises TypeError: assigned grad expected to be a Tensor or None"),
        ("setattr(x, 'grad', tp.ones(2))", "raises RuntimeError: attempting to assign a gradient of size"),
        ("setattr(x, 'grad', tp.ones(1, dtype=tp.float64))",
         "raises RuntimeError: attempting to assign a gradient with dtype"),
    )),
    Row("B2.6", ".grad set by hand is added to", steps=(
        _X, "x.grad = tp.tensor([10.])", "(x * 2).backward()", ("x.grad", "tensor([12.])"),
    )),
    Row("B2.7", "a float32 leaf in a float64 expression", steps=(
        _X, "y = x * tp.ones(1, dtype=tp.float64)", "y.backward()",
        ("y.dtype, x.grad.dtype", "(tensorplay.float64, tensorplay.float32)"),
    )),
    Row("B2.8", "integers cannot require gradients", steps=(
        ("tp.tensor([1], requires_grad=True)",
         "raises RuntimeError: Only Tensors of floating point and complex dtype can require gradients"),
        ("tp.tensor([True]).requires_grad_()",
         "raises RuntimeError: Only Tensors of floating point and complex dtype can require gradients"),
    )),
    Row("B2.9", "the flag of a non-leaf", steps=(
        _X, "y = x * 2", ("setattr(y, 'requires_grad', True)", "None"),
        ("setattr(y, 'requires_grad', False)",
         "raises RuntimeError: you can only change requires_grad flags of leaf variables"),
    )),
    Row("B2.10", "a leaf made inside no_grad keeps its flag", steps=(
        "with tp.no_grad():\n    x = tp.ones(1, requires_grad=True)\n    y = x * 2",
        ("x.requires_grad, y.requires_grad", "(True, False)"),
    )),
    Row("B2.11", "retain_grad of a leaf, twice, and where no gradient is needed", steps=(
        _X, ("x.retain_grad()", "None"), ("x.retains_grad", "False"), "y = x * 2", "y.retain_grad()",
        ("y.retain_grad()", "None"), ("y.retains_grad", "True"),
        ("tp.ones(1).retain_grad()", "raises RuntimeError: can't retain_grad on Tensor that has requires_grad=False"),
    )),
    Row("B2.12", "the retained gradient comes after all hooks, and accumulates", steps=(
        _X, "y = x * 2", "y.retain_grad()", "h = y.register_hook(lambda g: g * 10)", "y.backward(retain_graph=True)",
        ("y.grad", "tensor([10.])"), "y.backward()", ("y.grad", "tensor([20.])"),
    )),
    Row("B2.13", "detach_ makes a leaf of the same object", steps=(
        _X, "y = x * 2", ("y.detach_() is y, y.is_leaf, y.requires_grad", "(True, True, False)"),
        "v = (x * 2)[0:1]", ("v.detach_()", "raises RuntimeError: Can't detach views in-place"),
    )),
    Row("B2.14", "numpy() of a tensor that requires a gradient", steps=(
        _X, ("x.numpy()", "raises RuntimeError: Can't call numpy() on Tensor that requires grad"),
        "import numpy", ("numpy.asarray(x)", "raises RuntimeError: Can't call numpy() on Tensor that requires grad"),
    )),
    Row("B2.15", "item() gives the value", steps=(_X, ("x.item()", "3.0"), ("(x * 2).item()", "6.0"))),
    Row("B2.16", "item() and bool() of several elements", steps=(
        ("tp.ones(2).item()", "raises RuntimeError: a Tensor with 2 elements cannot be converted to Scalar"),
        ("bool(tp.ones(2))", "raises RuntimeError: Boolean value of Tensor with more than one value is ambiguous"),
    )),
    Row("B2.17", "deepcopy of a leaf, and of a non-leaf", steps=(
        "import copy", _X, ("copy.deepcopy(x)", "tensor([3.], requires_grad=True)"),
        ("copy.deepcopy(x * 2)", "raises RuntimeError: Only Tensors created explicitly by the user"),
    )),
    Row("B2.18", "tp.tensor of a tensor is a detached copy", warns="UserWarning", steps=(
        _X, "y = tp.tensor(x)", ("y.requires_grad", "False"), "y[0] = 9.", ("x.item()", "3.0"),
    )),
    # hooks
    Row("B4.2", "a hook's result of another shape, dtype or sort", steps=(
        _X, "y = x * 2", "h = y.register_hook(lambda g: tp.ones(2))",
        ("y.backward()", "raises RuntimeError: hook '<lambda>' has changed the size of value"),
        "y = x * 2", "h = y.register_hook(lambda g: tp.ones(1, dtype=tp.float64))",
        ("y.backward()", "raises RuntimeError: hook '<lambda>' has changed the type of value"),
        "y = x * 2", "h = y.register_hook(lambda g: 'text')",
        ("y.backward()", "raises TypeError: expected Variable, but hook returned 'str'"),
        ("x.grad", "None"),
    )),
    Row("B4.3", "an edit of the hook's argument counts, and reaches no other branch", steps=(
        _X, "a = x * 2", "b = x * 1", "h = a.register_hook(lambda g: g.mul_(10))", "(a + b).backward()",
        ("x.grad", "tensor([21.])"), "x.grad = None",
        "a = x * 2", "b = x * 1", "h = a.register_hook(lambda g: (g.mul_(10), None)[1])", "(a + b).backward()",
        ("x.grad", "tensor([21.])"),
    )),
    Row("B4.4", "hooks fire in autograd.grad, also on the input asked for", steps=(
        _X, "o = []", "h = x.register_hook(lambda g: o.append(g.item()))",
        "p = x.register_post_accumulate_grad_hook(lambda t: o.append('accumulated'))",
        "g = tp.autograd.grad(x * 2, x)", ("o", "[2.0]"),
    )),
    Row("B4.5", "post-accumulate hooks are for leaves", steps=(
        _X, "o = []", "h = x.register_post_accumulate_grad_hook(lambda t: o.append(t.grad.item()))",
        "(x * 2).backward()", "(x * 2).backward()", ("o", "[2.0, 4.0]"),
        ("(x * 2).register_post_accumulate_grad_hook(print)",
         "raises RuntimeError: post accumulate grad hooks cannot be registered on non-leaf tensors"),
    )),
    Row("B4.6", "the hook's argument requires a gradient only under create_graph", steps=(
        _X, "o = []", "y = x ** 3", "h = y.register_hook(lambda g: o.append(g.requires_grad))",
        "k = x.register_hook(lambda g: o.append(g.requires_grad))",
        "g = tp.autograd.grad(y, x, retain_graph=True)", ("o", "[False, False]"),
        "g = tp.autograd.grad(y, x, create_graph=True)", ("o[-1]", "True"),
    )),
    Row("B4.7", "node hooks: a returned tuple replaces", steps=(
        _X, "y = x * 2", "h = y.grad_fn.register_prehook(lambda arrived: (arrived[0] * 10,))", "y.backward()",
        ("x.grad", "tensor([20.])"), "x.grad = None",
        "y = x * 2", "h = y.grad_fn.register_hook(lambda sent, arrived: tuple(g and g * 7 for g in sent))",
        "y.backward()", ("x.grad", "tensor([14.])"), "x.grad = None",
        "y = x * 2", "h = y.grad_fn.register_hook(lambda sent, arrived: None)", "y.backward()",
        ("x.grad", "tensor([2.])"),
    )),
    # printing, promotion, shapes
    Row("B8.1", "values print in PyTorch's layout", steps=(
        ("tp.tensor([0.5, 1.])", "tensor([0.5000, 1.0000])"), ("tp.tensor(12.)", "tensor(12.)"),
        ("tp.tensor([True, False])", "tensor([ True, False])"),
        ("tp.tensor([1e-05, 1.])", "tensor([1.0000e-05, 1.0000e+00])"),
        ("tp.zeros(2, 0)", "tensor([], size=(2, 0))"), ("tp.tensor([1, -2])", "tensor([ 1, -2])"),
        ("tp.tensor([[1., 2.], [3., 4.]])", "tensor([[1., 2.],\n        [3., 4.]])"),
    )),
    Row("B8.2", "suffixes", steps=(
        _X, ("x", "tensor([3.], requires_grad=True)"), ("x * 2", "tensor([6.], grad_fn=<MulBackward>)"),
        ("tp.ones(1, dtype=tp.float64)", "tensor([1.], dtype=tensorplay.float64)"),
        ("tp.ones(1, dtype=tp.int32)", "tensor([1], dtype=tensorplay.int32)"), ("tp.tensor([1])", "tensor([1])"),
    )),
    Row("B8.4", "a node's name is a call", steps=(_X, ("(x * 2).grad_fn.name()", "'MulBackward'"))),
    Row("B8.5", "the dtype that tp.tensor chooses", steps=(
        "import numpy as np",
        ("[tp.tensor(v).dtype.name for v in (1, 1., True, np.float64(1), np.array([1], np.int32))]",
         "['int64', 'float32', 'bool', 'float64', 'int32']"),
    )),
    Row("B8.6", "promotion", steps=(
        "i = tp.tensor([7])", "f = tp.ones(1)", "s = tp.tensor(2., dtype=tp.float64)", "n = tp.ones(1, dtype=tp.int32)",
        ("[t.dtype.name for t in (i / i, tp.tensor([True]) + 1, i + f, n + i, s * f, f * 2., i * 2.)]",
         "['float32', 'int64', 'float32', 'int64', 'float32', 'float32', 'float32']"),
    )),
    Row("B8.7", "sizes that do not broadcast", steps=(
        ("tp.ones(2) + tp.ones(3)", "raises RuntimeError: The size of tensor a (2) must match the size of tensor b (3) "
                                    "at non-singleton dimension 0"),
    )),
    Row("B8.8", "shapes that do not fit", steps=(
        ("tp.ones(2, 3) @ tp.ones(2, 3)",
         "raises RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)"),
        ("tp.ones(2).reshape(3)", "raises RuntimeError: shape '[3]' is invalid for input of size 2"),
        ("tp.ones(2, 3).T.view(6)", "raises RuntimeError: view size is not compatible"),
        ("tp.ones(2).expand(3)",
         "raises RuntimeError: The expanded size of the tensor (3) must match the existing size (2)"),
    )),
    Row("B8.9", "dimensions and indices", steps=(
        ("tp.ones(2).sum(5)", "raises IndexError: Dimension out of range"),
        ("tp.ones(2)[5]", "raises IndexError: index 5 is out of bounds for dimension 0 with size 2"),
        ("tp.ones(2)[0, 0]", "raises IndexError: too many indices for tensor of dimension 1"),
        ("tp.ones(2)[tp.tensor([True, False, True])]",
         "raises IndexError: The shape of the mask [3] at index 0 does not match"),
        ("tp.ones(2)[0.5]", "raises IndexError: only integers, slices"),
    )),
    Row("B8.10", "reductions of nothing and of integers; ragged lists", steps=(
        ("tp.zeros(0).max()", "raises RuntimeError: max(): Expected reduction dim"),
        ("tp.tensor([1, 2]).mean()", "raises RuntimeError: mean(): could not infer output dtype"),
        ("tp.tensor([[1., 2.], [3.]])", "raises ValueError: expected sequence of length"),
    )),
]

"""Corner cases of freed graphs, roots, `inputs=`, `.grad`, flags and dtypes, as data (see `rows.py`)."""

from __future__ import annotations

from tests.autograd.rows import Row

_X = "x = tp.tensor([3.], requires_grad=True)"
_X2 = "x = tp.tensor([1., 2.], requires_grad=True)"
_SECOND_TIME = "raises FreedGraphError: Trying to backward through the graph a second time"

# fmt: off
CORNER_CASES = [
    # freed graphs, roots, inputs
    Row("B1.1", "a second backward on the same output: a warning and an event", differs="an error", steps=(
        _X, "y = x ** 3", "y.backward()", "g, seen = x.grad, []",
        "handle = tp.events.subscribe(seen.append, tp.events.BackwardOnFreedGraph)",
        ("y.backward()", "warns FreedGraphWarning: "), "handle.remove()",
        ("x.grad is g, g, [type(e).__name__ for e in seen]", "(True, tensor([27.]), ['BackwardOnFreedGraph'])"),
    )),
    Row("B1.1", "the warning comes once a call site", differs="an error", steps=(
        "import warnings", _X, "ys = [x ** 3 for _ in range(4)]", "z = [y.backward() for y in ys]",
        "with warnings.catch_warnings(record=True) as caught:\n"
        "    warnings.simplefilter('default')\n"
        "    for y in ys: y.backward()\n"
        "    ys[0].backward()",
        ("[w.category.__name__ for w in caught]", "['FreedGraphWarning', 'FreedGraphWarning']"),
    )),
    Row("B1.2", "retain, then release, then a third time", differs="an error", warns="FreedGraphWarning", steps=(
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
    Row("B1.6", "a graph that saved nothing is freed all the same", warns="FreedGraphWarning",
        differs="walks again", steps=(
        _X, "y = (x + 1).sum()", "y.backward()", "y.backward()", ("x.grad", "tensor([1.])"),
    )),
    Row("B1.7", "an inner tensor of a graph freed from another root", warns="FreedGraphWarning",
        differs="walks again where nothing was saved", steps=(
        _X, "h = x * 2", "z = h * h", "z.backward()", ("x.grad", "tensor([24.])"),
        "h.backward()", ("x.grad", "tensor([24.])"),
    )),
    Row("B1.8", "a freed root beside a live one: nothing is accumulated", steps=(
        _X, "a = x * x", "a.backward()", "b = x * 3", ("tp.autograd.backward([a, b])", _SECOND_TIME),
        ("x.grad", "tensor([6.])"),
    )),
    Row("B1.9", "a saved value read after the free", steps=(
        _X, "y = x.exp()", "name = '_saved_out' if hasattr(y.grad_fn, 'freed') else '_saved_result'  # ours, PyTorch's",
        "saved = lambda: getattr(y.grad_fn, name)", ("round(float(saved()[0].item()), 4)", "20.0855"), "y.backward()",
        ("saved()", _SECOND_TIME), ("y.grad_fn.name()", "'ExpBackward'"),
    )),
    Row("B1.9", "what a custom operation saved, read after the free", steps=(
        "class F(tp.autograd.Function):\n"
        "    @staticmethod\n"
        "    def forward(ctx, x): ctx.save_for_backward(x); kept.append(ctx); return x * 2\n"
        "    @staticmethod\n"
        "    def backward(ctx, g): return g * 2",
        "kept = []", _X, "y = F.apply(x)", ("kept[0].saved_tensors[0] is x", "True"), "y.backward()",
        ("kept[0].saved_tensors", "raises FreedGraphError: Trying to "), ("y.grad_fn.name()", "'FBackward'"),
    )),
    Row("B1.9", "name, shape and edges stay readable after the free", differs="nodes tell no shape", steps=(
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
    Row("B1.14", "a gradient that is a list", steps=(
        _X2, ("(x * 2).backward([1., 1.])", "raises GradTypeError: gradients can be either Tensors or None"),
        ("tp.autograd.grad(x * 2, x, [[1., 1.]])", "raises GradTypeError: gradients can be either Tensors or None"),
    )),
    Row("B1.14", "a gradient that is a number", differs="the error says that a float is not iterable", steps=(
        _X2, ("(x * 2).backward(1.)", "raises GradTypeError: gradients can be either Tensors or None"),
    )),
    Row("B1.15", "a complex gradient for a real output", steps=(
        _X2, ("(x * 2).backward(tp.ones(2, dtype=tp.complex64))",
              "raises RuntimeError: For complex Tensors, both grad_output and output"),
    )),
    Row("B1.16", "more gradients than outputs", differs="the rest is ignored", steps=(
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
    Row("B1.27", "an exception in a hook propagates; repeating names the interrupted pass",
        differs="walks again where nothing was saved", steps=(
        _X, "y = x * 2", "h = y.register_hook(lambda g: 1 / 0)", "y = y * 3",
        ("y.backward()", "raises ZeroDivisionError: division by zero"), "h.remove()",
        ("y.backward()", _SECOND_TIME), ("x.grad", "None"),
        "try: y.backward()\nexcept tp.errors.FreedGraphError as error: said = str(error)",
        ("'ZeroDivisionError' in said or 'interrupted' in said", "True"),
    )),
    Row("B1.27", "an exception under retain_graph=True can be repeated", steps=(
        _X, "y = x ** 3", "h = y.register_hook(lambda g: 1 / 0)",
        ("y.backward(retain_graph=True)", "raises ZeroDivisionError: division by zero"), "h.remove()", "y.backward()",
        ("x.grad", "tensor([27.])"),
    )),
    Row("B1.27", "an exception in a custom backward", steps=(
        "class F(tp.autograd.Function):\n"
        "    @staticmethod\n"
        "    def forward(ctx, x): ctx.save_for_backward(x); return x * 2\n"
        "    @staticmethod\n"
        "    def backward(ctx, g): ctx.saved_tensors; raise KeyError('mine')",
        _X, "w = tp.ones(1, requires_grad=True)", "y = F.apply(x * 1) * w",
        ("y.backward()", "raises KeyError: 'mine'"), ("y.backward()", _SECOND_TIME), ("x.grad", "None"),
    )),
    Row("B1.28", "what `inputs=` freed is freed", steps=(
        _X, "w = tp.ones(1, requires_grad=True)", "h = x * w", "y = (h * h).sum()", "y.backward(inputs=[x])",
        ("y.backward(inputs=[w])", _SECOND_TIME), ("w.grad", "None"),
    )),
    Row("B1.29", "a long chain and a wide fan-in, without recursion", steps=(
        "import sys", "x = tp.ones(1, dtype=tp.float64, requires_grad=True)", "y = x.clone()",
        "for _ in range(100_000): y = y * 1.0",
        "s = x * 0.\nfor _ in range(20_000): s = s + x",
        "depth = len(__import__('inspect').stack(0))", "limit = sys.getrecursionlimit()",
        "try:\n"
        "    sys.setrecursionlimit(depth + 60)\n"
        "    y.backward(retain_graph=True)\n"
        "    s.backward()\n"
        "    del y, s\n"
        "finally: sys.setrecursionlimit(limit)",
        ("x.grad.item()", "20001.0"),
    )),
    Row("B1.30", "two threads, two graphs; the mode of a thread starts enabled", steps=(
        "from concurrent.futures import ThreadPoolExecutor",
        "def work(n):\n"
        "    mode = tp.is_grad_enabled()\n"
        "    x = tp.tensor(float(n), requires_grad=True)\n"
        "    y = x * 1.0\n"
        "    for _ in range(100): y = y + x\n"
        "    with tp.no_grad(): z = x * 2\n"
        "    y.backward()\n"
        "    return mode, z.requires_grad, x.grad.item()",
        "with tp.no_grad(), ThreadPoolExecutor(4) as pool: results = list(pool.map(work, range(8)))",
        ("set(results)", "{(True, False, 101.0)}"),
    )),
    # .grad, flags, dtype
    Row("B2.1", "accumulation is in place when nothing records", steps=(
        _X, "(x * 2).backward()", "g = x.grad", "(x * 2).backward()", ("x.grad is g, g", "(True, tensor([4.]))"),
    )),
    Row("B2.2", "accumulation under create_graph makes a new tensor", warns="UserWarning", steps=(
        _X, "(x * 2).backward()", "g = x.grad", "(x * x).backward(create_graph=True)",
        ("x.grad is g, g, x.grad.detach()", "(False, tensor([2.]), tensor([8.]))"), "x.grad = None",
    )),
    Row("B2.3", ".grad shares no memory with the vector passed in, nor with another .grad", steps=(
        _X2, "w = tp.ones(2, requires_grad=True)", "v = tp.ones(2)", "(x + w).backward(v)", "v.fill_(9.)",
        "x.grad.fill_(5.)", ("x.grad, w.grad, v", "(tensor([5., 5.]), tensor([1., 1.]), tensor([9., 9.]))"),
        "x.grad = None", "v = tp.ones(2)", "x.backward(v)", "(x * 1).backward(v)",
        ("x.grad, v", "(tensor([2., 2.]), tensor([1., 1.]))"),
    )),
    Row("B2.4", ".grad of a non-leaf", warns="NonLeafGradWarning", steps=(
        _X, "y = x * 2", "y.backward()", ("y.grad", "None"),
    )),
    Row("B2.4", "the words of the warning", steps=(
        _X, "y = x * 2",
        ("y.grad", "warns NonLeafGradWarning: The .grad attribute of a Tensor that is not a leaf Tensor"),
    )),
    Row("B2.5", ".grad assigned something that does not fit", steps=(
        _X, ("setattr(x, 'grad', 1.)", "raises TypeError: assigned grad expected to be a Tensor or None"),
        ("setattr(x, 'grad', tp.ones(2))", "raises RuntimeError: attempting to assign a gradient of size"),
        ("setattr(x, 'grad', tp.ones(1, dtype=tp.float64))",
         "raises RuntimeError: attempting to assign a gradient with dtype"),
    )),
    Row("B2.5", "grad_dtype chooses the dtype of .grad, on leaves without a .grad", steps=(
        _X, "x.grad_dtype = tp.float64", "(x * 2).backward()", ("x.grad", "tensor([2.], dtype=tensorplay.float64)"),
        ("setattr(x, 'grad', tp.ones(1))", "raises RuntimeError: attempting to assign a gradient with dtype"),
        ("setattr(x, 'grad_dtype', tp.float32)", "raises RuntimeError: Cannot set grad_dtype"), "x.grad = None",
        "x.grad_dtype = None", "x.grad = tp.ones(1, dtype=tp.float16)", ("x.grad_dtype", "None"),
        ("setattr(x, 'grad_dtype', 'float32')", "raises RuntimeError: grad_dtype must be a"),
        ("(x * 2).grad_dtype", "raises RuntimeError: grad_dtype can only be accessed on leaf tensors"),
        ("tp.tensor([1]).grad_dtype", "tensorplay.int64"),
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
        ("tp.tensor([True], requires_grad=True)",
         "raises RuntimeError: Only Tensors of floating point and complex dtype can require gradients"),
    )),
    Row("B2.8", "the flag of integers, set later", differs="these words begin otherwise: only Tensors of …", steps=(
        ("tp.tensor([True]).requires_grad_()",
         "raises RuntimeError: Only Tensors of floating point and complex dtype can require gradients"),
        ("setattr(tp.tensor([1]), 'requires_grad', True)",
         "raises RuntimeError: Only Tensors of floating point and complex dtype can require gradients"),
    )),
    Row("B2.9", "the flag of a non-leaf", steps=(
        _X, "y = x * 2", ("setattr(y, 'requires_grad', False)",
                          "raises RuntimeError: you can only change requires_grad flags of leaf variables"),
        ("y.requires_grad_(False)", "raises RuntimeError: you can only change requires_grad flags of leaf variables"),
    )),
    Row("B2.9", "the flag of a non-leaf may be set to what it is", differs="an error", steps=(
        _X, "y = x * 2", "y.requires_grad = True", ("y.requires_grad, y.is_leaf", "(True, False)"),
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
    Row("B2.12", "a hook registered after retain_grad still runs before the gradient is kept", steps=(
        _X, "y = x * 2", "h = y.register_hook(lambda g: g * 10)", "y.retain_grad()",
        "k = y.register_hook(lambda g: g * 3)", "y.backward()", ("y.grad, x.grad", "(tensor([30.]), tensor([60.]))"),
    )),
    Row("B2.12", "the retained gradient follows the tensor through an edit in place", steps=(
        _X, "y = x * 2", "y.retain_grad()", "y.mul_(5)", "(y * 3).backward()",
        ("y.grad, x.grad, y.retains_grad", "(tensor([3.]), tensor([30.]), True)"),
    )),
    Row("B2.13", "detach_ makes a leaf of the same object", steps=(
        _X, "y = x * 2", ("y.detach_() is y, y.is_leaf, y.requires_grad", "(True, True, False)"),
        "v = (x * 2)[0:1]", ("v.detach_()", "raises RuntimeError: Can't detach views in-place"),
    )),
    Row("B2.14", "numpy() of a tensor that requires a gradient", steps=(
        _X, ("x.numpy()", "raises RuntimeError: Can't call numpy() on Tensor that requires grad"),
        "import numpy", ("numpy.asarray(x)", "raises RuntimeError: Can't call numpy() on Tensor that requires grad"),
    )),
    Row("B2.15", "item() gives the value, float() too, with a warning", steps=(
        _X, ("x.item()", "3.0"), ("(x * 2).item()", "6.0"), ("int(x), bool(x)", "(3, True)"),
        ("float(x)", "warns UserWarning: Converting a tensor with requires_grad=True to a scalar"),
        ("float(x.detach())", "3.0"),
    )),
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
]

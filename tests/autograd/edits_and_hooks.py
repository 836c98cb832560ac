"""Corner cases of edits in place, views, versions and hooks, as data (see `rows.py`)."""

from __future__ import annotations

from tests.autograd.rows import Row

_X = "x = tp.tensor([3.], requires_grad=True)"
_X3 = "x = tp.tensor([1., 2., 3.], requires_grad=True)"
_MODIFIED = ("raises VersionError: one of the variables needed for gradient computation has been modified "
             "by an inplace operation")  # fmt: skip
_LEAF = "raises InPlaceError: a leaf Variable that requires grad is being used in an in-place operation"
_VIEW_OF_LEAF = "raises InPlaceError: a view of a leaf Variable that requires grad is being used in an in-place"

# fmt: off
EDITS_AND_HOOKS = [
    # in place, views, versions
    Row("B3.1", "a saved input is overwritten", steps=(
        _X3, "h = x * 1", "y = h * h", "h.add_(1)", ("y.sum().backward()", _MODIFIED), ("x.grad", "None"),
    )),
    Row("B3.1", "a saved output is overwritten through detach()", steps=(
        _X3, "y = x.sigmoid()", "z = y.detach().zero_()", ("y.tolist()", "[0.0, 0.0, 0.0]"),
        ("y.sum().backward()", _MODIFIED),
    )),
    Row("B3.1", "a saved input is overwritten under no_grad", steps=(
        _X3, "h = x * 1", "y = h * h", "with tp.no_grad(): h[0] = 9.", ("y.sum().backward()", _MODIFIED),
        "y = x * x", "with tp.no_grad(): x.mul_(2)", ("y.sum().backward()", _MODIFIED),
    )),
    Row("B3.1", "a saved view is overwritten through its base, and a base through its view", steps=(
        _X3, "h = x * 1", "v = h[0:2]", "y = v * v", "h.mul_(2)", ("y.sum().backward()", _MODIFIED),
        "h = x * 1", "y = h * h", "h[0:2].mul_(2)", ("y.sum().backward()", _MODIFIED),
    )),
    Row("B3.1", "a saved parameter is overwritten by opt.step()", steps=(
        "w = tp.ones(2, requires_grad=True)", "opt = tp.optim.SGD([w], lr=0.1)", "y = (w * w).sum()",
        "y.backward(retain_graph=True)", "opt.step()", ("y.backward()", _MODIFIED),
    )),
    Row("B3.2", "overwritten, but not needed: +, a number times, the input of tanh", steps=(
        _X3, "h = x * 1", "y = (h + 1) + h * 2 + h.tanh()", "h.zero_()", "y.sum().backward()",
        ("(x.grad - 3 - (1 - x.detach().tanh() ** 2)).abs().max().item() < 1e-6", "True"),
    )),
    Row("B3.3", "a leaf that requires a gradient is not edited", steps=(
        _X3, ("x.add_(1)", _LEAF), ("x.zero_()", _LEAF), ("x.copy_(tp.ones(3))", _LEAF), ("x += 1", _LEAF),
        ("x *= 2", _LEAF), ("x.tolist(), x._version", "([1.0, 2.0, 3.0], 0)"),
    )),
    Row("B3.3", "under no_grad a leaf is edited and stays one", steps=(
        _X3, "with tp.no_grad(): x += 1",
        ("x, x.is_leaf, x._version", "(tensor([2., 3., 4.], requires_grad=True), True, 1)"),
        "(x * x).sum().backward()", ("x.grad", "tensor([4., 6., 8.])"),
    )),
    Row("B3.4", "a view of such a leaf is not edited", steps=(
        _X3, ("x[0] = 1.", _VIEW_OF_LEAF), ("x[:] += 1", _VIEW_OF_LEAF), ("x[0].add_(1)", _VIEW_OF_LEAF),
        ("x.view(3, 1)[0].zero_()", _VIEW_OF_LEAF), ("x.reshape(3, 1).mul_(2)", _VIEW_OF_LEAF),
        ("x.tolist(), x._version", "([1.0, 2.0, 3.0], 0)"),
    )),
    Row("B3.4", "nor is one that was made before the leaf was taken off the graph", steps=(
        _X3, "v = x[0]", "x.requires_grad_(False)", ("v.mul_(2)", _VIEW_OF_LEAF),
        _X3, "y = x * 2", "v = y[0]", "y.detach_()", ("v.mul_(2)", _VIEW_OF_LEAF), ("y.tolist()", "[2.0, 4.0, 6.0]"),
    )),
    Row("B3.5", "an assignment to all of a tensor leaves nothing of its old value, and records no zeros", steps=(
        _X3, "g = tp.ones(3, requires_grad=True)", "whole = [..., slice(None), (), (slice(0, 3), ...)]",
        "def old(index): y = x * 1; y[index] = x * 2; return tp.autograd.grad(y, x, g, create_graph=True)[0].tolist()",
        ("{tuple(old(index)) for index in whole}", "{(2.0, 2.0, 2.0)}"),
        "def zeros(index): y = x * 1; y[index] = 5.; return tp.autograd.grad(y, x, g, create_graph=True)[0]",
        ("{(*zeros(i).tolist(), zeros(i).requires_grad) for i in whole}", "{(0.0, 0.0, 0.0, False)}"),
        ("zeros(slice(1, 3)).requires_grad", "True"),
    )),
    Row("B3.5", "an edit of a view rewrites the history of the base", steps=(
        _X3, "y = x * 1", "v = y[0:2].mul_(10)", ("y.tolist()", "[10.0, 20.0, 3.0]"), "y.sum().backward()",
        ("x.grad", "tensor([10., 10.,  1.])"), ("v.grad_fn is not None, y.is_leaf", "(True, False)"),
    )),
    Row("B3.5", "older views of an edited base get a new grad_fn, and the new derivative", steps=(
        _X3, "y = x * 1", "v = y[0:2]", "old = v.grad_fn", "y.mul_(10)",
        ("v.tolist(), v.grad_fn is old", "([10.0, 20.0], False)"),
        "v.sum().backward()", ("x.grad", "tensor([10., 10.,  0.])"),
    )),
    Row("B3.5", "a sibling view sees the edit; what was computed before keeps its derivative", steps=(
        _X3, "y = x * 1", "a = y[0:2]", "b = y[1:3]", "before = y.sum()", "a.mul_(10)",
        ("b.tolist()", "[20.0, 3.0]"), "(before + b.sum()).backward()", ("x.grad", "tensor([ 1., 11.,  2.])"),
    )),
    Row("B3.5", "a view of a view, transposed", steps=(
        "x = tp.ones(2, 3, requires_grad=True)", "y = x * 1", "y.T[1:, 0].mul_(5)", "(y * y).sum().backward()",
        ("x.grad", "tensor([[ 2., 50., 50.],\n        [ 2.,  2.,  2.]])"),
    )),
    Row("B3.5", "views know their base: the tensor that owns the memory and not the view between", steps=(
        "x = tp.ones(2, 2, requires_grad=True)", "y = x * 1",
        "views = [y[0], y.view(4), y.T, y[0][1:], y.unsqueeze(0), y.squeeze(), y.transpose(0, 1), y.expand(3, 2, 2), "
        "y.permute(1, 0), y.reshape(4), y.flatten()]",
        ("{v._is_view() and v._base is y for v in views}", "{True}"),
        "others = [x, y, y.clone(), y[[0]], y[y > 0], y.detach(), y.data, y.T.reshape(4), y + 0]",
        ("{v._is_view() or v._base is not None for v in others}", "{False}"),
        ("x[0]._base is x, tp.ones(2)[0]._is_view()", "(True, True)"),
    )),
    Row("B3.6", "slice assignment of a tracked value tracks the tensor", steps=(
        _X3, "z = tp.zeros(4)", "z[1:3] = x[:2] * 2", ("z.requires_grad, z.is_leaf", "(True, False)"),
        "(z * z).sum().backward()", ("x.grad", "tensor([ 8., 16.,  0.])"),
    )),
    Row("B3.6", "a slice assigned a number sends nothing", steps=(
        _X3, "y = x * 1", "y[1] = 0.", "(y * y).sum().backward()", ("x.grad", "tensor([2., 0., 6.])"),
    )),
    Row("B3.6", "assignment at a mask, at positions, and through a view of the untracked tensor", steps=(
        _X3, "z = tp.zeros(3)", "z[x.detach() > 1] = x[1:] * 2", "z[[0]] = x[:1] * 7", "w = tp.zeros(2, 3)",
        "w[1] += x",
        ("w.requires_grad", "True"), "(z + w[1]).sum().backward()", ("x.grad", "tensor([8., 3., 3.])"),
    )),
    Row("B3.7", "an output of several views is not edited", steps=(
        _X3, "y = x * 1",
        ("y.unbind()[0].mul_(2)", "raises InPlaceError: Output 0 of Unbind is a view and is being modified inplace"),
        ("y.split(2)[1].mul_(2)", "raises InPlaceError: Output 1 of Split is a view and is being modified inplace"),
        ("y.chunk(3)[2].zero_()", "raises InPlaceError: Output 2 of Split is a view and is being modified inplace"),
        ("y.tolist()", "[1.0, 2.0, 3.0]"),
    )),
    Row("B3.7", "a multiple of the other is added", steps=(
        _X3, "y = x * 1", "z = y.add_(x, alpha=3).sub_(x, alpha=2)", ("z is y, y.tolist()", "(True, [2.0, 4.0, 6.0])"),
        "y.sum().backward()", ("x.grad", "tensor([2., 2., 2.])"),
    )),
    Row("B3.8", "a view made under no_grad is not edited outside", steps=(
        _X3, "y = x * 1", "with tp.no_grad(): v = y[0:2]",
        ("v.mul_(2)", "raises InPlaceError: A view was created in no_grad mode"), ("y.tolist()", "[1.0, 2.0, 3.0]"),
        "with tp.no_grad(): z = v.mul_(2)", ("y.tolist()", "[2.0, 4.0, 3.0]"),
        "with tp.inference_mode(): w = y[0:2]",
        ("w.mul_(2)", "raises InPlaceError: A view was created in inference mode and is being modified inplace"),
        ("y.tolist()", "[2.0, 4.0, 3.0]"),
    )),
    Row("B3.9", "an expanded tensor is not edited", steps=(
        "b = tp.ones(1, 1)", "e = b.expand(4, 5)",
        ("e.add_(1)", "raises InPlaceError: unsupported operation: more than one element of the written-to tensor"),
        ("e += 1", "raises InPlaceError: unsupported operation: more than one element of the written-to tensor"),
        ("b", "tensor([[1.]])"),
        "x = tp.ones(1, requires_grad=True)", "y = (x * 1).expand(3)",
        ("y.mul_(2)", "raises InPlaceError: unsupported operation: more than one element of the written-to tensor"),
    )),
    Row("B3.10", "an inference tensor is not edited, and gets no flag, outside", steps=(
        "with tp.inference_mode():\n    i = tp.ones(2)\n    i.add_(1)",
        ("i, i.is_inference()", "(tensor([2., 2.]), True)"),
        ("i.add_(1)", "raises InferenceError: Inplace update to inference tensor outside InferenceMode"),
        ("i.requires_grad_()", "raises InferenceError: Setting requires_grad=True on inference tensor"),
        ("i.requires_grad", "False"),
    )),
    Row("B3.10", "the refused edit changes nothing", differs="writes first, and raises then", steps=(
        "with tp.inference_mode(): i = tp.ones(2)", ("i.add_(1)", "raises InferenceError: Inplace update"),
        ("i[0] = 5.", "raises InferenceError: Inplace update"), ("i", "tensor([1., 1.])"),
    )),
    Row("B3.11", "a result that is wider than the target", steps=(
        "n = tp.tensor([1, 2])", ("n.add_(0.5)", "raises DTypeError: result type Float can't be cast"),
        ("n.mul_(tp.ones(2))", "raises DTypeError: result type Float can't be cast"),
        ("n.div_(2)", "raises DTypeError: result type Float can't be cast"),
        "f = tp.ones(2)",
        ("f.add_(tp.ones(2, 2))", "raises ShapeError: output with shape [2] doesn't match the broadcast shape [2, 2]"),
        ("f.mul_(tp.ones(2, dtype=tp.complex64))", "raises DTypeError: result type ComplexFloat can't be cast"),
        ("n, f, n._version, f._version", "(tensor([1, 2]), tensor([1., 1.]), 0, 0)"),
        ("f.add_(tp.ones(2, dtype=tp.float64)).dtype", "tensorplay.float32"),
    )),
    Row("B3.12", "the version counts edits; views and detach() share it, clone() has its own", steps=(
        "x = tp.ones(3)", ("x._version", "0"), "x.add_(1)", "x[0] = 5.", "x *= 2", ("x._version", "3"),
        "v = x[0:2]", "d = x.detach()", "c = x.clone()", "v.zero_()", "d.add_(1)",
        ("x._version, v._version, d._version, c._version", "(5, 5, 5, 0)"),
    )),
    Row("B3.12", "writes through .data and through NumPy do not count", steps=(
        "x = tp.ones(3)", "x.data.add_(1)", "x.numpy()[0] = 7.", ("x.tolist(), x._version", "([7.0, 2.0, 2.0], 0)"),
    )),
    Row("B3.13", "a hook stays with the old value, retain_grad follows the tensor", steps=(
        _X, "a = x.clone()", "seen = []", "h = a.register_hook(lambda g: seen.append(('a', g.item())))",
        "a.retain_grad()", "a.mul_(2)", "b = a.clone()", "k = b.register_hook(lambda g: seen.append(('b', g.item())))",
        "(b + 1).sum().backward()", ("seen, a.grad, x.grad", "([('b', 1.0), ('a', 2.0)], tensor([1.]), tensor([2.]))"),
    )),
    Row("B3.13", "a hook of a view stays with its old value too", differs="never calls it", steps=(
        _X3, "y = x * 1", "v = y[0:2]", "seen = []", "h = v.register_hook(lambda g: seen.append(g.tolist()))",
        "v.mul_(10)", "y.sum().backward()", ("seen", "[[10.0, 10.0]]"), ("x.grad", "tensor([10., 10.,  1.])"),
    )),
    Row("B3.13", "looking at a view changes nothing: its gradient is that of its new value", steps=(
        "def kept(edit, look):\n x = tp.ones(2, requires_grad=True); y = x * 2; z = y[0]; z.retain_grad(); "
        "w = y[0]; exec(edit); look and z.grad_fn; y.sum().backward(); return z.grad",
        ("[kept(edit, look) for edit in ('z.mul_(5)', 'y.mul_(5)', 'w.mul_(5)') for look in (False, True)]",
         "[None, None, None, None, None, None]"),
        "def later(look): x = tp.ones(2, requires_grad=True); y = x * 2; z = y[0]; z.retain_grad(); z.mul_(5); "
        "look and z.grad_fn; (z * 3).backward(); return z.grad",
        ("later(False), later(True)", "(tensor(3.), tensor(3.))"),
    )),
    Row("B3.13", "what was made before the edit", differs="says 3. unless one looks", steps=(
        "def kept(look): x = tp.ones(2, requires_grad=True); y = x * 2; z = y[0]; z.retain_grad(); k = z * 3; "
        "y.mul_(5); look and z.grad_fn; k.backward(); return z.grad",
        ("kept(False), kept(True)", "(None, None)"),
    )),
    Row("B3.12", "x.data after recording: the derivative is that of the value that was recorded",
        differs="takes the derivative at the new value", steps=(
        _X, "y = x * x", "x.data = tp.tensor([10.])", "y.sum().backward()", ("x.grad", "tensor([6.])"),
    )),
    # hooks
    Row("B4.1", "the order of all hooks in one run", steps=(
        _X, "y = x * 3", "o = []",
        "hs = [x.register_post_accumulate_grad_hook(lambda t: o.append('accumulated')), "
        "x.register_hook(lambda g: o.append('leaf')), "
        "y.grad_fn.register_hook(lambda sent, arrived: o.append('node')), "
        "y.grad_fn.register_prehook(lambda arrived: o.append('before')), "
        "y.register_hook(lambda g: o.append('tensor'))]",
        "y.backward()", ("o", "['tensor', 'before', 'node', 'leaf', 'accumulated']"),
    )),
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
        "h.remove()", "h = x.register_post_accumulate_grad_hook(lambda t: t.grad)",
        ("(x * 2).backward()", "raises RuntimeError: Tensor post accumulate grad hooks should return None"),
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
    Row("B4.7", "node hooks: anything else than a tuple is refused", steps=(
        _X, "def told(how, answer): y = x * 2; getattr(y.grad_fn, how)(lambda *_: answer); y.backward()",
        *((f"told({how!r}, {answer})", f"raises TypeError: expected tuple, but hook returned {kind!r}")
          for how in ("register_hook", "register_prehook")
          for answer, kind in (("3", "int"), ("'s'", "str"), ("{}", "dict"), ("[]", "list"),
                               ("tp.ones(1)", "Tensor"), ("False", "bool"))),
        ("told('register_hook', ())", "raises RuntimeError: hook '<lambda>' has returned an incorrect number"),
        ("x.grad", "None"),
    )),
    Row("B4.7", "node hooks are shown None for an output that nothing used", steps=(
        "x = tp.tensor([1., 2.], requires_grad=True)", "seen = []", "p, q = x.unbind(0)",
        "h = p.grad_fn.register_prehook(lambda arrived: seen.append(arrived))",
        "k = p.grad_fn.register_hook(lambda sent, arrived: seen.append((sent, arrived)))", "p.backward()",
        ("seen", "[(tensor(1.), None), ((tensor([1., 0.]),), (tensor(1.), None))]"), ("x.grad", "tensor([1., 0.])"),
        "p, q = x.unbind(0)", "h = p.grad_fn.register_prehook(lambda arrived: (None, None))", "x.grad = None",
        "p.backward()", ("x.grad", "None"),
        "p, q = x.unbind(0)", "h = p.grad_fn.register_prehook(lambda arrived: (arrived[0], tp.ones(())))",
        ("p.backward()", "raises RuntimeError: can't replace a None gradient with a non-None value"),
    )),
    Row("B4.8", "a hook on several tensors: mode all", steps=(
        _X, "a, b, c = x * 2, x * 3, x * 4", "o = []",
        "h = tp.autograd.graph.register_multi_grad_hook([a, b, c], lambda gs: o.append([g and g.item() for g in gs]))",
        "(a * a + b).sum().backward()", ("o", "[[12.0, 1.0, None]]"), ("x.grad", "tensor([27.])"),
        "h.remove()", "(x * 2 + (x * 3)).sum().backward()", ("len(o)", "1"),
    )),
    Row("B4.8", "a hook on several tensors: mode any", steps=(
        _X, "a = x * 2", "b = a * 3", "o = []",
        "h = tp.autograd.graph.register_multi_grad_hook([a, b], lambda g: o.append(g.item()), mode='any')",
        "(b * 5).sum().backward()", ("o", "[5.0]"),
    )),
    Row("B4.8", "a hook on several tensors: another mode", steps=(
        _X, ("tp.autograd.graph.register_multi_grad_hook([x * 2], print, mode='some')",
             "raises ValueError: Expects mode to be one of"),
    )),
]

"""Corner cases of `Function`, as data (see `rows.py`). `F(forward, backward)` makes one whose methods are these."""

from __future__ import annotations

from tests.autograd.rows import Row

_F = (
    "def F(forward, backward=None, **more):\n"
    "    methods = dict(more, forward=forward, **({'backward': backward} if backward else {}))\n"
    "    return type('F', (tp.autograd.Function,), {k: staticmethod(v) for k, v in methods.items()})"
)
_X = "x = tp.tensor([1., 2.], requires_grad=True)"
_START = (_F, _X)
_SQUARE = (
    "def square(ctx, x):\n    ctx.save_for_backward(x)\n    return x * x",
    "def slope(ctx, g):\n    (x,) = ctx.saved_tensors\n    return g * 2 * x",
    "S = F(square, slope)",
)
_VIEW = "This view was created inside a custom Function (or because an input was returned as-is)"
_DIRTY = "def double(ctx, a):\n    a.mul_(2)\n    ctx.mark_dirty(a)\n    return a"
_COMMON = "Function FBackward returned an invalid gradient at index 0 - got"

# fmt: off
FUNCTIONS = [
    # what goes in, what comes out
    Row("B5.1", "the node is called after the class", steps=(
        *_START, ("F(lambda ctx, a: a * 2).apply(x).grad_fn.name()", "'FBackward'"),
    )),
    Row("B5.2", "nothing is recorded in forward, nor in backward but under create_graph", steps=(
        *_START, "seen = []",
        "def forward(ctx, a):\n    seen.append((tp.is_grad_enabled(), a is x))\n    return a * 2",
        "def backward(ctx, g):\n    seen.append((tp.is_grad_enabled(), g.requires_grad))\n    return g * 2",
        "y = F(forward, backward).apply(x).sum()", "y.backward(retain_graph=True)",
        "z = tp.autograd.grad(y, x, create_graph=True)",
        ("seen", "[(False, True), (False, False), (True, False)]"),
    )),
    Row("B5.2", "in backward the context answers for its node", steps=(
        *_START, "o = []",
        "def note(ctx, g):\n    o.append((ctx.name(), ctx.next_functions, ctx.metadata))\n    return g",
        "y = F(lambda ctx, a: a * 1, note).apply(x)", "y.grad_fn.metadata['k'] = 1", "y.sum().backward()",
        ("(o[0][0] == y.grad_fn.name(), len(o[0][1]), o[0][2])", "(True, 1, {'k': 1})"),
    )),
    Row("B5.2", "second and third order", steps=(
        *_START, *_SQUARE, "y = (S.apply(x) * S.apply(x)).sum()",
        "(g,) = tp.autograd.grad(y, x, create_graph=True)", "(h,) = tp.autograd.grad(g.sum(), x, create_graph=True)",
        ("g.tolist(), h.tolist()", "([4.0, 32.0], [12.0, 48.0])"),
        ("tp.autograd.grad(h.sum(), x)", "(tensor([24., 48.]),)"),
    )),
    Row("B5.2", "a saved output is part of the graph, to any order", steps=(
        *_START, "def exp(ctx, x):\n    y = x.exp()\n    ctx.save_for_backward(y)\n    return y",
        "E = F(exp, lambda ctx, g: g * ctx.saved_tensors[0])",
        "z = tp.zeros(1, requires_grad=True)", "w = E.apply(z)",
        "for _ in range(4): (w,) = tp.autograd.grad(w.sum(), z, create_graph=True)", ("w.tolist()", "[1.0]"),
    )),
    Row("B5.3", "too few gradients", steps=(
        *_START, "y = F(lambda ctx, a, b: a * b, lambda ctx, g: g).apply(x, x).sum()",
        ("y.backward()",
         "raises GradError: function FBackward returned an incorrect number of gradients (expected 2, got 1)"),
    )),
    Row("B5.3", "a list is one gradient", steps=(
        *_START, "y = F(lambda ctx, a, b: a * b, lambda ctx, g: [g, g]).apply(x, x).sum()",
        ("y.backward()",
         "raises GradError: function FBackward returned an incorrect number of gradients (expected 2, got 1)"),
    )),
    Row("B5.3", "further ones that are None", steps=(
        *_START, "F(lambda ctx, a: a * 2, lambda ctx, g: (g, None, None)).apply(x).sum().backward()",
        ("x.grad", "tensor([1., 1.])"),
    )),
    Row("B5.3", "one too many", steps=(
        *_START, "y = F(lambda ctx, a: a * 2, lambda ctx, g: (g, g)).apply(x).sum()",
        ("y.backward()",
         "raises GradError: function FBackward returned an incorrect number of gradients (expected 1, got 2)"),
    )),
    Row("B5.3", "one for an argument that is no tensor", steps=(
        *_START, "y = F(lambda ctx, a, k: a * k, lambda ctx, g: (g, g)).apply(x, 3).sum()",
        ("y.backward()", "raises GradError: function FBackward returned a gradient different than None at position 2"),
    )),
    *(Row("B5.4", f"wrong shape: {grad}", steps=(
        *_START, f"y = F(lambda ctx, a: a * 2, lambda ctx, g: {grad}).apply(x).sum()",
        ("y.backward()", f"raises GradError: {_COMMON} {got} but expected shape compatible with [2]"),
    )) for grad, got in (("tp.ones(3)", "[3]"), ("tp.ones(1)", "[1]"), ("g.sum()", "[]"), ("tp.ones(2, 3)", "[2, 3]"))),
    *(Row("B5.4", f"summed back, or cast: {grad}", steps=(
        *_START, f"F(lambda ctx, a: a * 2, lambda ctx, g: {grad}).apply(x).sum().backward()",
        ("x.grad.tolist(), x.grad.dtype == tp.float32", f"({value}, True)"),
    )) for grad, value in (
        ("tp.ones(3, 2)", "[3.0, 3.0]"), ("g.unsqueeze(0)", "[1.0, 1.0]"), ("g.double() * 2", "[2.0, 2.0]"),
        ("g.long() * 5", "[5.0, 5.0]"), ("g.bool()", "[1.0, 1.0]"),
    )),
    Row("B5.4", "float64 in the middle of float32", steps=(
        *_START, "F(lambda ctx, a: a.double(), lambda ctx, g: g * 2).apply(x * 3).sum().backward()",
        ("x.grad", "tensor([6., 6.])"),
    )),
    *(Row("B5.4", f"not a tensor: {grad}", steps=(
        *_START, f"y = F(lambda ctx, a, b: a * b, lambda ctx, g: (g, {grad})).apply(x, x).sum()",
        ("y.backward()", f"raises GradError: expected Variable or None (got {kind})"),
    )) for grad, kind in (("2.0", "float"), ("[g]", "list"))),
    Row("B5.4", "not a tensor, for an input that needs none", steps=(
        *_START, "y = F(lambda ctx, a, b: a * b, lambda ctx, g: (g, 2.0)).apply(x, tp.ones(2)).sum()",
        ("y.backward()", "raises GradError: expected Variable or None (got float)"),
    )),
    Row("B5.4", "what nobody needs is not looked at", steps=(
        *_START, "F(lambda ctx, a, b: a * b, lambda ctx, g: (g, tp.ones(7))).apply(x, tp.ones(2)).sum().backward()",
        ("x.grad", "tensor([1., 1.])"),
    )),
    Row("B5.5", "None: no gradient", steps=(
        *_START, "w = tp.ones(2, requires_grad=True)",
        "F(lambda ctx, a, b: a * b, lambda ctx, g: (None, g)).apply(x, w).sum().backward()",
        ("x.grad, w.grad", "(None, tensor([1., 1.]))"),
        "y = F(lambda ctx, a: a * 2, lambda ctx, g: None).apply(x).sum()", "y.backward()", ("x.grad", "None"),
    )),
    Row("B5.5", "what lies behind a None runs: a Function is given zeros, or None if it asked for that", steps=(
        *_START, "N, o = F(lambda ctx, a: a * 1, lambda ctx, g: None), []",
        "def add(ctx, g):\n    o.append(g)\n    return g if g is None else g + 5", "P = F(lambda ctx, a: a * 1, add)",
        "N.apply(P.apply(x)).sum().backward()", ("o, x.grad", "([tensor([0., 0.])], tensor([5., 5.]))"),
        "z = N.apply(P.apply(x)).sum()", ("tp.autograd.grad(z, x, create_graph=True)", "(tensor([5., 5.]),)"),
        "def quiet(ctx, a):\n    ctx.set_materialize_grads(False)\n    return a * 1",
        "N.apply(F(quiet, add).apply(x)).sum().backward()", ("o[-1], x.grad", "(None, tensor([5., 5.]))"),
    )),
    Row("B5.5", "behind a None the graph is freed, and every hook is told None", steps=(
        *_START, "N, o = F(lambda ctx, a: a * 1, lambda ctx, g: None), []", "y = x * x", "y.retain_grad()",
        "hs = [t.register_hook(lambda g, n=n: o.append((n, g))) for n, t in dict(x=x, y=y).items()]",
        "h = y.grad_fn.register_prehook(lambda arrived: o.append(arrived))",
        "k = y.grad_fn.register_hook(lambda sent, arrived: o.append((sent, arrived)))",
        "q = x.register_post_accumulate_grad_hook(lambda t: o.append(t.grad))",
        "N.apply(y).sum().backward()",
        ("o", "[('y', None), (None,), ((None, None), (None,)), ('x', None), None]"),
        ("x.grad, y.grad", "(None, None)"),
        ("(y * 1).sum().backward()", "raises RuntimeError: Trying to backward through the graph a second time"),
    )),
    Row("B5.5", "a None that meets a gradient is no gradient", steps=(
        *_START, "N = F(lambda ctx, a: a * 1, lambda ctx, g: None)", "y = x ** 2",
        "(N.apply(y) + y * 3).sum().backward()", ("x.grad", "tensor([ 6., 12.])"),
        "(N.apply(x) + x).sum().backward()", ("x.grad", "tensor([ 7., 13.])"),
        "p, q = (x * 1).unbind(0)", "(N.apply(p) + q).backward()", ("x.grad", "tensor([ 7., 14.])"),
    )),
    Row("B4.2", "None stays None", steps=(
        *_START, "y = x * 2", "h = y.register_hook(lambda g: tp.ones(2))",
        ("F(lambda ctx, a: a * 1, lambda ctx, g: None).apply(y).sum().backward()",
         "raises RuntimeError: can't replace a None gradient with a non-None value"),
    )),
    Row("B5.6", "no backward, no forward", steps=(
        *_START, "y = F(lambda ctx, a: a * 2).apply(x).sum()",
        ("y.backward()", "raises MissingRuleError: You must implement either the backward or vjp method"),
        ("tp.autograd.Function.apply(x)", "raises MissingRuleError: You must implement the forward function"),
    )),
    Row("B5.6", "no jvp", steps=(
        *_START, "A = tp.autograd.forward_ad",
        ("with A.dual_level(): F(lambda ctx, a: a * 2).apply(A.make_dual(tp.ones(2), tp.ones(2)))",
         "raises MissingRuleError: You must implement the jvp function for custom autograd.Function"),
    )),
    Row("B5.6", "vjp is the other name of backward, and not for both at once", steps=(
        *_START, "F(lambda ctx, a: a * 2, vjp=lambda ctx, g: g * 3).apply(x).sum().backward()",
        ("x.grad", "tensor([3., 3.])"),
        "y = F(lambda ctx, a: a * 2, lambda ctx, g: g, vjp=lambda ctx, g: g).apply(x).sum()",
        ("y.backward()",
         "raises FunctionError: Implementing both 'backward' and 'vjp' for a custom Function is not allowed"),
    )),
    *(Row("B5.7", f"outputs that were not used, set_materialize_grads({flag})", steps=(
        *_START, "seen = []",
        f"def forward(ctx, a):\n    ctx.set_materialize_grads({flag})\n"
        "    return 'text', a * 2, None, (a * 3).double()",
        "def backward(ctx, *grads):\n    seen.append(grads)\n    return grads[1]",
        "y = F(forward, backward).apply(x)", "y[1].sum().backward()", ("y[0], y[2]", "('text', None)"),
        ("seen[0]", answer),
    )) for flag, answer in (
        (True, "(None, tensor([1., 1.]), None, tensor([0., 0.], dtype=tensorplay.float64))"),
        (False, "(None, tensor([1., 1.]), None, None)"),
    )),
    Row("B5.8", "outputs without a gradient", steps=(
        *_START, "seen = []",
        "def forward(ctx, a):\n    o = (a * 3)[None]\n    ctx.mark_non_differentiable(o)\n"
        "    return o, a * 2, a.long()",
        "def backward(ctx, *grads):\n    seen.append(grads)\n    return grads[1]",
        "o, y, i = F(forward, backward).apply(x)",
        ("o.requires_grad, y.requires_grad, i.requires_grad, y.output_nr", "(False, True, False, 1)"),
        "y.sum().backward()", ("seen[0]", "(tensor([[0., 0.]]), tensor([1., 1.]), tensor([0, 0]))"),
    )),
    Row("B5.8", "the only output, or an input", steps=(
        *_START, "def only(ctx, a):\n    o = a * 2\n    ctx.mark_non_differentiable(o)\n    return o",
        ("F(only).apply(x).is_leaf, F(only).apply(x).requires_grad", "(True, False)"),
        "def same(ctx, a):\n    ctx.mark_non_differentiable(a)\n    return a",
        "y = F(same).apply(x)", ("y is x, y.requires_grad, x.requires_grad", "(False, False, True)"),
    )),
    Row("B5.9", "mark_dirty of a leaf", steps=(
        *_START, _DIRTY,
        ("F(double).apply(x)",
         "raises InPlaceError: a leaf Variable that requires grad has been used in an in-place operation"),
    )),
    Row("B5.9", "mark_dirty of a view of a leaf", steps=(
        *_START, _DIRTY,
        ("F(double).apply(x[0:1])",
         "raises InPlaceError: a view of a leaf Variable that requires grad is being used in an in-place operation"),
    )),
    Row("B5.9", "what is not returned", steps=(
        *_START, "def forward(ctx, a):\n    ctx.mark_dirty(a)\n    return a * 1",
        ("F(forward).apply(x * 1)",
         "raises FunctionError: Some elements marked as dirty during the forward method were not returned"),
    )),
    Row("B5.9", "the input becomes the output", steps=(
        *_START, _DIRTY, "z = x * 1", "y = F(double, lambda ctx, g: g * 20).apply(z)",
        ("y is z, z.grad_fn.name(), z._version, z.tolist()", "(True, 'FBackward', 2, [2.0, 4.0])"),
        "z.sum().backward()", ("x.grad", "tensor([20., 20.])"),
    )),
    Row("B5.9", "an input without a gradient gets one", steps=(
        *_START, "z = tp.ones(2)", "def mul(ctx, a, b):\n    a.mul_(b)\n    ctx.mark_dirty(a)\n    return a",
        "y = F(mul, lambda ctx, g: (g, g * 7)).apply(z, x)", ("z.requires_grad, z.is_leaf", "(True, False)"),
        "z.sum().backward()", ("x.grad", "tensor([7., 7.])"),
    )),
    Row("B5.9", "a view: its base follows", steps=(
        *_START, _DIRTY, "b = x * 1", "v = b[0:1]", "y = F(double, lambda ctx, g: g * 20).apply(v)",
        ("y is v, b.tolist()", "(True, [2.0, 2.0])"), "b.sum().backward()", ("x.grad", "tensor([20.,  1.])"),
    )),
    Row("B5.9", "a view and a second output", steps=(
        *_START, "def two(ctx, a):\n    a.mul_(2)\n    ctx.mark_dirty(a)\n    return a, a * 3",
        ("F(two).apply((x * 1)[0:1])",
         "raises FunctionError: If your Function modifies inplace an input that is a view of another Tensor"),
    )),
    Row("B5.9", "a view that was made under no_grad", steps=(
        *_START, _DIRTY, "b = x * 1", "with tp.no_grad(): v = b[0:1]",
        ("F(double).apply(v)", "raises InPlaceError: A view was created in no_grad mode and is being modified inplace"),
    ), differs="calls it a leaf"),
    Row("B5.9", "a saved output that is the edited input; retain_grad goes along", steps=(
        *_START,
        "def double(ctx, a):\n    a.mul_(2)\n    ctx.mark_dirty(a)\n    ctx.save_for_backward(a)\n    return a",
        "z = x * 1", "z.retain_grad()",
        "F(double, lambda ctx, g: g * ctx.saved_tensors[0]).apply(z).sum().backward()",
        ("z.retains_grad, z.grad.tolist(), x.grad.tolist()", "(True, [1.0, 1.0], [2.0, 4.0])"),
    )),
    Row("B5.9", "marks that are no inputs, or no tensors", steps=(
        *_START, "def forward(ctx, a):\n    o = a * 2\n    ctx.mark_dirty(o)\n    return o",
        ("F(forward).apply(x)", "warns UserWarning: ctx.mark_dirty() received a tensor that was not an input"),
        ("F(lambda ctx, a: ctx.mark_dirty(3.0)).apply(x)",
         "raises FunctionError: mark_dirty can only accept variables"),
    )),
    Row("B5.10", "an input that is returned", steps=(
        *_START, "y = F(lambda ctx, a: a, lambda ctx, g: g * 5).apply(x)",
        ("y is x, y.grad_fn.name(), y._is_view()", "(False, 'FBackward', True)"),
        "y.sum().backward()", ("x.grad", "tensor([5., 5.])"),
        ("y.add_(1)", f"raises InPlaceError: Output 0 of F is a view and is being modified inplace. {_VIEW}"),
    )),
    Row("B5.10", "its base is edited afterwards", steps=(
        *_START, "z = x * 1", "y = F(lambda ctx, a: a.view(2), lambda ctx, g: g).apply(z)", "q = z.add_(1)",
        ("y.grad_fn",
         "raises InPlaceError: Output 0 of F is a view and its base or another view of its base has been modified "
         f"inplace. {_VIEW}"),
    )),
    Row("B5.10", "several views", steps=(
        *_START, "a, b = F(lambda ctx, a: (a[0:1], a[1:]), lambda ctx, g, h: tp.cat([g, h])).apply(x)",
        ("a.add_(1)",
         "raises InPlaceError: Output 0 of F is a view and is being modified inplace. This view is the output of a "
         "function that returns multiple views"),
        "(a + b * 2).sum().backward()", ("x.grad", "tensor([1., 2.])"),
    )),
    Row("B5.10", "without recording", steps=(
        *_START, "c = tp.ones(2)", "y = F(lambda ctx, a: a).apply(c)", ("y is c, y._is_view()", "(False, True)"),
        "z = y.add_(1)", ("c", "tensor([2., 2.])"),
        "with tp.no_grad(): y = F(lambda ctx, a: a).apply(x)", ("y is x, y.requires_grad", "(False, False)"),
    )),
    Row("B5.10", "inputs changed round, or returned twice", steps=(
        *_START, "w = tp.ones(2, requires_grad=True)",
        "a, b = F(lambda ctx, a, b: (b, a), lambda ctx, g, h: (10 * h, g)).apply(x, w)",
        ("a.tolist(), b.tolist()", "([1.0, 1.0], [1.0, 2.0])"),
        "(a + b).sum().backward()", ("x.grad, w.grad", "(tensor([10., 10.]), tensor([1., 1.]))"),
        "c, d = F(lambda ctx, a: (a, a), lambda ctx, g, h: g + 10 * h).apply(x)",
        ("c is d, c.output_nr, d.output_nr", "(False, 0, 1)"),
    )),
    Row("B5.10", "one result returned twice", steps=(
        *_START, "def twice(ctx, a):\n    o = a * 2\n    return o, o",
        "a, b = F(twice, lambda ctx, g, h: g + 10 * h).apply(x)", ("a is b, a.output_nr", "(True, 1)"),
        "(a + 3 * b).sum().backward()", ("x.grad", "tensor([40., 40.])"),
    )),
    *(Row("B5.11", f"save_for_backward({value})", steps=(
        *_START, (f"F(lambda ctx, a: ctx.save_for_backward(a, {value})).apply(x)",
                  "raises FunctionTypeError: save_for_backward can only save variables, "
                  f"but argument 1 is of type {kind}"),
    )) for value, kind in (("3.0", "float"), ("[a]", "list"))),
    Row("B5.11", "None may be saved, the last call holds", steps=(
        *_START, "seen = []",
        "def forward(ctx, a):\n    ctx.save_for_backward(a)\n    ctx.save_for_backward(None, a)\n    return a * 2",
        "F(forward, lambda ctx, g: (seen.append(ctx.saved_tensors), g)[1]).apply(x).sum().backward()",
        ("seen[0][0], seen[0][1] is x, len(seen[0])", "(None, True, 2)"),
    )),
    Row("B5.12", "once_differentiable", steps=(
        *_START, *_SQUARE, "O = F(square, tp.autograd.function.once_differentiable(slope))",
        "O.apply(x).sum().backward()", ("x.grad", "tensor([2., 4.])"),
        "(g,) = tp.autograd.grad(O.apply(x).sum(), x, create_graph=True)", ("g.requires_grad", "False"),
        ("g.sum().backward()", "raises GradError: element 0 of tensors does not require grad"),
        "(g,) = tp.autograd.grad((O.apply(x) ** 2).sum(), x, create_graph=True)", ("g.tolist()", "[4.0, 32.0]"),
        ("g.sum().backward()",
         "raises FunctionError: trying to differentiate twice a function that was marked with @once_differentiable"),
    )),
    Row("B5.13", "an instance is made, and called", steps=(
        *_START, "C = F(lambda ctx, a: a * 2)", ("C()", "warns DeprecationWarning: <class "),
        "import warnings",
        "with warnings.catch_warnings():\n    warnings.simplefilter('ignore')\n    c = C()",
        ("c(x)", "raises FunctionError: Legacy autograd function with non-static forward method"),
    )),
    *(Row("B5.14", f"{name} without setup_context", steps=(
        *_START, f"f = tp.func.{name}(lambda t: F(lambda ctx, a: a * 2, lambda ctx, g: g).apply(t).sum())",
        ("f(tp.ones(2))", "raises FunctionError: In order to use an autograd.Function with functorch transforms"),
    )) for name in ("grad", "vmap", "jacrev")),
    *(Row("B5.14", f"vmap: {said}", steps=(
        *_START, "S = F(lambda a: a * 2, lambda ctx, g: g, setup_context=lambda ctx, i, o: None)", *more,
        ("tp.func.vmap(S.apply)(tp.ones(2))", f"raises RuntimeError: {phrase}"),
    )) for said, more, phrase in (
        ("no rule", (), "You tried to vmap over F, but it does not have vmap support"),
        ("two rules", ("S.generate_vmap_rule = True", "S.vmap = staticmethod(lambda *a: a)"),
         "You tried to vmap over F, but it has both generate_vmap_rule=True and an overridden vmap staticmethod"),
        ("no pair", ("S.vmap = staticmethod(lambda i, d, a: a)",),
         "Expected the vmap staticmethod to have two returns, an output and out_dims"),
        ("dims for other outputs", ("S.vmap = staticmethod(lambda i, d, a: (a, (0, 0)))",),
         "The autograd.Function's vmap staticmethod returned an incompatible (output, out_dims) tuple"),
    )),
    *(Row("B5.14", f"jvp returns {given}", steps=(
        *_START, f"S = F(lambda a: a * 2, setup_context=lambda ctx, i, o: None, jvp=lambda ctx, t: {given})",
        ("tp.func.jvp(S.apply, (tp.ones(2),), (tp.ones(2),))", f"raises ForwardADError: {phrase}"),
    )) for given, phrase in (
        ("3.0", "expected Variable or None (got float) for grad output 0."),
        ("(t, t)", "Function's jvp returned an invalid number of forward gradients (expected 1 but got 2)"),
        ("t.sum()", "Trying to set a forward gradient that has a different size than that of the original Tensor"),
    )),
    Row("B1.9", "saved tensors after the free: ctx, and the node", steps=(
        *_START, *_SQUARE, "y = S.apply(x)", "node = y.grad_fn", ("node.saved_tensors[0] is x", "True"),
        "y.sum().backward()",
        ("node.saved_tensors",
         "raises FreedGraphError: Trying to backward through the graph a second time (or directly "
         "access saved tensors"),
        ("node.name(), node.needs_input_grad", "('FBackward', (True,))"),
        ("(y * 1).sum().backward()", "raises FreedGraphError: Trying to backward through the graph a second time"),
    )),

    # beside the rows
    Row("B5.6", "arguments by keyword and by default; what is no tensor is passed on", steps=(
        *_START, "seen = []", "def forward(a, k=3, *rest):\n    return a * k",
        "def setup(ctx, inputs, output):\n    seen.append((inputs[1:], output.tolist(), ctx.needs_input_grad))",
        "S = F(forward, lambda ctx, g: (g, None), setup_context=setup)", "y = S.apply(x), S.apply(x, k=4)",
        ("seen", "[((3,), [3.0, 6.0], (True, False)), ((4,), [4.0, 8.0], (True, False))]"),
        "y[0].sum().backward()", ("x.grad", "tensor([1., 1.])"),
        ("F(lambda ctx, a, k: a * k, lambda ctx, g: (g, None)).apply(x, k=5).tolist()", "[5.0, 10.0]"),
        ("F(lambda a, *, k=3: a, setup_context=setup).apply(x, k=4)", "raises TypeError: "),
    )),
    Row("B5.5", "tensors inside lists are constants; no tensor at all", steps=(
        *_START, ("F(lambda ctx, xs: xs[0] * 2).apply([x]).requires_grad", "False"),
        ("F(lambda ctx, k: x * k).apply(3).requires_grad", "False"), ("F(lambda ctx: 7).apply()", "7"),
        ("F(lambda ctx, a: [a * 2]).apply(x)[0].requires_grad", "False"),
        ("F(lambda ctx, a: (a * 2,)).apply(x)[0].requires_grad", "True"),
    )),
    Row("B5.2", "needs_input_grad, also where nothing is recorded", steps=(
        *_START, "seen = []",
        "def forward(ctx, a, b, k):\n    seen.append(ctx.needs_input_grad)\n    return a * k",
        "y = F(forward).apply(x, tp.ones(2), 3)", "with tp.no_grad(): z = F(forward).apply(x, x, 3)",
        ("seen, y.requires_grad, z.requires_grad", "([(True, False, False), (True, True, False)], True, False)"),
    )),
    Row("B5.2", "the same context, with its attributes, which the node shows", steps=(
        *_START, "seen = []", "def forward(ctx, a, k):\n    ctx.k = k\n    seen.append(ctx)\n    return a * k",
        "def backward(ctx, g):\n    seen.append(ctx)\n    return g * ctx.k, None",
        "y = F(forward, backward).apply(x, 3)", ("y.grad_fn.k, len(y.grad_fn.next_functions)", "(3, 1)"),
        "y.sum().backward()", ("seen[0] is seen[1], x.grad.tolist()", "(True, [3.0, 3.0])"),
    )),
    Row("B5.2", "an error in backward passes through, and the graph stays freed", steps=(
        *_START, "def backward(ctx, g):\n    raise ValueError('mine')",
        "y = F(lambda ctx, a: a * 2, backward).apply(x).sum()",
        ("y.backward()",
         "raises ValueError: mine"), ("y.backward()", "raises FreedGraphError: Trying to backward through"),
    ), differs="the pass can be repeated"),
    Row("B5.2", "a Function inside a Function", steps=(
        *_START, *_SQUARE,
        "def forward(ctx, a):\n    with tp.enable_grad():\n        b = a.detach().requires_grad_()\n"
        "        c = S.apply(b)\n"
        "    ctx.save_for_backward(b, c)\n    return c.detach()",
        "def backward(ctx, g):\n    b, c = ctx.saved_tensors\n    return tp.autograd.grad(c, b, g)[0]",
        "F(forward, backward).apply(x).sum().backward()", ("x.grad", "tensor([2., 4.])"),
    )),
    Row("B5.2", "edits of the outputs are recorded", steps=(
        *_START, "y = F(lambda ctx, a: a * 2, lambda ctx, g: g).apply(x)", "z = y.mul_(3)", "y.sum().backward()",
        ("x.grad", "tensor([3., 3.])"),
        "a, b = F(lambda ctx, a: (a * 2, a * 3), lambda ctx, g, h: g + h).apply(x)", "z = a.mul_(3)",
        "(a + b).sum().backward()", ("x.grad", "tensor([7., 7.])"),
    )),
    Row("B5.2", "backward may edit its gradient, and no other branch sees it", steps=(
        *_START, "h = x * 1", "y = F(lambda ctx, a: a * 2, lambda ctx, g: g.mul_(3)).apply(h)", "w = tp.ones(2)",
        "(y + h).backward(w)", ("x.grad.tolist(), w.tolist()", "([4.0, 4.0], [1.0, 1.0])"),
    ), differs="the edit reaches the other branch"),
    Row("B5.2", "an edit of what was saved", steps=(
        *_START, *_SQUARE, "z = x * 1", "y = S.apply(z)", "q = z.add_(1)",
        ("y.sum().backward()",
         "raises VersionError: one of the variables needed for gradient computation has been modified"),
    )),
    Row("B5.2", "batches of gradients, also recorded", steps=(
        *_START, *_SQUARE, "C = S",
        "(g,) = tp.autograd.grad(C.apply(x), x, tp.eye(2), is_grads_batched=True, create_graph=True)",
        ("g.tolist()", "[[2.0, 0.0], [0.0, 4.0]]"), ("tp.autograd.grad((g * g).sum(), x)", "(tensor([ 8., 16.]),)"),
        "C = F(lambda ctx, a: a * a, lambda ctx, g: tp.ones(2))",
        ("tp.autograd.grad(C.apply(x), x, tp.eye(2), is_grads_batched=True)[0].tolist()", "[[1.0, 1.0], [1.0, 1.0]]"),
    )),
    Row("B5.2", "hooks for saved tensors pack once, and unpack at each reading", steps=(
        *_START, *_SQUARE, "seen = []",
        "def pack(t):\n    seen.append('pack')\n    return t.tolist()",
        "def unpack(v):\n    seen.append('unpack')\n    return tp.tensor(v)",
        "with tp.autograd.graph.saved_tensors_hooks(pack, unpack): y = S.apply(x)",
        "y.sum().backward(retain_graph=True)", "y.sum().backward()",
        ("seen, x.grad.tolist()", "(['pack', 'unpack', 'unpack'], [4.0, 8.0])"),
    )),
    Row("B5.10", "a tensor from outside keeps its own history", steps=(
        *_START, "w = tp.ones(2, requires_grad=True)", "y = F(lambda ctx, a: w, lambda ctx, g: g).apply(x)",
        ("y is w, w.grad_fn, y.grad_fn.name()", "(False, None, 'FBackward')"),
    ), differs="it becomes a result of the Function"),
    Row("B5.10", "an input may be saved and returned by setup_context", steps=(
        *_START, "def setup(ctx, inputs, output): ctx.save_for_backward(*inputs)",
        "S = F(lambda a: a, lambda ctx, g: g * ctx.saved_tensors[0], setup_context=setup)",
        "S.apply(x).sum().backward()", ("x.grad", "tensor([1., 2.])"),
    ), differs="an error"),
]

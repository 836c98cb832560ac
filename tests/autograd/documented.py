"""The documented statements about recording, `.grad`, backward, hooks and modes, as data (see `rows.py`)."""

from __future__ import annotations

from tests.autograd.rows import Row

# fmt: off
ROWS = [
    # Recording
    Row(1, "only operations with an input that requires a gradient are recorded", steps=(
        "x = tp.tensor([2.], requires_grad=True)",
        "c = tp.tensor([3.])",
        ("(x * c).requires_grad, (c * c).requires_grad", "(True, False)"),
    )),
    Row(2, "a result knows its node; a tensor made by the user is a leaf", steps=(
        "x = tp.tensor([2.], requires_grad=True)",
        "z = x * 2",
        ("z.grad_fn is not None, x.grad_fn, z.is_leaf, x.is_leaf", "(True, None, False, True)"),
    )),
    Row(3, "a node knows where its gradients go", steps=(
        "x = tp.tensor([2.], requires_grad=True)",
        "y = x * x",
        ("[(n.variable is x, nr) for n, nr in y.grad_fn.next_functions]", "[(True, 0), (True, 0)]"),
    )),
    Row(4, "backward walks from the tensor to the leaves and returns None", steps=(
        "x = tp.tensor([2.], requires_grad=True)",
        "w = tp.tensor([3.], requires_grad=True)",
        "z = x * w + x",
        ("z.backward()", "None"),
        ("x.grad, w.grad", "(tensor([4.]), tensor([2.]))"),
    )),
    Row(5, "by hand: d(x³)/dx = 3x²", steps=(
        "x = tp.tensor([3.], requires_grad=True)",
        "(x ** 3).backward()",
        ("x.grad", "tensor([27.])"),
    )),
    Row(6, "the same for a 0-d tensor", steps=(
        "x = tp.tensor(2.0, requires_grad=True)",
        "(x ** 3).backward()",
        ("x.grad", "tensor(12.)"),
    )),
    Row(7, "only leaves that require a gradient keep one", steps=(
        "x = tp.tensor([1.], requires_grad=True)",
        "c = tp.tensor([5.])",
        "h = x * c",
        "h.backward()",
        ("x.grad, c.grad", "(tensor([5.]), None)"),
    )),
    # `.grad` and accumulation
    Row(8, "`.grad` is None until something arrives", steps=(
        "x = tp.tensor([1., 2., 3.], requires_grad=True)",
        ("x.grad", "None"),
        "(x * x).sum().backward()",
        ("x.grad", "tensor([2., 4., 6.])"),
    )),
    Row(9, "every run adds to what is there", steps=(
        "x = tp.tensor([3.], requires_grad=True)",
        "y = x ** 3",
        "y.backward(retain_graph=True)",
        ("x.grad", "tensor([27.])"),
        "y.backward(retain_graph=True)",
        ("x.grad", "tensor([54.])"),
        "x.grad = None",
        "y.backward(retain_graph=True)",
        ("x.grad", "tensor([27.])"),
    )),
    Row(9, "three ways to clear it", steps=(
        "x = tp.tensor([3.], requires_grad=True)",
        "(x * 2).backward()",
        ("x.grad.zero_()", "tensor([0.])"),
        "(x * 2).backward()",
        ("x.grad", "tensor([2.])"),
        "tp.optim.SGD([x], lr=0.1).zero_grad()",
        ("x.grad", "None"),
    )),
    Row(10, "several small batches equal one large one", steps=(
        "w = tp.tensor([1.], requires_grad=True)",
        "d = tp.tensor([1., 2., 3., 4.])",
        ("[(w * d[i:i + 2]).sum().backward() for i in (0, 2)]", "[None, None]"),
        ("w.grad", "tensor([10.])"),
    )),
    Row(11, "several roots: the sum of their gradients", steps=(
        "x = tp.tensor([2., 1.], requires_grad=True)",
        ("tp.autograd.backward([(x * x).sum(), x * 3], [None, tp.tensor([1., 10.])])", "None"),
        ("x.grad", "tensor([ 7., 32.])"),
    )),
    # The vector of the vector-Jacobian product
    Row(12, "one element of any shape: the implicit vector is 1", steps=(
        "x = tp.tensor([[2.]], requires_grad=True)",
        "(x * x).backward()",
        ("x.grad", "tensor([[4.]])"),
    )),
    Row(13, "a mean makes it one element", steps=(
        "x = tp.tensor([1., 2.], requires_grad=True)",
        "((x * 2 - tp.tensor([2., 2.])) ** 2).mean().backward()",
        ("x.grad", "tensor([0., 4.])"),
    )),
    Row(14, "several elements without a gradient: an error", steps=(
        "x = tp.tensor([1., 2.], requires_grad=True)",
        ("(x * 2).backward()", "raises RuntimeError: grad can be implicitly created only for scalar outputs"),
    )),
    Row(15, "a gradient of the output's shape: one weight an element", steps=(
        "x = tp.tensor([1., 2., 3.], requires_grad=True)",
        "z = x * x",
        "z.backward(tp.ones_like(z))",
        ("x.grad", "tensor([2., 4., 6.])"),
    )),
    Row(16, "another shape is an error, also one that would broadcast", steps=(
        "x = tp.tensor([1., 2.], requires_grad=True)",
        ("(x * 2).backward(tp.ones(1))", "raises RuntimeError: Mismatch in shape: grad_output[0] has a shape of"),
    )),
    Row(17, "another real dtype is cast; the leaf keeps its own", steps=(
        "x = tp.tensor([1., 2.], requires_grad=True)",
        "(x * 2).backward(tp.ones(2, dtype=tp.float64))",
        ("x.grad.dtype == tp.float32", "True"),
    )),
    Row(18, "None stands for not needed", steps=(
        "a = tp.tensor(2., requires_grad=True)",
        ("tp.autograd.grad([a * 2, a * 3], [a], [None, tp.tensor(10.)])", "(tensor(32.),)"),
    )),
    Row(19, "a root that needs no gradient is skipped; all such: an error", warns="NoGradRootWarning",
        differs="any such root is an error", steps=(
        "x = tp.tensor([2.], requires_grad=True)",
        ("tp.autograd.backward([x * 2, tp.tensor([5.])], [None, None])", "None"),
        ("x.grad", "tensor([2.])"),
        ("tp.autograd.backward([tp.tensor([5.])])",
         "raises RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn"),
    )),
    Row(20, "as many gradients as roots", steps=(
        "x = tp.tensor(2., requires_grad=True)",
        ("tp.autograd.backward([x * 2, x * 3], [None])", "raises RuntimeError: got 2 tensors and 1 gradients"),
    )),
    Row(21, "`grad_variables` is the old name of `grad_tensors`", warns="FutureWarning", steps=(
        "a = tp.tensor([2., 1.], requires_grad=True)",
        ("tp.autograd.backward(a * 2, grad_variables=tp.ones(2))", "None"),
        ("a.grad", "tensor([2., 2.])"),
    )),
    # `inputs=`
    Row(22, "only the tensors named receive a gradient", steps=(
        "a = tp.tensor([1., 2.], requires_grad=True)",
        "b = tp.tensor([3., 4.], requires_grad=True)",
        "(a * b).sum().backward(inputs=[a])",
        ("a.grad, b.grad", "(tensor([3., 4.]), None)"),
    )),
    Row(23, "a non-leaf named there keeps its gradient", steps=(
        "a = tp.tensor([1., 2.], requires_grad=True)",
        "h = a * 3",
        "(h * h).sum().backward(inputs=[h])",
        ("h.grad, a.grad, h.retains_grad", "(tensor([ 6., 12.]), None, True)"),
    )),
    Row(24, "a single tensor is accepted; a dict gives names", steps=(
        "a = tp.tensor([1.], requires_grad=True)",
        "b = tp.tensor([3.], requires_grad=True)",
        ("tp.autograd.backward((a * b).sum(), inputs={'b': b})", "None"),
        ("a.grad, b.grad", "(None, tensor([1.]))"),
    )),
    Row(24, "a single tensor, and one that comes twice", steps=(
        "a = tp.tensor([1.], requires_grad=True)",
        "b = tp.tensor([3.], requires_grad=True)",
        "(a * b).backward(inputs=a, retain_graph=True)",
        "(a * b).backward(inputs=(a, a))",
        ("a.grad, b.grad", "(tensor([6.]), None)"),
    )),
    # `autograd.grad`
    Row(25, "returns the gradients and writes no `.grad`", steps=(
        "x = tp.tensor([1., 2.], requires_grad=True)",
        "(g,) = tp.autograd.grad((x * x).sum(), x)",
        ("g, x.grad", "(tensor([2., 4.]), None)"),
    )),
    Row(26, "one gradient an input; inputs may be non-leaves", steps=(
        "a = tp.tensor([2.], requires_grad=True)",
        "h = a * 3",
        ("tp.autograd.grad((h * h).sum(), [h, a])", "(tensor([12.]), tensor([36.]))"),
    )),
    Row(27, "a dict of inputs gives a dict", steps=(
        "a = tp.tensor([2.], requires_grad=True)",
        "b = tp.tensor([3.], requires_grad=True)",
        ("tp.autograd.grad((a * b).sum(), {'a': a, 'b': b})", "{'a': tensor([3.]), 'b': tensor([2.])}"),
    )),
    Row(28, "sums over the outputs", steps=(
        "a = tp.tensor(2., requires_grad=True)",
        ("tp.autograd.grad([a * a, a * 10], a)", "(tensor(14.),)"),
    )),
    Row(29, "an input that was not used is an error", steps=(
        "a = tp.tensor([2.], requires_grad=True)",
        "b = tp.tensor([3., 4.], requires_grad=True)",
        ("tp.autograd.grad((a * 2).sum(), [a, b])",
         "raises RuntimeError: The differentiated Tensor at index 1 appears to not have been used in the graph"),
    )),
    Row(30, "allow_unused gives None, materialize_grads zeros", steps=(
        "a = tp.tensor([2.], requires_grad=True)",
        "b = tp.tensor([3., 4.], requires_grad=True)",
        ("tp.autograd.grad((a * 2).sum(), [a, b], allow_unused=True)", "(tensor([2.]), None)"),
        ("tp.autograd.grad((a * 2).sum(), [a, b], materialize_grads=True)", "(tensor([2.]), tensor([0., 0.]))"),
    )),
    Row(31, "is_grads_batched: the first axis is a batch", steps=(
        "x = tp.tensor([1., 2., 3.], requires_grad=True)",
        ("tp.autograd.grad(x * x, x, tp.eye(3), is_grads_batched=True)[0].tolist()",
         "[[2.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 6.0]]"),
    )),
    Row(32, "only_inputs is deprecated and ignored", warns="FutureWarning", steps=(
        "a = tp.tensor(2., requires_grad=True)",
        ("tp.autograd.grad(a * 2, a, only_inputs=False)", "(tensor(2.),)"),
    )),
    Row(33, "inputs may be gradient edges", steps=(
        "x = tp.tensor([2.], requires_grad=True)",
        "y = x * x",
        "e = tp.autograd.graph.get_gradient_edge(y)",
        ("tp.autograd.grad(y * 3, e)", "(tensor([3.]),)"),
    )),
    Row(33, "outputs may be gradient edges", steps=(
        "x = tp.tensor([2.], requires_grad=True)",
        "e = tp.autograd.graph.get_gradient_edge(x * x)",
        ("tp.autograd.grad(e, x, tp.ones(1), retain_graph=True)", "(tensor([4.]),)"),
        "tp.autograd.backward(e, tp.tensor([10.]))",
        ("x.grad", "tensor([40.])"),
    )),
    # Keeping, freeing and re-using the graph
    Row(35, "create_graph keeps the graph", steps=(
        "x = tp.tensor([3.], requires_grad=True)",
        "y = x ** 3",
        "(g,) = tp.autograd.grad(y, x, create_graph=True)",
        "y.backward()",
        ("x.grad", "tensor([27.])"),
    )),
    Row(36, "a second backward on the same output changes nothing", warns="FreedGraphWarning",
        differs="an error", steps=(
        "x = tp.tensor([3.], requires_grad=True)",
        "y = x ** 3",
        "y.backward()",
        "y.backward()",
        ("x.grad", "tensor([27.])"),
    )),
    Row(37, "from a live node into a freed one: an error", steps=(
        "x = tp.tensor([3.], requires_grad=True)",
        "y = x ** 3",
        "y.backward()",
        ("(y * 2).backward()", "raises RuntimeError: Trying to backward through the graph a second time"),
        ("x.grad", "tensor([27.])"),
    )),
    # Higher order
    Row(39, "create_graph records the derivative itself", steps=(
        "x = tp.tensor([3.], requires_grad=True)",
        "y = x ** 3",
        "(d,) = tp.autograd.grad(y, x, create_graph=True)",
        "d.backward()",
        ("x.grad", "tensor([18.])"),
    )),
    Row(40, "any order", steps=(
        "x = tp.tensor(2., requires_grad=True)",
        "y = x ** 3",
        "g = tp.autograd.grad(y, x, create_graph=True)[0]",
        "h = tp.autograd.grad(g, x, create_graph=True)[0]",
        ("g.item(), h.item(), tp.autograd.grad(h, x)[0].item()", "(12.0, 12.0, 6.0)"),
    )),
    Row(41, "backward(create_graph=True) makes `.grad` differentiable", warns="UserWarning", steps=(
        "x = tp.tensor([2.], requires_grad=True)",
        "(x * x).backward(create_graph=True)",
        "g = x.grad",
        "x.grad = None",
        "g.backward()",
        ("x.grad", "tensor([2.])"),
    )),
    Row(42, "gradient penalty", steps=(
        "x = tp.tensor([3.], requires_grad=True)",
        "y = x ** 3",
        "(g,) = tp.autograd.grad(y, x, create_graph=True)",
        "((g - 10) ** 2 + y).backward()",
        ("x.grad", "tensor([639.])"),
    )),
    # Not recording
    Row(44, "no_grad: nothing inside is recorded", steps=(
        "x = tp.tensor([1., 2., 3.], requires_grad=True)",
        "with tp.no_grad(): y = x * 2",
        ("y.requires_grad, tp.is_grad_enabled()", "(False, True)"),
    )),
    Row(44, "no_grad as a decorator, and after an exception", steps=(
        "x = tp.tensor([1.], requires_grad=True)",
        "f = tp.no_grad()(lambda: x * 2)",
        ("f().requires_grad, tp.is_grad_enabled()", "(False, True)"),
        "try:\n    with tp.no_grad(): 1 / 0\nexcept ZeroDivisionError: pass",
        ("tp.is_grad_enabled()", "True"),
    )),
    Row(45, "decorating switches nothing, a block restores", steps=(
        "f = tp.set_grad_enabled(False)(tp.is_grad_enabled)",
        ("tp.is_grad_enabled(), f()", "(True, False)"),
        "with tp.set_grad_enabled(False): inside = tp.is_grad_enabled()",
        ("inside, tp.is_grad_enabled()", "(False, True)"),
    )),
    Row(45, "set_grad_enabled and enable_grad switch at once", differs="enable_grad() alone switches nothing", steps=(
        "tp.set_grad_enabled(False)",
        ("tp.is_grad_enabled()", "False"),
        "tp.enable_grad()",
        ("tp.is_grad_enabled()", "True"),
    )),
    Row(46, "detach: same memory, cut off from the graph", steps=(
        "x = tp.tensor([2.], requires_grad=True)",
        "k = (x * 3).detach()",
        ("k.requires_grad, k.grad_fn", "(False, None)"),
        "(x * k).backward()",
        ("x.grad", "tensor([6.])"),
        "d = x.detach()",
        "d[0] = 9.",
        ("x.item()", "9.0"),
    )),
    Row(47, "inference_mode: as no_grad, and no version counters", steps=(
        "x = tp.tensor([1.], requires_grad=True)",
        "with tp.inference_mode(): y = x * 2",
        ("y.requires_grad, y.is_inference()", "(False, True)"),
        ("y._version", "raises RuntimeError: Inference tensors do not track version counter"),
    )),
    Row(48, "inference tensors are refused by autograd; clone makes an ordinary one",
        differs="refused only where they must be saved", steps=(
        "with tp.inference_mode(): i = tp.tensor([2.])",
        "x = tp.tensor([1.], requires_grad=True)",
        ("x * i", "raises RuntimeError: Inference tensors cannot be"),
        ("x + i", "raises RuntimeError: Inference tensors cannot be"),
        "(x * i.clone()).backward()",
        ("x.grad", "tensor([2.])"),
    )),
    # Hooks
    Row(50, "what a hook returns replaces the gradient", steps=(
        "x = tp.tensor([2.], requires_grad=True)",
        "y = x * 2",
        "h = y.register_hook(lambda g: g * 10)",
        "y.backward()",
        ("x.grad", "tensor([20.])"),
    )),
    Row(51, "several hooks run in order and see each other's result", steps=(
        "x = tp.tensor([2.], requires_grad=True)",
        "y = x * 3",
        "seen = []",
        "hs = [y.register_hook(f) for f in "
        "(lambda g: seen.append(g.item()), lambda g: g * 10, lambda g: seen.append(g.item()))]",
        "y.backward()",
        ("seen, x.grad", "([1.0, 10.0], tensor([30.]))"),
    )),
    Row(52, "hooks run from outputs to inputs, on tensors that require a gradient", steps=(
        "x = tp.tensor([1.], requires_grad=True)",
        "a = x * 2",
        "b = a * 3",
        "o = []",
        "hs = [t.register_hook(lambda g, n=n: o.append(n)) for n, t in dict(x=x, b=b, a=a).items()]",
        "b.backward()",
        ("o", "['b', 'a', 'x']"),
        ("tp.tensor([1.]).register_hook(print)",
         "raises RuntimeError: cannot register a hook on a tensor that doesn't require gradient"),
    )),
    Row(53, "the handle removes the hook; twice is harmless", steps=(
        "x = tp.tensor([1.], requires_grad=True)",
        "h = x.register_hook(lambda g: g * 5)",
        "h.remove()",
        "h.remove()",
        "(x * 1).backward()",
        ("x.grad", "tensor([1.])"),
    )),
    Row(54, "a leaf's hook fires once a run with the total", steps=(
        "x = tp.tensor([1.], requires_grad=True)",
        "o = []",
        "h = x.register_hook(lambda g: o.append(g.item()))",
        "(x * 2 + x * 3).backward()",
        ("o", "[5.0]"),
    )),
]

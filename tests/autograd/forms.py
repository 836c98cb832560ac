"""How tensors print, which dtype and shape a result has, and the words of errors about shapes and indices, as data."""

from __future__ import annotations

from tests.autograd.rows import Row

_NAMES = "names = lambda ts: [str(t.dtype).split('.')[-1] for t in ts]"
_TWO_THREE = "raises ShapeError: The size of tensor a (2) must match the size of tensor b (3)"
_X = "x = tp.tensor([3.], requires_grad=True)"

# fmt: off
FORMS = [
    # printing
    Row("B8.1", "values print in PyTorch's layout", steps=(
        ("tp.tensor([0.5, 1.])", "tensor([0.5000, 1.0000])"), ("tp.tensor(12.)", "tensor(12.)"),
        ("tp.tensor([27.])", "tensor([27.])"), ("tp.tensor([True, False])", "tensor([ True, False])"),
        ("tp.tensor([1e-05, 1.])", "tensor([1.0000e-05, 1.0000e+00])"),
        ("tp.tensor([float('nan'), 1., float('inf')])", "tensor([nan, 1., inf])"),
        ("tp.tensor([-0.5, 2.25])", "tensor([-0.5000,  2.2500])"), ("tp.tensor([1j])", "tensor([0.+1.j])"),
        ("tp.tensor([1, -2])", "tensor([ 1, -2])"), ("tp.tensor(True)", "tensor(True)"),
        ("tp.tensor([[1., 2.], [3., 4.]])", "tensor([[1., 2.],\n        [3., 4.]])"),
        ("tp.ones(2, 2, 1)", "tensor([[[1.],\n         [1.]],\n\n        [[1.],\n         [1.]]])"),
    )),
    Row("B8.1", "tensors of size 0", steps=(
        ("tp.zeros(0)", "tensor([])"), ("tp.zeros(2, 0)", "tensor([], size=(2, 0))"),
        ("tp.zeros(2, 0, dtype=tp.int64)", "tensor([], size=(2, 0), dtype=tensorplay.int64)"),
    )),
    Row("B8.1", "more than 1000 elements are summarised", steps=(
        ("tp.arange(1001)", "tensor([   0,    1,    2,  ...,  998,  999, 1000])"),
        ("repr(tp.arange(1000)).count(',')", "999"),
        ("tp.zeros(1001, 1)",
         "tensor([[0.],\n        [0.],\n        [0.],\n        ...,\n        [0.],\n        [0.],\n        [0.]])"),
    )),
    Row("B8.1", "lines wrap at 80 columns", steps=(
        ("tp.arange(30.)",
         "tensor([ 0.,  1.,  2.,  3.,  4.,  5.,  6.,  7.,  8.,  9., 10., 11., 12., 13.,\n"
         "        14., 15., 16., 17., 18., 19., 20., 21., 22., 23., 24., 25., 26., 27.,\n"
         "        28., 29.])"),
    )),
    Row("B8.2", "suffixes", steps=(
        _X, ("x", "tensor([3.], requires_grad=True)"), ("x * 2", "tensor([6.], grad_fn=<MulBackward>)"),
        ("x.detach()", "tensor([3.])"),
        ("tp.ones(1, dtype=tp.float64)", "tensor([1.], dtype=tensorplay.float64)"),
        ("tp.ones(1, dtype=tp.int32)", "tensor([1], dtype=tensorplay.int32)"), ("tp.tensor([1])", "tensor([1])"),
        ("tp.tensor([True])", "tensor([True])"), ("tp.ones(1, dtype=tp.complex64)", "tensor([1.+0.j])"),
        ("tp.ones(1, dtype=tp.complex128)", "tensor([1.+0.j], dtype=tensorplay.complex128)"),
        ("tp.ones(1, dtype=tp.float64, requires_grad=True)",
         "tensor([1.], dtype=tensorplay.float64, requires_grad=True)"),
        ("tp.ones(1, dtype=tp.float64, requires_grad=True) * 2",
         "tensor([2.], dtype=tensorplay.float64, grad_fn=<MulBackward>)"),
    )),
    Row("B8.3", "a node's repr: kind, number, expression, place", differs="PyTorch prints an address", steps=(
        "import linecache", _X, "w = tp.tensor([2.])", "lines = ['\\n'] * 11 + ['z = x * w\\n']",
        "linecache.cache['lesson.py'] = (0, None, lines, 'lesson.py')",
        "with tp.events.listening(lambda event: None, source=True): exec(compile(''.join(lines), 'lesson.py', 'exec'))",
        "del linecache.cache['lesson.py']",
        ("repr(z.grad_fn) == f'<MulBackward node {z.grad_fn.number}: x * w, lesson.py:12>'", "True"),
    )),
    Row("B8.3", "a node's repr where the line is not known: its label", differs="PyTorch prints an address", steps=(
        _X, "y, z = (x * 2).grad_fn, x.exp().grad_fn",
        ("repr(y) == f'<MulBackward node {y.number}: x × y>', repr(z) == f'<ExpBackward node {z.number}: exp(x)>'",
         "(True, True)"),
    )),
    Row("B8.4", "a node's name is a call", steps=(
        _X, ("(x * 2).grad_fn.name()", "'MulBackward'"), ("x.exp().grad_fn.name()", "'ExpBackward'"),
        ("x.sum().grad_fn.name()", "'SumBackward'"),
    )),
    # dtypes
    Row("B8.5", "the dtype that tp.tensor chooses", steps=(
        _NAMES, "import numpy as np",
        ("names([tp.tensor(v) for v in (1, 1., True, np.float64(1), np.array([1], np.int32))])",
         "['int64', 'float32', 'bool', 'float64', 'int32']"),
        ("names([tp.tensor(v) for v in ([1, 2.], [True, 1], [], 1j, np.float32(1), [np.float64(1)])])",
         "['float32', 'int64', 'float32', 'complex64', 'float32', 'float64']"),
    )),
    Row("B8.6", "promotion", steps=(
        _NAMES, "i = tp.tensor([7])", "f = tp.ones(1)", "s = tp.tensor(2., dtype=tp.float64)",
        "n = tp.ones(1, dtype=tp.int32)",
        ("names([i / i, tp.tensor([True]) + 1, i + f, n + i, s * f, f * 2., i * 2.])",
         "['float32', 'int64', 'float32', 'int64', 'float32', 'float32', 'float32']"),
        ("names([tp.tensor(2) * f, n * tp.tensor(3), f * 1j, tp.tensor(1., dtype=tp.float64) + i, n + True])",
         "['float32', 'int32', 'complex64', 'float64', 'int32']"),
    )),
    Row("B8.6", "int // int", steps=(
        ("tp.tensor([7, -7]) // 2, tp.tensor([7]) // tp.tensor([2])", "(tensor([ 3, -4]), tensor([3]))"),
        ("7 // tp.tensor([2, -2]), tp.tensor([7]) // 2., tp.tensor([True]) // 1",
         "(tensor([ 3, -4]), tensor([3.]), tensor([1]))"),
        ("tp.tensor([1]) // 0", "raises DTypeError: ZeroDivisionError"),
        ("tp.tensor([1., -1.]) // 0", "tensor([inf, -inf])"),
        ("tp.ones(2) // tp.ones(3)", _TWO_THREE),
    )),
    Row("B7.10", "x // 2 has no derivative", steps=(
        _X, ("(x // 2).backward()", "raises DerivativeError: derivative for"), "with tp.no_grad(): y = x // 2",
        ("y, x.detach() // 2", "(tensor([1.]), tensor([1.]))"),
        ("(2 // x).backward()", "raises DerivativeError: derivative for"),
    )),
    # shapes, indices
    Row("B8.7", "sizes that do not broadcast", steps=(
        ("tp.ones(2) + tp.ones(3)", _TWO_THREE + " at non-singleton dimension 0"),
        ("tp.ones(2, 3) * tp.ones(2)",
         "raises ShapeError: The size of tensor a (3) must match the size of tensor b (2) "
         "at non-singleton dimension 1"),
        ("tp.ones(2) < tp.ones(3)", _TWO_THREE),
        ("tp.ones(2).add_(tp.ones(3))", _TWO_THREE),
        ("tp.maximum(tp.ones(2), tp.ones(3))", _TWO_THREE),
    )),
    Row("B8.8", "matmul, reshape, view and expand of shapes that do not fit", steps=(
        ("tp.ones(2, 3) @ tp.ones(2, 3)",
         "raises ShapeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)"),
        ("tp.ones(2) @ tp.tensor(1.)",
         "raises ShapeError: both arguments to matmul need to be at least 1D, but they are 1D and 0D"),
        ("tp.ones(4).reshape(3)", "raises ShapeError: shape '[3]' is invalid for input of size 4"),
        ("tp.ones(4).reshape(-1, 3)", "raises ShapeError: shape '[-1, 3]' is invalid for input of size 4"),
        ("tp.ones(4).reshape(-1, -1)", "raises ShapeError: only one dimension can be inferred"),
        ("tp.ones(4).view(3)", "raises ShapeError: shape '[3]' is invalid for input of size 4"),
        ("tp.ones(2, 3).T.view(6)", "raises ShapeError: view size is not compatible"),
        ("tp.ones(2).expand(3)",
         "raises ShapeError: The expanded size of the tensor (3) must match the existing size (2)"),
    )),
    Row("B8.8", "cat and stack of shapes that do not fit", steps=(
        ("tp.cat([tp.ones(2, 2), tp.ones(2, 3)])",
         "raises ShapeError: Sizes of tensors must match except in dimension 0"),
        ("tp.cat([tp.ones(2, 2), tp.ones(3, 2)], 1)",
         "raises ShapeError: Sizes of tensors must match except in dimension 1"),
        ("tp.stack([tp.ones(2), tp.ones(3)])", "raises ShapeError: stack expects each tensor to be equal size"),
    )),
    Row("B8.9", "dimensions out of range", steps=(
        ("tp.ones(2).sum(5)",
         "raises DimensionError: Dimension out of range (expected to be in range of [-1, 0], but got 5)"),
        ("tp.ones(2).softmax(2)",
         "raises DimensionError: Dimension out of range (expected to be in range of [-1, 0], but got 2)"),
        ("tp.ones(2).unsqueeze(3)",
         "raises DimensionError: Dimension out of range (expected to be in range of [-2, 1], but got 3)"),
        ("tp.ones(2, 3).sum((0, 0))", "raises ShapeError: dim 0 appears multiple times in the list of dims"),
        ("tp.ones(2, 3).transpose(0, 2)",
         "raises DimensionError: Dimension out of range (expected to be in range of [-2, 1], but got 2)"),
    )),
    Row("B8.9", "indices", steps=(
        ("tp.ones(2)[5]", "raises IndexingError: index 5 is out of bounds for dimension 0 with size 2"),
        ("tp.ones(2, 3)[0, -4]", "raises IndexingError: index -4 is out of bounds for dimension 1 with size 3"),
        ("tp.ones(2)[tp.tensor([2])]", "raises IndexingError: index 2 is out of bounds for dimension 0 with size 2"),
        ("tp.ones(2).__setitem__(5, 1.)", "raises IndexingError: index 5 is out of bounds for dimension 0 with size 2"),
        ("tp.ones(2)[0, 0]", "raises IndexingError: too many indices for tensor of dimension 1"),
        ("tp.ones(2)[:, [0]]", "raises IndexingError: too many indices for tensor of dimension 1"),
        ("tp.tensor(1.)[0]", "raises IndexingError: invalid index of a 0-dim tensor"),
        ("tp.ones(2)[tp.tensor([True, False, True])]",
         "raises IndexingError: The shape of the mask [3] at index 0 does not match"),
        ("tp.ones(2)[0.5]", "raises IndexingError: only integers, slices"),
        ("tp.ones(2)[::-1]", "raises NegativeStepError: step must be greater than zero"),
        ("tp.ones(2, 3)[[0, 1], [0, 1, 2]]", "raises IndexingError: shape mismatch: indexing"),
    )),
    Row("B8.9", "a single True is a new dimension, a single False one of size 0", steps=(
        ("tp.ones(2)[True]", "tensor([[1., 1.]])"), ("tp.ones(2)[False]", "tensor([], size=(0, 2))"),
        ("tp.tensor(5.)[tp.tensor(True)]", "tensor([5.])"),
        ("tuple(tp.ones(2, 3)[:, True].shape), tuple(tp.ones(2, 3)[True, 0].shape)", "((2, 1, 3), (1, 3))"),
        "x = tp.ones(2, requires_grad=True)", "(x[True] * 3).sum().backward()", ("x.grad", "tensor([3., 3.])"),
        "z = tp.ones(2)", "z[False] = 9.", ("z", "tensor([1., 1.])"), "z[True] = 7.", ("z", "tensor([7., 7.])"),
    )),
    Row("B8.10", "reductions of nothing and of integers; ragged lists", steps=(
        ("tp.zeros(0).max()", "raises EmptyReductionError: max(): Expected reduction dim"),
        ("tp.zeros(0).min()", "raises EmptyReductionError: min(): Expected reduction dim"),
        ("tp.zeros(2, 0).amax(1)", "raises IndexError: amax(): Expected reduction dim"),
        ("tp.zeros(2, 0).min(1)", "raises IndexError: min(): Expected reduction dim"),
        ("tp.tensor([1, 2]).mean()", "raises DTypeError: mean(): could not infer output dtype"),
        ("tp.tensor([True]).mean()", "raises DTypeError: mean(): could not infer output dtype"),
        ("tp.tensor([[1., 2.], [3.]])", "raises RaggedError: expected sequence of length 2 at dim 1 (got 1)"),
    )),
]

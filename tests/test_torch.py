"""The same calls in PyTorch: values, dtypes, shapes, gradients, and how errors open."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.testing import assert_close

torch = pytest.importorskip("torch")

X = np.array([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]], np.float32)
Y = np.array([[1.0, 2.0, 0.5]], np.float32)

EXPRESSIONS = """
x + y | x - y | x * y | x / y | x @ y.T | y @ x.T | -x | abs(x) | x ** 2 | (x * x + 1) ** y | 2.0 ** x | 3 - x
1 / (x * x + 1) | x.exp() | x.tanh() | x.sigmoid() | x.relu() | (x * x + 0.5).log() | (x * x + 0.5).sqrt()
x.softmax(1) | x.softmax(0) | x.log_softmax(-1) | x.sum() | x.sum(0) | x.sum(1, keepdim=True) | x.sum((0, 1))
x.mean() | x.mean(0, keepdim=True) | x.max() | x.amax(1) | x.max(1)[0] | x.max(0, keepdim=True)[0] | x.amax((0, 1))
x.reshape(3, 2) | x.reshape(-1) | x.view(6) | x.flatten() | x.transpose(0, 1) | x.permute(1, 0) | x.T
x.unsqueeze(1) | y.squeeze() | y.squeeze(0) | y.expand(4, 3) | y.expand(2, -1, 3) | x[0] | x[1, 2] | x[:, 1]
x[0:1] | x[:, ::2] | x[..., -1] | x[None] | x[[1, 0, 1]] | x[[0, 1], [2, 2]] | x[:, [0, 2]] | x[x > 0]
x.unsqueeze(0).expand(2, 2, 3) | x.clone() | x.squeeze() | x[1][0] | x[-1] | x[:, None, 1:] | x.T @ x
(x @ y.T).exp().sum() | x.unsqueeze(0) @ y.T | x[0] @ y[0] | x @ y[0] | y[0] @ x.T
"""


TABLE = [e.strip() for line in EXPRESSIONS.splitlines() for e in line.split("|") if e.strip()]


def result(lib: Any, expression: str) -> list[np.ndarray]:
    """The value and both gradients of a sum with fixed weights; the sizes and the dtype are in the arrays."""
    x, y = lib.tensor(X, requires_grad=True), lib.tensor(Y, requires_grad=True)
    out = eval(expression, {"x": x, "y": y, "abs": abs})
    weights = np.linspace(0.5, 1.5, int(np.prod(tuple(out.shape)))).astype(np.float32).reshape(tuple(out.shape))
    (out * lib.tensor(weights)).sum().backward()
    grads = [np.zeros(1) if t.grad is None else t.grad.detach().numpy() for t in (x, y)]
    return [out.detach().numpy(), *grads]


@pytest.mark.parametrize("expression", TABLE)
def test_values_and_gradients(expression):
    assert_close(result(tp, expression), result(torch, expression), rtol=1e-5, atol=1e-6, check_dtype=True)


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_cross_entropy(reduction):
    answers = []
    for lib in (tp, torch):
        x = lib.tensor(X, requires_grad=True)
        loss = lib.nn.functional.cross_entropy(x, lib.tensor(np.array([2, 0])), reduction=reduction)
        loss.sum().backward()
        answers.append([loss.detach().numpy(), x.grad.numpy()])
    assert_close(answers[0], answers[1], rtol=1e-5, check_dtype=True)


DTYPES = ["bool", "uint8", "int32", "int64", "float32", "float64"]


@pytest.mark.parametrize("left", DTYPES)
@pytest.mark.parametrize("right", DTYPES)
def test_promotion(left, right):
    kinds = []
    for lib in (tp, torch):
        a, b = (lib.ones(2, dtype=getattr(lib, d)) for d in (left, right))
        zero_d = lib.tensor(1, dtype=getattr(lib, right))
        results = (a + b, a * b, a / b, a * zero_d, a * 2, a * 2.0, a > b, a.sum())
        kinds.append([str(r.dtype).split(".")[-1] for r in results])
    assert kinds[0] == kinds[1]


REFUSED = [
    "lib.ones(2) + lib.ones(3)",
    "lib.ones(2, 3) @ lib.ones(2, 3)",
    "lib.ones(2).reshape(3)",
    "lib.ones(2).expand(3)",
    "lib.ones(2)[5]",
    "lib.ones(2)[0, 0]",
    "lib.ones(2).sum(3)",
    "lib.ones(2, requires_grad=True).backward()",
    "lib.ones(2).backward()",
    "lib.ones(2).item()",
    "bool(lib.ones(2))",
    "lib.zeros(0).max()",
    "lib.tensor([1, 2]).mean()",
    "lib.tensor([1], requires_grad=True)",
    "lib.ones(2, requires_grad=True).numpy()",
    "lib.ones(2, requires_grad=True).add_(1)",
    "lib.ones(2).requires_grad_().retain_grad() or lib.ones(2).retain_grad()",
    "lib.tensor([[1., 2.], [3.]])",
]


@pytest.mark.parametrize("expression", REFUSED)
def test_errors_are_of_the_class_pytorch_raises(expression):
    with pytest.raises(Exception) as theirs:
        eval(expression, {"lib": torch})
    with pytest.raises(type(theirs.value)) as ours:
        eval(expression, {"lib": tp})
    opening = " ".join(str(theirs.value).split()[:3]).rstrip(",.:;")
    assert str(ours.value).lower().startswith(opening.lower())


def test_a_training_run_follows_pytorch():
    """The same start, the same data, the same descent: the same parameters after twenty steps."""
    rng = np.random.default_rng(0)
    data = rng.normal(size=(16, 4)).astype("float32"), rng.integers(0, 3, 16)
    start = [rng.normal(size=s).astype("float32") * 0.3 for s in ((6, 4), (6,), (3, 6), (3,))]
    ends = []
    for lib in (tp, torch):
        model = lib.nn.Sequential(lib.nn.Linear(4, 6), lib.nn.ReLU(), lib.nn.Linear(6, 3))
        parameters = list(model.parameters())
        with lib.no_grad():
            for parameter, values in zip(parameters, start, strict=True):
                parameter.copy_(lib.tensor(values))
        for _ in range(20):
            lib.nn.functional.cross_entropy(model(lib.tensor(data[0])), lib.tensor(data[1])).backward()
            descend(lib, parameters)
        ends.append([p.detach().numpy() for p in parameters])
    assert_close(ends[0], ends[1], rtol=1e-4, atol=1e-5)


def descend(lib: Any, parameters: list[Any]) -> None:
    """One step of plain gradient descent; PyTorch's optimizers take seconds to import."""
    with lib.no_grad():
        for parameter in parameters:
            parameter -= 0.1 * parameter.grad
            parameter.grad = None

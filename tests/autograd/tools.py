"""Corner cases of the gradient check, anomaly mode and the functional forms, as data (see `rows.py`)."""

from __future__ import annotations

from tests.autograd.rows import Row

_D = "x = tp.tensor([1., 2.], dtype=tp.float64, requires_grad=True)"
_WRONG = (
    "class Wrong(tp.autograd.Function):\n"
    "    @staticmethod\n"
    "    def forward(ctx, x): ctx.save_for_backward(x); return x * x\n"
    "    @staticmethod\n"
    "    def backward(ctx, g): return g * SLOPE * ctx.saved_tensors[0]"
)
_CHECK = "check, F = tp.autograd.gradcheck, tp.autograd.functional"
_MISMATCH = "raises GradcheckError: Jacobian mismatch for output 0 with respect to input 0"

# fmt: off
TOOLS = [
    Row("B6.1", "gradcheck of a wrong rule: an error, or False", steps=(
        _D, _CHECK, _WRONG, "SLOPE = 3.", ("check(Wrong.apply, x)", _MISMATCH),
        ("check(Wrong.apply, x, raise_exception=False)", "False"),
        ("check(Wrong.apply, x, fast_mode=True)", _MISMATCH), "SLOPE = 2.", ("check(Wrong.apply, x)", "True"),
    )),
    Row("B6.2", "gradcheck of inputs it cannot check", steps=(
        _D, _CHECK, "single = tp.ones(2, requires_grad=True)", "e = x[:1].detach().requires_grad_().expand(3)",
        ("check(lambda x: x * 2, single, eps=1e-2, atol=1e-2)",
         "warns UserWarning: Input #0 requires gradient and is not a double precision"),
        ("check(lambda x: x * 2, x.detach())", "raises ValueError: gradcheck expects at least one input tensor"),
        ("check(lambda x: x * 2, e)", "raises RuntimeError: The 0th input has a dimension with stride 0"),
        ("check(lambda x: x * 2, x, check_backward_ad=False)",
         "raises AssertionError: Expected at least one of check_forward_ad"),
    )),
    Row("B6.2", "gradcheck of a backward that is random", steps=(
        _D, _CHECK, _WRONG, "class Number:\n    def __rmul__(self, g): return g * (2 + 1e-8 * tp.rand(1).item())",
        "SLOPE = Number()", ("check(Wrong.apply, x)", "raises GradcheckError: Backward is not reentrant"),
        ("check(Wrong.apply, x, nondet_tol=1e-6)", "True"),
    )),
    Row("B6.3", "a rule wrong by 0.05 % passes at the default rtol, not at 1e-4", steps=(
        _D, _CHECK, _WRONG, "SLOPE = 2.001", ("check(Wrong.apply, x)", "True"),
        ("check(Wrong.apply, x, rtol=1e-4)", _MISMATCH),
    )),
    Row("B6.4", "gradcheck at a kink fails", steps=(
        _CHECK, "x = tp.zeros(1, dtype=tp.float64, requires_grad=True)", ("check(lambda x: x.relu(), x)", _MISMATCH),
        "try: check(lambda x: x.relu(), x)\nexcept RuntimeError as error: said = str(error)",
        ("'0.5' in said and 'numerical' in said and 'analytical' in said", "True"),
    )),
    Row("B6.6", "entering anomaly mode warns", steps=(
        ("with tp.autograd.detect_anomaly(): inside = tp.is_anomaly_enabled()",
         "warns UserWarning: Anomaly Detection has been enabled"),
        ("inside, tp.is_anomaly_enabled()", "(True, False)"),
    )),
    Row("B6.13", "jacobian of what does not depend on the input", steps=(
        _CHECK, "x = tp.ones(2)", ("F.jacobian(lambda x: tp.ones(1), x)", "tensor([[0., 0.]])"),
        ("F.jacobian(lambda x: tp.ones(1), x, strict=True)",
         "raises RuntimeError: Output 0 of the user-provided function does not require gradients"),
    )),
    Row("B6.14", "jacobian: strict with vectorize; the forward strategy without", steps=(
        _CHECK, "x = tp.ones(2)",
        ("F.jacobian(lambda x: x * x, x, strict=True, vectorize=True)", "raises RuntimeError: "),
        ("F.jacobian(lambda x: x * x, x, strategy='forward-mode')", "raises NotImplementedError: "),
    )),
    Row("B6.15", "hessian of several elements, of no tensor, of a list", steps=(
        _CHECK, "x = tp.ones(2)",
        ("F.hessian(lambda x: x * x, x)",
         "raises RuntimeError: The Tensor returned by the function given to hessian should contain a single element"),
        ("F.hessian(lambda x: 3., x)", "raises TypeError: The outputs of"),
        ("F.hessian(lambda x: x.sum(), [x])", "raises TypeError: The inputs given to"),
    )),
    Row("B6.16", "vjp without a vector, and with one of a wrong size", steps=(
        _CHECK, "x = tp.ones(2)", ("F.vjp(lambda x: x * x, x)", "raises RuntimeError: The vector v can only be None"),
        ("F.vjp(lambda x: x * x, x, tp.ones(3))", "raises RuntimeError: v has invalid size"),
        ("F.vjp(lambda x: x.sum(), x)", "(tensor(2.), tensor([1., 1.]))"),
    )),
]

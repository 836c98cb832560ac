"""Element by element."""

from __future__ import annotations

from tests.parity.rows import float_unary

ROWS = {
    **{name: float_unary(name) for name in ("cos", "exp", "sin", "tanh", "sigmoid")},
    "abs": ["lib.abs(a)", "a.abs()", "abs(k)", "a.abs_()", "n.abs()", "e.abs()", "lib.abs(x)", "s.abs()"],
    "neg": ["lib.neg(a)", "a.neg()", "-a", "a.neg_()", "n.neg()", "e.neg()", "-m"],
    "log": ["lib.log(p)", "p.log()", "a.log()", "p.log_()", "n.log()", "k.log()", "e.log()", "s.log()"],
    "log2": ["lib.log2(p)", "p.log2()", "a.log2()", "p.log2_()", "n.log2()", "k.log2()", "e.log2()", "s.log2()"],
    "sqrt": ["lib.sqrt(p)", "p.sqrt()", "a.sqrt()", "p.sqrt_()", "n.sqrt()", "k.sqrt()", "e.sqrt()", "s.sqrt()"],
    "add": [
        *("lib.add(a, b)", "a.add(b)", "a + b", "a + row", "col + row", "a + s", "a + 1", "a + 1.5", "2 + a", "a + z"),
        *(
            "lib.add(a, b, alpha=2)",
            "a.add(2, alpha=3)",
            "a.add_(b)",
            "a.add_(row, alpha=2)",
            "a + i",
            "a + t",
            "a + m",
        ),
        *("a.add_(1)", "a.add_(s)", "e + e", "e + row", "a + True", "lib.add(a, f)", "a + 1j", "n + n", "i + t"),
        *("a + lib.tensor(1.5)", "i.add_(a)"),
    ],
    "sub": [
        *("lib.sub(a, b)", "a.sub(b)", "a - b", "a - row", "a - s", "a - 1", "a - 1.5", "2 - a", "a.sub(b, alpha=2)"),
        *("a.sub_(b)", "a.sub_(row)", "a - z", "a - i", "a - t", "n - n", "m - m", "1 - m", "a.sub_(1, alpha=2)"),
    ],
    "mul": [
        *("lib.mul(a, b)", "a.mul(b)", "a * b", "a * row", "col * row", "a * s", "a * 2", "a * 0.5", "2 * a", "a * z"),
        *("a.mul_(b)", "a.mul_(2)", "a * m", "a * i", "t * t", "n * 0", "m * m", "e * e", "a * 1j"),
    ],
    "div": [
        *(
            "lib.div(a, b)",
            "a.div(b)",
            "a / b",
            "a / row",
            "a / s",
            "a / 2",
            "1 / a",
            "a / k",
            "a / z",
            "i / 2",
            "m / m",
        ),
        *("a.div_(b)", "a.div_(2)", "a / 0", "a / i", "e / e", "lib.div(a, p, rounding_mode=None)"),
        *("lib.div(a, p, rounding_mode='floor')", "lib.div(a, p, rounding_mode='trunc')", "n / n"),
        *("a.div(2, rounding_mode='floor')", "a.div_(p, rounding_mode='trunc')"),
    ],
    "pow": [
        *(
            "lib.pow(a, 2)",
            "a.pow(3)",
            "p ** a",
            "p ** b",
            "a ** 2",
            "a ** 0",
            "p ** 0.5",
            "p ** -1.0",
            "2 ** a",
            "a ** 1",
        ),
        *("p ** row", "p.pow(s)", "a.pow_(2)", "lib.pow(2.0, a)", "k ** 0.5", "k ** k", "n ** 2", "a ** i", "i ** 2"),
        *("2.0 ** p", "p ** -0.5", "k ** 2.0", "0.0 ** p", "t ** 2", "e ** 2", "p.pow_(0.5)", "a ** lib.tensor(2)"),
    ],
    "maximum": [
        *("lib.maximum(a, b)", "a.maximum(b)", "lib.maximum(k, k)", "lib.maximum(a, row)", "lib.maximum(a, s)"),
        *("lib.maximum(n, a)", "lib.maximum(a, n)", "lib.maximum(a, i)", "lib.maximum(e, e)", "lib.maximum(col, row)"),
    ],
    "minimum": [
        *("lib.minimum(a, b)", "a.minimum(b)", "lib.minimum(k, k)", "lib.minimum(a, row)", "lib.minimum(a, s)"),
        *("lib.minimum(n, a)", "lib.minimum(a, n)", "lib.minimum(a, i)", "lib.minimum(e, e)", "lib.minimum(col, row)"),
    ],
    "where": [
        *(
            "lib.where(m, a, b)",
            "lib.where(m, a, 0.0)",
            "lib.where(m, 1, a)",
            "lib.where(m, row, col)",
            "lib.where(m, 1, 2.0)",
        ),
        *("lib.where(a > 0, a, b)", "lib.where(m, a, s)", "lib.where(m, a, i)", "lib.where(m, n, a)", "a.where(m, b)"),
        *("lib.where(m)", "lib.where(k)", "a.where(m, 0)"),
    ],
    "atan2": [
        *("lib.atan2(a, b)", "a.atan2(b)", "lib.atan2(a, row)", "lib.atan2(k, k)", "a.atan2_(b)", "lib.atan2(n, a)"),
        *("lib.atan2(a, s)", "lib.atan2(e, e)", "lib.atan2(a, i)"),
    ],
    "relu": ["lib.relu(a)", "a.relu()", "k.relu()", "a.relu_()", "n.relu()", "e.relu()", "s.relu()"],
    "softmax": [
        *(
            "lib.softmax(a, 1)",
            "a.softmax(0)",
            "a.softmax(-1)",
            "lib.softmax(a, dim=1, dtype=lib.float64)",
            "s.softmax(0)",
        ),
        *("x.softmax(1)", "e.softmax(0)", "e.softmax(1)", "n.softmax(1)", "(a * 1000).softmax(1)"),
    ],
    "log_softmax": [
        *("lib.log_softmax(a, 1)", "a.log_softmax(0)", "a.log_softmax(-1)", "lib.log_softmax(a, 1, dtype=lib.float64)"),
        *("x.log_softmax(1)", "e.log_softmax(0)", "n.log_softmax(1)", "s.log_softmax(0)", "(a * 1000).log_softmax(1)"),
    ],
    **{
        name: [
            f"a.{name}(b)",
            f"a {sign} b",
            f"k {sign} k",
            f"a {sign} row",
            f"a {sign} 0.5",
            f"n {sign} n",
            f"a {sign} s",
        ]
        for name, sign in {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}.items()
    },
    "allclose": [
        *("lib.allclose(a, b)", "lib.allclose(a, a)", "a.allclose(a + 1e-9)", "lib.allclose(n, n, equal_nan=True)"),
        *("lib.allclose(n, n)", "lib.allclose(a, a + 1, rtol=0.0, atol=1.0)", "lib.allclose(a, row)"),
    ],
    "equal": [
        "lib.equal(a, b)",
        "lib.equal(a, a)",
        "a.equal(a)",
        "lib.equal(a, row)",
        "lib.equal(n, n)",
        "lib.equal(e, e)",
    ],
    "isnan": ["lib.isnan(n)", "a.isnan()", "lib.isnan(e)", "n.isnan()"],
    "isfinite": ["lib.isfinite(n)", "a.isfinite()", "lib.isfinite(e)", "n.isfinite()"],
    "clone": ["lib.clone(a)", "a.clone()", "x.clone()", "e.clone()", "a.T.clone()"],
    "detach": ["lib.detach(a)", "a.detach()", "e.detach()"],
    "is_floating_point": ["a.is_floating_point()"],
}

INVALID = {
    "add": ["a + v[:2]", "a + 'x'", "lib.add(a)", "a + None", "i.add_(1.5)", "m.sub_(1)", "a.add_(x)", "row.add_(a)"],
    "sub": ["m - m", "a - 'x'", "a.sub(b, b, b)"],
    "mul": ["a * v[:2]", "a * 'x'", "lib.mul(a)", "i.mul_(0.5)"],
    "div": ["a / v[:2]", "a / 'x'", "i.div_(2)", "lib.div(a, b, rounding_mode='up')"],
    "pow": ["i ** -1", "a ** 'x'", "a ** v[:2]"],
    "maximum": ["lib.maximum(a, 1)", "lib.maximum(z, z)", "lib.maximum(a, v[:2])"],
    "minimum": ["lib.minimum(a, 1)", "lib.minimum(z, z)"],
    "where": ["lib.where(m, a, v[:2])", "lib.where(a, a, b)", "lib.where(m, a)", "lib.where([True], a, b)"],
    "exp": ["lib.exp(1.0)", "lib.exp()", "i.exp_()", "a.exp(1)"],
    "sqrt": ["lib.sqrt(4.0)", "lib.sqrt([1.0])"],
    "atan2": ["lib.atan2(z, z)", "lib.atan2(a, 1)", "a.atan2(v[:2])"],
    "softmax": ["a.softmax(2)", "a.softmax()", "i.softmax(0)", "lib.softmax(a, 1, True)"],
    "log_softmax": ["a.log_softmax(2)", "i.log_softmax(0)"],
    "abs": ["lib.abs(1)", "z.abs_()"],
    "neg": ["-lib.tensor([True])", "lib.neg(1)"],
    "relu": ["lib.relu(1.0)", "z.relu()", "m.relu()"],
    "equal": ["lib.equal(a, 1)"],
    "isnan": ["lib.isnan(1.0)"],
    "lt": ["z < w", "a < 'x'", "a < v[:2]"],
    "sigmoid": ["i.sigmoid_()", "lib.sigmoid(1.0)"],
}

DEVIATIONS: dict[str, str] = {}

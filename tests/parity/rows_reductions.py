"""Many elements to one, and scans."""

from __future__ import annotations

ROWS = {
    "sum": [
        *(
            "lib.sum(a)",
            "a.sum()",
            "a.sum(0)",
            "a.sum(1, keepdim=True)",
            "x.sum((0, 2))",
            "x.sum([0, -1], True)",
            "s.sum()",
        ),
        *(
            "e.sum()",
            "e.sum(0)",
            "e.sum(1)",
            "a.sum(dtype=lib.float64)",
            "a.sum(0, dtype=lib.int64)",
            "a.sum(1, dtype=dt)",
            "i.sum(dtype=lib.bool)",
            "s.sum(0)",
            "n.sum()",
        ),
        *("x.sum(dim=1)", "a.sum(())", "(lib.ones(3000, 2, dtype=lib.float16) * 0.1).sum(0)", "m.sum()", "x.sum(-3)"),
    ],
    "mean": [
        *("lib.mean(a)", "a.mean()", "a.mean(0)", "a.mean(1, keepdim=True)", "x.mean((0, 2))", "s.mean()", "e.mean()"),
        *(
            "e.mean(0)",
            "a.mean(dtype=lib.float64)",
            "n.mean()",
            "i.mean(dtype=lib.float32)",
            "a.mean(())",
            "lib.ones(70000, dtype=lib.float16).mean()",
            "e.mean(1)",
        ),
    ],
    "prod": [
        *(
            "lib.prod(a)",
            "a.prod()",
            "a.prod(0)",
            "a.prod(1, keepdim=True)",
            "k.prod()",
            "k.prod(1)",
            "e.prod()",
            "s.prod(0)",
        ),
        *(
            "e.prod(0)",
            "a.prod(dtype=lib.float64)",
            "a.prod(0, dtype=dt)",
            "n.prod()",
            "x.prod(1)",
            "m.prod()",
            "t.prod(0)",
        ),
    ],
    **{
        name: [
            *(f"lib.{name}(a)", f"a.{name}()", f"a.{name}(0)", f"a.{name}(1, keepdim=True)", f"x.{name}((0, 2))"),
            *(f"a.{name}(0, correction=0)", f"a.{name}(unbiased=False)", f"a.{name}(1, False)", f"a.{name}(False)"),
            *(
                f"e.{name}()",
                f"s.{name}()",
                f"n.{name}()",
                f"a.{name}(dim=1, correction=2)",
                f"col.{name}(1)",
                f"e.{name}(0)",
            ),
            *(f"a.{name}(1, unbiased=True, keepdim=True)", f"s.{name}(correction=0)"),
        ]
        for name in ("std", "var")
    },
    **{
        name: [
            *(
                f"lib.{name}(a)",
                f"a.{name}()",
                f"a.{name}(0)",
                f"a.{name}(1, keepdim=True)",
                f"k.{name}()",
                f"k.{name}(1)",
            ),
            *(f"lib.{name}(a, b)", f"a.{name}(row)", f"n.{name}()", f"n.{name}(1)", f"s.{name}()", f"s.{name}(0)"),
            *(f"a.{name}(1).values", f"a.{name}(1).indices", f"e.{name}(1)", f"k.{name}(0, True)", f"m.{name}()"),
        ]
        for name in ("max", "min")
    },
    **{
        name: [
            *(
                f"lib.{name}(a)",
                f"a.{name}(0)",
                f"a.{name}(1, keepdim=True)",
                f"k.{name}()",
                f"k.{name}(1)",
                f"x.{name}((0, 2))",
            ),
            *(f"n.{name}()", f"n.{name}(1)", f"s.{name}()", f"e.{name}(1)", f"a.{name}(())", f"m.{name}(0)"),
        ]
        for name in ("amax", "amin")
    },
    **{
        name: [
            *(
                f"lib.{name}(a)",
                f"a.{name}(0)",
                f"a.{name}(1, keepdim=True)",
                f"k.{name}()",
                f"k.{name}(1)",
                f"n.{name}()",
            ),
            *(
                f"n.{name}(1)",
                f"s.{name}()",
                f"s.{name}(0)",
                f"e.{name}(1)",
                f"a.{name}(keepdim=True)",
                f"x.{name}(-2)",
            ),
        ]
        for name in ("argmax", "argmin")
    },
    "median": [
        *(
            "lib.median(a)",
            "a.median(0)",
            "a.median(1, keepdim=True)",
            "k.median()",
            "k.median(1)",
            "n.median()",
            "s.median()",
        ),
        *("n.median(1)", "e.median()", "x.median(-1)", "s.median(0)", "row.median().item()"),
    ],
    "norm": [
        *(
            "lib.norm(a)",
            "a.norm()",
            "a.norm(1)",
            "a.norm(2, 1)",
            "a.norm(3, dim=0, keepdim=True)",
            "a.norm(float('inf'))",
        ),
        *(
            "a.norm(-inf, 1)",
            "a.norm(0)",
            "a.norm(p=0.5)",
            "k.norm(2, 0)",
            "(k * 0).norm()",
            "e.norm()",
            "x.norm(2, (0, 2))",
        ),
        *(
            "lib.norm(a, 'fro')",
            "a.norm('fro', (0, 1))",
            "lib.norm(q, 'nuc')",
            "qs.norm('nuc', (1, 2), True)",
            "a.norm(dtype=lib.float64)",
            "s.norm()",
        ),
        *("a.norm(inf, (0, 1))", "lib.norm(a, p=2, dim=1)", "n.norm()"),
    ],
    **{
        name: [
            *(
                f"lib.{name}(k)",
                f"a.{name}()",
                f"k.{name}()",
                f"m.{name}()",
                f"e.{name}()",
                f"s.{name}()",
                f"n.{name}()",
            ),
            *(
                f"k.{name}(0)",
                f"k.{name}(1, True)",
                f"k.{name}((0, 1))",
                f"e.{name}(0)",
                f"e.{name}(1)",
                f"s.{name}(0)",
            ),
            *(f"k.{name}(())", f"k.{name}(dim=1, keepdim=True)", f"m.{name}(dim=[0, 1])", f"k.{name}(keepdim=True)"),
        ]
        for name in ("all", "any")
    },
    "cumsum": [
        *(
            "lib.cumsum(a, 0)",
            "a.cumsum(1)",
            "a.cumsum(-1)",
            "x.cumsum(1)",
            "e.cumsum(0)",
            "s.cumsum(0)",
            "m.cumsum(1)",
        ),
        *(
            "a.cumsum(0, dtype=lib.float64)",
            "n.cumsum(1)",
            "(lib.ones(3000, dtype=lib.float16) * 0.1).cumsum(0)",
            "t.cumsum(0)",
            "a.cumsum_(0)",
            "a.cumsum_(1, dtype=dt)",
        ),
    ],
    "cumprod": [
        *(
            "lib.cumprod(a, 0)",
            "a.cumprod(1)",
            "k.cumprod(1)",
            "x.cumprod(-1)",
            "e.cumprod(0)",
            "s.cumprod(0)",
            "m.cumprod(1)",
        ),
        *("a.cumprod(0, dtype=lib.float64)", "n.cumprod(1)", "k.cumprod(0)", "t.cumprod(0)", "a.cumprod_(0)"),
    ],
}

INVALID = {
    "all": ["a.all(2)", "a.all((0, 0))", "lib.all([True])", "a.all('x')"],
    "any": ["a.any(2)", "a.any((0, 0))", "lib.any(1)"],
    "sum": ["a.sum(2)", "a.sum((0, 0))", "a.sum('x')", "lib.sum(1.0)", "a.sum(-3)", "a.sum(0, 1, 2, 3)", "a.sum(0.5)"],
    "mean": ["i.mean()", "m.mean()", "a.mean(2)", "a.mean((0, 0))", "lib.mean([1.0])"],
    "prod": ["a.prod((0, 1))", "a.prod(2)", "a.prod(keepdim=True)"],
    "std": ["i.std()", "a.std(2)", "a.std((0, 0))"],
    "var": ["i.var()", "a.var(2)", "a.var(unbiased=True, correction=1)"],
    "max": ["e.max()", "e.max(0)", "a.max(2)", "z.max()", "a.max((0, 1))", "a.max(keepdim=True)", "a.max('x')"],
    "min": ["e.min()", "e.min(0)", "a.min(2)", "z.min()"],
    "amax": ["e.amax()", "e.amax(0)", "a.amax(2)", "a.amax((0, 0))", "z.amax()"],
    "amin": ["e.amin()", "e.amin(0)", "a.amin(2)"],
    "argmax": ["e.argmax()", "e.argmax(0)", "a.argmax(2)", "z.argmax()", "a.argmax((0, 1))"],
    "argmin": ["e.argmin()", "a.argmin(2)", "z.argmin()"],
    "median": ["a.median(2)", "z.median()", "a.median((0, 1))", "e.median(0)"],
    "norm": ["a.norm('x')", "a.norm(2, 5)", "i.norm()", "lib.norm(a, 'nuc', 0)", "row.norm('nuc')", "x.norm('nuc')"],
    "cumsum": ["a.cumsum(2)", "a.cumsum()", "a.cumsum((0, 1))"],
    "cumprod": ["a.cumprod(2)", "a.cumprod()"],
}

PARTLY = "PyTorch keeps the complex input for the rule of a product of its real parts; ours keeps what was multiplied"
BY_DIVISION = "PyTorch divides by the elements, so one that is infinite or NaN spoils all; ours multiplies the others"

DEVIATIONS = {
    "e.median()  # refused": "nothing has no middle: PyTorch answers the smallest integer there is, or False",
    "(k * 0).norm()  # second": "a length that is 0 has no second derivative; ours is that of a constant gradient, 0",
    "a.cumprod(0, dtype=lib.float64)  # gradient": PARTLY,
    "a.cumprod(0, dtype=lib.float64)  # second": PARTLY,
    "n.cumprod(1)  # gradient": BY_DIVISION,
    "n.cumprod(1)  # second": BY_DIVISION,
}

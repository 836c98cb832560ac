"""Sums without NaN, elements chosen by their order, running extremes, and what there is how often."""

from __future__ import annotations


def of(name: str, *calls: str) -> list[str]:
    """`a.name(...)` for each text of arguments, and once as a function."""
    return [f"lib.{name}(a{', ' if calls[0] else ''}{calls[0]})", *(f"a.{name}({call})" for call in calls)]


BY_INTERPOLATION = [
    f"{x}.{name}({q}, interpolation='{how}')"
    for name in ("quantile", "nanquantile")
    for how in ("linear", "lower", "higher", "midpoint", "nearest")
    for x, q in (("a", "0.3, 1"), ("a", "p[0] / 4, 0"), ("n", "0.5, 1"), ("k", "0.5"), ("a", "0.5, 1"))
]

ROWS = {
    "nansum": [
        *of("nansum", "", "0", "1, True", "(0, 1)", "dtype=lib.float64", "dim=-1"),
        *("n.nansum()", "n.nansum(1)", "s.nansum()", "e.nansum(0)", "e.nansum()", "x.nansum((0, 2))", "n.nansum(())"),
    ],
    "nanmean": [
        *of("nanmean", "", "0", "1, True", "(0, 1)", "dtype=lib.float64", "dim=-1"),
        *("n.nanmean()", "n.nanmean(1)", "s.nanmean()", "e.nanmean(0)", "e.nanmean()", "(n * nan).nanmean(0)"),
    ],
    "logsumexp": [
        *of("logsumexp", "0", "1", "1, True", "(0, 1)", "dim=-1", "dim=[0], keepdim=True"),
        *("n.logsumexp(1)", "n.logsumexp(0)", "s.logsumexp(0)", "e.logsumexp(0)", "e.logsumexp(1)"),
        *("(a * 1000.0).logsumexp(0)", "x.logsumexp((0, 2))", "m.logsumexp(0)", "(a - inf).logsumexp(0)"),
    ],
    "count_nonzero": [
        *("lib.count_nonzero(k)", "k.count_nonzero()", "k.count_nonzero(0)", "k.count_nonzero((0, 1))"),
        *(
            "n.count_nonzero(1)",
            "e.count_nonzero()",
            "e.count_nonzero(0)",
            "s.count_nonzero(0)",
            "k.count_nonzero(dim=1)",
        ),
    ],
    "aminmax": [
        *of("aminmax", "", "dim=0", "dim=1, keepdim=True", "keepdim=True"),
        *("a.aminmax().min", "k.aminmax()", "k.aminmax(dim=1)", "n.aminmax()", "n.aminmax(dim=1)", "s.aminmax(dim=0)"),
        *("e.aminmax(dim=1)", "x.aminmax(dim=-2).max", "m.aminmax()"),
    ],
    **{
        name: [
            *(
                f"lib.{name}({call})"
                for call in ("a", "a, 0", "a, 1, keepdim=True", "a, unbiased=False", "a, 1, False")
            ),
            *(f"lib.{name}({call})" for call in ("a, False", "x, (0, 2)", "a, correction=0", "e, 0", "n", "a, dim=1")),
        ]
        for name in ("var_mean", "std_mean")
    },
    "nanmedian": [
        *of("nanmedian", "", "0", "1, True", "dim=-1"),
        *("n.nanmedian()", "n.nanmedian(1)", "s.nanmedian()", "s.nanmedian(0)", "k.nanmedian(1)", "k.nanmedian()"),
        *("(n * nan).nanmedian(1)", "x.nanmedian(1).values", "e.nanmedian(1)"),
    ],
    "quantile": [
        *of("quantile", "0.5", "0.3, 1", "p[0] / 4", "p[0] / 4, 1", "0.25, 0, True", "p[0] / 4, 1, keepdim=True"),
        *(
            "n.quantile(0.3)",
            "n.quantile(0.5, 1)",
            "s.quantile(0.5)",
            "s.quantile(p[0] / 4, 0, True)",
            "a.quantile(1.0)",
        ),
        *(
            "x.quantile(0.4, 1)",
            "k.quantile(0.5, 1)",
            "a.quantile(p[0, 0] / 4, 1)",
            "a.quantile(0, 1)",
            "a.quantile(p[0, :0])",
        ),
        *(row for row in BY_INTERPOLATION if ".quantile" in row),
    ],
    "nanquantile": [
        *of("nanquantile", "0.5", "0.3, 1", "p[0] / 4", "p[0] / 4, 1", "0.25, 0, True"),
        *("n.nanquantile(0.3)", "n.nanquantile(0.5, 1)", "s.nanquantile(0.5)", "n.nanquantile(p[0] / 4, 1)"),
        *("(n * nan).nanquantile(0.5, 1)", *(row for row in BY_INTERPOLATION if ".nanquantile" in row)),
    ],
    "kthvalue": [
        *of("kthvalue", "1", "2, 1", "1, 0, True", "k=3, dim=-1", "2, dim=0, keepdim=True"),
        *("a.kthvalue(2).values", "a.kthvalue(2).indices", "n.kthvalue(2, 1)", "n.kthvalue(3)", "s.kthvalue(1)"),
        *("x.kthvalue(2, 1)", "e.kthvalue(1, 1)", "k.kthvalue(1, 1).values"),
    ],
    "mode": [
        *of("mode", "", "0", "1, True", "dim=0, keepdim=True"),
        *("k.mode()", "k.mode(0)", "k.mode(1).indices", "s.mode()", "x.mode(1)", "e.mode(1)", "m.mode(0)", "t.mode(1)"),
    ],
    **{
        name: [
            *of(name, "0", "1", "dim=-1"),
            *(f"k.{name}(1)", f"k.{name}(0)", f"n.{name}(1)", f"n.{name}(0)", f"e.{name}(0)", f"s.{name}(0)"),
            *(f"x.{name}(1).values", f"k.{name}(1).indices", f"m.{name}(1)"),
        ]
        for name in ("cummax", "cummin")
    },
    "logcumsumexp": [
        *of("logcumsumexp", "0", "1", "dim=-1"),
        *(
            "n.logcumsumexp(1)",
            "x.logcumsumexp(1)",
            "e.logcumsumexp(0)",
            "s.logcumsumexp(0)",
            "(a * 30.0).logcumsumexp(1)",
        ),
        *("(a - inf).logcumsumexp(1)", "k.logcumsumexp(1)"),
    ],
    "diff": [
        *of("diff", "", "1", "2", "1, 0", "dim=1", "0", "5", "prepend=col", "append=b", "1, 1, col, b", "2, prepend=b"),
        *("k.diff()", "n.diff()", "e.diff()", "e.diff(dim=0)", "x.diff(dim=1)", "m.diff()", "a.diff(append=f)"),
    ],
    "unique": [
        *("lib.unique(k)", "k.unique()", "k.unique(return_inverse=True)", "k.unique(return_counts=True)", "a.unique()"),
        *("k.unique(True, True, True)", "k.unique(dim=0)", "k.unique(dim=1, return_inverse=True, return_counts=True)"),
        *(
            "n.unique(return_counts=True)",
            "s.unique(return_inverse=True)",
            "e.unique()",
            "e.unique(dim=0)",
            "m.unique()",
        ),
        *(
            "i.unique(dim=1, return_inverse=True)",
            "n.unique(dim=0)",
            "k.unique(False)",
            "t.unique(return_inverse=True)",
        ),
    ],
    "unique_consecutive": [
        *("lib.unique_consecutive(k)", "k.unique_consecutive()", "k.unique_consecutive(return_inverse=True)"),
        *("k.unique_consecutive(True, True)", "k.unique_consecutive(dim=0)", "k.unique_consecutive(True, True, 1)"),
        *("n.unique_consecutive(return_counts=True)", "s.unique_consecutive(True, True)", "e.unique_consecutive()"),
        *("e.unique_consecutive(dim=0)", "i.unique_consecutive(dim=1)", "m.unique_consecutive()"),
    ],
    "bincount": [
        *("lib.bincount(i[0])", "i[0].bincount()", "i[0].bincount(minlength=5)", "t[0].bincount()", "i[0].bincount(v)"),
        *("i[0].bincount(weights=v, minlength=1)", "lib.bincount(i[0], v)", "i[0, :0].bincount(minlength=2)"),
        *("t[0].bincount(v)", "i[0, :0].bincount(v[:0])"),
    ],
    "histc": [
        *(
            "lib.histc(a)",
            "a.histc()",
            "a.histc(4)",
            "a.histc(4, -1, 2)",
            "a.histc(bins=3, min=0, max=3)",
            "s.histc(4)",
        ),
        *("n.histc(4, -3, 3)", "e.histc(3)", "k.histc(3)", "x.histc(5, -0.5, 0.5)", "(a * 0).histc(4)"),
    ],
    "dist": [
        *("lib.dist(a, b)", "a.dist(b)", "a.dist(b, 1)", "a.dist(row, 3)", "a.dist(b, inf)", "a.dist(b, -inf)"),
        *(
            "a.dist(b, 0.5)",
            "a.dist(a)",
            "a.dist(b, p=1.5)",
            "s.dist(a)",
            "e.dist(e)",
            "n.dist(a)",
            "a.dist(i)",
            "a.dist(f)",
        ),
        *("k.dist(k, 1)",),
    ],
}

INVALID = {
    "nansum": ["z.nansum()", "a.nansum(2)", "a.nansum((0, 0))"],
    "nanmean": ["i.nanmean()", "z.nanmean()", "a.nanmean(2)"],
    "logsumexp": ["a.logsumexp()", "a.logsumexp(2)", "a.logsumexp((0, 0))"],
    "count_nonzero": ["a.count_nonzero(2)", "a.count_nonzero((0, 0))", "lib.count_nonzero(1)"],
    "aminmax": [
        "e.aminmax()",
        "e.aminmax(dim=0)",
        "a.aminmax(0)",
        "a.aminmax(dim=(0, 1))",
        "a.aminmax(dim=2)",
        "z.aminmax()",
    ],
    "var_mean": ["lib.var_mean(i)", "lib.var_mean(a, 2)", "lib.var_mean(a, 0, True, correction=1)"],
    "std_mean": ["lib.std_mean(i)", "lib.std_mean(a, 2)"],
    "nanmedian": ["a.nanmedian(2)", "e.nanmedian(0)", "z.nanmedian()"],
    "quantile": [
        *("a.quantile(1.5)", "a.quantile(-0.1)", "a.quantile(a)", "a.quantile('x')", "a.quantile(p[0].double())"),
        *("a.quantile(p[0] * 100)", "e.quantile(0.5)", "i.quantile(0.5)", "a.quantile(0.5, 2)", "a.quantile()"),
        "a.quantile(0.5, interpolation='cubic')",
    ],
    "nanquantile": ["a.nanquantile(1.5)", "e.nanquantile(0.5)", "i.nanquantile(0.5)"],
    "kthvalue": [
        "a.kthvalue(4)",
        "a.kthvalue(0)",
        "e.kthvalue(1, 0)",
        "a.kthvalue(1, 2)",
        "a.kthvalue()",
        "a.kthvalue('x')",
    ],
    "mode": ["a.mode(2)", "e.mode(0)", "z.mode()"],
    "cummax": ["a.cummax()", "a.cummax(2)", "z.cummax(0)", "a.cummax('x')"],
    "cummin": ["a.cummin()", "a.cummin(2)", "z.cummin(0)"],
    "logcumsumexp": ["a.logcumsumexp()", "a.logcumsumexp(2)", "i.logcumsumexp(0)"],
    "diff": ["s.diff()", "a.diff(-1)", "a.diff(dim=2)", "a.diff(prepend=row)", "a.diff(prepend=q)", "a.diff('x')"],
    "unique": ["z.unique()", "a.unique(dim=2)", "s.unique(dim=0)", "e.unique(dim=1)"],
    "unique_consecutive": ["z.unique_consecutive()", "a.unique_consecutive(dim=2)", "e.unique_consecutive(dim=1)"],
    "bincount": [
        *("a.bincount()", "i.bincount()", "(-i[0]).bincount()", "i[0].bincount(minlength=-1)", "i[0].bincount(a)"),
        *("i[0].bincount(a[0, :2])", "v.bincount()", "m[0].bincount()"),
    ],
    "histc": [
        "i.histc()",
        "a.histc(0)",
        "a.histc(4, 3, 1)",
        "n.histc(4)",
        "a.histc(4, nan, 1)",
        "a.histc('x')",
        "a.histc(3.5)",
    ],
    "dist": ["a.dist(q)", "a.dist(1)", "i.dist(j)", "e.dist(e, inf)"],
}

AROUND = "an imaginary part is known up to 2π: PyTorch adds one after the other, we in pairs that double"
FLAT = "where two points meet, the distance has no second derivative; ours is that of a constant gradient, 0"

DEVIATIONS = {
    "k.logcumsumexp(1)  # complex64 value": AROUND,
    "k.logcumsumexp(1)  # complex128 value": AROUND,
    "a.dist(a)  # second": FLAT,
}

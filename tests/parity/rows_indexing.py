"""Elements by position, sorting, edits."""

from __future__ import annotations

ROWS = {
    "gather": [
        "lib.gather(a, 0, i)",
        "a.gather(1, i)",
        "a.gather(-1, j)",
        "a.gather(1, i[:, :1])",
        "e.gather(0, i[:0])",
        "s.gather(0, i[0, 0])",
    ],
    "index_put": [
        *(
            "lib.index_put(a, (i[0], j[0]), v)",
            "a.index_put((i[0],), row)",
            "a.index_put((i[0], j[0]), v, accumulate=True)",
        ),
        *("a.index_put_((i[0], j[0]), s)", "a.index_put_((m,), s)", "a.index_put((m,), s, True)"),
    ],
    "sort": [
        *(
            "lib.sort(a)",
            "a.sort()",
            "a.sort(0)",
            "a.sort(-1, descending=True)",
            "k.sort(stable=True, dim=1)",
            "n.sort()",
        ),
        *(
            "n.sort(descending=True)",
            "s.sort()",
            "e.sort()",
            "lib.sort(k, stable=True, dim=0, descending=True)",
            "a.sort().values",
        ),
    ],
    "argsort": [
        "lib.argsort(a)",
        "a.argsort(0)",
        "a.argsort(-1, True)",
        "n.argsort(stable=True)",
        "e.argsort()",
        "s.argsort()",
        "k.argsort(stable=True)",
    ],
    "copy_": [
        "a.copy_(b)",
        "a.copy_(row)",
        "a.copy_(i)",
        "a.copy_(s)",
        "i.copy_(a)",
        "e.copy_(e)",
        "f.copy_(a)",
        "z.copy_(a)",
    ],
    "fill_": ["a.fill_(2)", "a.fill_(1.5)", "a.fill_(s)", "e.fill_(1)", "i.fill_(2.7)"],
    "zero_": ["a.zero_()", "e.zero_()", "s.zero_()"],
    "index": [
        *("a[0]", "a[1, 2]", "a[:, 1]", "a[..., -1]", "a[None]", "a[:, None]", "a[0:1]", "a[:, ::2]", "a[[1, 0, 1]]"),
        *(
            "a[i]",
            "a[i, j]",
            "a[m]",
            "a[a == a]",
            "x[:, i[0]]",
            "x[i[0], :, j[0]]",
            "x[i[0], 1]",
            "x[..., i]",
            "a[True]",
        ),
        *(
            "a[False]",
            "s[None]",
            "s[...]",
            "s[()]",
            "e[:0]",
            "x[m[:, :2]]",
            "x[:, m[0, 1:]]",
            "a[lib.tensor(1)]",
            "x[1:, None, ..., 0]",
        ),
        *(
            "a[lib.tensor(True)]",
            "a[i[0], None]",
            "x[i[0][:, None], j[0]]",
            "a[t[:, :0].long()]",
            "a[(0, slice(1, None))]",
        ),
    ],
    "index assignment": [
        *("a.__setitem__(0, 1)", "a.__setitem__((0, 1), s)", "a.__setitem__(m, 0)", "a.__setitem__((i[0], j[0]), v)"),
        *(
            "a.__setitem__(slice(None), row)",
            "a.__setitem__(..., b)",
            "a.__setitem__((slice(None), i[0]), 2.5)",
            "i.__setitem__(0, 2.5)",
        ),
        *("a.__setitem__(m, v)", "x.__setitem__((0, ..., 1), s)", "a.__setitem__(True, 1)", "a.__setitem__(0, i[0])"),
    ],
}

INVALID = {
    "gather": [
        "a.gather(2, i)",
        "a.gather(0, i + 5)",
        "a.gather(0, i.float())",
        "a.gather(0, i[0])",
        "a.gather(0, -i)",
    ],
    "index_put": ["a.index_put((i[0] + 9,), s)", "a.index_put((i[0], j[0]), a)", "a.index_put_((i[0],), i[0])"],
    "sort": ["a.sort(2)", "z.sort()", "lib.sort(1.0)"],
    "argsort": ["a.argsort(2)", "z.argsort()"],
    "copy_": ["row.copy_(a)", "a.copy_(v[:2])", "a.copy_(x)"],
    "fill_": ["a.fill_('x')", "a.fill_(row)", "i.fill_(1j)", "a.fill_(1j)"],
    "index": [
        *(
            "a[2]",
            "a[-3]",
            "a[0, 0, 0]",
            "a[:, 3]",
            "a[0.5]",
            "a['x']",
            "a[i + 5]",
            "a[m[:1]]",
            "a[::-1]",
            "s[0]",
            "a[a]",
        ),
        *("a[i, m[0, :2]]", "a[1:2:0]", "a[[0, 5]]"),
    ],
    "index assignment": [
        *("a.__setitem__(5, 1)", "a.__setitem__(0, v[:2])", "a.__setitem__(m, row[:2])", "a.__setitem__('x', 1)"),
        *("a.__setitem__(0, 'x')", "a.__setitem__(0, x)", "a.__setitem__(0, 1j)"),
    ],
}

DEVIATIONS: dict[str, str] = {}

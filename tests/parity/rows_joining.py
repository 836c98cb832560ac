"""Tensors joined, and taken apart."""

from __future__ import annotations

ROWS = {
    "cat": [
        "lib.cat((a, b))",
        "lib.cat([a, b], 1)",
        "lib.cat((a, b, a), dim=-1)",
        "lib.cat((e, a))",
        "lib.cat([a])",
        "lib.cat((a, i))",
        "lib.cat((lib.zeros(0), a))",
        "lib.cat((x, x), 2)",
        "lib.cat((a, z))",
        "lib.cat((a, t, m))",
    ],
    "concat": [
        "lib.concat((a, b))",
        "lib.concat([a, b], dim=1)",
        "lib.concat((e, e), 1)",
    ],
    "concatenate": [
        "lib.concatenate((a, b))",
        "lib.concatenate([a, b], dim=1)",
    ],
    "stack": [
        "lib.stack((a, b))",
        "lib.stack([a, b], 1)",
        "lib.stack((a, b), dim=-1)",
        "lib.stack((s, s))",
        "lib.stack((e, e))",
        "lib.stack((a, i))",
        "lib.stack((a,), 2)",
        "lib.stack((a, z))",
    ],
    "hstack": [
        "lib.hstack((a, b))",
        "lib.hstack([row, row])",
        "lib.hstack((s, s))",
        "lib.hstack((a, i))",
        "lib.hstack((x, x))",
    ],
    "vstack": [
        "lib.vstack((a, b))",
        "lib.vstack([row, row])",
        "lib.vstack((s, s))",
        "lib.vstack((a, row))",
        "lib.vstack((a, z))",
    ],
    "row_stack": [
        "lib.row_stack((a, row))",
        "lib.row_stack([row, row])",
    ],
    "dstack": [
        "lib.dstack((a, b))",
        "lib.dstack([row, row])",
        "lib.dstack((s, s))",
        "lib.dstack((x, x))",
    ],
    "column_stack": [
        "lib.column_stack((row, row))",
        "lib.column_stack([a, col])",
        "lib.column_stack((s, s))",
        "lib.column_stack((a, lib.ones(2)))",
    ],
    "split": [
        "lib.split(a, 1)",
        "a.split(2, 1)",
        "a.split([1, 2], 1)",
        "x.split(1, dim=-1)",
        "e.split(1, 1)",
        "row.split(2)",
        "a.split((3, 0), dim=1)",
        "row.split(5)",
        "e.split(1)",
    ],
    "split_with_sizes": [
        "lib.split_with_sizes(a, (1, 2), 1)",
        "a.split_with_sizes([2, 0])",
        "x.split_with_sizes((1, 1), dim=0)",
    ],
    "tensor_split": [
        "lib.tensor_split(a, 2, 1)",
        "a.tensor_split(3)",
        "a.tensor_split((1,), 1)",
        "a.tensor_split((1, 5), dim=1)",
        "row.tensor_split((2, 1))",
        "row.tensor_split((-1,))",
        "a.tensor_split(lib.tensor(2), 1)",
        "a.tensor_split(lib.tensor([1, 2]), 1)",
        "e.tensor_split(2)",
        "row.tensor_split(())",
        "(lambda c: (c.tensor_split(2)[0].mul_(2), c)[1])(a * 1)",
    ],
    "hsplit": [
        "lib.hsplit(a, 3)",
        "row.hsplit(3)",
        "a.hsplit((1,))",
        "x.hsplit([1, 2])",
    ],
    "vsplit": [
        "lib.vsplit(a, 2)",
        "a.vsplit((1,))",
        "x.vsplit([0])",
    ],
    "dsplit": [
        "lib.dsplit(x, 3)",
        "x.dsplit((1,))",
    ],
    "chunk": [
        "lib.chunk(a, 2)",
        "a.chunk(2, 1)",
        "a.chunk(3, dim=-1)",
        "row.chunk(5)",
        "e.chunk(2)",
        "row.chunk(1)",
    ],
    "unbind": [
        "lib.unbind(a)",
        "a.unbind(1)",
        "x.unbind(-1)",
        "e.unbind()",
        "e.unbind(1)",
    ],
}

INVALID = {
    "cat": [
        "lib.cat(())",
        "lib.cat((a, row))",
        "lib.cat((a, a.T))",
        "lib.cat((a, b), 2)",
        "lib.cat(a)",
        "lib.cat((s, s))",
        "lib.cat((a, 1))",
    ],
    "stack": [
        "lib.stack(())",
        "lib.stack((a, row))",
        "lib.stack((a, b), 3)",
        "lib.stack((a, 1))",
    ],
    "hstack": [
        "lib.hstack(a)",
        "lib.hstack([])",
        "lib.hstack((a, row))",
    ],
    "vstack": [
        "lib.vstack(())",
        "lib.vstack((a, s))",
    ],
    "dstack": [
        "lib.dstack([])",
    ],
    "column_stack": [
        "lib.column_stack((row, a))",
        "lib.column_stack(())",
    ],
    "split": [
        "a.split(0)",
        "a.split(-1)",
        "a.split([1, 1], 1)",
        "a.split(1, 2)",
        "s.split(1)",
        "a.split([4, -1], 1)",
    ],
    "split_with_sizes": [
        "a.split_with_sizes([1, 1], 1)",
        "a.split_with_sizes([4, -1], 1)",
    ],
    "tensor_split": [
        "a.tensor_split(0)",
        "a.tensor_split((1,), dim=2)",
        "s.tensor_split(2)",
        "a.tensor_split(lib.tensor([1.0]))",
    ],
    "hsplit": [
        "a.hsplit(2)",
        "a.hsplit(0)",
        "s.hsplit(1)",
    ],
    "vsplit": [
        "a.vsplit(3)",
        "row.vsplit(1)",
    ],
    "dsplit": [
        "a.dsplit(1)",
        "x.dsplit(2)",
    ],
    "chunk": [
        "a.chunk(0)",
        "a.chunk(2, 2)",
        "s.chunk(1)",
    ],
    "unbind": [
        "s.unbind()",
        "a.unbind(2)",
    ],
}

DEVIATIONS: dict[str, str] = {}

"""New tensors."""

from __future__ import annotations

ROWS = {
    "tensor": [
        *(
            "lib.tensor([1, 2])",
            "lib.tensor([[1.0], [2.0]])",
            "lib.tensor(True)",
            "lib.tensor([])",
            "lib.tensor([1, 2.5, True])",
        ),
        *("lib.tensor([1, 2], dtype=dt)", "lib.tensor(np.ones((2, 3)))", "lib.tensor(np.float32(2))", "lib.tensor(1j)"),
        *(
            "lib.tensor([[], []])",
            "lib.tensor((1, (2)))",
            "lib.tensor(2.0, requires_grad=True)",
            "lib.tensor(range(3))",
        ),
        *(
            "lib.tensor([s, s])",
            "lib.tensor([[1, 2], [3, 4]], dtype=lib.int8)",
            "lib.tensor(np.array([1, 2], np.int16))",
            "lib.tensor(a)",
        ),
    ],
    "as_tensor": [
        "lib.as_tensor([1, 2])",
        "lib.as_tensor(a)",
        "lib.as_tensor(np.ones(2), dtype=dt)",
        "lib.as_tensor(1.5)",
        "lib.as_tensor(a, dtype=lib.float64)",
    ],
    "from_numpy": [
        "lib.from_numpy(np.ones((2, 2)))",
        "lib.from_numpy(np.arange(3))",
        "lib.from_numpy(np.ones(2, np.float32)[::2])",
        "lib.from_numpy(np.array(1j))",
    ],
    **{
        name: [
            *(
                f"lib.{name}(2, 3)",
                f"lib.{name}((2, 3))",
                f"lib.{name}([2])",
                f"lib.{name}(0)",
                f"lib.{name}(2, dtype=dt)",
            ),
            *(
                f"lib.{name}(())",
                f"lib.{name}(1, requires_grad=True).requires_grad",
                f"lib.{name}(size=(2,))",
                f"lib.{name}(2, device='cpu')",
            ),
        ]
        for name in ("zeros", "ones")
    },
    **{
        f"{name}_like": [
            f"lib.{name}_like(a)",
            f"lib.{name}_like(e)",
            f"lib.{name}_like(a.T)",
            f"lib.{name}_like(a, dtype=lib.int32)",
            f"lib.{name}_like(s)",
        ]
        for name in ("zeros", "ones")
    },
    "full": [
        "lib.full((2, 3), 1)",
        "lib.full((2,), 1.5)",
        "lib.full((2,), True)",
        "lib.full((), 1j)",
        "lib.full([2], 2, dtype=dt)",
        "lib.full(size=(1,), fill_value=3)",
    ],
    "full_like": [
        "lib.full_like(a, 1)",
        "lib.full_like(e, 2)",
        "lib.full_like(a, 1.5, dtype=lib.float64)",
        "lib.full_like(i, 1)",
    ],
    "empty": ["kind(lib.empty(2, 3))", "kind(lib.empty((2,), dtype=dt))", "kind(lib.empty(()))"],
    "empty_like": ["kind(lib.empty_like(a))", "kind(lib.empty_like(e, dtype=lib.int64))"],
    "eye": ["lib.eye(3)", "lib.eye(2, 3)", "lib.eye(3, 2, dtype=dt)", "lib.eye(0)", "lib.eye(2, m=1)"],
    "arange": [
        *(
            "lib.arange(3)",
            "lib.arange(1, 4)",
            "lib.arange(1, 2, 0.25)",
            "lib.arange(5, 0, -2)",
            "lib.arange(0)",
            "lib.arange(3.5)",
        ),
        *(
            "lib.arange(3, dtype=lib.float16)",
            "lib.arange(1.0, 2.0, 0.1)",
            "lib.arange(start=1, end=3)",
            "lib.arange(2, 2)",
            "lib.arange(0, 5, 2, dtype=lib.int32)",
        ),
    ],
    "linspace": [
        "lib.linspace(0, 1, 5)",
        "lib.linspace(-1, 1, 4, dtype=lib.float64)",
        "lib.linspace(0, 1, 1)",
        "lib.linspace(0, 1, 0)",
        "lib.linspace(3, -3, steps=7)",
        "lib.linspace(0, 10, 4, dtype=lib.int64)",
    ],
    "new_zeros": [
        "a.new_zeros(2)",
        "a.new_zeros((2, 1))",
        "a.new_zeros(2, dtype=lib.int64)",
        "a.new_zeros(())",
        "a.new_zeros(0, 2)",
        "a.new_zeros(size=(2,))",
    ],
    "new_ones": [
        "a.new_ones(2)",
        "a.new_ones((2, 1))",
        "a.new_ones(2, dtype=lib.int64)",
        "a.new_ones(())",
        "a.new_ones(0, 2)",
        "a.new_ones(size=(2,))",
    ],
    "new_empty": [
        "kind(a.new_empty(2, 3))",
        "kind(a.new_empty((2,), dtype=lib.int32))",
    ],
    "new_full": [
        "a.new_full((2,), 3)",
        "a.new_full((2,), 2.75)",
        "a.new_full((), True)",
        "a.new_full((1,), 3, dtype=lib.float64)",
    ],
    "new_tensor": [
        "a.new_tensor([1, 0])",
        "a.new_tensor([[1.0]])",
        "a.new_tensor(1, dtype=lib.int64)",
        "kind(a.new_tensor([]))",
    ],
    "logspace": [
        "lib.logspace(0, 2, 3)",
        "lib.logspace(-1, 1, 5, base=2.0)",
        "lib.logspace(0, 1, 1)",
        "lib.logspace(0, 1, 0)",
        "lib.logspace(0, 3, 4, base=2, dtype=lib.int64)",
        "lib.logspace(2, 0, 5, dtype=lib.float64)",
        "lib.logspace(0, 2, steps=3, dtype=dt)",
    ],
    "tril": [
        "lib.tril(a)",
        "a.tril(1)",
        "a.tril(diagonal=-1)",
        "x.tril()",
        "e.tril()",
        "a.tril_()",
        "n.tril()",
        "n.tril_(-1)",
        "a.tril(5)",
        "(q * 1).tril_() * q",
    ],
    "triu": [
        "lib.triu(a)",
        "a.triu(1)",
        "a.triu(diagonal=-1)",
        "x.triu()",
        "e.triu()",
        "a.triu_()",
        "n.triu()",
        "n.triu_(1)",
        "a.triu(-5)",
        "(q * 1).triu_() * q",
    ],
    "tril_indices": [
        "lib.tril_indices(3, 3)",
        "lib.tril_indices(2, 3, 1)",
        "lib.tril_indices(3, 2, offset=-1)",
        "lib.tril_indices(0, 2)",
        "lib.tril_indices(2, 2, dtype=lib.int32)",
    ],
    "triu_indices": [
        "lib.triu_indices(3, 3)",
        "lib.triu_indices(2, 3, 1)",
        "lib.triu_indices(3, 2, offset=-1)",
        "lib.triu_indices(0, 2)",
        "lib.triu_indices(2, 2, dtype=lib.int32)",
    ],
    "diag": [
        "lib.diag(a)",
        "lib.diag(row)",
        "a.diag(1)",
        "row.diag(-1)",
        "a.diag(diagonal=-1)",
        "e.diag()",
        "a.diag(9)",
    ],
    "meshgrid": [
        "lib.meshgrid(row, v)",
        'lib.meshgrid(row, v, indexing="xy")',
        'lib.meshgrid([row, v, o], indexing="ij")',
        'lib.meshgrid(row, v[:2], o, indexing="xy")',
        'lib.meshgrid(s, row, indexing="ij")',
        'lib.meshgrid(row, indexing="xy")',
        'lib.meshgrid(row, e[:, 0], indexing="ij")',
    ],
    "vander": [
        "lib.vander(v)",
        "lib.vander(v, 2)",
        "lib.vander(v, N=4, increasing=True)",
        "lib.vander(v, 1)",
    ],
    "cartesian_prod": [
        "lib.cartesian_prod(v, o)",
        "lib.cartesian_prod(v)",
        "lib.cartesian_prod(v, o[:2], o)",
    ],
    "combinations": [
        "lib.combinations(v)",
        "lib.combinations(v, 3)",
        "lib.combinations(v, with_replacement=True)",
        "lib.combinations(v, 1)",
        "lib.combinations(v, 0)",
        "lib.combinations(v, 4)",
    ],
    "asarray": [
        "lib.asarray([1, 2])",
        "lib.asarray(a)",
        "lib.asarray(a, dtype=lib.float64)",
        "lib.asarray(a) is a",
        "lib.asarray(a, copy=True) is a",
        "lib.asarray(np.ones(2))",
        "lib.asarray([1.0], requires_grad=True).requires_grad",
    ],
    "one_hot": [
        "lib.nn.functional.one_hot(i)",
        "lib.nn.functional.one_hot(i, 4)",
        "lib.nn.functional.one_hot(i[0, 0], num_classes=3)",
        "lib.nn.functional.one_hot(i[:0], 3)",
    ],
}

INVALID = {
    "tensor": [
        "lib.tensor('x')",
        "lib.tensor([1, [2]])",
        "lib.tensor([[1], [2, 3]])",
        "lib.tensor(None)",
        "lib.tensor([1], requires_grad=True)",
        "lib.tensor(['x'])",
        "lib.tensor()",
        "lib.tensor([1j], dtype=lib.float32)",
        "lib.tensor(300, dtype=lib.uint8)",
        "lib.tensor([1], dtype='x')",
    ],
    "as_tensor": ["lib.as_tensor('x')", "lib.as_tensor(None)"],
    "from_numpy": [
        "lib.from_numpy([1])",
        "lib.from_numpy(a)",
        "lib.from_numpy(np.array(['x']))",
        "lib.from_numpy(np.ones(3)[::-1])",
    ],
    "zeros": ["lib.zeros(-1)", "lib.zeros('x')", "lib.zeros(1.5)", "lib.zeros()", "lib.zeros(2, dtype='x')"],
    "ones": ["lib.ones(-1)", "lib.ones('x')", "lib.ones(2, dtype=lib.int64, requires_grad=True)"],
    "full": ["lib.full(2, 1)", "lib.full((2,), 'x')", "lib.full((-1,), 1)", "lib.full((2,))"],
    "zeros_like": ["lib.zeros_like(1)", "lib.zeros_like([1])"],
    "eye": ["lib.eye(-1)", "lib.eye(2.5)", "lib.eye()"],
    "arange": [
        "lib.arange(0, 3, 0)",
        "lib.arange(0, 3, -1)",
        "lib.arange()",
        "lib.arange('x')",
        "lib.arange(nan)",
        "lib.arange(0, inf)",
    ],
    "linspace": ["lib.linspace(0, 1, -1)", "lib.linspace(0, 1)", "lib.linspace('x', 1, 2)"],
    "new_zeros": [
        "a.new_zeros()",
        "a.new_zeros(-1)",
    ],
    "new_ones": [
        "a.new_ones()",
        "a.new_ones('x')",
    ],
    "new_full": [
        "a.new_full((2,), 1j)",
        "a.new_full(2, 1)",
    ],
    "new_tensor": [
        "a.new_tensor('x')",
        "a.new_tensor()",
    ],
    "logspace": [
        "lib.logspace(0, 1, -1)",
        "lib.logspace('x', 1, 2)",
    ],
    "tril": [
        "row.tril()",
        "lib.tril(1)",
    ],
    "triu": [
        "row.triu()",
        "s.triu_()",
    ],
    "tril_indices": [
        "lib.tril_indices(-1, 2)",
        "lib.tril_indices(2, 2, dtype=lib.float32)",
    ],
    "triu_indices": [
        "lib.triu_indices(2, -1)",
    ],
    "diag": [
        "s.diag()",
        "x.diag()",
    ],
    "meshgrid": [
        "lib.meshgrid(a, a)",
        "lib.meshgrid(row, i[0])",
        'lib.meshgrid(row, indexing="x")',
        "lib.meshgrid()",
    ],
    "vander": [
        "lib.vander(a)",
    ],
    "cartesian_prod": [
        "lib.cartesian_prod(a)",
    ],
    "combinations": [
        "lib.combinations(a)",
        "lib.combinations(v, -1)",
    ],
    "asarray": [
        "lib.asarray('x')",
        "lib.asarray([1], copy=False)",
    ],
    "one_hot": [
        "lib.nn.functional.one_hot(i, 1)",
        "lib.nn.functional.one_hot(f)",
        "lib.nn.functional.one_hot(-i - 1)",
        "lib.nn.functional.one_hot(i[:0])",
    ],
}

DEVIATIONS: dict[str, str] = {
    "lib.from_numpy(np.ones(3)[::-1])  # error": "our tensors can walk backwards through memory, as NumPy's arrays do",
}

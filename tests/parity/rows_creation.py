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
}

DEVIATIONS: dict[str, str] = {}

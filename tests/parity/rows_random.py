"""Random numbers: shapes and dtypes only, the numbers are others than PyTorch's."""

from __future__ import annotations

ROWS = {
    "rand": [
        "kind(lib.rand(2, 3))",
        "kind(lib.rand((2,), dtype=dt))",
        "kind(lib.rand(()))",
        "kind(lib.rand(0, 3))",
        "kind(lib.rand(2, generator=lib.Generator()))",
    ],
    "randn": [
        "kind(lib.randn(2, 3))",
        "kind(lib.randn((2,), dtype=dt))",
        "kind(lib.randn(()))",
        "kind(lib.randn(2, generator=lib.Generator()))",
    ],
    "rand_like": ["kind(lib.rand_like(a))", "kind(lib.rand_like(e, dtype=lib.float64))"],
    "randn_like": ["kind(lib.randn_like(a))", "kind(lib.randn_like(e, dtype=lib.float64))"],
    "randint": [
        "kind(lib.randint(3, (2,)))",
        "kind(lib.randint(1, 3, (2, 2)))",
        "kind(lib.randint(0, 3, (2,), dtype=dt))",
        "kind(lib.randint(high=4, size=(1,)))",
        "lib.randint(2, 3, (2,))",
    ],
    "randperm": [
        "kind(lib.randperm(4))",
        "kind(lib.randperm(0))",
        "kind(lib.randperm(4, dtype=lib.int32))",
        "lib.randperm(5).sort()[0]",
    ],
    "Generator": ["lib.Generator().manual_seed(3).initial_seed()", "lib.Generator().device.type"],
    "manual_seed": ["lib.manual_seed(7).initial_seed()", "lib.manual_seed(-1).initial_seed()"],
    "initial_seed": ["(lib.manual_seed(7), lib.initial_seed())[1]"],
    "seed": ["type(lib.seed()).__name__"],
    "get_rng_state": ["lib.get_rng_state().dtype"],
    "set_rng_state": [
        "lib.set_rng_state(lib.get_rng_state())",
        "len({str((lib.set_rng_state(r), lib.rand(2).tolist())[1]) for r in [lib.get_rng_state()] * 2})",
    ],
}

INVALID = {
    "rand": ["lib.rand(-1)", "lib.rand('x')", "lib.rand(2, dtype=lib.int64)"],
    "randn": ["lib.randn(-1)", "lib.randn(2, dtype=lib.int64)"],
    "rand_like": ["lib.rand_like(i)", "lib.rand_like(1)"],
    "randn_like": ["lib.randn_like(i)"],
    "randint": [
        "lib.randint(3)",
        "lib.randint(3, 3, (2,))",
        "lib.randint(3, 1, (2,))",
        "lib.randint(3, 2)",
        "lib.randint(1.5, (2,))",
    ],
    "randperm": ["lib.randperm(-1)", "lib.randperm(2.5)", "lib.randperm()"],
    "manual_seed": ["lib.manual_seed('x')", "lib.manual_seed(2**64)"],
    "set_rng_state": ["lib.set_rng_state(1)", "lib.set_rng_state(lib.zeros(3))"],
}

DEVIATIONS: dict[str, str] = {}

"""The speed claims that decide something, runnable, beside their peer: `python -m benchmarks --help`.

Three more are programs of their own, because they take minutes or need processes of their own:
`benchmarks.long_chain` (a million operations), `benchmarks.memory` (twenty thousand steps without the collector)
and `benchmarks.instructions` (two checkouts, instruction by instruction).
"""

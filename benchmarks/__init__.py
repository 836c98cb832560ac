"""The speed claims that decide something, runnable, beside their peer: `python -m benchmarks --help`."""

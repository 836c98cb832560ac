"""Every speed claim, runnable, beside its peer: `python -m benchmarks --help`."""

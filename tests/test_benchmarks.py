"""The benchmarks that are programs of their own measure something. What they measure is not asserted: it is a time."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks import instructions, long_chain, memory

on_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc/self/statm, which Linux has")


@on_linux
def test_a_long_chain_is_measured():
    taken = long_chain.take("tensorplay", 5_000)
    assert set(taken) == {"forward", "backward", "drop after", "drop before", "bytes"}
    assert taken["forward"] > 0
    assert taken["backward"] > 0


@on_linux
def test_the_memory_of_training_steps_is_measured():
    found = memory.measure("tensorplay", steps=6, settled=2)
    assert list(found) == ["2", "4", "6"]
    assert min(found.values()) > 1_000_000


@pytest.mark.parametrize("loop", instructions.LOOPS)
def test_instructions_are_counted_between_two_lengths(loop):
    """A counter that counts steps: what starting costs drops out."""

    def counter(command: list[str], tree: Path) -> int:
        assert tree == Path("tree")
        assert command[1] == "-c"
        compile(command[2], "program", "exec")
        return 1_000_000 + 7 * int(command[4])

    assert instructions.per_step(counter, Path("tree"), loop) == 7

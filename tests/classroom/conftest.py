"""The example exercise is input of these tests, not one of them."""

from __future__ import annotations

import argparse

import pytest

from tensorplay.classroom import commands

collect_ignore = ["exercise"]


@pytest.fixture(scope="session")
def command():
    """`command("grade", ...)` runs a command as the command line does and gives its exit status."""

    def run(*words):
        parser = argparse.ArgumentParser()
        commands.register(parser.add_subparsers())
        args = parser.parse_args([str(word) for word in words])
        return args.run(args)

    return run

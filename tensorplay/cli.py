"""The `tensorplay` command: one parser, and a function `register(subparsers)` for each subcommand.

Each subcommand lives with what it runs. A module whose libraries are missing does not take the
others down: its subcommand stays in the list and, when called, says what to install.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from typing import Any

from tensorplay import __version__
from tensorplay.errors import TensorPlayError
from tensorplay.requirements import distribution_of, pip

__all__ = ["main"]

COMMANDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("tensorplay.demo", ("demo",)),
    ("tensorplay.course", ("lessons",)),
    ("tensorplay.classroom.commands", ("check", "grade")),
    ("tensorplay.doctor", ("doctor",)),
)
"""Modules with a `register`, and the subcommands each one adds, in the order of `--help`."""

DESCRIPTION = "Automatic differentiation you can read, and watch."
EPILOG = "New here? `tensorplay demo`. Something odd? `tensorplay doctor`."


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line `argv` (default: the process's own) and return the exit status.

    >>> main(["--version"])
    Traceback (most recent call last):
    SystemExit: 0
    """
    parser = build_parser()
    args = parser.parse_args(argv)
    if args.run is None:
        parser.print_help()
        return 0
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")  # a name the terminal cannot show is no reason to stop
    try:
        status = int(args.run(args) or 0)
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # as in `tensorplay doctor | head -1`: the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141  # what a shell reports of a program that SIGPIPE stopped
    except (TensorPlayError, OSError) as error:
        print(f"tensorplay {args.command}: {_reason(error)}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nstopped", file=sys.stderr)
        return 130


def _reason(error: Exception) -> str:
    """What went wrong, without the number that the system gives it."""
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}"
    return str(error)


def build_parser() -> argparse.ArgumentParser:
    """The parser with every subcommand, also those whose libraries are missing."""
    parser = argparse.ArgumentParser(prog="tensorplay", description=DESCRIPTION, epilog=EPILOG)
    parser.add_argument("--version", action="version", version=f"tensorplay {__version__} (tensorplay-edu)")
    parser.set_defaults(run=None)
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    for module, names in COMMANDS:
        try:
            importlib.import_module(module).register(subparsers)
        except ImportError as error:
            for name in names:
                _register_missing(subparsers, name, error)
    return parser


def _register_missing(subparsers: Any, name: str, error: ImportError) -> None:
    """Keep `name` in the list, as a subcommand that explains why it cannot run."""

    def explain(args: argparse.Namespace) -> int:
        print(f"tensorplay {name} cannot start: {error}", file=sys.stderr)
        if error.name and not error.name.startswith("tensorplay"):
            print(f"  {pip('install', distribution_of(error.name))}", file=sys.stderr)
        print("`tensorplay doctor` lists what is installed and what is not.", file=sys.stderr)
        return 1

    # No character starts an option here, so that any arguments lead to the explanation.
    parser = subparsers.add_parser(name, help=f"not available: {error}", add_help=False, prefix_chars="\0")
    parser.add_argument("anything", nargs="*")
    parser.set_defaults(run=explain)

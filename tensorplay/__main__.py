"""`python -m tensorplay` is the `tensorplay` command."""

from __future__ import annotations

from tensorplay.cli import main

if __name__ == "__main__":
    raise SystemExit(main())

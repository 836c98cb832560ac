"""The example exercise is input of these tests, not one of them."""

from __future__ import annotations

collect_ignore = ["exercise"]

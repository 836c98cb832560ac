"""The base of all errors."""

from __future__ import annotations

__all__ = ["TensorPlayError"]


class TensorPlayError(Exception):
    """Base of all errors raised on purpose by tensorplay."""

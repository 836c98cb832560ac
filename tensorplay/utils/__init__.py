"""Tools around training that are neither layers nor optimizers."""

from __future__ import annotations

from . import checkpoint

__all__ = ["checkpoint"]

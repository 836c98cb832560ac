"""What the tests of checkpoints share."""

from __future__ import annotations

import pytest

import tensorplay as tp

checkpoint = tp.utils.checkpoint.checkpoint
FORMS = [pytest.param(True, id="reentrant"), pytest.param(False, id="non-reentrant")]

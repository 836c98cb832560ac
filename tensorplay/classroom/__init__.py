"""Exercises, their release to students, and grading in which student code never meets the answers.

`README.md` in this folder tells how an exercise is written; `protocol.py` what crosses to student code.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from .release import ReleaseError, student_files, student_form

if TYPE_CHECKING:
    from .soundness import Soundness

__all__ = ["ReleaseError", "sound", "student_files", "student_form"]


def sound(exercise_folder: str | Path) -> Soundness:
    """Prove an exercise: the solution passes all, the stub earns nothing, each wrong solution loses points.

    The result is true if so; `.problems` says what is not. Needs pytest.
    """
    from . import soundness  # needs pytest

    return soundness.sound(exercise_folder)

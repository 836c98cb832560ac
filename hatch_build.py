"""Build hook: put the students' forms of the lessons into the wheel and the sdist.

What a student may see is decided in one place, `tensorplay/classroom/release.py`. It uses the
standard library only and is loaded by its path here, because while a package is being built it
cannot be imported yet.
"""

from __future__ import annotations

import importlib.util
import shutil
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

INSIDE = "tensorplay/_lessons"
"""Where the package keeps its lessons; `tensorplay/course.py` looks there."""


def load_release(root: Path) -> ModuleType:
    """Import `release.py` from the checkout without importing the package."""
    name = "tensorplay_release"
    spec = importlib.util.spec_from_file_location(name, root / "tensorplay" / "classroom" / "release.py")
    assert spec is not None and spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def write_student_forms(root: Path, target: Path) -> list[Path]:
    """Write the student's form of every lesson below `target`; return the lesson folders written."""
    release = load_release(root)
    written = []
    for lesson in sorted(path.parent for path in (root / "lessons").glob("*/lesson.py")):
        for name, data in release.student_files(lesson).items():
            file = target / lesson.name / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
        written.append(target / lesson.name)
    return written


class LessonsHook(BuildHookInterface):
    """Adds `tensorplay/_lessons/` to what is built. An editable install reads `lessons/` itself."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make the students' forms in a temporary folder and have them included."""
        root = Path(self.root)
        self.scratch: Path | None = None
        if version == "editable" or not (root / "lessons").is_dir():
            return  # a wheel built from the sdist finds the forms already inside the package
        self.scratch = Path(tempfile.mkdtemp(prefix="tensorplay-lessons-"))
        for folder in write_student_forms(root, self.scratch):
            build_data["force_include"][str(folder)] = f"{INSIDE}/{folder.name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the temporary folder."""
        if self.scratch is not None:
            shutil.rmtree(self.scratch)

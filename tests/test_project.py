"""The project around the package: what is released, what the README promises, and that examples run."""

from __future__ import annotations

import doctest
import importlib
import io
import pkgutil
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np
import pytest

import tensorplay
from tensorplay.classroom.release import solution_lines

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
README = (ROOT / "README.md").read_text(encoding="utf-8")
LESSONS = sorted(path.parent for path in (ROOT / "lessons").glob("*/lesson.py"))

# ------------------------------------------------------------------------------------- the wheel


def build(folder: Path, kind: str, root: Path = ROOT) -> Path:
    """Build with the backend itself, in a process of its own: no network and no new environment."""
    pytest.importorskip("hatchling", reason="part of the extra `test`")
    program = f"from hatchling import build; print(build.build_{kind}({str(folder)!r}))"
    command = [sys.executable, "-W", "ignore", "-c", program]
    answer = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    return folder / answer.stdout.split()[-1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[zipfile.ZipFile]:
    with zipfile.ZipFile(build(tmp_path_factory.mktemp("wheel"), "wheel")) as archive:
        yield archive


def test_the_wheel_has_the_package_and_nothing_beside_it(wheel: zipfile.ZipFile) -> None:
    names = wheel.namelist()
    info = f"tensorplay_edu-{tensorplay.__version__}.dist-info"
    assert {name.partition("/")[0] for name in names} == {"tensorplay", info}
    for path in (ROOT / "tensorplay").rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            assert path.relative_to(ROOT).as_posix() in names


def test_the_wheel_names_its_command_and_licence(wheel: zipfile.ZipFile) -> None:
    info = f"tensorplay_edu-{tensorplay.__version__}.dist-info"
    assert "tensorplay = tensorplay.cli:main" in wheel.read(f"{info}/entry_points.txt").decode()
    metadata = wheel.read(f"{info}/METADATA").decode()
    assert "\nName: tensorplay-edu\n" in metadata
    assert "\nLicense-Expression: MIT\n" in metadata
    assert "\nRequires-Python: >=3.11\n" in metadata


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.name)
def test_the_wheel_has_the_students_form_of_a_lesson(lesson: Path, wheel: zipfile.ZipFile) -> None:
    inside = f"tensorplay/_lessons/{lesson.name}/"
    files = {name.removeprefix(inside) for name in wheel.namelist() if name.startswith(inside)}
    assert "lesson.py" in files
    assert files <= {"lesson.py", "exercise.py", "test_exercise.py", "exercise.toml"}


def test_no_solution_and_no_hidden_test_is_in_the_wheel(wheel: zipfile.ZipFile) -> None:
    secrets = {line for lesson in LESSONS for name in ("lesson.py", "exercise.py") for line in solutions(lesson / name)}
    assert secrets or not LESSONS
    for name in wheel.namelist():
        if name.startswith("tensorplay/_lessons/"):
            text = wheel.read(name).decode("utf-8")
            assert "BEGIN SOLUTION" not in text
            assert "mark.hidden" not in text
            assert secrets.isdisjoint(" ".join(line.split()) for line in text.splitlines())
        assert "/wrong/" not in name


def solutions(file: Path) -> set[str]:
    return solution_lines(file.read_text(encoding="utf-8")) if file.is_file() else set()


def test_a_wheel_built_from_the_sdist_is_the_same(wheel: zipfile.ZipFile, tmp_path: Path) -> None:
    with tarfile.open(build(tmp_path, "sdist")) as archive:
        archive.extractall(tmp_path / "unpacked", filter="data")
    (root,) = (tmp_path / "unpacked").iterdir()
    assert not (root / "lessons").exists()
    with zipfile.ZipFile(build(tmp_path, "wheel", root)) as second:
        assert set(second.namelist()) == set(wheel.namelist())


# ------------------------------------------------------------------------------------ the promises


def commands(text: str) -> list[str]:
    return [line for block in re.findall(r"```sh\n(.*?)```", text, re.S) for line in block.splitlines()]


def test_ci_runs_the_readmes_commands() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert re.findall(r"^readme '(.*?)'", script, re.M) == commands(README)


def test_the_readme_promises_two_commands_and_an_environment() -> None:
    assert commands(README) == [
        "python3 -m venv .venv && . .venv/bin/activate",
        'python -m pip install -e ".[lab]" && tensorplay demo',
        'python -m pip install -e ".[test]" && python -m pytest',
    ]


def test_the_readmes_example_prints_what_it_says() -> None:
    code, shown = re.search(r"```python\n(import.*?)```\s*```text\n(.*?)```", README, re.S).groups()  # type: ignore[union-attr]
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(compile(code, "README.md", "exec"), {})
    assert printed.getvalue() == shown


def test_links_between_our_documents_lead_somewhere() -> None:
    for document in (ROOT / "README.md", ROOT / "CONTRIBUTING.md"):
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", document.read_text(encoding="utf-8")):
            assert (document.parent / target).exists(), f"{document.name} links to {target}"


def test_extras_contain_each_other() -> None:
    extras = PROJECT["project"]["optional-dependencies"]
    assert "tensorplay-edu[classroom]" in extras["lab"]
    assert "tensorplay-edu[lab]" in extras["test"]
    assert "tensorplay-edu[test]" in extras["browser"]


def test_what_the_doctor_knows_is_what_is_declared() -> None:
    from tensorplay.requirements import CORE, OPTIONAL

    extras = PROJECT["project"]["optional-dependencies"]
    assert [r.distribution for r in CORE] == names(PROJECT["project"]["dependencies"])
    assert {r.distribution for r in OPTIONAL} == set(names(extras["classroom"] + extras["lab"]))


def names(requirements: list[str]) -> list[str]:
    found = [re.match(r"[\w-]+(?=[<>=])", text) for text in requirements]
    return [match[0] for match in found if match]


# ------------------------------------------------------------------------------------- the examples


def modules() -> list[str]:
    found = [module.name for module in pkgutil.walk_packages(tensorplay.__path__, "tensorplay.")]
    return ["tensorplay", *(name for name in found if "._lessons" not in name and not name.endswith("__main__"))]


@pytest.mark.parametrize("name", modules())
def test_examples_in_docstrings_run(name: str) -> None:
    module = importlib.import_module(name)
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    shown = io.StringIO()
    with redirect_stdout(shown):
        failed, _ = doctest.testmod(module, extraglobs={"tp": tensorplay, "np": np}, optionflags=flags)
    assert failed == 0, shown.getvalue()


def test_every_benchmark_computes_something() -> None:
    from benchmarks.rows import ROWS

    for row in ROWS:
        numbers = row.build(tensorplay).numbers()
        assert all(np.isfinite(array).all() and np.abs(array).max() > 0 for array in numbers)


def test_the_guard_benchmark_takes_every_guard_out() -> None:
    from benchmarks.guard import without_guards

    text = (
        "def f(x, wanted):\n    if events.listeners:\n        emit(x)\n"
        "    if special.reasons or x is None:\n        return g(x)\n"
        "    return not (wanted or events.listeners)\n"
    )
    stripped, count = without_guards(text)
    assert count == 3
    assert stripped == "def f(x, wanted):\n    if x is None:\n        return g(x)\n    return not wanted"
    total = sum(without_guards(path.read_text(encoding="utf-8"))[1] for path in (ROOT / "tensorplay").rglob("*.py"))
    assert total >= 10  # else the guards are written in a form that the benchmark no longer knows

"""The command line: every subcommand is there, says what is missing, and ends with the right status."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import tensorplay
from tensorplay import cli, course

ROOT = Path(__file__).parents[1]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tensorplay", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, timeout=60)


# ------------------------------------------------------------------------------------- the command


def test_python_m_tensorplay_says_its_version() -> None:
    answer = run("--version")
    assert (answer.returncode, answer.stdout) == (0, f"tensorplay {tensorplay.__version__} (tensorplay-edu)\n")


def test_without_arguments_the_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([]) == 0
    shown = capsys.readouterr().out
    for _, names in cli.COMMANDS:
        for name in names:
            assert f"\n    {name} " in shown


def test_an_unknown_command_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        cli.main(["dance"])
    assert stop.value.code == 2
    assert "invalid choice: 'dance'" in capsys.readouterr().err


@pytest.mark.parametrize("name", [name for _, names in cli.COMMANDS for name in names])
def test_every_command_has_a_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        cli.main([name, "--help"])
    assert stop.value.code == 0
    assert f"usage: tensorplay {name}" in capsys.readouterr().out


def without_module(monkeypatch: pytest.MonkeyPatch, module: str, missing: str) -> None:
    real = cli.importlib.import_module

    def import_module(name: str) -> Any:
        if name == module:
            raise ModuleNotFoundError(f"No module named {missing!r}", name=missing)
        return real(name)

    monkeypatch.setattr(cli.importlib, "import_module", import_module)


def test_a_missing_library_leaves_the_other_commands(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    without_module(monkeypatch, "tensorplay.demo", "sklearn.datasets")
    assert cli.main(["demo", "--no-open", "--output", "x.html"]) == 1
    said = capsys.readouterr().err
    assert "No module named 'sklearn.datasets'" in said
    assert "-m pip install scikit-learn" in said
    assert cli.main(["lessons", "--list"]) == 0


def register_failing(error: BaseException) -> Any:
    def register(subparsers: Any) -> None:
        def fail(args: argparse.Namespace) -> int:
            raise error

        subparsers.add_parser("fail").set_defaults(run=fail)

    return register


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (tensorplay.errors.ShapeError("shapes do not fit"), 1, "tensorplay fail: shapes do not fit"),
        (PermissionError(13, "Permission denied", "x.html"), 1, "Permission denied"),
        (KeyboardInterrupt(), 130, "stopped"),
    ],
)
def test_an_expected_error_is_one_line_and_a_status(
    error: BaseException, status: int, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cli, "COMMANDS", (("tensorplay.demo", ("fail",)),))
    monkeypatch.setattr(cli.importlib.import_module("tensorplay.demo"), "register", register_failing(error))
    assert cli.main(["fail"]) == status
    assert said in capsys.readouterr().err


# --------------------------------------------------------------------------------------- lessons

LESSON = "# %% [markdown]\n# # A small lesson\n#\n# Prose.\n\n# %%\nprint(1 + 1)\n"
EXERCISE = 'def twice(x):\n    """Twice x."""\n    ### BEGIN SOLUTION\n    return x + x\n    ### END SOLUTION\n'
TESTS = (
    "import pytest\n\n\ndef test_two(student):\n    assert student.twice(2) == 4\n\n\n"
    "@pytest.mark.hidden\ndef test_secret(student):\n    assert student.twice(21) == 42\n"
)


@pytest.fixture
def small_course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "source" / "03_small"
    (folder / "wrong").mkdir(parents=True)
    (folder / "lesson.py").write_text(LESSON, encoding="utf-8")
    (folder / "exercise.py").write_text(EXERCISE, encoding="utf-8")
    (folder / "test_exercise.py").write_text(TESTS, encoding="utf-8")
    (folder / "exercise.toml").write_text('title = "Small"\n', encoding="utf-8")
    (folder / "wrong" / "thrice.py").write_text("def twice(x):\n    return 3 * x\n", encoding="utf-8")
    monkeypatch.setattr(course, "lessons_folder", lambda: folder.parent)
    return tmp_path / "mine"


def test_lessons_copies_what_a_student_may_see(small_course: Path) -> None:
    pytest.importorskip("jupytext", reason="notebooks are made by jupytext")
    assert cli.main(["lessons", "--no-open", "--to", str(small_course)]) == 0
    files = {file.name: file.read_text(encoding="utf-8") for file in (small_course / "03_small").iterdir()}
    assert set(files) == {"lesson.ipynb", "exercise.py", "test_exercise.py", "exercise.toml"}
    assert "return x + x" not in files["exercise.py"]
    assert "test_two" in files["test_exercise.py"]
    assert "secret" not in files["test_exercise.py"]


def test_lessons_never_overwrites_a_students_work(small_course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["lessons", "3", "--no-open", "--to", str(small_course)]
    assert cli.main(command) == 0
    mine = small_course / "03_small" / "exercise.py"
    mine.write_text("def twice(x):\n    return 2 * x\n", encoding="utf-8")
    (small_course / "03_small" / "exercise.toml").unlink()
    capsys.readouterr()
    assert cli.main(command) == 0
    said = capsys.readouterr().out
    assert mine.read_text(encoding="utf-8") == "def twice(x):\n    return 2 * x\n"
    assert "written   exercise.toml\n" in said
    assert "kept      exercise.py (" in said


def test_a_third_copy_changes_and_reports_nothing(small_course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["lessons", "--no-open", "--to", str(small_course)]
    cli.main(command)
    capsys.readouterr()
    assert cli.main(command) == 0
    assert "already there, unchanged" in capsys.readouterr().out


def test_the_notebook_has_the_lessons_cells() -> None:
    nbformat = pytest.importorskip("nbformat", reason="part of the extra `classroom`")
    notebook = nbformat.reads(course.as_notebook(LESSON), as_version=4)
    nbformat.validate(notebook)
    assert [cell.cell_type for cell in notebook.cells] == ["markdown", "code"]
    assert notebook.cells[1].source == "print(1 + 1)"


def test_lessons_lists_numbers_and_titles(small_course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["lessons", "--list"]) == 0
    assert capsys.readouterr().out.split() == ["03_small", "A", "small", "lesson"]
    assert not small_course.exists()


def test_a_lesson_that_is_not_there_is_an_error(small_course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["lessons", "4", "--no-open", "--to", str(small_course)]) == 1
    assert "no such lesson" in capsys.readouterr().err


def test_without_jupyterlab_the_files_are_there_and_the_remedy_is_named(
    small_course: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = course.importlib.util.find_spec
    monkeypatch.setattr(course.importlib.util, "find_spec", lambda name: None if name == "jupyterlab" else real(name))
    assert cli.main(["lessons", "--to", str(small_course)]) == 1
    assert (small_course / "03_small" / "exercise.py").is_file()
    assert "-m pip install jupyterlab" in capsys.readouterr().err


def test_a_reader_that_stops_early_is_no_error() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "tensorplay", "lessons", "--list"]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, check=False, cwd=ROOT, timeout=60)
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")


def test_a_file_that_cannot_be_made_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "taken").write_text("a file")
    assert cli.main(["lessons", "--no-open", "--to", str(tmp_path / "taken")]) == 1
    error = capsys.readouterr().err
    assert "taken" in error and "Errno" not in error

"""A class of good, bad and hostile submissions: right points, a clear reason each, nobody else affected."""

from __future__ import annotations

import argparse
import csv
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tensorplay.classroom import check, commands, sound
from tensorplay.classroom.grade import Grader, collect, course_key
from tensorplay.classroom.intake import Submission
from tensorplay.classroom.report import html_text
from tensorplay.classroom.results import load_exercise
from tensorplay.errors import ExerciseError

EXERCISE = Path(__file__).with_name("exercise")
GOOD = """\
import numpy as np


def d_mul(g, x, y):
    return g * y, g * x


def d_mean(g, x):
    return g * np.ones_like(x) / x.size


def d_relu(g, x):
    return np.where(x > 0, g, 0.0)
"""
MEAN, RELU = "return g * np.ones_like(x) / x.size", "return np.where(x > 0, g, 0.0)"
WRONG = "def d_mul(*a): return 0\ndef d_mean(*a): return 0\ndef d_relu(*a): return 0\n"

CLASS = {
    "perfect.py": GOOD,
    "half.py": GOOD.replace(MEAN, "return g * np.ones_like(x)").replace("def d_relu", "def relu"),
    "loop.py": GOOD.replace(MEAN, "while True: pass"),
    "exit.py": GOOD.replace(MEAN, "raise SystemExit(0)"),
    "exit_at_import.py": "import sys\nsys.exit(0)\n" + GOOD,
    "vanish.py": GOOD.replace(RELU, "import os; os._exit(0)"),
    "vanish_at_import.py": "import os\nos._exit(0)\n",
    "syntax.py": "import numpy as np\n\ndef d_mul(g, x, y:\n    return g\n",
    "missing": None,
    "=formula.py": GOOD,
    "<b>bold&.py": "raise ValueError('<script>alert(1)</script>')\n",
    "stub": None,
    "patches.py": WRONG
    + "import numpy, _pytest.python, builtins\n"
    + "_pytest.python.Function.runtest = lambda self: None\n"
    + "numpy.allclose = numpy.testing.assert_allclose = lambda *a, **k: True\n"
    + "builtins.isinstance = lambda *a: True\n",
    "lies.py": "class Yes(tuple):\n    shape = (2,)\n    def __eq__(self, other): return True\n"
    + "def d_mul(*a): return Yes((1, 2))\ndef d_mean(*a): return Yes()\ndef d_relu(*a): return Yes()\n",
    "peeks.py": "import sys\n\ndef d_mean(g, x):\n    frame, seen = sys._getframe(), []\n    while frame:\n"
    + "        seen.append(frame.f_code.co_filename)\n        frame = frame.f_back\n    raise ValueError(' '.join(seen))\n",
    "hunts.py": f"text = open({str(EXERCISE / 'exercise.py')!r}).read()\nexec(text)\n",
    "conftest": {
        "exercise.py": WRONG,
        "conftest.py": "def pytest_runtest_makereport(item, call): item.add_marker('xfail')\n",
    },
}


def write_class(folder):
    for name, content in CLASS.items():
        if isinstance(content, str):
            (folder / name).write_text(content)
        else:
            (folder / name).mkdir(parents=True)
            for file, text in (content or {}).items():
                (folder / name / file).write_text(text)


def command(*words):
    parser = argparse.ArgumentParser()
    commands.register(parser.add_subparsers())
    args = parser.parse_args([str(word) for word in words])
    return args.run(args)


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("class")
    write_class(folder)
    key = folder.parent / "key"
    key.write_text("a secret of this course")
    status = command("grade", folder, "-a", EXERCISE, "-o", folder / "out", "--key", key)
    with (folder / "out" / "grades.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    return status, rows, folder, key


def row(graded, student):
    (found,) = [row for row in graded[1] if row["student"].lstrip("'") == student]
    return found


@pytest.mark.parametrize(
    ("student", "points", "verdict", "reason"),
    [
        ("perfect", "10", "full", "all 7 tests pass"),
        (
            "half",
            "4",
            "partial",
            r"2 of 7 tests pass \(3 without the function, 2 wrong\); first: \[1. 1. 1. 1.\] where",
        ),
        ("loop", "7", "partial", r"5 of 7 tests pass \(2 out of time\); first: d_mean ran longer than 3 s"),
        (
            "exit",
            "7",
            "partial",
            r"\(2 ended by exit\); first: d_mean called sys.exit\(0\) \(exit.py, line 9: raise System",
        ),
        (
            "exit_at_import",
            "0",
            "cannot run",
            r"while it was imported, called sys.exit\(0\) \(exit_at_import.py, line 2",
        ),
        (
            "vanish",
            "7",
            "partial",
            r"4 of 7 tests pass \(3 ended by exit\); first: d_relu ended the whole process with st",
        ),
        ("vanish_at_import", "0", "cannot run", "while it was imported, ended the whole process with status 0"),
        ("syntax", "0", "cannot run", r"syntax.py, line 3: SyntaxError: '\(' was never closed"),
        ("missing", "0", "missing", "nothing handed in: the folder holds no exercise.py or exercise.ipynb"),
        ("=formula", "10", "full", "all 7"),
        ("<b>bold&", "0", "cannot run", r"raised ValueError: <script>alert\(1\)</script>"),
        ("patches", "0", "cannot run", "ModuleNotFoundError|AttributeError|PermissionError|ended"),
        ("lies", "0", "zero", "with a result of a wrong kind"),
        ("peeks", "0", "zero", "first: peeks.py does not define d_mul"),
        ("conftest", "0", "zero", "0 of 7 tests pass"),
    ],
)
def test_points_and_reason(graded, student, points, verdict, reason):
    found = row(graded, student)
    assert (found["points"], found["max_points"], found["verdict"]) == (points, "10", verdict)
    assert re.search(reason, found["reason"]), found["reason"]


def test_the_batch_ran_and_has_one_row_each_in_order(graded):
    status, rows, _, _ = graded
    assert status == 0
    students = [row["student"].lstrip("'") for row in rows]
    assert students == sorted(name.removesuffix(".py") for name in CLASS)


def test_the_answers_are_out_of_reach(graded):
    found = row(graded, "hunts")
    if "Landlock" not in (graded[2] / "out" / "journal.txt").read_text():
        pytest.skip("files cannot be hidden on this system; the report says so")
    assert found["points"] == "0"
    assert "PermissionError" in found["reason"]


def test_nothing_of_the_grader_is_on_the_students_stack(graded):
    text = (graded[2] / "out" / "students" / "peeks.json").read_text()
    assert "test_exercise" not in text


def test_records_say_nothing_of_hidden_tests(graded):
    record = json.loads((graded[2] / "out" / "students" / "half.json").read_text())
    public, hidden = ([test for test in record["tests"] if test["hidden"] is flag] for flag in (False, True))
    assert any("reason" in test for test in public)
    assert {key for test in hidden for key in test} <= {
        "test",
        "task",
        "hidden",
        "result",
        "points",
        "max_points",
        "hint",
    }
    assert record["points"] == sum(test["points"] for test in record["tests"]) == 4


def test_csv_runs_no_formula(graded):
    lines = (graded[2] / "out" / "grades.csv").read_text().splitlines()
    assert any(line.startswith("'=formula,") for line in lines)
    assert not any(cell[:1] in "=+-@" for line in csv.reader(lines) for cell in line if cell)


def test_the_page_is_closed_and_escaped(graded):
    page = (graded[2] / "out" / "report.html").read_text()
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "&lt;b&gt;bold&amp;" in page
    assert "default-src 'none'" in page
    assert not re.search(r"(src|href)=|url\(|@import", page)
    assert page.count("<details") == len(CLASS)


def test_a_regrade_gives_the_same_bytes(graded):
    _, _, folder, key = graded
    smaller = folder.parent / "again"
    smaller.mkdir()
    for name in ("perfect.py", "half.py", "exit.py"):
        shutil.copy(folder / name, smaller / name)
    assert command("grade", smaller, "-a", EXERCISE, "-o", smaller / "out", "--key", key, "--skip-solution") == 0
    for name in ("perfect.json", "half.json", "exit.json"):
        assert (smaller / "out" / "students" / name).read_bytes() == (folder / "out" / "students" / name).read_bytes()


# ------------------------------------------------------------------------------------ small classes


@pytest.fixture
def exercise(tmp_path):
    """Builds an exercise of one test file."""

    def build(tests, toml='title = "T"\n[limits]\nseconds = 2\nmemory = 256\n', solution="def f(): return 1\n"):
        folder = tmp_path / "small"
        folder.mkdir(exist_ok=True)
        (folder / "test_exercise.py").write_text("import pytest\n\n" + tests)
        (folder / "exercise.toml").write_text(toml)
        (folder / "exercise.py").write_text(solution)
        return folder

    return build


def grader_of(folder):
    loaded = load_exercise(folder)
    return Grader(loaded, collect(loaded), b"key")


def test_inputs_are_secret_but_repeat(exercise):
    folder = exercise(
        "def test_a(student, rng): student.f(rng.integers(1 << 40, size=3).tolist()); assert 0, student.value('seen')\n"
        "def test_b(student, rng): student.f(rng.integers(1 << 40, size=3).tolist()); assert 0, student.value('seen')\n"
    )
    grader = grader_of(folder)
    source = "seen = []\ndef f(x): seen[:] = x\nimport numpy as np\nnp.random.seed(0)\n"

    def drawn(student, text=source, key=b"key"):
        grader.key = key
        grade = grader.grade_text(student, Submission(text, sha256=text))
        return [result.reason for _, result in grade.rows()]

    first = drawn("ann")
    assert first == drawn("ann")
    assert first[0] != first[1]
    for other in (drawn("ben"), drawn("ann", source + "#"), drawn("ann", key=b"other")):
        assert not set(other) & set(first)


def test_two_students_with_the_same_module_name(exercise):
    grader = grader_of(exercise("def test_f(student): assert student.f() == 'A'\n"))
    points = [grader.grade_text(name, Submission(f"def f(): return {name!r}\n")).points for name in "ABAB"]
    assert points == [1, 0, 1, 0]


TOLERANCE = """\
import numpy as np
import tensorplay as tp
from tensorplay.testing import assert_close

KEY = np.array([1.0, np.nan, 3.0])

def test_float32(student): assert_close(student.e(), KEY)
def test_off(student): assert_close(student.f(), KEY)
def test_nan(student): assert_close(student.g(), KEY)
def test_same(student): assert_close(student.h(), KEY)
def test_shape(student): assert_close(student.i(), KEY)
def test_tensor(student):
    assert_close(student.kind(tp.tensor([1.0], requires_grad=True)), "Tensor True")
    assert_close(student.double(tp.tensor([1.0, 2.0])), np.array([2.0, 4.0], np.float32))
"""
ANSWERS = """\
import numpy as np
KEY = np.array([1.0, np.nan, 3.0])
def e(): return KEY.astype(np.float32)
def f(): return KEY * 1.001
def g(): return np.array([np.nan, np.nan, 3.0])
def h(): return KEY.copy()
def i(): return KEY[:, None]
def kind(x): return f"{type(x).__name__} {x.requires_grad}"
def double(x):
    import tensorplay as tp
    return tp.tensor([0.0, 0.0]) + x + x
"""


def test_tolerance_shapes_and_tensors(exercise):
    grade = grader_of(exercise(TOLERANCE)).grade_text("ann", Submission(ANSWERS))
    told = {test.name.removeprefix("test_"): result for test, result in grade.rows()}
    assert {name: result.passed for name, result in told.items()} == {
        **{"float32": True, "off": False, "nan": False, "same": True, "shape": False, "tensor": True},
    }, told
    assert "(3, 1)" in told["shape"].reason
    assert "(3,)" in told["shape"].reason


def test_every_test_counts_once_and_phases_count(exercise):
    grader = grader_of(
        exercise(
            "@pytest.fixture\ndef closing():\n    yield\n    assert 0, 'closing failed'\n"
            "def test_passes(student): assert student.f() == 1\n"
            "def test_teardown(student, closing): assert student.f() == 1\n"
            "@pytest.mark.skip(reason='not today')\ndef test_skipped(student): pass\n"
            "@pytest.mark.xfail\ndef test_expected(student): assert 0\n"
            "@pytest.mark.points(0)\ndef test_free(student): assert 0\n"
        )
    )
    grade = grader.grade_text("ann", Submission("def f(): return 1\n"))
    assert {test.name: result.kind for test, result in grade.rows()} == {
        "test_passes": "passed",
        "test_teardown": "failed",
        "test_skipped": "skipped",
        "test_expected": "skipped",
        "test_free": "failed",
    }
    assert (grade.points, grade.most) == (1, 4)
    assert "closing failed" in grade.rows()[1][1].reason


def test_a_test_that_ends_pytest_costs_a_row_not_the_batch(exercise):
    grader = grader_of(exercise("import os\ndef test_one(student): pass\ndef test_two(student): os._exit(0)\n"))
    grade = grader.grade_text("ann", Submission("def f(): return 1\n"))
    assert grade.verdict == "not graded"
    assert [result.kind for _, result in grade.rows()] == ["passed", "missing"]
    assert grader.problems


@pytest.mark.parametrize(
    ("tests", "toml", "message"),
    [
        ("def test_x(: pass\n", 'title = "T"', "cannot be collected"),
        ("@pytest.mark.point(2)\ndef test_x(student): pass\n", 'title = "T"', "point"),
        ("x = 1\n", 'title = "T"', "holds no tests"),
        ("def test_x(student): pass\n", 'title = "T"\n[points]\ntotal = 5', "give 1 points, exercise.toml says 5"),
        ("", "x = 1", "there is no 'title'"),
        ("", 'title = "T"\n[limits]\nsecond = 5', "has no 'second'; it knows seconds, memory, output"),
        ("", 'title = "T"\n[limits]\nseconds = "5"', "is a number, not '5'"),
        ("", "title = ", "exercise.toml"),
    ],
)
def test_a_broken_exercise_is_the_teachers_problem(exercise, tests, toml, message, tmp_path, capsys):
    folder = exercise(tests, toml)
    (tmp_path / "class").mkdir()
    assert command("grade", tmp_path / "class", "-a", folder, "-o", tmp_path / "out") == 2
    assert message in capsys.readouterr().err


def test_grading_starts_only_if_the_solution_passes(exercise, tmp_path, capsys):
    folder = exercise("def test_f(student): assert student.f() == 2\n")
    (tmp_path / "class").mkdir()
    assert command("grade", tmp_path / "class", "-a", folder, "-o", tmp_path / "out") == 2
    assert "the solution fails test_f" in capsys.readouterr().err
    assert command("grade", tmp_path / "nowhere", "-a", folder, "-o", tmp_path / "out") == 2
    assert "there is no folder" in capsys.readouterr().err


def test_the_course_key_is_made_once_and_kept_private(tmp_path, monkeypatch):
    monkeypatch.delenv("TENSORPLAY_COURSE_KEY", raising=False)
    key = course_key(None, tmp_path)
    assert course_key(None, tmp_path) == key
    if sys.platform != "win32":
        assert (tmp_path / "course.key").stat().st_mode & 0o077 == 0
    monkeypatch.setenv("TENSORPLAY_COURSE_KEY", "of this term")
    assert course_key(None, tmp_path) != key


def test_an_empty_class_has_a_report():
    assert "There were no submissions" in html_text(load_exercise(EXERCISE), [], {})


# -------------------------------------------------------------------------------------- check, sound


@pytest.fixture
def at_home(tmp_path):
    from tensorplay.classroom import student_files

    for name, data in student_files(EXERCISE).items():
        (tmp_path / name).write_bytes(data)
    return tmp_path


def test_check_runs_public_tests_and_is_honest_about_the_rest(at_home, capsys):
    assert command("check", at_home) == 1
    told = capsys.readouterr().out
    assert "0 of 5 public tests pass, 0 of 7 points so far" in told
    assert "d_mul is not written yet" in told
    assert "hint: The factor that stays is the other input." in told
    assert "2 hidden tests, worth 3 points, run when this is graded" in told
    (at_home / "exercise.py").write_text(GOOD)
    assert command("check", at_home / "exercise.py") == 0
    assert "5 of 5 public tests pass, 7 of 7 points so far" in capsys.readouterr().out
    assert sorted(path.name for path in at_home.iterdir()) == sorted(
        ["exercise.py", "exercise.toml", "lesson.py", "test_exercise.py"]
    )


def test_check_says_once_that_a_file_cannot_run(at_home, capsys):
    (at_home / "exercise.py").write_text("x = (\n")
    assert command("check", at_home) == 1
    told = capsys.readouterr().out
    assert told.count("exercise.py, line 1: SyntaxError: '(' was never closed") == 1
    assert command("check", at_home / "nowhere") == 2
    assert check.coloured("  ✓ a") == "  \x1b[32m✓\x1b[0m a"


def test_the_example_exercise_is_sound():
    proof = sound(EXERCISE)
    assert proof, proof.problems
    assert proof.solution.points == 10
    assert proof.stub.points == 0
    assert {name: grade.points for name, grade in proof.wrong.items()} == {"mean_is_sum": 7, "mul_swapped": 6}


def test_an_unsound_exercise_says_what_is_wrong(exercise):
    solution = "def f():\n    ### BEGIN SOLUTION\n    return 1\n    ### END SOLUTION\n"
    folder = exercise(
        "def test_nothing(student): pass\ndef test_f(student): assert student.f() == 2\n", solution=solution
    )
    (folder / "wrong").mkdir()
    (folder / "wrong" / "fine.py").write_text("def f(): return 2\n")
    proof = sound(folder)
    assert not proof
    told = "\n".join(proof.problems)
    assert "the solution fails test_f" in told
    assert "the stub gets 1 points for test_nothing" in told
    assert "wrong/fine.py gets all 2 points: a test is missing" in told


def test_an_exercise_folder_is_named_when_it_is_none(tmp_path):
    with pytest.raises(ExerciseError, match=r"has no exercise\.toml"):
        sound(tmp_path)


def test_importing_the_classroom_needs_no_pytest():
    code = "import sys, tensorplay.classroom.commands; print('pytest' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=EXERCISE.parents[2]
    )
    assert done.stdout.strip() == "False"
    assert np.allclose(1, 1)

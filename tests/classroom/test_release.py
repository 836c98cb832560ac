"""What students get, and above all what they do not get."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

import pytest

from tensorplay.classroom import ReleaseError, release, student_files, student_form
from tensorplay.classroom.release import leaks, public_tests, solution_lines

EXERCISE = Path(__file__).with_name("exercise")

SOURCE = '''\
class Linear:
    def forward(self, x):
        """A layer."""
        if x is None:
            ### BEGIN SOLUTION
            return None
            ### END SOLUTION
        ### BEGIN HINT 2
        # Use @.
        ### END HINT
        # BEGIN SOLUTION
        scale = self.a @ self.b

        return x @ scale
        # END SOLUTION


### BEGIN SOLUTION
ANSWER = 42 + 1
### END SOLUTION
'''


def test_solutions_become_stubs_and_hints_become_comments():
    assert (
        student_form(SOURCE)
        == '''\
class Linear:
    def forward(self, x):
        """A layer."""
        if x is None:
            raise NotImplementedError("write Linear.forward")
        # Hint 2:
        # Use @.
        raise NotImplementedError("write Linear.forward")


...  # write your part here
'''
    )


def test_a_file_without_regions_is_untouched():
    assert student_form("x = 1\r\n") == "x = 1\r\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("### BEGIN SOLUTION\nx = 1\n", "line 1: BEGIN SOLUTION has no END SOLUTION"),
        ("### END SOLUTION\n", "line 1: END SOLUTION without its BEGIN"),
        ("### BEGIN HINT 1\n### BEGIN SOLUTION\n### END SOLUTION\n", "line 2: BEGIN SOLUTION inside the HINT"),
        ("### BEGIN SOLUTION\n### END HINT\n", "line 2: END HINT without its BEGIN"),
    ],
)
def test_wrong_markers_name_the_line(text, message):
    with pytest.raises(ReleaseError, match=message):
        student_form(text)


def test_the_module_works_when_loaded_by_path():
    spec = importlib.util.spec_from_file_location("release_by_path", release.__file__)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.student_form(SOURCE) == student_form(SOURCE)


def test_students_get_four_files_and_nothing_secret():
    files = student_files(EXERCISE)
    assert sorted(files) == ["exercise.py", "exercise.toml", "lesson.py", "test_exercise.py"]
    everything = b"\n".join(files.values()).decode()
    for secret in ("g * y", "share = ", "np.where", "secret", "SECRET_SHAPE", "Only the teacher", "not for students"):
        assert secret not in everything
    assert "def test_mul(student)" in everything
    assert "[hidden]\ntests = 2" in files["exercise.toml"].decode()
    compile(files["exercise.py"], "exercise.py", "exec")


@pytest.mark.parametrize("name", ["lesson.py", "test_exercise.py"])
def test_a_solution_line_anywhere_stops_the_release(tmp_path, name):
    folder = Path(shutil.copytree(EXERCISE, tmp_path / "exercise"))
    with (folder / name).open("a") as stream:
        stream.write("\n\ndef test_shown():\n    # return g * share\n    return 1\n")
    with pytest.raises(ReleaseError, match=rf"{name}, line \d+: # return g \* share"):
        student_files(folder)


TRIVIAL = """\
def f(x):
    ### BEGIN SOLUTION
    y = x.sum(0)
    # a comment of many words here
    return y
    ### END SOLUTION
"""


def test_trivial_lines_are_no_secret():
    assert solution_lines(TRIVIAL) == {"y = x.sum(0)"}
    assert leaks({"y = x.sum(0)"}, {"a.py": "z = 1\n  y  =  x.sum(0)\n"}) == ["a.py, line 2: y  =  x.sum(0)"]


HIDDEN = """\
import math
import os
from pytest import fixture, mark

hidden = mark.hidden
LIMIT = 3


@fixture
def table():
    return os.sep


@fixture(autouse=True)
def always():
    return LIMIT


def helper():
    return math.pi


@hidden
@mark.points(2)
def test_secret(student, table):
    assert student.f() == helper()


@mark.hidden
class TestSecret:
    def test_a(self): ...
    def test_b(self): ...


class TestBoth:
    def test_open(self): ...

    # why this is hidden
    @mark.hidden
    def test_closed(self):
        assert helper()
"""


def test_hidden_tests_go_with_all_that_only_they_use():
    kept, count = public_tests(HIDDEN)
    assert count == 4
    for gone in ("math", "import os", "table", "helper", "secret", "Secret", "closed", "hidden"):
        assert gone not in kept, gone
    for stays in ("def always", "LIMIT = 3", "class TestBoth", "def test_open", "from pytest import fixture"):
        assert stays in kept, stays


ONE_CASE = """\
import pytest


@pytest.mark.parametrize("x", [1, pytest.param(2, marks=pytest.mark.hidden)])
def test_x(x): ...
"""


def test_what_cannot_be_cut_out_is_refused():
    kept, count = public_tests(ONE_CASE)
    assert (count, "test_x" in kept) == (1, False)  # a test with one hidden case is hidden as a whole
    with pytest.raises(ReleaseError, match="cannot be cut out"):
        public_tests("import pytest\npytestmark = pytest.mark.hidden\n\n\ndef test_x(): ...\n")

"""The doctor: it finds what is wrong, says what to do, and its status means something."""

from __future__ import annotations

import argparse
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from tensorplay import cli, doctor
from tensorplay.doctor import BROKEN, MISSING, NOTE, OK, Line


def find(subject: str) -> Line:
    (line,) = [line for _, lines in doctor.examine() for line in lines if line.subject == subject]
    return line


def without(monkeypatch: pytest.MonkeyPatch, *distributions: str) -> None:
    real = doctor.version_of
    monkeypatch.setattr(doctor, "version_of", lambda name: None if name in distributions else real(name))


def test_on_a_sound_machine_it_ends_with_zero(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["doctor"]) == 0
    shown = capsys.readouterr().out
    assert "All that is needed works." in shown
    for title, _ in doctor.GROUPS:
        assert f"\n{title}\n" in shown


def test_no_check_fails_on_a_sound_machine() -> None:
    lines = [line for _, lines in doctor.examine() for line in lines]
    assert [line for line in lines if "could not be examined" in line.found] == []


def test_it_names_the_renderer_and_why() -> None:
    line = find("renderer")
    assert line.state == OK
    assert ": " in line.found


def test_a_missing_core_library_is_broken_and_has_a_remedy(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    without(monkeypatch, "scipy")
    assert cli.main(["doctor"]) == 1
    shown = capsys.readouterr().out
    assert "broken   scipy" in shown
    assert "-m pip install scipy" in shown


def test_a_core_library_that_does_not_import_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    real = doctor.importlib.import_module

    def import_module(name: str) -> Any:
        if name == "numba":
            raise SystemError("initialization of _internal failed")
        return real(name)

    monkeypatch.setattr(doctor.importlib, "import_module", import_module)
    line = find("numba")
    assert line.state == BROKEN
    assert "initialization of _internal failed" in line.found


def test_a_missing_extra_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "jupyterlab")
    line = find("jupyterlab")
    assert line.state == MISSING
    assert line.advice.endswith("-m pip install jupyterlab")
    assert doctor.run(argparse.Namespace()) == 0


def fake_distribution(folder: Path, name: str, *files: str) -> metadata.Distribution:
    info = folder / f"{name.replace('-', '_')}-9.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 9\n", encoding="utf-8")
    (info / "RECORD").write_text("".join(f"{file},,\n" for file in files), encoding="utf-8")
    return metadata.PathDistribution(info)


@pytest.mark.parametrize("name", ["tensorplay", "some-bundle"])
def test_another_project_that_provides_tensorplay_is_found(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = fake_distribution(tmp_path, "tensorplay-edu", "tensorplay/__init__.py")
    other = fake_distribution(tmp_path, name, "tensorplay/__init__.py")
    harmless = fake_distribution(tmp_path, "tensorplayground", "tensorplayground/__init__.py")
    monkeypatch.setattr(doctor.metadata, "distributions", lambda: [ours, other, harmless])
    assert doctor.other_providers() == [name]
    line = find("import name")
    assert line.state == NOTE
    assert f"pip uninstall {name}" in line.advice


def test_held_blas_kernels_are_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Haswell")
    line = find("BLAS")
    assert line.state == NOTE
    assert "unset OPENBLAS_CORETYPE" in line.advice


def test_a_check_that_fails_is_a_line_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    def _nonsense() -> list[Line]:
        raise RuntimeError("no idea")

    monkeypatch.setattr(doctor, "GROUPS", (("Nonsense", (_nonsense,)),))
    assert list(doctor.examine()) == [
        ("Nonsense", [Line(NOTE, "nonsense", "could not be examined: RuntimeError: no idea")])
    ]


def test_the_kernel_cache_is_where_the_kernels_put_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TENSORPLAY_CACHE", str(tmp_path))
    monkeypatch.delenv("NUMBA_DISABLE_JIT", raising=False)
    assert find("kernel cache").found == f"empty, kernels compile on first use: {tmp_path}"
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "kernel-1.nbc").write_bytes(b"0" * 2000)
    assert find("kernel cache").found == f"1 compiled, 2 kB in {tmp_path}"


@pytest.mark.parametrize(("installed", "said"), [(None, "no CuPy"), ("13.4", "cupy-cuda12x 13.4")])
def test_a_gpu_is_named_with_its_library(installed: str | None, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_graphics_card", lambda: "NVIDIA T4")
    monkeypatch.setattr(doctor, "version_of", lambda name: installed if name == "cupy-cuda12x" else None)
    (line,) = doctor._gpu()
    assert line.state == OK
    assert line.found == f"NVIDIA T4, {said}; this version computes on the CPU only"

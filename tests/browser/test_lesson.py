"""The lesson in a real JupyterLab: every cell runs, and the stepper answers to the mouse and the keyboard."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
LESSON = ROOT / "lessons" / "05_backward_step_by_step" / "lesson.py"
TOKEN = "only-for-this-test"

SETTINGS = {
    # Without windowing every cell is in the page, so that all outputs can be looked at.
    "@jupyterlab/notebook-extension/tracker": {"windowingMode": "none"},
    "@jupyterlab/apputils-extension/notification": {"checkForUpdates": False, "fetchNews": "false"},
}


@dataclass(frozen=True)
class Lab:
    """A running JupyterLab: its address, and where it says what it does."""

    address: str
    log: Path

    def url(self, notebook: str) -> str:
        return f"{self.address}/lab/tree/{notebook}?token={TOKEN}"


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    """JupyterLab on a free local port, with folders of its own and the lesson as a notebook in its root."""
    pytest.importorskip("jupyterlab", reason="JupyterLab is not installed (extra `lab`)")
    jupytext = pytest.importorskip("jupytext", reason="jupytext is not installed (extra `classroom`)")
    root = tmp_path / "root"
    root.mkdir()
    jupytext.write(jupytext.read(LESSON), root / "lesson.ipynb")
    log = tmp_path / "lab.log"
    port = _free_port()
    with log.open("w") as output:
        server = subprocess.Popen(
            _command(root, port), cwd=root, env=_environment(tmp_path), stdout=output, stderr=subprocess.STDOUT
        )
    try:
        here = Lab(f"http://127.0.0.1:{port}", log)
        _wait_until_ready(here, server)
        yield here
    finally:
        server.terminate()
        server.wait(timeout=30)


@pytest.fixture
def page(chromium: Any) -> Iterator[Any]:
    """A page large enough for JupyterLab with its side bar."""
    page = chromium.new_page(viewport={"width": 1400, "height": 1000})
    yield page
    page.close()


def test_lesson_runs_and_its_stepper_steps(page: Any, lab: Lab) -> None:
    elsewhere: list[str] = []
    page.on("request", lambda request: _note_if_elsewhere(request.url, lab.address, elsewhere))
    page.goto(lab.url("lesson.ipynb"))
    _run_all_cells(page)

    assert _errors(page) == []
    assert elsewhere == [], "the lesson has to work without a network"
    _step_forward_and_back(page)


def _step_forward_and_back(page: Any) -> None:
    """Drive the first stepper of the lesson: the button, the keyboard, and the way back."""
    player = page.locator(".jp-OutputArea [data-step]").first
    player.wait_for(timeout=60_000)
    player.scroll_into_view_if_needed()
    start = player.get_attribute("data-step")
    sentence = player.locator("[aria-live]").first.inner_text()

    player.get_by_role("button", name="Next step").click()
    after_button = _step_other_than(player, start)
    assert int(after_button) == int(start) + 1
    assert player.locator("[aria-live]").first.inner_text() != sentence

    page.keyboard.press("ArrowRight")
    assert int(_step_other_than(player, after_button)) == int(start) + 2

    player.get_by_role("button", name="Previous step").click()
    assert _step_other_than(player, str(int(start) + 2)) == after_button


def _run_all_cells(page: Any) -> None:
    """Run → Run All Cells, as a student does it, and wait until every cell has its number."""
    page.locator(".jp-KernelName", has_text="Python 3").wait_for(timeout=120_000)
    page.wait_for_selector('.jp-Notebook-ExecutionIndicator[data-status="idle"]', timeout=120_000)
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    page.wait_for_function(
        """() => {
            const prompts = [...document.querySelectorAll('.jp-CodeCell .jp-InputArea-prompt')];
            return prompts.length > 10 && prompts.every(prompt => /^\\[\\d+\\]:/.test(prompt.textContent.trim()));
        }""",
        timeout=120_000,
    )


def _errors(page: Any) -> list[str]:
    """What cells wrote as an error, to the error stream, or could not show."""
    kinds = ("application/vnd.jupyter.error", "application/vnd.jupyter.stderr")
    selector = ", ".join(f'.jp-OutputArea-output[data-mime-type="{kind}"]' for kind in kinds)
    return page.locator(selector).all_inner_texts()


def _step_other_than(player: Any, old: str) -> str:
    """Wait until the player shows another step, and say which."""
    element = player.element_handle()
    player.page.wait_for_function("([e, old]) => e.dataset.step !== old", arg=[element, old], timeout=10_000)
    return player.get_attribute("data-step")


def _note_if_elsewhere(url: str, address: str, elsewhere: list[str]) -> None:
    if not url.startswith((address, address.replace("http", "ws", 1), "data:", "blob:")):
        elsewhere.append(url)


# ------------------------------------------------------------------------------------- the server


def _command(root: Path, port: int) -> list[str]:
    settings = ["--ServerApp.ip=127.0.0.1", f"--ServerApp.port={port}", "--ServerApp.port_retries=0"]
    settings += [f"--IdentityProvider.token={TOKEN}", f"--ServerApp.root_dir={root}"]
    as_root = ["--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    return [sys.executable, "-m", "jupyterlab", "--no-browser", *settings, *as_root]


def _environment(folder: Path) -> dict[str, str]:
    """The environment, with every folder in which Jupyter keeps something moved below `folder`."""
    names = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR", "JUPYTERLAB_WORKSPACES_DIR")
    places = {name: str(folder / name.lower()) for name in names}
    settings = folder / "settings"
    for plugin, values in SETTINGS.items():
        file = settings / f"{plugin}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(values))
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return os.environ | places | {"JUPYTERLAB_SETTINGS_DIR": str(settings), "PYTHONPATH": path}


def _wait_until_ready(lab: Lab, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 90
    while time.monotonic() < deadline:
        if server.poll() is not None:
            break
        try:
            with urllib.request.urlopen(f"{lab.address}/api/status?token={TOKEN}", timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.3)
    pytest.fail(f"JupyterLab did not start:\n{lab.log.read_text()[-2000:]}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])

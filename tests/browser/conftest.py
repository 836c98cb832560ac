"""A real Chromium for the tests that look at pages; without one, or without Playwright, they are skipped."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser, started once."""
    api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip(f"no Chromium on this machine (looked for {', '.join(NAMES)})")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


class Opened:
    """A page opened from a file, with what it asked of the network and what it complained about."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.requests: list[str] = []
        self.complaints: list[str] = []


@pytest.fixture
def open_file(chromium: Any) -> Iterator[Callable[..., Opened]]:
    """Open a local file; every request but that for the file itself is recorded and refused."""
    contexts = []

    def opener(path: Path, fragment: str = "", **settings: Any) -> Opened:
        context = chromium.new_context(viewport={"width": 1280, "height": 900}, **settings)
        contexts.append(context)
        opened = Opened(context.new_page())
        address = path.resolve().as_uri()

        def guard(route: Any) -> None:
            if route.request.url.split("#")[0] == address:
                route.continue_()
            else:
                opened.requests.append(route.request.url)
                route.abort()

        opened.page.route("**/*", guard)
        opened.page.on("pageerror", lambda error: opened.complaints.append(str(error)))
        opened.page.on("console", lambda message: opened.complaints.append(message.text))
        opened.page.goto(address + fragment)
        return opened

    yield opener
    for context in contexts:
        context.close()

"""The demo learns, records the step it says it records, and writes one file that needs nothing else."""

from __future__ import annotations

import re
import statistics
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import tensorplay as tp
from tensorplay import cli, demo
from tensorplay.demo_page import Curve, Digit, curves_svg, digit_svg, page_part

pytest.importorskip("sklearn", reason="the digits ship inside scikit-learn (extra `lab`)")


Parts = tuple[tp.data.TensorDataset, tp.data.TensorDataset]


@pytest.fixture(scope="module")
def digits() -> Parts:
    return tp.datasets.digits()


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("demo") / "page.html"
    assert cli.main(["demo", "--no-open", "--output", str(path)]) == 0
    return path


# --------------------------------------------------------------------------------------- where it goes


def test_the_place_is_made_before_the_training(tmp_path: Path) -> None:
    assert demo.writable(tmp_path / "new" / "page.html").parent.is_dir()
    assert demo.writable(tmp_path) == tmp_path / demo.PAGE


def test_a_place_that_cannot_be_is_refused_before_the_training(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "taken").write_text("a file")
    assert cli.main(["demo", "--no-open", "--output", str(tmp_path / "taken" / "page.html")]) == 1
    shown = capsys.readouterr()
    assert shown.out == "" and "taken" in shown.err


@pytest.mark.parametrize("text", ["many", str(2**64)])
def test_a_seed_that_is_none_is_refused(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["demo", "--seed", text])
    assert "--seed" in capsys.readouterr().err


# ----------------------------------------------------------------------------------------- learning


def test_the_split_is_fixed_stratified_and_complete(digits: Parts) -> None:
    counts = [np.bincount(part.tensors[1].numpy(), minlength=10) for part in digits]
    assert sum(counts).sum() == 1797  # type: ignore[attr-defined]
    assert np.abs(counts[1] / (counts[0] + counts[1]) - 0.2).max() < 0.005
    again = tp.datasets.digits()[1]
    assert np.array_equal(digits[1].tensors[0].numpy(), again.tensors[0].numpy())


def test_no_digit_is_in_both_parts(digits: Parts) -> None:
    rows = [{row.tobytes() for row in part.tensors[0].numpy()} for part in digits]
    assert not rows[0] & rows[1]


def test_the_median_over_ten_seeds_is_at_least_97_percent(digits: Parts) -> None:
    reached = [demo.train(*digits, seed).test_accuracy[-1] for seed in range(10)]
    assert statistics.median(reached) >= 0.97, reached


def test_a_seed_gives_the_same_training_again(digits: Parts, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "EPOCHS", 1)
    first, second, other = (demo.train(*digits, seed) for seed in (3, 3, 4))
    weights = [[p.detach().numpy() for p in run.model.parameters()] for run in (first, second, other)]
    assert all(np.array_equal(a, b) for a, b in zip(weights[0], weights[1], strict=True))
    assert not np.array_equal(weights[0][0], weights[2][0])


def test_recording_changes_no_number(digits: Parts) -> None:
    images, labels = (part[: demo.SHOWN] for part in digits[0].tensors)
    results = []
    for recorded in (False, True):
        model = demo.make_model(0)
        optimizer = tp.optim.Adam(model.parameters(), lr=demo.RATE)
        if recorded:
            with tp.viz.record():
                demo.train_step(model, optimizer, images, labels)
        else:
            demo.train_step(model, optimizer, images, labels)
        results.append([(p.detach().numpy(), p.grad.numpy()) for p in model.parameters()])
    for plain, watched in zip(*results, strict=True):
        assert np.array_equal(plain, watched)


def test_the_recorded_step_has_all_its_phases(digits: Parts) -> None:
    kinds = {type(step).__name__ for step in demo.record_first_step(digits[0])}
    assert len(kinds) >= 6, kinds


# ----------------------------------------------------------------------------------------- the page


def test_the_page_is_one_file_without_addresses(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    addresses = set(re.findall(r"https?://[^\s\"'<>)]+", text)) - {"http://www.w3.org/2000/svg"}
    assert addresses == set()
    assert not re.search(r"<(?:link|script|img|iframe)[^>]+(?:href|src)=[\"'](?!data:|#)", text)


def test_the_page_shows_player_curve_and_digits(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert "data-step" in text
    assert 'class="curve"' in text
    assert text.count('aria-label="a handwritten') >= 10


class Structure(HTMLParser):
    """Collects ids, and complains about tags that are closed in the wrong order."""

    VOID = frozenset({"meta", "br", "input", "link", "hr", "img"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.ids += [value for name, value in attrs if name == "id" and value]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def structure(text: str) -> Structure:
    parser = Structure()
    parser.feed(text)
    assert [tag for tag in parser.open if tag not in {"html", "body"}] == []
    return parser


def test_the_pages_ids_are_unique(page: Path) -> None:
    ids = structure(page.read_text(encoding="utf-8")).ids
    assert len(ids) == len(set(ids))


def test_it_opens_only_where_there_is_a_display(
    digits: Parts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(demo, "EPOCHS", 1)
    monkeypatch.setattr(demo.webbrowser, "open", opened.append)
    for display in (False, True):
        monkeypatch.setattr(demo, "has_display", lambda display=display: display)
        assert cli.main(["demo", "--output", str(tmp_path / "shown.html")]) == 0
        assert str(tmp_path / "shown.html") in capsys.readouterr().out
    assert opened == [(tmp_path / "shown.html").resolve().as_uri()]


def test_without_tqdm_there_is_a_plain_bar(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(demo._plain_bar(range(3))) == [0, 1, 2]
    assert capsys.readouterr().err.endswith(f"[{'#' * 30}] 3/3\n")


# ------------------------------------------------------------------------------------------ drawing


def test_a_curve_ends_where_its_number_says() -> None:
    svg = curves_svg([Curve("a < b", "forward", "6 4", [0.5, 1.0]), Curve("test", "gradient", "", [0.45, 0.9])])
    structure(svg)
    (first, second) = re.findall(r'points="([^"]+)"', svg)
    heights = [[float(point.split(",")[1]) for point in line.split()] for line in (first, second)]
    assert heights[0][1] == 14  # 100 % is the top
    assert heights[1][0] > heights[0][0] > heights[1][1] > 14
    assert "a &lt; b 100.0%" in svg
    assert "test 90.0%" in svg


def test_labels_of_close_curves_do_not_overlap() -> None:
    svg = curves_svg([Curve(name, "forward", "", [0.5, 0.98]) for name in "abc"])
    heights = [float(y) for y, name in re.findall(r'y="([\d.]+)" fill="[^"]+">([abc]) ', svg)]
    assert [round(b - a, 1) for a, b in pairwise(heights)] == [16, 16]


def test_a_digit_draws_its_dark_pixels_only() -> None:
    pixels = [[0.0] * 8 for _ in range(8)]
    pixels[2][5] = 0.5
    svg = digit_svg(Digit(pixels, 7, 7))
    assert svg.count("<rect") == 2
    assert '<rect x="5" y="2" width="1.02" height="1.02" fill-opacity="0.5"/>' in svg


def test_a_mistake_is_said_in_words() -> None:
    blank = [[0.0] * 8 for _ in range(8)]
    curve = [Curve("test", "gradient", "", [0.5])]
    html = page_part("a & b", curve, [Digit(blank, 1, 1)], [Digit(blank, 3, 9)])
    structure(html)
    assert "says 9<br>but it is 3" in html
    assert "a &amp; b" in html
    assert "It made no mistake" in page_part("", curve, [Digit(blank, 1, 1)], [])

"""What a page shows of the strategies, and that no text can hang or fill the process that answers pages."""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

import pytest

from analytics.encoder.augment.pipeline import STRATEGIES, Augmenter
from analytics.encoder.augment.preview import LONGEST, augmentation_preview, preview
from analytics.errors import DataError

QUESTION = r"Tom has $2x + 3$ apples, and Ann has $5$ more. They share them. How many apples has Ann?"


def test_every_strategy_is_shown_by_itself() -> None:
    made = preview(QUESTION, seed=1, draws=2)
    assert [(version.name, version.group) for version in made.strategies] == [
        (strategy.name, strategy.group) for strategy in STRATEGIES
    ]
    for version in made.strategies:
        assert version.text not in (None, QUESTION)
        kept = "".join(piece.text for piece in version.pieces if piece.kind != "added")
        made_of = "".join(piece.text for piece in version.pieces if piece.kind != "removed")
        assert (kept, made_of) == (QUESTION, version.text)


def test_a_strategy_that_does_not_apply_says_so() -> None:
    made = {version.name: version for version in preview("Halve it.", seed=1, draws=0).strategies}
    assert made["operator synonym replacement"].text is None
    assert made["operator synonym replacement"].pieces == ()


def test_the_whole_pipeline_is_the_one_that_training_uses() -> None:
    made = preview(QUESTION, seed=7, draws=3)
    for number, version in enumerate(made.whole, start=1):
        assert version.text == Augmenter()(QUESTION, random.Random(f"7/{number}"))


def test_a_seed_gives_the_same_again_and_another_one_something_else() -> None:
    first = preview(QUESTION, seed=1, draws=5)
    assert preview(QUESTION, seed=1, draws=5) == first
    assert preview(QUESTION, seed=2, draws=5) != first


@pytest.mark.parametrize(
    "text", [QUESTION, "小明有5个苹果，小红有3个，一共有多少个？", "", "\ud83d\ude00 $x$"]
)
def test_the_child_answers_as_this_process_would(text) -> None:
    text = text.encode("utf-16", "surrogatepass").decode("utf-16")
    assert augmentation_preview(text, seed=3, draws=2) == preview(text, seed=3, draws=2)


def test_too_long_a_text_is_refused_before_anything_is_started() -> None:
    with pytest.raises(DataError, match="characters"):
        augmentation_preview("a" * (LONGEST + 1), seed=1, draws=1)


@pytest.fixture
def slow_module(tmp_path: Path, monkeypatch) -> Path:
    """A module in place of the child that starts a child of its own and then waits for ever."""
    (tmp_path / "slow_child.py").write_text(
        "import pathlib, subprocess, sys, time\n"
        "inner = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"pathlib.Path({str(tmp_path / 'pid')!r}).write_text(str(inner.pid))\n"
        "time.sleep(600)\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return tmp_path


def _is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.skipif(not os.path.isdir("/proc"), reason="looks for the process in /proc")
def test_a_child_that_hangs_is_killed_with_all_that_it_started(slow_module, no_hang) -> None:
    with pytest.raises(DataError, match="could not finish"):
        augmentation_preview("x", seed=1, draws=1, timeout=5.0, module="slow_child")
    inner = int((slow_module / "pid").read_text())
    while _is_alive(inner):
        time.sleep(0.01)


def test_a_child_that_dies_is_a_sentence(tmp_path, monkeypatch) -> None:
    (tmp_path / "dying_child.py").write_text("raise SystemExit(3)\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(DataError, match="could not finish"):
        augmentation_preview("x", seed=1, draws=1, module="dying_child")

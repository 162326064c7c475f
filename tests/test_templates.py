"""Templates stay readable: no line is longer than a screen."""

from __future__ import annotations

from pathlib import Path

BASE_DIR = Path(__file__).resolve().parent.parent
LONGEST = 200


def test_no_line_of_a_template_is_too_long():
    paths = [path for path in sorted((BASE_DIR / "templates").rglob("*")) if path.is_file()]
    assert paths
    too_long = [
        f"{path.relative_to(BASE_DIR)}:{number}: {len(line)} characters"
        for path in paths
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1)
        if len(line) > LONGEST
    ]
    assert too_long == []

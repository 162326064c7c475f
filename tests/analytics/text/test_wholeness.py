"""Texts that lack a figure, a table or the numbers of a template, and whole ones that look as if they did."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from analytics.text.wholeness import FIGURE, PLACEHOLDERS, draws_numbers, needs_figure
from tests.cases import each_case


@each_case("wholeness", "figures")
def test_a_text_that_points_at_a_missing_figure_needs_one(text: str, needs: bool) -> None:
    assert needs_figure(text) is needs


@each_case("wholeness", "placeholders")
def test_a_variable_that_nobody_replaced_is_found(text: str, draws: bool) -> None:
    assert draws_numbers(text) is draws


def test_rules_stay_in_the_language_that_python_and_postgresql_share() -> None:
    patterns = [rule.pattern for rule in PLACEHOLDERS] + [rule.hint for rule in PLACEHOLDERS]
    patterns += [FIGURE.hint, *FIGURE.marks, *FIGURE.figures, *FIGURE.layouts, *FIGURE.tables, *FIGURE.data]
    foreign = re.compile(r"(?<!\\)(?:\\\\)*\\(?:[bBdDwWsSAZ]|[1-9])|[*+?}]\?|\(\?P")
    assert [pattern for pattern in patterns if foreign.search(pattern)] == []


@pytest.mark.shared_data
def test_hardly_a_whole_question_of_the_public_sets_is_taken_for_a_template(shared_data: Path) -> None:
    names = ("math/test", "gsm8k/test", "tal_scq_en/train", "asdiv/all")
    assert sum(draws_numbers(row["text"]) for name in names for row in _rows(shared_data / f"{name}.jsonl.gz")) <= 2
    templates = _rows(shared_data / "opl/all.jsonl.gz")
    unresolved = [row for row in templates if row.get("unresolved")]
    assert sum(draws_numbers(row["text"]) for row in unresolved) >= 1_150
    assert sum(draws_numbers(row["text"]) for row in templates if not row.get("unresolved")) <= 5


def _rows(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]

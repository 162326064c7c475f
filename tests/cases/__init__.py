"""Test cases in TOML: a file for each topic, an array of tables for each test.

    [[answers]]
    text = "What is 15% of 80?"
    answer = "12"
    reason = "per cent of a number"     # optional: names the case in pytest's output

A test takes a case's other keys as its arguments:

    @each_case("arithmetic", "answers")
    def test_a_question_is_answered(text: str, answer: str) -> None: ...
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

_FOLDER = Path(__file__).parent
_ID_LENGTH = 60


@cache
def _tables(name: str) -> dict[str, Any]:
    return tomllib.loads((_FOLDER / f"{name}.toml").read_text(encoding="utf-8"))


def load_cases(name: str, table: str = "cases") -> list[dict[str, Any]]:
    """Return the cases of an array of tables in `tests/cases/NAME.toml`, in the order of the file.

    Raises:
        AssertionError: If there are none, since a test over no cases would pass.
    """
    cases = [dict(case) for case in _tables(name)[table]]
    assert cases, f"tests/cases/{name}.toml has no cases in {table}."
    return cases


def each_case(name: str, table: str = "cases") -> pytest.MarkDecorator:
    """Parametrise a test over a table; a key that only other cases have is None.

    A case's id is its `reason`, or else the beginning of its first value.
    """
    cases = load_cases(name, table)
    ids = [str(case.pop("reason", None) or next(iter(case.values())))[:_ID_LENGTH] for case in cases]
    columns = list(dict.fromkeys(key for case in cases for key in case))
    return pytest.mark.parametrize(columns, [[case.get(key) for key in columns] for case in cases], ids=ids)

"""The answer that a template's source computes: its expression as the file has it, kept beside the question.

It stands in the question's settings and not in `answer`, because search, models and solvers read that as what students
write.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

SETTING = "computed_answer"
_LONGEST = 500  # characters
_STEPS = 4  # from a variable to what it is assigned


def computed_answer(expressions: Iterable[str], values: Mapping[str, str] | None = None) -> str:
    """Return what some expressions say; of a variable, what it is assigned.

    Args:
        values: the code that each variable is assigned.

    >>> computed_answer(["$ans", "2*$b"], {"$ans": "2*$a"})
    '$ans = 2*$a; 2*$b'
    """
    shown = []
    for expression in map(_on_a_line, expressions):
        value = _on_a_line(followed(expression, values or {}))
        shown.append(expression if value == expression else f"{expression} = {value}")
    return "; ".join(dict.fromkeys(filter(None, shown)))[:_LONGEST]


def followed(value: str, values: Mapping[str, str]) -> str:
    """Return what a variable stands for: the code that it, or the variable that it is assigned, is assigned."""
    for _step in range(_STEPS):
        value = values.get(value, value)
    return value


def assigned(pattern: re.Pattern[str], code: str) -> dict[str, str]:
    """Return the code that each variable is assigned last, by a pattern with the groups `name` and `value`."""
    return {match["name"]: match["value"] for match in pattern.finditer(code)}


def _on_a_line(code: str) -> str:
    return " ".join(code.split())

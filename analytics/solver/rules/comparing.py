"""Whether two texts have the same answer, if rules answer both."""

from __future__ import annotations

import math

from analytics.solver.rules.conversions import asked_unit
from analytics.solver.rules.reading import Reading
from analytics.solver.rules.solver import rule_solution

_CLOSE = 1e-9


def compared_answers(original: str, paraphrase: str) -> float:
    """Return 1 if rules answer both texts with the same number, -1 if the numbers differ, else 0.

    Answers in different units are not compared, nor are answers in an unknown unit if the texts use different units.

    >>> tom = "Tom is 4 years older than Ann. Ann is 9. How old is Tom?"
    >>> compared_answers(tom, "Ann is 9. She is 4 years younger than Tom. How old is Tom?")
    1.0
    >>> compared_answers(tom, "Ann is 9. She is 4 years older than Tom. How old is Tom?")
    -1.0
    """
    values = []
    for text in (original, paraphrase):
        solution = rule_solution(text)
        if solution is None or solution.value is None:
            return 0.0
        values.append(solution.value)
    before, after = Reading(original), Reading(paraphrase)
    asked = asked_unit(before)
    if asked != asked_unit(after) or (not asked and _units(before) != _units(after)):
        return 0.0
    is_same = math.isclose(*values, rel_tol=_CLOSE, abs_tol=_CLOSE)
    return 1.0 if is_same else -1.0


def _units(reading: Reading) -> set[str]:
    return {each.unit_name for each in reading.quantities if each.unit is not None}

"""English."""

from __future__ import annotations

import re

from analytics.language.contract import Language
from analytics.language.en import clauses, clock_times, numbers, question_shapes, relations, units, words

ENGLISH = Language(
    code="en",
    name="English",
    marks=re.compile(r"(?!)"),
    space=" ",
    numbers=numbers,
    clock_times=clock_times,
    units=units,
    clauses=clauses,
    words=words,
    question_shapes=question_shapes,
    relations=relations,
)

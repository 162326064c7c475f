"""English."""

from __future__ import annotations

import re

from analytics.language.contract import Language
from analytics.language.en import clock_times, numbers, question_shapes, relations, units, words

ENGLISH = Language(
    code="en",
    name="English",
    marks=re.compile(r"(?!)"),
    space=" ",
    numbers=numbers,
    clock_times=clock_times,
    units=units,
    words=words,
    question_shapes=question_shapes,
    relations=relations,
)

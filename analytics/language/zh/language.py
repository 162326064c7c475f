"""Chinese."""

from __future__ import annotations

import re

from analytics.language.contract import Language
from analytics.language.zh import clock_times, numbers, question_shapes, relations, units, words

CHINESE = Language(
    code="zh",
    name="Chinese",
    marks=re.compile(r"[\u3400-\u9fff]"),
    space="",
    numbers=numbers,
    clock_times=clock_times,
    units=units,
    words=words,
    question_shapes=question_shapes,
    relations=relations,
)

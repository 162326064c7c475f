"""Esperanto."""

from __future__ import annotations

import re

from analytics.language.contract import Language
from tests.fake_language import clock_times, numbers, question_shapes, relations, units, words

ESPERANTO = Language(
    code="eo",
    name="Esperanto",
    marks=re.compile("[ĉĝĥĵŝŭĈĜĤĴŜŬ]"),
    space=" ",
    numbers=numbers,
    clock_times=clock_times,
    units=units,
    words=words,
    question_shapes=question_shapes,
    relations=relations,
)

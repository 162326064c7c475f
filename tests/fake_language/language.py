"""Esperanto."""

from __future__ import annotations

import re

from analytics.language.contract import Language
from tests.fake_language import numbers, relations, units, words

ESPERANTO = Language(
    code="eo",
    name="Esperanto",
    marks=re.compile("[ĉĝĥĵŝŭĈĜĤĴŜŬ]"),
    space=" ",
    numbers=numbers,
    units=units,
    words=words,
    relations=relations,
)

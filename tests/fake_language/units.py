"""Two units."""

from __future__ import annotations

import re
from collections.abc import Iterator

from analytics.language.mentions import UnitPlace

_NAMES = {"kilometroj": "kilometer", "metroj": "meter"}


def find_unit_words(text: str) -> Iterator[UnitPlace]:
    for match in re.finditer("|".join(_NAMES), text):
        yield *match.span(), _NAMES[match[0]]


def asked_unit(question: str) -> str:
    match = re.search(r"Kiom da (\w+)", question)
    return _NAMES.get(match[1], "") if match else ""


def name_of(unit: str) -> str:
    return next((name for name, each in _NAMES.items() if each == unit), "")

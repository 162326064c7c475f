"""What is left over when things are shared equally or packed."""

from __future__ import annotations

import re

from analytics.solver.rules.reading import Quantity, Reading, RuleAnswer, when

_LEFT = re.compile(r"\b(?:left ?over|leftover|remain(?:s|ing|der)?|left|unused)\b", re.IGNORECASE)
_SHARED = re.compile(
    r"\b(?:equally|evenly|groups? of|boxes of|bags of|packs? of|packets of|rows of"
    r"|teams of|pieces of|stacks of|bundles of|pages of|plates of"
    r"|jars of|cartons of|sets of|same (?:number|amount)|as many as possible|divided (?:by|among|between|into)"
    r"|(?:hold|carry|fit|pack|take|put|place|seat|contain)s?\b[^.?]*\b(?:each"
    r"|every|per|a)|in each|to each|each (?:hold|carr|box|bag|pack|row)s?\w*)\b",
    re.IGNORECASE,
)
_MORE = re.compile(
    r"\b(?:got|initially|ate|eats|sold|gave|gives|lost|used|spent|then|after"
    r"|more|first|another|bought|buys|broke\w*|took)\b",
    re.IGNORECASE,
)


@when(2, asks=_LEFT, says=_SHARED, unless=_MORE)
def remainder(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer for what is left over of a number that is divided by another: both whole, and nothing else happens."""
    if not re.search(r"\bhow (?:many|much|long)\b", reading.question, re.IGNORECASE):
        return None
    whole, part = sorted(quantities, key=lambda each: -each.value)
    if whole.value.denominator != 1 or part.value.denominator != 1 or part.value < 2:
        return None
    units = {each.unit.unit for each in quantities if each.unit is not None}
    if len(units) > 1:
        return None
    return RuleAnswer(whole.tree / part.tree, rounding="remainder")

"""Our operators on words: a comparison is turned round, or an unrelated word put in. Both make invalid paraphrases.

The rule-made pairs of ParaQD's validation set have unrelated words in place of names, units, numbers and what is
counted, and a scorer that learned names for names and units for units alone calls them near. The words put in are
neither names nor things that can be counted, so that no question becomes the same one about something else, which would
be valid (the paper's Table 3).
"""

from __future__ import annotations

import random
import re

from analytics.paraphrase.words.editing import apply_edits, formula_spans, overlaps, upper_first
from analytics.paraphrase.words.entities import find_entities
from analytics.paraphrase.words.tables import rows_of, words_of
from analytics.paraphrase.words.wording import STOP_WORDS
from analytics.text.numbers import find_numbers
from analytics.text.units import find_units

OPPOSITES = {first: others for first, *others in rows_of("opposites")}
"""A comparison -> what turns it round."""

_PATTERN = re.compile(rf"\b(?:{'|'.join(sorted(OPPOSITES, key=len, reverse=True))})\b", re.IGNORECASE)
_TIMES = re.compile(r"(?:times|twice|half|thrice)\s$", re.IGNORECASE)


def turn_round(question: str, rng: random.Random) -> str | None:
    """Turn one comparison round; None where there is none outside formulas."""
    formulas = formula_spans(question)
    comparisons = [
        match
        for match in _PATTERN.finditer(question)
        if not overlaps(match.start(), match.end(), formulas) and not _is_part(match)
    ]
    if not comparisons:
        return None
    match = rng.choice(comparisons)
    new = rng.choice(OPPOSITES[match[0].lower()])
    return (
        question[: match.start()]
        + (upper_first(new) if match[0][0].isupper() else new)
        + question[match.end() :]
    )


def _is_part(match: re.Match[str]) -> bool:
    """Return whether the words belong to another expression: "twice as many", "after that", "half as much"."""
    text, word = match.string, match[0].lower()
    behind = text[match.end() : match.end() + 8].lower()
    if word == "as many":
        return _TIMES.search(text[: match.start()]) is not None
    if word in {"before", "after"}:
        return behind.startswith((" that", ",", ".", " this"))
    return word in {"twice", "double"} and not behind.startswith((" as ", " the "))


WORDS = tuple(dict.fromkeys(words_of("unrelated")))
"""Words that are no names, no units and nothing that a word problem counts."""

_COUNTED = re.compile(r"\s(?:[a-z]+\s)?([a-z]{4,})\b")


def put_unrelated(question: str, rng: random.Random) -> str | None:
    """Put one unrelated word, at times two, in; None where there is nothing to put it for outside formulas."""
    places = _places(question)
    if not places:
        return None
    count = min(len(places), 2 if rng.random() < 0.3 else 1)
    free = [word for word in WORDS if word not in question.lower()]
    edits = [(*place, rng.choice(free)) for place in rng.sample(places, count)]
    return apply_edits(question, [(start, end, _like(question[start], word)) for start, end, word in edits])


def _places(question: str) -> list[tuple[int, int]]:
    """Return where names, units, numbers and counted things stand, each place once."""
    numbers = find_numbers(question)
    spans = [(entity.start, entity.end) for entity in find_entities(question)]
    spans += [(unit.start, unit.end) for unit in find_units(question)]
    spans += [(number.start, number.end) for number in numbers]
    for number in numbers:
        counted = _COUNTED.match(question, number.end)
        if counted and counted[1] not in STOP_WORDS:
            spans.append(counted.span(1))
    formulas = formula_spans(question)
    places: list[tuple[int, int]] = []
    for start, end in sorted(set(spans), key=lambda place: (place[0], -place[1])):
        if not overlaps(start, end, formulas) and not overlaps(start, end, places):
            places.append((start, end))
    return places


def _like(first: str, word: str) -> str:
    return word.capitalize() if first.isupper() else word

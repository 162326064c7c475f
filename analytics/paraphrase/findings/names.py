"""Names that were lost or added, or replaced in places only; a renaming throughout is no finding (ParaQD, Table 3)."""

from __future__ import annotations

import re

from analytics.paraphrase.findings.finding import Finding
from analytics.paraphrase.findings.pair import Pair
from analytics.paraphrase.words.entities import EntityMention
from analytics.paraphrase.words.reading import Reading

_SEXES = frozenset({"woman", "man"})
_PEOPLE = _SEXES | {"other"}
_ARTICLE = re.compile(r"\b(?:the|an?|each|every|per)\s$", re.IGNORECASE)


def name_findings(pair: Pair) -> list[Finding]:
    """Return names that were lost, added, or replaced in places only."""
    original, paraphrase = pair.original, pair.paraphrase
    first, new = _first_mentions(original), _first_mentions(paraphrase)
    before, after = ({name: _count(name, text) for name in first} for text in (original, paraphrase))
    lost = [mention for name, mention in first.items() if not after[name]]
    fewer = [mention for name, mention in first.items() if 0 < after[name] < before[name]]
    people, new_people = (
        [each for each in text.values() if each.category in _SEXES] for text in (first, new)
    )
    findings: list[Finding] = []
    for mention in new.values():
        if _is_known(mention, original):
            continue
        renamed = next((name for name in lost if _alike(name, mention)), None)
        if renamed is not None:
            lost.remove(renamed)
            continue
        old = next((name for name in fewer if _alike(name, mention)), None)
        if old is not None:
            sentence = (
                f"“{old.text}” became “{mention.text}” in one place and stayed “{old.text}” in another."
            )
            findings.append(Finding.of("entity", sentence, old, mention))
        else:
            is_serious = (
                mention.category != "label"
                and not (mention.category in _SEXES and not people and len(new_people) == 1)
                and not (mention.category == "other" and _ARTICLE.search(paraphrase.text, 0, mention.start))
            )
            findings.append(Finding.added("entity", mention, is_serious=is_serious))
    findings += [
        Finding.lost("entity", mention, is_serious=len(people) > 1 or mention.category == "label")
        for mention in lost
    ]
    return findings


def _first_mentions(reading: Reading) -> dict[str, EntityMention]:
    first: dict[str, EntityMention] = {}
    for mention in reading.entities:
        first.setdefault(mention.text, mention)
    return first


def _is_known(mention: EntityMention, reading: Reading) -> bool:
    """Return whether a text has a name, or a word of a longer one with a capital: Santa Claus, Santa."""
    if mention.text.isupper():
        return bool(reading.mentions(mention.text))
    if _count(mention.text, reading):
        return True
    capitalised = {word.text for word in reading.words if word.text[0].isupper()}
    return " " in mention.text and not capitalised.isdisjoint(mention.text.split())


def _count(name: str, reading: Reading) -> int:
    """Return how often a text has a name; for "Mr. Stone" also "Stone" counts."""
    return len(reading.mentions(name) or (reading.mentions(name.split()[-1]) if " " in name else ()))


def _alike(mention: EntityMention, other: EntityMention) -> bool:
    """Return whether two names may replace one another."""
    return mention.category == other.category or {mention.category, other.category} <= _PEOPLE

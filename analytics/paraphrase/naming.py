"""Names and counted things of a pair: a renaming throughout is no finding, one in places is (ParaQD, Table 3)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rapidfuzz.distance import Levenshtein

from analytics.paraphrase.entities import EntityMention
from analytics.paraphrase.finding import Finding
from analytics.paraphrase.quantities import Match
from analytics.paraphrase.reading import UNIT_WORDS, Reading, Word
from analytics.paraphrase.wording import GENERIC, STOP_WORDS, is_adverb
from analytics.text.unit_names import ABBREVIATIONS, WORDS

__all__ = ["entity_findings", "renamings", "thing_findings"]

_PRONOUNS = frozenset(str.split("he she it they his her its their him them hers theirs who whom whose"))
_SEXES = frozenset({"woman", "man"})
_PEOPLE = _SEXES | {"other"}
_SAME_BEGINNING = 4  # letters: contract, contractual
_LONG_NAME = 5  # letters of a name that may be misspelt
_MISSPELT = 0.3  # share of the letters that differ
_ARTICLE = re.compile(r"\b(?:the|an?|each|every|per)\s$", re.IGNORECASE)


def renamings(original: Reading, paraphrase: Reading) -> dict[str, str]:
    """Names of the original that stand nowhere in the paraphrase -> the new name that stands in their place.

    A new name goes with the lost one of its kind that stood about as often, the first of them.
    """
    before, after = _counts(original.entities, original), _counts(original.entities, paraphrase)
    lost: dict[str, dict[str, int]] = {}  # by what may replace one another, how often each stood
    for name, kind in _first_mentions(original.entities).items():
        if not after[name]:
            lost.setdefault(_group(kind), {})[name] = before[name]
    fewer = {before[name] - after[name] for name in before if 0 < after[name] < before[name]}
    pairs: dict[str, str] = {}
    for new, kind in _new_names(original, paraphrase).items():
        free = lost.get(_group(kind))
        if not free:
            continue
        count = _count(new, paraphrase)
        name = min(free, key=lambda one: abs(free[one] - count))
        if count == free[name] or count not in fewer:
            pairs[name] = new
            del free[name]
    return pairs


def entity_findings(original: Reading, paraphrase: Reading) -> list[Finding]:
    """Return names that were lost, added, or replaced in places only."""
    pairs = renamings(original, paraphrase)
    first = {one.text: one for one in reversed(original.entities)}
    people = {name for name, kind in _first_mentions(original.entities).items() if kind in _SEXES}
    findings: list[Finding] = []
    before, after = _counts(original.entities, original), _counts(original.entities, paraphrase)
    missing = [name for name in first if name not in pairs and not after[name]]
    fewer = [name for name in first if name not in pairs and 0 < after[name] < before[name]]
    replaced = set(pairs.values())
    places = {one.text: one for one in reversed(paraphrase.entities)}
    is_impersonal = (
        not people and len({one.text for one in paraphrase.entities if one.category in _SEXES}) == 1
    )
    for name in _new_names(original, paraphrase):
        if name in replaced:
            continue
        place = places[name]
        if any(after[one] < before[one] and _is_misspelt(name, one) for one in first):
            continue
        old = next((one for one in fewer if _alike(first[one].category, place.category)), None)
        if old is not None:
            findings.append(
                Finding.between(
                    "entity",
                    "changed",
                    f"{old} became {name} in one place and stayed {old} in another.",
                    first[old],
                    place,
                )
            )
        else:
            findings.append(
                Finding.added(
                    "entity",
                    place,
                    is_serious=place.category != "label"
                    and not (place.category in _SEXES and is_impersonal)
                    and not _is_known_in_part(name, original)
                    and not (
                        place.category == "other"
                        and _ARTICLE.search(paraphrase.text[max(place.start - 6, 0) : place.start])
                    ),
                )
            )
    findings += [
        Finding.lost("entity", first[name], is_serious=len(people) > 1 or first[name].category == "label")
        for name in missing
    ]
    findings += _collapsed(first, fewer, original, paraphrase)
    told = {finding.before for finding in findings}
    if _pronouns(paraphrase) <= _pronouns(original):
        findings += [
            Finding.lost("entity", first[name], more=" in one place", is_serious=False)
            for name in fewer
            if name not in told
        ]
    return findings


def _is_misspelt(name: str, other: str) -> bool:
    """Whether a name is another one with a letter or two changed: Tanja, Tanya."""
    one, two = name.lower().removesuffix("s"), other.lower().removesuffix("s")
    return (
        min(len(one), len(two)) >= _LONG_NAME
        and one[0] == two[0]
        and Levenshtein.normalized_distance(one, two) < _MISSPELT
    )


def _is_known_in_part(name: str, reading: Reading) -> bool:
    """Whether a text has a word of a longer name with a capital too: Santa, Santa Claus."""
    known = {word.text for word in reading.words if word.text[0].isupper()}
    return " " in name and any(part in known for part in name.split())


def _pronouns(reading: Reading) -> int:
    return sum(word.text.lower() in _PRONOUNS for word in reading.words)


def _collapsed(
    first: dict[str, EntityMention], fewer: Sequence[str], original: Reading, paraphrase: Reading
) -> list[Finding]:
    """Find a name that stands more often where another of its kind stands less often: one took the other's place."""
    findings = []
    for name in fewer:
        for other, mention in first.items():
            if other == name or not _alike(first[name].category, mention.category):
                continue
            now = paraphrase.names.of(other)
            if len(now) > len(original.names.of(other)):
                findings.append(
                    Finding(
                        "entity",
                        "changed",
                        f"{name} became {other} in one place.",
                        original=(first[name].start, first[name].end),
                        paraphrase=now[0],
                        before=name,
                        after=other,
                        is_serious=original.is_close_to(paraphrase),
                    )
                )
    return findings


def thing_findings(original: Reading, paraphrase: Reading, matches: Sequence[Match]) -> list[Finding]:
    """Return counted things that were replaced in one place and stayed in another: 20 hats, but how many apples.

    Between texts of few common words a new noun is more often a synonym: there it is serious only where the question
    asks for the old one.
    """
    is_close = original.is_close_to(paraphrase)
    asked = {
        word.key
        for word in paraphrase.words
        if paraphrase.sentences[paraphrase.sentence_of(word.start)].is_question
    }
    findings = []
    done: set[tuple[str, str]] = set()
    for match in matches:
        before, after = match.original.nouns, match.paraphrase.nouns
        if not before or not after or set(before) & set(after):
            continue
        old, new = before[-1], after[-1]
        if (old, new) in done or new in original.keys or old not in paraphrase.keys:
            continue
        if sum(word.key == old for word in paraphrase.words) >= sum(
            word.key == old for word in original.words
        ):
            continue
        done.add((old, new))
        was = next(word for word in original.words if word.key == old and word.start >= match.original.end)
        now = next(
            word for word in paraphrase.words if word.key == new and word.start >= match.paraphrase.end
        )
        if _may_replace(was, now):
            findings.append(_replaced(was, now, is_serious=is_close or (old in asked and old not in GENERIC)))
    return findings + _replaced_in_places(original, paraphrase, done, is_close=is_close)


def _replaced(was: Word, now: Word, *, is_serious: bool) -> Finding:
    return Finding.between(
        "entity",
        "changed",
        f"{was.text} became {now.text} in one place and stayed {was.text} in another.",
        was,
        now,
        is_serious=is_serious,
    )


def _may_replace(was: Word, now: Word) -> bool:
    """Whether a word may be another thing: no small word, no unit, no "piece", no other form of the same word."""
    old, new = was.text.lower(), now.text.lower()
    return (
        new not in STOP_WORDS
        and new not in _PRONOUNS
        and now.key not in GENERIC
        and new not in WORDS
        and new not in ABBREVIATIONS
        and not is_adverb(new)
        and new not in UNIT_WORDS
        and old[:_SAME_BEGINNING] != new[:_SAME_BEGINNING]
    )


def _replaced_in_places(
    original: Reading, paraphrase: Reading, done: set[tuple[str, str]], *, is_close: bool
) -> list[Finding]:
    """Find counted things that became others between the same neighbours, and stayed elsewhere."""
    counted = {noun for quantity in original.quantities for noun in quantity.nouns}
    between = {
        _neighbours(original, index): word for index, word in enumerate(original.words) if word.key in counted
    }
    findings = []
    for index, word in enumerate(paraphrase.words):
        was = between.get(_neighbours(paraphrase, index))
        if (
            was is None
            or word.key in original.keys
            or was.key not in paraphrase.keys
            or (was.key, word.key) in done
        ):
            continue
        if was.text.endswith("s") != word.text.endswith("s"):
            continue
        done.add((was.key, word.key))
        if _may_replace(was, word):
            findings.append(_replaced(was, word, is_serious=is_close))
    return findings


def _neighbours(reading: Reading, index: int) -> tuple[str, str]:
    before = reading.words[index - 1].key if index else ""
    after = reading.words[index + 1].key if index + 1 < len(reading.words) else ""
    return before, after


def _first_mentions(entities: Sequence[EntityMention]) -> dict[str, str]:
    kinds: dict[str, str] = {}
    for one in entities:
        kinds.setdefault(one.text, one.category)
    return kinds


def _new_names(original: Reading, paraphrase: Reading) -> dict[str, str]:
    names = _first_mentions(paraphrase.entities)
    return {
        name: kind for name, kind in names.items() if not name.isupper() and not _count(name, original)
    } | {name: kind for name, kind in names.items() if name.isupper() and not original.names.of(name)}


def _counts(entities: Sequence[EntityMention], reading: Reading) -> dict[str, int]:
    """How often the text has each of the names."""
    return {name: _count(name, reading) for name in dict.fromkeys(one.text for one in entities)}


def _count(name: str, reading: Reading) -> int:
    """How often a name stands in a text; for "Mr. Stone" also "Stone" counts."""
    whole = reading.names.of(name)
    if whole or " " not in name:
        return len(whole)
    return len(reading.names.of(name.split()[-1]))


def _group(kind: str) -> str:
    """The same for kinds of names that may replace one another."""
    return "person" if kind in _PEOPLE else kind


def _alike(one: str, other: str) -> bool:
    return _group(one) == _group(other)

"""Names: a renaming throughout is no finding, a renaming in places is (ParaQD, Table 3)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rapidfuzz.distance import Levenshtein

from analytics.paraphrase.findings.finding import Finding
from analytics.paraphrase.findings.pair import Pair
from analytics.paraphrase.words.entities import EntityMention
from analytics.paraphrase.words.reading import Reading

_PRONOUNS = frozenset(str.split("he she it they his her its their him them hers theirs who whom whose"))
_SEXES = frozenset({"woman", "man"})
_PEOPLE = _SEXES | {"other"}
_LONG_NAME = 5  # letters of a name that may be misspelt
_MISSPELT = 0.3  # share of the letters that differ
_ARTICLE = re.compile(r"\b(?:the|an?|each|every|per)\s$", re.IGNORECASE)


def renamings(original: Reading, paraphrase: Reading) -> dict[str, str]:
    """Return the names of the original that stand nowhere in the paraphrase -> the new name that stands in their place.

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
        name = min(free, key=lambda candidate: abs(free[candidate] - count))
        if count == free[name] or count not in fewer:
            pairs[name] = new
            del free[name]
    return pairs


def name_findings(pair: Pair) -> list[Finding]:
    """Return names that were lost, added, or replaced in places only."""
    original, paraphrase = pair.original, pair.paraphrase
    pairs = renamings(original, paraphrase)
    first = {mention.text: mention for mention in reversed(original.entities)}
    people = {name for name, kind in _first_mentions(original.entities).items() if kind in _SEXES}
    findings: list[Finding] = []
    before, after = _counts(original.entities, original), _counts(original.entities, paraphrase)
    missing = [name for name in first if name not in pairs and not after[name]]
    fewer = [name for name in first if name not in pairs and 0 < after[name] < before[name]]
    replaced = set(pairs.values())
    places = {mention.text: mention for mention in reversed(paraphrase.entities)}
    is_impersonal = (
        not people
        and len({mention.text for mention in paraphrase.entities if mention.category in _SEXES}) == 1
    )
    for name in _new_names(original, paraphrase):
        if name in replaced:
            continue
        place = places[name]
        if any(
            after[known_name] < before[known_name] and _is_misspelt(name, known_name) for known_name in first
        ):
            continue
        old = next(
            (candidate for candidate in fewer if _alike(first[candidate].category, place.category)), None
        )
        if old is not None:
            findings.append(
                Finding.between(
                    "entity",
                    "changed",
                    f"“{old}” became “{name}” in one place and stayed “{old}” in another.",
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


def _is_misspelt(name: str, known_name: str) -> bool:
    """Return whether a name is another one with a letter or two changed: Tanja, Tanya."""
    spelling, known_spelling = name.lower().removesuffix("s"), known_name.lower().removesuffix("s")
    return (
        min(len(spelling), len(known_spelling)) >= _LONG_NAME
        and spelling[0] == known_spelling[0]
        and Levenshtein.normalized_distance(spelling, known_spelling) < _MISSPELT
    )


def _is_known_in_part(name: str, reading: Reading) -> bool:
    """Return whether a text has a word of a longer name with a capital too: Santa, Santa Claus."""
    capitalised_words = {word.text for word in reading.words if word.text[0].isupper()}
    return " " in name and any(part in capitalised_words for part in name.split())


def _pronouns(reading: Reading) -> int:
    return sum(word.text.lower() in _PRONOUNS for word in reading.words)


def _collapsed(
    first: dict[str, EntityMention], fewer: Sequence[str], original: Reading, paraphrase: Reading
) -> list[Finding]:
    """Find a name that stands more often where another of its kind stands less often: one took the other's place."""
    findings = []
    for name in fewer:
        for rival, mention in first.items():
            if rival == name or not _alike(first[name].category, mention.category):
                continue
            now = paraphrase.names.of(rival)
            if len(now) > len(original.names.of(rival)):
                findings.append(
                    Finding(
                        "entity",
                        "changed",
                        f"“{name}” became “{rival}” in one place.",
                        original=(first[name].start, first[name].end),
                        paraphrase=now[0],
                        before=name,
                        after=rival,
                        is_serious=original.is_close_to(paraphrase),
                    )
                )
    return findings


def _first_mentions(entities: Sequence[EntityMention]) -> dict[str, str]:
    kinds: dict[str, str] = {}
    for mention in entities:
        kinds.setdefault(mention.text, mention.category)
    return kinds


def _new_names(original: Reading, paraphrase: Reading) -> dict[str, str]:
    names = _first_mentions(paraphrase.entities)
    return {
        name: kind for name, kind in names.items() if not name.isupper() and not _count(name, original)
    } | {name: kind for name, kind in names.items() if name.isupper() and not original.names.of(name)}


def _counts(entities: Sequence[EntityMention], reading: Reading) -> dict[str, int]:
    """Return how often the text has each of the names."""
    return {name: _count(name, reading) for name in dict.fromkeys(mention.text for mention in entities)}


def _count(name: str, reading: Reading) -> int:
    """Return how often a name stands in a text; for "Mr. Stone" also "Stone" counts."""
    whole = reading.names.of(name)
    if whole or " " not in name:
        return len(whole)
    return len(reading.names.of(name.split()[-1]))


def _group(kind: str) -> str:
    """Return the same for kinds of names that may replace one another."""
    return "person" if kind in _PEOPLE else kind


def _alike(kind: str, other_kind: str) -> bool:
    return _group(kind) == _group(other_kind)

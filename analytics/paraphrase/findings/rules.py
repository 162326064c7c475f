"""Find what a paraphrase lost, added or changed, described in words and located in both texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from analytics.paraphrase.findings.finding import Finding, Words
from analytics.paraphrase.findings.numbers import number_findings, unit_findings
from analytics.paraphrase.findings.pair import Pair, read_pair
from analytics.paraphrase.findings.replaced import replaced_findings
from analytics.paraphrase.findings.target import target_findings
from analytics.paraphrase.words.editing import overlaps
from analytics.paraphrase.words.entities import EntityMention, find_entities
from analytics.paraphrase.words.reading import Reading
from analytics.text.formulas import Segment, formula_segments
from analytics.text.meaning import same_meaning
from analytics.text.numbers import find_numbers

_MOST = 8  # maximum formulas of a text to compare


def weigh_formulas(pair: Pair, findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings without those inside equivalent formulas.

    A formula with a different meaning is itself a finding, unless another finding inside it already covers
    it. Formulas are compared in order, if both texts have the same number of them.
    """
    settled = list(findings)
    formulas = [formula_segments(text.text) for text in (pair.original, pair.paraphrase)]
    if len(formulas[0]) != len(formulas[1]) or len(formulas[0]) > _MOST:
        return settled
    for old, new in zip(*formulas, strict=True):
        if old.body == new.body:
            continue
        meaning = same_meaning(old.body, new.body)
        if meaning == "same":
            settled = [finding for finding in settled if not _is_within(finding, old, new)]
        elif meaning == "different" and not any(
            finding.is_serious and finding.original and overlaps(*finding.original, [(old.start, old.end)])
            for finding in settled
        ):
            sentence = f"{old.source} became {new.source}, which means something else."
            words = [Words(formula.start, formula.end, formula.source) for formula in (old, new)]
            settled.append(Finding.of("number", sentence, *words))
    return settled


def _is_within(finding: Finding, old: Segment, new: Segment) -> bool:
    """Return whether everything that a finding refers to is inside a formula in each text."""
    places = ((finding.original, old), (finding.paraphrase, new))
    return any(span for span, _ in places) and all(
        span is None or (formula.start <= span[0] and span[1] <= formula.end) for span, formula in places
    )


_SEXES = frozenset({"woman", "man"})
_PEOPLE = _SEXES | {"other"}
_ARTICLE = re.compile(r"\b(?:the|an?|each|every|per)\s$", re.IGNORECASE)


def name_findings(pair: Pair) -> list[Finding]:
    """Return names that were lost, added, or replaced in only some places."""
    original, paraphrase = pair.original, pair.paraphrase
    first, new = _first_mentions(original), _first_mentions(paraphrase)
    before, after = ({name: _count(name, text) for name in first} for text in (original, paraphrase))
    lost = [mention for name, mention in first.items() if not after[name]]
    fewer = [mention for name, mention in first.items() if 0 < after[name] < before[name]]
    people, new_people = ([each for each in text.values() if each.category in _SEXES] for text in (first, new))
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
            sentence = f"“{old.text}” became “{mention.text}” in one place and stayed “{old.text}” in another."
            findings.append(Finding.of("entity", sentence, old, mention))
        else:
            is_serious = (
                mention.category != "label"
                and not (mention.category in _SEXES and not people and len(new_people) == 1)
                and not (mention.category == "other" and _ARTICLE.search(paraphrase.text, 0, mention.start))
            )
            findings.append(Finding.added("entity", mention, is_serious=is_serious))
    findings += [
        Finding.lost("entity", mention, is_serious=len(people) > 1 or mention.category == "label") for mention in lost
    ]
    return findings


def _first_mentions(reading: Reading) -> dict[str, EntityMention]:
    first: dict[str, EntityMention] = {}
    for mention in reading.entities:
        first.setdefault(mention.text, mention)
    return first


def _is_known(mention: EntityMention, reading: Reading) -> bool:
    """Return whether a text contains a name, or a capitalised word of a longer one: Santa Claus, Santa."""
    if mention.text.isupper():
        return bool(reading.mentions(mention.text))
    if _count(mention.text, reading):
        return True
    capitalised = {word.text for word in reading.words if word.text[0].isupper()}
    return " " in mention.text and not capitalised.isdisjoint(mention.text.split())


def _count(name: str, reading: Reading) -> int:
    """Return how often a text contains a name; for "Mr. Stone", "Stone" counts too."""
    return len(reading.mentions(name) or (reading.mentions(name.split()[-1]) if " " in name else ()))


def _alike(mention: EntityMention, other: EntityMention) -> bool:
    """Return whether two names may replace one another."""
    return mention.category == other.category or {mention.category, other.category} <= _PEOPLE


RULES: tuple[Callable[[Pair], list[Finding]], ...] = (
    number_findings,
    unit_findings,
    name_findings,
    replaced_findings,
    target_findings,
)
"""All checks, in order; once a place has a serious finding, no more are reported for it."""

_WORD = re.compile(r"\S+")

# Texts are compared only up to here, so that no pair takes long. The longest of 136,000 public questions has
# 4,794 characters.
_LONGEST = 5_000  # characters
_MOST_NUMBERS = 100  # aligning is quadratic in them
_MOST_NAMES = 100  # pairing names is too
_SHORT = 2 * _MOST_NAMES  # characters; shorter texts cannot exceed the limits


def find_changes(original: str, paraphrase: str) -> list[Finding]:
    """Compare a question with its paraphrase; an empty list means that there are no findings.

    Overlong texts are compared only at their beginnings, and a finding reports where the comparison ends.

    >>> [finding.sentence for finding in find_changes("Zoe rode 30 kilometres.", "Zoe rode some kilometres.")]
    ['30 became some.']
    """
    if original == paraphrase:
        return []
    end, new_end = _end_of_reading(original), _end_of_reading(paraphrase)
    findings = _changes(original[:end], paraphrase[:new_end])
    findings.sort(key=lambda finding: (not finding.is_serious, (finding.original or finding.paraphrase or (0, 0))[0]))
    if original[end:] != paraphrase[new_end:]:
        places = (
            match and Words.at(match.span(), match.string)
            for match in (_WORD.search(original, end), _WORD.search(paraphrase, new_end))
        )
        sentence = "The texts are too long to be compared from here on."
        findings.append(Finding.of("wording", sentence, *places, is_serious=False))
    return findings


def _end_of_reading(text: str) -> int:
    """Return where a text reaches too many characters, numbers or names to compare further; usually its end."""
    end = min(len(text), _LONGEST)
    if end <= _SHORT:
        return end
    numbers = find_numbers(text[:end])
    if len(numbers) > _MOST_NUMBERS:
        end = numbers[_MOST_NUMBERS].start
    names: set[str] = set()
    for mention in find_entities(text[:end]):
        names.add(mention.text)
        if len(names) > _MOST_NAMES:
            return mention.start
    return end


def _changes(original: str, paraphrase: str) -> list[Finding]:
    pair = read_pair(original, paraphrase)
    findings: list[Finding] = []
    for rule in RULES:
        serious = [finding for finding in findings if finding.is_serious]
        findings += [finding for finding in rule(pair) if not _is_reported(finding, serious)]
    return weigh_formulas(pair, findings)


def _is_reported(finding: Finding, reported: list[Finding]) -> bool:
    """Return whether a finding, or its span in the original, has already been reported."""
    places = [other.original for other in reported if other.original]
    if finding.kind != "target" and finding.original and overlaps(*finding.original, places):
        return True
    return any(finding.sentence == other.sentence for other in reported)

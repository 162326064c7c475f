"""What a paraphrase lost, added or changed, in words, with places in both texts. Torch-free and fast.

ParaQD (Gupta et al., 2022) gives a score and no reason; sections 1 and 5.5 name what goes wrong: numbers, units,
entities that are replaced in places, information that is lost. These findings say which of it happened. A renaming
throughout, numbers in words, abbreviated units and converted quantities are no findings (Table 3).
"""

from __future__ import annotations

import re
from dataclasses import replace

from analytics.paraphrase.aligned import replacements
from analytics.paraphrase.comparing import find_comparisons
from analytics.paraphrase.comparisons import comparison_findings
from analytics.paraphrase.contrasts import contrast_findings
from analytics.paraphrase.editing import overlaps
from analytics.paraphrase.entities import find_entities
from analytics.paraphrase.exchanges import exchange_findings, find_exchanges
from analytics.paraphrase.finding import Finding, Span
from analytics.paraphrase.gaps import gap_findings
from analytics.paraphrase.local_edits import local_edit_findings
from analytics.paraphrase.naming import entity_findings, renamings, thing_findings
from analytics.paraphrase.negations import negation_findings
from analytics.paraphrase.other_side import told_from_the_other_side
from analytics.paraphrase.quantities import quantity_findings, unit_findings
from analytics.paraphrase.reading import read
from analytics.paraphrase.target import target_findings
from analytics.text.numbers import find_numbers

__all__ = ["Finding", "find_changes"]

# Not the coordinates of a point, and not the first of a list: (0,5), 1,2 and 4.
_COMMA = re.compile(r"(?<![\d.,(\[{])(\d{1,15}),(\d{1,15})(?!\d|[.,]\d|[)\]}]|,?\s(?:and|or)\s\d|,\s?\d)")
_DECIMAL = re.compile(r"(?<![\d.])\d{1,15}\.\d{1,15}(?!\d)")
_WORD = re.compile(r"\S+")
_GROUP = 3  # digits behind a comma that may part thousands

# No more of a text is compared, so that no pair takes long. The longest of 136,000 public questions has 4,794
# characters.
_LONGEST = 5_000  # characters
_MOST_NUMBERS = 100  # aligning is quadratic in them
_MOST_NAMES = 100  # so is pairing names
_SHORT = 2 * _MOST_NAMES  # characters that cannot hold more


def find_changes(original: str, paraphrase: str) -> list[Finding]:
    """Compare a question with its paraphrase; an empty list means that nothing was found.

    Of texts longer than anybody's question the beginnings are compared, and a finding says where they end.

    >>> [one.sentence for one in find_changes("Zoe rode 30 kilometres.", "Zoe rode some kilometres.")]
    ['30 became some.']
    """
    if original == paraphrase:
        return []
    here, there = _end_of_reading(original), _end_of_reading(paraphrase)
    findings = _changes(original[:here], paraphrase[:there])
    if original[here:] != paraphrase[there:]:
        findings.append(_unread(original, here, paraphrase, there))
    return findings


def _end_of_reading(text: str) -> int:
    """Where a text has too many characters, numbers or names to be compared further; mostly its end."""
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


def _unread(original: str, here: int, paraphrase: str, there: int) -> Finding:
    """Says that the rest of the texts, which differs, was not compared."""
    one, other = _WORD.search(original, here), _WORD.search(paraphrase, there)
    return Finding(
        "wording",
        "changed",
        "The texts are too long to be compared from here on.",
        original=one and one.span(),
        paraphrase=other and other.span(),
        before=one[0] if one else "",
        after=other[0] if other else "",
        is_serious=False,
    )


def _changes(original: str, paraphrase: str) -> list[Finding]:
    written = original, paraphrase
    original, paraphrase = _with_points(original, paraphrase), _with_points(paraphrase, original)
    before = read(original)
    after = read(paraphrase, tuple(dict.fromkeys(one.text for one in before.entities)))
    new = tuple(dict.fromkeys(one.text for one in after.entities))
    if set(new) - {one.text for one in before.entities}:
        before = replace(before, entities=tuple(find_entities(original, new)))
    renamed = renamings(before, after)
    findings, matches = quantity_findings(before, after)
    compared = find_comparisons(before), find_comparisons(after)
    turned = told_from_the_other_side(before, after, *compared)
    inverse = [one.numbers for one in turned]
    findings = [one for one in findings if (one.original, one.paraphrase) not in inverse]
    findings += unit_findings(before, after)
    findings += entity_findings(before, after)
    findings += thing_findings(before, after, matches)
    aligned = replacements(before, after)
    is_near_copy, replaced = aligned is not None, aligned or []
    exchanges = find_exchanges(before, replaced)
    same = [one.things for one in turned]
    findings += _untold(exchange_findings(before, after, replaced, exchanges, same), findings)
    findings += comparison_findings(before, after, *compared, renamed, exchanges)
    findings += negation_findings(before, after)
    findings += target_findings(before, after, renamed, exchanges, is_near_copy=is_near_copy)
    findings += gap_findings(before, after)
    contrasts = _untold(
        contrast_findings(before, after, replaced, is_near_copy=is_near_copy),
        [one for one in findings if one.is_serious],
    )
    findings = contrasts + [
        one for one in findings if one.is_serious or one.kind == "target" or _untold([one], contrasts)
    ]
    findings += _untold(local_edit_findings(before, after), findings)
    if written != (original, paraphrase):
        findings = [_as_written(one, *written) for one in findings]
    return sorted(
        findings, key=lambda one: (not one.is_serious, (one.original or one.paraphrase or (0, 0))[0])
    )


def _untold(found: list[Finding], told: list[Finding]) -> list[Finding]:
    """Those findings whose place in the original none was told of yet; a question as a whole is no such place."""
    places = [one.original for one in told if one.original and one.kind != "target"]
    return [one for one in found if one.original is None or not overlaps(*one.original, places)]


def _with_points(text: str, other: str) -> str:
    """Write "0,6" as "0.6" where the other text has 0.6; every character keeps its place."""
    known = set(_DECIMAL.findall(other))

    def write(match: re.Match[str]) -> str:
        decimal = f"{match[1]}.{match[2]}"
        return decimal if len(match[2]) != _GROUP and decimal in known else match[0]

    return _COMMA.sub(write, text) if known else text


def _as_written(finding: Finding, original: str, paraphrase: str) -> Finding:
    """The same finding with the words that stand at its places."""
    return replace(
        finding,
        before=_at(finding.original, original, finding.before),
        after=_at(finding.paraphrase, paraphrase, finding.after),
    )


def _at(span: Span | None, text: str, said: str) -> str:
    """What stands at a place, if it is what is said but for a decimal's mark; else what is said."""
    found = text[slice(*span)] if span else said
    return found if found.replace(".", ",") == said.replace(".", ",") else said

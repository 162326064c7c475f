"""What a paraphrase lost, added or changed, in words, with places in both texts. Torch-free and fast.

ParaQD (Gupta et al., 2022) gives a score and no reason; sections 1 and 5.5 name what goes wrong: numbers, units,
entities that are replaced in places, information that is lost. These findings say which of it happened. A renaming
throughout, numbers in words, abbreviated units and converted quantities are no findings (Table 3).

`RULES` is the one table of what is looked for. Each rule is a pure function of a `Pair`.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from analytics.paraphrase.findings.finding import Finding, Words
from analytics.paraphrase.findings.formulas import weigh_formulas
from analytics.paraphrase.findings.names import name_findings
from analytics.paraphrase.findings.numbers import number_findings
from analytics.paraphrase.findings.pair import Pair, read_pair
from analytics.paraphrase.findings.replaced import replaced_findings
from analytics.paraphrase.findings.target import target_findings
from analytics.paraphrase.findings.units import unit_findings
from analytics.paraphrase.words.editing import overlaps
from analytics.paraphrase.words.entities import find_entities
from analytics.text.numbers import find_numbers

RULES: tuple[Callable[[Pair], list[Finding]], ...] = (
    number_findings,
    unit_findings,
    name_findings,
    replaced_findings,
    target_findings,
)
"""Everything that is looked for, in this order; of a place that is reported as serious nothing more is said."""

_WORD = re.compile(r"\S+")

# No more of a text is compared, so that no pair takes long. The longest of 136,000 public questions has 4,794
# characters.
_LONGEST = 5_000  # characters
_MOST_NUMBERS = 100  # aligning is quadratic in them
_MOST_NAMES = 100  # so is pairing names
_SHORT = 2 * _MOST_NAMES  # characters that cannot hold more


def find_changes(original: str, paraphrase: str) -> list[Finding]:
    """Compare a question with its paraphrase; an empty list means that nothing was found.

    Of texts longer than anybody's question the beginnings are compared, and a finding says where they end.

    >>> [finding.sentence for finding in find_changes("Zoe rode 30 kilometres.", "Zoe rode some kilometres.")]
    ['30 became some.']
    """
    if original == paraphrase:
        return []
    end, new_end = _end_of_reading(original), _end_of_reading(paraphrase)
    findings = _changes(original[:end], paraphrase[:new_end])
    findings.sort(
        key=lambda finding: (not finding.is_serious, (finding.original or finding.paraphrase or (0, 0))[0])
    )
    if original[end:] != paraphrase[new_end:]:
        places = (
            match and Words.at(match.span(), match.string)
            for match in (_WORD.search(original, end), _WORD.search(paraphrase, new_end))
        )
        sentence = "The texts are too long to be compared from here on."
        findings.append(Finding.of("wording", sentence, *places, is_serious=False))
    return findings


def _end_of_reading(text: str) -> int:
    """Return where a text has too many characters, numbers or names to be compared further; mostly its end."""
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
    """Return whether a finding, or its place in the original, is reported already."""
    places = [other.original for other in reported if other.original]
    if finding.kind != "target" and finding.original and overlaps(*finding.original, places):
        return True
    return any(finding.sentence == other.sentence for other in reported)

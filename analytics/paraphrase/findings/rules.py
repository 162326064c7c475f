"""What a paraphrase lost, added or changed, in words, with places in both texts. Torch-free and fast.

ParaQD (Gupta et al., 2022) gives a score and no reason; sections 1 and 5.5 name what goes wrong: numbers, units,
entities that are replaced in places, information that is lost. These findings say which of it happened. A renaming
throughout, numbers in words, abbreviated units and converted quantities are no findings (Table 3).

`RULES` is the one table of what is looked for. Each rule is a pure function of a `Pair`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from analytics.errors import DataError
from analytics.paraphrase.findings.contrasts import contrast_findings
from analytics.paraphrase.findings.exchanges import exchange_findings
from analytics.paraphrase.findings.finding import Finding, Span
from analytics.paraphrase.findings.formulas import weigh_formulas
from analytics.paraphrase.findings.names import name_findings
from analytics.paraphrase.findings.numbers import number_findings
from analytics.paraphrase.findings.pair import Pair, read_pair
from analytics.paraphrase.findings.target import target_findings
from analytics.paraphrase.findings.things import thing_findings
from analytics.paraphrase.findings.units import unit_findings
from analytics.paraphrase.words.editing import overlaps
from analytics.paraphrase.words.entities import find_entities
from analytics.text.numbers import find_numbers


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of the findings.

    Attributes:
        name: as `evaluate paraphrase --without` takes it.
        find: compares the texts of a pair.
        explains: the rule helps a reader, and no finding of it is repeated where an earlier rule reported something.
    """

    name: str
    find: Callable[[Pair], list[Finding]]
    explains: bool = False


RULES: tuple[Rule, ...] = (
    Rule("numbers", number_findings),
    Rule("units", unit_findings),
    Rule("names", name_findings),
    Rule("things", thing_findings),
    Rule("target", target_findings),
    Rule("contrasts", contrast_findings, explains=True),
    Rule("exchanges", exchange_findings, explains=True),
)
"""Everything that is looked for, in this order."""

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


def find_changes(original: str, paraphrase: str, *, without: Collection[str] = ()) -> list[Finding]:
    """Compare a question with its paraphrase; an empty list means that nothing was found.

    Of texts longer than anybody's question the beginnings are compared, and a finding says where they end.

    Args:
        original: the question.
        paraphrase: the text that should ask the same.
        without: names of rules that are left out.

    >>> [finding.sentence for finding in find_changes("Zoe rode 30 kilometres.", "Zoe rode some kilometres.")]
    ['30 became some.']
    """
    findings = [
        finding
        for rule_findings in changes_by_rule(original, paraphrase, without=without).values()
        for finding in rule_findings
    ]
    findings.sort(
        key=lambda finding: (not finding.is_serious, (finding.original or finding.paraphrase or (0, 0))[0])
    )
    end, new_end = _end_of_reading(original), _end_of_reading(paraphrase)
    if original[end:] != paraphrase[new_end:]:
        findings.append(_unread(original, end, paraphrase, new_end))
    return findings


def changes_by_rule(
    original: str, paraphrase: str, *, without: Collection[str] = ()
) -> dict[str, list[Finding]]:
    """Return the findings of each rule, as `find_changes` does."""
    if original == paraphrase:
        return {}
    end, new_end = _end_of_reading(original), _end_of_reading(paraphrase)
    return _changes(original[:end], paraphrase[:new_end], without)


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


def _unread(original: str, end: int, paraphrase: str, new_end: int) -> Finding:
    """Say that the rest of the texts, which differs, was not compared."""
    word, new_word = _WORD.search(original, end), _WORD.search(paraphrase, new_end)
    return Finding(
        "wording",
        "changed",
        "The texts are too long to be compared from here on.",
        original=word and word.span(),
        paraphrase=new_word and new_word.span(),
        before=word[0] if word else "",
        after=new_word[0] if new_word else "",
        is_serious=False,
    )


def _changes(original: str, paraphrase: str, without: Collection[str]) -> dict[str, list[Finding]]:
    written = original, paraphrase
    original, paraphrase = _with_points(original, paraphrase), _with_points(paraphrase, original)
    pair = read_pair(original, paraphrase)
    findings: dict[str, list[Finding]] = {}
    for rule in RULES:
        if rule.name not in without:
            new = rule.find(pair)
            if rule.explains:
                new = _unreported(
                    new, [finding for rule_findings in findings.values() for finding in rule_findings]
                )
            findings[rule.name] = new
    findings = weigh_formulas(pair, findings)
    if written != (original, paraphrase):
        return {
            rule: [_as_written(finding, *written) for finding in rule_findings]
            for rule, rule_findings in findings.items()
        }
    return findings


def _unreported(findings: list[Finding], reported: list[Finding]) -> list[Finding]:
    """Return findings whose place in the original has not been reported as serious yet.

    A question as a whole is no such place.
    """
    places = [
        finding.original
        for finding in reported
        if finding.original and finding.is_serious and finding.kind != "target"
    ]
    return [
        finding for finding in findings if finding.original is None or not overlaps(*finding.original, places)
    ]


def check_rules(names: Collection[str]) -> None:
    """Check the names of rules.

    Raises:
        DataError: there is no rule of a name.
    """
    rule_names = [rule.name for rule in RULES]
    for name in names:
        if name not in rule_names:
            raise DataError(f"There is no rule {name}. The rules are {', '.join(rule_names)}.")


def _with_points(text: str, counterpart: str) -> str:
    """Write "0,6" as "0.6" where the other text has 0.6; every character keeps its place."""
    decimals = set(_DECIMAL.findall(counterpart))

    def write(match: re.Match[str]) -> str:
        decimal = f"{match[1]}.{match[2]}"
        return decimal if len(match[2]) != _GROUP and decimal in decimals else match[0]

    return _COMMA.sub(write, text) if decimals else text


def _as_written(finding: Finding, original: str, paraphrase: str) -> Finding:
    """Return the same finding with the words at its places."""
    return replace(
        finding,
        before=_at(finding.original, original, finding.before),
        after=_at(finding.paraphrase, paraphrase, finding.after),
    )


def _at(span: Span | None, text: str, said: str) -> str:
    """Return the words at a place if they differ from what is said in a decimal mark alone, else what is said."""
    words = text[slice(*span)] if span else said
    return words if words.replace(".", ",") == said.replace(".", ",") else said

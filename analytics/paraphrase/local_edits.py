"""Words of a near copy that are missing or became others.

Where a paraphrase repeats nearly all of its original, the few words that differ are the change itself: a phrase that
was deleted, a word that took another's place. Between texts that differ throughout the same would be noise, since a
free rewording leaves out and replaces words everywhere; there nothing is said. In any text one word may be another.

That a word became another is no finding of weight by itself: it may be a synonym that no table has. What they mean is
compared by the scorer's encoder (`analytics.paraphrase.replaced_words`).
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import groupby

from rapidfuzz.distance import Levenshtein

from analytics.paraphrase.finding import Finding, Words
from analytics.paraphrase.reading import Reading
from analytics.paraphrase.wording import STOP_WORDS, canonical, is_adverb
from analytics.text.unit_names import ABBREVIATIONS, WORDS

__all__ = ["local_edit_findings"]

_TOKEN = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*|\d+(?:[.,]\d+)*|[-%$+−*/=×÷^°<>]")
_NEAR_COPY = 0.1  # share of the words of both texts that may differ
_FEW = 2  # words that may differ in any text: one for one
_LONGEST_GAP = 6  # words that are missing together
_LONGEST_REPLACED = 3  # words in one place, on either side
_MINOR = frozenset(
    str.split(
        """
        certain respectively just simply only also still such various particular own together altogether whole entire
        same given now following
        """
    )
)
"""Words beside the stop words whose loss changes no question, adverbs apart."""


@dataclass(frozen=True, slots=True)
class _Token:
    start: int
    end: int
    text: str
    key: str
    is_number: bool

    @property
    def is_content(self) -> bool:
        """Whether it is a word that says something; numbers, units and names are others' matter."""
        return (
            self.text[0].islower()
            and not self.is_number
            and self.text not in STOP_WORDS
            and self.text not in WORDS
            and self.text not in ABBREVIATIONS
        )

    @property
    def is_minor(self) -> bool:
        return self.text in _MINOR or is_adverb(self.text)

    @property
    def says_something(self) -> bool:
        """Whether it can stand for a word that is gone: a word, or a sign such as +."""
        return not self.text[0].isdigit() and self.text.lower() not in STOP_WORDS


@dataclass(frozen=True, slots=True)
class _Edit:
    """Neighbouring tokens of the original, and what stands there in the paraphrase; either may be empty."""

    before: tuple[_Token, ...]
    after: tuple[_Token, ...]


def local_edit_findings(original: Reading, paraphrase: Reading) -> list[Finding]:
    """Return what a near copy lost (serious) or has other words for (not serious); nothing where texts differ more.

    A word that was replaced throughout by one other is renamed, and no finding.
    """
    before, after = _tokens(original), _tokens(paraphrase)
    edits = _edits(before, after)
    changed = sum(len(one.before) + len(one.after) for one in edits)
    if changed > max(_FEW, _NEAR_COPY * (len(before) + len(after))):
        return []
    old, new = Counter(one.key for one in before), Counter(one.key for one in after)
    findings = []
    for edit in edits:
        words = [one for one in edit.before if one.is_content]
        others = [one for one in edit.after if one.is_content and one.key not in old]
        gone = [one for one in words if one.key not in new and not one.is_minor]
        if gone and not any(one.says_something for one in edit.after):
            if len(edit.before) <= _LONGEST_GAP:
                findings.append(_lost(original, gone))
        elif words and others and max(len(edit.before), len(edit.after)) <= _LONGEST_REPLACED:
            was, now = words[-1], others[-1]
            if old[was.key] > 1 and not new[was.key] and new[now.key] >= old[was.key]:
                continue
            findings.append(_replaced(original, paraphrase, words, others))
    return findings


def _lost(original: Reading, gone: list[_Token]) -> Finding:
    start, end = gone[0].start, gone[-1].end
    text = original.text[start:end]
    return Finding("wording", "lost", f"“{text}” is missing.", original=(start, end), before=text)


def _replaced(original: Reading, paraphrase: Reading, words: list[_Token], others: list[_Token]) -> Finding:
    was, now = (
        Words(tokens[0].start, tokens[-1].end, reading.text[tokens[0].start : tokens[-1].end])
        for reading, tokens in ((original, words), (paraphrase, others))
    )
    sentence = f"“{was.text}” became “{now.text}”."
    return Finding.between("wording", "changed", sentence, was, now, is_serious=False)


def _tokens(reading: Reading) -> list[_Token]:
    in_numbers = {at for one in reading.quantities for at in range(*one.number)}
    return [
        _Token(
            match.start(),
            match.end(),
            match[0],
            canonical(match[0]) if match[0][0].isalpha() else match[0],
            match.start() in in_numbers,
        )
        for match in _TOKEN.finditer(reading.text)
    ]


def _edits(before: list[_Token], after: list[_Token]) -> list[_Edit]:
    """Where two texts differ, each place once."""
    blocks = Levenshtein.opcodes([one.key for one in before], [one.key for one in after])
    edits = []
    for is_equal, run in groupby(blocks, key=lambda block: block.tag == "equal"):
        if not is_equal:
            changed = list(run)
            first, last = changed[0], changed[-1]
            edits.append(
                _Edit(
                    tuple(before[first.src_start : last.src_end]),
                    tuple(after[first.dest_start : last.dest_end]),
                )
            )
    return edits

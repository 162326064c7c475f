"""Negations of a pair: "not", "neither", "without", "fails to"."""

from __future__ import annotations

import re

from analytics.paraphrase.findings.finding import Finding, Words
from analytics.paraphrase.findings.pair import Pair
from analytics.paraphrase.words.reading import Reading
from analytics.paraphrase.words.wording import STOP_WORDS

_NEGATION = re.compile(
    r"(?<!\w)(?:not|never|neither|nor|without|cannot|none|nobody|\w*n['’]t|no(?! (?:more|less|fewer|longer|of)\b)(?!\.)"
    r"|except|excluding|apart from|aside from|other than|fail(?:s|ed|ing)? to|forg[eo]t(?:s|ten)? to|unable|incapable"
    r"|lack(?:s|ed|ing)?|miss(?:es|ed|ing)|avoid(?:s|ed|ing)?|refus(?:e|es|ed|ing))(?!\w)",
    re.IGNORECASE,
)
# "cannot hold more than 64" bounds as "holds no more than 64" does.
_NEGATED_BOUND = re.compile(
    r"(?<!\w)(?:not|cannot|\w*n['’]t)(?: \w+){0,2} (more|less|fewer) than\b", re.IGNORECASE
)
_UPPER_BOUND = re.compile(r"\b(?:no more than|at most|(?<!add )(?<!adds )up to (?=\d))", re.IGNORECASE)
_LOWER_BOUND = re.compile(r"\b(?:no (?:less|fewer) than|at least)\b", re.IGNORECASE)
_FEW_WORDS = 8
_NEAR = 3  # words behind a negation, one of which it denies


def negation_findings(pair: Pair) -> list[Finding]:
    """Return whether "not", "neither", "without", "fails to" ... were all lost, or came in where there was none.

    The other text must have what is denied: "who does not eat", "who does eat". Empty seats may be those that are not
    used.
    """
    original, paraphrase = pair.original, pair.paraphrase
    before, after = _negations(original, paraphrase), _negations(paraphrase, original)
    if bool(before) == bool(after):
        return []
    if not _tell_alike(original, paraphrase):
        return []
    if before:
        is_affirmed = _is_affirmed(original, before, paraphrase)
        return [Finding.lost("negation", before[0])] if is_affirmed else []
    return [Finding.added("negation", after[0])] if _is_affirmed(paraphrase, after, original) else []


def _negations(reading: Reading, counterpart: Reading) -> list[Words]:
    """Return the negations of a text, without "not more than" where the other text bounds in other words."""
    negations = [Words(*match.span(), match[0]) for match in _NEGATION.finditer(reading.text)]
    bounds = {
        match.start()
        for match in _NEGATED_BOUND.finditer(reading.text)
        if (_UPPER_BOUND if match[1].lower() == "more" else _LOWER_BOUND).search(counterpart.text)
    }
    return [negation for negation in negations if negation.start not in bounds]


def _tell_alike(original: Reading, paraphrase: Reading) -> bool:
    """Return whether a negation of one text is missed in the other; in other words "nothing but" may be "all"."""
    return original.is_close_to(paraphrase) or min(len(original.keys), len(paraphrase.keys)) <= _FEW_WORDS


def _is_affirmed(reading: Reading, negations: list[Words], counterpart: Reading) -> bool:
    """Return whether another text has the first content word behind one of the negations."""
    denied = (reading.words[reading.word_at(negation.end) :][:_NEAR] for negation in negations)
    first = (
        next((word.key for word in words if word.text.lower() not in STOP_WORDS), "") for words in denied
    )
    return not counterpart.keys.isdisjoint(first)

"""Find the questions that are probably wrong although they have no doubt, and what to check in each.

The weights come from a logistic regression on the outcome of strangers' papers when first read (`python -m
tests.bench.outside.suspicion`, decision 117). The feature with the largest contribution determines what to check.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace

from analytics.analysed_text import EACH_PART
from questionbank.papers import phrases
from questionbank.papers.paper import Doubt, FoundQuestion

_WEIGHTS = {"paper": 1.72, "unanswered": 1.09, "mentions": 3.68, "textless": 2.26, "match": 2.13}
_CONSTANT = -2.66
THRESHOLD = 0.25
"""The minimum probability of being wrong that raises a doubt."""
_MENTIONS = re.compile(
    r"\b(?:questions?|items?|problems?|exercises?|aufgaben?|fragen?|preguntas?|exercices?|opgaven?)\s*\d"
    r"|第\s?\d+|\d+\s?题",
    re.IGNORECASE,
)
"""Refers to other questions."""


def with_suspicions(questions: Sequence[FoundQuestion], settled: Set[int]) -> Iterator[FoundQuestion]:
    """Yield the questions, with a doubt added to those that are probably wrong but have none.

    Args:
        settled: lines with roles set by a person; their questions get no doubts.
    """
    doubted = sum(bool(question.doubts) for question in questions) / max(len(questions), 1)
    has_answers = any(not signs(question, doubted)["unanswered"] for question in questions)
    for question in questions:
        if not question.doubts and settled.isdisjoint(question.lines):
            against = {sign: _WEIGHTS[sign] * value for sign, value in signs(question, doubted).items()}
            against["unanswered"] *= has_answers  # otherwise it is reported once, for the whole paper
            if probability(against) > THRESHOLD:
                worst = max(against, key=against.__getitem__)
                question = replace(question, doubts=(_doubt(worst),))
        yield question


def probability(against: Mapping[str, float]) -> float:
    """Return the probability that a question is wrong, from the contribution of each feature."""
    return 1 / (1 + math.exp(-sum(against.values()) - _CONSTANT))


def signs(question: FoundQuestion, doubted: float) -> dict[str, float]:
    """Return the features that may count against a question, by the names of their weights.

    Args:
        doubted: share of the paper's questions with a doubt, from 0 to 1.
    """
    record = question.record
    shared = record.content.stimulus.text
    own = record.text[len(shared) :].strip()
    answers = "\n".join([record.answer, *(part.answer for part in record.content.parts)]).strip()
    first = shared.partition("\n")[0]
    names_its_own = phrases.is_stimulus(first) or phrases.STIMULUS.match(first)
    return {
        "paper": doubted,
        "unanswered": float(not (answers or record.solution or record.content.accepted)),
        "mentions": float(_MENTIONS.search(record.text) is not None and not names_its_own),
        "textless": float(own == EACH_PART or len(own) < 6),
        "match": float(record.kind != "matching" and phrases.MATCHING.search(record.text) is not None),
    }


def _doubt(sign: str) -> Doubt:
    """Return the doubt for the feature with the largest contribution."""
    return Doubt(
        sign,
        {
            "paper": "Much of this paper is doubtful. Compare this question with the document.",
            "unanswered": "No answer was found. If the document gives one, say which line it is.",
            "mentions": "Its text names other questions. Is all of it meant for this one?",
            "textless": "Nothing above its parts or options asks. Is a line of its text missing?",
            "match": "It asks to match, but was not read as pairs. Look at its options and its answer.",
        }[sign],
    )

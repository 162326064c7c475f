"""Choose among several readings of a paper: the one with the most coherent questions, numbers and answers.

Which numbers belong to questions, and where a list of answers is, often only becomes clear from the result. A paper is
therefore read in every way that its lines allow, and the results are compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from analytics.analysed_text import EACH_PART
from questionbank.papers.answer_lists import answer_lists
from questionbank.papers.doubts import left_over
from questionbank.papers.marks import read_mark
from questionbank.papers.numbering import numbering, numbering_below_words
from questionbank.papers.paper import FoundQuestion, Line, Paper, Role
from questionbank.papers.phrases import KEY_TITLE
from questionbank.papers.roles import Count, read_roles
from questionbank.papers.segmenting import gathered

_MARGIN = 0.3  # minimum advantage over a simpler reading


@dataclass(frozen=True, slots=True)
class Reading:
    """The roles of a paper's lines, and the coherence of the resulting questions."""

    roles: list[Role]
    coherence: float


def guess_roles(lines: Sequence[Line]) -> list[Role]:
    """Guess the role of each line."""
    marks = [read_mark(line.number) for line in lines]
    lists = [*answer_lists(lines, marks)]
    best = _with_lists(lines, lists, numbering)
    if numbering_below_words(lines, marks).headings:
        other = _with_lists(lines, lists, numbering_below_words)
        best = other if other.coherence > best.coherence + _MARGIN else best
    return best.roles


def _with_lists(lines: Sequence[Line], lists: Sequence[Sequence[frozenset[int]]], count: Count) -> Reading:
    """Return a reading that uses each list of answers, to its best extent, if that is more coherent than without it."""
    key: frozenset[int] = frozenset()
    best = _read(lines, key, count)
    for candidates in lists:
        with_list = key
        for candidate in candidates:
            reading = _read(lines, candidate if candidate & key else key | candidate, count)
            if reading.coherence > best.coherence + _MARGIN:
                best, with_list = reading, candidate if candidate & key else key | candidate
        key = with_list
    return best


def _read(lines: Sequence[Line], key: frozenset[int], count: Count = numbering) -> Reading:
    roles = read_roles(lines, key, count)
    return Reading(roles, coherence(lines, roles, gathered(lines, roles)))


def _lacks_answer(question: FoundQuestion) -> bool:
    """Return whether an answer is missing without a doubt about it, as in a paper without answers."""
    record = question.record
    return (
        bool(record.options or record.kind in ("true_false", "matching"))
        and not (record.answer or record.solution or record.content.accepted)
        and all(doubt.code != "unanswered" for doubt in question.doubts)
    )


def coherence(lines: Sequence[Line], roles: Sequence[Role], paper: Paper) -> float:
    """Return how coherent the questions of a paper are.

    A question counts 1 without doubts, and 0.5 more with an answer; doubts, answers without a question and unused lines
    lower the score.
    """
    found = 0.0
    used: set[int] = set()
    for question in paper.questions:
        record = question.record
        used |= {*question.lines}
        answered = record.answer or record.solution or any(part.answer for part in record.content.parts)
        found += bool(answered) or record.text != EACH_PART  # parts that ask nothing may be a list of answers
        found += 0.5 * bool(answered) - 0.6 * min(len(question.doubts) + _lacks_answer(question), 2)
    unread = sum(
        role is not Role.KEY and KEY_TITLE.fullmatch(line.text) is not None
        for line, role in zip(lines[:-1], roles, strict=False)
    )
    return found - 1.5 * unread - 0.5 * len(paper.notices) - 0.2 * len(left_over(lines, roles, used))

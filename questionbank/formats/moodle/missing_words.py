"""Questions with gaps as GIFT asks them: one gap is a missing word, whose answers stand in its place."""

from __future__ import annotations

import re
from dataclasses import replace

from analytics.question_content import AcceptedAnswer, Blank, Option
from analytics.records import QuestionRecord
from questionbank.formats.derived_answer import best_answers, blank_answer, right_options
from questionbank.formats.moodle.gift_items import GAP

_MARK = re.compile(r"\[\[\d{1,3}\]\]")


def with_missing_word(record: QuestionRecord) -> QuestionRecord:
    """Return a question with one gap as one of the gap's kind; one with several as an open one. Others stay."""
    if record.kind != "blanks":
        return record
    content, text = record.content, _MARK.sub(GAP, record.text)
    if not content.blanks:
        is_one = bool(record.answer) and text.count(GAP) < 2
        return replace(record, kind="short" if is_one else "open", text=text)
    rest = replace(record, text=text, content=replace(content, blanks=()))
    if len(content.blanks) > 1 or text.count(GAP) != 1:
        return replace(rest, kind="open", answer="")
    blank = content.blanks[0]
    return _choice(rest, blank) if blank.options else _typed(rest, blank)


def _typed(record: QuestionRecord, blank: Blank) -> QuestionRecord:
    kind = "number" if blank.kind == "number" else "short"
    answer = blank_answer(blank)
    if blank.accepted == (AcceptedAnswer(answer),):
        return replace(record, kind=kind, answer=answer)
    answer = "; ".join(one.text for one in best_answers(blank.accepted))
    return replace(record, kind=kind, answer=answer, content=replace(record.content, accepted=blank.accepted))


def _choice(record: QuestionRecord, blank: Blank) -> QuestionRecord:
    right = right_options(blank.options)
    is_plain = len(right) == 1 and all(
        option.weight == (option.label in right) or option.weight is None for option in blank.options
    )
    weights = [None if is_plain else option.weight or 0.0 for option in blank.options]
    options = tuple(
        Option(option.label, option.text, "", weight, option.feedback)
        for option, weight in zip(blank.options, weights, strict=True)
    )
    return replace(record, kind="choice", options=options, answer=", ".join(right))

"""Items to put in order are shown in a wrong order, and the answer names them by the letters shown."""

from __future__ import annotations

import pytest
from django.template import engines

from analytics.question_content import Option, QuestionContent, QuestionPart, as_json
from analytics.records import QuestionRecord
from questionbank.templatetags.question_content import answer_shown

_ITEMS = (Option("A", "1"), Option("B", "2"), Option("C", "30"))
_PART = QuestionPart("Sort them.", "ordering", _ITEMS, "A, B, C")
_QUESTIONS = {
    "alone": QuestionRecord("", "Sort them.", kind="ordering", answer="A, B, C", options=_ITEMS),
    "in a part": QuestionRecord(
        "", "Numbers.", kind="parts", answer="(a) A, B, C", content=QuestionContent(parts=(_PART,))
    ),
}


@pytest.mark.parametrize("name", _QUESTIONS)
def test_neither_page_nor_answer_gives_the_order_away(name):
    record = _QUESTIONS[name]
    question = as_json(record)
    template = engines["django"].from_string(
        '{% load question_content %}{% include "components/question_body.html" %}|{{ question|answer_shown }}'
    )
    body, _bar, answer = template.render({"question": question}).rpartition("|")
    places = [body.index(f">{text}<") for text in ("1", "2", "30")]
    assert places == sorted(places, reverse=True)
    assert answer.removeprefix("(a) ") == answer_shown(record).removeprefix("(a) ") == "C, B, A"

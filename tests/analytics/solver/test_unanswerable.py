"""Questions that no number answers are refused with a sentence; those that only look so are not."""

from __future__ import annotations

from analytics.solver.solution import story_reason
from analytics.solver.unanswerable import unanswerable_reason
from tests.cases import each_case


@each_case("unanswerable")
def test_a_question_that_no_number_answers_is_refused_with_a_sentence(text: str, sentence: str) -> None:
    assert unanswerable_reason(text) == sentence
    if sentence == "The question does not ask for a number.":
        assert story_reason(text) == sentence

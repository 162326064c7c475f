"""Marking: by the file's mark, the bank's key, or the file's key."""

from __future__ import annotations

import pytest

from analytics.question_content import Option
from questionbank.responses.matching_selectors import Marked, MarkedQuestion, mark_response
from questionbank.responses.response_table import ResponseRow

OPTIONS = (Option("A", "$x = 2$"), Option("B", "$x = -2$"), Option("C", "$x = 3$"))


def question(kind: str = "choice", *, options: tuple[Option, ...] = OPTIONS, answer: str = "B") -> MarkedQuestion:
    return MarkedQuestion(7, 1, kind, options, answer)


def marked(response: str = "", *, of: MarkedQuestion, key: str = "", mark: float | None = None) -> Marked:
    return mark_response(ResponseRow(2, "p", 0, mark, response, key), 4.0, of)


def test_a_mark_of_the_file_counts_whatever_the_key_says():
    assert marked("A", of=question(), mark=3.0) == Marked(0.75, "A")
    assert marked(of=question(), mark=4.0) == Marked(1.0)


@pytest.mark.parametrize(
    ("response", "expected"),
    [("b", Marked(1.0, "B")), ("A.", Marked(0.0, "A")), ("x = -2", Marked(1.0, "B")), ("x=3", Marked(0.0, "C"))],
)
def test_an_option_is_recognised_by_its_label_or_its_text(response, expected):
    assert marked(response, of=question()) == expected


def test_weights_of_options_give_parts_of_the_mark():
    options = (Option("A", "2", weight=0.5), Option("B", "3", weight=0.5), Option("C", "4", weight=-0.5))
    several = question(options=options, answer="A, B")
    assert [marked(text, of=several).score for text in ("A, B", "A", "C", "A,C")] == [1.0, 0.5, 0.0, 0.0]


def test_a_letter_that_is_no_option_is_refused():
    with pytest.raises(ValueError, match="“F” is not an option of question 7"):
        marked("F", of=question())


def test_without_a_key_in_the_bank_the_files_key_counts():
    unknown = question(answer="")
    assert [marked(text, of=unknown, key="C").score for text in ("C", "A")] == [1.0, 0.0]
    with pytest.raises(ValueError, match="the right option of question 7 is unknown"):
        marked("C", of=unknown)


@pytest.mark.parametrize(("response", "score"), [("True", 1.0), ("false", 0.0), ("t", 1.0)])
def test_true_and_false(response, score):
    assert marked(response, of=question("true_false", options=(), answer="true")).score == score


@pytest.mark.parametrize(("response", "score"), [("0.5", 1.0), ("1/2", 1.0), ("2", 0.0), ("x", 0.0)])
def test_a_typed_answer_is_compared_by_its_meaning(response, score):
    assert marked(response, of=question("number", options=(), answer="1/2")).score == score


@pytest.mark.parametrize("response", ["because they are similar", "one; two"])
def test_an_answer_that_cannot_be_compared_is_refused(response):
    with pytest.raises(ValueError, match="cannot be compared"):
        marked(response, of=question("open", options=(), answer="The triangles are similar."))

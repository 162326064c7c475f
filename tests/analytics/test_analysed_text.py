"""The text of a question that everything reads which searches, compares, predicts or learns."""

from __future__ import annotations

import pytest

from analytics.analysed_text import EACH_PART, analysed_text, line_text, record_text, stored_text
from analytics.question_content import (
    EMPTY,
    AcceptedAnswer,
    Blank,
    Feedback,
    MatchingPair,
    Option,
    QuestionContent,
    QuestionPart,
    Stimulus,
    as_json,
)
from questionbank.demo.bank import demo_questions

OPTIONS = (Option("A", "A square is a rectangle."), Option("B", "A kite is a square."))
CHOICES = "A kite is a square.\nA square is a rectangle."
PARTS = (
    QuestionPart("Simplify $a^3 \\times a^4$", answer="$a^7$"),
    QuestionPart(
        "",
        content=QuestionContent(
            parts=(QuestionPart("Expand $3(x+2)$"), QuestionPart("Which is larger?", options=OPTIONS))
        ),
    ),
)


def test_the_questions_of_the_demo_bank_are_analysed_by_their_text_alone():
    assert [record_text(record) for record in demo_questions()] == [record.text for record in demo_questions()]


@pytest.mark.parametrize(
    ("text", "options", "content", "expected"),
    [
        ("Solve $x=1$", (), EMPTY, "Solve $x=1$"),
        ("Work out.", (), QuestionContent(parts=PARTS[:1]), "Work out.\nSimplify $a^3 \\times a^4$"),
        (
            EACH_PART,
            (),
            QuestionContent(parts=PARTS),
            f"Simplify $a^3 \\times a^4$\nExpand $3(x+2)$\nWhich is larger?\n{CHOICES}",
        ),
        (EACH_PART, (), QuestionContent(parts=(QuestionPart(""),)), EACH_PART),
        ("Which statement is true?", OPTIONS, EMPTY, f"Which statement is true?\n{CHOICES}"),
        ("下列说法正确的是", OPTIONS[:1], EMPTY, f"下列说法正确的是\n{OPTIONS[0].text}"),
        ("What is $2+3$?", OPTIONS, EMPTY, "What is $2+3$?"),
        ("What is the sum of an octagon’s angles?", OPTIONS, EMPTY, "What is the sum of an octagon’s angles?"),
        ("How many?", (), QuestionContent(stimulus=Stimulus(text="A farm.")), "A farm.\n\nHow many?"),
        ("A farm.\n\nHow many?", (), QuestionContent(stimulus=Stimulus(text="A farm.")), "A farm.\n\nHow many?"),
        ("Find x. ![a circle of radius 3](image1.png)", (), EMPTY, "Find x. a circle of radius 3"),
        ("![](image1.png)", (), EMPTY, "![](image1.png)"),
        ("Read off y:\n\n| x | 1 |\n|---|---|\n| y | 7 |", (), EMPTY, "Read off y:\n\n| x | 1 |\n|---|---|\n| y | 7 |"),
        (
            "Match.",
            (),
            QuestionContent(pairs=(MatchingPair("half", "0.5"), MatchingPair("fifth", "0.2"), MatchingPair("", "0.1"))),
            "Match.\nhalf\nfifth\n0.1\n0.2\n0.5",
        ),
        (
            "The sides are [[1]].",
            (),
            QuestionContent(blanks=(Blank("choice", options=(Option("A", "parallel", weight=1.0),)),)),
            "The sides are [[1]].",
        ),
    ],
)  # fmt: skip
def test_a_question_is_analysed_by_all_that_it_says(text, options, content, expected):
    assert analysed_text(text, options, content) == expected
    assert stored_text(text, as_json(options), as_json(content)) == expected
    line = {"text": text, "options": as_json(options), "grading": as_json(content)}
    assert line_text(line) == expected


def test_what_answers_a_question_is_never_analysed():
    secret = QuestionContent(
        accepted=(AcceptedAnswer("SECRET"),),
        feedback=Feedback(general="SECRET"),
        hints=("SECRET",),
        blanks=(Blank(accepted=(AcceptedAnswer("SECRET"),)),),
        parts=(QuestionPart("Add.", answer="SECRET", content=QuestionContent(hints=("SECRET",))),),
    )
    assert "SECRET" not in analysed_text("How many?", (Option("A", "2", feedback="SECRET"),), secret)

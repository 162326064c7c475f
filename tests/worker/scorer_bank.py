"""A bank of word problems, decisions on paraphrases of them, and tiny scorers."""

from __future__ import annotations

from analytics.splits import is_held_out
from questionbank.models import ParaphrasePair, Question
from tests.analytics.paraphrase.word_problems import word_problems
from tests.questionbank.small_bank import add_questions


def add_word_problems(count: int = 120) -> list[Question]:
    """Ready questions in English without a concept."""
    return add_questions({"text": text} for text in word_problems(count))


def reworded(text: str) -> str:
    """A valid paraphrase of a word problem."""
    return text.replace("How many", "What number of")


def spoilt(text: str) -> str:
    """An invalid paraphrase of a word problem."""
    return text.replace("30 km", "50 km")


def add_decided(questions: list[Question], *, held_out: bool | None = None) -> list[ParaphrasePair]:
    """For each question a pair that reviewers accepted and one that they rejected."""
    wanted = [question for question in questions if held_out is None or is_held_out(question.text) == held_out]
    return ParaphrasePair.objects.bulk_create(
        ParaphrasePair(
            question=question,
            original=question.text,
            paraphrase=text,
            source="upload",
            state="decided",
            outcome=outcome,
        )
        for question in wanted
        for text, outcome in ((reworded(question.text), "accept"), (spoilt(question.text), "reject"))
    )

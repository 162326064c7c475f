"""What looks like a mathematics question, and what does not."""

from __future__ import annotations

import pytest

from analytics.analysed_text import EACH_PART, UNTITLED
from analytics.inference.subject import looks_like_mathematics, mathematics_probability
from tests.cases import each_case


@each_case("subject_and_demands", "subjects")
def test_mathematics_is_recognised_and_what_says_too_little_is_accepted(text: str, is_mathematics: bool) -> None:
    assert looks_like_mathematics(text) is is_mathematics


def test_endless_texts_are_recognised_too() -> None:
    assert not looks_like_mathematics("Good morning everyone! " * 1_000)
    river = "The river ran slowly past the mill. " * 500
    assert looks_like_mathematics(f"{river}The wheel turns 3 times a minute. How often in 8 hours?")
    assert looks_like_mathematics(UNTITLED)
    assert looks_like_mathematics(EACH_PART)


@pytest.mark.parametrize("text", ["Kurtka jest droga, a buty są tanie.", "Все ученики пришли.", "Οι μαθητές ήρθαν."])
def test_nothing_is_said_against_a_text_in_a_language_that_was_not_learned(text: str) -> None:
    assert looks_like_mathematics(text)


def test_a_probability_is_stated_for_any_text() -> None:
    assert all(0 <= mathematics_probability(text) <= 1 for text in ("", "\0", "x" * 20_000, "3 + 4 = ?"))

"""What looks like a mathematics question, and what does not."""

from __future__ import annotations

import pytest

from analytics.analysed_text import EACH_PART, UNTITLED
from analytics.inference.subject import looks_like_mathematics, mathematics_probability


@pytest.mark.parametrize(
    "text",
    [
        "Please remember to bring your PE kit on Thursday, the bus leaves at 8:45.",
        "asdf qwer 12 zxcv 7 plok?",
        "Who was Cleopatra and how did she die?",
        "Write a haiku about winter.",
        "Fry the bacon for 4 minutes, add 2 leeks and a splash of cream.",
        "Candidates have 45 minutes and must answer all questions in black ink.",
        "The goalkeeper saved two penalties and the visitors won 4-3 on aggregate.",
        "Der Wandertag am 18. Mai findet nur bei gutem Wetter statt, Treffpunkt 8 Uhr am Bahnhof.",
        "明天下午4点篮球队训练，请带毛巾和水。",
        "Good morning everyone! " * 1_000,
        "Hello",
        "🎉🎉",
        "...",
    ],
)
def test_what_is_not_mathematics_is_recognised(text: str) -> None:
    assert not looks_like_mathematics(text)


@pytest.mark.parametrize(
    "text",
    [
        "Peter is taller than Quentin but shorter than Rosa. Who is the tallest?",
        "The bus leaves at 8:45 and arrives at 9:20. How long does the journey take?",
        "World War I began in 1914 and ended in 1918. How many years did it last?",
        "Prove that there are infinitely many primes.",
        "Ein Kaninchen frisst 80 g am Tag. Wie lange reicht ein Sack von 2 kg?",
        "小华有36元，买了4本同样的笔记本后还剩8元，每本多少元？",
        "The river ran slowly past the mill. " * 500 + "The wheel turns 3 times a minute. How often in 8 hours?",
        "triangle",
        "$x^2$",
        "7 x 8",
        "12345",
        "x",
        "Exercise 3.2",
        "[image]",
        UNTITLED,
        EACH_PART,
        "",
        " ",
    ],
)
def test_mathematics_is_accepted_and_so_is_what_says_too_little(text: str) -> None:
    assert looks_like_mathematics(text)


@pytest.mark.parametrize("text", ["Kurtka jest droga, a buty są tanie.", "Все ученики пришли.", "Οι μαθητές ήρθαν."])
def test_nothing_is_said_against_a_text_in_a_language_that_was_not_learned(text: str) -> None:
    assert looks_like_mathematics(text)


def test_a_probability_is_stated_for_any_text() -> None:
    assert all(0 <= mathematics_probability(text) <= 1 for text in ("", "\0", "x" * 20_000, "3 + 4 = ?"))

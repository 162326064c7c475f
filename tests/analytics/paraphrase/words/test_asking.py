import pytest

from analytics.paraphrase.scoring.scorer import asks_something


@pytest.mark.parametrize(
    "text",
    [
        "How many pens has Ann?",
        "Simplify $3a - a$.",
        "Ann has 3 pens. Find how many are left.",
        "3 + 4 = ____",
        r"\( 43.2 \div 10= \)",
        "If $a$ and $b$ are prime, then $a + b$ is.",
        "$x^2 - 4$",
        "Rounding 1.123 to one decimal place.",
    ],
)
def test_questions_tasks_and_blanks_ask(text):
    assert asks_something(text)


@pytest.mark.parametrize("text", ["Ann has 3 pens and gives Tom 2.", "The bus leaves at 9:00. It is late."])
def test_statements_ask_nothing(text):
    assert not asks_something(text)

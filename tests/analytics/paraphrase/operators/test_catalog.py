"""The table of operators: what is in it, and what every operator keeps."""

from __future__ import annotations

import random
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics.errors import DataError
from analytics.paraphrase.operators.catalog import OPERATORS, operator, select_operators, with_functions

QUESTIONS = (
    "Mia had 25 cards, gave 7 to Leo and bought 2 packs of 10 cards for $3 each. How many cards does Mia have now?",
    "A car drives 120 km in 2 hours. Find its average speed in m/s.",
    "If Leo is 4 years older than Mia and Mia is nine, how old is Leo?",
    r"The sides of a rectangle are $3x$ and $2x + 1$. If $x = 4$, what is its area?",
    "小明有5本书，每本12元。一共多少元？",
    "3:5",
)
_WORDS = st.sampled_from(
    "Ann has 3 12 km $5 pens. more than , ? How many If the hours 50% $x^2$ Tom each twice a".split()
)


def test_the_papers_operators_are_all_there() -> None:
    paper = [entry for entry in OPERATORS if entry.is_paper]
    symbols = [entry.label.split()[0] for entry in paper]
    assert symbols == [*(f"f{number}" for number in range(1, 11)), "f_a", "f_b", "f_c", "f_d", "f_e"]
    assert [entry.is_positive for entry in paper] == [True] * 4 + [False] * 6 + [True] * 2 + [False] * 3
    assert [entry.is_training for entry in paper] == [True] * 10 + [False] * 5


def test_names_are_unique_and_training_and_test_operators_share_no_function() -> None:
    assert len({entry.name for entry in OPERATORS}) == len(OPERATORS)
    training = {entry.function for entry in OPERATORS if entry.is_training}
    assert not training & {entry.function for entry in OPERATORS if not entry.is_training}


def test_operators_are_selected_by_use_and_by_name() -> None:
    names = {entry.name for entry in select_operators(without=("phrase_deletion",), extra=False)}
    assert len(names) == 9
    assert "phrase_deletion" not in names
    assert {entry.name for entry in select_operators(training=False)} == {
        "passive_voice", "reconstruction", "tfidf_replacement", "random_deletion", "weak_question",
    }  # fmt: skip
    with pytest.raises(DataError, match="no operator nothing"):
        select_operators(without=("nothing",))


def test_a_model_takes_the_place_of_its_stand_in() -> None:
    replaced = with_functions(OPERATORS, {"back_translation": lambda question, rng: "model"})
    entry = next(entry for entry in replaced if entry.name == "back_translation")
    assert entry.apply("x", random.Random(0)) == "model"
    with pytest.raises(DataError):
        with_functions(OPERATORS, {"nothing": lambda question, rng: None})


@pytest.mark.parametrize("name", [entry.name for entry in OPERATORS])
@pytest.mark.parametrize("question", QUESTIONS)
def test_no_operator_gives_back_the_question_unless_it_says_so(name: str, question: str) -> None:
    for seed in range(10):
        changed = operator(name).apply(question, random.Random(seed))
        assert changed == operator(name).apply(question, random.Random(seed))
        if name != "same_sentence" and changed is not None:
            assert changed.strip()
            assert changed != question


@settings(max_examples=60, deadline=None)
@given(
    st.lists(_WORDS, max_size=25).map(" ".join) | st.text(alphabet=string.printable, max_size=60), st.integers(0, 99)
)
def test_no_operator_fails_on_any_text(question: str, seed: int) -> None:
    for entry in OPERATORS:
        changed = entry.apply(question, random.Random(seed))
        assert changed is None or changed.strip()
        assert entry.name == "same_sentence" or changed != question

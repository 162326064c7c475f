"""The question moves to the front, and slots follow."""

from __future__ import annotations

import pytest

from analytics.expression.tree import to_infix
from analytics.records import ProblemRecord
from analytics.solver.pools import reorder_question
from analytics.solver.targets import solver_example, value_of


def test_numbers_of_the_question_take_the_first_slots_and_the_value_stays():
    problem = ProblemRecord("1", "Ann has 7 pens . how many are left if 2 break ?", equation="7-2")
    moved = reorder_question(problem)
    assert moved.text == "how many are left if 2 break ? Ann has 7 pens ."
    before, after = solver_example(problem), solver_example(moved)
    assert (to_infix(before.tree), to_infix(after.tree)) == ("N0-N1", "N1-N0")
    assert value_of(after.tokens, after.values) == value_of(before.tokens, before.values) == 5


def test_a_question_without_numbers_keeps_the_prototype():
    problem = ProblemRecord("1", "Ann has 7 pens. 2 break. How many are left?", equation="7-2")
    assert to_infix(solver_example(reorder_question(problem)).tree) == "N0-N1"


@pytest.mark.parametrize(
    ("text", "moved"),
    [
        ("一袋米重2.5千克，3袋米重多少千克？", "3袋米重多少千克？一袋米重2.5千克。"),
        ("有5个苹果。又买2个，一共几个?", "一共几个?有5个苹果。又买2个。"),
    ],
)
def test_chinese_clauses_end_at_commas_and_decimals_stay_whole(text, moved):
    assert reorder_question(ProblemRecord("1", text, "zh")).text == moved


@pytest.mark.parametrize("text", ["How many are 3.5 and 2?", "Ann has 7 pens. She is glad.", "", "7 pens"])
def test_a_problem_whose_last_sentence_is_no_question_or_the_only_one_is_left_alone(text):
    assert reorder_question(ProblemRecord("1", text)) is None

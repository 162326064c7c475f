"""Programs and calculations as trees."""

from __future__ import annotations

from fractions import Fraction

import pytest

from analytics.errors import DataError
from analytics.expression.evaluate import evaluate
from analytics.expression.programs import calculations_tree, program_tree
from analytics.expression.tree import to_infix
from analytics.json_lines import read_objects
from tests.cases import each_case


def test_a_program_s_last_step_is_one_tree() -> None:
    program = "divide(n0,n1)|multiply(const_1,const_1000)|divide(#1,#0)|subtract(#2,n1)|"
    assert to_infix(program_tree(program, ["6", "3"])) == "1*1000/(6/3)-3"
    assert to_infix(program_tree("rectangle_perimeter(n0,n1)", ["6", "3.5"])) == "2*(6+3.5)"
    assert to_infix(program_tree("multiply(n0,const_0_2778)", ["72"])) == "72*0.2778"


@each_case("expressions", "broken_programs")
def test_a_program_that_is_none_says_why(program: str, problem: str) -> None:
    with pytest.raises(DataError, match=problem):
        program_tree(program, ["1", "2"])


def test_a_program_that_doubles_itself_too_often_is_refused() -> None:
    program = "|".join(["add(n0,n0)"] + [f"multiply(#{step},#{step})" for step in range(40)])
    with pytest.raises(DataError, match="more than 300"):
        program_tree(program, ["1", "2"])


@each_case("expressions", "calculations")
def test_results_of_earlier_steps_are_put_in(calculations, numbers, expected) -> None:
    assert to_infix(calculations_tree(calculations, [Fraction(number) for number in numbers])) == expected


def test_calculations_that_cannot_be_read_say_why() -> None:
    for calculations, problem in (([], "0"), (["no sum"], "not a calculation"), (["1/0=1"], "zero")):
        with pytest.raises(DataError, match=problem):
            calculations_tree(calculations)


@pytest.mark.shared_data
def test_nearly_all_solutions_of_gsm8k_become_a_tree_with_the_published_answer(shared_data) -> None:
    right = with_steps = 0
    for _line, row in read_objects(shared_data / "gsm8k" / "train.jsonl.gz"):
        if not row.get("calculations"):
            continue
        with_steps += 1
        try:
            right += abs(evaluate(calculations_tree(row["calculations"])) - Fraction(row["answer"])) < Fraction(1, 100)
        except DataError:
            continue
    assert right / with_steps > 0.9

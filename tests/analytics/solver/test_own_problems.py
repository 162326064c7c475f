"""The problems that we wrote by hand: to fit confidences on, and to measure solvers blind."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import pytest

from analytics.expression.evaluate import evaluate
from analytics.expression.tree import parse_expression
from analytics.json_lines import read_objects
from analytics.question_files import read_problems
from analytics.solver.plausibility import rounding_of
from analytics.solver.targets import solver_examples

ROOT = Path(__file__).parents[3]
FILES = {
    ROOT / "worker" / "solver" / "written_problems.jsonl": 213,
    Path(__file__).with_name("blind_problems") / "problems.jsonl": 200,
}


@pytest.mark.parametrize(("path", "count"), FILES.items())
def test_equations_give_the_answers_and_can_be_learned_from(path: Path, count: int) -> None:
    rows = [row for _number, row in read_objects(path)]
    assert len({row["text"] for row in rows}) == len(rows) == count
    for row in rows:
        value = evaluate(parse_expression(row["equation"]))
        rounded = math.ceil(value) if rounding_of(row["text"]) == "up" else value
        assert Fraction(row["answer"]) in (value, rounded), row["text"]
    assert len(solver_examples(read_problems(path).learned)) >= count - 5


def test_no_problem_is_in_both_files() -> None:
    fitted, blind = ({row["text"] for _number, row in read_objects(path)} for path in FILES)
    assert not fitted & blind

"""How many cars 28 children need, and how many of five chairs each a hall of 28 has in a full row."""

from __future__ import annotations

from fractions import Fraction

from analytics.solver.plausibility import rounded_solution, rounding_of
from analytics.solver.solution import Solution, solution_of, solution_steps
from tests.cases import each_case

VALUES = [Fraction(28), Fraction(5), Fraction(3)]


@each_case("plausible_answers", "rounding")
def test_the_words_behind_how_many_tell_how_to_round(question, rounding):
    assert rounding_of(f"There are 28 children. {question}") == rounding


@each_case("plausible_answers", "rounded")
def test_a_quotient_is_rounded_where_things_are_counted(tokens, question, answer):
    solution = solution_of(tokens.split(), VALUES, 0.5)
    rounded = rounded_solution(question, solution)
    if answer is None:
        assert rounded is None
        return
    assert rounded is not None
    assert rounded.answer == rounded.exact == answer
    assert (rounded.equation, rounded.quotient) == (solution.equation, solution.value)


def test_rounding_is_the_last_step():
    def steps(tokens: str, question: str) -> list[str]:
        rounded = rounded_solution(question, solution_of(tokens.split(), VALUES, 0.5))
        assert isinstance(rounded, Solution)
        return [str(step) for step in solution_steps(rounded)]

    assert steps("/ N0 N1", "How many cars are needed?") == ["28 / 5 = 5.6", "5.6 rounded up = 6"]
    assert steps("/ N0 N2", "About how many are they?")[-1] == "9.33333 rounded = 9"

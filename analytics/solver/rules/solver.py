"""A solver with rules in front of it: answers of the rules, and the solver's answers to the restated problem.

`RULES` has the rules in the order in which they are tried, with the precision of each. A rule gives no answer unless
the whole text fits it: every number has a role. How often such an answer agrees with the published one was measured on
the development splits of public data: decision 70.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from analytics.errors import DataError
from analytics.expression.evaluate import constant_label
from analytics.expression.tree import to_prefix
from analytics.inference.subject import NOT_MATHEMATICS, looks_like_mathematics
from analytics.records import ProblemRecord
from analytics.solver.confidence import mixed_solutions
from analytics.solver.rules.counting import (
    capacity,
    enough_for_all,
    in_several_units,
    number_of_pairings,
    posts_and_gaps,
    remainder,
)
from analytics.solver.rules.instructions import named_computation, names_other_computation
from analytics.solver.rules.journeys import average_speed, one_journey, time_together, two_journeys
from analytics.solver.rules.kinds import number_of_one_kind
from analytics.solver.rules.lists import mean_with_one_more, missing_of_mean, statistic_of_list
from analytics.solver.rules.percentages import (
    before_change,
    change_in_percent,
    changed_by_share,
    discounted_price,
    percent_of_whole,
    share_of_ratio,
)
from analytics.solver.rules.prices import (
    in_inverse_proportion,
    in_proportion,
    part_of_purchase,
    rate_in_period,
    simple_interest,
)
from analytics.solver.rules.reading import Reading, RuleAnswer, asked_unit, converted_quantity
from analytics.solver.rules.relations import related_numbers
from analytics.solver.rules.restating import Restatement, restatement
from analytics.solver.rules.shapes import change_of_level, length_by_scale, rectangle_measure, square_measure
from analytics.solver.rules.story import Contradiction
from analytics.solver.rules.times import between_clock_times, between_dates, clock_time_after
from analytics.solver.solution import (
    LONGEST_TEXT,
    SEVERAL_REASON,
    ProblemSolver,
    Solution,
    asks_several,
    numbers_reason,
    solution_of,
)
from analytics.text.number_slots import number_slots
from analytics.text.question_tasks import is_instruction, is_word_problem
from analytics.text.remembered import Remembered


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule.

    Attributes:
        name: its name in the solutions that it produces.
        answer: returns the rule's answer; None if the text does not fit it.
        precision: fraction of its answers that are right.
    """

    name: str
    answer: Callable[[Reading], RuleAnswer | None]
    precision: float


RULES = (
    Rule("instructions", named_computation, 0.97),
    Rule("lists", statistic_of_list, 0.97),
    Rule("clock times", between_clock_times, 0.93),
    Rule("clock times", clock_time_after, 0.93),
    Rule("dates", between_dates, 0.85),
    Rule("units", converted_quantity, 0.97),
    Rule("rates", rate_in_period, 0.95),
    Rule("missing from a mean", missing_of_mean, 0.9),
    Rule("missing from a mean", mean_with_one_more, 0.9),
    Rule("percentages", percent_of_whole, 0.93),
    Rule("percentages", changed_by_share, 0.85),
    Rule("changes by per cents", before_change, 0.92),
    Rule("changes by per cents", change_in_percent, 0.85),
    Rule("discounts", discounted_price, 0.93),
    Rule("ratios", share_of_ratio, 0.93),
    Rule("remainders", remainder, 0.94),
    Rule("negative numbers", change_of_level, 0.85),
    Rule("two kinds", number_of_one_kind, 0.94),
    Rule("journeys", one_journey, 0.93),
    Rule("journeys", two_journeys, 0.94),
    Rule("journeys", average_speed, 0.95),
    Rule("working together", time_together, 0.94),
    Rule("posts and gaps", posts_and_gaps, 0.93),
    Rule("everybody with everybody", number_of_pairings, 0.93),
    Rule("partly full", capacity, 0.94),
    Rule("relations", related_numbers, 0.96),
    Rule("squares", square_measure, 0.96),
    Rule("rectangles", rectangle_measure, 0.97),
    Rule("scales", length_by_scale, 0.92),
    Rule("enough for all", enough_for_all, 0.94),
    Rule("several units", in_several_units, 0.9),
    Rule("prices", part_of_purchase, 0.92),
    Rule("fees and interest", simple_interest, 0.95),
    Rule("proportion", in_proportion, 0.96),
    Rule("proportion", in_inverse_proportion, 0.93),
)


CONTRADICTION_REASON = "The statements of the text contradict each other: no numbers fit them all."


def rule_solution(text: str) -> Solution | None:
    """Return the answer of the first rule that fits a problem's text; None if none fits.

    >>> solution = rule_solution("A film starts at 6:45 pm and ends at 8:30 pm. How many minutes does it last?")
    >>> solution.equation, solution.exact, solution.rule
    ('(8-6)*60+30-45', '105', 'clock times')
    """
    return next(iter(_first_answer(text)), None)


def contradicts_itself(text: str) -> bool:
    """Return whether a rule reads all of a text and finds that its statements cannot all be true.

    >>> contradicts_itself("A farmer has hens and goats with 11 heads and 27 legs. How many hens are there?")
    True
    """
    return not _first_answer(text)


def _find_first_answer(text: str) -> tuple[Solution | None] | tuple[()]:
    """Return the first rule's answer, or None; an empty tuple if the text's statements cannot all be true."""
    slots = number_slots(text[:LONGEST_TEXT])
    if len(text) > LONGEST_TEXT or (slots and numbers_reason(slots)):
        return (None,)
    reading, is_contradicted = Reading(text), False
    for rule in RULES:
        try:
            answer = rule.answer(reading)
        except Contradiction:
            is_contradicted = True
            continue
        if answer is not None:
            solution = _solution(answer, [slot.value for slot in slots], rule.precision)
            return (None if solution is None else replace(solution, rule=rule.name),)
    return () if is_contradicted else (None,)


_first_answer: Remembered[Solution | None] = Remembered(_find_first_answer)


def _solution(answer: RuleAnswer, values: Sequence[Fraction], probability: float) -> Solution | None:
    try:
        solution = solution_of(to_prefix(answer.tree), values, probability)
    except DataError:
        return None
    if solution.value is None:
        return None
    if answer.rounding == "remainder":
        whole, part = (float(each) for each in solution.terms[1:])
        rest = math.fmod(whole, part)
        return replace(solution, value=rest, exact=str(int(rest)), rounding=answer.rounding)
    if answer.value is not None:
        solution = replace(solution, value=float(answer.value), exact=constant_label(answer.value))
    return replace(solution, written=answer.written, rounding=answer.rounding, said=answer.said)


_ASKS_PER_CENT = re.compile(r"百分之(?:几|多少)(?![分个])[^,，。]{0,6}[?？。．]?\s*$")


class RuleSolver:
    """Solver that puts rule answers before another solver's solutions: `analytics.solver.solution.ProblemSolver`."""

    def __init__(self, solver: ProblemSolver) -> None:
        self.solver = solver
        self.name = solver.name

    def solve(self, problems: Sequence[ProblemRecord], *, beam: int = 3) -> list[list[Solution]]:
        """Return up to `beam` solutions of different values for each problem, the most probable first."""
        restated = [_restated(problem) for problem in problems]
        solutions = self.solver.solve([problem for problem, _restatement in restated], beam=beam)
        answers: list[list[Solution]] = []
        for problem, (_problem, other_words), found in zip(problems, restated, solutions, strict=True):
            if other_words is not None:
                as_it_is = self.solver.solve([problem], beam=beam)[0]  # a twin has the same words
                is_twin = bool(as_it_is) and bool(as_it_is[0].twin)
                found = as_it_is if is_twin else [other_words.original(each) for each in found]
            is_known = bool(found) and bool(found[0].twin)
            rule = None if is_known else rule_solution(problem.text)
            mixed = mixed_solutions(rule, found, most=beam)
            answers.append([_in_per_cent(each) for each in mixed] if _ASKS_PER_CENT.search(problem.text) else mixed)
        return answers

    def unsolvable_reason(self, problem: ProblemRecord) -> str:
        """Explain in one sentence why a problem cannot be solved; empty if it can be tried."""
        if not problem.text.strip() or len(problem.text) > LONGEST_TEXT:
            return self.solver.unsolvable_reason(problem)
        if asks_several(problem.text):
            return SEVERAL_REASON
        if contradicts_itself(problem.text):
            return CONTRADICTION_REASON
        if rule_solution(problem.text) is not None:
            return ""
        if not looks_like_mathematics(problem.text):
            return NOT_MATHEMATICS
        if names_other_computation(problem.text):
            return "The text asks for a computation that the solver does not know."
        return self.solver.unsolvable_reason(_restated(problem)[0])


def _in_per_cent(solution: Solution) -> Solution:
    """Return a solution whose value, a share, is written as a percentage."""
    if not solution.exact or solution.written:
        return solution
    written = f"{constant_label(Fraction(solution.exact) * 100)}%"
    return replace(solution, written=written, rounding=solution.rounding or "percent")


def _restated(problem: ProblemRecord) -> tuple[ProblemRecord, Restatement | None]:
    if len(problem.text) > LONGEST_TEXT:
        return problem, None
    other_words = restatement(Reading(problem.text))
    return (problem, None) if other_words is None else (replace(problem, text=other_words.text), other_words)


def may_be_solved(text: str) -> bool:
    """Return whether a text is a word problem, an instruction in words, or a question that a rule answers.

    A text that does not look like mathematics is none of these.

    >>> [may_be_solved(text) for text in ("What percent of 80 is 20?", "What is 3 + 4?", "Solve x + 3 = 4.")]
    [True, True, False]
    """
    if rule_solution(text) is not None:
        return True
    return (is_word_problem(text) or is_instruction(text)) and looks_like_mathematics(text)


def compared_answers(original: str, paraphrase: str) -> float:
    """Return 1 if rules answer both texts with the same number, -1 if the numbers differ, else 0.

    Answers in different units are not compared, nor are answers in an unknown unit if the texts use different units.

    >>> tom = "Tom is 4 years older than Ann. Ann is 9. How old is Tom?"
    >>> compared_answers(tom, "Ann is 9. She is 4 years younger than Tom. How old is Tom?")
    1.0
    >>> compared_answers(tom, "Ann is 9. She is 4 years older than Tom. How old is Tom?")
    -1.0
    """
    values = []
    for text in (original, paraphrase):
        solution = rule_solution(text)
        if solution is None or solution.value is None:
            return 0.0
        values.append(solution.value)
    before, after = Reading(original), Reading(paraphrase)
    asked = asked_unit(before)
    if asked != asked_unit(after) or (not asked and _units(before) != _units(after)):
        return 0.0
    is_same = math.isclose(*values, rel_tol=1e-9, abs_tol=1e-9)
    return 1.0 if is_same else -1.0


def _units(reading: Reading) -> set[str]:
    return {each.unit_name for each in reading.quantities if each.unit is not None}

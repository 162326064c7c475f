"""Everyday problems: equations over the text's numbers, every kind, several questions about one story."""

from __future__ import annotations

import re
from random import Random

import pytest

from analytics.expression.evaluate import answers_agree, evaluate_float, is_slot
from analytics.expression.tree import parse_expression
from analytics.solver.targets import target_tree
from analytics.text.number_slots import number_slots
from questionbank.problem_writing import everyday
from questionbank.problem_writing.everyday import CONSTANTS, everyday_kinds, everyday_problems

KINDS, BESIDES = everyday._material()


@pytest.fixture(scope="module")
def problems():
    return list(everyday_problems(1200, seed=3))


def test_equations_are_worth_the_answer_and_use_the_texts_numbers(problems):
    for problem in problems:
        assert answers_agree(
            evaluate_float(parse_expression(problem.equation)), evaluate_float(parse_expression(f"({problem.answer})"))
        )
        leaves = target_tree(problem.equation, number_slots(problem.text)).leaves()
        assert all(is_slot(leaf) or leaf in CONSTANTS for leaf in leaves), problem


def test_texts_are_whole_sentences(problems):
    for problem in problems:
        assert re.search(r"[?.]$", problem.text), problem
        assert not re.search(r"[{}\[\]|]| [.,?]| {2}|\.\.|\bNone\b", problem.text), problem
        assert problem.text[0].isupper() or not problem.text[0].isalpha(), problem


def test_a_story_has_questions_with_different_equations(problems):
    equations: dict[str, set[str]] = {}
    for problem in problems:
        equations.setdefault(problem.kind, set()).add(re.sub(r"[\d.]+", "n", problem.equation))

    assert sum(len(forms) > 1 for forms in equations.values()) > 70


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_every_kind_is_drawn_with_many_texts(kind):
    rng = Random(1)
    drawn = [problem for _ in range(80) if (problem := everyday._problem(kind, BESIDES, rng))]

    assert len({problem.text for problem in drawn}) >= 20


def test_a_seed_gives_the_same_problems_and_kinds_can_be_left_out(problems):
    assert list(everyday_problems(50, seed=3)) == problems[:50]
    left_out = frozenset(everyday_kinds()[:100])
    assert not left_out & {problem.kind for problem in everyday_problems(50, seed=3, without=left_out)}


def test_some_problems_tell_a_number_that_plays_no_part(problems):
    idle = [
        problem
        for problem in problems
        if set(re.findall(r"\d+", problem.text)) - set(re.findall(r"\d+", problem.equation))
    ]
    assert len(idle) > len(problems) / 10

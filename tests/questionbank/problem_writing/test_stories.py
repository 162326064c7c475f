"""Synthetic word problems: right equations over the text's numbers, from every story and every question."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from itertools import islice
from random import Random

import pytest

from analytics.expression.evaluate import evaluate_float
from analytics.expression.tree import parse_expression
from analytics.question_files import read_problems
from analytics.solver.targets import problem_graph_key
from questionbank.problem_writing import stories as engine
from questionbank.problem_writing.problem import refusal
from questionbank.problem_writing.stories import graphs_with_stories, stories, synthetic_problems, synthetic_rows

PENCILS = "Sara had 24 pencils and gave 6 of them to Tom. How many pencils has Sara left?"
TAKE_AWAY = "+(-s0,s1)"
STORIES, _WORDS = engine._material()


@pytest.fixture(scope="module")
def problems():
    return synthetic_problems(1500, seed=3)


def numbers_in(text: str) -> list[str]:
    return re.findall(r"\d+", text)


def test_the_answer_is_the_value_of_the_equation_and_a_whole_number(problems):
    for problem in problems:
        assert evaluate_float(parse_expression(problem.equation)) == int(problem.answer), problem
        assert int(problem.answer) >= 2


def test_numbers_of_the_equation_stand_in_the_text_once(problems):
    for problem in problems:
        counts = Counter(numbers_in(problem.text))
        for number in numbers_in(problem.equation):
            assert counts[number] == 1 or (number == "2" and not counts[number]), problem  # "twice", "half"


def test_texts_are_whole_sentences_that_end_in_a_question(problems):
    for problem in problems:
        assert problem.text.endswith("?"), problem
        assert not re.search(r"[{}\[\]|]| [.,?]| {2}|\.\.|\bNone\b", problem.text), problem
        assert all(sentence[0].isupper() or sentence[0].isdigit() for sentence in problem.text.split(". ")), problem


def test_some_problems_tell_a_number_that_is_not_needed_and_some_an_unknown_one(problems):
    idle = [problem for problem in problems if set(numbers_in(problem.text)) - set(numbers_in(problem.equation))]
    assert 0.1 < len(idle) / len(problems) < 0.5
    assert any(re.search(r"(?<!After) some \w+", problem.text) for problem in problems)


def test_the_same_problems_come_for_a_seed_and_none_twice(problems):
    assert synthetic_problems(40, seed=5) == synthetic_problems(40, seed=5)
    assert synthetic_problems(40, seed=5) != synthetic_problems(40, seed=6)
    assert len({problem.text for problem in problems}) == len(problems)


def test_one_two_and_three_operations_with_all_four_operators(problems):
    operations = Counter(len(re.findall(r"[-+*/]", problem.equation)) for problem in problems)
    assert set(operations) == {1, 2, 3}
    assert min(operations[1], operations[2]) > 0.3 * len(problems)
    for operator in "+-*/":
        assert sum(operator in problem.equation for problem in problems) > 0.1 * len(problems)
    assert all(problem_graph_key(problem.text, problem.equation) for problem in problems[:200])


@pytest.mark.parametrize("number", range(len(STORIES)))
def test_every_phrasing_of_a_story_can_be_told(number):
    """A misspelt placeholder or quantity fails here, and not in one of a thousand draws."""
    story, rng = STORIES[number], Random(number)
    quantities = set(story.ranges) | set(story.definitions)
    assert quantities >= set(story.facts) | set(story.questions) | story.always | story.sometimes
    values = story.values(rng)
    assert values is not None
    assert all(values[name] >= 2 for name in quantities)
    words = engine.drawn_words(rng) | dict.fromkeys(quantities, "7")
    for phrasings in (*story.facts.values(), *story.questions.values()):
        for phrase in phrasings:
            assert phrase.count("[") == phrase.count("]")
            assert phrase.format(**words)
    for asked in story.questions:
        alone = replace(story, questions={asked: story.questions[asked]})
        draws = (engine._problem(alone, operations, rng) for _try in range(200) for operations in (1, 2, 3))
        assert any(draws), asked


def test_rows_are_lines_that_a_training_reads(tmp_path):
    path = tmp_path / "problems.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in synthetic_rows(5, 3)))
    assert [(problem.text, problem.equation, problem.answer) for problem in read_problems(path).learned] == [
        (problem.text, problem.equation, problem.answer) for problem in synthetic_problems(5, seed=3)
    ]


def test_stories_have_the_wanted_graph_another_text_and_the_equations_answer():
    told = {key: list(islice(stories(key, "7"), 2)) for key in graphs_with_stories()}
    assert sum(bool(problems) for problems in told.values()) >= 45
    for key, problems in told.items():
        for problem in problems:
            assert problem_graph_key(problem.text, problem.equation) == key
    refusals = Counter(
        refusal(problem, text=PENCILS, graph_key=key) for key, problems in told.items() for problem in problems
    )
    assert refusals[""] > 0.8 * refusals.total(), refusals


def test_stories_are_the_same_for_a_seed_and_unknown_graphs_have_none():
    first, again, other = (list(islice(stories(TAKE_AWAY, seed), 5)) for seed in ("1", "1", "2"))
    assert first == again != other
    assert list(stories("^(s0,7)", "1")) == []


@pytest.mark.parametrize(
    ("like", "amount"),
    [
        ("A pen costs £2.", r"£\d+\b"),
        ("A pen costs 2 €.", r"\b\d+ €"),
        ("Pens are Rs. 20 each.", r"Rs\. \d+\b"),
        ("He pays 20 pounds and gets 8 pounds back.", r"\b\d+ pounds\b"),
        ("A pen costs $2.", r"\$\d+\b"),
    ],
)
def test_stories_keep_the_currency_and_how_it_is_written(like, amount):
    told = [problem for key in graphs_with_stories() for problem in islice(stories(key, "7", like=like), 3)]
    paid = [problem for problem in told if re.search(amount, problem.text)]
    assert len(paid) > 10
    others = {"£", "€", "$", "Rs", "dollar"} - {sign for sign in ("£", "€", "$", "Rs") if sign in like}
    others -= {"dollar"} if "$" in like else set()
    assert not [problem for problem in told if any(sign in problem.text for sign in others)]
    (problem,) = paid[:1]
    key = problem_graph_key(problem.text, problem.equation)
    assert refusal(problem, text=like, graph_key=key) == ""
    yen = replace(problem, text=problem.text.replace("£", "¥").replace("$", "¥"))
    assert refusal(yen, text=like, graph_key=key) == ("it has another currency" if yen != problem else "")


def test_things_in_stories_cost_what_they_may_cost():
    bands = {plural: (low, high) for low, high, nouns in _WORDS["priced"] for _one, plural in nouns}
    told = [problem.text for key in graphs_with_stories() for problem in islice(stories(key, "3"), 6)]
    priced = [
        match
        for text in told
        for match in re.finditer(
            r"(?:The (?!shop)|shop sells )([a-zA-Z ]+?) (?:cost|at) \$?(\d+)(?: dollars)? each", text
        )
    ]
    assert priced
    assert all(bands[match[1]][0] <= int(match[2]) <= bands[match[1]][1] for match in priced)


def test_a_story_about_kilometres_is_not_told_in_miles():
    for key in graphs_with_stories():
        for problem in islice(stories(key, "1", like="A car goes 20 kilometres in 2 hours."), 3):
            assert not re.search(r"miles|feet|inches|yards|gallons|meters\b|liters\b", problem.text)

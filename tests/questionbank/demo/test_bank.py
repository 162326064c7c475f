"""The files of the demo bank hold what docs/demo-bank.md says."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from analytics.expression.evaluate import evaluate_float
from analytics.expression.tree import parse_expression
from analytics.text.meaning import number_of_answer
from questionbank.demo.bank import demo_questions, phrasing_pairs, story_pairs
from questionbank.rendering import render_question

PAGE = " ".join((Path(__file__).resolve().parents[3] / "docs" / "demo-bank.md").read_text(encoding="utf-8").split())


def test_the_counts_on_the_page_are_right():
    questions = demo_questions()
    paths = {path for record in questions for path in record.concepts}
    assert f"{len(questions):,} questions" in PAGE
    assert (
        f"{len({path[0] for path in paths})} strands, {len({path[:2] for path in paths})} topics, {len(paths)} concepts"
        in PAGE
    )
    assert f"{len(phrasing_pairs()):,} pairs of phrasings and {len(story_pairs()):,} pairs of stories" in PAGE


def test_every_question_is_complete_and_no_two_have_the_same_text():
    texts = Counter(" ".join(record.text.lower().split()) for record in demo_questions())
    assert max(texts.values()) == 1
    assert len({record.id for record in demo_questions()}) == len(demo_questions())
    for record in demo_questions():
        assert record.text.strip() == record.text
        assert "" not in (record.answer, record.solution)
        assert int(record.grade) in range(2, 13)
        assert ("____" in record.text) == (record.kind == "blanks")
        assert bool(record.options) == (record.kind == "choice")


def test_choice_questions_have_four_options_one_of_them_right_the_others_with_a_misconception():
    choices = [record for record in demo_questions() if record.kind == "choice"]
    for record in choices:
        assert [option.label for option in record.options] == list("ABCD")
        assert len({option.text for option in record.options}) == 4
        assert all(bool(option.misconception) == (option.label != record.answer) for option in record.options)
    places = Counter(record.answer for record in choices)
    assert all(0.2 < places[label] / len(choices) < 0.3 for label in "ABCD")


def test_equations_of_word_problems_have_the_published_answer():
    word_problems = [record for record in demo_questions() if record.equation and record.kind != "choice"]
    published = {record.id: number_of_answer(record.answer) for record in word_problems}
    assert sum(answer is not None for answer in published.values()) > 250
    for record in word_problems:
        if answer := published[record.id]:
            assert answer.agrees_with(evaluate_float(parse_expression(record.equation))), record.id


def test_every_formula_of_the_bank_is_drawn():
    for record in demo_questions():
        for text in (record.text, record.solution, *(option.text for option in record.options)):
            assert "formula-source" not in render_question(text), text


def test_labelled_pairs_are_of_both_kinds():
    assert Counter((pair.operator, pair.label) for pair in phrasing_pairs()).keys() == {
        ("phrasing", 1),
        ("other_numbers", 0),
    }
    assert Counter((pair.operator, pair.label) for pair in story_pairs()).keys() == {
        ("retelling", 1),
        ("another_story", 0),
    }

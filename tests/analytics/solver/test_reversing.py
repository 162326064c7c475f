"""Reversed operations: the texts that are made, and what is refused."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction

import pytest

from analytics.expression.tree import to_infix
from analytics.language.contract import NotReversibleError
from analytics.language.en.statements import answer_statement, asking_question
from analytics.language.zh.statements import answer_statement as chinese_statement
from analytics.records import ProblemRecord
from analytics.solver.reversing import main, measure_yield, reorder_question, reverse_operation
from analytics.solver.targets import solver_example, value_of
from tests.cases import each_case


def reversed_texts(text: str, equation: str, language: str = "en") -> list[tuple[str, str]]:
    made = reverse_operation(ProblemRecord("1", text, language, equation))
    for problem in made:
        example = solver_example(problem)
        assert value_of(example.tokens, example.values) == pytest.approx(float(Fraction(problem.answer)))
    return [(problem.text, problem.equation) for problem in made]


def test_a_chinese_clause_and_the_question_change_places():
    assert reversed_texts("一件衣服152元，裙子比衣服便宜52元，裙子多少元？", "152-52", "zh") == [
        ("裙子100元，裙子比衣服便宜52元，一件衣服多少元？", "100+52"),
        ("一件衣服152元，裙子100元，裙子比衣服便宜多少元？", "152-100"),
    ]
    assert reversed_texts("钢笔现价16元，是原价的(4/5)，求原价．", "16/(4/5)", "zh") == [
        ("原价是20，是原价的(4/5)，钢笔现价多少元？", "20*0.8"),
        ("钢笔现价16元，原价是20，是原价的几分之几？", "16/20"),
    ]


def test_blanks_around_a_text_and_the_script_of_its_language_change_nothing():
    text = "一件衣服152元，裙子比衣服便宜52元，裙子多少元？"
    assert reversed_texts(f"  \n{text} ", "152-52", "zh-Hans") == reversed_texts(text, "152-52", "zh")


def test_an_english_sentence_and_the_question_change_places():
    text = "Tom had 12 marbles . He lost 5 marbles . How many marbles does Tom have left ?"
    assert reversed_texts(text, "12-5") == [
        ("Tom has 7 marbles left . He lost 5 marbles . How many marbles did Tom have ?", "7+5"),
        ("Tom had 12 marbles . Tom has 7 marbles left . How many marbles did he lose ?", "12-7"),
    ]


def test_a_number_that_compares_is_not_asked_for():
    text = "Omar has 19 badges. Ingrid has 3 times as many badges as Omar. How many badges does Ingrid have?"
    assert [equation for _made, equation in reversed_texts(text, "19*3")] == ["57/3"]


def test_a_condition_of_the_question_is_a_sentence_of_its_own():
    text = "There are 560 caps. If the caps are organized into 80 groups, how many caps are in each group?"
    assert [made for made, _equation in reversed_texts(text, "560/80")] == [
        "7 caps are in each group. The caps are organized into 80 groups. How many caps are there?",
        "There are 560 caps. 7 caps are in each group. How many groups are the caps organized into?",
    ]


@each_case("rewording", "statements")
def test_shapes_of_english_questions(question, statement):
    assert answer_statement(question, Fraction(4), "") == statement


@each_case("rewording", "questions")
def test_shapes_of_english_sentences(sentence, question):
    start = sentence.index("6")
    assert asking_question(sentence, start, start + 1) == question


def test_what_cannot_be_reversed_is_counted_with_its_reason():
    refused: Counter[str] = Counter()
    cases = [
        ("He has 3 hats and 5 caps. How many things does he have?", "3+5"),  # two numbers in a sentence
        ("How many is 3 and 5?", "3+5"),
        ("He has 3 hats. He weighs 5 pounds. How tall is he?", "3*5"),
        ("He has 3 hats. He buys 3 caps. How many things does he have?", "3+3"),
        ("He has 3 hats. He finds 6 hats. How many hats does he lose?", "6-3"),  # the answer is in the text
        ("He has 3 hats. How many hats does he have?", "3"),
    ]
    for text, equation in cases:
        assert reverse_operation(ProblemRecord("1", text, equation=equation), refused) == []
    assert refused == {
        "the sentence has several numbers": 2,
        "there is only one sentence": 1,
        "the question has a shape that is not known": 1,
        "the number occurs several times": 1,
        "the answer equals a number of the text": 1,
        "the equation has no operation": 1,
    }
    assert reverse_operation(ProblemRecord("1", "Il a 3 stylos.", "fr", "3+1")) == []


@pytest.mark.parametrize("question", ["这个池塘有多深", "能不能一次运走", "甲多少元，乙几元", ""])
def test_chinese_questions_without_one_number_are_refused(question):
    with pytest.raises(NotReversibleError):
        chinese_statement(question, Fraction(3), "")


def test_numbers_of_ratios_and_calculations_are_not_asked_for():
    assert reversed_texts("大小两桶油的比是3：1，小桶有8千克，大桶有多少千克？", "8*3/1", "zh") == [
        ("大小两桶油的比是3：1，大桶有24千克，小桶有多少千克？", "24*1/3")
    ]


def test_the_command_prints_the_yield_and_writes_the_problems(tmp_path, capsys):
    rows = [
        {"id": "a", "text": "Tom had 12 hats. He lost 5 hats. How many hats does Tom have?", "equation": "12-5"},
        {"id": "b", "text": "What is 5 + 4?", "equation": "5+4"},
    ]
    data = tmp_path / "data.jsonl"
    data.write_text("\n".join(map(json.dumps, rows)))
    assert main([str(data), "--output", str(tmp_path / "made.jsonl")]) == 0
    printed = capsys.readouterr().out
    assert "2 problems, 1 reversed (50%), 2 made" in printed
    assert "| there is only one sentence | 1 |" in printed
    assert [json.loads(line)["id"] for line in (tmp_path / "made.jsonl").read_text().splitlines()] == ["a-N0", "a-N1"]
    assert main([str(tmp_path / "nowhere.jsonl")]) == 1
    made, counts = measure_yield([])
    assert made == []
    assert counts.covered == 0


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

"""From the fields of a line to a record, and what each wrong field is told."""

from __future__ import annotations

from pathlib import PurePath

import pytest

from analytics.question_content import Option
from analytics.records import QuestionRecord
from questionbank.formats.fields import FieldProblems, FileScale, read_question
from questionbank.formats.limits import set_name

CHOICE = {"text": "2 + 2?", "options": [{"label": "A", "text": "4"}, {"label": "B", "text": "5"}]}


def test_every_field_reaches_the_record():
    record = read_question(
        {
            "id": 7,
            "text": "How much is $2+2$?",
            "language": "EN",
            "options": [{"label": "A", "text": "4"}, {"label": "B", "text": "22", "misconception": "joins"}],
            "answer": "A",
            "solution": "Count.",
            "equation": "2+2",
            "numbers": ["2", "2"],
            "concepts": [["Arithmetic", " Addition  within 10 "], ["Arithmetic", "Addition within 10"]],
            "difficulty": 2,
            "difficulty_scale": "1-5",
            "grade": 1,
            "stage": "elementary",
            "set": "mine",
            "facility": 0.75,
            "responses": 40,
            "split": "train",
        }
    )
    assert record == QuestionRecord(
        id="7",
        text="How much is $2+2$?",
        language="en",
        kind="choice",
        options=(Option("A", "4"), Option("B", "22", "joins")),
        answer="A",
        solution="Count.",
        equation="2+2",
        numbers=("2", "2"),
        concepts=(("Arithmetic", "Addition within 10"),),
        difficulty=2.0,
        difficulty_scale="1-5",
        grade="1",
        stage="elementary",
        source="mine",
        responses=40,
        facility=0.75,
    )


_ONE = [{"label": "A", "text": "on paper"}]


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"text": "2 + 2?"}, {"kind": "open"}),
        ({"text": "2 + 2 = ____"}, {"kind": "blanks"}),
        (CHOICE, {"kind": "choice"}),
        ({"text": "Is it A. 3 or B. 4?", "kind": "Choice", "answer": "A"}, {"kind": "choice"}),
        ({"text": "小明有3个苹果，吃了1个，还剩几个？"}, {"language": "zh"}),
        ({"text": "?", "options": _ONE}, {"options": (Option("A", "on paper"),)}),
        ({"text": "?", "concepts": [["A", "A", "B"]]}, {"concepts": (("A", "A", "B"),)}),
    ],
)
def test_what_a_line_does_not_state_follows_from_the_question(row, expected):
    record = read_question(row)
    assert {name: getattr(record, name) for name in expected} == expected


def test_null_means_absent():
    row = dict.fromkeys(("id", "options", "answer", "concepts", "difficulty", "grade", "language", "facility"))
    assert read_question({**row, "text": "1 + 1"}) == QuestionRecord(id="", text="1 + 1")


@pytest.mark.parametrize(
    ("change", "field", "reason"),
    [
        ({"text": None}, "text", "text is missing"),
        ({"text": " \n"}, "text", "text is empty"),
        ({"text": 5}, "text", "text must be a string, not a number"),
        ({"text": "x" * 50_001}, "text", "text has 50,001 characters, more than 50,000"),
        ({"text": "a\0b"}, "text", "text holds a NUL character"),
        ({"text": "a\ud800"}, "text", "text holds half of a surrogate pair"),
        ({"answer": 4}, "answer", "answer must be a string, not a number"),
        ({"answer": ["4"]}, "answer", "answer must be a string, not a list"),
        ({"solution": {}}, "solution", "solution must be a string, not an object"),
        ({"id": True}, "id", "id must be a string, not true or false"),
        ({"id": "x" * 201}, "id", "id has 201 characters"),
        ({"id": float("inf")}, "id", "id must be a finite number"),
        ({"language": "english!"}, "language", "'english!' is not a language tag such as en or zh"),
        ({"language": "e"}, "language", "'e' is not a language tag"),
        ({"language": "en-aaaaaaaa-bbbbbbbb"}, "language", "is not a language tag"),
        ({"kind": "essay"}, "kind", "'essay' is not one of open, choice, true_false"),
        ({"grade": "x" * 41}, "grade", "grade has 41 characters, more than 40"),
        ({"difficulty": "3"}, "difficulty", "difficulty must be a number, not a string"),
        ({"difficulty": True}, "difficulty", "difficulty must be a number, not true or false"),
        ({"difficulty": 10**400}, "difficulty", "difficulty must be a finite number"),
        (
            {"difficulty": 3, "difficulty_scale": "stars"},
            "difficulty_scale",
            "'stars' is not one of 0-4, 1-5, 1-9.5, 1-3, 1-10, 0-1, 0-100, facility, as published",
        ),
        ({"difficulty": 5, "difficulty_scale": "0-4"}, "difficulty", "5 is outside the scale 0-4"),
        ({"numbers": [3]}, "numbers", "numbers item 1 is a number, not a string"),
        ({"numbers": "3"}, "numbers", "numbers must be a list, not a string"),
        ({"concepts": "Algebra"}, "concepts", "concepts must be a list, not a string"),
        ({"concepts": ["Algebra"]}, "concepts", "a list of paths, each a list of names, but one is a string"),
        ({"concepts": [["Algebra", 3]]}, "concepts", "must be names, but one is a number"),
        ({"concepts": [[]]}, "concepts", "contain an empty path"),
        ({"concepts": [["Algebra", " "]]}, "concepts", "contain an empty name"),
        ({"concepts": [["x" * 301]]}, "concepts", "contain a name that has 301 characters"),
        ({"concepts": [[str(n) for n in range(31)]]}, "concepts", "a path of 31 levels, more than 30"),
        ({"concepts": [[str(n)] for n in range(51)]}, "concepts", "has 51 items, more than 50"),
        ({"facility": 1.5, "responses": 3}, "facility", "1.5 is not a share between 0 and 1"),
        ({"facility": 0.5}, "facility", "needs the number of responses"),
        ({"responses": 5}, "responses", "need the facility"),
        ({"responses": -1}, "responses", "must be a whole number"),
        ({"responses": 2**31}, "responses", "must be a whole number"),
        ({"concepts": [["A", "B", "A"]]}, "concepts", "contain a cycle: A > B > A returns to 'A'"),
        ({**CHOICE, "answer": "C"}, "answer", "answer 'C' is not the label of an option"),
        ({**CHOICE, "kind": "open"}, "kind", "kind is open, but the question has options"),
        ({"options": "A"}, "options", "must be a list, not a string"),
        ({"options": ["4"]}, "options", "must be objects with label and text, but item 1 is a string"),
        ({"options": [{"label": "A"}]}, "options", "item 1: text is missing"),
        ({"options": [{"text": "4"}]}, "options", "item 1: label is missing"),
        ({"options": [{"label": "A", "text": 5}]}, "options", "item 1: text must be a string"),
        ({"options": [{"label": "A", "text": "4"}] * 2}, "options", "have the label 'A' twice"),
        ({"options": [{"label": "A", "text": "4"}] * 27}, "options", "has 27 items, more than 26"),
    ],
)
def test_a_wrong_field_is_named_with_the_reason(change, field, reason):
    with pytest.raises(FieldProblems) as caught:
        read_question({"id": "q1", "text": "2 + 2?", **change})
    assert [name for name, _ in caught.value.problems] == [field]
    assert reason in str(caught.value)


def test_a_value_outside_the_stated_scale_of_the_file_is_refused():
    with pytest.raises(FieldProblems, match="difficulty 7 is outside the scale 1-5"):
        read_question({"text": "?", "difficulty": 7}, scale=FileScale(stated="1-5"))


def test_all_wrong_fields_of_a_line_are_told_at_once():
    with pytest.raises(FieldProblems) as caught:
        read_question({"text": 5, "answer": 6, "difficulty": "hard"})
    assert [name for name, _ in caught.value.problems] == ["text", "answer", "difficulty"]


@pytest.mark.parametrize(
    ("row", "file_scale", "expected"),
    [
        ({"id": "q", "difficulty": 2}, FileScale(), (2.0, "as published")),
        ({"id": "q", "difficulty": 2}, FileScale(stated="1-5", likely="0-4"), (2.0, "1-5")),
        ({"id": "q", "difficulty": 2, "difficulty_scale": "0-4"}, FileScale(stated="1-5"), (2.0, "0-4")),
        ({"id": "math-test-1", "difficulty": 0}, FileScale(likely="0-4"), (0.0, "0-4")),
        ({"id": "tal-zh-train-1", "difficulty": 0}, FileScale(), (0.0, "0-4")),
        ({"id": "omni-1", "difficulty": 9.5}, FileScale(), (9.5, "1-9.5")),
        ({"id": "math-test-3"}, FileScale(), (None, "")),
        ({"id": "math-test-3", "difficulty": 7}, FileScale(), (7.0, "as published")),
        ({"id": "q", "difficulty": 7}, FileScale(likely="1-5"), (7.0, "as published")),
    ],
)
def test_the_scale_comes_from_the_line_then_the_file_then_the_identifier(row, file_scale, expected):
    record = read_question({"text": "?", **row}, scale=file_scale)
    assert (record.difficulty, record.difficulty_scale) == expected


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("data/tal_scq_en/train.jsonl.gz", "tal_scq_en"),
        ("data/conceptmath/elementary_en.jsonl.gz", "conceptmath"),
        ("school/Test.csv", "school"),
        ("train.jsonl", "train"),
        ("/tmp/questions.jsonl", "questions"),
        ("a/Grade 7.v2.csv.gz", "Grade 7.v2"),
        (".csv", ".csv"),
        ("a/" + "x" * 130 + ".csv", "x" * 120),
    ],
)
def test_the_folder_names_the_set_where_files_are_named_after_splits(path, name):
    assert set_name(PurePath(path)) == name

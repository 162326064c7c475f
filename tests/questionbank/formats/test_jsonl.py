"""JSON Lines: reading, writing, and every line that is no question."""

from __future__ import annotations

import pytest

from analytics.records import QuestionRecord
from questionbank.core.errors import LineProblem
from questionbank.formats.catalog import read
from questionbank.formats.jsonl import write_jsonl_line
from questionbank.formats.seam import ConceptRow
from tests.questionbank.formats.files import saved


def test_questions_come_with_the_numbers_of_their_lines(jsonl):
    path = jsonl({"id": "a", "text": "1 + 1"}, "", {"id": "b", "text": "2 + 2"})
    assert [(line, entry.id) for line, entry in read(path)] == [(1, "a"), (3, "b")]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("[1, 2]", "the line holds a list, not a JSON object"),
        ('"text"', "the line holds a single value, not a JSON object"),
        ("null", "the line holds a single value, not a JSON object"),
        ('{"text": "1 + 1"', "not JSON: expecting ',' delimiter at column 17"),
        ("{'text': 1}", "not JSON: expecting property name enclosed in double quotes at column 2"),
        ('{"text": "a\tb"}', "not JSON: invalid control character at column 12"),
        ('{"text": "a", "difficulty": NaN}', "not JSON: NaN is not a number there"),
        ('{"text": "a", "difficulty": -Infinity}', "not JSON: -Infinity is not a number there"),
        ('{"text": "a", "difficulty": 1e999}', "difficulty must be a finite number"),
        ('{"text": "a", "id": ' + "9" * 5000 + "}", "not usable JSON: a number has too many digits"),
        ('{"text": ' + "[" * 200_000, "not usable JSON: nested too deeply"),
        ('{"text": "a\\u0000b"}', "text holds a NUL character"),
        ('{"text": "a\\ud800b"}', "text holds half of a surrogate pair, which is not a character"),
        ('{"text": "a\0b"}', "a NUL character at byte 12 of the line"),
        ('{"id": "a"}', "text is missing"),
        ('{"original": "a", "paraphrase": "b"}', "text is missing"),
    ],
)
def test_a_line_that_is_no_question_is_told_why_and_the_next_is_read(jsonl, line, reason):
    (bad, good) = read(jsonl(line, {"text": "1 + 1"}))
    assert bad[0] == 1
    assert isinstance(bad[1], LineProblem)
    assert reason in bad[1].reason
    assert good == (2, QuestionRecord(id="", text="1 + 1"))


def test_invalid_utf8_is_the_problem_of_its_line_only(tmp_path):
    path = saved(tmp_path, b'{"text": "caf\xe9"}\n{"text": "caf\xc3\xa9 \xc3\xa9"}\n', "file.jsonl")
    (first, second) = [entry for _, entry in read(path)]
    assert first == LineProblem(1, "invalid UTF-8 at byte 14 of the line (0xe9)")
    assert second.text == "café é"


def test_the_problem_names_its_field(jsonl):
    ((_, problem),) = read(jsonl({"text": "a", "difficulty": "tricky"}))
    assert problem.field == "difficulty"


def test_lines_without_text_but_with_a_name_are_concepts(jsonl):
    ((_, row),) = read(jsonl({"id": 3, "name": "Maths", "level": 0, "path": ["Maths"]}))
    assert row == ConceptRow(line=1, id="3", name="Maths", parent="", path=("Maths",))


def test_a_written_line_leaves_out_what_is_empty_and_keeps_zero():
    record = QuestionRecord(id="q", text="$x$ ≤ 3", difficulty=0.0, difficulty_scale="0-4")
    assert write_jsonl_line(record) == (
        '{"id": "q", "text": "$x$ ≤ 3", "language": "en", "kind": "open", "difficulty": 0.0, "difficulty_scale": "0-4"}'
    )


def test_a_line_that_begins_like_the_name_of_a_command_stays_a_line(tmp_path):
    path = tmp_path / "bank.jsonl"
    records = [QuestionRecord("a", "Solve\neq. 1\nthen\neq. 2"), QuestionRecord("b", "\neq")]
    path.write_text("".join(f"{write_jsonl_line(record)}\n" for record in records), encoding="utf-8")
    assert [entry.text for _line, entry in read(path)] == [record.text for record in records]

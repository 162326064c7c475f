"""Files as teachers, platforms and published sets have them: recognised, read, and what is changed is said."""

from __future__ import annotations

import json

import pytest

from analytics.question_content import as_json
from analytics.records import QuestionRecord
from questionbank.core.errors import ImportRefused, LineProblem, LineWarning
from questionbank.formats.catalog import layout_of, read
from questionbank.formats.written_numbers import damage_note
from tests.cases import each_case
from tests.questionbank.formats.files import saved


def _file(tmp_path, content, name="q.csv", encoding="utf-8"):
    return saved(tmp_path, content.encode(encoding), name)


@each_case("rows", "tables_of_other_programs_are_read")
def test_tables_of_other_programs_are_read(tmp_path, content, encoding, expected):
    records = [
        entry for _, entry in read(_file(tmp_path, content, "q.txt", encoding)) if isinstance(entry, QuestionRecord)
    ]
    assert [_fields(record, expected) for record in records] == [expected]


def _fields(record, names):
    return {name: as_json(getattr(record, name)) for name in names}


@pytest.mark.parametrize("shape", ["lines", "list", "indented"])
@each_case("rows", "published_sets_are_read_as_they_are_published")
def test_published_sets_are_read_as_they_are_published(tmp_path, found, expected, shape):
    content = {
        "lines": json.dumps(found) + "\n",
        "list": json.dumps([found], ensure_ascii=False),
        "indented": json.dumps([found], indent=2),
    }[shape]
    (record,) = (e for _, e in read(_file(tmp_path, content, "q.json")) if isinstance(e, QuestionRecord))
    assert _fields(record, expected) == expected


def test_objects_of_a_list_have_the_lines_they_begin_on_and_bad_ones_are_named(tmp_path):
    content = '[\n {"text": "1"},\n {"text": 2},\n {"text": "a } \\" {"}, {"text"\n: "4"}\n]'
    entries = list(read(_file(tmp_path, content, "q.json")))
    assert [(line, getattr(entry, "text", "")) for line, entry in entries] == [
        (2, "1"),
        (3, ""),
        (4, 'a } " {'),
        (4, "4"),
    ]
    ((_, cut),) = read(_file(tmp_path, '[{"text": "1"', "cut.json"))
    assert cut == LineProblem(1, "not JSON: the object that begins here is never closed")


def test_unknown_fields_of_objects_are_named_as_columns_are(tmp_path):
    path = _file(tmp_path, '{"text": "1", "author": "Jo"}\n{"question": "2", "page": 3, "author": "Al"}\n', "q.jsonl")
    file = read(path)
    assert [entry.text for _, entry in file] == ["1", "2"]
    assert file.unread == ["author", "page"]


@each_case("rows", "an_answer_may_name_its_option_by_text")
def test_an_answer_may_name_its_option_by_text(tmp_path, answer, expected):
    entries = [e for _, e in read(_file(tmp_path, f"question;A;B;C;D;correct\n?;4;5;6;4;{answer}\n"))]
    if expected:
        assert entries[-1].answer == expected
        assert isinstance(entries[0], LineWarning)
    else:
        assert "is not the label of an option" in entries[0].reason


def test_a_choice_without_options_becomes_an_open_question_and_says_so(tmp_path):
    path = _file(tmp_path, "text,type\n2 + 2?,Multiple Choice\nWhich? A. 3 B. 4,multichoice\n")
    (_, warning), (_, first), (_, second) = read(path)
    assert "the question has no options" in warning.reason
    assert (first.kind, second.kind) == ("open", "choice")


def test_columns_can_be_corrected_and_left_out(tmp_path):
    path = _file(tmp_path, "Autor;Frage;Punkte\n1 + 1;egal;hart\n")
    layout = layout_of(path, columns={"Autor": "text", "Punkte": "difficulty"})
    assert layout.pairs == [("Autor", "text"), ("Punkte", "difficulty")]
    ((_, record),) = read(path, layout=layout, without=["difficulty"])
    assert (record.text, record.difficulty) == ("1 + 1", None)
    with pytest.raises(ImportRefused, match="cannot be imported without 'text'"):
        read(path, without=["text"])


def test_a_table_without_a_header_can_be_read(tmp_path):
    path = _file(tmp_path, "What is 1 + 1?,2\nWhat is 2 + 2?,4\n")
    with pytest.raises(ImportRefused, match="--header-row 0"):
        read(path)
    layout = layout_of(path, "csv", header_line=0, columns={"Column 1": "text", "Column 2": "answer"})
    assert [(entry.text, entry.answer) for _, entry in read(path, layout=layout)] == [
        ("What is 1 + 1?", "2"),
        ("What is 2 + 2?", "4"),
    ]


@pytest.mark.parametrize(
    ("content", "bad"),
    [
        ('text,answer\nfine,1\n"broken,2\nok "x" y,3\nlast,4\n', [3]),
        ('text,answer\n"What is 2+2?,4\n"What is 3+3?",6\nlast,4\n', [2]),
        ('text,answer\na,"1\nb,2\nc,3\n', [2]),
        ('text,answer\n"a,1\n"b,2\nc,3\n', [2, 3]),
    ],
)
def test_an_open_quotation_mark_costs_its_line_alone(tmp_path, content, bad):
    entries = list(read(_file(tmp_path, content)))
    assert [line for line, entry in entries if isinstance(entry, LineProblem)] == bad
    assert len(entries) == content.count("\n") - 1
    assert all("is never closed" in e.reason for _, e in entries if isinstance(e, LineProblem))


def test_lists_of_texts_become_one_as_tal_and_mawps_publish_them(tmp_path):
    content = '[{"sQuestion": "How many?", "lEquations": ["X=70-27"], "lSolutions": [43.0], "explanation": ["a", "b"]}]'
    path = _file(tmp_path, content, "set.json")
    record = next(entry for _line, entry in read(path) if isinstance(entry, QuestionRecord))
    assert (record.answer, record.equation, record.solution) == ("43", "70-27", "a\n\nb")


@each_case("spreadsheet_damage", "damage_is_told_with_the_likely_value")
def test_damage_is_told_with_the_likely_value(value, guess):
    note = damage_note(value)
    assert repr(value) in note
    assert guess in note


@each_case("spreadsheet_damage", "ordinary_answers_are_none")
def test_ordinary_answers_are_none(value):
    assert damage_note(value) == ""


def test_the_answer_stays_as_it_is(tmp_path):
    path = saved(tmp_path, "question,option A,option B,answer\nSimplify 6/8,04-Mar,1/2,A\n", "q.csv")
    (_, warning), (_, record) = read(path)
    assert isinstance(warning, LineWarning)
    assert warning.field == "options"
    assert record.options[0].text == "04-Mar"

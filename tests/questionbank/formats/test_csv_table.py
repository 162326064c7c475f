"""CSV: header, rows, options, and every row that is no question."""

from __future__ import annotations

import csv
import io

import pytest

from analytics.question_content import Option
from analytics.records import QuestionRecord
from questionbank.core.errors import ImportRefused, LineProblem
from questionbank.formats.catalog import read
from questionbank.formats.columns import WRITTEN_FIELDS
from questionbank.formats.csv_files import CSV_HEAD, write_csv_row
from questionbank.formats.seam import ConceptRow
from tests.cases import each_case
from tests.questionbank.formats.files import saved


@pytest.fixture
def table(tmp_path):
    return lambda content: saved(tmp_path, content, "table.csv")


def _entries(path):
    return list(read(path))


def test_every_column_reaches_the_record(table):
    path = table(
        "id,text,language,A,B,answer,solution,equation,numbers,concepts,difficulty,difficulty_scale,grade,"
        "stage,facility,responses,set\r\n"
        'q1,"How much, is ""2+2""?",en,4,5,A,Count.,2+2,2; 2,Algebra > Sums; Number,3,1-5,1,primary,0.5,8,'
        "mine\r\n"
    )
    assert _entries(path) == [
        (
            2,
            QuestionRecord(
                id="q1",
                text='How much, is "2+2"?',
                kind="choice",
                options=(Option("A", "4"), Option("B", "5")),
                answer="A",
                solution="Count.",
                equation="2+2",
                numbers=("2", "2"),
                concepts=(("Algebra", "Sums"), ("Number",)),
                difficulty=3.0,
                difficulty_scale="1-5",
                grade="1",
                stage="primary",
                source="mine",
                responses=8,
                facility=0.5,
            ),
        )
    ]


def test_programs_and_calculations_are_columns_too(table):
    path = table(
        "text,program,calculations\r\n"
        '5 bags hold 6 figs each; 4 are bad.,"multiply(n0,n1)|subtract(#0,n2)|",\r\n'
        "5 bags hold 6 figs each; 4 are bad.,,5*6=30; 30-4=26\r\n"
    )
    assert [record.equation for _line, record in _entries(path)] == ["5*6-4", "5*6-4"]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_the_delimiter_is_taken_from_the_header(table, delimiter):
    path = table(f"\ufeffID{delimiter} Text {delimiter}Answer{delimiter}remarks\nq1{delimiter}1 + 1{delimiter}2\n")
    assert _entries(path) == [(2, QuestionRecord(id="q1", text="1 + 1", answer="2"))]


def test_options_may_stand_as_json(table):
    options = '[{""label"": ""x"", ""text"": ""4"", ""misconception"": ""m""}]'
    (record,) = (
        entry
        for _, entry in _entries(table(f'text,options\n2 + 2?,"{options}"\n'))
        if isinstance(entry, QuestionRecord)
    )
    assert record.options == (Option("x", "4", "m"),)


def test_rows_over_several_lines_are_named_by_their_first(table):
    path = table('text,difficulty\n"one\ntwo\nthree",1\n"four\nfive",hard\nsix,2\n')
    entries = _entries(path)
    assert [line for line, _ in entries] == [2, 5, 7]
    assert entries[0][1].text == "one\ntwo\nthree"
    assert entries[1][1] == LineProblem(
        5, "difficulty 'hard' cannot be placed: the column mixes words and plain numbers", "difficulty"
    )


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (",1", "text is missing"),
        ("a,nan", "difficulty must be a finite number"),
        ("a,tricky", "difficulty 'tricky' is not a number, a level or a word such as easy"),
        ("a,1,extra", "the row has 3 cells, the header 2"),
        ('"a"b,1', "text follows a closing quotation mark"),
        ("a\rb,1", "a carriage return is not part of a line end"),
        ("a\0b,1", "a NUL character at byte 2 of the line"),
        (b"\xc3\xa9\xc3\xa9 caf\xe9,1", "invalid UTF-8 at byte 9 of the line (0xe9)"),
        ('"open,1', "a quotation mark opens a cell here and is never closed"),
        ('"' + "x" * 200_000 + '",1', "a cell has more than 131,072 characters"),
        ("x" * 60_000 + ",1", "text has 60,000 characters, more than 50,000"),
        ("x" * 1_000_001 + ",1", "the line is longer than 1,000,000 bytes"),
    ],
)
def test_a_row_that_is_no_question_is_told_why_and_the_next_is_read(table, row, reason):
    row = row if isinstance(row, bytes) else row.encode()
    (bad, good) = _entries(table(b"text,difficulty\n" + row + b"\n1 + 1,2\n,\n\n,,\n"))
    assert bad[0] == 2
    assert isinstance(bad[1], LineProblem)
    assert reason in bad[1].reason
    assert (good[0], good[1].text) == (3, "1 + 1")


@each_case("csv_table", "a_wrong_cell_is_named")
def test_a_wrong_cell_is_named(table, header, row, message):
    ((line, problem),) = _entries(table(f"{header}\n{row}\n"))
    assert line == 2
    assert message in problem.reason


def test_a_carriage_return_may_end_every_line(table):
    entries = _entries(table(b'text,difficulty\rone,1\r"two\rlines",2\r\xc3\xa9\xc3\xa9 caf\xe9,3\rfour,4\r'))
    assert [line for line, _ in entries] == [2, 3, 5, 6]
    assert [entry.text for _, entry in (*entries[:2], entries[3])] == ["one", "two\rlines", "four"]
    assert entries[2][1] == LineProblem(5, "invalid UTF-8 at byte 9 of the line (0xe9)")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("Once upon a time\n", "No column of table.csv is recognised as the question's text"),
        ("Autor;Punkte\n1;2\n", "In row 1 it has Autor, Punkte. Say which one it is: --column text=Autor"),
        (b"te\xfft\n", "No column of table.csv is recognised"),
        (b"\n\n", "contains no questions"),
    ],
)
def test_a_file_without_a_header_of_columns_is_refused(table, content, reason):
    with pytest.raises(ImportRefused, match=reason):
        _entries(table(content))


def test_a_hierarchy_alone_comes_as_concepts(table):
    entries = _entries(table("id,name,parent\n1,Maths,\n2,Number,1\n"))
    assert [row for _, row in entries] == [ConceptRow(2, "1", "Maths", "", ()), ConceptRow(3, "2", "Number", "1", ())]
    ((_, row),) = _entries(table("path\nMaths > Number\n"))
    assert row.path == ("Maths", "Number")


def test_a_written_row_has_its_options_in_columns_where_they_fit():
    assert CSV_HEAD.startswith("\ufeffid,text,")
    assert CSV_HEAD.endswith("\r\n")
    record = QuestionRecord("q", "2?", kind="choice", options=(Option("A", "=1"), Option("B", "2")), answer="B")
    (row,) = csv.reader(io.StringIO(write_csv_row(record)))
    written = dict(zip(WRITTEN_FIELDS, row, strict=True))
    assert (written["A"], written["B"], written["options"]) == ("'=1", "2", "")
    named = QuestionRecord("q", "2?", kind="choice", options=(Option("A", "1", "counts one less"), Option("B", "2")))
    assert "counts one less" in write_csv_row(named)

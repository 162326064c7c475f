"""Tables of responses: layouts, numbers, and everything in them that cannot be used."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from openpyxl import Workbook

from questionbank.core.errors import ImportRefused
from questionbank.responses.reading import read_responses
from questionbank.responses.response_table import ResponseTable
from tests.cases import each_case


@pytest.fixture
def read(tmp_path: Path):
    """Read a table from its text."""

    def of_text(text: str) -> ResponseTable:
        path = tmp_path / "answers.csv"
        path.write_text(text, encoding="utf-8")
        return read_responses(path)

    return of_text


def marks(table: ResponseTable) -> dict[tuple[str, str], float | None]:
    return {(row.person, table.questions[row.question].name): row.mark for row in table.rows}


def problems(table: ResponseTable) -> list[str]:
    return [str(problem) for problem in table.problems]


def test_a_table_with_a_row_per_response(read):
    table = read(
        "pupil;question;response;score;max;seconds;attempt\n"
        "Ada;q-1;B;1;2;12,5;1\nAda;q-1;A;2;2;3;2\nBen;q-1;;0,5;2;0:40;1\n"
    )
    assert [(r.person, r.mark, r.response, r.seconds, r.attempt) for r in table.rows] == [
        ("ada", 1.0, "B", 12.5, 1),
        ("ada", 2.0, "A", 3.0, 2),
        ("ben", 0.5, "", 40.0, 1),
    ]
    assert (table.questions[0].id, table.questions[0].maximum, table.people) == ("q-1", 2.0, 2)
    assert not table.problems


def test_a_wide_table_of_marks_with_maxima_in_its_headers(read):
    table = read("Pupil,Q1 (2),Q2 /1,Total\nAda,2,0,2\nBen,,1,1\n")
    assert marks(table) == {("ada", "Q1"): 2.0, ("ada", "Q2"): 0.0, ("ben", "Q2"): 1.0}
    assert [(question.position, question.maximum) for question in table.questions] == [(1, 2.0), (2, 1.0)]
    assert table.notes == ["Columns that are not questions: Total."]


def test_a_wide_table_of_letters_with_a_key(read):
    table = read("Name\t1\t2\t3\nKey\tA\tB\tC\nAda\tA\tC\tC\nBen\tB\tB\t\n")
    assert [(row.person, row.response, row.key) for row in table.rows] == [
        ("ada", "A", "A"),
        ("ada", "C", "B"),
        ("ada", "C", "C"),
        ("ben", "B", "A"),
        ("ben", "B", "B"),
    ]


def test_a_row_of_maximum_marks(read):
    table = read("Pupil,Angles,Area\nMaximum,4,2\nMax,4,1\n")
    assert [question.maximum for question in table.questions] == [4.0, 2.0]
    assert marks(table) == {("max", "Angles"): 4.0, ("max", "Area"): 1.0}


def test_moodles_report_of_grades(read):
    table = read(
        '"Last name","First name","Email address",State,Started,"Grade/10.00","Q. 1 /4.00","Q. 2 /6.00"\n'
        'Byron,Ada,ada@school.example,Finished,"1 May 2026, 9:00",7.00,4.00,3.00\n'
        'Byron,Ada,ada@school.example,Finished,"2 May 2026, 9:00",10.00,4.00,6.00\n'
        'Carr,Ben,ben@school.example,"In progress","1 May 2026, 9:00",-,-,-\n'
        'Dent,Cem,cem@school.example,Finished,"1 May 2026, 9:00",-,"Requires grading",-\n'
        '"Overall average",,,,,8.50,4.00,4.50\n'
    )
    assert table.kind == "Moodle’s report of grades"
    assert [(row.person, row.attempt, row.mark) for row in table.rows] == [
        ("ada@school.example", 1, 4.0),
        ("ada@school.example", 1, 3.0),
        ("ada@school.example", 2, 4.0),
        ("ada@school.example", 2, 6.0),
    ]
    assert problems(table) == [
        "line 4: the attempt is not finished",
        "line 5: Q. 1: the answer has not been graded yet",
    ]
    assert "Line 6 is a summary of the others and is not read." in table.notes


def test_moodles_report_of_responses(read):
    table = read(
        "Last name,First name,ID number,State,Grade/2.00,Question 1,Response 1,Right answer 1,Question 2,Response 2,"
        "Right answer 2\n"
        "Byron,Ada,17,Finished,1.00,How much is 1 + 1?,2,2,Which is odd?,four,three\n"
        "Carr,Ben,18,Finished,0.00,How much is 2 + 2?,5,4,Which is odd?,-,three\n"
    )
    assert table.kind == "Moodle’s report of responses"
    texts = [table.questions[row.question].text for row in table.rows]
    assert texts == ["How much is 1 + 1?", "Which is odd?", "How much is 2 + 2?"]
    assert [(row.person, row.response, row.key) for row in table.rows] == [
        ("17", "2", "2"),
        ("17", "four", "three"),
        ("18", "5", "4"),
    ]


def test_canvas_student_analysis(read):
    table = read(
        "name,id,sis_id,section,submitted,attempt,4711: How much is 2 + 2?,1.0,4712: Name a prime.,2.0,n correct,"
        "n incorrect,score\n"
        "Ada Byron,5,,A,2026-05-01 09:00,1,4,1.0,nine,0.0,1,1,1.0\n"
    )
    assert table.kind == "Canvas’s student analysis"
    assert [(row.mark, row.response) for row in table.rows] == [(1.0, "4"), (0.0, "nine")]
    assert [(q.id, q.text, q.maximum) for q in table.questions] == [
        ("4711", "How much is 2 + 2?", 1.0),
        ("4712", "Name a prime.", 2.0),
    ]


def test_an_identifier_that_some_pupils_lack_does_not_tell_them_apart(read):
    table = read("Last name,First name,ID number,Q1\nByron,Ada,,1\nCarr,Ben,,0\n")
    assert [row.person for row in table.rows] == ["byron ada", "carr ben"]


def test_a_column_of_sums_is_not_a_question_whatever_its_name(read):
    table = read("Pupil,Q1,Q2,Q3,All\nA,1,0,1,2\nB,1,1,1,3\nC,0,0,1,1\n")
    assert [question.name for question in table.questions] == ["Q1", "Q2", "Q3"]
    assert "“All” is the sum of the other columns, so it is not read as a question." in table.notes


@pytest.mark.parametrize("date", ["1-Feb", "2026-02-01", "01.02.2026", "1/2/26", "Feb-01", "1. Februar"])
def test_a_date_is_not_a_mark(read, date):
    table = read(f"Pupil,Q1,Q2\nA,{date},1\nB,1,1\n")
    assert ("a", "Q1") not in marks(table)
    assert problems(table) == [
        f"line 2: Q1: “{date}” is a date; a spreadsheet program makes dates of marks such as 1-2"
    ]


def test_two_rows_of_one_pupil_are_refused_by_line(read):
    long = read("pupil,question,score\nA,x,1\nA,x,0\nB,x,1\n")
    assert problems(long) == ["line 3: x: the pupil already has a response to it in line 2"]


def test_without_a_stated_maximum_the_highest_mark_counts_as_it(read):
    table = read("Pupil,Angles,Area\nA,3,1\nB,1,0\n")
    assert [question.maximum for question in table.questions] == [3.0, 1.0]
    assert table.notes == ["The file states no maximum for Angles: the highest mark given counts as it."]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("pupil,question,score\nA,x,soon\nB,x,1\n", "line 2: “soon” is not a mark"),
        ("pupil,question,score\n,x,1\nB,x,1\n", "line 2: the row names no pupil"),
        ("pupil,question,score,seconds\nA,x,1,soon\nB,x,1,2\n", "line 2: “soon” is not a time; write seconds"),
        ("pupil,question,score\nA,x,\nB,x,1\n", "line 2: the row has neither a response nor a mark"),
        ("Pupil,Q1\nA,-\nB,1\n", "line 2: the row has no answers"),
        ("Pupil,Q1,Q2\nA,ten,1\nB,1,1\nC,1,0\n", "line 2: Q1: “ten” is not a mark"),
    ],
)
def test_what_cannot_be_used_is_reported_by_line(read, text, reason):
    assert problems(read(text)) == [reason]


def test_reports_name_no_pupil(read):
    table = read("Name,Q1 (1)\nAda Lovelace,7\nAda Lovelace,1\nBen,1\n,1\nCem,1-Feb\n")
    assert len(table.problems) == 4
    assert not any("Ada" in text or "Ben" in text for text in problems(table) + table.notes)


@each_case("responses", "refused")
def test_a_file_without_responses_is_refused_with_what_to_do(read, text, said):
    with pytest.raises(ImportRefused, match=re.escape(said)):
        read(text)


@each_case("responses", "read")
def test_what_is_wrong_with_a_file_is_said_and_the_rest_is_read(read, text, questions, responses, problems, note):
    table = read(text)
    assert [question.name for question in table.questions] == questions
    assert [str(problem) for problem in table.problems] == problems
    assert len(table.rows) == responses
    assert note is None or note in table.notes


def test_a_workbook_with_a_hidden_sheet_a_merged_cell_and_a_date(tmp_path):
    book = Workbook()
    sheet = book.active
    for row in (["Test of 1 May"], ["Pupil", "Q1", "Q2"], ["Ada", 1, 0], ["Ben", 1, None], ["Cem", 0, 1]):
        sheet.append(row)
    sheet.merge_cells("B3:B4")
    hidden = book.create_sheet("Draft")
    hidden.sheet_state = "hidden"
    hidden.append(["Pupil", "Q9"])
    book.save(tmp_path / "marks.xlsx")
    table = read_responses(tmp_path / "marks.xlsx")
    assert marks(table) == {("ada", "Q1"): 1.0, ("ada", "Q2"): 0.0, ("cem", "Q1"): 0.0, ("cem", "Q2"): 1.0}
    assert problems(table)[0] == "line 4: column 2 is merged with the cell above; split it"
    assert "Sheets that are not read: Draft." in table.notes

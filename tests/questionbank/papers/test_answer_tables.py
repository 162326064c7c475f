"""Tables behind the questions: lists of answers and marking schemes, whatever their heads say."""

from __future__ import annotations

from pathlib import Path

import pytest

from questionbank.papers.documents import read_document
from questionbank.papers.line_cutting import cut_lines, with_column_of_points
from questionbank.papers.marks import read_mark, take_mark
from questionbank.papers.paper_lines import Line, Paper, Role
from questionbank.papers.paragraphs import Paragraph
from questionbank.papers.question_assembly import assemble, guess_roles

Rows = list[list[str]]
QUESTIONS = ["Work out 3 + 4.", "Solve 2x = 10.", "Round 4.6 to a whole number.", "Write 1/2 as a decimal."]


def paper_of(tmp_path: Path, rows: Rows, *, title: str = "", questions: list[str] | None = None) -> Paper:
    """Return the paper that questions with a table below them make; a slash parts the lines of a cell."""
    asked = [f"<p>{text}</p>" for text in questions or [f"{n}. {q}" for n, q in enumerate(QUESTIONS, 1)]]
    lines = [
        "<tr>" + "".join(f"<td><p>{cell.replace('//', '</p><p>')}</p></td>" for cell in row) + "</tr>" for row in rows
    ]
    path = tmp_path / "paper.html"
    page = f"<html><body>{''.join(asked)}<p><b>{title}</b></p><table>{''.join(lines)}</table></body></html>"
    path.write_text(page, encoding="utf-8")
    document = read_document(path, path.name)
    return assemble(document.lines, guess_roles(document.lines))


ANSWERS = ["7", "x = 5", "5", "0.5"]
SCHEMES: dict[str, tuple[str, Rows]] = {
    "a head of its own": (
        "MEMORANDUM",
        [["Ques.", "Solution", "Marks"]] + [[f"{n}", a, "(1)"] for n, a in enumerate(ANSWERS, 1)],
    ),
    "no head, and marks": ("", [["1", "7", "B1"], ["2", "x = 5", "M1 A1"], ["3", "5", "B1"], ["4", "0.5", "B1"]]),
    "working in lines": (
        "MARKING SCHEME",
        [
            ["NO", "WORKING", "MARKS", "REMARKS"],
            ["1.", "3 + 4//= 7", "M1//A1", ""],
            ["2.", "x = 10 ÷ 2//x = 5", "M1//A1", "Accept 5"],
            ["3.", "4.6 ≈ 5//= 5", "B1", ""],
            ["4.", "1 ÷ 2//= 0.5", "M1 A1", ""],
        ],
    ),
    "several rows a question": (
        "Mark scheme",
        [
            ["No.", "Working / answer", "Marks"],
            ["1", "3 + 4", "M1"],
            ["", "= 7", "A1"],
            ["2", "x = 10 ÷ 2", "M1"],
            ["", "x = 5", "A1"],
            ["3", "5", "B1"],
            ["4", "0.5", "B1"],
        ],
    ),
    "columns side by side": ("Answer Key", [["1.", "7", "3", "5"], ["2.", "$x = 5$", "4", "0.5"]]),
    "row by row": ("Answers", [["1", "7", "2", "x = 5"], ["3", "5", "4", "0.5"]]),
    "numbers over answers": ("Answers", [["Q1", "Q2", "Q3", "Q4"], ANSWERS]),
}


@pytest.mark.parametrize("case", SCHEMES)
def test_a_table_of_numbers_and_answers_is_a_list_of_answers(tmp_path: Path, case: str) -> None:
    title, rows = SCHEMES[case]
    paper = paper_of(tmp_path, rows, title=title)
    found = [question.record.answer.strip("$") for question in paper.questions]
    assert [answer.replace("$", "") for answer in found] == ANSWERS
    assert paper.questions[3].record.text == QUESTIONS[3]


def test_levels_name_questions_and_their_parts() -> None:
    said = {"1.1": "7", "1.2": "8", "2.1.1": "1 h", "2.1.2": "20 km"}
    asked = {"1.1": Role.QUESTION, "1.2": Role.QUESTION, "2.1": Role.QUESTION, "2.1.1": Role.PART, "2.1.2": Role.PART}
    rows = ["| Ques. | Solution | Marks |", *(f"| {name} | {answer} ✓ | 1 |" for name, answer in said.items())]
    lines = [*(Line("Work it out.", name) for name in asked), *map(Line, rows)]
    first, second, third = assemble(lines, [*asked.values(), *[Role.KEY] * len(rows)]).questions
    assert (first.record.answer, second.record.answer) == ("7", "8")
    assert [part.answer for part in third.record.content.parts] == ["1 h", "20 km"]


NO_ANSWERS: dict[str, tuple[str, Rows]] = {
    "data of a question": (
        "Look at this table.",
        [["Goals", "Matches"], ["1", "3"], ["2", "5"], ["3", "4"], ["4", "2"]],
    ),
    "questions with a column of letters": (
        "Section B",
        [[f"{n}.", f"Say whether {n} is prime and why.", "BA"[n % 2]] for n in range(1, 5)],
    ),
    "statements to decide on": (
        "Section B: True or false?",
        [[f"{n}.", f"{n} is less than 5.", "T / F"] for n in range(1, 5)],
    ),
}


@pytest.mark.parametrize("case", NO_ANSWERS)
def test_another_table_with_numbers_gives_no_answers(tmp_path: Path, case: str) -> None:
    title, rows = NO_ANSWERS[case]
    paper = paper_of(tmp_path, rows, title=title)
    assert not any(question.record.answer for question in paper.questions)


def test_a_table_that_names_the_questions_and_gives_nothing_is_doubted() -> None:
    rows = ["| No. | Answer | Marks |", *(f"| {number} |  | 1 |" for number in range(1, 5))]
    lines = [*(Line(text, f"{n}.") for n, text in enumerate(QUESTIONS, 1)), *map(Line, ["Mark scheme", *rows])]
    paper = assemble(lines, guess_roles(lines))
    assert all(any(doubt.code == "unanswered" for doubt in question.doubts) for question in paper.questions)


def test_a_number_behind_the_last_answer_is_no_part_of_it() -> None:
    lines = [Line("Work out 3 + 4.", "1."), Line("Work out 9 − 1.", "2."), Line("Answers: 1. 7; 2. 8; 3. 10 g")]
    paper = assemble(lines, [Role.QUESTION, Role.QUESTION, Role.KEY])
    assert [question.record.answer for question in paper.questions] == ["7", "8"]
    assert "question 3" in paper.notices[0]


def test_a_list_names_sections_by_their_numbers() -> None:
    exercises = {
        "Exercise 1": ["Match each word with its meaning.", "| radius | a. around |", "| perimeter | b. to the edge |"],
        "Exercise 2": ["1. Name a shape.", "2. Name a solid.", "3. Name an angle.", "4. Name a line."],
        "Exercise 3": ["1. 90° is a ______ angle.", "2. A cube has ______ faces.", "3. A cube has ______ edges."],
    }
    said = ["Answers", "Ex 1: radius – b, perimeter – a", "Ex 2: 1. square; 2. cube; 3. right angle; 4. chord",
            "Ex 3: 1. right; 2. six; 3. twelve"]  # fmt: skip
    text = "\n".join([*(line for name, asked in exercises.items() for line in [f"# {name}", *asked]), *said])
    lines = cut_lines(Paragraph.of(line.lstrip("# "), heading=int(line[0] == "#")) for line in text.split("\n"))
    first, *others = (question.record for question in assemble(lines, guess_roles(lines)).questions)
    assert {(pair.left, pair.right) for pair in first.content.pairs} == {
        ("radius", "to the edge"),
        ("perimeter", "around"),
    }
    assert [record.answer for record in others] == ["square", "cube", "right angle", "chord", "right", "six", "twelve"]


def test_what_stands_between_a_number_and_its_first_question_is_shared() -> None:
    asked = [("", "QUESTION 1"), ("Work out 3 + 4.", "1.1"), ("Work out 9 − 1.", "1.2"), ("", "QUESTION 2"),
             ("The bars show the rain.", ""), ("![](rain.png)", ""), ("When?", "2.1"), ("Why?", "2.2")]  # fmt: skip
    lines = [Line(text, number) for text, number in asked]
    questions = assemble(lines, guess_roles(lines)).questions
    assert [("rain.png" in question.record.text) for question in questions] == [False, False, True, True]


def test_a_star_behind_a_question_s_number_is_no_reason_to_miss_it() -> None:
    assert read_mark(take_mark("Zadanie 8* (2 p.)")[0]).value == 8  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("line", "mark", "rest"),
    [
        ("Exercice n° 4 : Calcule.", "Exercice n° 4 :", "Calcule."),
        ("Exercice nº 4. Calcule.", "Exercice nº 4.", "Calcule."),
        ("Ejercicio 2.- Calcula.", "Ejercicio 2.-", "Calcula."),
        ("Question no. 3: Solve.", "Question no. 3:", "Solve."),
    ],
)
def test_numbers_behind_a_word_in_other_countries_spelling(line, mark, rest) -> None:
    assert take_mark(line) == (mark, rest)
    assert read_mark(mark).kind == "word"


def paper(*marks: str) -> list[Line]:
    """Return questions, each with what stands in the column beside it."""
    return [
        line
        for number, given in enumerate(marks, 1)
        for line in (Line(f"What is {number} + 5?", f"{number}."), Line("", given))
    ]


def test_a_column_of_numbers_holds_points_and_no_parts() -> None:
    lines = with_column_of_points(paper("2", "3", "2", "1"))
    found = assemble(lines, guess_roles(lines)).questions
    assert [question.record.content.points for question in found] == [2, 3, 2, 1]
    assert not any(question.record.content.parts for question in found)


def test_numbers_that_count_on_or_stand_alone_once_are_kept() -> None:
    for lines in (paper("1", "2", "3", "4"), [*paper("2"), Line("What is 2 + 5?", "2.")]):
        assert with_column_of_points(lines) == lines

"""The points of questions: what a section gives for each, and what sums up a paper; and how sections are found."""

from __future__ import annotations

import pytest

from analytics.question_content import ANSWER_LINES, Section
from questionbank.papers.documents import read_text
from questionbank.papers.paper_lines import Line, Role
from questionbank.papers.question_assembly import assemble, guess_roles
from questionbank.papers.selectors import with_sections
from tests.cases import each_case

OWN = "1. Find x if 2x = 4. (3 marks)\n2. Find y if 3y = 9. (4 marks)\n3. Show that 7 is prime. (7 marks)\n"
OF_PARTS = (
    "1. Find x if 2x = 4. (3 marks)\n2. Find y if 3y = 9. (4 marks)\n3. A car drives 60 km.\n"
    "(a) How long does it take? (2 marks)\n(b) How fast is it? (5 marks)\n"
)
NONE = "1. Find x if 2x = 4.\n2. Find y if 3y = 9.\n3. Show that 7 is prime.\n"


def points_of(text: str) -> list[float | None]:
    lines = read_text(f"Algebra test\n{text}").lines
    return [question.record.content.points for question in assemble(lines, guess_roles(lines)).questions]


@pytest.mark.parametrize(("above", "expected"), [(OWN, [3, 4, 7]), (OF_PARTS, [3, 4, 7]), (NONE, [None] * 3)])
@each_case("papers", "closing_totals")
def test_a_closing_total_is_not_the_last_question_s(line: str, above: str, expected: list[float | None]) -> None:
    lines = read_text(f"{above}{line}\n").lines
    questions = assemble(lines, guess_roles(lines)).questions
    assert [question.record.content.points for question in questions] == expected
    last = questions[-1].record
    assert "14" not in "".join([last.text, *(part.text for part in last.content.parts)])


@each_case("papers", "totals")
def test_the_total_of_a_question_stays_its_own(paper: str, points: list[float]) -> None:
    assert points_of(paper) == points


@each_case("papers", "section_points")
def test_a_section_s_points_are_those_of_its_questions(heading: str) -> None:
    assert points_of(f"{heading}\n{NONE}") == [2, 2, 2]


@pytest.mark.parametrize(
    "heading", ["Section A [20 marks]", "Section A: Answer all questions (20 marks)", "Part A: 20 points"]
)
def test_what_a_section_gives_as_a_whole_is_given_to_none_of_its_questions(heading: str) -> None:
    assert points_of(f"{heading}\n{NONE}") == [None] * 3


def test_a_question_s_own_points_and_the_next_section_are_left_alone() -> None:
    paper = f"Section A (2 points each)\n{NONE}4. Find w. (5 points)\nSection B\n5. Find v if 2v = 4.\n"
    assert points_of(paper) == [2, 2, 2, 5, None]


@each_case("papers", "points")
def test_points_are_read_in_the_way_that_a_paper_writes_them(paper: str, points: list[float]) -> None:
    lines = read_text(paper).lines
    questions = assemble(lines, guess_roles(lines)).questions
    assert [question.record.content.points for question in questions] == points
    texts = "".join(question.record.text for question in questions)
    assert not any(sign in texts for sign in ("…", "..", "("))


@pytest.mark.parametrize(
    ("said", "expected"),
    [("(½ mark)", 0.5), ("(1½ marks)", 1.5), ("(1.5 marks)", 1.5), ("[0.5]", 0.5), ("(0 marks)", None)],
)
def test_points_may_be_fractions_and_are_never_answers(said: str, expected: float | None) -> None:
    paper = f"1. Find x. {said}\n2. Find y. {said}\n3. Find z. {said}\n"
    assert points_of(paper) == [expected] * 3
    lines = read_text(paper).lines
    assert not any(question.record.answer for question in assemble(lines, guess_roles(lines)).questions)


@pytest.mark.parametrize("said", ["(5 each)", "[5 marks each]", "5 each"])
def test_points_for_each_part_are_those_of_each_part(said: str) -> None:
    lines = read_text(f"1. Solve each equation. {said}\n(a) x + 1 = 2\n(b) x + 2 = 5\n").lines
    (question,) = assemble(lines, guess_roles(lines)).questions
    assert [part.content.points for part in question.record.content.parts] == [5, 5]
    assert (question.record.text, question.record.content.points) == ("Solve each equation.", 10)


@pytest.mark.parametrize("first", ["(a) (i)", "(a) Take 1/2. (2)\n(i)"])
def test_points_of_parts_within_a_part_are_summed_once(first: str) -> None:
    paper = f"1. Work out.\n{first} Find x. (1)\n(ii) Find y. (1)\n(b) Find z. (3)\n2. Solve 2x = 6. [2]\n"
    lines = read_text(paper).lines
    question, _other = assemble(lines, guess_roles(lines)).questions
    assert [part.content.points for part in question.record.content.parts] == [2, 3]
    assert question.record.content.points == 5


N, H, Q, P, M = Role.NOTHING, Role.HEADING, Role.QUESTION, Role.PART, Role.MORE
LONG = f"Part II. {'Write your answers in full sentences. ' * 8}".strip()


def read(*rows: tuple[Role, str], title: int = 0):
    """The sections of some lines; the first heading has a level where `title` says so."""
    lines = []
    for role, text in rows:
        level, title = (title, 0) if role is H else (0, title)
        number = {Q: f"{sum(row is Q for row, _ in rows[: len(lines) + 1])}.", P: "(a)"}.get(role, "")
        lines.append(Line(text, number, heading=level))
    roles = [role for role, _text in rows]
    paper, front = with_sections(assemble(lines, roles), lines, roles)
    return [question.record.content for question in paper.questions], front


@pytest.mark.parametrize(
    ("rows", "title", "sections", "front"),
    [
        (
            [(N, "Hill School"), (N, "Time: 1 hour"), (N, "Name: ____"), (Q, "Add."), (N, "Page 1 of 2"), (Q, "Go.")],
            0,
            [Section(), Section()],
            "Time: 1 hour",
        ),
        (
            [(H, "Algebra"), (N, "No calculators."), (H, "Section A"), (N, "Work alone."), (Q, "Add."), (Q, "Go.")],
            1,
            [Section("Section A", "Work alone.")] * 2,
            "No calculators.",
        ),
        (
            [(H, "Section A"), (Q, "Add."), (N, "Write your answers in the boxes."), (N, "oh"), (Q, "Go.")],
            0,
            [Section("Section A"), Section("Section A", "Write your answers in the boxes.")],
            "",
        ),
        (
            [(H, "Paper 1"), (N, "Read this."), (Q, "Add."), (H, "Paper 2"), (Q, "Go.")],
            0,
            [Section("Paper 1", "Read this."), Section("Paper 2")],
            "",
        ),
        ([(H, LONG), (Q, "Add.")], 0, [Section("Part II.", LONG.removeprefix("Part II. "))], ""),
    ],
)  # fmt: skip
def test_what_stands_above_questions_is_their_section_and_the_rest_is_the_papers(rows, title, sections, front):
    contents, said = read(*rows, title=title)
    assert [content.section for content in contents] == sections
    assert said == front


def test_drawn_lines_are_space_for_the_part_above_them():
    contents, _front = read(
        (Q, "Look."), (P, "Add."), (N, "_" * 150), (N, "_" * 20), (Q, "Which? A or B"), (N, "(   )"), (Q, "Go.")
    )
    assert contents[0].parts[0].content.settings[ANSWER_LINES] == "3"
    assert [ANSWER_LINES in content.settings for content in contents] == [False, False, False]

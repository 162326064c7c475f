"""Sections, instructions and space to write, from lines whose roles are known."""

from __future__ import annotations

import pytest

from analytics.question_content import ANSWER_LINES, Section
from questionbank.papers.paper_lines import Line, Role
from questionbank.papers.question_assembly import assemble
from questionbank.papers.selectors import with_sections

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

"""The points of questions: what a section gives for each, and what sums up a paper rather than its last question."""

from __future__ import annotations

import pytest

from questionbank.papers.documents import read_text
from questionbank.papers.question_assembly import assemble, guess_roles

OWN = "1. Find x if 2x = 4. (3 marks)\n2. Find y if 3y = 9. (4 marks)\n3. Show that 7 is prime. (7 marks)\n"
OF_PARTS = (
    "1. Find x if 2x = 4. (3 marks)\n2. Find y if 3y = 9. (4 marks)\n3. A car drives 60 km.\n"
    "(a) How long does it take? (2 marks)\n(b) How fast is it? (5 marks)\n"
)
NONE = "1. Find x if 2x = 4.\n2. Find y if 3y = 9.\n3. Show that 7 is prime.\n"


def points(text: str) -> list[float | None]:
    lines = read_text(f"Algebra test\n{text}").lines
    return [question.record.content.points for question in assemble(lines, guess_roles(lines)).questions]


@pytest.mark.parametrize(("above", "expected"), [(OWN, [3, 4, 7]), (OF_PARTS, [3, 4, 7]), (NONE, [None] * 3)])
@pytest.mark.parametrize(
    "line",
    [
        "Total: 14 points", "Total marks: 14", "TOTAL: 14", "[Total: 14 marks]", "TOTAL MARKS FOR PAPER: 14",
        "Gesamtpunktzahl: 14 Punkte", "Total : 14 pts", "总分：14分", "(共14分)", "Total: ____ / 14 points", "/14",
        "Maximum marks: 14", "Grand total: 14 marks", "**Total: 14 points**", "END OF PAPER - Total 14 marks",
        "Total for Section A: 14 marks", "Your score: ___ out of 14",
    ],
)  # fmt: skip
def test_a_closing_total_is_not_the_last_question_s(line: str, above: str, expected: list[float | None]) -> None:
    lines = read_text(f"{above}{line}\n").lines
    questions = assemble(lines, guess_roles(lines)).questions
    assert [question.record.content.points for question in questions] == expected
    last = questions[-1].record
    assert "14" not in "".join([last.text, *(part.text for part in last.content.parts)])


PARTS = "\n(a) Expand it.\n(b) Factor it.\n[Total: {} marks]\n"
IN_PARTS = f"1. Take f.{PARTS.format(3)}2. Take g.{PARTS.format(4)}"


@pytest.mark.parametrize(
    ("paper", "expected"),
    [
        (IN_PARTS, [3, 4]),
        (f"{IN_PARTS}Total: 7 marks\n", [3, 4]),
        (f"1. Find x. (3 marks)\n2. Find z. (5 marks)\n3. Take f.{PARTS.format(6)}", [3, 5, 6]),
        ("1. Find x if 2x = 4.\nTotal: 5 marks\n", [5]),
        (
            "Section A\n1. Find x. (3 marks)\n2. Find z. (5 marks)\nTotal for Section A: 8 marks\n"
            "Section B\n3. Find y. (4 marks)\n4. Find w. (6 marks)\n[Total: 10 marks]\n",
            [3, 5, 4, 6],
        ),
    ],
)
def test_the_total_of_a_question_stays_its_own(paper: str, expected: list[float]) -> None:
    assert points(paper) == expected


@pytest.mark.parametrize(
    "heading",
    [
        "Section A (5 questions, 2 points each)", "Section A: 5 questions of 2 marks each", "Part B - 2 marks each",
        "Part A: two points each", "Teil A: je 2 Punkte", "Teil A (2 Punkte pro Aufgabe)", "一、选择题（每题2分）",
        "Section A\nEach question in this section is worth 2 marks.", "Section A\nAll questions carry 2 marks.",
        "Multiple choice (2 each)", "Part A. Write it. (2 pt. each)", "Section A [5 x 2 = 10 marks]",
        "Section A: 2-mark questions",
        "Partie A (2 points par question)", "Sección A: 2 puntos por pregunta", "Parte A (2 punti ciascuna)",
        "Deel A (2 punten per vraag)", "Część A (po 2 punkty)", "Directions: Solve each equation. (2 points each)",
        "Questions 1-3 carry 2 marks each. Questions 4-9 carry 5 marks each.",
        "Each question is worth 2 points.\nSection A", "Une bonne réponse rapporte 2 points.",
        "Circle the best answer for questions 7 to 9. Each question is worth 2 points.",
        "Section A has 3 questions of 2 marks each. Section B has 4 questions of 5 marks each.\nSection - A",
    ],
)  # fmt: skip
def test_a_section_s_points_are_those_of_its_questions(heading: str) -> None:
    assert points(f"{heading}\n{NONE}") == [2, 2, 2]


@pytest.mark.parametrize(
    "heading", ["Section A [20 marks]", "Section A: Answer all questions (20 marks)", "Part A: 20 points"]
)
def test_what_a_section_gives_as_a_whole_is_given_to_none_of_its_questions(heading: str) -> None:
    assert points(f"{heading}\n{NONE}") == [None] * 3


def test_a_question_s_own_points_and_the_next_section_are_left_alone() -> None:
    paper = f"Section A (2 points each)\n{NONE}4. Find w. (5 points)\nSection B\n5. Find v if 2v = 4.\n"
    assert points(paper) == [2, 2, 2, 5, None]


WAYS = {  # how a paper may write 1, 2, 3 and 3 points
    "a star for the quality of writing": (
        "1 Work out 3 + 4. (1)\n*2 Explain why 91 is not prime. (2)\n3 Solve 2x = 6. (3)\n*4 Show that x = 2. (3)\n"
        "(Total for Question 4 is 3 marks)"
    ),
    "totals in brackets below": "".join(
        f"{number} Find {name}.\n(Total for Question {number} is {points} marks)\n"
        for number, name, points in ((1, "x", 1), (2, "y", 2), (3, "z", 3), (4, "w", 3))
    ),
    "decimals in brackets": "".join(
        f"Question {number} ({points})\nFind {name}.\n"
        for number, name, points in ((1, "x", "1,0"), (2, "y", "2,0"), (3, "z", "3,0"), (4, "w", "3,0"))
    ),
    "behind a slash": "1. Find x. /1\n2. Work out 1/2 + 2/3 /2\n3. Find z. /3\n4. Find w. /3",
    "behind dots": "1. Find x.\n....... [1]\n2. Find y.\n....... [2]\n3. Find z.\n........ [3]\n4. Find w.\n..... [3]",
    "in round brackets behind dots": (
        "1. Find x.\n………… (1)\n2. Find y. ………… (2)\n3. Find z.\nz = ………… (3)\n4. Find w.\n………… cm (3)"
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_points_are_read_in_the_way_that_a_paper_writes_them(way: str) -> None:
    lines = read_text(WAYS[way]).lines
    questions = assemble(lines, guess_roles(lines)).questions
    assert [question.record.content.points for question in questions] == [1, 2, 3, 3]
    texts = "".join(question.record.text for question in questions)
    assert not any(sign in texts for sign in ("…", "..", "("))


@pytest.mark.parametrize(
    ("said", "expected"),
    [("(½ mark)", 0.5), ("(1½ marks)", 1.5), ("(1.5 marks)", 1.5), ("[0.5]", 0.5), ("(0 marks)", None)],
)
def test_points_may_be_fractions_and_are_never_answers(said: str, expected: float | None) -> None:
    paper = f"1. Find x. {said}\n2. Find y. {said}\n3. Find z. {said}\n"
    assert points(paper) == [expected] * 3
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

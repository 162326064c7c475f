# ruff: noqa: E501 - papers a line
"""Lines with roles to questions: the grammar of test papers, doubts, and roles that people give."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics.question_content import QuestionContent, QuestionPart, Stimulus
from analytics.records import QuestionRecord
from questionbank.papers.documents import read_document, read_text
from questionbank.papers.doubts import with_suspicions
from questionbank.papers.paper_lines import Doubt, FoundQuestion, Line, Paper, Role
from questionbank.papers.question_assembly import NO_QUESTION, assemble, guess_roles
from tests.cases import each_case
from tests.questionbank.papers.agreement import agreement
from tests.questionbank.papers.papers import papers

LEAST_WHOLE, LEAST_DOUBTED = 0.95, 0.9


def paper_of(text: str) -> Paper:
    lines = read_text(text).lines
    return assemble(lines, guess_roles(lines))


def test_papers_as_teachers_type_them_are_found_whole_or_doubted(tmp_path: Path) -> None:
    found = []
    for paper in papers():
        path = tmp_path / "paper"
        path.write_bytes(paper.data)
        lines = read_document(path, paper.name).lines
        found.append((paper.name, agreement(assemble(lines, guess_roles(lines)), paper.questions)))
    whole = sum(one.whole for _, one in found)
    wrong = [f"{name}, {reason}" for name, one in found for reason in one.wrong]
    assert len(found) >= 20
    assert whole >= LEAST_WHOLE * (whole + len(wrong)), wrong
    assert sum(one.doubted for _, one in found) >= LEAST_DOUBTED * len(wrong), wrong


CHOICE = "1. Which is prime?\nA. 4\nB. 5\nC. 6\n"


@each_case("papers", "right_options")
def test_the_right_option_is_found_by(paper: str, answer: str) -> None:
    question = paper_of(paper).questions[0]
    assert (question.record.kind, question.record.answer) == ("choice", answer)


@each_case("papers", "kinds")
def test_a_question_has_the_kind_that_its_lines_make(paper: str, kind: str, answer: str) -> None:
    record = paper_of(paper).questions[0].record
    assert (record.kind, record.answer) == (kind, answer)


def test_points_are_taken_from_parts_totals_and_headings() -> None:
    paper = paper_of(
        "Section A (1 mark each)\n1. Which?\nA. 1\nB. 2\nSection B\n2. [5 pts] Find it.\n3. A line.\n"
        "(a) Find its slope. (2 marks)\n(b) Draw it. (3 marks)\n4. 解方程。（6分）"
    )
    assert [question.record.content.points for question in paper.questions] == [1, 5, 5, 6]
    assert paper.questions[0].heading == ("Section A (1 mark each)",)


def test_a_heading_is_a_name_without_emphasis() -> None:
    lines = [Line("**Part A:** 2 * x"), Line("Find $x$.", "1."), Line("Find $y$.", "2.")]
    paper = assemble(lines, [Role.HEADING, Role.QUESTION, Role.QUESTION])
    assert paper.questions[0].heading == ("Part A: 2 * x",)


@each_case("papers", "statements")
def test_true_or_false_leaves_a_text_only_behind_a_whole_statement(stem: str, text: str) -> None:
    parts = "\n(a) Every square is a rhombus.\n(b) Every rhombus is a square."
    assert paper_of(f"1. {stem}\nAnswer: True").questions[0].record.text == text
    assert paper_of(f"1. {stem}{parts}\nAnswers\n1. (a) true (b) false").questions[0].record.text == text


def test_a_shared_text_stands_before_each_question_that_it_names() -> None:
    paper = paper_of("Questions 1-2 refer to the table.\n| x | 1 |\n| y | 2 |\n1. Find x.\n2. Find y.\n3. Find z.")
    texts = [question.record.text for question in paper.questions]
    assert texts[1] == "Questions 1-2 refer to the table.\n| x | 1 |\n| y | 2 |\n\nFind y."
    assert texts[2] == "Find z."


@each_case("papers", "doubts")
def test_what_a_reviewer_can_mend_is_doubted(doubt: str, paper: str, questions: list[int]) -> None:
    found = enumerate(paper_of(paper).questions, 1)
    assert [number for number, question in found if any(doubt in str(one) for one in question.doubts)] == questions


def test_what_is_doubtful_about_the_whole_paper_is_said_once() -> None:
    paper = paper_of("1. Which is it?\nA. 4\nB. 5\n2. Find y. (3 marks)\n3. Is it 7? (7 marks)\nTotal: 24 marks\n")
    assert paper.notices == (
        "The questions give 10 points together, but the document says 24. No points were found for question 1."
        " Check the points.",
        "No answers were found in the document. The questions are imported without answers.",
    )
    assert {doubt.code for question in paper.questions for doubt in question.doubts} <= {"no_points"}


SHEET = (
    "1. Work out 3 + 4.\n2. Solve 2x = 10.\n3. Which is prime?\nA. 4\nB. 7\nC. 9\nD. 15\n"
    "4. A box holds 12 eggs.\n(a) How many are in 5 boxes?\n(b) How many boxes hold 96?\n5. Simplify 6/8.\n\n"
)


@each_case("papers", "answer_lists")
def test_a_list_of_answers_is_read_in_any_form(answers: str) -> None:
    questions = [found.record for found in paper_of(SHEET + answers).questions]
    found = [[part.answer for part in one.content.parts] or [one.answer] for one in questions]
    assert found == [["7"], ["5"], ["B"], ["60", "8"], ["3/4"]]


def test_numbers_and_answers_without_blanks_between_are_a_list() -> None:
    found = paper_of("1、3千米=（ ）米\n2、480÷6=（ ）\n3、哪个最大？\nA、1\nB、2\n答案：\n1.3000 2.80 3.B").questions
    assert [one.record.answer for one in found] == ["3000", "80", "B"]


@pytest.mark.parametrize(
    "rules",
    ["Instructions\n1. Answer all.\n2. Show your working.\n", "注意事项：\n1. 写姓名。\n2. 用铅笔。\nSection A\n"],
)
def test_numbered_rules_are_no_questions(rules: str) -> None:
    found = paper_of(f"{rules}1. Find 5 × 6.\n2. Find 7 × 8.\n3. Find 9 × 4.").questions
    assert [one.record.text for one in found] == ["Find 5 × 6.", "Find 7 × 8.", "Find 9 × 4."]


def test_a_sentence_on_points_is_no_shared_text() -> None:
    found = paper_of("Questions 1 and 2 carry 3 marks each.\n1. Find 5 × 6.\n2. Find 7 × 8.").questions
    assert [(one.record.text, one.record.content.points) for one in found] == [("Find 5 × 6.", 3), ("Find 7 × 8.", 3)]


def test_answers_of_the_rows_to_match_stand_in_their_section_of_the_list() -> None:
    table = "| 1. two | A. 3 |\n| 2. three | B. 2 |\n"
    text = f"Part I\n1. 7 is odd. True or False\n2. 8 is odd. True or False\nPart II\nMatch each word.\n{table}"
    match = paper_of(f"{text}Answer key\nPart I\n1. T\n2. F\nPart II\n1. B\n2. A").questions[2].record
    assert [(pair.left, pair.right) for pair in match.content.pairs] == [("two", "2"), ("three", "3")]


def test_a_list_of_answers_that_is_not_read_leaves_a_doubt_on_every_question() -> None:
    found = paper_of("1. Find 5 × 6.\n2. Find 7 × 8.\nAnswers\nthirty and fifty-six").questions
    assert all(any(doubt.code == "unanswered" for doubt in one.doubts) for one in found)


def test_a_list_of_answers_with_too_many_is_said_of_the_paper() -> None:
    assert any("names question 9" in notice for notice in paper_of(CHOICE + "Answers\n1. B\n9. A").notices)


@pytest.mark.parametrize("text", ["", "Some notes about fractions."])
def test_a_paper_without_questions_says_which_marks_are_understood(text: str) -> None:
    assert paper_of(text).notices == (NO_QUESTION,)


def test_a_correction_of_one_role_is_a_correction_of_the_questions() -> None:
    lines = read_text("1. What is it?\nA. 4\nB. 5\nFind the rest.").lines
    roles = guess_roles(lines)
    split = assemble(lines, [*roles[:3], Role.QUESTION])
    assert [question.record.text for question in split.questions] == ["What is it?", "Find the rest."]
    marked = assemble(lines, [*roles[:2], Role.RIGHT_OPTION, Role.NOTHING])
    assert (marked.questions[0].record.answer, len(marked.questions[0].record.options)) == ("B", 2)
    joined = assemble(lines, [Role.QUESTION, Role.MORE, Role.MORE, Role.MORE])
    assert joined.questions[0].record.text == "What is it?\nA. 4\nB. 5\nFind the rest."


TEXTS = st.text(alphabet="ABab12.()[]*$\\ _|=/题答案：（）", max_size=25)
LINES = st.builds(
    Line, text=TEXTS, number=st.sampled_from(["", "1.", "(a)", "A.", "*B.", "•", "[x]", "i)", "Question 2", "一、"]),
    heading=st.sampled_from([0, 0, 0, 1]), is_marked=st.booleans(), is_joined=st.booleans(),
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(LINES, st.sampled_from(Role)), max_size=14))
def test_any_lines_and_any_roles_make_a_paper_that_loses_no_line(pairs: list[tuple[Line, Role]]) -> None:
    lines = [line for line, _ in pairs]
    assert len(guess_roles(lines)) == len(lines)
    assemble(lines, guess_roles(lines))
    roles = [role for _, role in pairs]
    paper = assemble(lines, roles)
    used = [place for question in paper.questions for place in question.lines]
    asked = [place for place, role in enumerate(roles) if role is Role.QUESTION]
    assert len(paper.questions) >= len(asked)
    own = {Role.QUESTION, Role.OPTION, Role.RIGHT_OPTION, Role.PART, Role.ANSWER, Role.SOLUTION}
    assert {place for place, role in enumerate(roles) if role in own} <= {*used}
    assert all(question.lines == tuple(sorted(question.lines)) for question in paper.questions)


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=300))
def test_any_text_is_read_with_nothing_of_it_lost(text: str) -> None:
    document = read_text(text)
    said = "".join(line.number + line.text for line in document.lines)
    kept = [sign for sign in text if sign.isalnum()]
    assert [sign for sign in said if sign.isalnum()] == kept


def test_a_list_below_one_section_is_that_of_the_section() -> None:
    found = paper_of(
        "Section A: Match each (2 marks)\n1) Write the letters.\n| 1. two | A. 3 |\n| 2. three | B. 2 |\n"
        "(key: 1-B, 2-A)\nSection B (3 marks each)\n1) Calculate 1/3 + 1/4.\nAnswer: 7/12\n2) Calculate 1/2 + 1/4.\nAnswer: 3/4"
    ).questions
    assert [(pair.left, pair.right) for pair in found[0].record.content.pairs] == [("two", "2"), ("three", "3")]
    assert [one.record.answer for one in found[1:]] == ["7/12", "3/4"]


def test_numbers_run_on_across_signs_and_codes() -> None:
    mixed = paper_of("1. What is 1 + 1?\n2) What is 1 + 2?\n[3] What is 1 + 3?\nQ4 What is 1 + 4?\n5. What is 1 + 5?")
    coded = paper_of("A1) What is 1 + 1?\nA2) What is 1 + 2?\nA3) What is 1 + 3?\nKEY\nA: 1 2, 2 3, 3 4")
    assert [len(paper.questions) for paper in (mixed, coded)] == [5, 3]
    assert [one.record.answer for one in coded.questions] == ["2", "3", "4"]


def test_what_a_solution_ends_with_is_the_answer_and_doubted() -> None:
    (question,) = paper_of("1. Solve x + 1 = 5.\nSolution: Subtract 1, so x = 4.").questions
    assert question.record.answer == "x = 4"
    assert any(doubt.code == "answer_of_working" for doubt in question.doubts)


def test_a_letter_gives_doubted_questions_at_most() -> None:
    letter = "Dear parents,\n1. The trip is on Friday.\n2. The bus leaves at nine.\n3. Lunch is packed."
    assert all(question.doubts for question in paper_of(letter).questions)


@pytest.mark.parametrize("ends", [" (2 marks)", ""])
def test_a_line_between_two_parts_begins_the_part_below_it(ends: str) -> None:
    text = (
        f"1. A bag holds counters.\n(a) Find the probability of red.{ends}\nThere are 60 counters in the bag.\n"
        f"(b) Work out the number of red counters.{ends}\nShow your working.\n"
    )
    (question,) = paper_of(text).questions
    first, second = (part.text for part in question.record.content.parts)
    assert first == "Find the probability of red."
    assert second.startswith("There are 60 counters in the bag.\nWork out the number of red counters.")


PLAIN = FoundQuestion((0,), "1.", QuestionRecord("", "What is 2 + 2?", answer="4"))
DOUBTED = FoundQuestion((1,), "2.", QuestionRecord("", "What is 3 + 3?", answer="6"), doubts=(Doubt.of("short"),))


def question(text: str, answer: str = "4", shared: str = "", parts: tuple[str, ...] = ()) -> FoundQuestion:
    content = QuestionContent(
        stimulus=Stimulus(text=shared),
        parts=tuple(QuestionPart("Find it.", "open", (), part, QuestionContent()) for part in parts),
    )
    return FoundQuestion((0,), "1.", QuestionRecord("", text, answer=answer, content=content))


@pytest.mark.parametrize(
    ("suspect", "looks_at"),
    [
        (question("Use it for questions 4 and 7.\nWhat is 2 + 2?"), "mentions other questions"),
        (question("Answer each part.", "", parts=("", "")), "Nothing above its parts"),
        (question("Match the rows.", ""), "matching question"),
    ],
)
def test_what_counts_most_against_a_question_is_its_doubt(suspect: FoundQuestion, looks_at: str) -> None:
    found, _ = with_suspicions([suspect, PLAIN], frozenset())
    (doubt,) = found.doubts
    assert looks_at in str(doubt)


def test_a_question_like_others_is_not_suspected() -> None:
    shared = question(
        "Questions 1-2 refer to the graph below.\n\nWhat is 2 + 2?", shared="Questions 1-2 refer to the graph below."
    )
    assert not [found for found in with_suspicions([PLAIN, shared, PLAIN], frozenset()) if found.doubts]


def test_where_much_of_a_paper_is_doubtful_its_unanswered_questions_are_too() -> None:
    found = [*with_suspicions([*[DOUBTED] * 9, question("Add them.", ""), PLAIN], frozenset())]
    assert [doubt.code for one in found[9:] for doubt in one.doubts] == ["suspect_paper"]


def test_a_question_of_several_lines_is_no_suspect() -> None:
    long = question("A shop sells pens.\nEach costs 2.\nOne is lost.\nHow much are 2?", "4\nor 5")
    assert not [found for found in with_suspicions([PLAIN, long], frozenset()) if found.doubts]


@given(st.sets(st.integers(0, 3)))
def test_what_a_person_has_looked_at_and_what_is_doubted_already_stays(settled: set[int]) -> None:
    suspect = question("Answer each part.", "", parts=("", ""))
    found = [*with_suspicions([suspect, DOUBTED], settled)]
    assert found[1] == DOUBTED
    assert bool(found[0].doubts) == (0 not in settled)

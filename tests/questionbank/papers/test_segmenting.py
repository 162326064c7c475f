# ruff: noqa: E501 - papers a line
"""Lines with roles to questions: the grammar of test papers, doubts, and roles that people give."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from questionbank.papers.documents import read_document, read_text
from questionbank.papers.paper_lines import Line, Paper, Role
from questionbank.papers.question_assembly import NO_QUESTION, assemble, guess_roles
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
ANSWERS = {  # what is said of the right option, and the label
    "a star": ("1. Which?\nA. 4\n*B. 5\nC. 6", "B"),
    "a tick behind": ("1. Which?\nA. 4\nB. 5 ✓\nC. 6", "B"),
    "a word behind": ("1. Which?\nA. 4\nB. 5 (correct)\nC. 6", "B"),
    "bold": ("1. Which?\nA. 4\n**B. 5**\nC. 6", "B"),
    "a line": (CHOICE + "Answer: B", "B"),
    "Aiken": ("Which is prime?\nA. 4\nB. 5\nANSWER: B\nWhich is even?\nA. 4\nB. 5\nANSWER: A", "B"),
    "an answer in brackets": ("1. Which is prime? [Ans: B]\nA. 4\nB. 5\nC. 6", "B"),
    "its text": (CHOICE + "Answer: 5", "B"),
    "two letters": ("1. Which two?\nA. 4\nB. 5\nC. 7\nAnswer: B and C", "B, C"),
    "brackets": ("1．下列是质数的是（ B ）\nA．4  B．5  C．6", "B"),
    "Chinese": (CHOICE + "【答案】B\n【解析】显然。", "B"),
    "a list": (CHOICE + "Answers\n1. B", "B"),
    "a list on its title's line": (CHOICE + "2. Why?\nAnswer key: 1. B 2. because", "B"),
    "a list by ranges": (CHOICE + "2. Which?\nA. 1\nB. 2\n参考答案\n1-2 BA", "B"),
    "a table across": (CHOICE + "Answers\n| 1 | 2 |\n| B | A |", "B"),
    "a table": (CHOICE + "Answers\n| Question | Answer |\n| 1 | B |", "B"),
    "a publisher's list": (CHOICE + "Answer Section\n1. ANS: B PTS: 1 DIF: L2", "B"),
    "boxes": ("1. Which?\n[ ] 4\n[*] 5\n[ ] 6", "B"),
    "a place before the number": ("__B__ 1. Which?\nA. 4\nB. 5\n____ 2. Which?\nA. 1\nB. 2", "B"),
}


@pytest.mark.parametrize("case", ANSWERS)
def test_the_right_option_is_found_by(case: str) -> None:
    text, answer = ANSWERS[case]
    question = paper_of(text).questions[0]
    assert (question.record.kind, question.record.answer) == ("choice", answer)


KINDS = {
    "1. It is even. True / False\nAnswer: True": ("true_false", "True"),
    "1. Find $\\pi$.\n= 3.14 +- 0.01": ("number", "3.14"),
    "1. A hexagon has ____ sides.\nAnswer: 6": ("blanks", "6"),
    "1. Name it.\n* Jupiter": ("short", "Jupiter"),
    "1. Match them.\n| Column A | Column B |\n| 1. one | a. 2 |\n| 2. two | b. 1 |\nAnswers\n1. 1-b, 2-a": ("matching", "1-b, 2-a"),
    "1. A line.\n(a) Find its slope. (2 marks)\n(b) Draw it. (3 marks)\nAnswers\n1. (a) 2 (b) -": ("parts", "(a) 2; (b) -"),
    "Type: F\n1) What is 6 x 7?\na. 42": ("open", "42"),
    "1. Show that it is so.\nSolution: Clear.": ("open", ""),
    "1. Dev has 60 kg of sand. He also has\n• 9 kg of lime\n• 5 kg of salt\n• 4 kg of clay\nHow much is it?": ("open", ""),
}  # fmt: skip


@pytest.mark.parametrize("text", KINDS)
def test_a_question_has_the_kind_that_its_lines_make(text: str) -> None:
    record = paper_of(text).questions[0].record
    assert (record.kind, record.answer) == KINDS[text]


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


@pytest.mark.parametrize(
    ("stem", "text"),
    [
        ("It is even. True or false", "It is even."),
        ("It is even  True / False", "It is even"),
        ("It is even (true/false)", "It is even"),
        ("$2 + 2 = 5$ T / F", "$2 + 2 = 5$"),
        ("Decide whether each statement is true or false.",) * 2,
        ("For each sentence write true or false.",) * 2,
        ("Say whether it is True / False.",) * 2,
        ("Gib an, ob sie wahr oder falsch",) * 2,
    ],
)
def test_true_or_false_leaves_a_text_only_behind_a_whole_statement(stem: str, text: str) -> None:
    parts = "\n(a) Every square is a rhombus.\n(b) Every rhombus is a square."
    assert paper_of(f"1. {stem}\nAnswer: True").questions[0].record.text == text
    assert paper_of(f"1. {stem}{parts}\nAnswers\n1. (a) true (b) false").questions[0].record.text == text


def test_a_shared_text_stands_before_each_question_that_it_names() -> None:
    paper = paper_of("Questions 1-2 refer to the table.\n| x | 1 |\n| y | 2 |\n1. Find x.\n2. Find y.\n3. Find z.")
    texts = [question.record.text for question in paper.questions]
    assert texts[1] == "Questions 1-2 refer to the table.\n| x | 1 |\n| y | 2 |\n\nFind y."
    assert texts[2] == "Find z."


DOUBTS = {
    "No answer was found": CHOICE + "2. What is 1 + 1?\nAnswer: 2",
    "2 options are marked": "1. Which is it?\nA. 4 ✓\nB. 5 ✓\nC. 6",
    "If question 2 is in this one": "1. Find this.\n3. Find that.",
    "letters of the options skip": "1. Which is it?\nA. 4\nB. 5\nD. 6\nAnswer: A",
    "the answer is E, but the options are A, B, C": CHOICE + "Answers\n1. E",
    "is B by the options marked as right, but C": "1. Which is it?\nA. 4\n*B. 5\nC. 6\nAnswer: C",
    "which is none of the options": CHOICE + "Answer: 17",
    "has no options, but the questions before and after": CHOICE + "2. Which?\n3. Which?\nA. 1\nB. 2\nC. 3",
    "most others have 3": "".join(CHOICE.replace("1.", f"{number}.") for number in range(1, 5)) + "5. Which?\nA. 1\nB. 2",
    "A picture could not be kept": "1. Look: [image]\nAnswer: 2",
    "A formula could not be read": "1. Find [formula]\nAnswer: 2",
    "has no text": "1. Find this.\n2.\nA. 4\nB. 5",
    "stands twice": "1. Find this.\n2. Find that.\n2. Find those.",
    "gives no points": "1. Find x. (2 marks)\n2. Find y. (2 marks)\n3. Find z. (3 marks)\n4. Find w.",
    "1 of its 3 parts give no points": "1. Take f.\n(a) Find x. (2 marks)\n(b) Find y.\n(c) Find z. (1 mark)",
    "Its parts give 3 points": "1. Take f. (5 marks)\n(a) Find x. (2 marks)\n(b) Find y. (1 mark)",
    "less than nothing": "1. Find x. (-1 mark)",
    "heading above holds a picture": "1. Find x.\nSection B ![](image4.png)\n2. Find y.",
}  # fmt: skip


@pytest.mark.parametrize("doubt", DOUBTS)
def test_what_a_reviewer_can_mend_is_doubted(doubt: str) -> None:
    said = [str(found) for question in paper_of(DOUBTS[doubt]).questions for found in question.doubts]
    assert any(doubt in sentence for sentence in said), said


def test_what_is_doubtful_about_the_whole_paper_is_said_once() -> None:
    paper = paper_of("1. Which is it?\nA. 4\nB. 5\n2. Find y. (3 marks)\n3. Is it 7? (7 marks)\nTotal: 24 marks\n")
    assert paper.notices == (
        "The questions give 10 points together, but the document says 24. No points were found for question 1."
        " Check the points.",
        "No answers were found in the document. The questions are imported without.",
    )
    assert {doubt.code for question in paper.questions for doubt in question.doubts} <= {"no_points"}


SHEET = (
    "1. Work out 3 + 4.\n2. Solve 2x = 10.\n3. Which is prime?\nA. 4\nB. 7\nC. 9\nD. 15\n"
    "4. A box holds 12 eggs.\n(a) How many are in 5 boxes?\n(b) How many boxes hold 96?\n5. Simplify 6/8.\n\n"
)
LISTS = {  # of the answers to SHEET
    "in order": "Answers\n1. 7\n2. 5\n3. B\n4. (a) 60 (b) 8\n5. 3/4",
    "in another order": "Solutions\n3. B\n1. 7\n5. 3/4\n2. 5\n4. a) 60 b) 8",
    "of numbers with letters": "Key\n1: 7\n2: 5\n3: B\n4a: 60\n4b: 8\n5: 3/4",
    "with marks": "Mark scheme\n1 7 [1]\n2 5 [2]\n3 B [1]\n4(a) 60 [1]\n4(b) 8 [2]\n5 3/4 [1]",
    "on one line": "Answers: 1. 7; 2. 5; 3. B; 4. (a) 60, (b) 8; 5. 3/4",
    "in running text": "SOLUTIONS\n1 7;  2 5;  3 B;\n4 (a) 60 (b) 8;  5 3/4",
    "with a title of its own": "Answers to the last pages: 1 7 · 2 5 · 3 B · 4 (a) 60 (b) 8 · 5 3/4",
    "of numbers in brackets": "Answers (teachers only)\n(1) 7\n(2) 5\n(3) B\n(4) (a) 60 (b) 8\n(5) 3/4",
    "by section": "Answers\nMultiple choice: 3 B\nOthers: 1. 7; 2. 5; 4. (a) 60 (b) 8; 5. 3/4",
    "as a table": "Answer sheet\n| Q | Answer |\n|---|---|\n| 1 | 7 |\n| 2 | 5 |\n| 3 | B |\n| 4a | 60 |\n| 4b | 8 |\n| 5 | 3/4 |",
    "as a wide table": "Answers\n| Q1 | Q2 | Q3 | Q4a | Q4b | Q5 |\n| 7 | 5 | B | 60 | 8 | 3/4 |",
    "without a title": "1. 7\n2. 5\n3. B\n4. (a) 60 (b) 8\n5. 3/4",
    "in German": "Lösungen\nzu 1: 7\nzu 2: 5\nzu 3: B\nzu 4: a) 60 b) 8\nzu 5: 3/4",
}


@pytest.mark.parametrize("form", LISTS)
def test_a_list_of_answers_is_read_in_any_form(form: str) -> None:
    questions = [found.record for found in paper_of(SHEET + LISTS[form]).questions]
    answers = [[part.answer for part in one.content.parts] or [one.answer] for one in questions]
    assert answers == [["7"], ["5"], ["B"], ["60", "8"], ["3/4"]]


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

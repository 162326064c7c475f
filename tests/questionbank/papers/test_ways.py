# ruff: noqa: E501 - a paper is easier to read on one line
"""Ways in which teachers write tests, each as a short paper of ours and what it says."""

from __future__ import annotations

import pytest

from questionbank.papers.documents import read_text
from questionbank.papers.paper_lines import FoundQuestion, Role
from questionbank.papers.question_assembly import assemble, guess_roles
from tests.cases import each_case
from tests.questionbank.papers.word_files import WordFile


def read(text: str) -> list[FoundQuestion]:
    """Return the questions of a pasted paper."""
    lines = read_text(text).lines
    return [*assemble(lines, guess_roles(lines)).questions]


def answers(text: str) -> list[str]:
    """Return the answers of a pasted paper, one a question."""
    return [question.record.answer for question in read(text)]


@each_case("papers", "answers")
def test_answers_are_read_however_they_are_shown(paper: str, answers: list[str]) -> None:
    found = read(paper)
    assert [question.record.answer for question in found] == answers
    assert not any("fold here" in question.record.text for question in found)


def test_solutions_between_parts_answer_them() -> None:
    (question,) = read(
        "1. A car drives 234 km in 3 hours.\na What is its speed?\nSolution: 234 ÷ 3 = 78 km/h\n"
        "b How far does it get in 5 hours?\nSolution: 78 × 5 = 390 km"
    )
    assert [part.answer for part in question.record.content.parts] == ["78 km/h", "390 km"]
    assert not question.doubts


def test_statements_to_decide_on_are_parts() -> None:
    (question,) = read(
        "1. Decide whether each is true or false.\na) 1 is prime. T / F\nb) 2 is even. T / F\nSolution:\n"
        "a) False, it has one divisor\nb) True"
    )
    parts = question.record.content.parts
    assert [(part.text, part.kind, part.answer) for part in parts] == [
        ("1 is prime.", "true_false", "False"),
        ("2 is even.", "true_false", "True"),
    ]


def test_directions_belong_to_the_questions_below_them() -> None:
    questions = read(
        "1. Which is prime?\nA. 4\nB. 7\nC. 9\nSimplify each expression.\n2. 4a + 3a\n3. 5(b + 2)\n"
        "Directions: Write true or false.\n4. 0 is even.\nAnswers: 1. B 2. 7a 3. 5b + 10 4. True"
    )
    texts = [question.record.text for question in questions]
    assert texts == [
        "Which is prime?",
        "Simplify each expression.\n\n4a + 3a",
        "Simplify each expression.\n\n5(b + 2)",
        "0 is even.",
    ]
    assert questions[0].record.options[-1].text == "9"


def test_rows_to_match_are_one_question() -> None:
    matching, other = read(
        "Matching. Match each term with its meaning.\n___ 1. radius   A. twice the radius\n"
        "___ 2. diameter   B. the way around\n___ 3. circumference   C. from the centre to the circle\n"
        "4. Find the radius.\nAnswer key: 1. C 2. A 3. B 4. 5 cm"
    )
    assert [(pair.left, pair.right) for pair in matching.record.content.pairs] == [
        ("radius", "from the centre to the circle"),
        ("diameter", "twice the radius"),
        ("circumference", "the way around"),
    ]
    assert other.record.answer == "5 cm"


def test_an_exercise_without_numbers_within_is_a_question() -> None:
    questions = read(
        "Exercise 1: choose.\n1. 2 + 2 is\nA. 3\nB. 4\n2. 3 + 3 is\nA. 6\nB. 7\nExercise 2: calculate.\n1. 7 - 4\n"
        "2. 9 - 2\nExercise 3\nProve that 2 is prime.\nAnswers\nEx 1: 1-B; 2-A\nEx 2: 1. 3; 2. 7\nEx 3: it has two divisors"
    )
    assert [question.record.answer for question in questions] == ["B", "A", "3", "7", "it has two divisors"]
    assert questions[4].record.text == "Prove that 2 is prime."


def test_what_is_numbered_in_one_exercise_of_several_are_its_parts() -> None:
    *_, die = read(
        "Exercice 1 :\nQuelle est la valeur de 7 × 8 ?\nExercice 2 :\nQuelle est la valeur de 6 × 9 ?\nExercice 3 :\n"
        "On lance un dé équilibré.\n1. Quelle est la probabilité d'obtenir 6 ?\n2. Et d'obtenir un nombre pair ?"
    )
    assert die.record.text == "On lance un dé équilibré."
    assert len(die.record.content.parts) == 2


def test_what_an_exercise_gives_belongs_to_each_of_its_questions() -> None:
    *_, foot, height, last = read(
        "Exercise 1: circle the right answer.\n1. 2 + 2 is\nA. 3\nB. 4\n2. 3 + 3 is\nA. 6\nB. 7\nExercise 2\n"
        "A ladder of 6.5 m leans against a wall.\n1. Draw it.\n2. How high does it reach?\nExercise 3\nProve that 2 is prime."
    )
    assert foot.record.text == "A ladder of 6.5 m leans against a wall.\n\nDraw it."
    assert height.record.text.startswith("A ladder")
    assert last.record.text == "Prove that 2 is prime."


def word_paper() -> WordFile:
    """Return a paper whose options nothing marks, whose right words are bold, and whose points stand in a column."""
    word = WordFile()
    for number, (question, options, right) in enumerate(
        [("7 × 8?", "54 56 63", "56"), ("144 ÷ 12?", "10 11 12", "12"), ("8 × 8?", "60 62 64", "64")], start=1
    ):
        word.add(f"{number}. What is {question}\t1")
        for option in options.split():
            word.add(option, look="bold" if option == right else "")
    word.add("4. A kite has two pairs of parallel sides.   T   **F**")
    return word


def test_a_line_that_a_person_has_set_is_not_doubted() -> None:
    lines = read_text("1. Find this.\n3. Find that.\nSee the board.\n4. Find those.").lines
    roles = guess_roles(lines)
    doubted = assemble(lines, roles).questions
    assert doubted[0].doubts
    settled = {1}
    assert not assemble(lines, roles, settled).questions[0].doubts


def test_signs_of_rtf_lose_nothing_behind_them() -> None:
    from questionbank.papers.documents import read_rtf
    from questionbank.papers.line_cutting import cut_lines
    from questionbank.papers.pandoc import pandoc_path

    if not pandoc_path():
        pytest.skip("pandoc is not installed (extra documents)")
    source = read_rtf(rb"{\rtf1\ansi 1. Find x = \u8722?5 if y \u232? z.\par}")
    assert [line.text for line in cut_lines(source.paragraphs)] == ["Find x = −5 if y è z."]


def test_two_questions_of_one_number_may_be_a_question_and_its_answer() -> None:
    lines = read_text("1. Find 2 + 5.\n2. Find 8 - 5.\n3. Find 8 - 3.\n1. It makes seven.\n2. It leaves three.").lines
    first, _, third, *answers = assemble(lines, [Role.QUESTION] * len(lines)).questions
    assert "The number 1 also appears below. Is one of the two the answer to the other?" in map(str, first.doubts)
    assert all(any("also appears above" in str(said) for said in answer.doubts) for answer in answers)
    assert not any("also appears" in str(said) for said in third.doubts)


def test_parts_are_true_or_false_in_their_order() -> None:
    _, statements = read(
        "1. Find 2 + 5.\n2. Write T or F.\nI. ( ) 2 is even.\nII. ( ) 3 is even.\nAnswers\n1. 7\n2. T – F"
    )
    assert [part.answer for part in statements.record.content.parts] == ["True", "False"]


def test_rows_to_match_count_on_through_the_paper() -> None:
    *_, matching, last = read(
        "I. MULTIPLE CHOICE. Circle it.\n1. 2 + 2 is\na. 3\nb. 4\nII. TRUE OR FALSE.\n2. 2 is even.\nIII. MATCHING TYPE. Match"
        " A with B.\n| A | B |\n| __ 3. 4 + 9 = 9 + 4 | A. associative |\n| __ 4. 7 · 1 = 7 | B. commutative |\n| __ 5. 6 - 6 = 0"
        " | C. identity |\nIV. PROBLEMS.\n6. Find 8 - 5.\n7. Find 9 - 5.\nAnswers\n| 1. b | 3. B | 5. A |\n| 2. T | 4. C | |\n6. 3\n7. 4"
    )[:-1]
    assert [(pair.left, pair.right) for pair in matching.record.content.pairs[:2]] == [
        ("4 + 9 = 9 + 4", "commutative"),
        ("7 · 1 = 7", "identity"),
    ]
    assert last.record.answer == "3"


def test_formulas_and_the_table_of_marks_are_no_questions() -> None:
    questions = read(
        "1. Find the area of a circle of radius 3 cm.\n2. Solve $x^2 - x - 1 = 0$.\n| Question | 1 | 2 | Total |\n"
        "| Points | /2 | /3 | /5 |\nFormula sheet\n1. $A = \\pi r^2$\n2. $x = \\frac{-b}{2a}$"
    )
    assert [question.record.text for question in questions] == [
        "Find the area of a circle of radius 3 cm.",
        "Solve $x^2 - x - 1 = 0$.",
    ]


def test_a_list_on_the_line_of_its_title_names_exercises() -> None:
    text = "Esercizio 1 Calcola 2 + 3.\nEsercizio 2 Risolvi x - 1 = 3.\nSoluzioni es. 1: 5 – es. 2: x = 4"
    assert answers(text) == ["5", "x = 4"]


def test_questions_below_a_number_share_what_stands_there() -> None:
    first, second, third = read(
        "QUESTION 1\n1.1 Given the sequence 5 ; 9 ; 13 ; ...\n1.1.1 Find the next term. [1]\n1.1.2 Which term is 201? [2]\n"
        "1.2 Solve 2x = 8. [1]\nQUESTION 2\n2.1 Add 2 and 3. [1]\n2.2 Add 3 and 4. [1]"
    )[:3]
    assert [q.record.content.stimulus.text for q in (first, second, third)] == [
        *(2 * ["Given the sequence 5 ; 9 ; 13 ; ..."]),
        "",
    ]
    assert third.record.text == "Solve 2x = 8."


def test_letters_that_are_written_before_rows_to_match_are_the_answer() -> None:
    (question,) = read(
        "1. Match each solid with its description.\n| _B_ cube | A. four faces |\n| _A_ tetrahedron | B. six faces |\n"
        "| _C_ sphere | C. no edges |"
    )
    pairs = {(pair.left, pair.right) for pair in question.record.content.pairs}
    assert pairs == {("cube", "six faces"), ("tetrahedron", "four faces"), ("sphere", "no edges")}


def test_options_below_a_shared_text_are_those_of_each_of_its_questions() -> None:
    questions = read(
        "Questions 1 and 2: a statement of Assertion (A) is followed by one of Reason (R). Choose the correct option.\n"
        "(a) Both are true and (R) explains (A).\n(b) Both are true but (R) does not explain (A).\n(c) Assertion (A) alone is true.\n"
        "1. Assertion: 2 is prime. Reason: It has two divisors.\n2. Assertion: 4 is even. Reason: 4 is prime.\n"
        "Answers\n1. a\n2. c"
    )
    assert [(len(q.record.options), q.record.answer, q.doubts) for q in questions] == [(3, "A", ()), (3, "C", ())]


@pytest.mark.parametrize("title", ["Answers, sections C to E", "Ratkaisut, ryhmä A"])
def test_numbers_that_come_again_under_a_title_without_questions_are_answers(title: str) -> None:
    text = (
        "1. Add 3 and 4. (1 mark)\n2. What is half of 18? (1 mark)\n3. 5 m = ____ cm (1 mark)\n"
        f"4. Solve each. (4 marks)\n(a) x - 9 = 81\n(b) x - 50 = 100\n\n**{title}**\n\n2. 9\n3. 500\n4. (a) 90 (b) 150"
    )
    questions = read(text)
    assert [question.record.answer for question in questions[1:3]] == ["9", "500"]
    assert [part.answer for part in questions[3].record.content.parts] == ["90", "150"]
    assert len(questions) == 4


def test_a_second_exercise_that_counts_anew_stays_questions() -> None:
    text = "**Addition**\n\n1. Add 3 and 4.\n2. Add 5 and 6.\n3. Add 1 and 9.\n\n**Products**\n\n1. 3 × 4 = ____\n2. 5 × 6 = ____\n3. 2 × 2 = ____"
    assert len(read(text)) == 6


def test_points_may_stand_before_the_number() -> None:
    questions = read("2p  1  Bereken 3 + 4.\n3p  2  Bereken 5 + 6.\n1p  3  Bereken 2 + 2.")
    assert [question.record.text for question in questions] == ["Bereken 3 + 4.", "Bereken 5 + 6.", "Bereken 2 + 2."]
    assert [question.record.content.points for question in questions] == [2, 3, 1]


def test_a_text_that_begins_with_points_keeps_them_where_no_numbers_follow() -> None:
    lines = read_text(
        "2 points 1 line: how many lines?\n3 points 7 lines: how many planes?\n4 points 2 lines: what else?"
    ).lines
    assert [line.number for line in lines] == ["", "", ""]


def test_working_in_a_list_of_answers_names_no_questions() -> None:
    asked = "".join(f"{n}. Work out question {n} of the sheet.\n" for n in range(1, 6))
    questions = read(f"{asked}Answers\n1. 7\n2. 8 · 4 = 32\n3. 60 : 3 = 20\n4. 2·10 – 3 = 17\n5. 9")
    assert [question.record.answer for question in questions] == ["7", "32", "20", "17", "9"]


@pytest.mark.parametrize("title", ["======== TEACHER ONLY ========", "Rien que pour le prof"])
def test_a_list_of_answers_at_the_end_may_have_any_title(title: str) -> None:
    asked = "".join(f"{n}. Which is {n}?\nA. 1\nB. 2\nC. 3\nD. 4\n" for n in range(1, 5))
    questions = read(f"{asked}{title}\nOBJ: 1A 2B 3C 4D")
    assert [question.record.answer for question in questions] == ["A", "B", "C", "D"]


def test_exercises_that_are_only_answers_of_parts_are_the_list_of_answers() -> None:
    asked = "".join(
        f"Aufgabe {n} (5 Punkte)\nGegeben ist eine Zahl.\na) Berechne {n} + 1.\nb) Berechne {n} + 2.\n"
        for n in (1, 2, 3)
    )
    listed = "".join(f"Aufgabe {n}:\na) {n + 1}\nb) {n + 2}\n" for n in (1, 2, 3))
    questions = read(f"{asked}Erwartungen der Lehrkraft\n{listed}")
    assert [[part.answer for part in question.record.content.parts] for question in questions] == [
        ["2", "3"],
        ["3", "4"],
        ["4", "5"],
    ]


def test_truths_written_before_the_numbers_are_answers() -> None:
    questions = read("Write TRUE or FALSE.\n__TRUE__ 1. 2 is even.\n__FALSE__ 2. 3 is even.\n__TRUE__ 3. 5 is odd.")
    assert [question.record.answer for question in questions] == ["True", "False", "True"]


def test_a_text_may_name_three_questions() -> None:
    first, *others = read(
        "1. What is 2 + 2?\nThis graph shows sports. Use it to answer questions 2, 3 and 4.\n2. How many chose football?\n"
        "3. How many are there?\n4. Which is least?\n5. What is 3 + 3?"
    )
    assert "graph" not in first.record.text
    assert ["graph" in question.record.text for question in others] == [True, True, True, False]


def test_marks_of_an_examiner_end_a_step() -> None:
    (*_, question) = read(
        "1. Find it.\n2. Where do they meet?\nAnswers\n1. 5\n2. x(3 − x) = 0 M1 giving (0, 0) and (3, 3) A1"
    )
    assert question.record.answer == "(0, 0) and (3, 3)"


def test_levels_go_on_behind_the_level_before() -> None:
    questions = read("2.1.1 Find a.\n2.1.2 Find b.\n2.1.3 Find c.\n2.2.1 Find d.\n2.2.2 Find e.\n2.3.1 Find f.")
    assert [question.number.strip(". ") for question in questions] == [
        "2.1.1", "2.1.2", "2.1.3", "2.2.1", "2.2.2", "2.3.1",
    ]  # fmt: skip


def test_what_a_sentence_says_of_calculators_and_of_events_stays_what_it_is() -> None:
    first, second = read(
        "You may use a calculator in questions 1 and 5 only.\n1. Find 2 + 2.\n2. Is P(A or B) equal to P(A) + P(B)?\nExplain P(A) + P(B)."
    )
    assert first.record.text == "Find 2 + 2."
    assert second.record.text.endswith("P(A) + P(B).")
    assert not second.record.answer


def test_numbers_may_begin_with_a_zero_and_number_the_options() -> None:
    asked = "".join(f"0{n}. {n} + {n} is\n(1) {n}   (2) {2 * n}   (3) {3 * n}   (4) {4 * n}\n" for n in (1, 2, 3))
    found = read(f"PART I (Underline the correct answer)\n{asked}Answers\nPart I  01-(2)  02-(2)  03-(2)")
    assert [(len(one.record.options), one.record.answer) for one in found] == [(4, "2")] * 3


def test_a_section_of_the_list_answers_no_other_section() -> None:
    """Nor does what the list says of a section in which no question is found."""
    paper = (
        "TEST I. Multiple Choice.\n1. 2 + 2 is\na. 4\nb. 5\n2. 2 + 3 is\na. 4\nb. 5\n"
        "TEST II. True or False.\n1. 9 is odd.\n2. 8 is odd.\nTEST III. Problem Solving.\n"
        "Rosa has 4 bags of 3 mangoes each. How many mangoes has she?\n"
        "TEST IV. Drawing.\nTEST V. Fill in the blanks.\n1. 3 km = ____ m\n2. 5 h = ____ min\n"
        "Key\nTest I. 1. a\n2. b\nTest II. 1. T\n2. F\nTest III. 12\nTest IV. 1. x\n2. y\nTest V. 1. 3000\n2. 300"
    )
    assert [one.record.answer for one in read(paper)] == ["A", "B", "True", "False", "12", "3000", "300"]


def test_the_words_to_choose_from_may_stand_before_the_number() -> None:
    found = read("T  **F**  1) 8 is odd.\n**T**  F  2) 9 is odd.\nT **F** 3) 10 is odd.\n4) Find 3 + 4.")
    assert [(one.record.kind, one.record.answer) for one in found[:3]] == [
        ("true_false", "False"),
        ("true_false", "True"),
        ("true_false", "False"),
    ]
    assert found[3].number == "4)"


def test_exercises_of_a_list_keep_the_numbers_of_their_questions() -> None:
    paper = (
        "Exercice 1\n1) Calculer 2 + 3.\n2) Calculer 2 + 4.\nExercice 2\n1) Calculer 5 + 4.\n2) Résoudre x = 1 + 7.\n"
        "Corrigé\nExercice 1\n1) 5\n2) 6\nExercice 2\n1) 9\n"
        "2) On ajoute le second nombre au premier, ce qui donne la réponse : la solution est 8."
    )
    assert [one.record.answer for one in read(paper)] == ["5", "6", "9", "8"]


def test_answers_of_a_named_part_of_a_paper_stand_on_one_line() -> None:
    found = read(
        "乙部\n1. 若 y = 2x，則當 x = 2 時，y = ____。\n2. 求 2 + 5。\n3. 求 3 + 6。\n乙部答案：1. 4 2. 7 3. 9"
    )
    assert [one.record.answer for one in found] == ["4", "7", "9"]


def test_rows_to_match_below_their_heading_are_asked_by_it() -> None:
    found = read(
        "1. Find 2 + 3.\nTEST II. Matching Type. Match Column A with Column B.\n| Column A | Column B |\n"
        "| ____ 1. 2 + 2 | A. 6 |\n| ____ 2. 3 + 3 | B. 8 |\n| ____ 3. 4 + 4 | C. 4 |\n|  | D. 5 |\n"
        "Key\nTest I. 1. 5\nTest II. 1-C, 2-A, 3-B"
    )
    assert found[1].record.text == "Match Column A with Column B."
    assert [(pair.left, pair.right) for pair in found[1].record.content.pairs][:3] == [
        ("2 + 2", "4"),
        ("3 + 3", "6"),
        ("4 + 4", "8"),
    ]

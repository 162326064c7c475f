"""Tests laid out in every way that a teacher may choose: how numbers, options, right answers, parts and keys look."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from string import ascii_lowercase
from types import FrameType

import pytest

from analytics.analysed_text import EACH_PART
from questionbank.papers.paper_lines import FoundQuestion
from tests.questionbank.papers.test_ways import read

LETTERS = "ABCD"
CHOICES = (
    ("What is the value of 7 × 8?", ("54", "56", "63", "48"), "B"),
    ("Which of these numbers is prime?", ("21", "27", "29", "33"), "C"),
    ("Simplify 3a + 2b - a.", ("2a + 2b", "4ab", "5ab", "3a + 2b"), "A"),
    ("The solution of 2x - 3 = 7 is", ("x = 2", "x = 5", "x = -5", "x = 10"), "B"),
)
OPEN = (
    ("Calculate 15% of 240.", "36"),
    ("Solve the equation 5x + 2 = 27.", "x = 5"),
    ("Write 0.35 as a fraction in its lowest terms.", "7/20"),
    ("How many edges has a cube?", "12"),
)
IN_PARTS = (
    ("A cube has edges of 5 cm.", (("Find its volume.", "125 cm³"), ("Find its surface area.", "150 cm²"))),
    ("Expand each expression.", (("3(x + 2)", "3x + 6"), ("x(x - 4)", "x² - 4x"), ("(x + 1)²", "x² + 2x + 1"))),
    ("The function f is given by f(x) = 2x + 3.", (("Work out f(4).", "11"), ("Solve f(x) = 15.", "x = 6"))),
)  # fmt: skip
NUMBERS = (
    "{}. {}", "{}) {}", "({}) {}", "Q{}. {}", "Q.{}) {}", "q{}. {}", "Q-{} {}", "Question {}\n{}",
    "Question no. {}: {}",
    "Question {} (5 pts)\n{}", "#{} {}", "{} – {}", "{}: {}", "{} . {}", "{}/ {}", "[{}] {}", "{}.) {}", "★{}. {}",
    "{}*. {}", "({}.) {}", "Ques {}: {}", "Prob. {} {}", "Ej. {}. {}", "Es. {} {}", "Aufgabe {}\n{}",
    "Exercice {} : {}",
    "Uppgift {} {}", "Soru {}: {}", "Вопрос {}. {}", "문제 {}. {}", "問{} {}", "问题{}：{}", "第{}题 {}", "【{}】{}",
)  # fmt: skip
OPTIONS = (
    "{}. {}", "{}) {}", "({}) {}", "[{}] {}", "{}: {}", "{} - {}", "{} – {}", "{}/ {}", "{} {}", "({}.) {}",
    "{}.) {}",
    "**{}.** {}", "○ {}. {}", "☐ {}. {}", "• {}) {}", "( ) {}. {}", "__ {}. {}", "{} . {}", "{}。 {}",
)  # fmt: skip
ROWS = ("{}. {}", "{}) {}", "({}) {}", "{}: {}", "{} {}")
RIGHT = (
    "*{}", "{} *", "{}*", "{} ✓", "✓ {}", "✅ {}", "{} ✅", "{} (correct)", "{} – correct", "{} // correct",
    "{} <-- this",
    "{} (key)", "{} (x)", "[x] {}", "=> {}", "{} (richtig)", "{} (giusta)", "{} (correcta)", "**{}**",
)  # fmt: skip
SAID = (
    "Answer: {}", "Ans {}", "ANSWER {}", "The answer is {}.", "Correct answer is {}.",
    "Option {} is correct.", "({})",
    "[{}]", "{} is right.", "**{}**", "{}", "-> {}", "=> {}", "Solution: {}", "Sol: {} because it is.",
    "R: {}", "Rta: {}",
    "Risposta esatta: {}", "Richtige Antwort: {}", "Réponse {}", "Odp. {}", "Svar: {}", "Ответ: {}",
    "정답: {}", "Key = {}",
)  # fmt: skip
SAID_OPENLY = (
    "Ans {}", "Ans. {}", "Sol: {}", "Sol.: {}", "R : {}", "Odp. {}", "Antw.: {}", "Erg.: {}", "Model answer: {}",
    "Réponse attendue : {}", "Expected: {}", "Risposta: {}", "Svar: {}", "Answer: {} [2]", "→ {}", "=> {}",
)  # fmt: skip
KEY_LINES = (
    "{n}. {a}", "{n}) {a}", "{n} - {a}", "#{n} {a}", "{n}……{a}", "{n}|{a}", "{n}º {a}", "{n}/ {a}",
    "[{n}] {a}", "({n}) {a}",
    "Q{n} {a}", "Ans {n}: {a}", "{n}. {a} (1 mark)", "| {n} | {a} |", "{n} → {a}",
)  # fmt: skip
KEY_TITLES = (
    "Answers", "KEY", "Answers - don't print!", "For the teacher:", "Lösungen", "Soluzioni es.", "Klucz",
    "Facit", "Ответы",
    "Cevap anahtarı", "Đáp án", "정답", "解答", "Antworten", "Rubric", "Keys and solutions",
)  # fmt: skip
POINTS = ("(2 marks)", "[2]", "(2)", "/2", "2 marks", "- 2 points", "(2 P.)", "\n[2 marks]", "\nAnswer: ______ [2]")
PARTS = (
    "(a) {}", "a) {}", "a. {}", "a {}", "a: {}", "a - {}", "[a] {}", "(a). {}", "Part a) {}", "Part (a) {}",
    "N(a) {}",
    "Na) {}", "N.a) {}", "N-a) {}", "N.1. {}", "(1) {}", "1) {}", "(i) {}",
)  # fmt: skip
PART_ANSWERS = ("(a) {}", "a) {}", "a. {}", "a: {}", "a - {}")
PART_KEYS = (
    "N.|(a) {}", "N.|a {}", "N (a) {}", "Na) {}", "N(a) {}", "Na. {}", "N. a) {}", "N-a) {}", "QN(a) {}",
    "| N(a) | {} |",
)  # fmt: skip


def choices(
    number: str = "{}. {}", option: str = "{}. {}", between: str = "\n", right: str = "{}", said: str = ""
) -> str:
    """Return a test whose questions have options."""
    rows = []
    for place, (text, options, answer) in enumerate(CHOICES, start=1):
        lettered = [option.format(*each) for each in zip(LETTERS, options, strict=True)]
        at = LETTERS.index(answer)
        lettered[at] = right.format(lettered[at])
        rows += [number.format(place, text), between.join(lettered), said.format(answer), ""]
    return "\n".join(rows)


def key(answers: Sequence[str], line: str = "{n}. {a}", title: str = "Answers") -> str:
    """Return a list of answers."""
    return "\n".join(["", title, *(line.format(n=n, a=answer) for n, answer in enumerate(answers, start=1))])


CHOICE_KEY = key([answer for *_, answer in CHOICES])
OPEN_KEY = key([answer for _, answer in OPEN])


def open_test(number: str = "{}. {}", behind: str = "", said: str = "") -> str:
    """Return a test whose questions have no options."""
    rows = []
    for place, (text, answer) in enumerate(OPEN, start=1):
        rows += [f"{number.format(place, text)} {behind}", said.format(answer), ""]
    return "\n".join(rows)


def labelled(way: str, number: int, place: int, text: str) -> str:
    """Return the text of a part with its label: "a" becomes b, c, "i" ii, "1" 2 and "N" the question's number."""
    label, rest = way.split("{}")
    named = (
        label.replace("Part", "\0").replace("a", "abc"[place]).replace("i", "ii"[: place + 1] if place < 2 else "iii")
    )
    return named.replace("1", str(place + 1)).replace("N", str(number)).replace("\0", "Part") + text + rest


def in_parts(part: str = "(a) {}", each: str = "", below: Sequence[str] = (), is_joined: bool = False) -> str:
    """Return a test whose questions have parts."""
    rows = []
    for number, (stem, parts) in enumerate(IN_PARTS, start=1):
        rows.append(f"{number}. {stem}")
        for place, (text, answer) in enumerate(parts):
            rows += [labelled(part, number, place, text), each.format(answer)]
        if below:
            title, way = below
            answers = [labelled(way, number, place, answer) for place, (_, answer) in enumerate(parts)]
            rows.append(title + ("; " if is_joined else "\n").join(["", *answers]).removeprefix("; "))
        rows.append("")
    return "\n".join(rows)


def letters(question: FoundQuestion) -> str:
    """Return the letters of the right options by their places, whatever they are named."""
    by_place = dict(zip((option.label for option in question.record.options), LETTERS, strict=False))
    return by_place.get(question.record.answer, question.record.answer)


def assert_choices(text: str) -> None:
    found = [(q.record.text, tuple(o.text for o in q.record.options), letters(q)) for q in read(text)]
    assert found == [*CHOICES]


def assert_open(text: str) -> None:
    assert [(question.record.text, question.record.answer) for question in read(text)] == [*OPEN]


def assert_parts(text: str) -> None:
    found = [(q.record.text, tuple((part.text, part.answer) for part in q.record.content.parts)) for q in read(text)]
    assert found == [*IN_PARTS]


@pytest.mark.parametrize("number", NUMBERS)
def test_questions_are_numbered_in_many_ways(number: str) -> None:
    assert_choices(choices(number, said="Answer: {}"))
    assert_open(open_test(number) + OPEN_KEY)


@pytest.mark.parametrize("option", OPTIONS)
def test_options_have_letters_in_many_ways(option: str) -> None:
    assert_choices(choices(option=option) + CHOICE_KEY)


@pytest.mark.parametrize("option", ROWS)
@pytest.mark.parametrize("between", ["\t", "     "])
def test_options_stand_in_a_row(option: str, between: str) -> None:
    assert_choices(choices(option=option, between=between) + CHOICE_KEY)


def test_options_stand_in_columns() -> None:
    rows = []
    for place, (text, options, answer) in enumerate(CHOICES, start=1):
        a, b, c, d = options
        rows += [f"{place}. {text}", f"A. {a}\tC. {c}", f"B. {b}\tD. {d}", f"Answer: {answer}"]
    assert_choices("\n".join(rows))


def test_options_are_numbers_or_numerals() -> None:
    for labels in (("1)", "2)", "3)", "4)"), ("(i)", "(ii)", "(iii)", "(iv)")):
        rows = []
        for place, (text, options, _) in enumerate(CHOICES, start=1):
            rows += [f"{place}. {text}", *(f"{label} {option}" for label, option in zip(labels, options, strict=True))]
        assert_choices("\n".join(rows) + CHOICE_KEY)


@pytest.mark.parametrize("right", RIGHT)
def test_the_right_option_is_marked_in_many_ways(right: str) -> None:
    assert_choices(choices(right=right))


@pytest.mark.parametrize("said", SAID)
def test_a_line_below_the_options_names_the_right_one(said: str) -> None:
    assert_choices(choices(said=said))


@pytest.mark.parametrize("said", SAID_OPENLY)
def test_a_line_below_a_question_answers_it(said: str) -> None:
    assert_open(open_test(said=said))


@pytest.mark.parametrize("line", KEY_LINES)
def test_a_list_of_answers_has_lines_of_many_kinds(line: str) -> None:
    assert_choices(choices() + key([answer for *_, answer in CHOICES], line))
    assert_open(open_test() + key([answer for _, answer in OPEN], line))


@pytest.mark.parametrize("title", KEY_TITLES)
def test_a_list_of_answers_has_any_title(title: str) -> None:
    assert_choices(choices() + key([answer for *_, answer in CHOICES], title=title))
    assert_open(open_test() + key([answer for _, answer in OPEN], title=title))


@pytest.mark.parametrize("points", POINTS)
def test_points_are_no_text(points: str) -> None:
    assert_open(open_test(behind=points) + OPEN_KEY)


@pytest.mark.parametrize("part", PARTS)
def test_parts_have_labels_of_many_kinds(part: str) -> None:
    assert_parts(in_parts(part, "Answer: {}"))


@pytest.mark.parametrize(
    ("labels", "of"),
    [(ascii_lowercase[:20], "{})"), (ascii_lowercase, "{})"), (ascii_lowercase, "({})"), (range(1, 61), "({})")],
    ids=["t)", "z)", "(z)", "(60)"],
)
def test_a_question_has_as_many_parts_as_the_paper_gives_it(labels: Sequence[object], of: str) -> None:
    parts = "".join(f"{of.format(label)} Add {number} and 7.\n" for number, label in enumerate(labels))
    text = f"1. Work out.\n{parts}2. Find the sum.\n{of.format(labels[0])} Add 8 and 9.\n3. Solve 2x = 6.\n"
    questions = read(text)
    assert [len(question.record.content.parts) for question in questions] == [len(labels), 1, 0]
    assert questions[0].record.content.parts[-1].text == f"Add {len(labels) - 1} and 7."


def test_parts_need_no_text_above_them() -> None:
    paper = "1. (a) Simplify 2x + 3x.\n(b) Factorise x^2 - 9.\n2. (a) Solve 2x = 6.\n"
    first, second = (question.record for question in read(paper))
    assert first.text == second.text == EACH_PART
    assert [part.text for part in first.content.parts] == ["Simplify 2x + 3x.", "Factorise x^2 - 9."]
    assert [part.text for part in second.content.parts] == ["Solve 2x = 6."]


def part_answers() -> Iterator[str]:
    """Yield tests whose answers stand below the last part, by the labels of the parts."""
    for way in PART_ANSWERS:
        yield in_parts(below=("Answers: ", way), is_joined=True)
        yield in_parts(below=("Answers:", way))
        yield in_parts(below=("Solution:", way))


@pytest.mark.parametrize("text", [*part_answers()], ids=lambda text: text.split("150")[0][-30:].strip())
def test_the_answers_of_parts_stand_below_them(text: str) -> None:
    assert_parts(text)


@pytest.mark.parametrize("way", PART_KEYS)
def test_a_list_of_answers_names_parts(way: str) -> None:
    rows = ["", "Answers"]
    for number, (_, parts) in enumerate(IN_PARTS, start=1):
        first, _, row = way.rpartition("|") if way.startswith("N.") and "|" in way else ("", "", way)
        rows += [first.replace("N", str(number))] if first else []
        rows += [labelled(row, number, place, answer) for place, (_, answer) in enumerate(parts)]
    assert_parts(in_parts() + "\n".join(rows))


def calls(text: str) -> int:
    """Return how many functions are called, and generators asked, to read a paper."""
    count = 0

    def note(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(note)
    try:
        read(text)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("piece", ["(a) Find x.\n", "A) 12\n", "Words.\n", "1. Take x.\nA) 1\nB) 2\n"])
def test_a_paper_of_twice_the_lines_takes_about_twice_the_steps(piece: str) -> None:
    assert calls(piece * 400) < 2.3 * calls(piece * 200)

"""Test papers as teachers type them, each with the truth beside it: what a person would read in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from tests.questionbank.papers.word_files import WordFile

LETTERS = "ABCDEFGH"


@dataclass(frozen=True, slots=True)
class Truth:
    """What a question of a paper is.

    Attributes:
        answer: label of the right option, or the answer; parts: (text, answer) of each.
        pictures: how many its texts name.
    """

    text: str
    options: tuple[str, ...] = ()
    answer: str = ""
    parts: tuple[tuple[str, str], ...] = ()
    points: float | None = None
    pictures: int = 0
    kind: str = ""
    solution: str = ""


@dataclass(frozen=True, slots=True)
class TestPaper:
    """A file with the truth about it."""

    __test__ = False
    name: str
    data: bytes
    questions: tuple[Truth, ...]


CHOICES = (
    Truth(
        r"Which fraction is equal to $\frac{3}{4}$?",
        ("$\\frac{6}{9}$", "$\\frac{9}{12}$", "$\\frac{4}{3}$", "$\\frac{3}{8}$"),
        "B",
    ),
    Truth(
        "A shirt costs 40 euros. Its price falls by 15 %. What is the new price?",
        ("25 euros", "32 euros", "34 euros", "36 euros"),
        "C",
    ),
    Truth(r"What is the value of $\sqrt{144}$?", ("12", "14", "72", "24"), "A"),
    Truth("Which of these numbers is prime?", ("21", "27", "33", "37"), "D"),
    Truth("Solve $3x+5=20$.", ("$x=3$", "$x=5$", "$x=8$", "$x=15$"), "B"),
    Truth("A train travels 180 km in 2.5 hours. What is its average speed in km/h?", ("45", "60", "72", "450"), "C"),
    Truth(
        "The angles of a triangle are in the ratio 1 : 2 : 3. What is the largest angle?",
        ("30°", "60°", "90°", "120°"),
        "C",
    ),
    Truth("Expand $(x+2)(x-5)$.", ("$x^2-3x-10$", "$x^2+3x-10$", "$x^2-10$", "$x^2-7x+10$"), "A"),
)
OPENS = (
    Truth("Work out 3.6 + 0.47.", answer="4.07"),
    Truth("Write 84 as a product of prime factors.", answer="2 × 2 × 3 × 7"),
    Truth("A rectangle is 12 cm long and 5 cm wide. Find the length of its diagonal.", answer="13 cm"),
    Truth(r"Simplify $\frac{x^2-9}{x-3}$.", answer="$x+3$"),
    Truth("Find the mean of 4, 7, 9 and 12.", answer="8"),
)
PARTS = (
    Truth(
        "A bag holds 5 red and 3 blue counters.",
        parts=(
            ("Find the probability of a red counter.", r"$\frac{5}{8}$"),
            ("Two counters are taken without replacement. Find the probability that both are blue.", r"$\frac{3}{28}$"),
        ),
    ),
    Truth(
        "The line L has the equation $y=2x-3$.",
        parts=(
            ("Write down the gradient of L.", "2"),
            ("Find where L crosses the x-axis.", "(1.5, 0)"),
            ("Does the point (4, 5) lie on L? Give a reason.", "yes"),
        ),
    ),
)
CHINESE = (
    Truth("下列各数中，是无理数的是", ("3.14", r"$\sqrt{2}$", r"$\frac{22}{7}$", "0.5"), "B"),
    Truth("方程2x-6=0的解是", ("x=-3", "x=2", "x=3", "x=6"), "C"),
    Truth("一个三角形的两边长分别为3和5，第三边的长可能是", ("1", "2", "6", "9"), "C"),
    Truth("不等式x-1>2的解集是", ("x>3", "x<3", "x>1", "x<1"), "A"),
)


def papers() -> Iterator[TestPaper]:
    """Yield the papers."""
    for maker in _MAKERS:
        made = maker()
        yield made


def _word(name: str, file: WordFile, questions: Sequence[Truth]) -> TestPaper:
    return TestPaper(f"{name}.docx", file.bytes(), tuple(questions))


def _right(truth: Truth) -> int:
    return LETTERS.index(truth.answer)


# -- Word's own numbers -------------------------------------------------------------------------------------------


def automatic_numbers_bold_answers() -> TestPaper:
    file = WordFile()
    file.heading("Year 8 end of term test", 0)
    file.add("Name: ______________    Class: _______")
    numbers = file.numbered(("decimal", "%1."), ("upperLetter", "%2."))
    for truth in CHOICES:
        file.add(truth.text, item=(numbers, 0))
        for place, option in enumerate(truth.options):
            file.add(option, item=(numbers, 1), look="bold" if place == _right(truth) else "")
    return _word("automatic", file, CHOICES)


def lower_letters_in_lists_of_their_own_red_answers() -> TestPaper:
    file = WordFile()
    numbers = file.numbered(("decimal", "%1)"))
    for truth in CHOICES[:6]:
        file.add(truth.text, item=(numbers, 0))
        letters = file.numbered(("lowerLetter", "%1)"))
        for place, option in enumerate(truth.options):
            file.add(option, item=(letters, 0), look="red" if place == _right(truth) else "")
    return _word("red", file, CHOICES[:6])


def question_in_the_number() -> TestPaper:
    file = WordFile()
    numbers = file.numbered(("decimal", "Question %1:"), ("lowerLetter", "(%2)"), ("lowerRoman", "(%3)"))
    truths = [replace(PARTS[0], points=5), replace(PARTS[1], points=6), replace(OPENS[2], points=3)]
    for truth in truths:
        file.add(f"{truth.text} ({truth.points:g} marks)", item=(numbers, 0))
        for text, _answer in truth.parts:
            file.add(text, item=(numbers, 1))
            file.add("______________________________________________")
    file.heading("Mark scheme")
    file.add(f"1. (a) {PARTS[0].parts[0][1]}")
    file.add(f"(b) {PARTS[0].parts[1][1]}")
    file.add("2. (a) 2    (b) (1.5, 0)    (c) yes")
    file.add("3. 13 cm")
    return _word("question", file, truths)


# -- typed numbers ------------------------------------------------------------------------------------------------


def typed_numbers_and_stars() -> TestPaper:
    file = WordFile()
    for number, truth in enumerate(CHOICES, start=1):
        file.add(f"{number}. {truth.text}")
        for place, option in enumerate(truth.options):
            file.add(f"{'*' if place == _right(truth) else ''}{LETTERS[place]}. {option}")
        file.add()
    return _word("stars", file, CHOICES)


def options_on_one_line_key_at_the_end() -> TestPaper:
    file = WordFile()
    file.heading("Quiz: numbers and algebra")
    for number, truth in enumerate(CHOICES, start=1):
        file.add(f"{number}) {truth.text}")
        file.add("\t".join(f"({letter}) {option}" for letter, option in zip(LETTERS, truth.options, strict=False)))
    file.add("Answers", look="bold")
    for number, truth in enumerate(CHOICES, start=1):
        file.add(f"{number}) {truth.answer}")
    return _word("one line", file, CHOICES)


def options_in_two_rows_key_on_one_line() -> TestPaper:
    file = WordFile()
    for number, truth in enumerate(CHOICES, start=1):
        file.add(f"Q{number}. {truth.text}  [2]")
        a, b, c, d = truth.options
        file.add(f"A   {a}\tB   {b}")
        file.add(f"C   {c}\tD   {d}")
    file.add("Answer Key: " + "  ".join(f"{number}. {truth.answer}" for number, truth in enumerate(CHOICES, start=1)))
    return _word("two rows", file, [replace(truth, points=2) for truth in CHOICES])


def underlined_and_highlighted_answers() -> TestPaper:
    file = WordFile()
    for number, truth in enumerate(CHOICES, start=1):
        file.add(f"{number}.  **{truth.text}**" if "$" not in truth.text else f"{number}.  {truth.text}")
        for place, option in enumerate(truth.options):
            look = ("underline" if number % 2 else "highlight") if place == _right(truth) else ""
            file.add(f"{LETTERS[place].lower()}) {option}", look=look)
    return _word("looks", file, CHOICES)


def answers_below_each_question() -> TestPaper:
    file = WordFile()
    truths = [*CHOICES[:4], *OPENS]
    for number, truth in enumerate(truths, start=1):
        file.add(f"{number}. {truth.text}")
        for letter, option in zip(LETTERS, truth.options, strict=False):
            file.add(f"{letter}) {option}")
        file.add(f"Answer: {truth.answer}")
    return _word("answers", file, truths)


def numbers_in_brackets_for_options() -> TestPaper:
    file = WordFile()
    for number, truth in enumerate(CHOICES, start=1):
        file.add(f"{number}. {truth.text}")
        file.add("     ".join(f"({place}) {option}" for place, option in enumerate(truth.options, start=1)))
    file.add("ANSWER KEY")
    file.add("   ".join(f"{number}. ({_right(truth) + 1})" for number, truth in enumerate(CHOICES, start=1)))
    return _word("brackets", file, [replace(truth, answer=str(_right(truth) + 1)) for truth in CHOICES])


# -- tables -------------------------------------------------------------------------------------------------------


def options_in_tables_key_as_a_table() -> TestPaper:
    file = WordFile()
    for number, truth in enumerate(CHOICES, start=1):
        file.add(f"{number}. {truth.text}")
        a, b, c, d = truth.options
        file.table([[f"A. {a}", f"B. {b}"], [f"C. {c}", f"D. {d}"]])
    file.heading("Answer key")
    file.table(
        [["Question", *(str(number) for number in range(1, 9))], ["Answer", *(truth.answer for truth in CHOICES)]]
    )
    return _word("tables", file, CHOICES)


def two_columns() -> TestPaper:
    file = WordFile()
    cells = []
    for number, truth in enumerate(CHOICES[:6], start=1):
        options = "\n".join(f"{letter}) {option}" for letter, option in zip(LETTERS, truth.options, strict=False))
        cells.append(f"{number}. {truth.text}\n{options}")
    file.table([["\n".join(cells[:3]), "\n".join(cells[3:])]])
    file.add("Answers: 1B 2C 3A 4D 5B 6C")
    return _word("two columns", file, CHOICES[:6])


def a_table_of_questions() -> TestPaper:
    file = WordFile()
    file.table(
        [
            ["No.", "Question", "A", "B", "C", "D", "Correct answer"],
            *([str(number), truth.text, *truth.options, truth.answer] for number, truth in enumerate(CHOICES, start=1)),
        ]
    )
    return _word("rows", file, CHOICES)


def numbers_in_a_column() -> TestPaper:
    file = WordFile()
    file.table([[str(number), truth.text, "(3 marks)"] for number, truth in enumerate(OPENS, start=1)])
    file.add("Answers")
    file.table([["Question", "Answer"], *([str(number), truth.answer] for number, truth in enumerate(OPENS, start=1))])
    return _word("column", file, [replace(truth, points=3) for truth in OPENS])


# -- papers of exam boards and publishers -------------------------------------------------------------------------


def parts_with_marks_and_lines() -> TestPaper:
    file = WordFile()
    file.add("Answer ALL questions. Write your answers in the spaces provided.")
    truths = []
    for number, (truth, marks) in enumerate(
        ((PARTS[0], (2, 3)), (OPENS[0], ()), (PARTS[1], (1, 2, 2)), (OPENS[4], ())), start=1
    ):
        file.add(f"{number}\t{truth.text}")
        for letter, (text, _answer), given in zip("abc", truth.parts, marks, strict=False):
            file.add(f"({letter})  {text}")
            file.add("......................................................")
            file.add(f"({given})")
        total = sum(marks) or 2
        file.add(f"(Total for Question {number} is {total} marks)", look="bold")
        truths.append(replace(truth, points=total, answer="" if truth.parts else truth.answer))
    file.add("TOTAL FOR PAPER IS 14 MARKS")
    file.heading("Mark scheme")
    file.table(
        [
            ["Question", "Answer", "Mark"],
            ["1(a)", PARTS[0].parts[0][1], "2"],
            ["1(b)", PARTS[0].parts[1][1], "3"],
            ["2", "4.07", "2"],
            ["3(a)", "2", "1"],
            ["3(b)", "(1.5, 0)", "2"],
            ["3(c)", "yes", "2"],
            ["4", "8", "2"],
        ]
    )
    return _word("boards", file, truths)


def publishers_test_bank() -> TestPaper:
    file = WordFile()
    file.add("Name: ________________  Class: ____________  Date: __________")
    file.heading("Chapter 4 Test")
    file.add("Multiple Choice", look="bold")
    file.add("Identify the choice that best completes the statement or answers the question.")
    for number, truth in enumerate(CHOICES[:4], start=1):
        file.add(f"____\t{number}.\t{truth.text}")
        a, b, c, d = truth.options
        file.table([["a.", a, "c.", c], ["b.", b, "d.", d]])
    file.add("Short Answer", look="bold")
    for number, truth in enumerate(OPENS[:2], start=5):
        file.add(f"\t{number}.\t{truth.text}")
    file.heading("Answer Section")
    file.add("MULTIPLE CHOICE")
    for number, truth in enumerate(CHOICES[:4], start=1):
        file.add(f"\t{number}.\tANS:\t{truth.answer}\tPTS:\t1\tDIF:\tL2")
    file.add("SHORT ANSWER")
    for number, truth in enumerate(OPENS[:2], start=5):
        file.add(f"\t{number}.\tANS:\t{truth.answer}")
    return _word("publisher", file, [*CHOICES[:4], *OPENS[:2]])


def shared_texts_and_pictures() -> TestPaper:
    file = WordFile()
    graph = "Questions 2-3 refer to the graph below."
    truths = [
        Truth("Which number does the arrow show?", ("3", "4", "5"), "B", pictures=1),
        Truth(f"{graph}\n\nAt what time was it warmest?", ("noon", "2 pm", "4 pm"), "B", pictures=1),
        Truth(f"{graph}\n\nBy how many degrees did it cool down after 4 pm?", answer="7", pictures=1),
        Truth("Estimate the length of the pencil.", answer="9 cm", pictures=1),
    ]
    numbers = file.numbered(("decimal", "%1."), ("upperLetter", "%2)"))
    for number, truth in enumerate(truths, start=1):
        if number == 2:
            file.add(graph)
            file.add("{pic}")
        file.add(truth.text.rpartition("\n")[2], item=(numbers, 0))
        if number in (1, 4):
            file.add("{pic}")
        for option in truth.options:
            file.add(option, item=(numbers, 1))
    file.add("Answers")
    for number, truth in enumerate(truths, start=1):
        file.add(f"{number}. {truth.answer}")
    return _word("pictures", file, truths)


def worked_solutions() -> TestPaper:
    file = WordFile()
    truths = [
        replace(
            OPENS[2],
            answer="",
            solution="By Pythagoras the square of the diagonal is $12^2+5^2=169$.\nSo the diagonal is 13 cm.",
        ),
        replace(OPENS[3], answer="", solution="The numerator is $(x-3)(x+3)$.\nDividing leaves $x+3$."),
        replace(CHOICES[4], solution="Subtract 5 from both sides and divide by 3."),
    ]
    for number, truth in enumerate(truths, start=1):
        file.add(f"Problem {number}. {truth.text}", style=None)
        for place, option in enumerate(truth.options):
            file.add(f"({LETTERS[place]}) {option}{' ✓' if place == _right(truth) else ''}")
        first, *more = truth.solution.split("\n")
        file.add(f"Solution: {first}")
        for line in more:
            file.add(line)
    return _word("solutions", file, truths)


# -- other countries ----------------------------------------------------------------------------------------------


def chinese_paper() -> TestPaper:
    file = WordFile()
    file.add("七年级数学期末试卷")
    file.add("姓名：__________ 班级：__________")
    file.add("一、选择题（每小题3分，共12分）")
    for number, truth in enumerate(CHINESE, start=1):
        file.add(f"{number}．{truth.text}（    ）")
        file.add("    ".join(f"{letter}．{option}" for letter, option in zip(LETTERS, truth.options, strict=False)))
    file.add("二、填空题（每小题4分，共8分）")
    file.add("5．计算：2+3×4=__________．")
    file.add("6．若x=2，则3x-1=__________．")
    file.add("三、解答题（共10分）")
    file.add("7．（10分）某商店以每件60元的价格进货，以每件80元的价格出售。")
    file.add("（1）求每件商品的利润；")
    file.add("（2）若卖出50件，求总利润。")
    file.add("参考答案")
    file.add("1—4 BCCA")
    file.add("5．14    6．5")
    file.add("7．（1）20元  （2）1000元")
    truths = [
        *(replace(truth, text=f"{truth.text}（ ）", points=3) for truth in CHINESE),
        Truth("计算：2+3×4=____．", answer="14", points=4, kind="blanks"),
        Truth("若x=2，则3x-1=____．", answer="5", points=4, kind="blanks"),
        Truth(
            "某商店以每件60元的价格进货，以每件80元的价格出售。",
            parts=(("求每件商品的利润；", "20元"), ("若卖出50件，求总利润。", "1000元")),
            points=10,
        ),
    ]
    return _word("chinese", file, truths)


def chinese_answers_below() -> TestPaper:
    file = WordFile()
    truths = []
    for number, truth in enumerate(CHINESE, start=1):
        file.add(f"第{number}题 {truth.text}（  ）")
        for letter, option in zip(LETTERS, truth.options, strict=False):
            file.add(f"{letter}、{option}")
        file.add(f"【答案】{truth.answer}")
        file.add("【解析】由定义可得结论。")
        truths.append(replace(truth, text=f"{truth.text}（ ）", solution="由定义可得结论。"))
    return _word("chinese below", file, truths)


def german_test() -> TestPaper:
    file = WordFile()
    file.add("Klassenarbeit Nr. 2", look="bold")
    truths = [
        Truth("Berechne.", parts=(("$3x+4x$", "$7x$"), ("$5y-2y$", "$3y$")), points=4),
        Truth("Ein Rechteck ist 8 cm lang und 3 cm breit. Berechne den Flächeninhalt.", answer="24 cm²", points=3),
        Truth(
            "Gegeben ist die Funktion f mit $f(x)=x^2-4$.",
            parts=(("Bestimme die Nullstellen.", "-2 und 2"), ("Zeichne den Graphen.", "")),
            points=6,
        ),
    ]
    for number, truth in enumerate(truths, start=1):
        file.add(f"Aufgabe {number} ({truth.points:g} Punkte)", look="bold")
        file.add(truth.text)
        for letter, (text, _answer) in zip("abc", truth.parts, strict=False):
            file.add(f"{letter}) {text}")
    file.add("Viel Erfolg!")
    file.add("Lösungen")
    file.add("Aufgabe 1: a) $7x$   b) $3y$")
    file.add("Aufgabe 2: 24 cm²")
    file.add("Aufgabe 3: a) -2 und 2")
    return _word("german", file, truths)


def french_test() -> TestPaper:
    file = WordFile()
    truths = [
        Truth("Quelle est la valeur de 7 × 8 ?", ("54", "56", "58"), "B", points=1),
        Truth("Laquelle de ces fractions est la plus grande ?", ("1/2", "2/3", "3/5"), "B", points=1),
        Truth(
            "On lance un dé équilibré à six faces.",
            parts=(
                ("Quelle est la probabilité d'obtenir 6 ?", ""),
                ("Quelle est la probabilité d'obtenir un nombre pair ?", ""),
            ),
            points=4,
        ),
    ]
    for number, truth in enumerate(truths, start=1):
        file.add(f"Exercice {number} : ({truth.points:g} points)", look="bold")
        file.add(truth.text)
        for place, option in enumerate(truth.options):
            file.add(f"{'☑' if place == _right(truth) else '☐'} {option}")
        for place, (text, _answer) in enumerate(truth.parts, start=1):
            file.add(f"{place}. {text}")
    return _word("french", file, truths)


# -- plain text ---------------------------------------------------------------------------------------------------


def aiken() -> TestPaper:
    lines = []
    for truth in CHOICES:
        lines += [
            truth.text,
            *(f"{letter}. {option}" for letter, option in zip(LETTERS, truth.options, strict=False)),
            f"ANSWER: {truth.answer}",
            "",
        ]
    return TestPaper("aiken.txt", "\n".join(lines).encode(), CHOICES)


def true_false_gaps_and_text2qti() -> TestPaper:
    text = """Quiz title: Numbers

Points: 2
1. What is $2^5$?
a) 10
*b) 32
c) 25

2. Which of these are even? Select all that apply.
[*] 4
[ ] 7
[*] 10
[ ] 13

3. What is $\\sqrt{2}$ to two decimals?
= 1.41 +- 0.01

4. The sum of two odd numbers is even. True / False
Answer: True

5. A hexagon has ____ sides.
Answer: 6

6. Name the largest planet.
* Jupiter
"""
    truths = (
        Truth("What is $2^5$?", ("10", "32", "25"), "B", points=2),
        Truth("Which of these are even? Select all that apply.", ("4", "7", "10", "13"), "A, C"),
        Truth(r"What is $\sqrt{2}$ to two decimals?", answer="1.41", kind="number"),
        Truth("The sum of two odd numbers is even.", answer="True", kind="true_false"),
        Truth("A hexagon has ____ sides.", answer="6", kind="blanks"),
        Truth("Name the largest planet.", answer="Jupiter", kind="short"),
    )
    return TestPaper("quiz.txt", text.encode(), truths)


_MAKERS: tuple[Callable[[], TestPaper], ...] = (
    automatic_numbers_bold_answers, lower_letters_in_lists_of_their_own_red_answers, question_in_the_number,
    typed_numbers_and_stars, options_on_one_line_key_at_the_end, options_in_two_rows_key_on_one_line,
    underlined_and_highlighted_answers, answers_below_each_question, numbers_in_brackets_for_options,
    options_in_tables_key_as_a_table, two_columns, a_table_of_questions, numbers_in_a_column,
    parts_with_marks_and_lines, publishers_test_bank, shared_texts_and_pictures, worked_solutions, chinese_paper,
    chinese_answers_below, german_test, french_test, aiken, true_false_gaps_and_text2qti,
)  # fmt: skip

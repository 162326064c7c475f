"""Options, parts, tables and the answer are read out of a pasted question, and nothing else."""

from __future__ import annotations

from string import ascii_lowercase

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics.text.question_layout import question_layout, text_blocks

PRIME = "Which of these is prime?"


@pytest.mark.parametrize(
    ("pasted", "text", "options", "answer"),
    [
        (f"{PRIME}\nA) 4\nB) 6\nC) 7\nD) 9", PRIME, "4|6|7|9", ""),
        (f"{PRIME} A) 4 B) 6 C) 7 D) 9", PRIME, "4|6|7|9", ""),
        (f"{PRIME}\nA. 4   B. 6   C. 7   D. 9", PRIME, "4|6|7|9", ""),
        (f"{PRIME}\n(A) 4  (B) 6\n(C) 7  (D) 9\nAnswer: C", PRIME, "4|6|7|9", "C"),
        (f"{PRIME}\na) 4\nb) 6\nc) 7\nd) 9\nAns. (c)", PRIME, "4|6|7|9", "C"),
        (f"{PRIME}\nA. 4\nB. 6\n*C. 7\nD. 9", PRIME, "4|6|7|9", "C"),
        (f"{PRIME}\nA) 4\nB) 6\nC) 7 ✓\nD) 9", PRIME, "4|6|7|9", "C"),
        (f"{PRIME} a) 4 b) 6 c) 7 (correct) d) 9", PRIME, "4|6|7|9", "C"),
        (f"{PRIME}\n\nA) 4\n\nB) 6\n\nC) 7\n\nCorrect answer: 7", PRIME, "4|6|7", "C"),
        ("下列各数中，质数是（  ）\nA、4 B、6 C、7 D、9", "下列各数中，质数是（  ）", "4|6|7|9", ""),
        ("质数是（ C ）\nA．4　　B．6　　C．7　　D．9", "质数是（    ）", "4|6|7|9", "C"),
        ("方程x+1=3的解是( ) A.1 B.2 C.3 D.4\n答案：B", "方程x+1=3的解是( )", "1|2|3|4", "B"),
        ("Was ist 3/4 von 20?\na) 12\nb) 15\nc) 16\nLösung: b", "Was ist 3/4 von 20?", "12|15|16", "B"),
        ("7 is prime.\nA) True\nB) False", "7 is prime.", "True|False", ""),
        (
            "What is $f(x)$?\nA) $\\frac{1}{2}$ B) $x^2$; C) 3, 4 D) none",
            "What is $f(x)$?",
            "$\\frac{1}{2}$|$x^2$|3, 4|none",
            "",
        ),
        (f"{PRIME}\nA) 4\nB) a\nseven\n\nUse no pen.", f"{PRIME}\nUse no pen.", "4|a\nseven", ""),
        (f"{PRIME}\nⒶ 4\nⒷ 6\nⒸ 7\nⒹ 9", PRIME, "4|6|7|9", ""),
        (f"{PRIME} Ⓐ4 Ⓑ6 Ⓒ7 Ⓓ9", PRIME, "4|6|7|9", ""),
        (f"{PRIME}\nⓐ 4\nⓑ 7\nAnswer: b", PRIME, "4|7", "B"),
        (f"{PRIME}\n☐ 4\n☐ 6\n☑ 7\n☐ 9", PRIME, "4|6|7|9", "C"),
        (f"{PRIME}\n[ ] 4\n[x] 7\n[ ] 9", PRIME, "4|7|9", "B"),
        (f"{PRIME}\n( ) 4\n( ) 7", PRIME, "4|7", ""),
        (f"{PRIME}\n□ 4\n■ 7\n□ 9", PRIME, "4|7|9", "B"),
        (f"{PRIME} ☐ 4 ☐ 7", PRIME, "4|7", ""),
        (
            "Quel nombre est premier ?\nRéponse A : 4\nRéponse B : 7\nRéponse C : 9\nBonne réponse : B",
            "Quel nombre est premier ?", "4|7|9", "B",
        ),
        (f"{PRIME}\nOption A: 4\nOption B: 7", PRIME, "4|7", ""),
        (f"{PRIME}\nA) 4\nB) 7\nAnswer: both", f"{PRIME}\nAnswer: both", "4|7", ""),
    ],
)  # fmt: skip
def test_options_and_their_right_one_are_taken_out(pasted, text, options, answer):
    layout = question_layout(pasted)
    assert layout.text == text
    assert [option.text for option in layout.options] == options.split("|")
    assert [option.label for option in layout.options] == list("ABCDEFGH")[: len(layout.options)]
    assert layout.answer == answer


@pytest.mark.parametrize(
    ("pasted", "text", "answer"),
    [
        ("Solve 2x + 3 = 11.\nAnswer: x = 4", "Solve 2x + 3 = 11.", "x = 4"),
        ("小明有几个苹果？\n答案：12个", "小明有几个苹果？", "12个"),
        ("Combien ?\nRéponse : 12", "Combien ?", "12"),
    ],
)
def test_an_answer_behind_the_question_is_taken_out(pasted, text, answer):
    layout = question_layout(pasted)
    assert (layout.text, layout.options, layout.answer) == (text, (), answer)


@pytest.mark.parametrize(
    "text",
    [
        "See parts (a) and (b) of the figure. What is x?",
        "From A. to B. is 5 km. How far is it back?",
        "The points A(1, 2), B(3, 4) and C(5, 6) are given.",
        "A:B:C = 2:3:4. Find A.",
        "Answer in cm. How long is AB?",
        "What is 3 + 4?\nAnswer: ____",
        "A) Find x.\nB) Find y.",
        "A train leaves at 7 a.m. It arrives at 9 a.m. b. d. c.",
        "A) 1 B) 2",  # no question
        "B) 2 C) 3 D) 4",
        "Let $A)$ and $B)$ be sets.",
        "Answer: 7",
        "Fill in the numbers: 3 + □ = 8 and □ - 2 = 5",
        "Fill in the numbers:\n□ + 3 = 8\n□ - 2 = 5",
        "Solve: ( ) + 3 = 8.",
    ],
)
def test_other_texts_stay_whole(text):
    layout = question_layout(text)
    assert (layout.text, layout.options, layout.answer) == (text, (), "")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("A ladder leans on a wall.\na) How high is it?\nb) Find the angle.\nc) Explain.", "a b c"),
        ("Simplify:\na) 3x + 2x\nb) 5y - y\nc) 2(a + b)", "a b c"),
        ("Work out the following. (a) 3 + 4 (b) 5 x 6", "a b"),
        ("Let f(x) = x^2.\n(a) Find f'(x). [2]\n(b) Find the minimum. [3]", "a b"),
        ("1) 3 + 4\n2) 5 x 6\n3) 7 - 2", "1 2 3"),
        ("Given y = 2x:\ni) Find y(3).\nii) Find y(0).\niii) Draw it.", "i ii iii"),
        ("A) Find x.\nB) Find y.", "A B"),
        ("Simplify:\n" + "\n".join(f"({sign}) 3 + {sign}" for sign in ascii_lowercase), " ".join(ascii_lowercase)),
        ("Ein Kreis hat r = 5.\na) Berechne den Umfang.\nb) Berechne die Fläche.", "a b"),
        ("已知y=2x。\na）求y(3)。\nb）画出图像。", "a b"),
        ("Ann has 12 pens.\na. How many are left if 5 break?\nb. What share is that?", "a b"),
    ],
)
def test_parts_stay_in_the_text_and_are_shown_as_a_list(text, parts):
    assert question_layout(text).options == ()
    block = next(block for block in text_blocks(text) if block.kind == "parts")
    assert " ".join(label.strip("().）") for label, _ in block.parts) == parts
    assert all(part for _, part in block.parts)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("Time\tWay\n1\t5\n2\t10\nHow far in 4 h?", ["Time|Way", "1|5", "2|10"]),
        ("x\t1\t\t3\ny\t2\t4\t6", ["x|1||3", "y|2|4|6"]),
        ("| x | 1 | 2 |\n|---|:-:|---|\n| y | 3 | 5 |\nFind y.", ["x|1|2", "y|3|5"]),
        ("x | 1 | 2\ny | 3 | 5", ["x|1|2", "y|3|5"]),
        ("Scores:\nName      Maths   English\nAnn        12      15\nBen         9      18\nWho?",
         ["Name|Maths|English", "Ann|12|15", "Ben|9|18"]),
        ("Set\t$P(A | B)$\n1\t$\\frac{1}{2}$", ["Set|$P(A | B)$", "1|$\\frac{1}{2}$"]),
        ("数量\t1\t2\n价格\t3\t6", ["数量|1|2", "价格|3|6"]),
    ],
)  # fmt: skip
def test_rows_of_a_table_keep_their_columns(text, rows):
    table = next(block for block in text_blocks(text) if block.kind == "table")
    assert ["|".join(row) for row in table.rows] == rows


@pytest.mark.parametrize(
    "text",
    [
        "|x| + |y| = 3\n|x| - |y| = 1",
        "Let $|x| | |y|$ hold.\nAnd $|x|$.",
        "$$\\begin{array}{c|c} 1 & 2 \\\\\n3 | 4 & 5 \\end{array}$$",
        "A line.   With a gap.\nAnother line.",
        "Name: ____\tDate: ____",
        "Triangle with a) base 5 b) height 3: what is its area?",
    ],
)
def test_other_lines_are_prose(text):
    assert [block.kind for block in text_blocks(text)] == ["prose"]


PIECES = ["a) ", "b) ", "A. ", "(B)", "\t", " | ", "\n", "    ", "Find x?", "12", "$|x|$", "\n\n", "1) ", "答案：B"]


@given(st.lists(st.sampled_from(PIECES), max_size=14))
@settings(max_examples=400, deadline=None)
def test_blocks_lose_no_character(pieces):
    text = "".join(pieces)
    assert "".join(block.text for block in text_blocks(text)) == text
    layout = question_layout(text)
    kept = layout.text + "".join(option.text for option in layout.options) + layout.answer
    assert kept.count("12") == text.count("12")
    assert kept.count("$|x|$") == text.count("$|x|$")


@pytest.mark.parametrize("unit", ["A) ", "a) x b) ", "\t", " | ", "   ", "\n", "答案：", "x\ty\n", "a) 1\nb) 2\n"])
def test_a_long_text_is_laid_out_in_time(unit, no_hang):
    text = unit * (20_000 // len(unit))
    question_layout(text)
    text_blocks(text)

"""LaTeX without dollar signs: what counts as a formula, and above all what does not."""

from __future__ import annotations

import pytest

from analytics.text.bare_latex import bare_formulas, is_bare_formula


def formulas_in(prose: str) -> list[str]:
    return [prose[start:end] for start, end in bare_formulas(prose)]


@pytest.mark.parametrize(
    "answer",
    [
        r"\frac{3}{4}",
        r"-\frac13",
        r"2\sqrt{3}",
        r"(-\infty, 3]\cup[5,\infty)",
        r"x^2+2x+1",
        r"10_6",
        r"\$32,\!348",
        r"10{,}000\pi",
        r"\left(\frac{3}{2},-13\right)",
        r"x = 3 \text{ or } x=\frac{1}{2}",
        r"70 \sqrt{2}\text{ cm}",
        r"120^\circ",
        r"y = -\frac{1}{2}x + 5.",
        r"AB^2",
        r"2xy^2",
        r"\SI{50}{\kilo\metre\per\hour}",
        r"\ce{SO4^{2-}}",
        r"\ang{90}",
    ],
)
def test_an_answer_that_is_a_formula_from_end_to_end(answer: str) -> None:
    assert is_bare_formula(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "odd",
        "Evelyn",
        "B",
        "17",
        "-2",
        "1/2",
        "x + 5",
        "5%",
        r"\$5",
        "3 cups",
        r"\text{Evelyn}",
        "None of the above",
        "snake_case_name",
        "user_1",
        "first_name@school.example",
        "__init__",
        "^_^",
        "the 5^th",
        "C:\\temp",
        r"\textbf{true}",
        r"3 \frac{1}{2} cups",
        r"\cotx",
        "",
    ],
)
def test_words_names_and_plain_numbers_are_no_formula(answer: str) -> None:
    assert not is_bare_formula(answer)


@pytest.mark.parametrize(
    ("prose", "formulas"),
    [
        (r"Find f^\prime (x).", [r"f^\prime (x)"]),
        (r"It takes 3 \frac{1}{2} cups of flour.", [r"3 \frac{1}{2}"]),
        (r"A tank holds a \frac{1}{2} litre.", [r"\frac{1}{2}"]),
        (r"Show that a \le 2^3 holds.", [r"a \le 2^3"]),
        ("Water is H_2O.", ["H_2O"]),
        ("See (x^2), then y.", ["(x^2)"]),
        ("Is (x^2 + 1 a square", ["x^2 + 1"]),
        ("In 2010 10^6 people came.", ["10^6"]),
        (r"1 in \approx 2.54 cm", [r"\approx 2.54"]),
        ("Fill in ____ and set my_value to file_name.", []),
        (r"He pays \$5 or \textbf{more} for 5\%.", []),
        ("Say `hi`, **really** (a) or [b].", []),
        (r"x^2 \\ y^2", ["x^2", "y^2"]),
        (r"\mathbb{R} and y_{max}", [r"\mathbb{R}", "y_{max}"]),
    ],
)
def test_formulas_in_prose_end_where_words_begin(prose: str, formulas: list[str]) -> None:
    assert formulas_in(prose) == formulas


def test_long_texts_are_read_in_good_time() -> None:
    for text in ("x^{" * 20_000, "{x" * 30_000, "x" + "=" * 60_000 + "y^2", "(" * 60_000 + "x^2", " \\" * 30_000):
        assert bare_formulas(text) is not None


def test_a_text_without_any_mark_of_latex_is_not_read_at_all() -> None:
    assert formulas_in("Anna has 3 apples (and 2 pears).") == []

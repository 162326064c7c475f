"""Titles: formulas in one line of plain text."""

from __future__ import annotations

import pytest
from django.template import Context, Template

from questionbank.rendering.titles import LONGEST_TITLE, question_title


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (r"Solve $x^2 - 6x - 16 = 0$.", "Solve x² − 6x − 16 = 0."),
        (r"Is $\frac{x+1}{2} \le -\frac{1}{3}$?", "Is (x + 1)/2 ≤ −1/3?"),
        (r"$f(x)=\sqrt{x+1}$, $\sqrt[3]{8}$", "f(x) = √(x + 1), ³√8"),
        (r"$x_1 + x_{12}$, $2^{x+1}$, $90^\circ$", "x₁ + x₁₂, 2^(x + 1), 90°"),
        (r"$\begin{pmatrix}1&2\\3&-4\end{pmatrix}$", "(1 2; 3 −4)"),
        (r"Find $\lim_{x\to 0}\frac{\sin x}{x}$", "Find lim_(x → 0) (sin x)/x"),
        (r"$10,\!000$ and \textbf{bold} & 20\%", "10,000 and bold & 20%"),
        ("Fill ____ in", "Fill ____ in"),
        (r"[asy]draw((0,0));[/asy] Find it", "[figure] Find it"),
        (r"Find $\foo{x}$ now", r"Find $\foo{x}$ now"),
        ("a\n\nb", "a b"),
        ("<script>1</script>", "<script>1</script>"),
    ],
)
def test_a_title_is_the_text_with_its_formulas_in_one_line(text: str, title: str) -> None:
    assert question_title(text) == title


def test_a_long_title_ends_behind_a_word() -> None:
    title = question_title("seven " * 40)
    assert len(title) <= LONGEST_TITLE
    assert title.endswith("seven…")
    assert question_title("四" * 200, 10) == "四" * 9 + "…"


def test_a_template_escapes_the_title() -> None:
    html = Template("{% load mathematics %}{{ text|plain_title:20 }}").render(Context({"text": "$a<b$ <i>"}))
    assert html == "a &lt; b &lt;i&gt;"

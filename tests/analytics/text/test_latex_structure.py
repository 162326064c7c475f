"""The outer grammar hands only plain arithmetic to the expression reader, and names all the rest."""

from __future__ import annotations

import re

import pytest

from analytics.errors import LatexError
from analytics.text.latex_structure import FormulaReader
from analytics.text.latex_tree import Tree, nest
from analytics.text.notation import formula_tokens, normalise_for_reading

ARITHMETIC = re.compile(r"[0-9a-zA-Z+\-/^!.(){}\[\]\s]|_|\\(?:frac|sqrt|times|text|sin|cos|log|ln)(?![a-z])")


def read(latex: str) -> tuple[Tree, list[str]]:
    """Read a formula with an expression reader that only notes what it is asked."""
    asked: list[str] = []

    def expression(written: str) -> Tree:
        asked.append(written)
        return ("read", *re.findall(r"named\d+", written))

    return FormulaReader(expression).formula(nest(formula_tokens(normalise_for_reading(latex)))), asked


@pytest.mark.parametrize(
    "latex",
    [
        r"\{x \mid x>0\} \cup [0,1) + \overline{AB}",
        r"\sum_{k=1}^{n} a_k \cdot \int_0^1 f'(x)\,dx + \angle ABC^\circ",
        r"\begin{pmatrix}1&2\\3&4\end{pmatrix}^{-1} \cdot \vec{v} \pm |x|",
        r"\text{price} \times 20\% + \$5 - £3 已知",
        r"2\frac{1}{2} f(x, y) \max(a, b) \log_{\frac12} (x+1)",
    ],
)
def test_only_plain_arithmetic_reaches_the_expression_reader(latex: str) -> None:
    _, asked = read(latex)
    assert asked
    for written in asked:
        assert ARITHMETIC.sub("", written) == ""
        assert re.sub(r"\\text\{named\d+\}|\\[a-z]+", "", written).count("text") == 0


@pytest.mark.parametrize(
    "latex", ["x", "12", "x, y", "x=y", r"A \cup B", "(1, 2)", r"\{1, 2\}", "f(x)", "+", "3:4"]
)
def test_what_holds_no_arithmetic_needs_no_expression_reader(latex: str) -> None:
    _, asked = read(latex)
    assert asked == []


def test_names_are_replaced_by_what_they_stand_for() -> None:
    tree, asked = read(r"a_1 + \{1, 2\}")
    assert asked == [r"\text{named0} + \text{named1}"]
    assert tree == ("read", "a_1", ("set", "1", "2"))


@pytest.mark.parametrize(
    ("latex", "tree"),
    [
        ("1 < x < 3", ("chain", "1", "<", "x", "<", "3")),
        (r"x = 1 \text{ or } x = 2", ("list", ("=", "x", "1"), ("=", "x", "2"))),
        (r"l: x = 0", ("label", "l", ("=", "x", "0"))),
        (r"A \cap B \cup C", ("mixed", "A", "∩", "B", "∪", "C")),
        (r"A \subseteq B", ("⊆", "A", "B")),
        ("(0, 1]", ("interval", "(", "0", "1", "]")),
        (r"\langle 1, 2 \rangle", ("angle", "1", "2")),
        ("x =", ("=", "x", "blank")),
        ("= x", ("=", "blank", "x")),
        ("a | b", ("given", "a", "b")),
        (r"\overset{!}{=} x", ("=", "blank", "x")),
        ("g(1)", ("apply", "g", "1")),
        ("y(0)", ("apply", "y", "0")),
        ("", "blank"),
    ],
)
def test_lists_relations_and_brackets_are_taken_apart(latex: str, tree: Tree) -> None:
    assert read(latex)[0] == tree


@pytest.mark.parametrize(
    "latex", ["(", ")", "{x", r"\{x", r"\begin{cases}", r"\end{cases}", r"\begin{foo}x\end{foo}", r"\foo"]
)
def test_what_has_no_structure_is_an_error(latex: str) -> None:
    with pytest.raises(LatexError):
        read(latex)

"""Trees of formulas: one string for what is equal, the free symbols, nested tokens."""

from __future__ import annotations

import pytest

from analytics.errors import LatexError
from analytics.text.latex_tree import Group, canonical, nest, signature, symbols


def test_commutative_operands_have_one_order_and_others_keep_theirs() -> None:
    assert canonical(("+", "b", ("*", "y", "2"))) == canonical(("+", ("*", "2", "y"), "b")) == "(+ (* 2 y) b)"
    assert canonical(("^", "x", "2")) != canonical(("^", "2", "x"))
    assert canonical(("<", "b", "a")) == "(< b a)"


def test_a_signature_lists_the_nodes_in_prefix_order() -> None:
    assert signature(("+", "1", ("^", "x", "2"))) == ("(", "+", "(", "^", "x", "2", ")", "1", ")")


def test_symbols_are_letters_that_name_no_constant() -> None:
    tree = (
        "chain",
        "0",
        "<",
        ("*", "2", "pi", "r_1"),
        "≤",
        ("apply", ("^", "f", "-1"), "角", "blank", "5.5"),
    )
    assert symbols(tree) == {"r_1", "f", "角"}


def test_brackets_of_intervals_may_differ_and_others_may_not() -> None:
    (group,) = nest(["[", "0", ",", "1", ")"])
    assert isinstance(group, Group)
    assert (group.opener, group.closer, group.items) == ("[", ")", ["0", ",", "1"])
    with pytest.raises(LatexError, match="do not match"):
        nest(["{", ")"])
    with pytest.raises(LatexError, match="do not match"):
        nest([r"\begin{cases}", r"\end{array}"])

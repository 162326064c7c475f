"""The filters that show question text."""

from __future__ import annotations

from questionbank.templatetags.mathematics import unbroken


def test_a_formula_in_a_sentence_has_no_space_to_break_at():
    joined = unbroken("Computed as a + b, not as a.")
    assert joined == "Computed as a\N{NO-BREAK SPACE}+\N{NO-BREAK SPACE}b, not as a."

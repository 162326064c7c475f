"""Forms of verbs, as reversed English problems use them."""

from __future__ import annotations

import pytest

from analytics.language.en.words import BASES, base_of_past, base_of_present, past_of, third_person


@pytest.mark.parametrize(
    ("base", "past"),
    [
        ("ship", "shipped"),
        ("split", "split"),
        ("deal", "dealt"),
        ("stick", "stuck"),
        ("mow", "mowed"),
        ("jog", "jogged"),
    ],
)
def test_past_tenses(base: str, past: str) -> None:
    assert past_of(base) == past
    assert base_of_past(past) == base


def test_every_verb_is_found_by_its_forms() -> None:
    for base in BASES:
        assert base_of_present(third_person(base)) == base
        assert past_of(base_of_past(past_of(base))) == past_of(base)

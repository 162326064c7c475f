"""Words as they are compared, and the curated synonyms."""

from __future__ import annotations

from collections import Counter

import pytest

from analytics.paraphrase.words.wording import GENERIC, SYNONYMS, canonical, stem


@pytest.mark.parametrize(
    "forms",
    ["bake bakes baked baking", "carry carries carried", "travel travels travelled", "box boxes", "child children",
     "stop stopped stopping", "share shares sharing", "buy bought", "page pages"],
)  # fmt: skip
def test_forms_of_a_word_have_one_stem(forms: str) -> None:
    assert len({stem(form) for form in forms.split()}) == 1


@pytest.mark.parametrize("words", ["more less", "sum product", "pens pencils", "week weekend", "hat hats' heat"])
def test_different_words_have_different_stems(words: str) -> None:
    first_word, last_word = words.split()[0], words.split()[-1]
    assert canonical(first_word) != canonical(last_word)


def test_a_word_stands_in_one_row_only() -> None:
    counts = Counter(word for row in SYNONYMS for word in row)
    assert [word for word, count in counts.items() if count > 1] == []


def test_words_of_a_row_are_equal() -> None:
    for row in SYNONYMS:
        assert len({canonical(word) for word in row if " " not in word}) == 1, row


def test_words_for_anything_are_found_by_their_form() -> None:
    assert all(canonical(word) in GENERIC for word in ("piece", "pieces", "individuals", "people"))
    assert not GENERIC & {canonical(word) for word in ("pens", "pupils", "hours")}

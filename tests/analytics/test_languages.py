"""The language that a text is evidently in."""

from __future__ import annotations

from analytics.languages import evident_language
from tests.cases import each_case


@each_case("texts", "evident_languages")
def test_a_language_is_told_by_its_script_or_its_commonest_words(text, language):
    assert evident_language(text) == language

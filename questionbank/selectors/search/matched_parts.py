"""Which parts of a question a search found it by."""

from __future__ import annotations

from collections.abc import Iterable

from analytics.analysed_text import part_texts, stem_text, stored_content
from analytics.languages import primary_language
from analytics.text.empty_words import EMPTY_WORDS
from analytics.text.tokens import search_tokens
from questionbank.formats.derived_answer import part_label
from questionbank.models import Question


def matched_parts(question: Question, tokens: Iterable[str]) -> tuple[str, ...]:
    """Return the letters of the parts that hold most of what was searched, as far as the stem does not.

    Args:
        tokens: of the query, as `search_tokens` writes them.
    """
    if not question.is_in_parts:
        return ()
    content = stored_content(question.content)
    language = primary_language(question.language)
    stem = search_tokens(stem_text(question.text, (), content), language)
    wanted = {*tokens}.difference(stem)
    wanted = wanted - EMPTY_WORDS or wanted
    held = [len(wanted.intersection(search_tokens(part, language))) for part in part_texts(content)]
    most = max(held)
    return tuple(part_label(place) for place, count in enumerate(held) if count == most > 0)

"""Result pages by signed cursors, and the parts by which a question was found."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

from django.core import signing

from analytics.analysed_text import part_texts, stem_text, stored_content
from analytics.languages import primary_language
from analytics.text.question_tasks import EMPTY_WORDS
from analytics.text.tokens import search_tokens
from questionbank.core.errors import ValidationFailed
from questionbank.formats.kinds import part_label
from questionbank.models import Question
from questionbank.search.asked import AskedSearch

_SALT = "questionbank.cursor"
_LONGEST = 500


def cursor_pack(place: list[Any], search: object) -> str:
    """Return a cursor for a position in the results of `search`; searches are distinguished by their `repr`."""
    return signing.dumps([_fingerprint(search), *place], salt=_SALT)


def cursor_unpack(cursor: str, search: object) -> list[Any]:
    """Return the position that a cursor points to.

    Raises:
        ValidationFailed: it is malformed, or belongs to another search.
    """
    try:
        fingerprint, *place = signing.loads(cursor[: _LONGEST + 1], salt=_SALT)
    except (signing.BadSignature, ValueError, TypeError) as error:
        raise ValidationFailed("This page of results is not known; search again.") from error
    if fingerprint != _fingerprint(search):
        raise ValidationFailed("This page belongs to another search; search again.")
    return place


def offset_cursors(asked: AskedSearch, offset: int, *, has_next: bool) -> dict[str, str]:
    """Return the cursors of the pages before and after one that is counted from the first result."""
    before = max(0, offset - asked.page_size)
    return {
        "next_cursor": cursor_pack(["from", offset + asked.page_size], asked.key) if has_next else "",
        "previous_cursor": cursor_pack(["from", before], asked.key) if offset else "",
    }


def offset_of(place: list[Any] | None) -> int:
    """Return how many results are before a place that `offset_cursors` gave."""
    if place is None:
        return 0
    if len(place) == 2 and isinstance(place[1], int) and place[1] >= 0:
        return place[1]
    raise ValidationFailed("This page of results is not known; search again.")


def _fingerprint(search: object) -> str:
    return hashlib.blake2b(repr(search).encode(), digest_size=6).hexdigest()


def matched_parts(question: Question, tokens: Iterable[str]) -> tuple[str, ...]:
    """Return the letters of the parts that contain most of the searched tokens that the stem lacks.

    Args:
        tokens: of the query, as returned by `search_tokens`.
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

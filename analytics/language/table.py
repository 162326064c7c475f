"""The supported languages, one row each. To add one, write a folder like `en` and add a row here."""

from __future__ import annotations

from analytics.language.contract import Language
from analytics.language.en.language import ENGLISH
from analytics.language.zh.language import CHINESE

LANGUAGES: tuple[Language, ...] = (ENGLISH, CHINESE)


def languages() -> tuple[Language, ...]:
    """Return all languages, English first."""
    return LANGUAGES


def language_of(text: str) -> Language:
    """Return the language whose marks a text contains; English if there are none.

    >>> language_of("小明有5支笔。").code, language_of("5 + 3").code
    ('zh', 'en')
    """
    return next((language for language in LANGUAGES if language.marks.search(text)), LANGUAGES[0])


def language_named(code: str) -> Language:
    """Return the language with a primary code (ISO 639-1); English for a code that is not in the table."""
    return next((language for language in LANGUAGES if language.code == code), LANGUAGES[0])

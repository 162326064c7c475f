"""The supported languages, a row for each, and what a language's code means. Torch-free.

To add a language, write a folder like `en` and add a row here.
"""

from __future__ import annotations

import re

from analytics.language.contract import Language
from analytics.language.en import numbers as en_numbers
from analytics.language.en import relations as en_relations
from analytics.language.en import units as en_units
from analytics.language.en import words as en_words
from analytics.language.zh import numbers as zh_numbers
from analytics.language.zh import relations as zh_relations
from analytics.language.zh import units as zh_units
from analytics.language.zh import words as zh_words

ENGLISH = Language(
    code="en",
    name="English",
    marks=re.compile(r"(?!)"),
    space=" ",
    numbers=en_numbers,
    units=en_units,
    words=en_words,
    relations=en_relations,
)
CHINESE = Language(
    code="zh",
    name="Chinese",
    marks=re.compile(r"[\u3400-\u9fff]"),
    space="",
    numbers=zh_numbers,
    units=zh_units,
    words=zh_words,
    relations=zh_relations,
)
LANGUAGES: tuple[Language, ...] = (ENGLISH, CHINESE)

LANGUAGE_NAMES = {language.code: language.name for language in LANGUAGES}
"""English names of the languages that have models."""

UNDETERMINED = "und"
"""Code for an unknown language: a text in a script that no model knows (BCP 47)."""


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


def primary_language(code: str) -> str:
    """Return the primary language of a code, without script and region.

    >>> [primary_language(code) for code in ("zh-Hans", "en", "")]
    ['zh', 'en', '']
    """
    return code.partition("-")[0].lower()

"""Language codes (BCP 47): the languages the program generates texts in and models learn from. Torch-free."""

from __future__ import annotations

from analytics.language.table import languages

LANGUAGE_NAMES = {language.code: language.name for language in languages()}
"""English names of the languages that have models."""

UNDETERMINED = "und"
"""Code for an unknown language: a text in a script that no model knows."""


def primary_language(code: str) -> str:
    """Return the primary language of a code, without script and region.

    >>> [primary_language(code) for code in ("zh-Hans", "en", "")]
    ['zh', 'en', '']
    """
    return code.partition("-")[0].lower()

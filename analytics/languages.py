"""Languages by their codes (BCP 47): what the program writes texts in, and what models learn from. Torch-free."""

from __future__ import annotations

from analytics.language.table import languages

LANGUAGE_NAMES = {language.code: language.name for language in languages()}
"""English names of the languages for which there are models."""

UNDETERMINED = "und"
"""The code of a language that is not known: a text in a script that no model knows."""


def primary_language(code: str) -> str:
    """Return the language of a code, without script and region.

    >>> [primary_language(code) for code in ("zh-Hans", "en", "")]
    ['zh', 'en', '']
    """
    return code.partition("-")[0].lower()

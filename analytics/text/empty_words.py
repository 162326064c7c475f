"""Words of questions that say nothing of what the question is about, in the form of `search_tokens`."""

from __future__ import annotations

from analytics.language.table import languages

EMPTY_WORDS = frozenset[str]().union(*(language.words.EMPTY for language in languages()))
"""They say that there is a question."""

ONLY_IN_PHRASES = frozenset[str]().union(*(language.words.ONLY_IN_PHRASES for language in languages()))
"""They say something only together with another word: "decimal place", "right angle", "least common multiple"."""

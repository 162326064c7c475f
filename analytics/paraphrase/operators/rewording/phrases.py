"""Rules of the rule paraphraser on words and phrases: synonyms, set phrases, contractions."""

from __future__ import annotations

import random
import re
from functools import lru_cache

from analytics.paraphrase.words.editing import Edit, apply_edits, upper_first
from analytics.paraphrase.words.tables import pairs_of, patterns_of

_CONTRACTED = dict(pairs_of("contractions"))
_EXPANDED = {
    short.lower(): long for long, short in _CONTRACTED.items() if long not in {"can not", "i am"}
} | {"i'm": "I am"}
_AMOUNT = r"(?= (?:[$£€]?\d|an? |the |some |several |another ))"
_SYNONYMS = pairs_of("rewordings")
_BEHIND = {
    "buy": _AMOUNT,
    "buys": _AMOUNT,
    "needs": _AMOUNT,
    "finishes": r"(?= (?:the|his|her|their|a) )",
    "finished": r"(?= (?:the|his|her|their|a) )",
    "constant": r"(?= (?:speed|pace|rate)\b)",
    "shop": r"(?= (?:sells|sold|has|had|buys|bought|offers)\b)",
    "whole": r"(?= (?:class|journey|trip|day|week|school|box|bag|group)\b)",
}
_MOST_SYNONYMS = 5


def replace_synonyms(text: str, rng: random.Random) -> str | None:
    """Replace words by synonyms, everywhere alike; None where there is none."""
    table, pattern = _synonyms()
    matches = list(pattern.finditer(text))
    chosen = {
        word: rng.choice(table[word])
        for word in sorted({match[0].lower() for match in matches})
        if rng.random() < 0.75
    }
    chosen = dict(list(chosen.items())[:_MOST_SYNONYMS])
    edits: list[Edit] = []
    for match in matches:
        new = chosen.get(match[0].lower())
        if new is not None and not _is_name(match):
            edits.append((match.start(), match.end(), upper_first(new) if match[0][0].isupper() else new))
    return apply_edits(text, edits) if edits else None


def _is_name(match: re.Match[str]) -> bool:
    """Return whether a capitalised word stands inside a sentence ("Big Apple Town")."""
    before = match.string[: match.start()].rstrip()
    return match[0][0].isupper() and bool(before) and before[-1] not in ".?!\"'"


def replace_phrases(text: str, rng: random.Random) -> str | None:
    """Put set phrases in other words; None where there is none."""
    changed = text
    for pattern, choices in rng.sample(_compiled(), len(_compiled())):
        if rng.random() < 0.6 and pattern.search(changed):
            changed = pattern.sub(rng.choice(choices), changed)
    return changed if changed != text else None


def contract(text: str, rng: random.Random) -> str | None:
    """Contract ("do not" -> "don't"), or write contractions out; None where there is neither."""
    table = rng.choice((_CONTRACTED, _EXPANDED))
    pattern = re.compile(rf"\b(?:{'|'.join(table)})\b", re.IGNORECASE)

    def write(match: re.Match[str]) -> str:
        new = table[match[0].lower()]
        return upper_first(new) if match[0][0].isupper() else new

    changed = pattern.sub(write, text.replace("’t", "'t"))
    return changed if changed != text else None


@lru_cache(maxsize=1)
def _synonyms() -> tuple[dict[str, tuple[str, ...]], re.Pattern[str]]:
    table: dict[str, tuple[str, ...]] = {}
    for word, synonym in _SYNONYMS:
        table[word] = (*table.get(word, ()), synonym)
    words = "|".join(rf"{word}\b{_BEHIND.get(word, '')}" for word, _synonym in _SYNONYMS)
    return table, re.compile(rf"\b(?:{words})", re.IGNORECASE)


@lru_cache(maxsize=1)
def _compiled() -> list[tuple[re.Pattern[str], list[str]]]:
    return [(re.compile(pattern), choices) for pattern, *choices in patterns_of("phrases")]

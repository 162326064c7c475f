"""Queries whose answer is known: each is made from one question, which the search should find again.

Three sorts, as people search for something that they have seen: a few of its words with slips of the
keyboard, a part of its text, one of its formulas.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from analytics.text.formulas import formula_segments, segment_text
from analytics.text.latex_lexer import formula_tokens

SORTS = ("misspelt words", "part of the text", "formula")

_WORD = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{4,}(?![A-Za-z])")
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_WORDS_ASKED = 4
_FEWEST_FORMULA_TOKENS = 7
_FEWEST_PIECES = 10  # words (Chinese: characters) of a text of which a part is asked
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class KnownItem:
    """A query and the question that it was made from."""

    sort: str
    query: str
    question_id: int
    language: str


def known_items(
    questions: Iterable[tuple[int, str, str]], *, rng: random.Random, rarity: Callable[[str], float]
) -> list[KnownItem]:
    """Return every query that can be made from the questions, one a question and sort.

    Args:
        questions: (id, text, language) of each.
        rarity: of a word; people search by what is unusual, so rarer words are chosen more often.
    """
    makers = {
        "misspelt words": lambda text: _misspelt_words(text, rng, rarity),
        "part of the text": lambda text: _part(text, rng),
        "formula": lambda text: _formula(text, rng),
    }
    return [
        KnownItem(sort, query, pk, language)
        for pk, text, language in questions
        for sort, make in makers.items()
        if (query := make(text))
    ]


def misspell(word: str, rng: random.Random) -> str:
    """Return the word with one slip after its first letter: dropped, doubled, swapped or replaced."""
    place = rng.randrange(1, len(word) - 1)
    slip = rng.randrange(4)
    if slip == 0:
        return word[:place] + word[place + 1 :]
    if slip == 1:
        return word[:place] + word[place] + word[place:]
    if slip == 2:
        return word[:place] + word[place + 1] + word[place] + word[place + 2 :]
    return word[:place] + rng.choice(_LETTERS) + word[place + 1 :]


def _misspelt_words(text: str, rng: random.Random, rarity: Callable[[str], float]) -> str:
    prose = " ".join(segment.source for segment in segment_text(text) if segment.kind == "text")
    words = list(dict.fromkeys(word.lower() for word in _WORD.findall(prose)))
    if len(words) < _WORDS_ASKED or _CHINESE.search(prose):
        return ""  # the Latin words of a Chinese question are not what people search it by
    # Weighted sampling without replacement (Efraimidis and Spirakis 2006).
    keys = {word: rng.random() ** (1 / max(rarity(word), 0.01)) for word in words}
    chosen = sorted(words, key=lambda word: -keys[word])[:_WORDS_ASKED]
    rng.shuffle(chosen)
    slips = rng.sample(range(_WORDS_ASKED), 2)
    return " ".join(misspell(word, rng) if place in slips else word for place, word in enumerate(chosen))


def _part(text: str, rng: random.Random) -> str:
    separator = "" if _CHINESE.search(text) else " "
    pieces = list(text) if not separator else text.split()
    if len(pieces) < _FEWEST_PIECES:
        return ""
    length = max(5, int(len(pieces) * rng.uniform(0.3, 0.6)))
    start = rng.randrange(len(pieces) - length + 1)
    return separator.join(pieces[start : start + length])


def _formula(text: str, rng: random.Random) -> str:
    formulas = [segment.body.strip() for segment in formula_segments(text)]
    longest = max(formulas, key=lambda body: len(formula_tokens(body)), default="")
    if len(formula_tokens(longest)) < _FEWEST_FORMULA_TOKENS:
        return ""
    return f"${longest}$" if rng.random() < 0.5 else longest

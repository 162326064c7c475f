"""Changes to the words of a question that keep its purpose.

QuesCo (Ning et al., AAAI 2023), "Text Augmentation", after EDA (Wei and Zou 2019): random swap and random
deletion of words, never of or inside a formula. No synonyms: circle and ellipse are none in mathematics.
"""

from __future__ import annotations

import random
import re

from analytics.language.zh.language import CHINESE
from analytics.text.formulas import segment_text

# A run of letters, or one Chinese character of a run that the caller has not segmented.
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


def swap_words(text: str, rng: random.Random) -> str | None:
    """Exchange two different words; None where the prose has fewer."""
    words = _words(text)
    distinct = {text[start:end] for start, end in words}
    if len(distinct) < 2:
        return None
    first, second = sorted(rng.sample(words, 2))
    while text[slice(*first)] == text[slice(*second)]:
        first, second = sorted(rng.sample(words, 2))
    return (
        text[: first[0]]
        + text[slice(*second)]
        + text[first[1] : second[0]]
        + text[slice(*first)]
        + text[second[1] :]
    )


def delete_word(text: str, rng: random.Random) -> str | None:
    """Leave out one word, with the blank before it; None where the prose has fewer than two."""
    words = _words(text)
    if len(words) < 2:
        return None
    start, end = rng.choice(words)
    if start and text[start - 1] == " ":
        start -= 1
    elif text[end : end + 1] == " ":
        end += 1
    return text[:start] + text[end:]


def _words(text: str) -> list[tuple[int, int]]:
    """Start and end of every word outside formulas; Chinese is cut into words by rjieba."""
    places: list[tuple[int, int]] = []
    for segment in segment_text(text):
        if segment.kind != "text":
            continue
        for match in _WORD.finditer(segment.source):
            start = segment.start + match.start()
            if match.start() and segment.source[match.start() - 1] == "\\":
                continue  # a macro of the text, such as \textquotesingle
            if CHINESE.marks.search(match[0]):
                places.extend(_chinese_words(match[0], start))
            else:
                places.append((start, start + len(match[0])))
    return places


def _chinese_words(run: str, start: int) -> list[tuple[int, int]]:
    import rjieba  # its dictionary takes a moment to load, and English needs none

    places = []
    for word in rjieba.cut(run):
        places.append((start, start + len(word)))
        start += len(word)
    return places

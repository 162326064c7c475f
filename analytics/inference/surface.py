"""Surface counts of a question's text, which the difficulty probe may use in addition to the vector."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_WORD = re.compile(r"[^\W\d_]{2,}")  # letters; a run of Chinese characters between marks counts as one
_SENTENCE_END = re.compile(r"[.?!](?:\s|$)|[。？！]")
_COMMAND = re.compile(r"\\[A-Za-z]+")
_OPERATOR = re.compile(r"[-+*/=^<>×÷]")
_FRACTION = re.compile(r"\\[dt]?frac")
_BRACE = re.compile(r"[{}]")

SURFACE_COUNTS = (
    "characters",
    "words",
    "sentences",
    "numbers",
    "digits of the longest number",
    "commands",
    "operators",
    "fractions",
    "braces",
    "dollars",
)


def surface_counts(texts: Sequence[str]) -> np.ndarray:
    """Return (texts, len(SURFACE_COUNTS)) float32: the logarithm of one plus each count."""
    counts = np.zeros((len(texts), len(SURFACE_COUNTS)), dtype=np.float32)
    for row, text in enumerate(texts):
        numbers = _NUMBER.findall(text)
        counts[row] = (
            len(text),
            len(_WORD.findall(text)),
            len(_SENTENCE_END.findall(text)),
            len(numbers),
            max((len(number.partition(".")[0]) for number in numbers), default=0),
            len(_COMMAND.findall(text)),
            len(_OPERATOR.findall(text)),
            len(_FRACTION.findall(text)),
            len(_BRACE.findall(text)),
            text.count("$"),
        )
    return np.log1p(counts)

"""What a question's text demands of a student: counts of its text, and which of two questions on a topic is harder.

The order's model is that of Bradley and Terry (1952): a question with score s is harder than one with score t with
probability 1 / (1 + exp(t - s)). `analytics.probes.order` fits it. The difficulty probe may use the surface counts
in addition to the vector.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from analytics.text.characters import keyboard_maths

_FRACTION = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_FUNCTION = re.compile(r"\\(sqrt|sin|cos|tan|log|ln|int|lim|sum)(?![A-Za-z])")
_COMMANDS = (
    (r"\\(?:times|cdot)", " × "), (r"\\div", " ÷ "), (r"\\leq?(?![A-Za-z])", "≤"), (r"\\geq?(?![A-Za-z])", "≥"),
    (r"\\[,;!]", ""), (r"\\[A-Za-z]+", " "),
)  # fmt: skip
_SIGNS = str.maketrans({"√": " sqrt ", "∫": " int ", "−": "-", "–": "-", "·": "×"} | {"$": " ", "{": "(", "}": ")"})
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
_WORD = re.compile(r"[^\W\d_]{2,}")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_LETTER = re.compile(r"(?<![A-Za-z])([A-Zb-z]|a(?=\s*[-+=^]))(?![A-Za-z'’])|\d([a-z])(?![A-Za-z])")
_POWER = re.compile(r"\^\s*\(?-?(\d{1,2})(?!\d)")
_UNIT = re.compile(
    r"(?<![A-Za-z])(mm|cm|m|km|g|kg|mg|ml|cl|l|litres?|s|min|minutes?|h|hours?|days?|weeks?|seconds?|years?|p|£|°|%)"
    r"(?:[²³]|\^[23])?(?![A-Za-z])"
)
_CLAUSE = re.compile(r"[.,;?]")
_UNKNOWN = re.compile(r"(?<![A-Za-z])[x-z](?![a-z])")

# Signs in formulas that each count once.
_MARKS = {
    "sentences": r"[.?!](?:\s|$)",
    "operators": r"(?<=[\w)\s])[-+*/×÷^](?=[\s\w(])",
    "equals signs": "=",
    "brackets": r"\(",
    "negative numbers": r"(?:^|[\s(\[=,])-[\w(]",
    "minus signs": "-",
    "fractions": r"[\w)]\s*/\s*[\w(]",
    "mixed numbers": r"\d \d+/\d+|\d\(\d+\)/\(\d+\)",
    "powers": r"\^",
    "negative powers": r"\^\s*\(?\s*-",
    "letters in powers": r"\^\s*\(?-?\d*[a-z]",
    "coefficients": r"\d\s*[a-z](?![a-z])",
    "per cent signs": "%",
    "points of a plane": r"\(\s*-?\d+\s*,",
    "inequality signs": r"[<>≤≥]",
    "ellipses": r"\.\.\.|…",
}
_MARK_PATTERNS = [re.compile(pattern) for pattern in _MARKS.values()]

_OF_TEXT: dict[str, Callable[[str], float]] = {
    "highest power": lambda text: max((n for n in map(int, _POWER.findall(text)) if n < 20), default=0),
    "different letters": lambda text: len(set(_letters(text))),
    "letters": lambda text: len(_letters(text)),
    "unknown on both sides": lambda text: any(map(_has_unknown_twice, _CLAUSE.split(text))),
    "nested brackets": lambda text: _depth(text),
    "different units": lambda text: len(set(_UNIT.findall(text))),
}
_OF_WORDS: dict[str, Callable[[list[str]], float]] = {"long words": lambda words: sum(len(word) >= 9 for word in words)}
_OF_NUMBERS: dict[str, Callable[[list[str]], float]] = {
    "numbers": len,
    "digits": lambda numbers: sum(map(_significant, numbers)),
    "most digits": lambda numbers: max(map(_significant, numbers), default=0),
    "digits before the point": lambda numbers: max((len(n.partition(".")[0]) for n in numbers), default=0),
    "decimal places": lambda numbers: max((len(n.partition(".")[2]) for n in numbers), default=0),
    "decimals": lambda numbers: sum("." in n for n in numbers),
    "unround numbers": lambda numbers: sum(float(n) > 10 and float(n) % 10 != 0 for n in numbers),
    "large numbers": lambda numbers: sum(float(n) >= 100 for n in numbers),
    "small numbers": lambda numbers: sum(float(n) <= 10 for n in numbers),
}

DEMANDS = (*_OF_TEXT, *_OF_WORDS, *_OF_NUMBERS, *_MARKS)


def demand_counts(texts: Sequence[str]) -> np.ndarray:
    """Return (texts, len(DEMANDS)) float32: the logarithm of one plus each count.

    The same formula typed plainly and in LaTeX gives the same counts, or nearly.
    """
    counts = [_read(text)[0] for text in texts]
    return np.log1p(np.array(counts, dtype=np.float32).reshape(-1, len(DEMANDS)))


def words_of(text: str) -> frozenset[str]:
    r"""Return the distinct words of a text in lower case; function names in formulas count as words.

    >>> sorted(words_of(r"Show that $\sin x = 2$ has no solution."))
    ['has', 'no', 'show', 'sin', 'solution', 'that']
    """
    return _read(text)[1]


@lru_cache(maxsize=2048)  # counts and words of the same texts are requested in turn
def _read(text: str) -> tuple[tuple[float, ...], frozenset[str]]:
    plain = _plain(text)
    words, numbers = _WORD.findall(plain), _NUMBER.findall(plain)
    counts = (
        *(measure(plain) for measure in _OF_TEXT.values()),
        *(measure(words) for measure in _OF_WORDS.values()),
        *(measure(numbers) for measure in _OF_NUMBERS.values()),
        *(len(pattern.findall(plain)) for pattern in _MARK_PATTERNS),
    )
    return counts, frozenset(word.casefold() for word in words)


def _plain(text: str) -> str:
    r"""Return a text with its formulas as they would be typed: ``\frac{1}{2}x^{2}`` as ``(1)/(2)x^2``."""
    text = keyboard_maths(text)
    for _depth_of_fraction in range(3):
        text = _FRACTION.sub(r"(\1)/(\2)", text)
    text = _FUNCTION.sub(r" \1 ", text)
    for command, sign in _COMMANDS:
        text = re.sub(command, sign, text)
    text = re.sub(r"\^\(([^()]*)\)", r"^\1 ", text.translate(_SIGNS))
    return " ".join(_THOUSANDS.sub("", text).split())


def _significant(number: str) -> int:
    return len(number.replace(".", "").strip("0"))


def _letters(text: str) -> list[str]:
    return [single or after_number for single, after_number in _LETTER.findall(text)]


def _has_unknown_twice(clause: str) -> bool:
    left, _equals, right = clause.partition("=")
    return bool(_UNKNOWN.search(left) and _UNKNOWN.search(right))


def _depth(text: str) -> int:
    depth = deepest = 0
    for character in text:
        depth += (character in "([") - (character in ")]")
        deepest = max(deepest, depth)
    return deepest


CANNOT_TELL = 0.1
"""Distance from one half below which a probability is inconclusive."""

LARGEST_DEMAND = 2.0  # standard deviations: caps the effect of extreme counts


@dataclass(frozen=True, slots=True)
class OrderHead:
    """A linear score of a question from its vector, its text's demands and words, and its estimated difficulty.

    Attributes:
        vector_weights: (dimension,).
        demand_weights: (demands,), for `demand_counts`, in standard deviations from the centre.
        demand_centre: (demands,).
        demand_spread: (demands,), their standard deviations.
        words: words that count if a text contains them.
        word_weights: (words,).
        difficulty_weight: for the estimated difficulty as a share of its scale, from 0 to 1.
    """

    vector_weights: np.ndarray
    demand_weights: np.ndarray
    demand_centre: np.ndarray
    demand_spread: np.ndarray
    words: tuple[str, ...]
    word_weights: np.ndarray
    difficulty_weight: float

    def scores(self, vectors: np.ndarray, texts: Sequence[str], difficulties: np.ndarray) -> np.ndarray:
        """Return (questions,) scores; only their differences are meaningful.

        Args:
            vectors: (questions, dimension).
            texts: of the questions.
            difficulties: (questions,) estimates as shares of their scale.
        """
        demands = scaled_demands(texts, self.demand_centre, self.demand_spread)
        scores: np.ndarray = (
            vectors @ self.vector_weights
            + demands @ self.demand_weights
            + said_words(texts, self.words) @ self.word_weights
            + difficulties * self.difficulty_weight
        )
        return scores


def scaled_demands(texts: Sequence[str], centre: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """Return (texts, demands) counts in standard deviations from the centre, capped at `LARGEST_DEMAND`."""
    return np.clip((demand_counts(texts) - centre) / spread, -LARGEST_DEMAND, LARGEST_DEMAND)


def said_words(texts: Sequence[str], words: Sequence[str]) -> np.ndarray:
    """Return (texts, words): 1 if the text contains the word, else 0."""
    place = {word: column for column, word in enumerate(words)}
    said = np.zeros((len(texts), len(words)), dtype=np.float32)
    for row, text in enumerate(texts):
        said[row, [place[word] for word in words_of(text) if word in place]] = 1
    return said


def harder_probability(score: float, other: float) -> float:
    """Return the probability that the question with the first score is harder than the other.

    >>> harder_probability(1.0, 1.0)
    0.5
    """
    return float(1 / (1 + np.exp(np.clip(other - score, -30, 30))))


_SENTENCE_END = re.compile(r"[.?!](?:\s|$)|[。？！]")
_COMMAND = re.compile(r"\\[A-Za-z]+")
_OPERATOR = re.compile(r"[-+*/=^<>×÷]")
_FRACTION_COMMAND = re.compile(r"\\[dt]?frac")
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
            len(_FRACTION_COMMAND.findall(text)),
            len(_BRACE.findall(text)),
            text.count("$"),
        )
    return np.log1p(counts)

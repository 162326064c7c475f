"""All text augmentations combined: content first, then structure, each applied with probability p."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from analytics.encoder.config import EncoderConfig
from analytics.encoder.formula_augmentation import rename_variable, replace_number, replace_operator, scale_variable
from analytics.languages import CHINESE
from analytics.text.clauses import split_clauses
from analytics.text.formulas import segment_text

_SUBQUESTION = re.compile(r"^\s*[(（](?:\d|[a-e]|[ivIV]{1,3})[)）]")
# Punctuation and spaces at the end of a clause; they stay in place when clauses move.
_MARK = re.compile(r"[\s.,;:?!。，；：？！]*$")
_LONGEST = 12  # more clauses than this are a text rather than a question's conditions


def shuffle_clauses(text: str, rng: random.Random) -> str | None:
    """Shuffle the conditions, keeping punctuation in place; None if there are fewer than two."""
    conditions, rest = _conditions(text)
    bodies = [body for body, _mark in conditions]
    if not 2 <= len(bodies) <= _LONGEST or len(set(bodies)) < 2:
        return None
    shuffled = list(bodies)
    while shuffled == bodies:
        rng.shuffle(shuffled)
    return "".join(body + mark for body, (_old, mark) in zip(shuffled, conditions, strict=True)) + rest


def insert_clause(text: str, rng: random.Random) -> str | None:
    """Repeat one condition at a random position among the conditions; None if there are none."""
    conditions, rest = _conditions(text)
    if not 1 <= len(conditions) <= _LONGEST:
        return None
    body, mark = rng.choice(conditions)
    repeated = list(conditions)
    repeated.insert(rng.randint(0, len(conditions)), (body, mark or ", "))
    return "".join(body + mark for body, mark in repeated) + rest


def _conditions(text: str) -> tuple[list[tuple[str, str]], str]:
    """Return the clauses before the question clause, as (body, mark), and the unchanged rest of the text."""
    clauses = split_clauses(text)
    questions = [index for index, clause in enumerate(clauses) if clause.is_question]
    # Without a question mark or question word, the last clause is the question.
    end = questions[-1] if questions else len(clauses) - 1
    for index, clause in enumerate(clauses[:end]):
        if _SUBQUESTION.match(clause.text) or (index > 0 and clause.is_question):
            end = index
            break
    conditions = []
    for clause in clauses[:end]:
        match = _MARK.search(clause.text)
        cut = match.start() if match else len(clause.text)
        conditions.append((clause.text[:cut], clause.text[cut:]))
    return conditions, text[clauses[end].start :] if 0 <= end < len(clauses) else ""


# A run of letters; runs of Chinese are segmented into words afterwards.
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


def swap_words(text: str, rng: random.Random) -> str | None:
    """Swap two different words; None if the prose has fewer."""
    words = _words(text)
    distinct = {text[start:end] for start, end in words}
    if len(distinct) < 2:
        return None
    first, second = sorted(rng.sample(words, 2))
    while text[slice(*first)] == text[slice(*second)]:
        first, second = sorted(rng.sample(words, 2))
    return (
        text[: first[0]] + text[slice(*second)] + text[first[1] : second[0]] + text[slice(*first)] + text[second[1] :]
    )


def delete_word(text: str, rng: random.Random) -> str | None:
    """Delete one word with the space before it; None if the prose has fewer than two."""
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
    """Return start and end of every word outside formulas; Chinese is segmented by rjieba."""
    places: list[tuple[int, int]] = []
    for segment in segment_text(text):
        if segment.kind != "text":
            continue
        for match in _WORD.finditer(segment.source):
            start = segment.start + match.start()
            if match.start() and segment.source[match.start() - 1] == "\\":
                continue  # a LaTeX text macro, such as \textquotesingle
            if CHINESE.marks.search(match[0]):
                places.extend(_chinese_words(match[0], start))
            else:
                places.append((start, start + len(match[0])))
    return places


def _chinese_words(run: str, start: int) -> list[tuple[int, int]]:
    import rjieba  # its dictionary takes a moment to load, and English does not need it

    places = []
    for word in rjieba.cut(run):
        places.append((start, start + len(word)))
        start += len(word)
    return places


@dataclass(frozen=True, slots=True)
class Strategy:
    """One way of changing a question: its name, group and function."""

    name: str
    group: str
    apply: Callable[[str, random.Random], str | None]


STRATEGIES = (  # in the order in which they are applied
    Strategy("random swap", "words", swap_words),
    Strategy("random deletion", "words", delete_word),
    Strategy("variable renaming", "formulas", rename_variable),
    Strategy("variable scaling", "formulas", scale_variable),
    Strategy("operator synonym replacement", "formulas", replace_operator),
    Strategy("number replacement", "formulas", replace_number),
    Strategy("clause shuffling", "structure", shuffle_clauses),
    Strategy("useless clause insertion", "structure", insert_clause),
)


class Augmenter:
    """Applies every strategy to a question in turn, each with the same probability.

    Args:
        strategies: the strategies, in order.
        probability: p; a strategy that is drawn but does not apply changes nothing.
    """

    def __init__(self, strategies: Sequence[Strategy] = STRATEGIES, probability: float = 0.3) -> None:
        self.strategies, self.probability = tuple(strategies), probability

    @classmethod
    def from_config(cls, config: EncoderConfig) -> Augmenter:
        """Return an augmenter with the groups that a configuration enables."""
        groups = {
            "words": config.augment_words,
            "formulas": config.augment_formulas,
            "structure": config.augment_structure,
        }
        return cls([strategy for strategy in STRATEGIES if groups[strategy.group]])

    def __call__(self, text: str, rng: random.Random) -> str:
        """Return the augmented question; the same generator state gives the same result."""
        for strategy in self.strategies:
            if rng.random() < self.probability:
                text = strategy.apply(text, rng) or text
        return text

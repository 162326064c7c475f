"""Marking: the score and the chosen option of a response, by the file's mark, the bank's key or the file's key."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from analytics.question_content import Option
from analytics.text.meaning import same_answer
from questionbank.formats.kinds import option_weights
from questionbank.responses.response_table import ResponseRow

_SEPARATORS = re.compile(r"[,;\s]+")
_TRUTHS = {"true": True, "t": True, "yes": True, "1": True, "false": False, "f": False, "no": False, "0": False}


@dataclass(frozen=True, slots=True)
class MarkedQuestion:
    """What marking needs of a question.

    Attributes:
        id: its id in the bank.
        version: the version that the pupils saw.
        kind: a value of `Question.Kind`.
        options: its options.
        answer: the published answer, or the labels of the right options.
        text: its text, by which people recognise it.
    """

    id: int
    version: int
    kind: str
    options: tuple[Option, ...]
    answer: str
    text: str = ""

    @property
    def weights(self) -> list[float]:
        """Share of the mark for each option; all 0 if the right option is unknown."""
        return option_weights(self.options, self.answer)

    def labels_of(self, text: str) -> list[str]:
        """Return the labels of the options that a response names, by label or by text; empty if it names no option."""
        labels = {option.label.casefold(): option.label for option in self.options}
        plain = text.strip().rstrip(".):").casefold()
        if plain in labels:
            return [labels[plain]]
        wanted = _plain(text)
        named = [option.label for option in self.options if _plain(option.text) == wanted]
        if len(named) == 1:
            return named
        parts = [part for part in _SEPARATORS.split(plain) if part]
        if len(set(parts)) == len(parts) > 1 and all(part in labels for part in parts):
            return sorted(labels[part] for part in parts)
        return []


@dataclass(frozen=True, slots=True)
class Marked:
    """A marked response: share of the maximum mark, and the label of the chosen option or nothing."""

    score: float
    choice: str = ""


def mark_response(row: ResponseRow, maximum: float | None, question: MarkedQuestion) -> Marked:
    """Mark a response: by the file's mark, else by the bank's key, else by the file's key.

    Args:
        maximum: the maximum mark of the file's marks; None if it has none.

    Raises:
        ValueError: it cannot be marked; the message says why.
    """
    chosen = question.labels_of(row.response) if row.response else []
    choice = chosen[0] if len(chosen) == 1 else ""
    if row.mark is not None:
        return Marked(row.mark / (maximum or 1.0), choice)
    if question.options:
        return Marked(_score_of_options(row, chosen, question), choice)
    if question.kind == "true_false":
        return Marked(_score_of_truth(row.response, question.answer or row.key))
    return Marked(_score_of_text(row.response, [row.key] if row.key else [question.answer]))


def _score_of_options(row: ResponseRow, chosen: Sequence[str], question: MarkedQuestion) -> float:
    if not chosen:
        raise ValueError(f"“{row.response[:40]}” is not an option of question {question.id}")
    weights = dict(zip((option.label for option in question.options), question.weights, strict=True))
    if not any(weights.values()):
        right = question.labels_of(row.key)
        if not right:
            raise ValueError(f"the right option of question {question.id} is unknown")
        weights |= {label: 1 / len(right) for label in right}
    return min(max(sum(weights[label] for label in chosen), 0.0), 1.0)


def _score_of_truth(response: str, answer: str) -> float:
    given, right = (_TRUTHS.get(text.strip().casefold()) for text in (response, answer))
    if given is None or right is None:
        raise ValueError(f"“{response[:40]}” is neither true nor false" if given is None else "its answer is unknown")
    return float(given == right)


def _score_of_text(response: str, answers: Sequence[str]) -> float:
    verdicts = [same_answer(response, answer) for answer in answers if answer]
    if any(_plain(response) == _plain(answer) for answer in answers if answer) or "same" in verdicts:
        return 1.0
    if verdicts and set(verdicts) == {"different"}:
        return 0.0
    if any(answers) and not any(";" in answer for answer in answers) and _is_word(response):
        return 0.0
    raise ValueError("the file has no mark, and the answer cannot be compared with the right one")


def _is_word(text: str) -> bool:
    """Return whether a response is a single word or number, so that it is wrong if it differs from the answer."""
    return len(text.split()) == 1 and text.isalnum()


def _plain(text: str) -> str:
    """Return a text without what differs between programs: spaces, case and the delimiters of formulas."""
    return re.sub(r"\\[()\[\]]|[\s$]", "", text).casefold()

"""Worked exemplars of a question, and the few-shot prompt that they make. Torch-free.

Yang et al., "Learning by Analogy", Eq. 2 (the k nearest problems of a corpus) and Eq. 3 (what a generator reads).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from analytics.analogy.graphs import ComputationalGraph
from analytics.analogy.likely_graphs import CorpusGraphs, LikelyGraphs
from analytics.errors import DataError
from analytics.expression.evaluate import evaluate_float, number_value
from analytics.expression.parser import parse_written_equation
from analytics.expression.tree import ExpressionTree
from analytics.integer_codes import integer_codes
from analytics.language_model.protocol import without_thoughts
from analytics.records import ProblemRecord
from analytics.text.number_slots import number_slots
from analytics.text.numbers import find_numbers, mask_numbers, signed_value

__all__ = [
    "ANSWER_FORMATS",
    "ORDERS",
    "Exemplar",
    "ExemplarCorpus",
    "PromptSettings",
    "answer_format",
    "answer_text",
    "few_shot_prompt",
    "parse_answer",
    "prompt_exemplars",
    "prompt_tokens",
    "story_key",
    "uses_numbers_of",
]

ANSWER_FORMATS = ("equation", "solution", "answer")
"""``x=(5*1000)-2000``; a worked solution that ends in ``#### 72``; or the answer alone."""

ORDERS = ("nearest last", "nearest first")

_CHUNK = 512  # queries that are compared with the corpus at once
_TOKEN = re.compile(r"\w+|[^\w\s]")
_WORD = re.compile(r"[^\W_]+|#")
_NEXT_QUESTION = re.compile(r"\n\s*Question:")
_UNKNOWN = re.compile(r"x\s*=")


def story_key(text: str) -> str:
    """Return a text without its numbers, case and punctuation: copies but for numbers have one key.

    >>> story_key("Tom has 3 pens .") == story_key("Tom has 25 pens.")
    True
    """
    return " ".join(_WORD.findall(mask_numbers(text).lower()))


@dataclass(frozen=True, slots=True)
class Exemplar:
    """A problem of the corpus: its row, and what it was ranked by (`CorpusGraphs.scores`)."""

    row: int
    score: float


class ExemplarCorpus:
    """Problems among which exemplars are looked for.

    Args:
        texts: of the problems.
        vectors: (problems, dimension) of length 1, by the retriever.
        graphs: of the problems, over the numbers of their texts; by default none is known.

    Raises:
        DataError: there is no problem, or not a vector and, where graphs are given, a graph for each.
    """

    def __init__(
        self,
        texts: Sequence[str],
        vectors: npt.NDArray[np.float32],
        graphs: Sequence[ComputationalGraph | None] = (),
    ) -> None:
        if not texts:
            raise DataError("The corpus holds no problem.")
        if len(vectors) != len(texts):
            raise DataError(f"{len(texts):,} problems need as many vectors, not {len(vectors):,}.")
        if graphs and len(graphs) != len(texts):
            raise DataError(f"{len(texts):,} problems need as many graphs, not {len(graphs):,}.")
        self.vectors = vectors
        self.graphs = CorpusGraphs(graphs)
        stories = [story_key(text) for text in texts]
        self.stories = integer_codes(stories)
        self._known = dict(zip(stories, self.stories.tolist(), strict=True))

    def retrieve(
        self,
        texts: Sequence[str],
        vectors: npt.NDArray[np.float32],
        k: int,
        *,
        likely: Sequence[LikelyGraphs] | None = None,
    ) -> list[list[Exemplar]]:
        """Return the `k` most similar problems of each question, the most similar first (Eq. 2).

        The question itself, and copies of it but for numbers, are left out: an exemplar that gives the answer away
        teaches nothing.

        Args:
            texts: the questions.
            vectors: (questions, dimension) of length 1, by the same retriever.
            k: how many; fewer where the corpus is smaller.
            likely: graphs that each question may have, which count beside the cosine; by default the cosine decides.

        Raises:
            ValueError: k is below 1.
        """
        if k < 1:
            raise ValueError(f"k must be at least 1, not {k}")
        hits: list[list[Exemplar]] = []
        for start in range(0, len(texts), _CHUNK):
            scores = vectors[start : start + _CHUNK] @ self.vectors.T
            if likely is not None:
                pairs = zip(scores, likely[start : start + _CHUNK], strict=True)
                scores = np.stack([self.graphs.scores(row, graphs) for row, graphs in pairs])
            stories = np.array(
                [self._known.get(story_key(text), -1) for text in texts[start : start + _CHUNK]]
            )
            scores = np.where(stories[:, None] == self.stories[None, :], -np.inf, scores)
            hits += [_best(row, k) for row in scores]
        return hits


def _best(scores: npt.NDArray[np.float32], k: int) -> list[Exemplar]:
    k = min(k, len(scores))
    rows = np.argpartition(-scores, k - 1)[:k]
    rows = rows[np.lexsort((rows, -scores[rows]))]
    return [Exemplar(int(row), float(scores[row])) for row in rows if np.isfinite(scores[row])]


@dataclass(frozen=True, slots=True)
class PromptSettings:
    """How a prompt is written.

    Attributes:
        answers: one of `ANSWER_FORMATS`; empty takes the first that every exemplar has.
        order: one of `ORDERS`; a model weighs most what it read last.
        budget: tokens that the prompt may have; the least similar exemplars are left out until it fits.
    """

    answers: str = ""
    order: str = "nearest last"
    budget: int = 2048

    def __post_init__(self) -> None:
        if self.answers and self.answers not in ANSWER_FORMATS:
            raise ValueError(f"answers must be one of {', '.join(ANSWER_FORMATS)}, not {self.answers!r}")
        if self.order not in ORDERS:
            raise ValueError(f"order must be one of {', '.join(ORDERS)}, not {self.order!r}")


def answer_format(exemplars: Sequence[ProblemRecord]) -> str:
    """Return the first of `ANSWER_FORMATS` that all exemplars have.

    Raises:
        DataError: they have none in common.
    """
    for name in ANSWER_FORMATS:
        if all(answer_text(exemplar, name) for exemplar in exemplars):
            return name
    raise DataError("The exemplars have no equation, solution or answer in common.")


def answer_text(problem: ProblemRecord, answers: str) -> str:
    """Return a problem's answer in a format; empty where it has none in it."""
    if answers == "equation":
        return f"x={problem.equation}" if problem.equation else ""
    if answers == "solution":
        return (
            f"{problem.solution.strip()}\n#### {problem.answer}"
            if problem.solution and problem.answer
            else ""
        )
    return problem.answer


def few_shot_prompt(
    question: str,
    exemplars: Sequence[ProblemRecord],
    settings: PromptSettings = PromptSettings(),
) -> str:
    """Return question-answer blocks of the exemplars, and the question (Eq. 3).

    Args:
        question: what shall be answered.
        exemplars: the nearest first.
        settings: format, order and budget, in words and signs.

    Raises:
        DataError: an exemplar lacks the format, or the question alone is over the budget.
    """
    answers = settings.answers or answer_format(exemplars)
    chosen = prompt_exemplars(question, exemplars, settings)
    blocks = [_block(exemplar, answers) for exemplar in chosen]
    if settings.order == "nearest last":
        blocks.reverse()
    return "\n\n".join([*blocks, _unanswered(question)])


def prompt_exemplars(
    question: str,
    exemplars: Sequence[ProblemRecord],
    settings: PromptSettings = PromptSettings(),
) -> list[ProblemRecord]:
    """Return the exemplars for which the prompt's budget has room, the nearest first.

    Raises:
        DataError: as `few_shot_prompt` does.
    """
    answers = settings.answers or answer_format(exemplars)
    left = settings.budget - prompt_tokens(_unanswered(question))
    if left < 0:
        raise DataError(f"The question alone has more than {settings.budget:,} tokens.")
    chosen: list[ProblemRecord] = []
    for exemplar in exemplars:
        left -= prompt_tokens(_block(exemplar, answers))
        if left < 0:
            break
        chosen.append(exemplar)
    return chosen


def _unanswered(question: str) -> str:
    return f"Question: {question.strip()}\nAnswer:"


def _block(exemplar: ProblemRecord, answers: str) -> str:
    answer = answer_text(exemplar, answers)
    if not answer:
        raise DataError(f"The exemplar {exemplar.id!r} has no {answers}.")
    return f"Question: {exemplar.text.strip()}\nAnswer: {answer}"


def prompt_tokens(text: str) -> int:
    """Return the number of words and signs, an estimate of what any model's tokenizer counts."""
    return len(_TOKEN.findall(text))


def parse_answer(written: str, answers: str) -> float | None:
    """Return the number that a model's answer gives; None where it gives none.

    Args:
        written: by the model; what it thinks aloud and further questions that it makes up are passed over.
        answers: the format of the prompt.

    >>> parse_answer("x=(5*1000)-2000", "equation"), parse_answer("48+24=72. #### 72", "solution")
    (3000.0, 72.0)
    >>> parse_answer("x = 3-8 = -5", "equation"), parse_answer("It is -5 degrees.", "answer")
    (-5.0, -5.0)
    """
    answer = _own_answer(written)
    if answers == "equation":
        tree = _written_equation(answer)
        try:
            return None if tree is None else evaluate_float(tree)
        except DataError:
            return None
    _before, mark, after = answer.rpartition("####")
    text = after if mark else answer
    numbers = find_numbers(text)
    if not numbers:
        return None
    try:
        return float(signed_value(numbers[0] if mark else numbers[-1], text))
    except OverflowError:
        return None


def uses_numbers_of(written: str, answers: str, question: str) -> bool:
    """Return whether an answer's working uses a number of the question; True for an answer without working.

    An answer that uses none was hardly computed from it: the model followed something else.

    >>> uses_numbers_of("x=7", "equation", "Ann has 5 pens and buys 2. How many has she?")
    False
    """
    answer = _own_answer(written)
    values = {slot.value for slot in number_slots(question)}
    if answers == "answer" or not values:
        return True
    if answers == "equation":
        tree = _written_equation(answer)
        return tree is not None and bool(values & _leaf_values(tree))
    return bool(values & {mention.value for mention in find_numbers(answer)})


def _own_answer(written: str) -> str:
    """Return what a model wrote as its answer, without thoughts, a repeated "Answer:" and made-up questions."""
    text = without_thoughts(written).strip().removeprefix("Answer:")
    return _NEXT_QUESTION.split(text, maxsplit=1)[0].strip()


def _written_equation(answer: str) -> ExpressionTree | None:
    """Return the first line that begins with ``x=``, else the first line, as arithmetic."""
    lines = [line.strip().strip("`$") for line in answer.splitlines() if line.strip("`$ ")]
    chosen = next((line for line in lines if _UNKNOWN.match(line)), lines[0] if lines else "")
    try:
        return parse_written_equation(chosen)
    except DataError:
        return None


def _leaf_values(tree: ExpressionTree) -> set[Fraction]:
    return set(map(number_value, tree.leaves()))

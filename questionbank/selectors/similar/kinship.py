"""Kinds of similar questions that a teacher asks for: same idea, looks alike, easier, harder."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from analytics.catalog import main_lens
from questionbank.models import Question
from questionbank.selectors.questions.difficulty import difficulty_step
from questionbank.selectors.serving import Serving
from questionbank.selectors.similar.reasons import LOOKS_ALIKE, SAME_IDEA
from questionbank.selectors.similar.similarity import SimilarHit, SimilarResult, similar_by_lens

EASIER, HARDER = "easier", "harder"
SEARCHED = 30  # of the most similar questions under each lens


@dataclass(frozen=True, slots=True)
class Kin:
    """The similar questions of a question.

    Attributes:
        results: under each lens.
        kinds: of `SAME_IDEA`, `LOOKS_ALIKE`, `EASIER` and `HARDER` those that are not empty, the most
            similar first.
    """

    results: dict[str, SimilarResult]
    kinds: dict[str, list[SimilarHit]]


def kin_of(*, question: Question, serving: Serving) -> Kin:
    """Return the most similar questions under each lens, and which of them are of which kind."""
    results = {result.lens: result for result in similar_by_lens(asked=question, serving=serving, k=SEARCHED)}
    main = main_lens().word
    by_main = results[main].hits
    others = [hit for lens, result in results.items() if lens != main for hit in result.hits]
    every = {hit.question.pk: hit for hit in (*others, *by_main)}
    flagged = sorted(every.values(), key=lambda hit: (-hit.score, hit.question.pk))
    kinds = {
        SAME_IDEA: [hit for hit in flagged if SAME_IDEA in hit.flags],
        LOOKS_ALIKE: [hit for hit in flagged if LOOKS_ALIKE in hit.flags],
        EASIER: list(_of_another_difficulty(question, by_main, sign=-1)),
        HARDER: list(_of_another_difficulty(question, by_main, sign=1)),
    }
    return Kin(results, {kind: hits for kind, hits in kinds.items() if hits})


def _of_another_difficulty(
    question: Question, hits: Sequence[SimilarHit], *, sign: int
) -> Iterable[SimilarHit]:
    """Yield those that are easier (-1) or harder (1), the difference in front of the reason."""
    for hit in hits:
        step = difficulty_step(question, hit.question)
        if step and step.points * sign > 0:
            yield replace(hit, reason=f"{step.reason} {hit.reason}".strip())

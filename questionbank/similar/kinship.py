"""Similar questions as people see them: one list per lens, and the kinds that a teacher looks for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from analytics.catalog import lenses, main_lens
from questionbank.core.capability_catalog import kinship_rows, lens_name, lens_texts
from questionbank.core.capability_contract import KinshipRow
from questionbank.models import Question
from questionbank.registry.serving import Serving
from questionbank.similar.comparison import SURE, Comparison, compare, order_scores
from questionbank.similar.predictions import QuestionPrediction, predict
from questionbank.similar.reasons import LOOKS_ALIKE, SAME_IDEA
from questionbank.similar.similarity import (
    SimilarHit,
    SimilarResult,
    fold_copies,
    similar_by_lens,
    similar_questions,
    similar_to_text,
)
from questionbank.solving.computations import Computation

EASIER, HARDER = "easier", "harder"
SEARCHED = 30  # number of most similar questions searched under each lens
SEARCHED_FOR_DIFFICULTY = 100  # likewise where only easier or harder ones are wanted


@dataclass(frozen=True, slots=True)
class Kin:
    """The similar questions of a question.

    Attributes:
        kinds: the non-empty ones of `SAME_IDEA`, `LOOKS_ALIKE`, `EASIER` and `HARDER`, the most similar first.
    """

    results: dict[str, SimilarResult]
    kinds: dict[str, list[SimilarHit]]


def kin_of(*, question: Question, serving: Serving) -> Kin:
    """Return the most similar questions under each lens, grouped by kind."""
    results = similar_by_lens(asked=question, serving=serving, k=SEARCHED)
    comparisons = compared_hits(results, question, serving)
    main = main_lens().word
    by_main = results[main].hits
    others = [hit for lens, result in results.items() if lens != main for hit in result.hits]
    every = {hit.question.pk: hit for hit in (*others, *by_main)}
    flagged = sorted(every.values(), key=lambda hit: (-hit.score, hit.question.pk))
    kinds = {
        SAME_IDEA: [hit for hit in flagged if SAME_IDEA in hit.flags],
        LOOKS_ALIKE: [hit for hit in flagged if LOOKS_ALIKE in hit.flags],
        EASIER: list(_of_another_difficulty(comparisons, by_main, sign=-1)),
        HARDER: list(_of_another_difficulty(comparisons, by_main, sign=1)),
    }
    results = with_comparisons(results, comparisons)
    return Kin(results, {kind: hits for kind, hits in kinds.items() if hits})


def similar_of_difficulty(
    *, asked: Question | str, wanted: str, lens: str, serving: Serving, language: str = "", k: int
) -> SimilarResult:
    """Return the `k` most similar questions that are easier or harder, certainly or probably; the reason says why.

    Args:
        wanted: `EASIER` or `HARDER`.
        language: of a text.

    Raises:
        ServiceUnavailable: the bank has no vectors for the lens.
    """
    prediction = None
    if isinstance(asked, Question):
        result = similar_questions(question=asked, lens=lens, serving=serving, k=SEARCHED_FOR_DIFFICULTY)
    else:
        prediction = predict(text=asked, serving=serving, language=language)
        result = similar_to_text(text=asked, lens=lens, serving=serving, language=language, k=SEARCHED_FOR_DIFFICULTY)
    question = asked if isinstance(asked, Question) else None
    comparisons = compared_hits({lens: result}, question, serving, prediction)
    hits = list(_of_another_difficulty(comparisons, result.hits, sign=-1 if wanted == EASIER else 1))
    notice = result.notice if hits else result.notice or f"No similar question is known to be {wanted}."
    return replace(result, hits=hits[:k], notice=notice)


def compared_hits(
    results: Mapping[str, SimilarResult],
    question: Question | None,
    serving: Serving,
    prediction: QuestionPrediction | None = None,
) -> dict[int, Comparison]:
    """Return how similar questions compare in difficulty with a question, by question id, as far as known.

    Args:
        results: the similar questions under each lens.
        question: None for a text that is not in the bank.
        serving: the models in use.
        prediction: of the text.
    """
    others = {hit.question.pk: hit.question for result in results.values() for hit in result.hits}
    asked = [] if question is None else [question]
    scores = order_scores([*asked, *others.values()], serving, prediction.hierarchy if prediction else None)
    asked_score = prediction.order if prediction is not None else None
    score = asked_score if question is None else scores.get(question.pk)
    comparisons = {pk: compare(question, score, other, scores.get(pk)) for pk, other in others.items()}
    return {pk: comparison for pk, comparison in comparisons.items() if comparison is not None}


def with_comparisons(
    results: Mapping[str, SimilarResult], comparisons: Mapping[int, Comparison]
) -> dict[str, SimilarResult]:
    """Return the similar questions, each with a sentence on whether it is harder."""

    def compared(hit: SimilarHit) -> SimilarHit:
        comparison = comparisons.get(hit.question.pk)
        return replace(hit, comparison=comparison.sentence) if comparison is not None else hit

    return {lens: replace(result, hits=[compared(hit) for hit in result.hits]) for lens, result in results.items()}


def _of_another_difficulty(
    comparisons: Mapping[int, Comparison], hits: Sequence[SimilarHit], *, sign: int
) -> Iterable[SimilarHit]:
    """Yield those that are easier (-1) or harder (1), certainly or probably, with that sentence before the reason."""
    for hit in hits:
        comparison = comparisons.get(hit.question.pk)
        if comparison is not None and (comparison.probability - 0.5) * sign >= SURE - 0.5:
            yield replace(hit, reason=f"{comparison.sentence} {hit.reason}".strip())


SHOWN = 5
NEARLY_THE_SAME = 4  # of the first five questions, how many both lenses must share to be shown as one list
BOTH = "both"


@dataclass(frozen=True, slots=True)
class LensColumn:
    """The similar questions under one lens, or under two merged lenses.

    Attributes:
        cosines_shown: whether every question shows its score under each lens.
        graphs_shown: whether the graph of every question, if known, can be expanded.
    """

    lens: str
    name: str
    explanation: str
    hits: tuple[SimilarHit, ...]
    notice: str
    cosines_shown: bool = False
    graphs_shown: bool = False
    computation: Computation | None = None


BOTH_EXPLANATION = (
    "Purpose and wording find nearly the same questions. The score is their mean, raised by shared concepts and"
    " computations."
)


def kinds_shown(kin: Kin) -> dict[str, KinshipRow]:
    """Return the non-empty kinds of similar questions, in display order."""
    return {
        slug: row
        for slug, row in kinship_rows().items()
        if (kin.kinds.get(row.kind) if row.kind else row.lens in kin.results and kin.results[row.lens].hits)
    }


def lens_columns(results: Mapping[str, SimilarResult]) -> list[LensColumn]:
    """Return one column per lens.

    The main lens and its stand-in share one column if their first questions are nearly the same, or if only the
    stand-in can compare them.
    """
    main = main_lens()
    main_result = results[main.word]
    folded = {lens: fold_copies(result.hits)[:SHOWN] for lens, result in results.items()}
    first, second = folded[main.word], folded[main.stand_in]
    shared = {hit.question.pk for hit in first} & {hit.question.pk for hit in second}
    only_stand_in = bool(main_result.notice and main_result.hits)
    columns = {lens: lens_column(lens, result, folded[lens]) for lens, result in results.items()}
    if only_stand_in or (first and len(shared) >= min(NEARLY_THE_SAME, len(first), len(second))):
        del columns[main.word], columns[main.stand_in]
        columns = {BOTH: lens_column(BOTH, main_result, first), **columns}
    said: set[str] = set()
    return [_once(column, said) for column in columns.values()]


def _once(column: LensColumn, said: set[str]) -> LensColumn:
    """Return a column without a notice that another one shows; a notice that replaces the questions is kept."""
    if column.notice in said and column.hits:
        return replace(column, notice="")
    said.add(column.notice)
    return column


def lens_column(lens: str, result: SimilarResult, hits: Sequence[SimilarHit]) -> LensColumn:
    """Return the column for some of a result's questions."""
    is_both = lens == BOTH and not result.notice
    return LensColumn(
        lens=lens,
        name="Most similar" if lens == BOTH else lens_name(lens),
        explanation=str((BOTH_EXPLANATION if is_both else "") if lens == BOTH else lens_texts()[lens].explanation),
        hits=tuple(hits),
        notice=result.notice,
        cosines_shown=is_both,
        graphs_shown=lens != BOTH and lenses()[lens].by_graph,
        computation=result.computation,
    )

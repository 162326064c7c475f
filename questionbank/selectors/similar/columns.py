"""The similar questions as people see them: a list a lens; one where the main lens and its stand-in agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analytics.catalog import lenses, main_lens
from questionbank.capabilities.catalog import kinship_rows, lens_name, lens_texts
from questionbank.capabilities.contract import KinshipRow
from questionbank.selectors.questions.computations import Computation
from questionbank.selectors.serving import Serving
from questionbank.selectors.similar.kinship import SEARCHED, Kin
from questionbank.selectors.similar.similarity import SimilarHit, SimilarResult, fold_copies, similar_by_lens
from questionbank.selectors.solving.solutions import SolvedText

SHOWN = 5
NEARLY_THE_SAME = 4  # questions of the first five that both lenses must have, so that one list is shown
BOTH = "both"


@dataclass(frozen=True, slots=True)
class LensColumn:
    """The similar questions under a lens, or under both.

    Attributes:
        notice: why there are none, or none of the usual kind.
        cosines_shown: every question shows its score under each lens.
        graphs_shown: the graph of every question can be unfolded, where it is known.
        computation: of the question asked about, shown with its graph.
    """

    lens: str
    name: str
    explanation: str
    hits: tuple[SimilarHit, ...]
    notice: str
    cosines_shown: bool = False
    graphs_shown: bool = False
    computation: Computation | None = None


BOTH_EXPLANATION = "Purpose and wording find nearly the same questions."


def kinds_shown(kin: Kin) -> dict[str, KinshipRow]:
    """Return the kinds of similar questions that hold at least one question, in the order of their places."""
    return {
        slug: row
        for slug, row in kinship_rows().items()
        if (kin.kinds.get(row.kind) if row.kind else row.lens in kin.results and kin.results[row.lens].hits)
    }


def lens_columns(kin: Kin) -> list[LensColumn]:
    """Return the first similar questions of a stored question."""
    return _columns(kin.results)


def lens_columns_of_text(
    text: str, serving: Serving, language: str = "", solved: SolvedText | None = None
) -> list[LensColumn]:
    """Return the first similar questions of a text that is not in the bank."""
    results = similar_by_lens(asked=text, serving=serving, language=language, solved=solved, k=SEARCHED)
    return _columns({result.lens: result for result in results})


def _columns(results: Mapping[str, SimilarResult]) -> list[LensColumn]:
    """Return a column a lens.

    One for the main lens and its stand-in where both have nearly the same first questions, or only the stand-in can
    compare them.
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
        return [lens_column(BOTH, main_result, first), *columns.values()]
    return list(columns.values())


def lens_column(lens: str, result: SimilarResult, hits: Sequence[SimilarHit]) -> LensColumn:
    """Return the column of some questions of a result."""
    is_both = lens == BOTH and not result.notice
    return LensColumn(
        lens=lens,
        name="Most similar" if lens == BOTH else lens_name(lens),
        explanation=str(
            (BOTH_EXPLANATION if is_both else "") if lens == BOTH else lens_texts()[lens].explanation
        ),
        hits=tuple(hits),
        notice=result.notice,
        cosines_shown=is_both,
        graphs_shown=lens != BOTH and lenses()[lens].by_graph,
        computation=result.computation,
    )

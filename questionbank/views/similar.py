"""The page of the similar questions of a question."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse

from questionbank.capabilities.catalog import kinship_rows
from questionbank.capabilities.contract import KinshipRow
from questionbank.errors import NotFound
from questionbank.models import Question
from questionbank.selectors.questions.questions import question_get
from questionbank.selectors.serving import Serving, serving
from questionbank.selectors.similar.columns import SHOWN, kinds_shown, lens_column
from questionbank.selectors.similar.kinship import EASIER, HARDER, Kin, kin_of
from questionbank.selectors.similar.similarity import (
    SimilarHit,
    SimilarResult,
    fold_copies,
    similar_questions,
)
from questionbank.views.access import page_for, render_page


@page_for("read")
def question_similar(request: HttpRequest, question_id: int, kinship: str) -> HttpResponse:
    """Show more of the similar questions, of one kind."""
    row = kinship_rows().get(kinship)
    if row is None:
        raise NotFound("There is no such list of similar questions.")
    question = question_get(question_id=question_id, user=request.user)
    models = serving()
    kin = kin_of(question=question, serving=models)
    result = kin.results.get(row.lens) or _asked_by_name(question, row.lens, models)
    context = {
        "question": question,
        "kinship": row,
        "kinships": kinds_shown(kin) | {kinship: row},
        "chosen": kinship,
        "closest": next(iter(kinship_rows())),
        "column": lens_column(row.lens, result, result.hits),
        "hits": _hits(kin, row, result),
    }
    return render_page(request, "questions/similar.html", "questions/_similar.html", context)


def _hits(kin: Kin, wanted: KinshipRow, result: SimilarResult) -> list[SimilarHit]:
    if wanted.kind in (EASIER, HARDER):  # copies differ in their difficulty, which each row names
        return kin.kinds.get(wanted.kind, [])
    return fold_copies(kin.kinds.get(wanted.kind, []) if wanted.kind else result.hits)


def _asked_by_name(question: Question, lens: str, models: Serving) -> SimilarResult:
    """Return what is said of a lens that has no column for this question."""
    if lens not in models.for_language(question.language).sets:
        raise NotFound("No model that compares questions in this way is in use.")
    return similar_questions(question=question, lens=lens, serving=models, k=SHOWN)

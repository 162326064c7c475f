"""Paraphrases over the API, and scores of texts."""

from __future__ import annotations

from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Router
from pydantic import BaseModel, Field

from questionbank.api.access import Access
from questionbank.api.contract import Body, Id
from questionbank.api.texts import QuestionText
from questionbank.formats.answer_files import BATCH, InputPair
from questionbank.review.score_files import pair_scores, scorer_by_number
from questionbank.review.selectors import pair_get

router = Router(tags=["analysis"])


class ParaphraseItem(BaseModel):
    """A question's text and another wording of it; `outcome` is empty until the reviewers have decided."""

    id: int
    question: int | None = Field(description="The question, if the text comes from the bank.")
    original: str
    paraphrase: str
    language: str
    state: str
    outcome: str
    wording: str = Field(description="The paraphrase as accepted, or else as proposed.")


class PairBody(Body):
    """A question and another wording of it."""

    original: QuestionText
    paraphrase: QuestionText


class PairsBody(Body):
    """Up to 256 pairs; results come in the same order."""

    pairs: Annotated[list[PairBody], Field(min_length=1, max_length=BATCH)]


class PairScore(BaseModel):
    """Whether a paraphrase is valid: `valid`, `invalid` or `unsure`, and what it changed."""

    score: float | None
    verdict: str | None
    probability: float | None
    findings: list[dict[str, Any]]


class PairScores(BaseModel):
    """Scores in the order of the pairs."""

    items: list[PairScore]
    notices: list[str]


@router.get("/paraphrases/{int:pair_id}", auth=Access("read"), response=ParaphraseItem)
def get_paraphrase(request: HttpRequest, pair_id: Id) -> ParaphraseItem:  # noqa: ARG001 - django-ninja passes it
    """Return a paraphrase with what the reviewers decided."""
    pair = pair_get(pair_id=pair_id)
    same = "id original paraphrase language state outcome wording".split()
    return ParaphraseItem(**{name: getattr(pair, name) for name in same}, question=pair.question_id)


@router.post("/paraphrases/score", auth=Access("read"), response=PairScores)
def score_paraphrases(request: HttpRequest, body: PairsBody) -> PairScores:  # noqa: ARG001 - django-ninja passes it
    """Score pairs of a question and another wording of it."""
    notices: set[str] = set()
    pairs = [InputPair(number, pair.original, pair.paraphrase) for number, pair in enumerate(body.pairs)]
    rows = pair_scores(pairs, scorer=scorer_by_number("default"), notices=notices)
    return PairScores(items=[PairScore.model_validate(row) for row in rows], notices=sorted(notices))

"""Duplicates over the API: near copies, a comparison side by side, and merging them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router
from ninja.responses import Status
from pydantic import BaseModel, Field

from questionbank.api.access import Access
from questionbank.api.contract import Body, Id, Page, PageQuery, page_by_id
from questionbank.bank.merge_selectors import compared_questions
from questionbank.bank.merge_services import MOST_MERGED, MergePair, questions_merge
from questionbank.bank.question_representation import QuestionItem, question_items
from questionbank.bank.question_selectors import questions_numbered
from questionbank.models import Question
from questionbank.questions.bulk_api import CHANGE, BulkChangeItem, change_shown
from questionbank.questions.merge_views import MOST_COMPARED
from questionbank.similar.near_copy_selectors import near_copy_pairs, questions_of_import

router = Router(tags=["questions"])
READ = Access("read")


class MergePairBody(Body):
    """A duplicate and the question to keep, with the versions that were compared."""

    merged: Id
    kept: Id
    merged_version: Id | None = Field(default=None, description="Refused (409) if the question has another by now.")
    kept_version: Id | None = None


class QuestionMergeBody(Body):
    """Pairs to merge; several duplicates may be merged into one question."""

    pairs: Annotated[list[MergePairBody], Field(min_length=1, max_length=MOST_MERGED)]


class CompareQuery(Body):
    """The questions to compare."""

    question: Annotated[list[Id], Field(min_length=2, max_length=MOST_COMPARED)]


class NearCopyQuery(PageQuery):
    """Whose near copies are asked for."""

    import_run: Id = Field(description="The import whose questions are compared with the bank.")


class TextPiece(BaseModel):
    """A part of a text; `differs` if the first question has something else in its place."""

    text: str
    differs: bool


class ComparedField(BaseModel):
    """A field as pages show it; `differs` if the first question has another value."""

    name: str
    value: str
    differs: bool


class ComparedItem(BaseModel):
    """A question beside others."""

    question: QuestionItem
    wording: list[TextPiece]
    fields: list[ComparedField]
    lists: int = Field(description="Number of lists that it is on.")
    worksheets: int
    sets: int = Field(description="Number of sets of responses with figures of it.")


class NearCopyItem(BaseModel):
    """A question and an earlier one that reads almost the same, as `/questions/merge` takes them."""

    merged: int
    kept: int
    merged_version: int
    kept_version: int
    score: float
    differs: list[str] = Field(description="`numbers` and `answer`, if they differ: these may be two questions.")
    refusal: str = Field(description="Why you cannot merge this pair; empty if you can.")


@router.get("/questions/compare", auth=READ, response=list[ComparedItem])
def compare_questions(request: HttpRequest, asked: Query[CompareQuery]) -> list[ComparedItem]:
    """Compare questions with the first of them."""
    questions = questions_numbered(numbers=dict.fromkeys(asked.question), user=request.user)
    items = question_items(questions)
    return [
        ComparedItem(
            question=item,
            wording=[TextPiece(text=piece.text, differs=piece.differs) for piece in each.wording],
            fields=[ComparedField(name=field.name, value=field.value, differs=field.differs) for field in each.fields],
            lists=each.lists,
            worksheets=each.worksheets,
            sets=each.sets,
        )
        for item, each in zip(items, compared_questions(questions), strict=True)
    ]


@router.get("/questions/near-copies", auth=CHANGE, response=Page[NearCopyItem])
def list_near_copies(request: HttpRequest, asked: Query[NearCopyQuery]) -> Page[NearCopyItem]:
    """List near copies of an import's questions. `limit` counts questions; each may have several copies, or none."""
    rows = questions_of_import(run_id=asked.import_run, user=request.user)

    def represent(questions: Sequence[Question]) -> list[NearCopyItem]:
        pairs, _awaited = near_copy_pairs(questions=questions, user=request.user)
        return [
            NearCopyItem(
                merged=pair.question.pk,
                kept=pair.earlier.pk,
                merged_version=pair.question.version,
                kept_version=pair.earlier.version,
                score=pair.score,
                differs=list(pair.differs),
                refusal=pair.refusal,
            )
            for pair in pairs
        ]

    return page_by_id(rows, asked, of=f"near copies {asked.import_run}", represent=represent)


@router.post("/questions/merge", auth=CHANGE, response={201: BulkChangeItem})
def merge_questions(request: HttpRequest, response: HttpResponse, body: QuestionMergeBody) -> Status:
    """Merge duplicates into the questions to keep; a job does so if there are many.

    `/changes/{change_id}/undo` undoes it.

    A question that is kept gets the concepts, the places on lists and worksheets, the paraphrases and the exclusion of
    the others. These are retired, name it in `merged_into`, and keep their responses.
    """
    pairs = [MergePair(**pair.model_dump()) for pair in body.pairs]
    change = questions_merge(user=request.user, pairs=pairs)
    response["Location"] = f"{request.path.partition('/questions/')[0]}/changes/{change.pk}"
    return Status(201, change_shown(request, change.pk))

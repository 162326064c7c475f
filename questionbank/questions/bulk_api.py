"""Changes of many questions over the API: previews, the change, its undo; near copies, and merging duplicates."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, Self

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router
from ninja.responses import Status
from pydantic import AfterValidator, BaseModel, Field, WithJsonSchema, model_validator

from questionbank.api.access import Access
from questionbank.api.contract import Body, Choice, Fields, Id, Page, PageQuery, page_by_id
from questionbank.bank.bulk_selectors import (
    BulkPlan,
    bulk_change_description,
    bulk_change_get,
    bulk_changes_of,
    bulk_plan,
)
from questionbank.bank.bulk_services import (
    MOST_MERGED,
    MergePair,
    bulk_change_request,
    bulk_change_undo_request,
    questions_merge,
)
from questionbank.bank.question_fields import QuestionItem, question_items
from questionbank.bank.question_selectors import questions_numbered
from questionbank.core.errors import Conflict, ValidationFailed
from questionbank.models import BulkChange, Question
from questionbank.questions.bulk_views import BULK_FORMS, MOST_COMPARED
from questionbank.search.api import QuestionFilters
from questionbank.search.page_parts import MOST_TICKED, Selection
from questionbank.similar.duplicate_selectors import compared_questions, near_copy_pairs, questions_of_import

router = Router(tags=["questions"])
CHANGE = Access("question_create")
_MAY_BE_EMPTY = (BulkChange.Kind.GRADE, BulkChange.Kind.SOURCE)  # named like their values


def _changes_selections(kind: BulkChange.Kind) -> BulkChange.Kind:
    if kind not in BULK_FORMS:
        raise ValueError(f"This kind of change is made elsewhere; use one of {', '.join(BULK_FORMS)}.")
    return kind


SelectionKind = Annotated[
    Choice[BulkChange.Kind],
    AfterValidator(_changes_selections),
    WithJsonSchema({"type": "string", "enum": list(BULK_FORMS)}),
]
"""A kind of change that is made to all selected questions alike."""


class BulkValues(Body):
    """What to set; each kind of change takes its own."""

    add: Id | None = Field(default=None, description="For `concepts`: the concept to add.")
    remove: Id | None = Field(default=None, description="For `concepts`: the concept to remove.")
    grade: str | None = None
    source: str | None = None
    difficulty: float | None = None
    difficulty_scale: str | None = None
    visible_to: str | None = Field(
        default=None, description="For `visibility`: `all`, `private`, or the short name of a school."
    )


class BulkChangeBody(Body):
    """A change of many questions: of those numbered, or of all that pass the filters of `/questions`."""

    kind: SelectionKind
    values: BulkValues = BulkValues()
    questions: Annotated[list[Id], Field(min_length=1, max_length=MOST_TICKED)] | None = None
    filters: QuestionFilters | None = None

    @model_validator(mode="after")
    def _chooses_once(self) -> Self:
        if (self.questions is None) == (self.filters is None):
            raise ValueError("Send either questions or filters.")
        return self

    def selection(self, request: HttpRequest) -> Selection:
        """Return the chosen questions as the search page selects them."""
        filters = (self.filters or QuestionFilters()).filters().seen_by(request.user)
        return Selection("", filters, is_all=self.questions is None, ids=tuple(self.questions or ()))

    def checked_values(self) -> dict[str, Any]:
        """Return the values, checked by the form of the page.

        Raises:
            ValidationFailed: holds the problems by field.
        """
        form = BULK_FORMS[self.kind]()
        given = self.values.model_dump(exclude_none=True)
        if unknown := given.keys() - form.fields.keys():
            raise ValidationFailed.beside(f"values.{min(unknown)}", "This kind of change does not take it.")
        if self.kind in _MAY_BE_EMPTY and self.kind not in given:
            raise ValidationFailed.beside(f"values.{self.kind.value}", "Send a text; an empty one removes it.")
        form = BULK_FORMS[self.kind]({form.add_prefix(name): value for name, value in given.items()})
        if not form.is_valid():
            problems = {f"values.{name}".removesuffix(".__all__"): list(said) for name, said in form.errors.items()}
            raise ValidationFailed.of(problems)
        return form.values()

    def plan(self, request: HttpRequest) -> BulkPlan:
        """Return what the change would do.

        Raises:
            ValidationFailed: there is no such question, or a value is wrong.
        """
        questions = self.selection(request).questions()
        # A search may find the whole bank: its numbers are not read only to find none missing.
        if self.questions and (missing := set(self.questions) - set(questions.values_list("pk", flat=True))):
            raise ValidationFailed.beside("questions", f"There is no question {min(missing)}.")
        return bulk_plan(questions=questions, kind=self.kind, values=self.checked_values(), user=request.user)


class NewBulkChangeBody(BulkChangeBody):
    """A change of many questions to make."""

    fingerprint: Annotated[str, Field(max_length=100)] = Field(
        default="", description="From a preview: the change is refused if it would change different questions."
    )


class BulkPreview(BaseModel):
    """What a change would do."""

    selected: int
    changing: int
    unchanged: int = Field(description="Questions that the change would leave as they are.")
    refused: dict[str, int] = Field(description="How many are left out, by reason.")
    fingerprint: str


class BulkChangeItem(BaseModel):
    """A change of many questions."""

    id: int
    kind: str
    description: str
    values: dict[str, Any]
    changed: int
    refused: dict[str, int] = Field(description="How many were left out, by reason.")
    kept: list[int] = Field(description="Questions that undoing left alone, because they were changed since.")
    run: int | None = Field(description="The job that makes or undoes it, if there are many questions.")
    created_at: datetime
    applied_at: datetime | None
    undone_at: datetime | None


@router.post("/changes/preview", auth=CHANGE, response=BulkPreview)
def preview_bulk_change(request: HttpRequest, body: BulkChangeBody) -> BulkPreview:
    """Say what a change of many questions would do."""
    plan = body.plan(request)
    same = "selected changing unchanged refused fingerprint".split()
    return BulkPreview(**{name: getattr(plan, name) for name in same})


@router.post("/changes", auth=CHANGE, response={201: BulkChangeItem})
def create_bulk_change(request: HttpRequest, response: HttpResponse, body: NewBulkChangeBody) -> Status:
    """Change many questions at once, in one transaction; a job does so if there are more than 2,000."""
    plan = body.plan(request)
    if body.fingerprint and body.fingerprint != plan.fingerprint:
        raise Conflict("The questions have changed since the preview. Ask for it again.")
    change = bulk_change_request(
        user=request.user,
        kind=body.kind,
        values=body.checked_values(),
        question_ids=plan.ids,
        selection=body.selection(request).filters.to_query(),
    )
    response["Location"] = f"{request.path}/{change.pk}"
    return Status(201, change_shown(request, change.pk))


@router.get("/changes", auth=CHANGE, response=Page[BulkChangeItem])
def list_bulk_changes(request: HttpRequest, asked: Query[PageQuery]) -> Page[BulkChangeItem]:
    """List the changes that you may undo, newest first."""
    return page_by_id(bulk_changes_of(user=request.user), asked, of=f"changes {request.user.pk}", represent=_changes)


@router.get("/changes/{int:change_id}", auth=CHANGE, response=BulkChangeItem)
def get_bulk_change(request: HttpRequest, change_id: Id) -> BulkChangeItem:
    """Return a change of many questions."""
    return change_shown(request, change_id)


@router.post("/changes/{int:change_id}/undo", auth=CHANGE, response=BulkChangeItem)
def undo_bulk_change(request: HttpRequest, change_id: Id) -> BulkChangeItem:
    """Undo a whole change, except for questions that were changed since."""
    change = bulk_change_get(change_id=change_id, user=request.user)
    bulk_change_undo_request(user=request.user, change=change)
    return change_shown(request, change_id)


def change_shown(request: HttpRequest, change_id: int) -> BulkChangeItem:
    """Return a change that the caller may undo."""
    return _changes([bulk_change_get(change_id=change_id, user=request.user)])[0]


def _changes(changes: Sequence[BulkChange]) -> list[BulkChangeItem]:
    same = "kind values changed refused kept created_at applied_at undone_at".split()
    return [
        BulkChangeItem(
            id=change.pk,
            description=bulk_change_description(change.kind, change.values),
            run=change.run_id,
            **{name: getattr(change, name) for name in same},
        )
        for change in changes
    ]


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


class CompareQuery(Fields):
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

    A question that is kept gets the others' concepts, places on lists and worksheets, paraphrases and exclusion from
    language models. The others are retired, name it in `merged_into`, and keep their responses.
    """
    pairs = [MergePair(**pair.model_dump()) for pair in body.pairs]
    change = questions_merge(user=request.user, pairs=pairs)
    response["Location"] = f"{request.path.partition('/questions/')[0]}/changes/{change.pk}"
    return Status(201, change_shown(request, change.pk))

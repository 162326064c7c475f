"""What the bank knows about a question of a test paper, for its page and for programs."""

from __future__ import annotations

from analytics.analysed_text import record_text
from analytics.question_content import as_json
from questionbank.bank.concept_selectors import hierarchy_choice
from questionbank.core.errors import NotFound, ServiceUnavailable
from questionbank.models import DocumentDraft, User
from questionbank.papers.selectors import FoundItem, document_review
from questionbank.similar.insight import AskedText, TextOutlook, text_outlook


def paper_item_get(*, draft: DocumentDraft, key: str) -> FoundItem:
    """Return a question of a paper that is ready to review.

    Raises:
        NotFound: the paper has no such question, or is not ready.
    """
    item = document_review(draft).item(key) if draft.state == DocumentDraft.State.READY else None
    if item is None:
        raise NotFound("This question is no longer there: the paper was changed in another window.")
    return item


def paper_item_outlook(*, item: FoundItem, user: User) -> TextOutlook | None:
    """Return predictions and near copies of a paper's question; None if there are no vectors yet."""
    record = item.record
    asked = AskedText(
        question=record_text(record),
        text=record.text,
        language=record.language,
        options=as_json(record.options),
        content=record.content,
        answer=record.answer,
    )
    try:
        return text_outlook(asked, hierarchy=hierarchy_choice(user=user).name, user=user)
    except ServiceUnavailable:
        return None

"""What each kind of question shows besides text and options; `question` is a model instance or a preview's dict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from django import template

from analytics.question_content import (
    EMPTY,
    PRINTED,
    AcceptedAnswer,
    Blank,
    Feedback,
    QuestionContent,
    QuestionPart,
    Section,
    Stimulus,
    content_of,
    total_points,
)
from analytics.question_content import own_text as text_alone
from questionbank.bank.answer_content_forms import percent, tolerance_shown
from questionbank.formats.kinds import COMPUTED, derived_answer, lettered_choices, part_label
from questionbank.rendering.texts import drawn_names
from questionbank.rendering.titles import opening_text
from questionbank.worksheets.question_variants import Labelled, in_other_order

register = template.Library()

MOST_NAMES = 8


def _get(question: Any, name: str) -> Any:
    return question.get(name) if isinstance(question, Mapping) else getattr(question, name, None)


@register.filter
def content(question: Any) -> QuestionContent:
    """Return the content of a question."""
    found = _get(question, "content") or {}
    if isinstance(found, QuestionContent):
        return found
    with suppress(ValueError):
        return content_of(found)
    return EMPTY


@register.filter
def points(question: Any) -> float | None:
    """Return the points for a right answer to a question or a part."""
    return total_points(question.content if isinstance(question, QuestionPart) else content(question))


@register.filter
def section(question: Any) -> Section | None:
    """Return a question's section in its source, if any."""
    found = content(question).section
    return found if found != Section() else None


@register.filter
def own_text(question: Any) -> str:
    """Return the text of a question without the text it shares with others."""
    text: str = _get(question, "text") or ""
    # Most questions share no text, and a page of results need not load the rest of their content.
    return text_alone(text, content(question)) if "stimulus" in (_get(question, "content") or {}) else text


@register.filter
def opening(question: Any) -> str:
    """Return a question's text for a title or link: its own text, then its parts with their letters."""
    text: str = _get(question, "text") or ""
    has_more = {"stimulus", "parts"} & (_get(question, "content") or {}).keys()
    return opening_text(text, content(question)) if has_more else text


@register.filter
def shared_text(question: Any) -> Stimulus | None:
    """Return the text a question shares with others, if its text begins with it."""
    return content(question).stimulus if own_text(question) != (_get(question, "text") or "") else None


@register.filter
def computed_answer(question: Any) -> str:
    """Return the answer of a template as computed by its source, or an empty string."""
    return content(question).settings.get(COMPUTED, "")


@register.filter
def printed_picture(question: Any) -> str:
    """Return the SHA-256 of the picture of a question as printed on its paper, or an empty string."""
    if "settings" not in (_get(question, "content") or {}):
        return ""
    known = content(question)
    name = known.settings.get(PRINTED, "")
    return next((picture.sha256 for picture in known.pictures if name and picture.name == name), "")


@register.filter
def tells_answer(question: Any) -> bool:
    """Return whether a question's content reveals anything about its answer or grading."""
    known = content(question)
    is_graded = known.accepted or known.blanks or known.hints or known.feedback != Feedback()
    return bool(is_graded or computed_answer(question))


@register.filter
def drawn_values(question: Any) -> str:
    """Return the names of the values drawn by a template's source, formatted as a list in a sentence."""
    options = (option["text"] for option in _get(question, "options") or ())
    texts = [_get(question, "text") or "", *options, _get(question, "solution") or "", *content(question).hints]
    names = drawn_names(texts)
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join(names[:MOST_NAMES]) + more


@register.filter
def right_answers(blank: Blank) -> list[tuple[str, float]]:
    """Return the accepted answers of a gap, each with its share of the points."""
    found = [(answer.text, answer.weight) for answer in blank.accepted]
    weighted = [(option.text, option.weight or 0) for option in blank.options]
    return [(text, share) for text, share in found if share > 0] + [(text, 1) for text, share in weighted if share > 0]


@register.filter
def options_shown(question: Any) -> Sequence[Any]:
    """Return the options of a question or part as students see them: ordering items are not in their right order."""
    options = list(_get(question, "options") or ())
    if _get(question, "kind") != "ordering":
        return options
    return [{"label": label, "text": text} for label, text in _items_shown(options)[0]]


def _items_shown(options: Sequence[Any]) -> tuple[Labelled, str]:
    return in_other_order(tuple((_get(option, "label"), _get(option, "text")) for option in options), None)


@register.filter
def answer_shown(question: Any) -> str:
    """Return the answer of a question with the letters displayed for its items and choices."""
    answer: str = _get(question, "answer") or ""
    kind, options = _get(question, "kind"), _get(question, "options") or ()
    if kind == "ordering" and options:
        return _items_shown(options)[1]
    if kind in ("matching", "parts"):
        return derived_answer(kind=kind, options=(), answer=answer, content=_with_items_shown(content(question)))
    return answer


def _with_items_shown(shown: QuestionContent) -> QuestionContent:
    """Return the content with its parts' answers in the letters displayed for their items."""
    parts = (
        replace(part, answer=_items_shown(part.options)[1]) if part.kind == "ordering" and part.options else part
        for part in shown.parts
    )
    return replace(shown, parts=tuple(parts))


@register.filter
def lefts(shown: QuestionContent) -> list[str]:
    """Return the left sides of a matching question."""
    return [pair.left for pair in shown.pairs if pair.left]


@register.filter
def choices(shown: QuestionContent) -> list[tuple[str, str]]:
    """Return the letters and the right sides of a matching question."""
    return [(letter, choice) for choice, letter in lettered_choices(shown.pairs)]


@register.filter
def drop_downs(shown: QuestionContent) -> list[tuple[int, list[str]]]:
    """Return the number and choices of each gap that is a drop-down."""
    gaps = enumerate(shown.blanks, start=1)
    return [(number, [option.text for option in blank.options]) for number, blank in gaps if blank.options]


@register.filter
def lettered(parts: Any) -> list[tuple[str, Any]]:
    """Return parts with their letters."""
    return [(part_label(place), part) for place, part in enumerate(parts)]


@register.filter
def weight(value: float | None) -> str:
    """Format a weight in per cent."""
    return percent(None if value == "" else value)  # an option that only has feedback


@register.filter
def tolerance(answer: AcceptedAnswer) -> str:
    """Format the tolerance of a numeric answer."""
    return tolerance_shown(answer)

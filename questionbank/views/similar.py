"""The similar questions of a question or a pasted text: a list a lens, or one where both lenses agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from questionbank.errors import NotFound
from questionbank.models import Lens
from questionbank.selectors.kinship import EASIER, HARDER, Kin, kin_of
from questionbank.selectors.questions import question_get
from questionbank.selectors.serving import Serving, serving
from questionbank.selectors.similarity import (
    LOOKS_ALIKE,
    SAME_IDEA,
    SimilarHit,
    SimilarResult,
    similar_by_lens,
)
from questionbank.views.access import render_page, requires

__all__ = [
    "KINSHIPS",
    "LensColumn",
    "kinds_shown",
    "lens_columns",
    "lens_columns_of_text",
    "question_similar",
]

SHOWN = 5
NEARLY_THE_SAME = 4  # questions of the first five that both lenses must have, so that one list is shown
BOTH = "both"


@dataclass(frozen=True, slots=True)
class LensColumn:
    """The similar questions under a lens, or under both.

    Attributes:
        notice: why there are none, or none of the usual kind.
        cosines_shown: the score of each lens stands beside every question.
    """

    lens: str
    name: str
    explanation: str
    hits: tuple[SimilarHit, ...]
    notice: str
    cosines_shown: bool = False


@dataclass(frozen=True, slots=True)
class Kinship:
    """A kind of similar questions: the last part of an address, and what the page says about it.

    Attributes:
        kind: of `Kin.kinds`; empty: every question that `lens` finds.
    """

    lens: str
    kind: str
    name: Promise
    explanation: Promise


KINSHIPS: dict[str, Kinship] = {  # last part of the address -> what it shows; a literal table
    "purpose": Kinship(
        Lens.PURPOSE, "", gettext_lazy("Same purpose"), gettext_lazy("Questions that ask for the same thing.")
    ),
    "wording": Kinship(
        Lens.WORDING, "", gettext_lazy("Same wording"), gettext_lazy("Questions that read alike.")
    ),
    "same-idea": Kinship(
        Lens.PURPOSE,
        SAME_IDEA,
        gettext_lazy("Same idea, new numbers"),
        gettext_lazy("Questions that ask for the same thing with other numbers: for practice and retakes."),
    ),
    "solved-differently": Kinship(
        Lens.WORDING,
        LOOKS_ALIKE,
        gettext_lazy("Looks alike, solved differently"),
        gettext_lazy("Questions that read alike but need another idea: for teaching the difference."),
    ),
    "easier": Kinship(
        Lens.PURPOSE,
        EASIER,
        gettext_lazy("Easier like this"),
        gettext_lazy("Similar questions that are easier: by students' responses, else as their source says."),
    ),
    "harder": Kinship(
        Lens.PURPOSE,
        HARDER,
        gettext_lazy("Harder like this"),
        gettext_lazy("Similar questions that are harder: by students' responses, else as their source says."),
    ),
}

EXPLANATIONS: dict[str, Promise] = {
    Lens.PURPOSE: gettext_lazy("Asks for the same thing, whatever the words and numbers."),
    Lens.WORDING: gettext_lazy("Reads alike, whether or not it is solved alike."),
    BOTH: gettext_lazy("Purpose and wording find nearly the same questions."),
}


@requires("read")
@require_safe
def question_similar(request: HttpRequest, question_id: int, kinship: str) -> HttpResponse:
    """More of the similar questions, of one kind."""
    if kinship not in KINSHIPS:
        raise NotFound(_("There is no such list of similar questions."))
    wanted = KINSHIPS[kinship]
    question = question_get(question_id=question_id, user=request.user)
    kin = kin_of(question=question, serving=serving())
    result = kin.results[wanted.lens]
    context = {
        "question": question,
        "kinship": wanted,
        "kinships": kinds_shown(kin) | {kinship: wanted},
        "chosen": kinship,
        "column": _column(wanted.lens, result, result.hits),
        "hits": kin.kinds.get(wanted.kind, []) if wanted.kind else result.hits,
    }
    return render_page(request, "questions/similar.html", "questions/_similar.html", context)


def kinds_shown(kin: Kin) -> dict[str, Kinship]:
    """Rows of `KINSHIPS` that hold at least one question, in the order of the table."""
    return {
        slug: row
        for slug, row in KINSHIPS.items()
        if (kin.kinds.get(row.kind) if row.kind else kin.results[row.lens].hits)
    }


def lens_columns(kin: Kin) -> list[LensColumn]:
    """The first similar questions of a stored question."""
    return _columns(kin.results)


def lens_columns_of_text(text: str, serving: Serving, language: str = "") -> list[LensColumn]:
    """The first similar questions of a text that is not in the bank."""
    results = similar_by_lens(asked=text, serving=serving, language=language, k=SHOWN)
    return _columns({result.lens: result for result in results})


def _columns(results: Mapping[str, SimilarResult]) -> list[LensColumn]:
    """A column a lens; one, where both have nearly the same first questions or only wording can be compared."""
    purpose, wording = results[Lens.PURPOSE], results[Lens.WORDING]
    first, second = purpose.hits[:SHOWN], wording.hits[:SHOWN]
    shared = {hit.question.pk for hit in first} & {hit.question.pk for hit in second}
    only_wording = bool(purpose.notice and purpose.hits)
    if only_wording or (first and len(shared) >= min(NEARLY_THE_SAME, len(first), len(second))):
        return [_column(BOTH, purpose, first)]
    return [_column(lens, result, result.hits[:SHOWN]) for lens, result in results.items()]


def _column(lens: str, result: SimilarResult, hits: Sequence[SimilarHit]) -> LensColumn:
    is_both = lens == BOTH and not result.notice
    return LensColumn(
        lens=lens,
        name=str(Lens(lens).label) if lens in Lens.values else _("Most similar"),
        explanation=str(EXPLANATIONS[lens]) if lens != BOTH or is_both else "",
        hits=tuple(hits),
        notice=result.notice,
        cosines_shown=is_both,
    )

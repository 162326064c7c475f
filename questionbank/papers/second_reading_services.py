"""Have the school's language model read a test paper as well, in a job: its reading is added to the review.

The model points to lines by number (`analytics.language_model.papers`); all texts come from the document. The
document also says which options are right, by the same marks as in the rules' reading.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from django.conf import settings

from analytics.language_model.papers import PaperLine, read_paper
from questionbank.jobs import run_services as runs
from questionbank.jobs.progress import JobReporter
from questionbank.models import DocumentDraft, LanguageModelUse, Run
from questionbank.papers.marks import read_mark
from questionbank.papers.numbering import right_options
from questionbank.papers.paper_lines import POINTED, Line, Role, lines_from_json
from questionbank.papers.question_assembly import Reading, coherence, gathered, read_lines
from questionbank.registry.language_model_selectors import language_model_use
from questionbank.registry.language_model_services import language_model_for

_OF_A_PERSON = re.compile(
    r"\W*(?:(?:full |first |last |sur|family |pupil(?:['’]s)? |student(?:['’]s)? |candidate(?:['’]s)? )?name|student"
    r"|pupil|candidate|schüler(?:in)?|vorname|nachname|nom|prénom|nombre|apellidos?|alumn[oa]|nome|cognome|aluno|naam"
    r"|imię|姓名|学号|座号|考号)"
    r"(?:\s+(?:of|and|de|del|des|der|et|y|e|und|en|the|&)\s+\w+){0,2}\s*[:：_.…].*",
    re.IGNORECASE | re.DOTALL,
)
_NAME_FIELD = "(name field)"  # sent instead of a line in which a pupil may have written a name


def shown_lines(lines: Sequence[Line]) -> list[PaperLine]:
    """Return a paper's lines as a language model may see them, without the names of pupils."""
    return [
        PaperLine(
            _NAME_FIELD if _OF_A_PERSON.fullmatch(line.text) else line.text,
            line.number,
            line.area[0] if line.area else 0,
        )
        for line in lines
    ]


def pointed_reading(lines: Sequence[Line], said: Sequence[str]) -> Reading:
    """Return the reading of a paper in which each line has the role that a model gave it.

    Raises:
        ValueError: the numbers of lines and roles differ.
    """
    roles = [Role(role) for role in said]
    marks = [read_mark(line.number) for line in lines]
    for question, options in _options(roles):
        for place in right_options(lines, marks, question, options):
            roles[place] = Role.RIGHT_OPTION
    return Reading(roles, [POINTED] * len(roles), coherence(lines, roles, gathered(lines, roles)))


def empty_question(lines: Sequence[Line], roles: Sequence[Role]) -> str:
    """Return which question of a reading has no text, as the beginning of a sentence; empty if all have."""
    found = gathered(lines, roles).questions
    places = (place for place, one in enumerate(found, 1) if any(doubt.code == "no_text" for doubt in one.doubts))
    place = next(places, 0)
    return f"question {place} has no text" if place else ""


def _options(roles: Sequence[Role]) -> list[tuple[int, list[int]]]:
    """Return the options of each question or part, with its line."""
    found: list[tuple[int, list[int]]] = []
    owner = -1
    for place, role in enumerate(roles):
        if role in (Role.QUESTION, Role.PART):
            owner = place
        elif role is Role.OPTION and owner >= 0:
            if not found or found[-1][0] != owner:
                found.append((owner, []))
            found[-1][1].append(place)
    return found


READER = "language model"  # in the parameters of the job


def second_reading_request(*, draft: DocumentDraft) -> Run | None:
    """Queue the job for a paper that was read, and store it with the paper.

    None if the use is not switched on, or the owner does not want the paper to be sent.
    """
    use = language_model_use(LanguageModelUse.Use.PAPERS)
    if use is None or not use.is_on or not draft.may_be_sent or draft.state != DocumentDraft.State.READY:
        return None
    draft.model_run = runs.run_create(
        kind=Run.Kind.READ,
        title=f"Read a test paper with {use.name}"[:200],
        parameters={"draft": draft.pk, "reader": READER},
        queue="light",
        requested_by=draft.owner,
    )
    draft.save(update_fields=["model_run"])
    return draft.model_run


def run_second_reading(run: Run, reporter: JobReporter) -> dict[str, Any]:
    """Run the job of `second_reading_request`; return what was read, for the run's result.

    A reading that cannot be used does not fail the job: the review says why.

    Raises:
        LanguageModelError: the model cannot be reached or rejects the request.
    """
    draft = DocumentDraft.objects.filter(pk=run.parameters["draft"], state=DocumentDraft.State.READY).first()
    model = language_model_for(LanguageModelUse.Use.PAPERS)
    if draft is None or model is None:  # deleted, imported or switched off meanwhile
        return {}
    reporter.progress(0, 0, f"{model.name} reads the test paper")
    lines = lines_from_json(draft.lines)
    reading = read_paper(model, shown_lines(lines), window=settings.LANGUAGE_MODEL_WINDOW)
    found: dict[str, Any] = {"model": model.name, "host": model.host, "pieces": reading.pieces}
    if reading.roles is None:
        found["reason"] = reading.reason
    else:
        pointed = pointed_reading(lines, reading.roles)
        if empty := empty_question(lines, pointed.roles):
            found["reason"] = f"The reading of {model.name} cannot be used: {empty}."
        else:
            gain = pointed.coherence - read_lines(lines).coherence
            found |= {"roles": pointed.roles, "is_likelier": gain > _margin()}
    DocumentDraft.objects.filter(pk=draft.pk).update(model_reading=found)
    return {"lines": len(lines), "pieces": reading.pieces, "reason": found.get("reason", "")}


def _margin() -> float:
    """Return how much more coherent the model's reading must be to be the likelier one, as fitted by its exam."""
    use = language_model_use(LanguageModelUse.Use.PAPERS)
    return float(use.weights.get("margin", 0.0)) if use is not None else 0.0

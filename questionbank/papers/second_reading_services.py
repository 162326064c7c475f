"""Have the school's language model read a test paper as well, in a job: its reading is added to the review."""

from __future__ import annotations

from typing import Any

from django.conf import settings

from analytics.language_model.papers import read_paper
from questionbank.jobs import run_services as runs
from questionbank.jobs.progress import JobReporter
from questionbank.models import DocumentDraft, LanguageModelUse, Run
from questionbank.papers.paper_lines import lines_from_json
from questionbank.papers.pointed_readings import empty_question, pointed_reading, shown_lines
from questionbank.papers.question_assembly import read_lines
from questionbank.registry.language_model_use_selectors import language_model_use
from questionbank.registry.language_model_use_services import language_model_for

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

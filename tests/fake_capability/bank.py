"""The fake capability in the bank: its form, report, gate, page, job, texts and templates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path

from questionbank.core.capability_contract import (
    BankCapability,
    FixedSuite,
    Headline,
    JobKind,
    KinshipRow,
    LensTexts,
    Training,
)
from questionbank.core.capability_figures import Figures
from questionbank.core.capability_report import CachedReport, Report
from questionbank.core.views import page_for
from questionbank.models import ModelComparison, Question, Run


class GaugeFigures(Figures):
    """``longest``: the id of the longest question."""

    longest: int


def count_questions(_hierarchies: Sequence[str] | None) -> Report:
    """Count what a gauge would learn from."""
    return Report(introduction=f"{Question.objects.filter(status='ready').count()} questions to gauge.")


gauge_report = CachedReport("gauge", count_questions, lambda _scope: Question.objects.count())


@page_for("read")
def gauge_page(request: HttpRequest) -> HttpResponse:
    """Show the last measurement."""
    run = Run.objects.filter(kind="measure", state=Run.State.SUCCEEDED).first()
    return HttpResponse(f"The longest question has {run.result['letters']} letters." if run else "Not measured.")


class GaugeInBank(BankCapability, Training, FixedSuite):
    """Trains, compares and shows gauges."""

    templates = "fake"
    job_title = "Train the gauge"
    groups = {"How long": "steps rate"}
    no_figures = "No length could be measured."
    too_few = "There are too few questions to measure lengths on."
    queue = "light"
    promotion_note = "Every length is estimated anew."
    roll_back_note = "Lengths are estimated as before."
    headline = Headline(("error",), "letters wrong on average")
    facts = ("questions",)
    lens = LensTexts(
        name="Length",
        explanation="Is about as long.",
        kinships=(KinshipRow("length", "length", "", "Same length", "Questions that are as long."),),
    )
    jobs = (JobKind("measure", "Measure lengths", alone=(), template="fake/measured.html"),)
    report = gauge_report

    def pages(self) -> Sequence[URLPattern]:
        """Return the addresses of its pages."""
        return [path("lengths/", gauge_page, name="lengths")]

    def shown(self, comparison: ModelComparison) -> dict[str, Any]:
        """Return what the comparison's page shows besides the figures."""
        return {"longest": Question.objects.filter(pk=comparison.figures["longest"]).first()}

    def after_promotion(self, *, user: Any) -> str:
        """Say what follows; nothing does."""
        return "Lengths are measured anew."

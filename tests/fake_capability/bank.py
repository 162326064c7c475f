"""The fake capability in the bank: its form, report, gate, texts and templates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _

from questionbank.capabilities.rows import (
    BankCapability,
    FixedSuite,
    FormGroup,
    Headline,
    KinshipRow,
    LensTexts,
    Training,
)
from questionbank.models import ModelComparison, Question, Run
from questionbank.selectors.models.data_report import KeptReport
from questionbank.services.training import training_request


@dataclass(frozen=True)
class GaugeReport:
    """What a gauge would learn from."""

    questions: int


gauge_report: KeptReport[GaugeReport] = KeptReport(
    "gauge", lambda _hierarchies: GaugeReport(Question.objects.filter(status="ready").count())
)


def gauge_request(*, settings: Any = None, hierarchies: Sequence[str] | None = None, **options: Any) -> Run:
    """Ask for a gauge to be trained."""
    return training_request(
        capability="gauge", title="Train the gauge", settings=settings, hierarchies=hierarchies, **options
    )


def gauge_shown(comparison: ModelComparison) -> dict[str, Any]:
    """What the comparison's page shows besides the figures."""
    return {"longest": Question.objects.filter(pk=comparison.figures["longest"]).first()}


def after_promotion(*, user: Any) -> str:
    """Say what follows; nothing does."""
    return "Lengths are measured anew."


ROW = BankCapability(
    templates="fake",
    training=Training(
        request="tests.fake_capability.bank:gauge_request",
        report="tests.fake_capability.bank:gauge_report",
        groups=(FormGroup(_("How long"), ("steps", "rate"), is_open=True),),
    ),
    suite=FixedSuite(
        no_figures=_("No length could be measured."),
        too_few=_("There are too few questions to measure lengths on."),
        queue="light",
        shown="tests.fake_capability.bank:gauge_shown",
    ),
    promotion_note=_("Every length is estimated anew."),
    roll_back_note=_("Lengths are estimated as before."),
    after_promotion="tests.fake_capability.bank:after_promotion",
    headline=Headline(("error",), _("letters wrong on average")),
    facts=("questions",),
    lens=LensTexts(
        name=_("Length"),
        explanation=_("Is about as long."),
        kinships=(KinshipRow("length", "length", "", _("Same length"), _("Questions that are as long.")),),
    ),
)

"""Concept and difficulty probes in the bank: one model a hierarchy, on the vectors in use."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from questionbank.capabilities.rows import BankCapability, FixedSuite, Headline, Training

ROW = BankCapability(
    templates="models/probes",
    training=Training(
        request="questionbank.services.training:probes_training_request",
        report="questionbank.selectors.models.probes_report:probes_data_report",
        then=_(
            "A job trains a candidate and compares it with the model in use. The candidate replaces that model if it"
            " is not worse."
        ),
        alone=("hierarchy",),
        scope="hierarchy",
        promotes_itself=True,
    ),
    suite=FixedSuite(
        no_figures=_("No figure could be measured: no hierarchy has enough tagged questions."),
        too_few=_("Nothing could be measured: too few of the bank’s held-out questions are tagged."),
        queue="light",
        problems="questionbank.selectors.models.comparisons:probes_comparison_problems",
        shown="questionbank.selectors.models.comparisons:probes_comparison_shown",
    ),
    roll_back_note=_("Predictions in this hierarchy change; tags and other hierarchies stay as they are."),
    serving_problem="questionbank.selectors.models.models:probes_serving_problem",
    headline=Headline(
        ("concepts", "path_accuracy"),
        _("correct on its held-out questions"),
        compared="path_accuracy",
        compared_text=_("correct on the bank’s held-out questions"),
    ),
    facts=("questions", "questions_held_out", "hierarchy", "encoder"),
)

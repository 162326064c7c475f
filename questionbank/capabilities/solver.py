"""The solver in the bank: it finds the equation of a word problem."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _

from analytics.configuration import config_from_strings
from analytics.solver.config import SolverConfig
from questionbank.capabilities.rows import (
    BankCapability,
    FixedSuite,
    FormGroup,
    Headline,
    QuickTraining,
    Training,
    TrainingOption,
)
from questionbank.wording import language_name

# Seconds on two cores that a problem takes in a step, without contrast (docs/decisions/0055-training-on-a-cpu.md).
_PROBLEM = 0.04


def first_seconds(report: Any, settings: Mapping[str, str], parameters: Mapping[str, Any]) -> float | None:
    """Return how long a training takes on two cores; None with contrast, whose triples nobody has counted yet."""
    config = config_from_strings(SolverConfig, settings)
    name = language_name(parameters.get("language", "en"))
    learned = sum(row.learned for row in report.languages if row.language == name)
    if config.contrast != "none":
        return None
    seen = learned * config.epochs
    return _PROBLEM * (min(seen, config.max_steps * config.batch_size) if config.max_steps else seen)


SOLVER_LANGUAGES = {"en": _("English"), "zh": _("Chinese")}

ROW = BankCapability(
    templates="models/solver",
    training=Training(
        request="questionbank.services.training:solver_request",
        report="questionbank.selectors.models.solver_report:solver_data_report",
        scope="language",
        groups=(
            FormGroup(
                _("What is learned"), ("backbone", "contrast", "adapter_rank", "freeze_encoder"), is_open=True
            ),
            FormGroup(_("How long"), ("epochs", "max_steps", "batch_size"), is_open=True),
            FormGroup(
                _("Contrast"),
                (
                    "margin", "contrast_weight", "contrast_epochs", "contrast_steps", "ramp_begins", "ramp_ends",
                    "pairs_per_problem", "positives", "negatives", "temperature", "textual_weight", "pool",
                    "equation_strategy", "text_strategy",
                ),
            ),
            FormGroup(
                _("Problems and equations"),
                ("augment", "mask_numbers", "fold", "max_tokens", "most_tokens", "least_uses", "beam"),
            ),
            FormGroup(
                _("Optimiser"),
                ("learning_rate", "decoder_learning_rate", "weight_decay", "schedule", "warmup_share", "dropout"),
            ),
        ),
        first_time=_("On two cores, about 1 to 1.5 seconds a step of 32 problems."),
        first_seconds="questionbank.capabilities.solver:first_seconds",
        options=(
            TrainingOption(
                name="language",
                flag="--language",
                flag_help="solver: language of the problems that it learns from and solves",
                title=_("Language"),
                choices=SOLVER_LANGUAGES,
                help_text=_(
                    "The language of the problems to learn from and to solve. For Chinese, multilingual-e5-small"
                    " replaces the default encoder."
                ),
            ),
        ),
        quick=QuickTraining(
            settings={
                "backbone": "in use", "epochs": 5, "batch_size": 32, "learning_rate": 2e-5,
                "decoder_learning_rate": 2e-4,
            },
            sentence=_("The form is set to fine-tune the solver in use on the equations of this bank."),
            is_default=True,
            help_texts={
                "backbone": _(
                    "Package name, local folder or hub id of the encoder to start from; “in use”: the solver in"
                    " use now, with its decoder; “model 12”: the solver with this number"
                )
            },
        ),
    ),
    suite=FixedSuite(
        no_figures=_("No figure could be measured: too few held-out word problems have a known answer."),
        too_few=_("Nothing could be measured: too few of the held-out word problems have a known answer."),
        queue="light",
        shown="questionbank.selectors.models.comparisons:solver_comparison_shown",
    ),
    promotion_note=_("A job then solves the bank’s word problems in its language again."),
    roll_back_note=_("A job then solves the bank’s word problems in its language again."),
    after_promotion="questionbank.services.solutions:solve_after_promotion",
    headline=Headline(
        ("validation", "validation_answer_accuracy"),
        compared="answer_accuracy",
        compared_text=_("correct on the bank’s held-out questions"),
    ),
    facts=("problems", "device"),
)  # fmt: skip

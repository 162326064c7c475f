"""The question encoder in the bank: its vectors are the lens “purpose”."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from analytics.configuration import config_from_strings
from analytics.encoder.config import EncoderConfig
from analytics.errors import ConfigurationError
from questionbank.capabilities.rows import (
    BankCapability,
    FixedSuite,
    FormGroup,
    KinshipRow,
    LensTexts,
    QuickTraining,
    Training,
)

# Seconds on two cores: of a step of a last layer, of a question that is encoded for it (decision 30), and of one that
# is learned from (docs/results.md).
_LAYER_STEP, _ENCODED, _QUESTION = 0.6, 0.0175, 0.043


def first_seconds(report: Any, settings: Mapping[str, str], parameters: Mapping[str, Any]) -> float | None:
    """Return how long a training takes on two cores."""
    config = config_from_strings(EncoderConfig, settings)
    layer = _LAYER_STEP * config.metric_steps + _ENCODED * report.questions if config.metric_steps else 0.0
    if config.objective == "last-layer":
        return layer
    seen = report.questions * config.epochs
    if config.max_steps:
        seen = min(seen, config.max_steps * config.batch_size)
    return layer + _QUESTION * seen


def queue_note(settings: Mapping[str, str]) -> str:
    """Say why the loss of a contrastive training rises at first; `settings` as `config_from_strings` reads them."""
    try:
        config = config_from_strings(EncoderConfig, settings)
    except ConfigurationError:  # of another version
        return ""
    if config.objective != "contrast":
        return ""
    steps = -(-config.queue_size // config.batch_size)
    return gettext(
        "The loss rises while the memory queue fills, in the first %(steps)s steps at most: each question is told apart"
        " from more and more others, which is harder. Judge the training by what comes after."
    ) % {"steps": f"{steps:,}"}


ROW = BankCapability(
    templates="models/encoder",
    training=Training(
        request="questionbank.services.training:encoder_request",
        report="questionbank.selectors.models.data_report:encoder_data_report",
        groups=(
            FormGroup(
                _("What is learned"),
                (
                    "backbone", "objective", "ranking", "levels", "root_mapping", "concept_weight",
                    "difficulty_weight", "metric_steps", "adapter_rank",
                ),
                is_open=True,
            ),
            FormGroup(
                _("How long"), ("epochs", "max_steps", "batch_size", "accumulate", "patience"), is_open=True
            ),
            FormGroup(
                _("Changed copies of a question"),
                (
                    "augment_words", "augment_formulas", "augment_structure", "augmentation_probability",
                    "solution_view",
                ),
            ),
            FormGroup(
                _("Contrast"), ("temperatures", "one_temperature", "projection", "queue_size", "momentum")
            ),
            FormGroup(
                _("Optimiser"), ("learning_rate", "weight_decay", "warmup_share", "freeze_embeddings")
            ),
        ),
        quick=QuickTraining(  # a minute or two without a GPU: decision 30
            settings={"backbone": "in use", "objective": "last-layer", "metric_steps": 30},
            sentence=_(
                "The form is set to quick training: a last layer on top of the encoder in use, in minutes on any"
                " machine."
            ),
            help_texts={
                "backbone": _(
                    "Package name, local folder or hub id of the encoder to start from; “in use”: the encoder in"
                    " use now; “model 12”: the encoder with this number"
                )
            },
        ),
        settings_like="questionbank.services.training:encoder_settings_like",
        first_time=_(
            "On two cores, a last layer takes a minute or two, and a pre-training about 0.7 seconds a step of 16"
            " questions."
        ),
        first_seconds="questionbank.capabilities.encoder:first_seconds",
        loss_note="questionbank.capabilities.encoder:queue_note",
    ),
    suite=FixedSuite(
        no_figures=_("No figure could be measured: no hierarchy has enough tagged questions."),
        too_few=_(
            "Nothing could be measured: too few of the bank’s held-out questions are tagged."
        ),
        shown="questionbank.selectors.models.comparisons:encoder_comparison_shown",
    ),
    roll_back_note=_(
        "It is used with the vectors and probes it had before. A job computes the vectors of questions that have"
        " changed since."
    ),
    facts=("questions", "hierarchy", "hierarchies", "device"),
    lens=LensTexts(
        name=_("Purpose"),
        explanation=_("Asks for the same thing, whatever the words and numbers."),
        kinships=(
            KinshipRow(
                "purpose", "purpose", "", _("Same purpose"), _("Questions that ask for the same thing.")
            ),
            KinshipRow(
                "same-idea",
                "purpose",
                "same-idea-new-numbers",
                _("Same idea, new numbers"),
                _("Questions that ask for the same thing with other numbers: for practice and retakes."),
                place=1,
            ),
            KinshipRow(
                "easier",
                "purpose",
                "easier",
                _("Easier like this"),
                _("Similar questions that are easier, by students' responses or else by the published difficulty."),
                place=3,
            ),
            KinshipRow(
                "harder",
                "purpose",
                "harder",
                _("Harder like this"),
                _("Similar questions that are harder, by students' responses or else by the published difficulty."),
                place=4,
            ),
        ),
    ),
)  # fmt: skip

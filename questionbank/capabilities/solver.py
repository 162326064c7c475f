"""The solver in the bank, which finds the equation of a word problem."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.urls import URLPattern, URLResolver, path

from analytics.backbone.sources import DEFAULT_BACKBONE, MULTILINGUAL_BACKBONE
from analytics.configuration import config_from_strings
from analytics.solver.config import SolverConfig
from questionbank.core.capability_contract import (
    QUESTION,
    BankCapability,
    FixedSuite,
    Headline,
    JobKind,
    QuickTraining,
    Training,
    TrainingOption,
    backbone_help,
)
from questionbank.core.capability_figures import SolverFigures
from questionbank.core.capability_report import Report
from questionbank.core.wording import language_name
from questionbank.models import ModelComparison, Question, User
from questionbank.solving.services import solve_after_promotion
from questionbank.training.solver import SOLVER_LANGUAGES, solver_report
from questionbank.training.start import pinned_start

# Seconds per problem and step on two cores, without contrast (docs/decisions/0055-training-on-a-cpu.md).
_PROBLEM = 0.04
_LANGUAGE_BACKBONES = {"zh": MULTILINGUAL_BACKBONE}


class SolverInBank(BankCapability, Training, FixedSuite):
    """Trains, compares and shows solvers of word problems."""

    templates = "registry/models/solver"
    job_title = "Train the solver"

    scope = "language"
    groups = {
        "What is learned": "backbone contrast adapter_rank freeze_encoder",
        "How long": "epochs max_steps batch_size",
        "Contrast": (
            "margin contrast_weight contrast_epochs contrast_steps positives negatives temperature "
            "textual_weight pool equation_strategy text_strategy"
        ),
        "Problems and equations": "augment mask_numbers fold max_tokens most_tokens least_uses beam",
        "Optimiser": "learning_rate decoder_learning_rate weight_decay schedule warmup_share dropout",
    }
    first_time = "On two cores, about 1 to 1.5 seconds a step of 32 problems."
    options = (
        TrainingOption(
            name="language",
            flag="--language",
            flag_help="solver: language of the problems that it learns from and solves",
            title="Language",
            choices=SOLVER_LANGUAGES,
            help_text=(
                "The language of the problems to learn from and to solve. For Chinese, multilingual-e5-small"
                " replaces the default encoder."
            ),
        ),
    )
    quick = QuickTraining(
        settings={
            "backbone": "in use",
            "epochs": 5,
            "batch_size": 32,
            "learning_rate": 2e-5,
            "decoder_learning_rate": 2e-4,
        },
        sentence="The form is set to fine-tune the solver in use on the equations of this bank.",
        is_default=True,
        help_texts=backbone_help("solver", ", with its decoder"),
    )

    no_figures = "Nothing could be measured: too few held-out word problems have a known answer."
    too_few = "Nothing could be measured: too few of the held-out word problems have a known answer."
    queue = "light"

    promotion_note = "A job then solves the bank’s word problems in its language again."
    roll_back_note = "A job then solves the bank’s word problems in its language again."
    headline = Headline(
        ("validation", "validation_answer_accuracy"),
        compared="answer_accuracy",
        compared_text="correct on the bank’s held-out questions",
    )
    facts = ("problems", "device")
    jobs = (
        JobKind("solve", "Solve word problems", alone=(), is_bulk=True, is_background=True),
        JobKind("worked_out", "Work out problems with the language model", alone=(), is_bulk=True, is_background=True),
        JobKind(
            "opinion",
            "Solve a text with a second opinion",
            alone=("text", "asked_by"),
            template="registry/models/solver/solved.html",
        ),
    )

    report = solver_report

    def pages(self) -> Sequence[URLPattern | URLResolver]:
        """Return its URL patterns."""
        from questionbank.questions import solving_views as solving

        return [
            path("paste/second-opinion/", solving.second_opinion_ask, name="second_opinion_ask"),
            path("second-opinions/<int:run_id>/", solving.second_opinion, name="second_opinion"),
            path(f"{QUESTION}/equation/", solving.question_equation, name="question_equation"),
            path(f"{QUESTION}/same-computation/", solving.question_computed_alike, name="question_computed_alike"),
        ]

    def job_parameters(
        self, settings: Mapping[str, str], hierarchies: Sequence[str] | None, answers: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return the language and the model to start from: by default a plain encoder that knows the language.

        The backbone is always stated, so that the run never starts from the model in use by default.
        """
        language = answers["language"]
        settings = {"backbone": _LANGUAGE_BACKBONES.get(language, DEFAULT_BACKBONE), **settings}
        return {"set": settings, "language": language, **pinned_start("solver", settings, language)}

    def title_of(self, parameters: Mapping[str, Any]) -> str:
        """Return the title with the language."""
        return f"Train the solver for {SOLVER_LANGUAGES[parameters['language']]} problems"

    def first_seconds(self, report: Report, settings: Mapping[str, str], parameters: Mapping[str, Any]) -> float | None:
        """Estimate the duration on two cores, in seconds; None with contrast, whose triples are not counted yet."""
        config = config_from_strings(SolverConfig, settings)
        name = language_name(parameters.get("language", "en"))
        learned = sum(row.cells[0] or 0 for table in report.tables for row in table.rows if row.label == name)
        if config.contrast != "none":
            return None
        seen = learned * config.epochs
        return _PROBLEM * (min(seen, config.max_steps * config.batch_size) if config.max_steps else seen)

    def shown(self, comparison: ModelComparison) -> dict[str, Any]:
        """Return the problems that only one of the two solves, except deleted ones."""
        figures: SolverFigures = comparison.figures
        rows = figures.get("changed_problems", [])
        ids = [row["question"] for row in rows]
        existing = set(Question.objects.filter(pk__in=ids).values_list("pk", flat=True))
        return {"changed_problems": [row for row in rows if row["question"] in existing]}

    def after_promotion(self, *, user: User | None) -> str:
        """Request solutions for what the solvers in use have not solved since they came into use."""
        return solve_after_promotion(user=user)

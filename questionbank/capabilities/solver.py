"""Word problems in the bank: the solver, which finds their equations, and the retriever of analogous problems.

The retriever's vectors are the lens “structure”.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.urls import URLPattern, URLResolver, path

from analytics.analogy.examples import AnalogyConfig
from analytics.backbone.sources import DEFAULT_BACKBONE, MULTILINGUAL_BACKBONE
from analytics.configuration import config_from_strings
from analytics.solver.config import SolverConfig
from questionbank.core.capability_contract import (
    QUESTION,
    BankCapability,
    FixedSuite,
    Headline,
    JobKind,
    KinshipRow,
    LensTexts,
    QuickTraining,
    Training,
    TrainingOption,
    backbone_help,
)
from questionbank.core.capability_figures import SolverFigures
from questionbank.core.capability_report import Report
from questionbank.core.errors import ValidationFailed
from questionbank.core.wording import counted, language_name
from questionbank.models import ModelArtifact, ModelComparison, Question, User
from questionbank.registry.model_selectors import changed_questions
from questionbank.solving.services import solve_after_promotion
from questionbank.training.analogy import analogy_report, predicted_problems, problems_sharing_a_graph
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
        from questionbank.questions import question_views as solving

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


def _known_only_field() -> forms.Field:
    """Return the form's field for the option; its help text counts the questions with an equation from the solver."""
    predicted = counted(predicted_problems(), "further question has", "further questions have")
    said = f"{predicted} an equation only from the solver; a wrong equation teaches a wrong similarity."
    return forms.BooleanField(label="Learn only from known equations", initial=True, required=False, help_text=said)


class AnalogyInBank(BankCapability, Training, FixedSuite):
    """Trains, compares and shows retrievers."""

    templates = "registry/models/analogy"
    job_title = "Train the retriever of analogous problems"

    scope = "one language or all"
    groups = {
        "What is learned": "backbone slot_text all_positives adapter_rank",
        "How long": "epochs max_steps batch_size accumulate patience",
        "Contrast": "temperature",
        "Problems": "share fold max_tokens",
        "Optimiser": "learning_rate weight_decay schedule warmup_share clip_norm freeze_embeddings",
    }
    options = (
        TrainingOption(
            name="known_only",
            flag="--with-predictions",
            flag_help="analogy: learn from equations that only the solver found as well",
            title="Equations",
            yes="known equations only",
            no="the solver’s equations too",
            form_field=_known_only_field,
        ),
    )
    quick = QuickTraining(  # some minutes without a GPU: two epochs of adapter training on a thousand problems
        settings={
            "backbone": "in use",
            "epochs": 2,
            "max_steps": 150,
            "adapter_rank": 32,
            "learning_rate": 1e-4,
            "all_positives": True,
        },
        sentence=(
            "These settings are for quick training: adapters fine-tune the retriever in use on the equations of this"
            " bank, which takes minutes on any machine."
        ),
        help_texts=backbone_help("retriever", ", with the layers behind its pooling")
        | {
            "slot_text": (
                "Replace each number in a text with a placeholder: n1, n2, ... (not from the paper). A retriever"
                " that is trained further keeps reading numbers as before"
            )
        },
    )

    no_figures = "Nothing could be measured: too few held-out questions have an equation."
    too_few = "Nothing could be measured: too few of the held-out questions have an equation."

    promotion_note = "A job then solves the bank’s word problems again, with what this retriever finds."
    roll_back_note = "A job then solves the bank’s word problems again, with what that retriever finds."
    headline = Headline(
        ("validation", "validation_same_graph"),
        compared="same_graph_at_8",
        compared_text="of the 8 exemplars of a problem have the same computation, on the bank’s held-out questions",
    )
    facts = ("problems", "device")
    jobs = (
        JobKind(
            "ask",
            "Ask the language model",
            alone=("prompt", "asked_by"),
            template="registry/models/analogy/answered.html",
        ),
        JobKind(
            "retell", "Write similar problems", alone=("question",), template="registry/models/analogy/retold.html"
        ),
    )
    lens = LensTexts(
        name="Structure",
        explanation="Word problems that are solved by the same or nearly the same computation, whatever their story.",
        kinships=(
            KinshipRow(
                "structure",
                "structure",
                "",
                "Same structure",
                "Word problems with the same or nearly the same computation, nearest first.",
            ),
        ),
    )

    report = analogy_report

    def pages(self) -> Sequence[URLPattern | URLResolver]:
        """Return its URL patterns."""
        from questionbank.problem_writing import views as variants
        from questionbank.questions import exemplar_views as exemplars
        from questionbank.training import views as training

        return [
            path(f"{QUESTION}/exemplars/", exemplars.question_exemplars_page, name="question_exemplars"),
            path(f"{QUESTION}/variants/", variants.question_variants_page, name="question_variants"),
            path("paste/exemplars/", exemplars.pasted_exemplars, name="pasted_exemplars"),
            path("exemplars/ask/", exemplars.model_ask, name="model_ask"),
            path("exemplars/answers/<int:run_id>/", exemplars.model_answer, name="model_answer"),
            path("models/pairs/", training.model_graph_pairs, name="model_graph_pairs"),
            path("review/variants/", variants.review_variants, name="review_variants"),
            path("review/variants/<int:variant_id>/draft/", variants.variant_draft, name="variant_draft"),
            path("review/variants/<int:variant_id>/decide/", variants.variant_decision, name="variant_decision"),
            path("review/variants/<int:variant_id>/reword/", variants.variant_reword_page, name="variant_reword"),
        ]

    def job_parameters(
        self, settings: Mapping[str, str], hierarchies: Sequence[str] | None, answers: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return the form's answers and the model to start from, which determines how numbers are read.

        Raises:
            ValidationFailed: too few questions share a graph to fill a batch.
        """
        start = pinned_start("analogy", settings)
        if start:
            manifest = ModelArtifact.objects.get(pk=start["start"]).manifest
            start["set"]["slot_text"] = "yes" if manifest["extra"].get("slot_text") else "no"
        if answers["known_only"]:
            _check_shared_graphs(settings, hierarchies)
        return {**answers, **start}

    def shown(self, comparison: ModelComparison) -> dict[str, Any]:
        """Return the problems whose exemplars changed most, and which exemplars have the same computation."""
        return {"changed": changed_questions(comparison, are_graphs_looked_at=True)}

    def after_promotion(self, *, user: User | None) -> str:
        """Request that the word problems be solved again, using what this retriever finds."""
        return solve_after_promotion(user=user)


def _check_shared_graphs(settings: Mapping[str, str], hierarchies: Sequence[str] | None) -> None:
    """Refuse data that cannot fill a batch; data that pass may still be too few without the fixed problems."""
    needed = config_from_strings(AnalogyConfig, settings).batch_size
    there = problems_sharing_a_graph(hierarchies=hierarchies)
    if there < needed:
        one, several = "question with an equation shares its", "questions with an equation share their"
        sharing = f"{counted(there, one, several)} graph with another"
        raise ValidationFailed.beside("", f"{sharing}; a batch needs {needed}: {needed - there} more are needed.")

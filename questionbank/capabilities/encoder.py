"""The bank's question encoder, whose vectors serve the lens “purpose”, and the probes on the vectors in use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.urls import URLPattern, URLResolver, path

from analytics.configuration import config_from_strings
from analytics.encoder.config import EncoderConfig
from analytics.errors import ConfigurationError
from questionbank.core.capability_contract import (
    BankCapability,
    FixedSuite,
    Headline,
    JobKind,
    KinshipRow,
    LensTexts,
    QuickTraining,
    Training,
    backbone_help,
)
from questionbank.core.capability_figures import ProbesFigures
from questionbank.core.capability_report import Report
from questionbank.core.errors import ValidationFailed
from questionbank.models import EmbeddingSet, KnowledgeHierarchy, ModelArtifact, ModelComparison
from questionbank.registry.model_selectors import changed_concepts, changed_questions
from questionbank.training.encoder import encoder_report, probes_report
from questionbank.training.services import probes_request_missing
from questionbank.training.start import MODEL_IN_USE, pinned_start

# Seconds on two cores: per step of a last layer, per question encoded for it (decision 30), and per question seen in
# training (docs/results.md).
_LAYER_STEP, _ENCODED, _QUESTION = 0.6, 0.0175, 0.043
_GRID_QUESTIONS = 5_100  # packaged questions in English; each step learns from about 35 of them
_GRID_QUESTIONS_A_STEP = 35


class EncoderInBank(BankCapability, Training, FixedSuite):
    """Trains, compares and shows question encoders."""

    templates = "registry/models/encoder"
    job_title = "Train the encoder"

    groups = {
        "What is learned": (
            "backbone objective ranking levels concept_weight difficulty_weight task_weight metric_steps adapter_rank"
        ),
        "How long": "epochs max_steps batch_size accumulate patience",
        "Changed copies of a question": ("augment_words augment_formulas augment_structure solution_view"),
        "Contrast": "temperatures one_temperature projection queue_size momentum",
        "Optimiser": "learning_rate weight_decay warmup_share freeze_embeddings",
    }
    quick = QuickTraining(  # a minute or two without a GPU: decision 30
        settings={"backbone": "in use", "objective": "last-layer", "metric_steps": 30},
        sentence="These settings are for quick training: a last layer on top of the encoder in use, within minutes.",
        help_texts=backbone_help("encoder"),
    )
    first_time = (
        "On two cores, a last layer takes a minute or two, and a pre-training about 0.7 seconds a step of 16 questions."
    )

    no_figures = "Nothing could be measured: no hierarchy has enough tagged questions."
    too_few = "Nothing could be measured: too few of the bank’s held-out questions are tagged."

    roll_back_note = (
        "It is used with the vectors and the models of concepts and difficulty that it had before. A job computes the"
        " vectors of questions that have"
        " changed since."
    )
    facts = ("questions", "hierarchy", "hierarchies", "device")
    lens = LensTexts(
        name="Purpose",
        explanation="Asks for the same thing, whatever the words and numbers.",
        kinships=(
            KinshipRow("purpose", "purpose", "", "Same purpose", "Questions that ask for the same thing."),
            KinshipRow(
                "same-idea",
                "purpose",
                "same-idea-new-numbers",
                "Same idea, new numbers",
                "Questions that ask for the same thing with other numbers: for practice and retakes.",
                place=1,
            ),
            KinshipRow(
                "easier",
                "purpose",
                "easier",
                "Easier like this",
                "Similar questions that are easier, by students' responses, their sources or else their texts.",
                place=3,
            ),
            KinshipRow(
                "harder",
                "purpose",
                "harder",
                "Harder like this",
                "Similar questions that are harder, by students' responses, their sources or else their texts.",
                place=4,
            ),
        ),
    )

    report = encoder_report

    def job_parameters(
        self, settings: Mapping[str, str], hierarchies: Sequence[str] | None, answers: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return the model to start from."""
        return pinned_start("encoder", settings)

    def settings_like(self, manifest: Mapping[str, Any]) -> dict[str, Any]:
        """Return an encoder's settings; for one with a last layer, those with which its transformer was trained.

        Its starting point may no longer exist, so a last layer alone starts from the encoder in use.
        """
        config = dict(manifest.get("config", {}))
        before = manifest.get("extra", {}).get("begun_with", {}).get("config")
        if config.get("objective") != "last-layer" or not before:
            return config
        whole = before.get("objective") != "last-layer"
        return {**before, "metric_steps": config["metric_steps"]} if whole else config | {"backbone": MODEL_IN_USE}

    def first_seconds(self, report: Report, settings: Mapping[str, str], parameters: Mapping[str, Any]) -> float | None:
        """Estimate the duration of a training run on two cores, in seconds."""
        config = config_from_strings(EncoderConfig, settings)
        has_grids = config.task_weight > 0
        encoded = report.count("questions") + _GRID_QUESTIONS * has_grids
        layer = _LAYER_STEP * config.metric_steps + _ENCODED * encoded if config.metric_steps else 0.0
        if config.objective == "last-layer":
            return layer
        seen = report.count("questions") * config.epochs
        if config.max_steps:
            seen = min(seen, config.max_steps * config.batch_size)
        steps = seen / config.batch_size
        return layer + _QUESTION * (seen + steps * _GRID_QUESTIONS_A_STEP * has_grids)

    def loss_note(self, settings: Mapping[str, str]) -> str:
        """Explain why the loss of a contrastive training rises at first."""
        try:
            config = config_from_strings(EncoderConfig, settings)
        except ConfigurationError:  # from another version
            return ""
        if config.objective != "contrast":
            return ""
        steps = -(-config.queue_size // config.batch_size)
        return (
            f"The loss rises while the memory queue fills, in the first {steps:,} steps at most: each question is"
            " compared with more and more others, which is harder. Judge the training by what comes after."
        )

    def shown(self, comparison: ModelComparison) -> dict[str, Any]:
        """Return the questions whose neighbours changed most."""
        return {"changed": changed_questions(comparison)}

    def after_roll_back(self) -> None:
        """Request probes for the hierarchies that have none for the restored vectors."""
        transaction.on_commit(probes_request_missing)


class ProbesInBank(BankCapability, Training, FixedSuite):
    """Trains, compares and shows probes."""

    templates = "registry/models/probes"
    job_title = "Learn concepts and difficulty"

    then = (
        "A job trains a candidate and compares it with the model in use. The candidate replaces that model if it"
        " passes the gate, which means here that it is not significantly worse in any deciding figure."
    )
    alone = ("hierarchy",)
    scope = "hierarchy"
    promotes_itself = True

    no_figures = "Nothing could be measured: no hierarchy has enough tagged questions."
    too_few = "Nothing could be measured: too few of the bank’s held-out questions are tagged."
    queue = "light"

    roll_back_note = "Predictions in this hierarchy change; tags and other hierarchies stay as they are."
    headline = Headline(
        ("concepts", "path_accuracy"),
        "correct on its held-out questions",
        compared="path_accuracy",
        compared_text="correct on the bank’s held-out questions",
    )
    facts = ("questions", "questions_held_out", "hierarchy", "encoder")
    jobs = (JobKind("project", "Draw the map", alone=(), is_bulk=True, is_background=True),)

    report = probes_report

    def pages(self) -> Sequence[URLPattern | URLResolver]:
        """Return its URL patterns."""
        from questionbank.bank import map_views as maps

        return [
            path("map/", maps.map_page, name="map"),
            path("map/points/", maps.map_points_data, name="map_points_data"),
            path("map/questions/", maps.map_questions, name="map_questions"),
            path("map/draw/", maps.map_draw, name="map_draw"),
        ]

    def job_parameters(
        self, settings: Mapping[str, str], hierarchies: Sequence[str] | None, answers: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return the one hierarchy for which the probes are trained.

        Raises:
            ValidationFailed: not exactly one hierarchy is named, or it does not exist.
        """
        names = list(hierarchies or ())
        if KnowledgeHierarchy.objects.filter(name__in=names).count() != 1:
            problem = "Choose a hierarchy."
            if len(names) == 1:
                problem = f"There is no hierarchy “{names[0]}”."
            raise ValidationFailed.beside("hierarchies", problem)
        return {"hierarchy": names[0]}

    def title_of(self, parameters: Mapping[str, Any]) -> str:
        """Return the title with the hierarchy."""
        return f"Learn concepts and difficulty: {parameters['hierarchy']}"

    def problems(self, figures: ProbesFigures) -> list[str]:
        """Return what the champion predicts but the candidate does not."""
        problems = []
        if figures["suite"].get("loses_concepts"):
            problems.append("It names no concepts, and the model in use does.")
        if figures["suite"].get("loses_difficulty"):
            problems.append("It estimates no difficulty, and the model in use does.")
        return problems

    def shown(self, comparison: ModelComparison) -> dict[str, Any]:
        """Return the questions for which the two models name different concepts."""
        return {"changed_concepts": changed_concepts(comparison)}

    def serving_problem(self, artifact: ModelArtifact) -> str:
        """Return a sentence if the vectors that the probes read are not in use."""
        reads = artifact.manifest["extra"]["encoder"]
        if EmbeddingSet.objects.filter(is_current=True, encoder_name=reads).exists():
            return ""
        return f"This model uses vectors from “{reads}”, which is not in use."

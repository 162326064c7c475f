"""Concept and difficulty probes in the bank: one model per hierarchy, on the vectors in use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.urls import URLPattern, URLResolver, path

from questionbank.core.capability_contract import BankCapability, FixedSuite, Headline, JobKind, Training
from questionbank.core.capability_figures import ProbesFigures
from questionbank.core.errors import ValidationFailed
from questionbank.models import EmbeddingSet, KnowledgeHierarchy, ModelArtifact, ModelComparison
from questionbank.registry.model_selectors import changed_concepts
from questionbank.training.encoder import probes_report


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

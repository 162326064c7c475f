"""The retriever of analogous problems in the bank; its vectors are the lens “structure”."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.urls import URLPattern, URLResolver, path

from analytics.analogy.config import AnalogyConfig
from analytics.configuration import config_from_strings
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
from questionbank.core.errors import ValidationFailed
from questionbank.core.wording import counted
from questionbank.models import ModelArtifact, ModelComparison, User
from questionbank.registry.model_selectors import changed_questions
from questionbank.solving.services import solve_after_promotion
from questionbank.training.analogy import analogy_report, predicted_problems, problems_sharing_a_graph
from questionbank.training.start import pinned_start


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
        from questionbank.similar import exemplar_views as exemplars
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

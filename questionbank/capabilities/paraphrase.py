"""The paraphrase scorer in the bank, which judges the pairs that wait for review."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.urls import URLPattern, URLResolver, path

from analytics.configuration import config_from_strings
from analytics.paraphrase.config import ParaphraseConfig
from questionbank.core.capability_contract import (
    QUESTION,
    BankCapability,
    FixedSuite,
    JobKind,
    QuickTraining,
    Training,
    TrainingOption,
    backbone_help,
)
from questionbank.core.capability_figures import ParaphraseFigures
from questionbank.core.capability_report import Report
from questionbank.core.wording import counted
from questionbank.models import ModelComparison, User
from questionbank.review.pair_services import after_scorer_promotion
from questionbank.training.scorer import decision_counts, scorer_report
from questionbank.training.start import pinned_start

_TRIPLET, _QUESTION = 0.0625, 0.015  # seconds on two cores: per triplet, per question for making triplets


def _decisions_field() -> forms.Field:
    """Return the form's field for the option; its help text counts the decided pairs."""
    decided = decision_counts()
    said = (
        f"{counted(sum(decided.values()), 'decided pair', 'decided pairs')}: {decided['accepted']} accepted,"
        f" {decided['rejected']} rejected, {decided['changed']} accepted with changes."
    )
    return forms.BooleanField(
        label="Learn from reviewers' decisions as well", initial=True, required=False, help_text=said
    )


class ParaphraseInBank(BankCapability, Training, FixedSuite):
    """Trains, compares and shows scorers of paraphrases."""

    templates = "registry/models/paraphrase"
    job_title = "Train the paraphrase scorer"

    first_time = "On two cores, about 3 seconds a step of 48 triplets."
    quick = QuickTraining(  # some minutes without a GPU
        settings={
            "backbone": "in use",
            "loss": "both",
            "epochs": 1,
            "max_steps": 60,
            "triplets_per_question": 1,
            "given_passes": 4,
            "adapter_rank": 16,
            "learning_rate": 1e-4,
            "typed_numbers": True,
            "stretch": True,
            "interpolate": True,
        },
        sentence=(
            "These settings are for quick training: adapters fine-tune the scorer in use, and the verdict follows your"
            " reviewers’ decisions, which takes minutes on any machine."
        ),
        help_texts=backbone_help("scorer"),
    )
    groups = {
        "What is learned": "backbone loss margin scale interpolate adapter_rank",
        "How long": "epochs max_steps batch_size accumulate patience",
        "Triplets": (
            "triplets_per_question far_share given_passes combine extra_operators without typed_numbers stretch"
        ),
        "Models instead of rules": "translator_there translator_back weak_paraphraser weak_prefix",
        "Optimiser": "learning_rate weight_decay warmup_share",
    }
    options = (
        TrainingOption(
            name="decisions",
            flag="--without-decisions",
            flag_help="paraphrase: do not learn from reviewers' decisions",
            title="Reviewers’ decisions",
            yes="learned from as well",
            no="left out",
            form_field=_decisions_field,
        ),
    )

    no_figures = "Nothing could be measured: too few questions have both valid and invalid pairs."
    too_few = "Nothing could be measured: too few of the bank's questions are in the fixed test set."
    queue = "light"
    measures = {
        "verdict": "The verdict: the probability that a paraphrase is valid, which reviewers see first",
        "score": "The score: how close the two texts are",
    }

    promotion_note = "Pairs that nobody has decided are scored again; decided ones keep their score."
    roll_back_note = "Pairs that nobody has decided are scored again by a job; decided ones keep their score."
    jobs = (
        JobKind("score", "Score", is_bulk=True),
        JobKind(
            "propose",
            "Propose paraphrases",
            alone=("paraphraser", "questions", "each"),
            template="registry/models/paraphrase/proposed.html",
        ),
    )
    facts = ("questions", "hierarchies", "triplets", "given_pairs", "verdict_pairs", "device")

    report = scorer_report

    def pages(self) -> Sequence[URLPattern | URLResolver]:
        """Return its URL patterns."""
        from questionbank.review import paraphrase_views as paraphrases
        from questionbank.review import views as review

        return [
            path(f"{QUESTION}/paraphrases/", paraphrases.question_paraphrases_page, name="question_paraphrases"),
            path("review/", review.review, name="review"),
            path("review/undo/", review.review_undo_view, name="review_undo"),
            path("review/keys/", review.review_keys_page, name="review_keys"),
            path("review/pairs/", paraphrases.review_pairs, name="review_pairs"),
            path("review/batch/delete/", paraphrases.review_batch_delete, name="review_batch_delete"),
            path("review/batch/hide/", paraphrases.review_batch_hide, name="review_batch_hide"),
            path("review/guidelines/read/", review.review_guidelines_read, name="review_guidelines_read"),
            path("review/propose/", paraphrases.review_propose, name="review_propose"),
            path("review/add/", paraphrases.review_add_accepted, name="review_add_accepted"),
            path("review/<int:pair_id>/", paraphrases.review_pair, name="review_pair"),
            path("review/<int:pair_id>/decide/", review.review_decide_view, name="review_decide"),
            path("review/<int:pair_id>/heartbeat/", review.review_heartbeat_view, name="review_heartbeat"),
            path("review/<int:pair_id>/settle/", review.review_settle, name="review_settle"),
            path(
                "review/<int:pair_id>/settle/heartbeat/",
                review.review_settle_heartbeat_view,
                name="review_settle_heartbeat",
            ),
            path("review/upload/", paraphrases.review_upload, name="review_upload"),
            path("review/upload/confirm/", paraphrases.review_upload_confirm, name="review_upload_confirm"),
            path("review/score/", paraphrases.review_score, name="review_score"),
            path("review/progress/", paraphrases.review_progress, name="review_progress"),
            path("review/guidelines/", paraphrases.review_guidelines, name="review_guidelines"),
            path("review/export/<slug:format>/", paraphrases.review_export, name="review_export"),
        ]

    def job_parameters(
        self, settings: Mapping[str, str], hierarchies: Sequence[str] | None, answers: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return the answers and the model to start from."""
        return {**answers, **pinned_start("paraphrase", settings)}

    def first_seconds(self, report: Report, settings: Mapping[str, str], parameters: Mapping[str, Any]) -> float | None:
        """Estimate the duration of a training run on two cores, in seconds."""
        config = config_from_strings(ParaphraseConfig, settings)
        questions = report.count("learned") * report.count("english") / max(1, report.count("examined"))
        seen = questions * config.triplets_per_question * config.epochs
        if config.max_steps:  # no more questions are drawn than fit into these steps
            seen = min(seen, config.max_steps * config.batch_size)
            questions = min(questions, seen)
        return _QUESTION * questions + _TRIPLET * seen

    def problems(self, figures: ParaphraseFigures) -> list[str]:
        """Return an error message for a comparison made by an earlier version, which did not measure the verdict."""
        if "suites" in figures["suite"]:
            return []
        return ["An earlier version of Kindred made this comparison and did not measure the verdict. Measure again."]

    def shown(self, comparison: ModelComparison) -> dict[str, Any]:
        """Return the pairs whose verdict changed most."""
        figures: ParaphraseFigures = comparison.figures
        pairs = figures.get("changed_pairs", [])
        return {
            "suites": figures["suite"].get("suites", []),
            "changed_pairs": [pair for pair in pairs if "suite" in pair],
        }

    def after_promotion(self, *, user: User | None) -> str:
        """Request that the scorer now in use score undecided pairs."""
        return after_scorer_promotion(user=user)

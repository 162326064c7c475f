"""The paraphrase scorer in the bank: it judges the pairs that wait for review."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from questionbank.capabilities.rows import BankCapability, FixedSuite, FormGroup, Training, TrainingOption

ROW = BankCapability(
    templates="models/paraphrase",
    training=Training(
        request="questionbank.services.training:scorer_request",
        report="questionbank.selectors.models.scorer_report:scorer_data_report",
        first_time=_("On two cores, about 3 seconds a step of 48 triplets."),
        groups=(
            FormGroup(
                _("What is learned"),
                ("backbone", "loss", "margin", "scale", "interpolate", "adapter_rank"),
                is_open=True,
            ),
            FormGroup(_("How long"), ("epochs", "max_steps", "batch_size"), is_open=True),
            FormGroup(
                _("Triplets"),
                (
                    "triplets_per_question", "far_share", "given_passes", "combine", "extra_operators", "without",
                    "typed_numbers", "stretch",
                ),
            ),
            FormGroup(
                _("Models instead of rules"),
                ("translator_there", "translator_back", "weak_paraphraser", "weak_prefix"),
            ),
            FormGroup(_("Optimiser"), ("learning_rate", "weight_decay", "warmup_share")),
        ),
        options=(
            TrainingOption(
                name="decisions",
                flag="--without-decisions",
                flag_help="paraphrase: learn from no reviewers' decisions",
                title=_("Reviewers’ decisions"),
                yes=_("learned from as well"),
                no=_("left out"),
                form_field="questionbank.forms.decisions:decisions_field",
            ),
        ),
    ),
    suite=FixedSuite(
        no_figures=_("No figure could be measured: too few questions have both valid and invalid pairs."),
        too_few=_("Nothing could be measured: too few of the bank's questions belong to the fixed ones."),
        queue="light",
        problems="questionbank.selectors.models.comparisons:scorer_comparison_problems",
        shown="questionbank.selectors.models.comparisons:scorer_comparison_shown",
        measures={
            "verdict": _("The verdict: the probability that a paraphrase is valid, which reviewers see first"),
            "score": _("The score: how close the two texts are, one of the inputs to the verdict"),
        },
    ),
    promotion_note=_("Pairs that nobody has decided are scored again; decided ones keep their score."),
    roll_back_note=_("Pairs that nobody has decided are scored again by a job; decided ones keep their score."),
    after_promotion="questionbank.services.paraphrase:after_scorer_promotion",
    facts=("questions", "hierarchies", "triplets", "given_pairs", "verdict_pairs", "device"),
)  # fmt: skip

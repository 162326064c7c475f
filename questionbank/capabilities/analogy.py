"""The retriever of analogous problems in the bank: its vectors are the lens “structure”."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from questionbank.capabilities.rows import (
    BankCapability,
    FixedSuite,
    FormGroup,
    Headline,
    KinshipRow,
    LensTexts,
    QuickTraining,
    Training,
    TrainingOption,
)

ROW = BankCapability(
    templates="models/analogy",
    training=Training(
        request="questionbank.services.training:analogy_request",
        report="questionbank.selectors.models.analogy_report:analogy_data_report",
        scope="one language or all",
        groups=(
            FormGroup(
                _("What is learned"),
                ("backbone", "pooler", "pooler_width", "same", "slot_text", "all_positives", "adapter_rank"),
                is_open=True,
            ),
            FormGroup(
                _("How long"), ("epochs", "max_steps", "batch_size", "accumulate", "patience"), is_open=True
            ),
            FormGroup(_("Contrast"), ("temperature",)),
            FormGroup(_("Problems"), ("share", "fold", "max_tokens")),
            FormGroup(
                _("Optimiser"),
                (
                    "learning_rate", "weight_decay", "schedule", "warmup_share", "clip_norm", "freeze_embeddings",
                ),
            ),
        ),
        options=(
            TrainingOption(
                name="known_only",
                flag="--with-predictions",
                flag_help="analogy: learn from equations that only the solver found as well",
                title=_("Equations"),
                yes=_("known equations only"),
                no=_("the solver’s equations too"),
                form_field="questionbank.forms.predictions:known_only_field",
            ),
        ),
        quick=QuickTraining(  # some minutes without a GPU: two passes of adapters over a thousand problems
            settings={
                "backbone": "in use", "epochs": 2, "max_steps": 150, "adapter_rank": 32, "learning_rate": 1e-4,
                "all_positives": True,
            },
            sentence=_(
                "The form is set to quick training: adapters that fine-tune the retriever in use on the equations of"
                " this bank, in minutes on any machine."
            ),
            help_texts={
                "backbone": _(
                    "Package name, local folder or hub id of the encoder to start from; “in use”: the retriever in"
                    " use now, with the layers behind its pooling; “model 12”: the retriever with this number"
                ),
                "slot_text": _(
                    "Replace each number in a text with a placeholder: n1, n2, ... (not from the paper). A retriever"
                    " that is trained further keeps reading numbers as before"
                ),
            },
        ),
    ),
    suite=FixedSuite(
        no_figures=_("No figure could be measured: too few held-out questions have an equation."),
        too_few=_("Nothing could be measured: too few of the held-out questions have an equation."),
        shown="questionbank.selectors.models.comparisons:analogy_comparison_shown",
    ),
    promotion_note=_("A job then solves the bank’s word problems again, with what this retriever finds."),
    roll_back_note=_("A job then solves the bank’s word problems again, with what that retriever finds."),
    after_promotion="questionbank.services.solutions:solve_after_promotion",
    headline=Headline(
        ("validation", "validation_same_graph"),
        compared="same_graph_at_8",
        compared_text=_("of the 8 exemplars of a problem have the same computation, on the bank’s held-out questions"),
    ),
    facts=("problems", "device"),
    lens=LensTexts(
        name=_("Structure"),
        explanation=_("Word problems that are computed in the same or nearly the same way, whatever their story."),
        kinships=(
            KinshipRow(
                "structure",
                "structure",
                "",
                _("Same structure"),
                _("Word problems with the same or nearly the same computation, nearest first."),
            ),
        ),
    ),
)  # fmt: skip

"""The retriever of analogous problems in the bank: its vectors are the lens “structure”."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from questionbank.capabilities.rows import BankCapability, KinshipRow, LensTexts

__all__ = ["ROW"]

ROW = BankCapability(
    templates="models/analogy",
    headline=(("validation", "validation_same_graph"), _("of 8 exemplars with the same graph")),
    facts=("problems", "device"),
    lens=LensTexts(
        name=_("Structure"),
        explanation=_("Is computed alike, whatever the story."),
        kinships=(
            KinshipRow(
                "structure",
                "structure",
                "",
                _("Same structure"),
                _("Word problems that are computed alike, whatever their story."),
            ),
        ),
    ),
)

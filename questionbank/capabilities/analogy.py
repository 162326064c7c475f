"""The retriever of analogous problems in the bank: trained and measured by commands so far, without pages or a gate."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from questionbank.capabilities.rows import BankCapability

__all__ = ["ROW"]

ROW = BankCapability(
    templates="models/analogy",
    headline=(("validation", "validation_same_graph"), _("of 8 exemplars with the same graph")),
    facts=("problems", "device"),
)

"""What is known of the uses of the language model: verdicts, and which are switched on."""

from __future__ import annotations

from questionbank.models import LanguageModelExclusion, LanguageModelUse
from questionbank.registry.language_models import configured_language_model


def language_model_use(use: str) -> LanguageModelUse | None:
    """Return the row of a use; None if its exam was never taken."""
    return LanguageModelUse.objects.select_related("switched_on_by", "run").filter(use=use).first()


def language_model_uses() -> list[LanguageModelUse]:
    """Return the uses whose exam was taken, in the order in which pages show them."""
    rows = {row.use: row for row in LanguageModelUse.objects.select_related("switched_on_by", "run")}
    return [rows[use] for use in LanguageModelUse.Use.values if use in rows]


def may_be_sent(*, question_id: int) -> bool:
    """Return whether a question may be sent to the language model: nobody has excluded it."""
    return not LanguageModelExclusion.objects.filter(question=question_id).exists()


def lapsed_reason() -> str:
    """Return why the verdicts no longer count; empty if they do, or if there are none."""
    for row in LanguageModelUse.objects.all():
        configured = configured_language_model()
        if row.lapsed:
            return row.lapsed
        if configured is None or (configured.name, configured.host) != (row.name, row.host):
            return f"The exam was taken by {row.name} at {row.host}, which is no longer configured."
    return ""

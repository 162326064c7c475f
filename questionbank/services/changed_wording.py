"""What the scorer says of a wording that a reviewer changed, before it counts as valid."""

from __future__ import annotations

from collections.abc import Callable

from django.db import transaction

from analytics.paraphrase.findings.rules import find_changes
from questionbank.errors import ServiceUnavailable, ValidationFailed
from questionbank.models import ReviewDecision
from questionbank.selectors.serving import ServedScorer, served_scorer

_MOST_SAID = 3  # findings, in one sentence


@transaction.atomic
def decided_in_sight(decide: Callable[[], ReviewDecision], *, seen: str) -> ReviewDecision:
    """Decide, but refuse a changed wording once if the scorer or a serious finding speaks against it.

    Whoever has seen what speaks against it decides. Of a pair whose assessment is hidden nothing is said.

    Args:
        decide: writes the decision down.
        seen: the wording that was refused before.

    Raises:
        ValidationFailed: beside `text`, with what speaks against it; nothing is decided.
    """
    decision = decide()
    if decision.text and decision.text != seen.strip() and not decision.pair.hides_machine:
        said = _doubts(decision.pair.original, decision.text)
        if said:
            raise ValidationFailed.beside(
                "text", f"{said} Change it, or press “Accept with changes” again to accept it as it is."
            )
    return decision


def _doubts(original: str, text: str) -> str:
    served = _scorer()
    scored = (
        served.scorer.score([(original, text)])[0]
        if served is not None and served.scorer.knows(original, text)
        else None
    )
    findings = find_changes(original, text) if scored is None else scored.findings
    sentences = [finding.sentence for finding in findings if finding.is_serious][:_MOST_SAID]
    if scored is not None and scored.verdict == "invalid":
        sentences.append(f"The probability that it is valid is {scored.probability:.0%}.")
    return "In your wording: " + " ".join(sentences) if sentences else ""


def _scorer() -> ServedScorer | None:
    try:
        return served_scorer()
    except ServiceUnavailable:
        return None

"""Why a pair has no number although a scorer has looked at it."""

from __future__ import annotations

from analytics.paraphrase.scoring.scorer import UnreadReason
from questionbank.errors import ServiceUnavailable
from questionbank.models import ParaphrasePair
from questionbank.selectors.serving import served_scorer


def unread_reason(pair: ParaphrasePair) -> UnreadReason:
    """Return why the scorer in use gives no number for a pair; empty if it gives one or has not looked."""
    if pair.score is not None or pair.scored_by_id is None:
        return ""
    try:
        served = served_scorer()
    except ServiceUnavailable:
        return ""
    return served.scorer.unread_reason(pair.original, pair.paraphrase) if served else ""

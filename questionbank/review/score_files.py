"""Scores of pairs for output files, and why a pair has no score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from analytics.paraphrase.findings.rules import find_changes
from analytics.paraphrase.scoring.scorer import Scorer, UnreadReason
from questionbank.core.errors import ServiceUnavailable
from questionbank.formats.answer_files import InputPair
from questionbank.models import ParaphrasePair
from questionbank.registry.artifact_selectors import artifact_numbered
from questionbank.registry.serving import scorer_of, served_scorer

_NOTICES = {  # why a scorer gives no number -> the notice; a literal table
    "language": "Some pairs are in a language that the scorer cannot read: they have findings only.",
    "question": "The original of some pairs asks nothing: they have findings only.",
    "length": "Some pairs are too long to be read: they have findings only.",
}


def scorer_by_number(model: str) -> Scorer:
    """Return the scorer with a number, or the one in use for ``"default"``.

    Raises:
        NotFound: there is no scorer with this number.
        ServiceUnavailable: no scorer is in use, or its files are missing.
    """
    if model == "default":
        served = served_scorer()
        if served is None:
            raise ServiceUnavailable(
                "There is no scorer of paraphrases yet: train one, or import one with import_model."
            )
        return served.scorer
    return scorer_of(artifact_numbered(capability="paraphrase", number=model)).scorer


def pair_scores(pairs: Sequence[InputPair], *, scorer: Scorer, notices: set[str]) -> list[dict[str, Any]]:
    """Return ``{"id", "score", "verdict", "probability", "findings"}`` for each pair.

    A pair with a text that the scorer cannot read gets findings only, and a notice explains why.
    """
    reasons = [scorer.unread_reason(pair.original, pair.paraphrase) for pair in pairs]
    scored = iter(
        scorer.score(
            [(pair.original, pair.paraphrase) for pair, reason in zip(pairs, reasons, strict=True) if not reason]
        )
    )
    rows: list[dict[str, Any]] = []
    for pair, reason in zip(pairs, reasons, strict=True):
        if not reason:
            rows.append({"id": pair.id, **next(scored).as_dict()})
            continue
        notices.add(_NOTICES[reason])
        findings = [finding.as_dict() for finding in find_changes(pair.original, pair.paraphrase)]
        rows.append({"id": pair.id, "score": None, "verdict": None, "probability": None, "findings": findings})
    return rows


def unread_reason(pair: ParaphrasePair) -> UnreadReason:
    """Return why the scorer in use gives no number for a pair; empty if it gives one or has not scored it yet."""
    if pair.score is not None or pair.scored_by_id is None:
        return ""
    try:
        served = served_scorer()
    except ServiceUnavailable:
        return ""
    return served.scorer.unread_reason(pair.original, pair.paraphrase) if served else ""

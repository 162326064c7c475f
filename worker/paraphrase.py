"""Scoring paraphrases that wait for review: pairs -> scorer -> score, probability and findings."""

from __future__ import annotations

from typing import Any

from analytics.paraphrase.findings import find_changes
from analytics.paraphrase.scorer import Scorer
from questionbank.models import ParaphrasePair
from questionbank.selectors.serving import ServedScorer, served_scorer
from questionbank.services.paraphrase import pair_save_score
from worker.embedding import SMALL_JOB, artifact_backbone
from worker.reporting import RunReporter

__all__ = ["score_run"]

BATCH = 64


def score_run(reporter: RunReporter) -> dict[str, Any]:
    """Do what a run of kind ``score`` asks for: ``{"pairs": [ids]}``.

    Pairs that this scorer has scored already are passed over, so a run may stop anywhere and be done again. Without
    a scorer, and for texts that it cannot read, the findings are kept alone.

    Returns:
        How many pairs were scored, and how many got findings only.

    Raises:
        ServiceUnavailable: the scorer's files are missing or damaged.
        Cancelled: the run was stopped.
    """
    identifiers = reporter.run.parameters["pairs"]
    served = served_scorer()
    scorer = _scorer_for(served, len(identifiers), reporter) if served else None
    if served is None:
        reporter.log("There is no scorer yet: the pairs get findings only.", level="warning")
    done = scored = unread = 0
    for start in range(0, len(identifiers), BATCH):
        numbers = identifiers[start : start + BATCH]
        reporter.check()
        reporter.progress(done, len(identifiers), f"Scoring paraphrases: {done:,} of {len(identifiers):,}")
        pairs = list(ParaphrasePair.objects.filter(pk__in=numbers).order_by("pk"))
        if served is not None and scorer is not None:
            pairs = [one for one in pairs if one.scored_by_id != served.artifact.pk]
            readable = [one for one in pairs if scorer.knows(one.original, one.paraphrase)]
            for pair, found in zip(readable, scorer.score([_texts(one) for one in readable]), strict=True):
                pair_save_score(
                    pair=pair,
                    score=found.score,
                    verdict=found.probability,
                    findings=found.findings,
                    artifact=served.artifact,
                )
            scored += len(readable)
            read = {one.pk for one in readable}
            pairs = [one for one in pairs if one.pk not in read]
        for pair in pairs:
            pair_save_score(
                pair=pair, score=None, verdict=None, findings=find_changes(*_texts(pair)), artifact=None
            )
        unread += len(pairs)
        done += len(numbers)
    if unread and served is not None:
        reporter.log(f"{unread:,} pairs are in a language that the scorer cannot read.", level="warning")
    return {"scored": scored, "findings_only": unread, "model": served.artifact.pk if served else None}


def _scorer_for(served: ServedScorer, count: int, reporter: RunReporter) -> Scorer:
    """With many pairs the encoder runs in PyTorch, which takes seconds to load and is then quicker."""
    if 2 * count <= SMALL_JOB:
        return served.scorer
    from analytics.backbone.bert import encode_bulk

    backbone = artifact_backbone(served.artifact)
    return served.scorer.with_encode(lambda texts: encode_bulk(backbone, texts, cancel=reporter.should_stop))


def _texts(pair: ParaphrasePair) -> tuple[str, str]:
    return pair.original, pair.paraphrase

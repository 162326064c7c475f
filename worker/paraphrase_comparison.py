"""Comparing a candidate scorer of paraphrases with the champion on the fixed suite.

The suite are the bank's held-out questions, from which no encoder of a scorer learns: pairs that the operators for test
sets make of them (ParaQD, section 4.2), and pairs on them that reviewers decided. Operators' labels say what they mean
to make, people's what is right, so both kinds are measured apart. It is the score that is measured: the verdict is
fitted on the same questions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from analytics.paraphrase.metrics import pair_metrics
from analytics.paraphrase.pair_files import without_unchanged
from analytics.records import ParaphrasePair
from questionbank.models import ModelArtifact
from questionbank.selectors.models import SMALLEST_SUITE
from questionbank.selectors.scorer_material import scorer_material
from questionbank.selectors.serving import scorer_of
from worker.evaluation.pair_intervals import PairResamples, intervals
from worker.paraphrase import bulk_scorer
from worker.paraphrase_test_pairs import bank_test_pairs
from worker.reporting import RunReporter

__all__ = ["SuitePair", "fixed_suite", "scorer_comparison_figures", "scorer_figures"]

SEED = 0
RESAMPLES = 1_000
LARGEST_SUITE = 1_000  # questions of which operators make pairs
CHANGED_SHOWN = 12
KINDS = {"made": "operators' pairs", "decided": "reviewers' decisions"}
FIGURES = {"auc": "ROC AUC", "macro_f1": "Macro F1", "separation": "Separation"}
DECISIVE = "auc"  # the others depend on the scale of the scores


@dataclass(frozen=True, slots=True)
class SuitePair:
    """A labelled pair of the suite; `kind` is a key of `KINDS`."""

    pair: ParaphrasePair
    kind: str

    @property
    def texts(self) -> tuple[str, str]:
        """Original and paraphrase."""
        return self.pair.original, self.pair.paraphrase


def scorer_comparison_figures(
    reporter: RunReporter, *, candidate: ModelArtifact, champion: ModelArtifact
) -> dict[str, Any]:
    """Measure both scorers; `questionbank.selectors.models` says what the figures are.

    Raises:
        ServiceUnavailable: the files of one are missing or damaged.
    """
    reporter.progress(0, 0, "Reading the fixed questions")
    suite = fixed_suite()
    readable: dict[str, list[bool]] = {}
    scores: dict[str, list[float]] = {}
    for role, artifact in (("candidate", candidate), ("champion", champion)):
        reporter.check()
        reporter.progress(0, 0, f"Measuring the {role}")
        scorer = bulk_scorer(scorer_of(artifact), len(suite), reporter.should_stop)
        readable[role] = [scorer.knows(*one.texts) for one in suite]
        scores[role] = [one.score for one in scorer.score([one.texts for one in suite])]
    reporter.progress(0, 0, "Comparing")
    return scorer_figures(suite, readable, scores)


def fixed_suite() -> list[SuitePair]:
    """The pairs on which scorers are compared, always the same ones of the same bank and decisions."""
    material = scorer_material()
    made = bank_test_pairs(material.questions, LARGEST_SUITE)
    return [
        *(SuitePair(one, "made") for one in without_unchanged(made)),
        *(SuitePair(one, "decided") for one in material.decided.held_out),
    ]


def scorer_figures(
    suite: Sequence[SuitePair],
    readable: dict[str, list[bool]],
    scores: dict[str, list[float]],
) -> dict[str, Any]:
    """The figures of a comparison.

    Args:
        suite: what was scored.
        readable: for ``"candidate"`` and ``"champion"``, whether each pair can be read.
        scores: likewise, the score of each pair.
    """
    rows = [
        (one, new, old)
        for one, can, could, new, old in zip(
            suite,
            readable["candidate"],
            readable["champion"],
            scores["candidate"],
            scores["champion"],
            strict=True,
        )
        if can and could
    ]

    def only(role: str, other: str) -> int:
        return len(
            {
                one.pair.original
                for one, can, could in zip(suite, readable[role], readable[other], strict=True)
                if can and not could
            }
        )

    metrics: list[dict[str, Any]] = []
    for kind in KINDS:
        of_kind = [row for row in rows if row[0].kind == kind]
        metrics += _metrics(
            kind,
            [one.pair for one, _new, _old in of_kind],
            [new for _one, new, _old in of_kind],
            [old for _one, _new, old in of_kind],
        )
    changed = sorted(rows, key=lambda row: -abs(row[1] - row[2]))[:CHANGED_SHOWN]
    return {
        "suite": {
            "questions": len({one.pair.original for one, _new, _old in rows}),
            "pairs": len(rows),
            "decided": sum(one.kind == "decided" for one, _new, _old in rows),
            "lost": only("champion", "candidate"),
            "gained": only("candidate", "champion"),
            "seed": SEED,
        },
        "metrics": metrics,
        "changed_pairs": [
            {
                "original": one.pair.original,
                "paraphrase": one.pair.paraphrase,
                "label": one.pair.label,
                "kind": one.kind,
                "candidate": round(new, 4),
                "champion": round(old, 4),
            }
            for one, new, old in changed
        ],
    }


def _metrics(
    kind: str, pairs: Sequence[ParaphrasePair], candidate: Sequence[float], champion: Sequence[float]
) -> list[dict[str, Any]]:
    """Every figure with the interval of its difference; none where there are too few questions to tell."""
    originals, labels = [one.original for one in pairs], [int(one.label or 0) for one in pairs]
    questions = len(set(originals))
    if questions < SMALLEST_SUITE or set(labels) != {0, 1}:
        return []
    draws = PairResamples.of(labels, groups=originals, resamples=RESAMPLES, seed=SEED)
    bounds = intervals(draws.figures(candidate), draws.figures(champion))
    new, old = pair_metrics(labels, candidate), pair_metrics(labels, champion)
    found = []
    for figure, label in FIGURES.items():
        low, high = bounds[figure]
        one, other = getattr(new, figure), getattr(old, figure)
        values = {"candidate": one, "champion": other, "difference": one - other, "low": low, "high": high}
        found.append(
            {
                "name": f"{figure}_{kind}",
                "label": f"{label}, {KINDS[kind]}",
                "higher_is_better": True,
                "questions": questions,
                **{key: round(value, 4) for key, value in values.items()},
                "worse": high < 0,
                "decides": figure == DECISIVE,
            }
        )
    return found

"""Comparing a candidate paraphrase scorer with the champion on fixed suites of labelled pairs.

Two suites come from the bank's held-out questions, which no scorer's encoder is trained on: pairs made from them by the
operators for test sets (ParaQD, section 4.2), and reviewers' decided pairs on them. The others have fixed labels by
people: the demo's pairs, and the existing files of the setting `SCORER_SUITES`. Pairs that either scorer
was trained on are left out of these.

Both the verdict, which reviewers see first, and the score are evaluated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from django.conf import settings

from analytics.errors import DataError
from analytics.paraphrase.operators.catalog import Apply, select_operators, with_functions
from analytics.paraphrase.operators.words import TfidfReplacement
from analytics.paraphrase.pair_files import read_pairs, without_unchanged
from analytics.paraphrase.scoring.metrics import THRESHOLD, pair_metrics
from analytics.paraphrase.scoring.scorer import PairScore, Scorer
from analytics.paraphrase.triplets import make_test_pairs
from analytics.records import ParaphrasePair
from analytics.splits import split_place
from questionbank.core.capability_figures import Metric, PairSuite, ParaphraseFigures
from questionbank.demo.bank import labelled_review_pairs
from questionbank.models import ModelArtifact
from questionbank.registry.model_selectors import SMALLEST_SUITE
from questionbank.registry.serving import scorer_of
from questionbank.training.questions import Parts
from questionbank.training.scorer import scorer_material
from worker.comparison import in_portions, metric_entry
from worker.paraphrase.evaluation import PairResamples, intervals
from worker.paraphrase.jobs import bulk_scorer
from worker.reporting import RunReporter


def bank_test_pairs(
    questions: Parts[str], most: int, *, functions: Mapping[str, Apply] | None = None, seed: int = 3407
) -> list[ParaphrasePair]:
    """Return one positive and one negative per held-out question, always the same ones for the same bank.

    Args:
        questions: the bank's questions; f_c weights words by how many training or held-out questions contain them.
        most: maximum number of questions.
        functions: replacements of stand-ins, by operator name.
        seed: seed of the operators' sampling.
    """
    words = TfidfReplacement((*questions.learned, *questions.held_out))
    operators = with_functions(
        select_operators(training=False), {**(functions or {}), "tfidf_replacement": words.apply}
    )
    return make_test_pairs(sorted(questions.held_out, key=split_place)[:most], operators, seed=seed)


SEED = 0
RESAMPLES = 1_000
LARGEST_SUITE = 1_000  # questions from which operators make pairs
CHANGED_SHOWN = 12
MADE, DECIDED, DEMO = "made", "decided", "demo"
MEASURES: Mapping[str, tuple[Callable[[PairScore], float], float]] = {  # value and threshold; a literal table
    # The probability is stretched to [-1, 1], as in `evaluate paraphrase`, so that separations are comparable.
    "verdict": (lambda pair_score: 2 * pair_score.probability - 1, 0.0),
    "score": (lambda pair_score: pair_score.score, THRESHOLD),
}
FIGURES = ("auc", "macro_f1", "separation")

Roles = Mapping[str, Sequence[PairScore | None]]
"""By ``"candidate"`` and ``"champion"``: the score of each pair; None if it cannot read the pair."""


@dataclass(frozen=True, slots=True)
class SuitePair:
    """A labelled pair and the name of the suite that it belongs to."""

    pair: ParaphrasePair
    suite: str


def scorer_comparison_figures(
    reporter: RunReporter, *, candidate: ModelArtifact, champion: ModelArtifact
) -> ParaphraseFigures:
    """Evaluate both scorers.

    Raises:
        ServiceUnavailable: the files of a scorer are missing or damaged.
        DataError: a file of labelled pairs cannot be read.
    """
    reporter.progress(0, 0, "Reading the held-out questions")
    scorers = {"candidate": scorer_of(candidate), "champion": scorer_of(champion)}
    suite, left_out = suite_for([contender.scorer for contender in scorers.values()])
    if left_out:
        reporter.log(f"{left_out:,} labelled pairs are left out: one of the scorers learned from their question.")
    results: dict[str, list[PairScore | None]] = {}
    for role, served in scorers.items():
        scorer = bulk_scorer(served, len(suite), reporter)
        results[role] = in_portions(reporter, role, suite, partial(_scores, scorer))
    reporter.progress(0, 0, "Comparing")
    return scorer_figures(suite, results, left_out=left_out)


def suite_for(scorers: Sequence[Scorer]) -> tuple[list[SuitePair], int]:
    """Return the pairs to evaluate both scorers on, and how many labelled ones either was trained on."""
    labelled = labelled_suites()
    fair = [item for item in labelled if not any(scorer.learned([item.pair.original]) for scorer in scorers)]
    return [*fixed_suite(), *fair], len(labelled) - len(fair)


def fixed_suite() -> list[SuitePair]:
    """Return the pairs of the bank's held-out questions, always the same ones for the same bank and decisions."""
    material = scorer_material()
    made = bank_test_pairs(material.questions, LARGEST_SUITE)
    return [
        *(SuitePair(pair, MADE) for pair in without_unchanged(made)),
        *(SuitePair(pair, DECIDED) for pair in material.decided.held_out),
    ]


def labelled_suites() -> list[SuitePair]:
    """Return the pairs with fixed labels by people: the demo's, and those of the files in the settings.

    Missing files are skipped.

    Raises:
        DataError: a file cannot be read, or contains no labelled pair.
    """
    suites = {DEMO: labelled_review_pairs()}
    for path in map(Path, settings.SCORER_SUITES):
        if path.is_file():
            name = path.name.partition(".")[0]
            suites[name] = [pair for pair in read_pairs(path) if pair.label is not None]
            if not suites[name]:
                raise DataError(f"No pair of {path.name} has a label.")
    return [SuitePair(pair, name) for name, pairs in suites.items() for pair in without_unchanged(pairs)]


def _scores(scorer: Scorer, suite: Sequence[SuitePair]) -> list[PairScore | None]:
    readable = [scorer.knows(*item.pair.texts) for item in suite]
    scores = iter(scorer.score([item.pair.texts for item, can in zip(suite, readable, strict=True) if can]))
    return [next(scores) if can else None for can in readable]


def scorer_figures(suite: Sequence[SuitePair], results: Roles, *, left_out: int = 0) -> ParaphraseFigures:
    """Return the figures of a comparison.

    Args:
        suite: the scored pairs.
        results: both scorers' scores of each pair.
        left_out: number of labelled pairs left out of the suite because a scorer was trained on them.
    """
    triples = list(zip(suite, results["candidate"], results["champion"], strict=True))
    rows = [(item, new, old) for item, new, old in triples if new is not None and old is not None]
    names = dict.fromkeys((MADE, DECIDED, DEMO, *(item.suite for item in suite)))
    metrics: list[Metric] = []
    suites: list[PairSuite] = []
    for name in names:
        suite_rows = [row for row in rows if row[0].suite == name]
        if suite_rows:
            originals = {item.pair.original for item, _new, _old in suite_rows}
            suites.append({"name": name, "pairs": len(suite_rows), "questions": len(originals)})
            metrics += _metrics(name, suite_rows)
    changed = sorted(rows, key=lambda row: -abs(row[1].probability - row[2].probability))
    return {
        "suite": {
            "questions": len({item.pair.original for item, _new, _old in rows}),
            "pairs": len(rows),
            "suites": suites,
            "left_out": left_out,
            "lost": len({item.pair.original for item, new, old in triples if old and not new}),
            "gained": len({item.pair.original for item, new, old in triples if new and not old}),
            "seed": SEED,
        },
        "metrics": sorted(metrics, key=lambda metric: list(MEASURES).index(metric["measure"])),
        "changed_pairs": [
            {
                "original": item.pair.original,
                "paraphrase": item.pair.paraphrase,
                "label": item.pair.label,
                "suite": item.suite,
                "candidate": round(new.probability, 4),
                "champion": round(old.probability, 4),
            }
            for item, new, old in changed[:CHANGED_SHOWN]
        ],
    }


def _metrics(suite: str, rows: Sequence[tuple[SuitePair, PairScore, PairScore]]) -> list[Metric]:
    """Return every figure with the interval of its difference; empty if too few questions are left."""
    originals = [item.pair.original for item, _new, _old in rows]
    labels = [int(item.pair.label or 0) for item, _new, _old in rows]
    questions = len(set(originals))
    if questions < SMALLEST_SUITE or set(labels) != {0, 1}:
        return []
    draws = PairResamples.of(labels, groups=originals, resamples=RESAMPLES, seed=SEED)
    metrics = []
    for measure, (value_of, threshold) in MEASURES.items():
        candidate = [value_of(new) for _item, new, _old in rows]
        champion = [value_of(old) for _item, _new, old in rows]
        bounds = intervals(draws.figures(candidate, threshold=threshold), draws.figures(champion, threshold=threshold))
        new, old = (pair_metrics(labels, values, threshold=threshold) for values in (candidate, champion))
        for figure in FIGURES:
            low, high = bounds[figure]
            first, second = getattr(new, figure), getattr(old, figure)
            values = {"candidate": first, "champion": second, "difference": first - second, "low": low, "high": high}
            entry = metric_entry(f"{measure}_{figure}_{suite}", values, questions=questions)
            metrics.append(entry | {"measure": measure, "suite": suite})
    return metrics

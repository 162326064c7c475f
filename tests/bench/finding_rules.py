# ruff: noqa: T201 - an experiment prints
"""What each rule of the findings and each feature is worth to the verdict of the starter scorer.

    python -m tests.bench.finding_rules --pairs FOLDER [--measure FILE ...]

Each is left out in turn. A row shows, by set, the AUC with the shipped weights and with weights fitted again on the
pairs of FOLDER (`analytics.paraphrase.refit`), and for a rule the invalid and valid pairs with a serious finding.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.metrics import roc_auc_score

from analytics.paraphrase.export import export_scorer
from analytics.paraphrase.findings.rules import RULES, changes_by_rule
from analytics.paraphrase.pair_files import read_pairs
from analytics.paraphrase.refit import FIXED
from analytics.paraphrase.scoring.fitting import fit_beside
from analytics.paraphrase.scoring.scorer import Scorer, load_scorer
from analytics.paraphrase.scoring.verdict import FEATURES, READING_CAP, verdict_features
from tests.bench.encode import SHARED_DATA

MEASURED = ("paraqd/aquarat_test.jsonl.gz", "paraqd/sawp_test.jsonl.gz", "pairs_by_kind/dev.jsonl")


@dataclass(frozen=True)
class Pairs:
    """A file's labelled pairs, with the score, the reading and the findings of each rule."""

    texts: list[tuple[str, str]]
    labels: list[int]
    scores: list[float]
    readings: list[float]

    @classmethod
    def read(cls, file: Path, scorer: Scorer) -> Pairs:
        pairs = [pair for pair in read_pairs(file) if pair.label is not None]
        texts = [(pair.original, pair.paraphrase) for pair in pairs]
        scores = [pair_score.score for pair_score in scorer.score(texts)]
        readings = [reading.log_odds if reading else 0.0 for reading in scorer.read(texts)]
        return cls(texts, [int(pair.label or 0) for pair in pairs], scores, readings)

    def faulted(self, rule: str) -> str:
        """Return how many invalid and valid pairs have a serious finding of a rule."""
        counts = [0, 0]
        for texts, label in zip(self.texts, self.labels, strict=True):
            findings = changes_by_rule(*texts).get(rule, ())
            counts[label] += any(finding.is_serious for finding in findings)
        return f"{counts[0]}/{counts[1]}"

    def features(self, without: Collection[str], zero: str) -> np.ndarray:
        """Return the features (pairs, columns) without rules, one feature set to 0."""
        rows = []
        for texts, score, reading in zip(self.texts, self.scores, self.readings, strict=True):
            by_rule = changes_by_rule(*texts, without=without)
            findings = [finding for name, each in by_rule.items() if name not in without for finding in each]
            rows.append(verdict_features(score, findings, *texts, reading=reading))
        array = np.array(rows)
        if zero:
            array[:, FEATURES.index(zero)] = 0
        return array


def main() -> int:
    """Print one row for all rules, each rule and each feature."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.finding_rules")
    parser.add_argument("--pairs", type=Path, required=True, help="folder of the pairs to fit on")
    parser.add_argument("--measure", type=Path, nargs="*", help="files of labelled pairs")
    options = parser.parse_args()
    files = options.measure or [SHARED_DATA / name for name in MEASURED]
    with tempfile.TemporaryDirectory() as scratch:
        export_scorer(Path(scratch) / "scorer")
        scorer = load_scorer(Path(scratch) / "scorer")
        fitted = {file.name: Pairs.read(file, scorer) for file in sorted(options.pairs.glob("*.jsonl*"))}
        measured = {file.name: Pairs.read(file, scorer) for file in files}
    labels = [label for pairs in fitted.values() for label in pairs.labels]
    sources = [name for name, pairs in fitted.items() for _ in pairs.labels]
    print("left out".ljust(16), *(name.partition(".")[0].ljust(22) for name in measured))
    rows = [
        ("", ""),
        *((rule.name, "") for rule in RULES),
        ("formulas", ""),
        *(("", name) for name in FEATURES),
    ]
    for rule, zero in rows:
        without = [rule] if rule else []
        weights = fit_beside(
            np.vstack([pairs.features(without, zero) for pairs in fitted.values()]).tolist(),
            labels,
            FIXED | ({zero: 0.0} if zero else {}),
            boundary=scorer.verdict.boundary,
            score_cap=READING_CAP,
            sources=sources,
        )
        cells = []
        for pairs in measured.values():
            features = pairs.features(without, zero)
            areas = [
                roc_auc_score(pairs.labels, each.probabilities(features))
                for each in (scorer.verdict, weights)
            ]
            cells.append(f"{areas[0]:.3f} {areas[1]:.3f} {pairs.faulted(rule) if rule else ''}".ljust(22))
        print((rule or zero or "nothing").ljust(16), *cells, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""What the verdict is worth on pairs of authors that it was not fitted on, and what each piece of its evidence is.

    python -m tests.bench.verdict [--data FOLDER] [--paper]

Seven files of English pairs, each by another author, are left out in turn (the three files of small changes together).
A row shows for all evidence, and without each piece, the Brier score, calibration error (ten bins) and AUC on each
file, then on all of them with both labels weighing the same among close texts and among others. Last come the weights
fitted on all files: `analytics.paraphrase.verdict.WEIGHTS`. `--paper` measures these on ParaQD's test sets too.
"""

from __future__ import annotations

import json
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.metrics import roc_auc_score

from analytics.metrics import expected_calibration_error
from analytics.paraphrase.metrics import balanced_shares, fit_verdict
from analytics.paraphrase.pair_files import read_pairs
from analytics.paraphrase.scorer import Scorer, load_scorer, weigh_pairs
from analytics.paraphrase.train import export_scorer
from analytics.paraphrase.verdict import FEATURES, said
from analytics.solver.rules.solver import compared_answers
from questionbank.demo.bank import labelled_review_pairs
from tests.bench.benchmark import read_options

TESTS = Path(__file__).parents[1]
OUTSIDE = TESTS / "bench" / "outside"
SMALL_CHANGES = TESTS / "analytics" / "paraphrase" / "small_changes"
PAPER = ("aquarat_test", "sawp_test")


@dataclass(frozen=True)
class Pairs:
    """One author's pairs.

    Attributes:
        rows: (pairs, len(FEATURES)).
        labels: 1 valid, 0 not.
    """

    rows: np.ndarray
    labels: np.ndarray

    @classmethod
    def of(cls, pairs: list[tuple[str, str, int]], scorer: Scorer) -> Pairs:
        known = [pair for pair in pairs if scorer.knows(*pair[:2])]
        texts = [pair[:2] for pair in known]
        scores = [pair_score.score for pair_score in scorer.score(texts)]
        answers = [compared_answers(*pair) for pair in texts]
        _findings, rows = weigh_pairs(texts, scores, scorer.read(texts), answers)
        return cls(np.array(rows), np.array([label for _original, _paraphrase, label in known]))


def main() -> int:
    """Print the rows."""
    options = read_options(paper=False)
    with tempfile.TemporaryDirectory() as scratch:
        export_scorer(Path(scratch) / "scorer")
        scorer = load_scorer(Path(scratch) / "scorer")
        authors = {name: Pairs.of(pairs, scorer) for name, pairs in files(options.data).items()}
        paper = {name: labelled(options.data / "paraqd" / f"{name}.jsonl.gz") for name in PAPER}
        paper_pairs = {name: Pairs.of(rows, scorer) for name, rows in paper.items() if options.paper}
    print("left out in turn:", ", ".join(f"{name} ({len(pairs.labels)})" for name, pairs in authors.items()))
    for without in ("", *FEATURES):
        left_out(authors, without)
    rows, labels, sources = joined(authors)
    verdict = fit_verdict(rows.tolist(), labels.tolist(), sources=sources)
    print("weights:", json.dumps(verdict.as_dict()["weights"]))
    for name, pairs in paper_pairs.items():
        print(f"{name}:", figures(verdict.probabilities(pairs.rows), pairs.labels))
    return 0


def files(data: Path) -> dict[str, list[tuple[str, str, int]]]:
    """Return the pairs of each author."""
    outside = {
        name: [
            (row["original"], row["paraphrase"], int(row["valid"]))
            for row in map(json.loads, (OUTSIDE / name / "pairs.jsonl").read_text("utf-8").splitlines())
            if row["language"] == "en"
        ]
        for name in ("second", "third")
    }
    small = {f"small {path.stem}": labelled(path) for path in sorted(SMALL_CHANGES.glob("*.jsonl"))}
    demo = [(pair.original, pair.paraphrase, int(pair.label or 0)) for pair in labelled_review_pairs()]
    return {**outside, "by kind": labelled(data / "pairs_by_kind" / "dev.jsonl"), **small, "demo": demo}


def labelled(path: Path) -> list[tuple[str, str, int]]:
    """Return a file's labelled pairs."""
    pairs = read_pairs(path)
    return [(pair.original, pair.paraphrase, pair.label) for pair in pairs if pair.label is not None]


def left_out(authors: dict[str, Pairs], without: str) -> None:
    """Print how a verdict fitted on the other authors' pairs does on each author's."""
    kept = np.array([name != without for name in FEATURES], dtype=float)
    parts, told, right = [], 0, 0
    for name, pairs in authors.items():
        others = {other: rest for other, rest in authors.items() if other.partition(" ")[0] != name.partition(" ")[0]}
        rows, labels, sources = joined(others)
        verdict = fit_verdict((rows * kept).tolist(), labels.tolist(), sources=sources)
        parts.append(verdict.probabilities(pairs.rows * kept))
        calls = [(said(p), label) for p, label in zip(parts[-1], pairs.labels, strict=True)]
        told += sum(call != "unsure" for call, _label in calls)
        right += sum(call == ("invalid", "valid")[label] for call, label in calls)
    print(f"without {without}:" if without else "all evidence:")
    for (name, pairs), stated in zip(authors.items(), parts, strict=True):
        print(f"  {name:14}", figures(stated, pairs.labels))
    rows, labels, sources = joined(authors)
    stated = np.concatenate(parts)
    print(
        "  all, balanced ", figures(stated, labels, balanced_shares(rows, labels, sources)), f"{right} of {told} told"
    )


def joined(authors: dict[str, Pairs]) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Return the rows, labels and authors of all pairs."""
    return (
        np.vstack([pairs.rows for pairs in authors.values()]),
        np.concatenate([pairs.labels for pairs in authors.values()]),
        [name for name, pairs in authors.items() for _label in pairs.labels],
    )


def figures(stated: np.ndarray, labels: np.ndarray, weights: np.ndarray | None = None) -> str:
    """Return Brier score, calibration error and AUC in words."""
    brier = np.average((stated - labels) ** 2, weights=weights)
    error = expected_calibration_error(stated, labels, 10, weights)
    area = roc_auc_score(labels, stated, sample_weight=weights)
    return f"Brier {brier:.3f}, calibration error {error:.3f}, AUC {area:.3f}"


if __name__ == "__main__":
    sys.exit(main())

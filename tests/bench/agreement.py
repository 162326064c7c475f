# ruff: noqa: T201 - an experiment prints
"""Whether the solver's agreement on a question and its paraphrase would help the scorer's verdict, or its training.

    python -m tests.bench.agreement [--data FOLDER] [--negatives]

Both starters on the pairs of ParaQD's test files. Where the solver finds the same answer for both texts, each with at
least a given probability, a weight is added to the verdict's log-odds: agreement only ever raises the score.

With ``--negatives``: of the negatives that each operator makes for training, those that are solved by the question's
own equation. A check of labels by the solver would drop them.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from sklearn.metrics import roc_auc_score

from analytics.expression.evaluate import answers_agree
from analytics.json_lines import read_objects
from analytics.paraphrase.export import export_scorer
from analytics.paraphrase.operators.catalog import select_operators
from analytics.paraphrase.scoring.scorer import load_scorer
from analytics.paraphrase.triplets import make_triplets
from analytics.records import ProblemRecord
from analytics.solver.capability import SOLVER
from analytics.solver.served import ServedSolver, load_solver
from tests.bench.encode import SHARED_DATA

SETS = ("sawp_test", "aquarat_test")
LEAST_PROBABILITIES = (0.0, 0.3, 0.5)
WEIGHTS = (0.0, 0.25, 0.5, 1.0)
NEGATIVE_SETS = (("mawps/cv", 30, 50), ("gsm8k/train", 200, 30))  # a question in so many, so many of them


def main() -> int:
    """Print a table for each set."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.agreement", description=__doc__.split("\n")[0]
    )
    parser.add_argument("--data", type=Path, default=SHARED_DATA, help="folder of the public data sets")
    parser.add_argument("--negatives", action="store_true", help="count the operators' negatives instead")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        if options.negatives:
            SOLVER.export(Path(scratch) / "solver")
            print_negatives(options.data, load_solver(Path(scratch) / "solver"))
            return 0
        export_scorer(Path(scratch) / "scorer")
        SOLVER.export(Path(scratch) / "solver")
        scorer, solver = load_scorer(Path(scratch) / "scorer"), load_solver(Path(scratch) / "solver")
        for name in SETS:
            rows = [row for _number, row in read_objects(options.data / "paraqd" / f"{name}.jsonl.gz")]
            pairs = [(str(row["original"]), str(row["paraphrase"])) for row in rows]
            labels = np.array([row["label"] for row in rows])
            probabilities = np.array([score.probability for score in scorer.score(pairs)]).clip(
                1e-6, 1 - 1e-6
            )
            print(
                f"\n{name}: {len(pairs)} pairs{'':12}agree   valid of them   AUC with a weight of {WEIGHTS}"
            )
            certainty = agreement(pairs, solver)
            for least in LEAST_PROBABILITIES:
                print_row(least, certainty >= least, np.log(probabilities / (1 - probabilities)), labels)
    return 0


def agreement(pairs: Sequence[tuple[str, str]], solver: ServedSolver) -> np.ndarray:
    """For each pair the lower probability of both solutions where the answers agree, else -1."""
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    solved = dict(zip(texts, solver.solve([ProblemRecord("", text) for text in texts]), strict=True))
    certainty = np.full(len(pairs), -1.0)
    for row, pair in enumerate(pairs):
        first, second = (solved[text][0] if solved[text] else None for text in pair)
        if first is None or second is None or first.value is None or second.value is None:
            continue
        if answers_agree(first.value, second.value):
            certainty[row] = min(first.probability, second.probability)
    return certainty


def print_negatives(data: Path, solver: ServedSolver) -> None:
    """By operator: its negatives, and those solved by the question's equation, both as probable as pages ask for."""
    questions = [
        str(row["text"])
        for name, step, most in NEGATIVE_SETS
        for row in [row for _number, row in read_objects(data / f"{name}.jsonl.gz")][::step][:most]
    ]
    triplets = make_triplets(questions, select_operators())
    texts = list(dict.fromkeys(text for triplet in triplets for text in (triplet.anchor, triplet.negative)))
    begin = time.perf_counter()
    solved = dict(zip(texts, solver.solve([ProblemRecord("", text) for text in texts]), strict=True))
    print(f"{len(texts)} texts of {len(questions)} questions solved in {time.perf_counter() - begin:.1f} s")
    made: Counter[str] = Counter()
    dropped: Counter[str] = Counter()
    for triplet in triplets:
        operator = triplet.negative_operator.removesuffix(" of a rewording")
        first, second = (solved[text][:1] for text in (triplet.anchor, triplet.negative))
        made[operator] += 1
        dropped[operator] += any(
            min(left.probability, right.probability) >= LEAST_PROBABILITIES[-1]
            and left.equation == right.equation
            and answers_agree(left.value, right.value)
            for left, right in zip(first, second, strict=False)
        )
    for operator, count in sorted(made.items(), key=lambda item: -dropped[item[0]] / item[1]):
        print(f"{operator:25}{count:6}{dropped[operator]:6}")
    print(f"{'all':25}{made.total():6}{dropped.total():6}")


def print_row(least: float, agree: np.ndarray, odds: np.ndarray, labels: np.ndarray) -> None:
    """One line: how many agree, how many of them are valid, the ranking with each weight."""
    valid = f"{labels[agree].mean():.2f}" if agree.any() else "-"
    areas = "  ".join(f"{roc_auc_score(labels, odds + weight * agree):.4f}" for weight in WEIGHTS)
    print(f"probability of at least {least:.1f}{int(agree.sum()):13}{valid:>16}   {areas}", flush=True)


if __name__ == "__main__":
    sys.exit(main())

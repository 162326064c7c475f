"""How well scores tell valid paraphrases from invalid ones: `manage.py evaluate paraphrase`.

ParaQD (Gupta et al., 2022), sections 4.4 and 5. A pair whose question the scorer learned from is no test: it is left
out, and counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from analytics.errors import DataError
from analytics.paraphrase.metrics import pair_metrics
from analytics.paraphrase.pair_files import read_pairs, without_unchanged
from analytics.paraphrase.rules import RULES
from analytics.paraphrase.scorer import PairScore, Scorer
from analytics.probes.measure import rounded
from analytics.records import ParaphrasePair

__all__ = ["evaluate_paraphrase", "figures_of", "labelled_pairs", "scorer_figures"]

_ENDINGS = (".jsonl", ".jsonl.gz")


def evaluate_paraphrase(data: Path, scorer: Scorer) -> dict[str, Any]:
    """Measure a scorer on a file of labelled pairs, or on each of a folder.

    Returns:
        By set: how many pairs there are and how many were left out because the scorer learned from their question;
        figures of the score, of the verdict, and of the untrained rules.

    Raises:
        DataError: there is no file with labelled pairs, or a line cannot be read.
    """
    files = [data]
    if data.is_dir():
        files = sorted(one for one in data.glob("*") if one.name.endswith(_ENDINGS))
    sets: dict[str, Any] = {}
    for file in files:
        pairs = labelled_pairs(file)
        known = [bool(scorer.learned([one.original, one.paraphrase])) for one in pairs]
        kept = [one for one, is_known in zip(pairs, known, strict=True) if not is_known]
        if {one.label for one in kept} != {0, 1}:
            raise DataError(f"{file.name} has not pairs of both labels that the scorer did not learn from.")
        found = scorer.score([(one.original, one.paraphrase) for one in kept])
        rules = {
            name: figures_of(kept, [rule(one.original, one.paraphrase) for one in kept])
            for name, rule in RULES.items()
        }
        sets[file.name.partition(".")[0]] = {
            "pairs": len(pairs),
            "learned_from_and_left_out": sum(known),
            **scorer_figures(kept, found),
            "rules": rules,
        }
    if not sets:
        raise DataError(f"There is no file (.jsonl or .jsonl.gz) in {data}.")
    result: dict[str, Any] = rounded(
        {"data": data.name, "scorer": scorer.name, "seed": scorer.manifest.seed, "sets": sets}
    )
    return result


def labelled_pairs(file: Path) -> list[ParaphrasePair]:
    """The pairs of a file that have a label, without those of an operator that changed nothing.

    Raises:
        DataError: a line cannot be read, or no pair has a label.
    """
    pairs = without_unchanged(one for one in read_pairs(file) if one.label is not None)
    if not pairs:
        raise DataError(f"No pair of {file.name} has a label.")
    return pairs


def scorer_figures(pairs: Sequence[ParaphrasePair], found: Sequence[PairScore]) -> dict[str, Any]:
    """Figures of the paper's plain score, and of the verdict that joins it with the findings.

    The verdict's probability is stretched to [-1, 1] for its separation; one half is then 0.
    """
    return {
        "score": figures_of(pairs, [one.score for one in found]),
        "verdict": figures_of(pairs, [2 * one.probability - 1 for one in found], threshold=0.0),
    }


def figures_of(
    pairs: Sequence[ParaphrasePair], scores: Sequence[float], *, threshold: float | None = None
) -> dict[str, Any]:
    """All figures of scores, and those of each operator's pairs where operators made them."""
    labels = [int(one.label or 0) for one in pairs]
    figures = (
        pair_metrics(labels, scores)
        if threshold is None
        else pair_metrics(labels, scores, threshold=threshold)
    )
    body = figures.as_dict()
    operators: Mapping[str, list[float]] = {
        name: [score for one, score in zip(pairs, scores, strict=True) if one.operator == name]
        for name in sorted({one.operator for one in pairs if one.operator})
    }
    if operators:
        body["mean_by_operator"] = {name: sum(own) / len(own) for name, own in operators.items()}
    return body

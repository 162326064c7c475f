"""How well scores separate valid from invalid paraphrases, with intervals: `manage.py evaluate paraphrase`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from analytics.errors import DataError
from analytics.inference.encode import Encode
from analytics.metrics import expected_calibration_error, rounded
from analytics.paraphrase.metrics import RULES, THRESHOLD, operator_accuracy, pair_metrics, rule_first
from analytics.paraphrase.operators.catalog import OPERATORS
from analytics.paraphrase.pair_files import read_pairs, without_unchanged
from analytics.paraphrase.scorer import PairScore, Scorer, cosines
from analytics.records import ParaphrasePair
from questionbank.review.evidence_services import scorer_by_number
from worker.bootstrap import RESAMPLES, middle, resample_counts

_MEANT = {operator.name: int(operator.is_positive) for operator in OPERATORS} | dict.fromkeys(
    (  # the published files' names that differ from ours
        "remove_key_phrase",
        "delete_last_sentence",
        "replace_named_entities",
        "replace_numbers",
        "pegasus",
        "replace_units",
    ),
    0,
)


def operator_figures(pairs: Sequence[ParaphrasePair]) -> dict[str, Any]:
    """Return precision and recall of the valid pairs, and accuracy, for labelled pairs with a known operator.

    Returns:
        These figures; how many pairs each operator made and how many are valid; and whether the labels are merely the
        operators' intentions, in which case the figures are meaningless. Empty if no operator is known.
    """
    operator_pairs = [pair for pair in pairs if pair.operator in _MEANT]
    if not operator_pairs:
        return {}
    meant = [_MEANT[pair.operator] for pair in operator_pairs]
    labels = [int(pair.label or 0) for pair in operator_pairs]
    by_operator = {
        name: {
            "meant": "valid" if _MEANT[name] else "invalid",
            "pairs": sum(pair.operator == name for pair in operator_pairs),
            "valid": sum(pair.label == 1 for pair in operator_pairs if pair.operator == name),
        }
        for name in dict.fromkeys(pair.operator for pair in operator_pairs)
    }
    return {
        "pairs": len(operator_pairs),
        **operator_accuracy(meant, labels),
        "labels_are_what_was_meant": meant == labels,
        "by_operator": by_operator,
    }


INTERVALS = ("auc", "macro_f1", "paper_macro_f1", "separation")
"""Figures of `analytics.paraphrase.metrics.PairMetrics` that get an interval."""

Array = npt.NDArray[np.float64]
Figures = Mapping[str, Array]


@dataclass(frozen=True)
class PairResamples:
    """Resamples of labelled pairs.

    Attributes:
        labels: (pairs,) 1 for valid, 0 for invalid.
        counts: (resamples, pairs) how often each pair is drawn.
    """

    labels: npt.NDArray[np.int64]
    counts: Array

    @classmethod
    def of(
        cls, labels: Sequence[int], *, groups: Sequence[str] | None = None, resamples: int = RESAMPLES, seed: int = 0
    ) -> PairResamples:
        """Draw as many pairs as there are, with replacement; the same labels and seed give the same draws.

        Args:
            labels: 1 for valid, 0 for invalid.
            groups: group of each pair; pairs of one group are drawn together. By default each pair is drawn alone.
            resamples: number of draws.
            seed: seed of the draws.
        """
        places = np.arange(len(labels)) if groups is None else np.unique(groups, return_inverse=True)[1]
        draws = resample_counts(int(places.max()) + 1, resamples=resamples, seed=seed)
        return cls(np.asarray(labels, dtype=np.int64), np.array(list(draws), dtype=np.float64)[:, places])

    @cached_property
    def _counts_of(self) -> tuple[Array, Array]:
        """(resamples, pairs) counts of the invalid and of the valid pairs."""
        return self.counts[:, self.labels == 0], self.counts[:, self.labels == 1]

    def figures(self, scores: npt.ArrayLike, *, threshold: float = THRESHOLD) -> Figures:
        """Return each of `INTERVALS` for every resample, as in `pair_metrics`; NaN if a class was not drawn.

        Args:
            scores: (pairs,).
            threshold: pairs with a higher score are predicted valid.
        """
        values = np.asarray(scores, dtype=np.float64)
        of_invalid, of_valid = values[self.labels == 0], values[self.labels == 1]
        invalid, valid = self._counts_of
        support = np.stack([invalid.sum(axis=1), valid.sum(axis=1)])  # (classes, resamples)
        hits = np.stack([invalid @ (of_invalid <= threshold), valid @ (of_valid > threshold)])
        called = hits + (support - hits)[::-1]
        with np.errstate(invalid="ignore", divide="ignore"):
            recall = (hits / support).mean(axis=0)
            precision = np.where(called > 0, hits / called, 0.0).mean(axis=0)
            return {
                "auc": self._couples_in_order(of_invalid, of_valid) / support.prod(axis=0),
                "macro_f1": np.where(np.isnan(recall), np.nan, (2 * hits / (called + support)).mean(axis=0)),
                "paper_macro_f1": 2 * precision * recall / (precision + recall),
                "separation": valid @ of_valid / support[1] - invalid @ of_invalid / support[0],
            }

    def _couples_in_order(self, of_invalid: Array, of_valid: Array) -> Array:
        """Return the number of (invalid, valid) couples in which the valid pair scores higher; ties count half."""
        invalid, valid = self._counts_of
        order = np.argsort(of_invalid)
        below = np.pad(invalid[:, order].cumsum(axis=1), ((0, 0), (1, 0)))
        couples: Array = np.zeros(len(below))
        for side in ("left", "right"):
            places = np.searchsorted(of_invalid[order], of_valid, side=side)
            couples += np.einsum("ij,ij->i", valid, below[:, places]) / 2
        return couples


def mean_figures(runs: Sequence[Figures]) -> Figures:
    """Return the mean of each figure over runs (seeds), resample by resample."""
    return {name: np.mean([run[name] for run in runs], axis=0) for name in INTERVALS}


def intervals(figures: Figures, less: Figures | None = None) -> dict[str, list[float]]:
    """Return the 95 % interval of each figure, or of its difference from another scorer's on the same draws."""
    return {name: list(middle(figures[name] - (less[name] if less else 0.0))) for name in INTERVALS}


_ENDINGS = (".jsonl", ".jsonl.gz")
_RULE = "same_numbers"
_REFERENCES = (_RULE, "frozen", f"{_RULE}_then_frozen")
"""Baselines that a scorer must beat."""


def evaluate_paraphrase(data: Path, scorer: Scorer, *, frozen: Encode | None = None) -> dict[str, Any]:
    """Evaluate a scorer on a file of labelled pairs, or on each file in a folder.

    Args:
        frozen: an untrained encoder; if given, its cosine, and the rule "same set of numbers" with this cosine as
            tie-breaker, are evaluated along with the rules.

    Returns:
        By set: how accurate the probability is; the number of pairs, and of pairs left out because the scorer was
        trained on their question or because an operator changed nothing; figures of the score, of the
        verdict and of the untrained rules, each with 95 % bootstrap intervals over pairs; paired differences
        from the baselines that a scorer must beat; how often the operators produced what they intended; and the share
        of valid and of invalid pairs with a serious finding. And for sets that could not be evaluated the reason: a
        line cannot be read, or there are no pairs of both labels that the scorer was not trained on.

    Raises:
        DataError: there is no file, or none could be evaluated.
    """
    files = [data]
    if data.is_dir():
        files = sorted(path for path in data.glob("*") if path.name.endswith(_ENDINGS))
    if not files:
        raise DataError(f"There is no file (.jsonl or .jsonl.gz) in {data}.")
    sets, unusable = {}, {}
    for file in files:
        name = file.name.partition(".")[0]
        try:
            sets[name] = _set_figures(file, scorer, frozen)
        except DataError as error:
            unusable[name] = str(error)
    if not sets:
        raise DataError(" ".join(unusable.values()))
    figures = {"data": data.name, "scorer": scorer.name, "seed": scorer.manifest.seed, "sets": sets}
    result: dict[str, Any] = rounded(figures | {"unusable": unusable})
    return result


def _set_figures(file: Path, scorer: Scorer, frozen: Encode | None) -> dict[str, Any]:
    labelled = [pair for pair in read_pairs(file) if pair.label is not None]
    pairs = without_unchanged(labelled)
    if not pairs:
        raise DataError(f"No pair of {file.name} has a label.")
    kept = [pair for pair in pairs if not scorer.learned([pair.original, pair.paraphrase])]
    if {pair.label for pair in kept} != {0, 1}:
        raise DataError(f"{file.name} has not pairs of both labels that the scorer did not learn from.")
    pair_scores = scorer.score([pair.texts for pair in kept])
    scores = {
        "score": ([pair_score.score for pair_score in pair_scores], THRESHOLD),
        "cosine": ([pair_score.cosine for pair_score in pair_scores], THRESHOLD),
        # The probability is stretched to [-1, 1] for its separation; one half becomes 0.
        "verdict": ([2 * pair_score.probability - 1 for pair_score in pair_scores], 0.0),
        **_untrained_scores(kept, frozen),
    }
    draws = PairResamples.of([int(pair.label or 0) for pair in kept])
    drawn = {name: draws.figures(values, threshold=threshold) for name, (values, threshold) in scores.items()}
    figures = {
        name: figures_of(kept, values, threshold=threshold) | {"intervals": intervals(drawn[name])}
        for name, (values, threshold) in scores.items()
    }
    differences = {
        f"{name} less {reference}": {
            key: [figures[name][key] - figures[reference][key], *bounds]
            for key, bounds in intervals(drawn[name], drawn[reference]).items()
        }
        for name in ("score", "verdict")
        for reference in ("score", *_REFERENCES)
        if reference in scores and reference != name
    }
    return {
        "pairs": len(pairs),
        "learned_from_and_left_out": len(pairs) - len(kept),
        "unchanged_and_left_out": len(labelled) - len(pairs),
        "score": figures.pop("score"),
        "cosine": figures.pop("cosine"),
        "verdict": figures.pop("verdict"),
        "probability": _probability_figures(kept, pair_scores),
        "rules": figures,
        "differences": differences,
        "operators": operator_figures(kept),
        "valid_with_serious_finding": _share_faulted(kept, pair_scores, 1),
        "invalid_with_serious_finding": _share_faulted(kept, pair_scores, 0),
    }


def _probability_figures(pairs: Sequence[ParaphrasePair], scores: Sequence[PairScore]) -> dict[str, float]:
    """Return the verdict's accuracy at one half, and measures of how well calibrated its probabilities are."""
    labels = np.array([int(pair.label or 0) for pair in pairs])
    probabilities = np.array([score.probability for score in scores])
    said_valid = probabilities >= 0.5
    confidence = np.where(said_valid, probabilities, 1 - probabilities)
    is_right = said_valid == labels
    return {
        "accuracy": float(is_right.mean()),
        "brier": float(((probabilities - labels) ** 2).mean()),
        "calibration_error": expected_calibration_error(confidence, is_right, bins=10),
    }


def _share_faulted(pairs: Sequence[ParaphrasePair], scores: Sequence[PairScore], label: int) -> float:
    """Return the share of pairs with this label that have a serious finding."""
    faulted = [
        any(finding.is_serious for finding in score.findings)
        for pair, score in zip(pairs, scores, strict=True)
        if pair.label == label
    ]
    return sum(faulted) / len(faulted)


def _untrained_scores(pairs: Sequence[ParaphrasePair], frozen: Encode | None) -> dict[str, tuple[list[float], float]]:
    """Return scores and threshold of each rule, of the frozen cosine, and of the rule followed by the cosine."""
    texts = [pair.texts for pair in pairs]
    scores = {name: ([rule(*pair) for pair in texts], THRESHOLD) for name, rule in RULES.items()}
    if frozen is not None:
        near = cosines(texts, frozen)
        joined = [rule_first(rule, cosine) for rule, cosine in zip(scores[_RULE][0], near, strict=True)]
        scores |= {"frozen": (near, THRESHOLD), f"{_RULE}_then_frozen": (joined, 0.0)}
    return scores


def figures_of(
    pairs: Sequence[ParaphrasePair], scores: Sequence[float], *, threshold: float = THRESHOLD
) -> dict[str, Any]:
    """Return all figures of the scores, and the mean score by operator if operators made the pairs."""
    labels = [int(pair.label or 0) for pair in pairs]
    body = pair_metrics(labels, scores, threshold=threshold).as_dict()
    operators: Mapping[str, list[float]] = {
        name: [score for pair, score in zip(pairs, scores, strict=True) if pair.operator == name]
        for name in sorted({pair.operator for pair in pairs if pair.operator})
    }
    if operators:
        body["mean_by_operator"] = {
            name: sum(operator_scores) / len(operator_scores) for name, operator_scores in operators.items()
        }
    return body


def evaluate_scorer(options: Mapping[str, Any]) -> dict[str, Any]:
    """Evaluate the scorer in use, or the one with the id ``model``, on ``data``.

    Raises:
        NotFound: there is no such scorer.
    """
    from analytics.backbone.bert import encode_bulk, load_backbone

    scorer = scorer_by_number(options["model"])
    return evaluate_paraphrase(options["data"], scorer, frozen=partial(encode_bulk, load_backbone()))

"""The exam of judging pairs: paraphrases that strangers wrote, by the model, by the verdict in use, and by both."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from analytics.json_lines import read_objects
from analytics.language_model.pairs import LeaningWeight, judge, pair_messages, with_judgement
from analytics.language_model.protocol import LanguageModel
from analytics.paraphrase.verdict import said as call_of
from questionbank.core.errors import ServiceUnavailable, ValidationFailed
from questionbank.registry.language_model_services import ExamOutcome
from questionbank.registry.serving import served_scorer
from worker.exam.contract import Array, Example, UseExam, at, compared, figures_of, fitted_weight, folds, verdict_of
from worker.reporting import RunReporter

_UNREAD = 0.5  # probability of a pair that the scorer does not read
_TOGETHER = 32


class PairsExam(UseExam):
    """Judging paraphrases."""

    use = "pairs"
    measure = "Area under the ROC curve: how often the valid one of two paraphrases is given the higher probability"
    answer_tokens = 50

    def examples(self, folder: Path) -> list[Example]:
        """Read ``SET/pairs.jsonl``: ``original``, ``paraphrase`` and ``valid``.

        Valid and invalid ones take turns, and sets begin with either in turn, so that a trial of a few has both.
        """
        found = []
        for place, file in enumerate(sorted(folder.glob("*/pairs.jsonl"))):
            rows = [row for _number, row in read_objects(file) if isinstance(row.get("valid"), bool)]
            kinds = [[row for row in rows if row["valid"] is kind] for kind in (place % 2 == 0, place % 2 == 1)]
            turns = [row for turn in zip_longest(*kinds) for row in turn if row is not None]
            found += [
                Example(file.parent.name, {name: row[name] for name in ("original", "paraphrase", "valid")})
                for row in turns
            ]
        return found

    def prompt(self, example: Example) -> str:
        messages = pair_messages(example.data["original"], example.data["paraphrase"])
        return json.dumps([[asdict(message) for message in each] for each in messages])

    def ask(self, model: LanguageModel, example: Example) -> dict[str, Any]:
        found = judge(model, example.data["original"], example.data["paraphrase"])
        return {"leaning": found.leaning, "span": found.span, "reason": found.reason, "unusable": found.unusable / 2}

    def outcome(
        self, examples: Sequence[Example], answers: Sequence[Mapping[str, Any]], reporter: RunReporter
    ) -> ExamOutcome:
        if len({example.data["valid"] for example in examples}) < 2:
            raise ValidationFailed("The pairs are all valid or all invalid, so nothing compares them: take more pairs.")
        own = own_probabilities([(each.data["original"], each.data["paraphrase"]) for each in examples], reporter)
        leanings = [answer["leaning"] for answer in answers]
        valid = np.array([float(example.data["valid"]) for example in examples])
        both = own.copy()
        for measured in folds([example.source for example in examples]):
            fitted = np.flatnonzero(~measured)
            weight = fit_weight(own[fitted], at(fitted, leanings), valid[fitted])
            for place in np.flatnonzero(measured):
                both[place] = with_judgement(own[place], leanings[place], weight)
        alone = np.array([0.0 if leaning is None else leaning for leaning in leanings])
        arms = compared(_area, alone, own, both, valid)
        lines = [_calls(title, column, valid) for title, column in (("Kindred alone", own), ("Both", both))]
        return ExamOutcome(
            verdict_of(arms[-1:], len(examples)),
            figures_of(self, examples, answers, arms, lines),
            asdict(fit_weight(own, leanings, valid)),
        )


def own_probabilities(pairs: Sequence[tuple[str, str]], reporter: RunReporter) -> Array:
    """Return the probability that each pair is valid, by the scorer in use; one half for a pair that it cannot read.

    Raises:
        ServiceUnavailable: there is no scorer, or its files are missing or damaged.
    """
    served = served_scorer()
    if served is None:
        raise ServiceUnavailable("There is no scorer of paraphrases in use: run “manage.py setup_bank”.")
    probabilities = np.full(len(pairs), _UNREAD)
    for start in range(0, len(pairs), _TOGETHER):
        reporter.check()
        reporter.progress(start, len(pairs), f"Kindred scores {len(pairs):,} pairs")
        places = [
            place
            for place in range(start, min(start + _TOGETHER, len(pairs)))
            if not served.scorer.unread_reason(*pairs[place])
        ]
        for place, score in zip(places, served.scorer.score([pairs[place] for place in places]), strict=True):
            probabilities[place] = score.probability
    return probabilities


def fit_weight(own: Array, leanings: Sequence[float | None], valid: Array) -> LeaningWeight:
    """Return the weight of the model's leaning that makes the labels most probable."""
    said = [leaning for leaning in leanings if leaning is not None]
    middle = round(float(np.mean(said)), 4) if said else 0.0
    leaning = np.array([0.0 if each is None else each - middle for each in leanings])
    if not said or np.ptp(said) == 0:
        return LeaningWeight()
    clipped = np.clip(own, 0.01, 0.99)
    odds, signs = np.log(clipped / (1 - clipped)), 2 * valid - 1

    def loss(weight: float) -> float:
        return float(np.logaddexp(0, -signs * (odds + weight * leaning)).sum())

    weight = fitted_weight(loss)
    return LeaningWeight(round(weight, 4), middle) if weight else LeaningWeight()


def _area(scores: Array, valid: Array) -> float:
    """Return the area under the ROC curve; a resample without both labels has none.

    `roc_auc` of scikit-learn is the same, but takes minutes for the resamples.
    """
    above = scores[valid == 1][:, None] - scores[valid == 0]
    return float(((above > 0) + (above == 0) / 2).mean()) if above.size else float("nan")


def _calls(title: str, probabilities: Array, valid: Array) -> str:
    calls = [call_of(probability) for probability in probabilities]
    right = sum(call == ("invalid", "valid")[int(label)] for call, label in zip(calls, valid, strict=True))
    wrong = len(calls) - calls.count("unsure") - right
    count = len(calls) / 100
    return f"{title}: of 100 pairs {right / count:.0f} rightly called valid or invalid, {wrong / count:.0f} wrongly."

"""What each rule of the findings is worth to the verdict, on labelled pairs.

The verdict is fitted on the pairs themselves, with and without a rule, and measured on pairs of other questions (five
folds). A rule that says something of its own raises the AUC; how often its serious findings are right is its precision.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedGroupKFold

from analytics.paraphrase.findings.finding import Finding
from analytics.paraphrase.findings.rules import RULES, changes_by_rule
from analytics.paraphrase.scoring.fitting import fit_verdict
from analytics.paraphrase.scoring.scorer import PairScore
from analytics.paraphrase.scoring.verdict import UNCAPPED, verdict_features
from analytics.records import ParaphrasePair

_FOLDS = 5

ByRule = Mapping[str, Sequence[Finding]]


def rule_worth(
    pairs: Sequence[ParaphrasePair],
    scores: Sequence[PairScore],
    score_cap: float = UNCAPPED,
    *,
    without: Collection[str] = (),
) -> dict[str, Any]:
    """Return what each rule is worth.

    Args:
        pairs: labelled.
        scores: of the pairs, with what the cross-encoder reads in them.
        score_cap: of the scorer's verdict.
        without: rules that are left out throughout.

    Returns:
        The AUC of the fitted verdict with all rules (``auc``), and by rule: in how many invalid and valid pairs it has
        a serious finding, its precision, and the AUC without it. AUCs are None if there are too few questions.
    """
    labels = [int(pair.label or 0) for pair in pairs]
    findings = [changes_by_rule(pair.original, pair.paraphrase, without=without) for pair in pairs]
    rules = {}
    for rule in (rule.name for rule in RULES if rule.name not in without):
        faulted = [
            label
            for label, pair_findings in zip(labels, findings, strict=True)
            if any(finding.is_serious for finding in pair_findings.get(rule, ()))
        ]
        rules[rule] = {
            "invalid": faulted.count(0),
            "valid": faulted.count(1),
            "precision": faulted.count(0) / len(faulted) if faulted else None,
            "auc_without": _auc(pairs, scores, findings, labels, score_cap, rule),
        }
    return {"auc": _auc(pairs, scores, findings, labels, score_cap), "rules": rules}


def _auc(
    pairs: Sequence[ParaphrasePair],
    scores: Sequence[PairScore],
    findings: Sequence[ByRule],
    labels: Sequence[int],
    score_cap: float,
    without: str = "",
) -> float | None:
    """Return the AUC of a verdict that is fitted on pairs of other questions."""
    groups = [pair.original for pair in pairs]
    truth = np.array(labels)
    if len(set(groups)) < 2 * _FOLDS or min(labels.count(0), labels.count(1)) < _FOLDS:
        return None
    rows = np.array(
        [
            verdict_features(
                score.score,
                [
                    finding
                    for rule, rule_findings in by_rule.items()
                    if rule != without
                    for finding in rule_findings
                ],
                pair.original,
                pair.paraphrase,
                reading=score.reading,
            )
            for score, by_rule, pair in zip(scores, findings, pairs, strict=True)
        ]
    )
    probabilities = np.zeros(len(pairs))
    folds = StratifiedGroupKFold(_FOLDS, shuffle=True, random_state=0)
    for fitted, measured in folds.split(rows, truth, groups):
        verdict = fit_verdict(rows[fitted].tolist(), truth[fitted].tolist(), score_cap=score_cap)
        probabilities[measured] = verdict.probabilities(rows[measured])
    return float(roc_auc_score(truth, probabilities))

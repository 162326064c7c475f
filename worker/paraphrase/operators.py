"""How often operators make what they mean to, by the labels of their pairs (ParaQD, section 4.5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from analytics.paraphrase.operators.catalog import OPERATORS
from analytics.paraphrase.scoring.metrics import operator_accuracy
from analytics.records import ParaphrasePair

_MEANT = {operator.name: int(operator.is_positive) for operator in OPERATORS} | dict.fromkeys(
    (  # the names of the published files that differ from ours
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
    """Return the precision and recall of the valid pairs, and accuracy, of labelled pairs whose operator is known.

    Returns:
        With them how many pairs each operator made and how many are valid, and whether the labels are no more than
        what the operators meant: then the figures say nothing. Empty where no operator is known.
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

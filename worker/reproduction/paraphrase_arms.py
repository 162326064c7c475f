"""The arms of ParaQD's tables: one line each, as settings of the scorer's configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from analytics.paraphrase.operators.catalog import OPERATORS

__all__ = ["ARMS", "PUBLISHED", "Arm"]

_PAPER = {"extra_operators": False}


@dataclass(frozen=True, slots=True)
class Arm:
    """One line of a table.

    Attributes:
        title: as the table says it.
        settings: what differs from the default configuration; None: nothing is trained.
        rule: of `analytics.paraphrase.rules.RULES`, instead of an encoder or in front of it.
        encodes: an encoder's cosine is (a part of) the score.
        others: other questions are the negatives, and back-translation alone makes positives.
    """

    title: str
    settings: Mapping[str, Any] | None = None
    rule: str = ""
    encodes: bool = True
    others: bool = False


ARMS: dict[str, Arm] = {
    "edit-distance": Arm("edit similarity", rule="edit_similarity", encodes=False),
    "same-numbers": Arm("rule: same set of numbers", rule="same_numbers", encodes=False),
    "same-numbers-and-units": Arm(
        "rule: same numbers and units", rule="same_numbers_and_units", encodes=False
    ),
    "no-finding": Arm("rule: no serious finding", rule="no_finding", encodes=False),
    "frozen": Arm("frozen encoder"),
    "rule-frozen": Arm("same set of numbers, then frozen encoder", rule="same_numbers"),
    "finding-frozen": Arm("no serious finding, then frozen encoder", rule="no_finding"),
    "others": Arm("back-translation (stand-in), other questions as negatives", {}, others=True),
    "paraqd": Arm("ParaQD, the paper's operators", _PAPER),
    "mnrl": Arm("ParaQD, multiple negatives ranking", _PAPER | {"loss": "mnrl"}),
    "ours": Arm("all operators", {}),
    "ours-both": Arm("all operators, both losses", {"loss": "both"}),
    **{
        f"without-{one.name.replace('_', '-')}": Arm(
            f"ParaQD without {one.label}", _PAPER | {"without": one.name}
        )
        for one in OPERATORS
        if one.is_training and one.is_paper
    },
}

PUBLISHED: Mapping[str, Mapping[str, Mapping[str, float]]] = {
    "aquarat_test": {
        "Pretrained": {"paper_macro_f1": 0.569, "paper_weighted_f1": 0.453, "separation": 0.080},
        "UDA": {"paper_macro_f1": 0.577, "paper_weighted_f1": 0.467, "separation": 0.029},
        "SSMBA": {"paper_macro_f1": 0.596, "paper_weighted_f1": 0.520, "separation": 0.137},
        "ParaQD": {"paper_macro_f1": 0.687, "paper_weighted_f1": 0.687, "separation": 0.780},
    },
    "sawp_test": {
        "Pretrained": {"paper_macro_f1": 0.245, "paper_weighted_f1": 0.159, "separation": 0.068},
        "UDA": {"paper_macro_f1": 0.535, "paper_weighted_f1": 0.458, "separation": 0.046},
        "SSMBA": {"paper_macro_f1": 0.626, "paper_weighted_f1": 0.520, "separation": 0.172},
        "ParaQD": {"paper_macro_f1": 0.640, "paper_weighted_f1": 0.640, "separation": 0.589},
    },
}
"""Table 1 of the paper, without pseudo-labels; EM_Math is private, PAWP is not among our sets."""

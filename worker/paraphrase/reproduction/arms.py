"""The arms of ParaQD's tables: one line each, as settings of the scorer's configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from analytics.paraphrase.operators.catalog import OPERATORS
from analytics.paraphrase.scoring.metrics import THRESHOLD

_PAPER = {"extra_operators": False}
_PLAIN = {"loss": "both", "combine": True, "stretch": True}


@dataclass(frozen=True, slots=True)
class Arm:
    """One line of a table.

    Attributes:
        title: as the table says it.
        settings: what differs from the default configuration; None: nothing is trained.
        rule: of `analytics.paraphrase.scoring.baselines.RULES`, instead of an encoder or in front of it.
        encodes: an encoder's cosine is (a part of) the score.
        baseline: of `worker.paraphrase.reproduction.baselines.BASELINES`, which makes the triplets in place of the
            operators.
        pseudo_labels: the baseline labels what its augmentations make.
    """

    title: str
    settings: Mapping[str, Any] | None = None
    rule: str = ""
    encodes: bool = True
    baseline: str = ""
    pseudo_labels: bool = False

    @property
    def trains(self) -> bool:
        """Whether an encoder is trained."""
        return self.settings is not None

    @property
    def threshold(self) -> float:
        """The paper's 0.5; a rule in front of a cosine puts all that it accepts above 0."""
        return 0.0 if self.rule and self.encodes else THRESHOLD


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
    "others": Arm("back-translation, other questions as negatives", {}, baseline="back-translation"),
    "uda": Arm("UDA", {}, baseline="uda"),
    "uda-pl": Arm("UDA (with pl)", {}, baseline="uda", pseudo_labels=True),
    "ssmba": Arm("SSMBA", {}, baseline="ssmba"),
    "ssmba-pl": Arm("SSMBA (with pl)", {}, baseline="ssmba", pseudo_labels=True),
    "paraqd": Arm("ParaQD, the paper's operators", _PAPER),
    "mnrl": Arm("ParaQD, multiple negatives ranking", _PAPER | {"loss": "mnrl"}),
    "ours": Arm("all operators", {}),
    "ours-both": Arm("all operators, both losses", {"loss": "both"}),
    "ours-plain": Arm("all operators, both losses, combined, stretched", _PLAIN),
    "ours-typed": Arm("the same with typed numbers", _PLAIN | {"typed_numbers": True}),
    "ours-between": Arm(
        "the same, weights between pretrained and trained",
        _PLAIN | {"typed_numbers": True, "interpolate": True},
    ),
    **{
        f"without-{operator.name.replace('_', '-')}": Arm(
            f"ParaQD without {operator.label}", _PAPER | {"without": operator.name}
        )
        for operator in OPERATORS
        if operator.is_training and operator.is_paper
    },
}


_UNTRAINED = ("same-numbers", "frozen", "rule-frozen")


def with_untrained(arms: Sequence[str]) -> list[str]:
    """Put what a trained scorer must beat in front of arms of which one is trained."""
    if not any(arm in ARMS and ARMS[arm].trains for arm in arms):
        return list(arms)
    return [*(arm for arm in _UNTRAINED if arm not in arms), *arms]


def _published(
    macro: float, weighted: float, positive: float, negative: float, separation: float
) -> Mapping[str, float]:
    return {
        "paper_macro_f1": macro,
        "paper_weighted_f1": weighted,
        "positive_mean": positive,
        "negative_mean": negative,
        "separation": separation,
    }


PUBLISHED: Mapping[str, Mapping[str, Mapping[str, float]]] = {
    "aquarat_test": {
        "Pretrained": _published(0.569, 0.453, 0.977, 0.897, 0.080),
        "UDA": _published(0.577, 0.467, 0.995, 0.966, 0.029),
        "UDA (with pl)": _published(0.573, 0.460, 0.996, 0.973, 0.023),
        "SSMBA": _published(0.596, 0.520, 0.965, 0.829, 0.137),
        "SSMBA (with pl)": _published(0.584, 0.480, 0.997, 0.928, 0.069),
        "ParaQD": _published(0.687, 0.687, 0.770, -0.010, 0.780),
    },
    "sawp_test": {
        "Pretrained": _published(0.245, 0.159, 0.964, 0.896, 0.068),
        "UDA": _published(0.535, 0.458, 0.958, 0.912, 0.046),
        "UDA (with pl)": _published(0.583, 0.484, 0.990, 0.929, 0.061),
        "SSMBA": _published(0.626, 0.574, 0.929, 0.758, 0.172),
        "SSMBA (with pl)": _published(0.588, 0.504, 0.978, 0.864, 0.115),
        "ParaQD": _published(0.640, 0.640, 0.656, 0.068, 0.589),
    },
}
"""Table 1 of the paper; EM_Math is private, PAWP is not among our sets."""

"""The arms of ParaQD's tables, and what the paper published; see arms.toml."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from analytics.paraphrase.operators.catalog import OPERATORS
from analytics.paraphrase.scoring.metrics import THRESHOLD
from worker.reproduction import arms

_FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Arm(arms.Arm):
    """One line of a table.

    Attributes:
        rule: of `analytics.paraphrase.scoring.baselines.RULES`, instead of an encoder or in front of it.
        encodes: an encoder's cosine is (a part of) the score.
        baseline: of `worker.paraphrase.reproduction.baselines.BASELINES`, which makes the triplets in place of the
            operators.
        pseudo_labels: the baseline labels what its augmentations make.
    """

    rule: str = ""
    encodes: bool = True
    baseline: str = ""
    pseudo_labels: bool = False

    @property
    def threshold(self) -> float:
        """The paper's 0.5; a rule in front of a cosine puts all that it accepts above 0."""
        return 0.0 if self.rule and self.encodes else THRESHOLD


def _without_each_operator(whole: Arm) -> dict[str, Arm]:
    """Return the ablations of an arm: one for each operator of the paper."""
    return {
        f"without-{operator.name.replace('_', '-')}": Arm(
            f"ParaQD without {operator.label}", {**(whole.settings or {}), "without": operator.name}
        )
        for operator in OPERATORS
        if operator.is_training and operator.is_paper
    }


_READ = arms.read_arms(_FOLDER, Arm)
ARMS = {**_READ, **_without_each_operator(_READ["paraqd"])}
"""What `reproduce paraphrase --arms` takes."""

PUBLISHED: Mapping[str, Mapping[str, Mapping[str, float]]] = arms.read_published(_FOLDER)
"""By measured set and by row."""

_UNTRAINED = ("same-numbers", "frozen", "rule-frozen")


def with_untrained(arms: Sequence[str]) -> list[str]:
    """Put what a trained scorer must beat in front of arms of which one is trained."""
    if not any(arm in ARMS and ARMS[arm].trains for arm in arms):
        return list(arms)
    return [*(arm for arm in _UNTRAINED if arm not in arms), *arms]

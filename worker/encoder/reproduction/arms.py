"""The arms of QuesCo's tables: one line each, as settings of the encoder's configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_ONE_TEMPERATURE = "0.1,0.1,0.1,0.1,0.1"  # with one positive, RINCE at one temperature is InfoNCE
_JOINT = {"one_temperature": True, "concept_weight": 1.0, "difficulty_weight": 0.5, "solution_view": 0.3}


@dataclass(frozen=True, slots=True)
class Arm:
    """One line of a table.

    Attributes:
        title: as the table says it.
        settings: what differs from the default configuration; None: nothing is trained.
        vectors: ``encoder``, or ``tfidf`` for vectors of word counts.
        table: ``main`` (all sets, several seeds) or ``ablation``.
    """

    title: str
    settings: Mapping[str, Any] | None = field(default_factory=dict)
    vectors: str = "encoder"
    table: str = "main"


ARMS: dict[str, Arm] = {
    "frozen": Arm("Frozen backbone", settings=None),
    "tfidf": Arm("TF-IDF", settings=None, vectors="tfidf"),
    "dapt": Arm("DAPT", {"objective": "masked-language"}),
    "consert": Arm(
        "ConSERT-style",
        {
            "ranking": "none",
            "temperatures": _ONE_TEMPERATURE,
            "augment_formulas": False,
            "augment_structure": False,
        },
    ),
    "scl": Arm("SCL", {"ranking": "finest", "temperatures": _ONE_TEMPERATURE}),
    "quesco": Arm("QuesCo"),
    "quesco-one": Arm("QuesCo, one temperature a term (published code)", {"one_temperature": True}),
    "quesco-close": Arm(
        "QuesCo, Eq. 4 with close temperatures and no projector",
        {"temperatures": "0.1,0.1,0.11,0.12,0.13", "projection": 0},
    ),
    "quesco-one-flat": Arm(
        "QuesCo, one temperature a term, no projector", {"one_temperature": True, "projection": 0}
    ),
    "joint": Arm("QuesCo, one temperature, with concept and difficulty heads (ours)", _JOINT),
    "joint-layer": Arm(
        "QuesCo, one temperature, with heads and a last layer (ours)", {**_JOINT, "metric_steps": 150}
    ),
    "layer": Arm(
        "Frozen backbone with a last layer (ours)", {"objective": "last-layer", "metric_steps": 150}
    ),
    "no-aug": Arm(
        "QuesCo without AUG",
        {"augment_words": False, "augment_formulas": False, "augment_structure": False},
        table="ablation",
    ),
    "no-khar": Arm("QuesCo without KHAR", {"ranking": "none"}, table="ablation"),
    "aug-no-words": Arm(
        "augmentation only, without words", {"ranking": "none", "augment_words": False}, table="ablation"
    ),
    "aug-no-formulas": Arm(
        "augmentation only, without formulas",
        {"ranking": "none", "augment_formulas": False},
        table="ablation",
    ),
    "aug-no-structure": Arm(
        "augmentation only, without structure",
        {"ranking": "none", "augment_structure": False},
        table="ablation",
    ),
}

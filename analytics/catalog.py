"""Registry of all capabilities: one class per capability, which imports PyTorch only in methods that need it.

Everything that the rest of the program does for every capability (commands, installation, gate, serving)
reads this table, so adding a capability takes a package and a row. Decisions 48 and 83.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analytics.analogy.capability import ANALOGY
from analytics.capability import Capability, Lens
from analytics.encoder.capability import ENCODER
from analytics.paraphrase.capability import PARAPHRASE
from analytics.probes.capability import PROBES
from analytics.solver.capability import SOLVER

CAPABILITIES: dict[str, Capability[Any]] = {
    "encoder": ENCODER,
    "paraphrase": PARAPHRASE,
    "solver": SOLVER,
    "analogy": ANALOGY,
    "probes": PROBES,
}

FALLBACK_LENS = Lens("wording", knows_every_language=True, near_enough=0.35)
"""Character n-grams; they belong to no capability because they need no training."""


def lenses() -> Mapping[str, Lens]:
    """Return all lenses by `word`: those of the capabilities, in table order, then the fallback, which has no model."""
    rows = [row.lens for row in CAPABILITIES.values() if row.lens is not None]
    return {lens.word: lens for lens in (*rows, FALLBACK_LENS)}


def main_lens() -> Lens:
    """Return the lens whose vectors are used by search, predictions, probes and the map."""
    return next(lens for lens in lenses().values() if lens.is_main)

"""The table of the bank's capabilities, with one class per module.

The other two tables are `analytics.catalog` (what can be computed) and `worker.table` (what jobs do).
"""

from __future__ import annotations

from questionbank.capabilities.encoder import EncoderInBank, ProbesInBank
from questionbank.capabilities.paraphrase import ParaphraseInBank
from questionbank.capabilities.solver import AnalogyInBank, SolverInBank
from questionbank.core.capability_contract import BankCapability

TABLE: dict[str, BankCapability] = {
    "encoder": EncoderInBank(),
    "paraphrase": ParaphraseInBank(),
    "solver": SolverInBank(),
    "analogy": AnalogyInBank(),
    "probes": ProbesInBank(),
}

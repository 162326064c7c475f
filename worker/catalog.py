"""The contract between a capability and the worker, and the lookup of the classes that fulfil it.

The classes are in `worker.table`, a layer above the modules that do the work, and are imported on first use; this
module is below those. Decisions 48 and 83.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from analytics.capability import LateTable
from questionbank.core.capability_figures import Figures
from questionbank.core.errors import NotFound

if TYPE_CHECKING:
    from questionbank.models import EmbeddingSet, ModelArtifact, Run
    from worker.blocks import BlockJob
    from worker.reporting import RunReporter

Job = Callable[["RunReporter"], Mapping[str, Any]]
"""Executes a run of one kind and returns its result."""


class WorkerCapability:
    """What a worker does for one capability; each method is optional.

    Attributes:
        measured_on: description of the data that `evaluate` takes.
        measures_bank: whether `evaluate` without data measures on the bank.
    """

    measured_on: ClassVar[str] = "a file or a folder"
    measures_bank: ClassVar[bool] = False

    def train(self, reporter: RunReporter) -> dict[str, Any]:
        """Execute a run of kind ``train`` and return ``{"model": id, "metrics": figures}``."""
        raise NotImplementedError

    def compare(self, reporter: RunReporter, *, candidate: ModelArtifact, champion: ModelArtifact) -> Figures:
        """Evaluate both on the fixed suite."""
        raise NotImplementedError

    def build(self, reporter: RunReporter, *, run: Run, embedding_set: EmbeddingSet) -> list[ModelArtifact]:
        """Build candidates while the old vectors serve; they start serving together with the new vectors."""
        return []

    def evaluate(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return figures on ``data`` for `manage.py evaluate`, of the model in use or the one given by ``model``."""
        raise NotImplementedError

    def reproduce(self, output: Path, options: Mapping[str, Any], say: Callable[[str], None]) -> str:
        """Return the table for `manage.py reproduce`."""
        raise NotImplementedError

    @property
    def jobs(self) -> Mapping[str, Job]:
        """The capability's further background jobs, by kind of run."""
        return {}

    @property
    def blocks(self) -> Sequence[type[BlockJob]]:
        """Jobs done in blocks, which idle workers help with."""
        return ()

    def can(self, verb: str) -> bool:
        """Return whether the class overrides an optional method."""
        return getattr(type(self), verb) is not getattr(WorkerCapability, verb)


WORKER_CAPABILITIES: LateTable[WorkerCapability] = LateTable()
"""The rows of `worker.table`, set by `worker.apps`."""


def worker_capability(word: str) -> WorkerCapability:
    """Return the row of a capability.

    Raises:
        NotFound: this version has no such capability; a newer one may have queued the job.
    """
    row = WORKER_CAPABILITIES.get(word)
    if row is None:
        raise NotFound(f"This version of Kindred cannot do jobs for “{word}”.")
    return row


def block_jobs() -> dict[str, type[BlockJob]]:
    """Return the capabilities' jobs that are done in blocks, by their word."""
    return {job.word: job for row in WORKER_CAPABILITIES.values() for job in row.blocks}

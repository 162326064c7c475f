"""The contract between a capability and the worker: what its class in `worker.<word>.capability` provides.

Every worker process imports the classes, so their methods import the modules that do the work when they are called:
only a process whose job needs PyTorch loads it. Decisions 48 and 83.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from questionbank.capabilities.figures import Figures

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
    """

    measured_on: ClassVar[str] = "a file or a folder"

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

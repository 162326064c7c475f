"""The contract between a capability and the worker: what its class in `worker.<word>.capability` does.

Every worker process imports the classes, so their methods import the modules that do the work when they are called:
PyTorch is loaded by the process whose job needs it. Decisions 48 and 83.
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
"""Does a run of one kind and returns its result."""


class WorkerCapability:
    """What a worker does for one capability; each method is optional.

    Attributes:
        measured_on: what `evaluate` takes as its data.
    """

    measured_on: ClassVar[str] = "a file or a folder"

    def train(self, reporter: RunReporter) -> dict[str, Any]:
        """Do a run of kind ``train`` and return ``{"model": id, "metrics": figures}``."""
        raise NotImplementedError

    def compare(self, reporter: RunReporter, *, candidate: ModelArtifact, champion: ModelArtifact) -> Figures:
        """Measure both on the fixed suite."""
        raise NotImplementedError

    def build(self, reporter: RunReporter, *, run: Run, embedding_set: EmbeddingSet) -> list[ModelArtifact]:
        """Return the candidates that are built while the old vectors serve, and start serving with the new ones."""
        return []

    def evaluate(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return figures on ``data`` for `manage.py evaluate`, of the model in use or the one that ``model`` names."""
        raise NotImplementedError

    def reproduce(self, output: Path, options: Mapping[str, Any], say: Callable[[str], None]) -> str:
        """Return the table for `manage.py reproduce`."""
        raise NotImplementedError

    @property
    def jobs(self) -> Mapping[str, Job]:
        """What else the capability does in the background, by the run's kind."""
        return {}

    @property
    def blocks(self) -> Sequence[type[BlockJob]]:
        """Jobs that are done in blocks, with which idle workers help."""
        return ()

    def can(self, verb: str) -> bool:
        """Return whether the class has a method of its own for what is optional."""
        return getattr(type(self), verb) is not getattr(WorkerCapability, verb)

"""Concept and difficulty probes as a capability. Torch-free: its methods import what needs PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analytics.capability import Capability, Starter
from analytics.inference.heads import ProbeHeads, load_heads
from analytics.probes.data import ProbesConfig
from analytics.training.context import DEFAULT_CONTEXT, DEFAULT_FILES, FileOptions, TrainingContext

if TYPE_CHECKING:
    from analytics.artifacts import Manifest


class ProbesCapability(Capability[ProbeHeads]):
    """Linear heads on frozen vectors."""

    title = "Concepts and difficulty"
    config = ProbesConfig
    starters = (Starter("probes/starter", along_with="encoder", largest=300_000),)

    def train(
        self,
        data: Path,
        output: Path,
        config: ProbesConfig,
        files: FileOptions = DEFAULT_FILES,
        context: TrainingContext = DEFAULT_CONTEXT,
    ) -> Manifest:
        """Train probes on question files."""
        from analytics.probes.from_files import train_from_files

        return train_from_files(data, output, config, files, context)

    def load(self, folder: Path) -> ProbeHeads:
        """Load the heads."""
        return load_heads(folder)

    def evaluate(
        self, data: Path, config: ProbesConfig, *, backbone: str, language: str, seeds: int, say: Callable[[str], None]
    ) -> dict[str, Any]:
        """Evaluate probes on repeated grouped splits of the questions."""
        from analytics.probes.from_files import evaluate_from_files

        return evaluate_from_files(data, config, backbone=backbone, language=language, seeds=seeds, say=say)


PROBES = ProbesCapability()

"""The solver of word problems as a capability. Torch-free: its methods import what needs PyTorch."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from analytics.backbone.sources import MULTILINGUAL_BACKBONE
from analytics.capability import Capability, Starter
from analytics.solver.config import SolverConfig
from analytics.solver.served import ServedSolver, load_solver

if TYPE_CHECKING:
    from analytics.artifacts import Manifest
    from analytics.training.context import FileOptions, TrainingContext


class WordProblemSolver(Capability[ServedSolver]):
    """Word problems to equations."""

    title = "Word-problem solver"
    config = SolverConfig
    starters = (
        Starter("solver/starter", scope="en"),
        Starter("solver/starter_chinese", scope="zh", backbone=MULTILINGUAL_BACKBONE),
    )

    def train(
        self, data: Path, output: Path, config: SolverConfig, files: FileOptions, context: TrainingContext
    ) -> Manifest:
        """Train a solver on problem files."""
        from analytics.solver.train import train_from_files

        return train_from_files(data, output, config, files, context)

    def load(self, folder: Path) -> ServedSolver:
        """Load a trained solver."""
        return load_solver(folder)

    def export(self, output: Path, *, backbone: str, adapter: Path | None) -> Manifest:
        """Write the solver of a starter's folder."""
        from analytics.solver.export import export_solver

        return export_solver(output, backbone=backbone, adapter=adapter)


SOLVER = WordProblemSolver()

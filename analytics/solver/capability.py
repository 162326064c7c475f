"""The solver of word problems as a capability. Torch-free: its methods import what needs PyTorch."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from analytics.backbone.sources import MULTILINGUAL_BACKBONE
from analytics.capability import Capability, Starter
from analytics.solver.config import SolverConfig
from analytics.solver.served import ServedSolver, load_solver
from analytics.training.context import DEFAULT_CONTEXT, DEFAULT_FILES, FileOptions, TrainingContext

if TYPE_CHECKING:
    from analytics.artifacts import Manifest

_LARGEST = 16_000_000  # bytes: the decoder alone has 7.7 million


class SolverCapability(Capability[ServedSolver]):
    """Solves word problems by writing equations."""

    title = "Word-problem solver"
    config = SolverConfig
    starters = (
        Starter("solver/starter", "Kindred starter solver", scope="en", largest=_LARGEST),
        Starter(
            "solver/starter_chinese",
            "Kindred starter solver for Chinese",
            scope="zh",
            backbone=MULTILINGUAL_BACKBONE,
            largest=_LARGEST,
        ),
    )

    def train(
        self,
        data: Path,
        output: Path,
        config: SolverConfig,
        files: FileOptions = DEFAULT_FILES,
        context: TrainingContext = DEFAULT_CONTEXT,
    ) -> Manifest:
        """Train a solver on the problems of a file or a folder: `read_to_train`."""
        from analytics.question_files import read_to_train
        from analytics.solver.train import train_solver
        from analytics.training.checkpoint import file_training

        files.refuse_hierarchy("A solver")
        with file_training("solver", data, output, config, files, context) as (config, context):
            problems = read_to_train(data, say=context.say, language=files.language, fold=config.fold)
            return train_solver(problems, config, output, context)

    def load(self, folder: Path) -> ServedSolver:
        """Load a trained solver."""
        return load_solver(folder)

    def export(self, output: Path, *, backbone: str = "", adapter: Path | None = None) -> Manifest:
        """Write a starter's solver: backbone, adapter, decoder and confidence."""
        from analytics.backbone.export import export_starter

        return export_starter(output, adapter or self.starters[0].path, backbone=backbone, returns="states")


SOLVER = SolverCapability()

"""The retriever of analogous problems as a capability. Torch-free: its methods import what needs PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from analytics.analogy.examples import AnalogyConfig, retriever_text
from analytics.analogy.retriever import ServedRetriever, load_retriever
from analytics.artifacts import artifact_read
from analytics.backbone.sources import MULTILINGUAL_BACKBONE
from analytics.capability import Capability, Lens, Starter
from analytics.inference.encode import Encode
from analytics.text.question_tasks import is_word_problem
from analytics.training.context import DEFAULT_CONTEXT, DEFAULT_FILES, FileOptions, TrainingContext

if TYPE_CHECKING:
    from analytics.artifacts import Manifest

_LARGEST = 18_000_000  # bytes: the datastores have 8.7 and 8.4 million


class AnalogyCapability(Capability[ServedRetriever]):
    """Retrieval of problems with the same computation."""

    title = "Retriever of analogous problems"
    config = AnalogyConfig
    lens = Lens("structure", takes=is_word_problem, by_graph=True)
    gate_figures = ("same_graph_at_8", "ndcg_at_8")
    starters = (
        Starter("analogy/starter", "Kindred starter retriever", largest=_LARGEST),
        Starter(
            "analogy/starter_chinese",
            "Kindred starter retriever for Chinese",
            scope="zh",
            backbone=MULTILINGUAL_BACKBONE,
            largest=_LARGEST,
        ),
    )

    def train(
        self,
        data: Path,
        output: Path,
        config: AnalogyConfig,
        files: FileOptions = DEFAULT_FILES,
        context: TrainingContext = DEFAULT_CONTEXT,
    ) -> Manifest:
        """Train a retriever on the problems of a file or a folder: `read_to_train`."""
        from analytics.analogy.train import train_retriever
        from analytics.question_files import read_to_train
        from analytics.training.checkpoint import file_training

        files.refuse_hierarchy("A retriever of analogous problems")
        with file_training("analogy", data, output, config, files, context) as (config, context):
            problems = read_to_train(data, say=context.say, language=files.language, fold=config.fold)
            return train_retriever(problems, config, output, context)

    def load(self, folder: Path) -> ServedRetriever:
        """Load a retriever; an encoder works as an untrained one."""
        return load_retriever(folder)

    def encode_many(self, folder: Path, cancel: Callable[[], bool] | None = None) -> Encode:
        """Encode with PyTorch, reading problems as the retriever does: with their numbers or with slots."""
        from analytics.backbone.bert import artifact_backbone, encode_bulk

        slots = bool(artifact_read(folder, verify=False).extra.get("slot_text", False))
        backbone = artifact_backbone(folder)
        return lambda texts: encode_bulk(backbone, [retriever_text(text, slots=slots) for text in texts], cancel=cancel)

    def export(self, output: Path, *, backbone: str = "", adapter: Path | None = None) -> Manifest:
        """Write a starter's retriever; the head after the pooling becomes part of the graph."""
        from analytics.backbone.export import export_starter

        return export_starter(output, adapter or self.starters[0].path, backbone=backbone)


ANALOGY = AnalogyCapability()

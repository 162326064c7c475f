"""The capabilities: a class for each, and the table of them all. Torch-free: methods import what needs PyTorch.

Everything that the rest of the program does for every capability (commands, installation, gate, serving)
reads this table, so adding a capability takes a package, a class and a row. Decisions 48 and 83.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analytics.analogy.examples import AnalogyConfig, retriever_text
from analytics.analogy.retriever import ServedRetriever, load_retriever
from analytics.artifacts import artifact_read
from analytics.backbone.sources import MULTILINGUAL_BACKBONE
from analytics.capability import Capability, Lens, Starter
from analytics.encoder.config import EncoderConfig
from analytics.inference.encode import Encode, OnnxEncoder, load_encoder
from analytics.inference.heads import ProbeHeads, load_heads
from analytics.paraphrase.config import ParaphraseConfig
from analytics.paraphrase.scorer import Scorer, load_scorer
from analytics.probes.data import ProbesConfig
from analytics.solver.config import SolverConfig
from analytics.solver.served import ServedSolver, load_solver
from analytics.text.question_tasks import is_word_problem
from analytics.training.context import DEFAULT_CONTEXT, DEFAULT_FILES, FileOptions, Progress, Say, TrainingContext

if TYPE_CHECKING:
    from analytics.artifacts import Manifest


class EncoderCapability(Capability[OnnxEncoder]):
    """QuesCo: vectors of the purpose of a question."""

    title = "Question encoder"
    config = EncoderConfig
    lens = Lens("purpose", stand_in="wording", is_main=True)
    gate_figures = ("concept_accuracy_*", "precision_at_10_*", "difficulty_*", "task_over_story")
    starters = (
        Starter("encoder/starter", "Kindred starter", is_required=True),
        Starter(
            "encoder/starter_chinese",
            "Kindred starter for Chinese",
            scope="zh",
            backbone=MULTILINGUAL_BACKBONE,
            largest=12_000_000,
        ),
    )

    def train(
        self,
        data: Path,
        output: Path,
        config: EncoderConfig,
        files: FileOptions = DEFAULT_FILES,
        context: TrainingContext = DEFAULT_CONTEXT,
    ) -> Manifest:
        """Train an encoder on the questions of a file, a folder, or a folder of folders: `read_examples`."""
        from analytics.encoder.examples import read_examples
        from analytics.encoder.train import train_encoder
        from analytics.training.checkpoint import file_training

        with file_training("encoder", data, output, config, files, context) as (config, context):
            examples = read_examples(data, language=files.language, hierarchy=files.hierarchy)
            return train_encoder(examples, config, output, context)

    def load(self, folder: Path) -> OnnxEncoder:
        """Load an exported encoder into ONNX Runtime."""
        return load_encoder(folder)

    def encode_many(self, folder: Path, cancel: Callable[[], bool] | None = None) -> Encode:
        """Encode with PyTorch: `analytics.backbone.bert.encode_bulk`."""
        from analytics.backbone.bert import artifact_backbone, encode_bulk

        return partial(encode_bulk, artifact_backbone(folder), cancel=cancel)

    def export(self, output: Path, *, backbone: str = "", adapter: Path | None = None) -> Manifest:
        """Export a backbone, merged with an adapter if given."""
        from analytics.backbone.export import export_encoder

        return export_encoder(output, backbone=backbone, adapter=adapter)


ENCODER = EncoderCapability()


class ParaphraseCapability(Capability[Scorer]):
    """ParaQD: how well a paraphrase preserves what a question asks."""

    title = "Paraphrase scorer"
    config = ParaphraseConfig
    # Separation is left out: it depends on the scale of the scores.
    gate_figures = ("verdict_auc_*", "verdict_macro_f1_*", "score_auc_*", "score_macro_f1_*")
    # Adapter and pair reader.
    starters = (Starter("paraphrase/starter", "Kindred starter scorer", largest=18_000_000),)

    def train(
        self,
        data: Path,
        output: Path,
        config: ParaphraseConfig,
        files: FileOptions = DEFAULT_FILES,
        context: TrainingContext = DEFAULT_CONTEXT,
    ) -> Manifest:
        """Train a scorer on the questions and labelled pairs of a file or a folder: `read_material`."""
        from analytics.paraphrase.pair_files import read_material
        from analytics.paraphrase.train import train_scorer
        from analytics.training.checkpoint import file_training

        files.refuse_hierarchy("A paraphrase scorer")
        with file_training("paraphrase", data, output, config, files, context) as (config, context):
            material = read_material(data, language=files.language)
            return train_scorer(material, config, output, replace(context, progress=_thousands(context.say)))

    def load(self, folder: Path) -> Scorer:
        """Load a trained scorer."""
        return load_scorer(folder)

    def export(self, output: Path, *, backbone: str = "", adapter: Path | None = None) -> Manifest:
        """Write the scorer of a starter's folder."""
        from analytics.paraphrase.train import export_scorer

        return export_scorer(output, backbone=backbone, adapter=adapter)


def _thousands(say: Say) -> Progress:
    """Report progress after every thousand questions for which triplets have been made."""

    def tell(done: int, total: int, _message: str) -> None:
        if done and done % 1000 == 0:
            say(f"Triplets of {done:,} of {total:,} questions made")

    return tell


PARAPHRASE = ParaphraseCapability()


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


_LARGEST_SOLVER = 16_000_000  # bytes: the decoder alone has 7.7 million


class SolverCapability(Capability[ServedSolver]):
    """Solves word problems by writing equations."""

    title = "Word-problem solver"
    config = SolverConfig
    starters = (
        Starter("solver/starter", "Kindred starter solver", scope="en", largest=_LARGEST_SOLVER),
        Starter(
            "solver/starter_chinese",
            "Kindred starter solver for Chinese",
            scope="zh",
            backbone=MULTILINGUAL_BACKBONE,
            largest=_LARGEST_SOLVER,
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


_LARGEST_RETRIEVER = 18_000_000  # bytes: the datastores have 8.7 and 8.4 million


class AnalogyCapability(Capability[ServedRetriever]):
    """Retrieval of problems with the same computation."""

    title = "Retriever of analogous problems"
    config = AnalogyConfig
    lens = Lens("structure", takes=is_word_problem, by_graph=True)
    gate_figures = ("same_graph_at_8", "ndcg_at_8")
    starters = (
        Starter("analogy/starter", "Kindred starter retriever", largest=_LARGEST_RETRIEVER),
        Starter(
            "analogy/starter_chinese",
            "Kindred starter retriever for Chinese",
            scope="zh",
            backbone=MULTILINGUAL_BACKBONE,
            largest=_LARGEST_RETRIEVER,
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

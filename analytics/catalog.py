"""The one table of what `analytics` can do. Torch-free: functions are named, and imported when called.

Whatever the rest of the program does for every capability (commands, installation, gate, serving) reads its rows here,
so a capability is added by a package and a row. Decision 48.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from analytics.analogy.config import AnalogyConfig
from analytics.backbone.sources import MULTILINGUAL_BACKBONE, is_installed
from analytics.encoder.config import EncoderConfig
from analytics.paraphrase.config import ParaphraseConfig
from analytics.probes.config import ProbesConfig
from analytics.solver.config import SolverConfig


@dataclass(frozen=True, slots=True)
class LensRow:
    """A way of being similar: vectors of questions, by the champion of the capability whose row has it.

    Attributes:
        word: its name in addresses, commands and the database.
        stand_in: the lens that answers for languages that the champion does not know; empty: none does.
        knows_every_language: whether it never needs a stand-in.
        read_by_probes: whether probes are trained on its vectors (or, for other languages, on its stand-in's).
        on_map: whether the map of the bank is drawn from its vectors.
        texts: ``(text) -> bool``, which texts it compares (``module:function``); empty: every text.
        by_graph: whether questions are ranked by how likely the same is computed, beside their vectors.
    """

    word: str
    stand_in: str = ""
    knows_every_language: bool = False
    read_by_probes: bool = False
    on_map: bool = False
    texts: str = ""
    by_graph: bool = False

    def takes(self, text: str) -> bool:
        """Return whether the lens compares a text."""
        return not self.texts or bool(resolve(self.texts)(text))


WORDING = LensRow("wording", knows_every_language=True)
"""Character n-grams: no capability's, because they need no training."""


@dataclass(frozen=True, slots=True)
class Starter:
    """The model that a new installation begins with.

    Attributes:
        folder: below `analytics`; an adapter where the capability has an `export`, else a whole model.
        is_required: installed also where the folder is missing, as the export makes it without an adapter.
        along_with: installed only together with the starter of this capability, whose vectors it reads.
        scope: which of its capability's models it is, where a bank has several in use: the language that it is for.
        backbone: the packaged encoder that its adapter is for; empty: the default one.
    """

    folder: str
    is_required: bool = False
    along_with: str = ""
    scope: str = ""
    backbone: str = ""

    @property
    def path(self) -> Path:
        """Where the folder is."""
        return Path(__file__).parent / self.folder

    @property
    def can_be_installed(self) -> bool:
        """Whether this installation has the folder, or needs none, and the encoder's package."""
        has_folder = self.is_required or self.path.is_dir()
        return has_folder and (not self.backbone or is_installed(self.backbone))


@dataclass(frozen=True, slots=True)
class Capability:
    """One capability: its configuration, and where its functions are (``module:function``).

    Attributes:
        title: what people call it.
        config: the configuration class, None where there is nothing to train yet.
        train: ``(data: Path, output: Path, config, files: FileOptions, context: TrainingContext) -> Manifest``.
        evaluate: ``(data: Path, config, *, backbone, language, seeds, say) -> dict``.
        export: ``(output: Path, *, backbone, adapter) -> Manifest``.
        load: ``(folder: Path) -> model``.
        serves: where models are loaded. ``web``: `load` needs neither torch nor transformers, so the web process
            answers requests with them. ``worker``: only jobs do.
        lens: the lens whose vectors the champion gives; None: it gives none.
        gate_figures: patterns of the names of the figures that decide whether a candidate may serve.
        starters: the models that a new installation begins with: one, or one for each scope.
    """

    title: str
    config: type | None = None
    train: str = ""
    evaluate: str = ""
    export: str = ""
    load: str = ""
    serves: Literal["web", "worker"] = "web"
    lens: LensRow | None = None
    gate_figures: tuple[str, ...] = ("*",)
    starters: tuple[Starter, ...] = ()

    def is_decisive(self, figure: str) -> bool:
        """Return whether a figure of a comparison decides."""
        return any(fnmatchcase(figure, pattern) for pattern in self.gate_figures)


CAPABILITIES: dict[str, Capability] = {
    "encoder": Capability(
        title="Question encoder",
        config=EncoderConfig,
        train="analytics.encoder.train:train_from_files",
        export="analytics.backbone.export:export_encoder",
        load="analytics.inference.encode:load_encoder",
        lens=LensRow("purpose", stand_in="wording", read_by_probes=True, on_map=True),
        gate_figures=("concept_accuracy_*", "precision_at_10_*", "difficulty_*"),
        starters=(Starter("encoder/starter", is_required=True),),
    ),
    "paraphrase": Capability(
        title="Paraphrase scorer",
        config=ParaphraseConfig,
        train="analytics.paraphrase.train:train_from_files",
        export="analytics.paraphrase.export:export_scorer",
        load="analytics.paraphrase.scoring.scorer:load_scorer",
        # Separation is left out: it depends on the scale of the scores.
        gate_figures=("verdict_auc_*", "verdict_macro_f1_*", "score_auc_*", "score_macro_f1_*"),
        starters=(Starter("paraphrase/starter"),),
    ),
    "solver": Capability(
        title="Word-problem solver",
        config=SolverConfig,
        train="analytics.solver.train:train_from_files",
        export="analytics.solver.export:export_solver",
        load="analytics.solver.served:load_solver",
        starters=(
            Starter("solver/starter", scope="en"),
            Starter("solver/starter_chinese", scope="zh", backbone=MULTILINGUAL_BACKBONE),
        ),
    ),
    "analogy": Capability(
        title="Retriever of analogous problems",
        config=AnalogyConfig,
        train="analytics.analogy.train:train_from_files",
        export="analytics.analogy.export:export_retriever",
        load="analytics.analogy.retriever:load_retriever",
        lens=LensRow("structure", texts="analytics.text.word_problems:is_word_problem", by_graph=True),
        gate_figures=("same_graph_at_8", "ndcg_at_8"),
        starters=(
            Starter("analogy/starter"),
            Starter("analogy/starter_chinese", scope="zh", backbone=MULTILINGUAL_BACKBONE),
        ),
    ),
    "probes": Capability(
        title="Concept and difficulty probes",
        config=ProbesConfig,
        train="analytics.probes.from_files:train_from_files",
        evaluate="analytics.probes.from_files:evaluate_from_files",
        load="analytics.inference.heads:load_heads",
        starters=(Starter("probes/starter", along_with="encoder"),),
    ),
}


def lenses() -> Mapping[str, LensRow]:
    """Return every lens by its word: the capabilities' in the order of the table, then the wording."""
    rows = [row.lens for row in CAPABILITIES.values() if row.lens is not None]
    return {lens.word: lens for lens in (*rows, WORDING)}


def resolve(dotted: str) -> Callable[..., Any]:
    """Return the function that a ``module:function`` of the table names."""
    module, _, name = dotted.partition(":")
    function: Callable[..., Any] = getattr(import_module(module), name)
    return function


def dotted_problem(dotted: str) -> str:
    """Say what is wrong with a ``module:function``; empty: nothing.

    Reads the module's source without running it, so that a check at start loads no PyTorch.
    """
    module, _, name = dotted.partition(":")
    try:
        spec = find_spec(module)
    except ModuleNotFoundError:
        spec = None
    if spec is None or spec.origin is None:
        return f"there is no module {module}"
    tree = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
    names = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            names |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {target.id for target in targets if isinstance(target, ast.Name)}
    return "" if name in names else f"the module {module} has no {name!r}"

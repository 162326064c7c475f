"""The contract that each capability of `analytics` fulfils, and what it is made of. Torch-free.

A capability is one class (`analytics/<word>/capability.py`) and one row of `analytics.catalog`. The class is imported
by every process, so its methods import what needs PyTorch when they are called. Decisions 48 and 83.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeVar

from analytics.backbone.sources import is_installed
from analytics.retrieval import Encode
from analytics.training.context import DEFAULT_CONTEXT, DEFAULT_FILES, FileOptions, TrainingContext

if TYPE_CHECKING:
    from analytics.artifacts import Manifest

Model = TypeVar("Model", covariant=True)


def every_text(_text: str) -> bool:
    """Return True: a lens compares every text unless it says otherwise."""
    return True


@dataclass(frozen=True, slots=True)
class Lens:
    """A way of being similar: vectors of questions, by the champion of the capability that has the lens.

    Attributes:
        word: its name in addresses, commands and the database.
        stand_in: the lens that answers for languages that the champion does not know; empty: none does.
        knows_every_language: whether it needs neither a model nor a substitute.
        is_main: whether search, predictions, probes and the map read its vectors (or, for other languages, those of
            its stand-in); one lens is.
        takes: whether it compares a text.
        by_graph: whether questions are ranked by how likely the same is computed, besides by their vectors.
        near_enough: cosine from which the search counts a question as near in meaning (decision 40).
    """

    word: str
    stand_in: str = ""
    knows_every_language: bool = False
    is_main: bool = False
    takes: Callable[[str], bool] = every_text
    by_graph: bool = False
    near_enough: float = 0.65


@dataclass(frozen=True, slots=True)
class Starter:
    """The model that a new installation begins with.

    Attributes:
        folder: below `analytics`; an adapter where the capability can be exported, else a whole model.
        is_required: installed also where the folder is missing, as the export makes it without an adapter.
        along_with: installed only together with the starter of this capability, whose vectors it reads.
        scope: which of its capability's models it is, where a bank has several in use: the language that it is for.
        backbone: the packaged encoder that its adapter is for; empty: the default one.
        name: of the model, as installations show it.
        largest: bytes that its files may have together: they travel with every clone.
    """

    folder: str
    name: str = ""
    is_required: bool = False
    along_with: str = ""
    scope: str = ""
    backbone: str = ""
    largest: int = 8_000_000

    @property
    def path(self) -> Path:
        """Where the folder is."""
        return Path(__file__).parent / self.folder

    @property
    def can_be_installed(self) -> bool:
        """Whether this installation has the folder, or needs none, and the encoder's package."""
        has_folder = self.is_required or self.path.is_dir()
        return has_folder and (not self.backbone or is_installed(self.backbone))


class Capability(ABC, Generic[Model]):
    """What can be computed: a subclass trains models of one kind and loads them.

    Attributes:
        title: what people call it.
        config: the configuration class of its trainings.
        serves: where models are loaded. ``web``: `load` needs neither torch nor transformers, so the web process
            answers requests with them. ``worker``: only jobs do.
        lens: the lens whose vectors the champion gives; None: it gives none.
        gate_figures: patterns of the names of the figures that decide whether a candidate may serve.
        starters: the models that a new installation begins with: one, or one for each scope.
    """

    title: ClassVar[str]
    config: ClassVar[type]
    serves: ClassVar[Literal["web", "worker"]] = "web"
    lens: ClassVar[Lens | None] = None
    gate_figures: ClassVar[tuple[str, ...]] = ("*",)
    starters: ClassVar[tuple[Starter, ...]] = ()

    @abstractmethod
    def train(
        self,
        data: Path,
        output: Path,
        config: Any,
        files: FileOptions = DEFAULT_FILES,
        context: TrainingContext = DEFAULT_CONTEXT,
    ) -> Manifest:
        """Train a model on files and write it into a folder.

        A checkpoint is next to the output while it trains; the same command goes on from it.

        Raises:
            AnalyticsError: the data cannot be used, the backbone cannot be loaded, or the folder not written.
        """

    @abstractmethod
    def load(self, folder: Path) -> Model:
        """Load a model folder.

        Raises:
            ArtifactError: the folder is no complete model of this kind.
        """

    def encode_many(
        self,
        folder: Path,
        cancel: Callable[[], bool] | None = None,  # noqa: ARG002 - for what takes long
    ) -> Encode:
        """Return the function that encodes thousands of texts with a model of a capability that has a lens.

        By default it is that of the loaded model; what computes with PyTorch is slower to load, and quicker then.

        Args:
            folder: the model's.
            cancel: asked now and then while texts are encoded; where it returns True, `Cancelled` is raised.
        """
        model: Any = self.load(folder)
        encode: Encode = model.encode
        return encode

    def evaluate(
        self,
        data: Path,
        config: Any,
        *,
        backbone: str,
        language: str,
        seeds: int,
        say: Callable[[str], None],
    ) -> dict[str, Any]:
        """Measure trainings on files; optional."""
        raise NotImplementedError

    def export(self, output: Path, *, backbone: str = "", adapter: Path | None = None) -> Manifest:
        """Put a starter together with its encoder and write the model that serves; optional.

        Args:
            output: the model's folder.
            backbone: packaged name, local folder or hub id; by default the one that the starter names.
            adapter: folder of the starter, by default the program's own.

        Raises:
            BackboneError: the encoder or the adapter cannot be loaded.
            ArtifactError: the starter is missing or damaged, or the output cannot be written.
        """
        raise NotImplementedError

    def can(self, verb: str) -> bool:
        """Return whether the class has a method of its own for what is optional."""
        return getattr(type(self), verb) is not getattr(Capability, verb)

    def is_decisive(self, figure: str) -> bool:
        """Return whether a figure of a comparison decides."""
        return any(fnmatchcase(figure, pattern) for pattern in self.gate_figures)

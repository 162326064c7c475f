"""The interface that each capability of `analytics` implements, and its building blocks. Torch-free.

A capability is one class and one row in `analytics.catalog`. Every process imports the class, so its methods import
PyTorch-dependent modules only when called. Decisions 48 and 83.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import UserDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeVar

from analytics.backbone.sources import is_installed
from analytics.inference.encode import Encode
from analytics.training.context import DEFAULT_CONTEXT, DEFAULT_FILES, FileOptions, TrainingContext

if TYPE_CHECKING:
    from analytics.artifacts import Manifest

Model = TypeVar("Model", covariant=True)
Row = TypeVar("Row")


def every_text(_text: str) -> bool:
    """Return True: by default a lens compares every text."""
    return True


@dataclass(frozen=True, slots=True)
class Lens:
    """A kind of similarity, computed from question vectors of a capability's champion model.

    Attributes:
        word: its name in URLs, commands and the database.
        stand_in: the lens used for languages that the champion does not know; empty for none.
        knows_every_language: whether it needs neither a model nor a substitute.
        is_main: whether search, predictions, probes and the map read its vectors (or, for other languages,
            those of its stand-in); exactly one lens is.
        takes: predicate that returns whether it compares a text.
        by_graph: whether questions are also ranked by how likely they compute the same thing, not only by
            their vectors.
        near_enough: cosine from which the search counts a question as similar in meaning (decision 40).
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
        folder: path below `analytics`; an adapter if the capability can be exported, otherwise a whole model.
        is_required: installed even if the folder is missing, exported without an adapter.
        along_with: installed only together with the starter of this capability, whose vectors it reads.
        scope: the language it is for, if a bank uses several models of its capability.
        backbone: the packaged encoder that its adapter is for; empty for the default one.
        name: display name of the model in installations.
        largest: maximum total size of its files in bytes, as they are part of every clone.
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
        """Path of the folder."""
        return Path(__file__).parent / self.folder

    @property
    def can_be_installed(self) -> bool:
        """Whether this installation has the folder (if one is needed) and the encoder's package."""
        has_folder = self.is_required or self.path.is_dir()
        return has_folder and (not self.backbone or is_installed(self.backbone))


class Capability(ABC, Generic[Model]):
    """A kind of computation; a subclass trains and loads models of one kind.

    Attributes:
        title: display name.
        config: the configuration class of its training runs.
        serves: where models are loaded. ``web``: `load` needs neither torch nor transformers, so the web
            process answers requests with them. ``worker``: only jobs use them.
        lens: the lens whose vectors the champion provides, if any.
        gate_figures: patterns for the names of the metrics that decide whether a candidate may serve.
        starters: the models that a new installation begins with: one, or one per scope.
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

        While training runs, a checkpoint is stored next to the output; the same command resumes from it.

        Raises:
            AnalyticsError: the data cannot be used, the backbone cannot be loaded, or the folder cannot be
                written.
        """

    @abstractmethod
    def load(self, folder: Path) -> Model:
        """Load a model folder.

        Raises:
            ArtifactError: the folder is not a complete model of this kind.
        """

    def encode_many(
        self,
        folder: Path,
        cancel: Callable[[], bool] | None = None,  # noqa: ARG002 - for what takes long
    ) -> Encode:
        """Return the function that bulk-encodes texts with a model of this capability, which must have a lens.

        By default this is the loaded model's own; a PyTorch implementation loads more slowly and encodes
        faster.

        Args:
            folder: the model's folder.
            cancel: polled while texts are encoded; if it returns True, `Cancelled` is raised.
        """
        model: Any = self.load(folder)
        encode: Encode = model.encode
        return encode

    def evaluate(
        self, data: Path, config: Any, *, backbone: str, language: str, seeds: int, say: Callable[[str], None]
    ) -> dict[str, Any]:
        """Evaluate training runs on files; optional."""
        raise NotImplementedError

    def export(self, output: Path, *, backbone: str = "", adapter: Path | None = None) -> Manifest:
        """Merge a starter with its encoder and write the model for serving; optional.

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
        """Return whether the class implements an optional method."""
        return getattr(type(self), verb) is not getattr(Capability, verb)

    def is_decisive(self, figure: str) -> bool:
        """Return whether a metric in a comparison is decisive."""
        return any(fnmatchcase(figure, pattern) for pattern in self.gate_figures)


class LateTable(UserDict[str, Row]):
    """A mapping that is loaded on first use, so that processes that need no row do not wait for it.

    Attributes:
        load: returns the rows; set when Django starts.
    """

    load: Callable[[], Mapping[str, Row]]

    def __init__(self) -> None:  # the parent's would set `data` to an empty dict
        pass

    @cached_property
    def data(self) -> dict[str, Row]:  # type: ignore[override]
        return dict(self.load())

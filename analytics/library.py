"""The models as a library: load one, give it texts, get what the pages show. docs/library.md has the examples.

`load()` loads the model that comes with the program, ``load("zh")`` the model for a language, ``load(folder)`` one of
your own. A packaged model is assembled on first use, which needs PyTorch, and is then kept in `CACHE`. Nothing is
downloaded. A text that a model cannot read gets an empty result; a value of the wrong type raises `DataError`.
"""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from analytics.analogy.exemplars import Exemplar, ExemplarCorpus
from analytics.analogy.graphs import readable_text_graph
from analytics.analogy.retriever import ServedRetriever
from analytics.artifacts import MANIFEST_NAME, Manifest, artifact_amend, artifact_checksum
from analytics.backbone.sources import (
    ADAPTER_NAME,
    BACKBONE_FOLDER,
    CONFIG_NAME,
    PACKAGED,
    encoder_source,
    read_modules,
    write_modules,
)
from analytics.catalog import CAPABILITIES
from analytics.errors import ArtifactError, BackboneError, DataError, EngineError
from analytics.inference.encode import UNKNOWN_SHARE_LIMIT, OnnxEncoder
from analytics.inference.heads import Prediction, ProbeHeads
from analytics.inference.subject import looks_like_mathematics
from analytics.json_lines import TEXT_LIMIT, string_problem
from analytics.languages import detect_language, primary_language
from analytics.paraphrase.scorer import PairScore, Scorer
from analytics.question_files import problem_record, question_row
from analytics.recalling_solver import likely_graphs, recalling
from analytics.records import ProblemRecord
from analytics.solver.rules.solver import RuleSolver, compared_answers, may_be_solved
from analytics.solver.served import ServedSolver
from analytics.solver.solution import Solution
from analytics.text.fingerprints import story_key

__all__ = ["CACHE", "Encoder", "ParaphraseScorer", "Probes", "Retriever", "Solver"]

CACHE = Path("~/.cache/kindred")
"""Where packaged models are kept once they are put together; it can be deleted at any time."""

_ENGLISH = "en"
Record = TypeVar("Record")


@dataclass(frozen=True, eq=False)
class Encoder:
    """Encodes questions as vectors; questions with the same purpose get nearby vectors.

    Attributes:
        model: the loaded model, with its `manifest`.
        folder: the model's folder.
    """

    model: OnnxEncoder
    folder: Path

    @classmethod
    def load(cls, model: str | Path = "") -> Encoder:
        """Load the packaged encoder, a language's encoder, or a folder in our layout or that of sentence-transformers.

        Raises:
            ArtifactError, BackboneError: there is no such model, or it cannot be read.
            EngineError: PyTorch is needed and missing.
        """
        source = Path(model or "").expanduser()
        if model and (source / CONFIG_NAME).is_file() and not (source / MANIFEST_NAME).is_file():
            return cls._made(lambda output: _convert(source, output))
        folder = _model_folder("encoder", model)
        return cls(CAPABILITIES["encoder"].load(folder), folder)

    def encode(self, texts: Iterable[str]) -> npt.NDArray[np.float32]:
        """Return unit vectors, (texts, dimension) float32; only the first 256 tokens of a text are read.

        Raises:
            DataError: a text is not a string.
        """
        return self.model.encode(_checked(texts))

    def fit(self, questions: str | Path | Iterable[Mapping[str, Any]], hierarchy: str, **settings: Any) -> Encoder:
        """Return an encoder trained further on questions with concepts.

        Args:
            questions: JSON Lines file, a folder of them, or their lines as dictionaries: ``{"text": ...,
                "concepts": [["Algebra", "Equations"]]}``.
            hierarchy: name of the hierarchy that the concepts belong to.
            settings: those of `EncoderConfig`, e.g. ``epochs=1``.

        Raises:
            DataError: a question cannot be read, or there are too few.
            ConfigurationError: a setting is wrong.
            ArtifactError: the folder of this encoder has no weights to train.
            EngineError: PyTorch is missing.
        """
        with _pytorch("Training an encoder"):
            from analytics.encoder.config import EncoderConfig
            from analytics.encoder.examples import examples_of, read_examples
            from analytics.encoder.train import train_encoder
        config = EncoderConfig(**settings)
        if isinstance(questions, str | Path):
            examples = read_examples(Path(questions), hierarchy=hierarchy)
        else:
            lines = enumerate(_listed(questions, "questions"), 1)
            rows = [_record(question_row, line, f"Question {number}") for number, line in lines]
            examples = examples_of(rows, hierarchy)
        return self._made(lambda output: train_encoder(examples, config, output, start=self._weights()))

    def save(self, folder: str | Path) -> Manifest:
        """Write the model into a folder that `load` and ``SentenceTransformer(folder)`` can load.

        Raises:
            ArtifactError: the folder cannot be written or contains something else, or this encoder has no weights.
        """

        def write(aside: Path) -> None:
            if not (aside / BACKBONE_FOLDER).is_dir():
                with _pytorch("Saving an encoder without weights of its own"):
                    from analytics.backbone.bert import load_backbone
                    from analytics.backbone.export import save_backbone
                save_backbone(load_backbone(self._weights(), device="cpu"), aside / BACKBONE_FOLDER)
            write_modules(aside, dimension=self.model.dimension, max_tokens=self.model.max_tokens)

        return artifact_amend(self.folder, self.model.manifest, write, output=Path(folder))

    def _weights(self) -> str:
        """Return where PyTorch finds the weights; they are never downloaded."""
        source = encoder_source(self.folder, self.model.manifest.extra)
        if source not in PACKAGED and not Path(source).is_dir():
            raise ArtifactError(f"{self.folder} can only encode: the weights of {source} were not stored with it.")
        return source

    @classmethod
    def _made(cls, write: Callable[[Path], object]) -> Encoder:
        """Return an encoder that `write` puts into a temporary folder; the folder is deleted with the encoder."""
        scratch = Path(tempfile.mkdtemp(prefix="kindred-"))
        folder = scratch / "encoder"
        try:
            write(folder)
            encoder = cls(CAPABILITIES["encoder"].load(folder), folder)
        except BaseException:
            shutil.rmtree(scratch)
            raise
        weakref.finalize(encoder, shutil.rmtree, scratch, ignore_errors=True)
        return encoder


@dataclass(frozen=True, eq=False)
class Probes:
    """Predicts the concepts and the difficulty of questions.

    Attributes:
        heads: the loaded model.
        encoder: encoder of the vectors that it reads.
    """

    heads: ProbeHeads
    encoder: Encoder

    @classmethod
    def load(cls, model: str | Path = "", encoder: Encoder | None = None) -> Probes:
        """Load the packaged probes, or those in a folder; `encoder` must be the one that they were trained on.

        Raises:
            ArtifactError, BackboneError, EngineError: as for `Encoder.load`.
            DataError: they were trained on the vectors of a different encoder.
        """
        heads: ProbeHeads = CAPABILITIES["probes"].load(_model_folder("probes", model))
        encoder = encoder or Encoder.load()
        if (heads.encoder, heads.dimension) != (encoder.model.name, encoder.model.dimension):
            raise DataError(
                f"The probes read vectors of {heads.encoder}: load that encoder instead of {encoder.model.name}."
            )
        return cls(heads, encoder)

    def predict(self, texts: Iterable[str], top: int = 5) -> list[Prediction]:
        """Return the `top` most probable concept paths and the difficulty of each text.

        Both are empty for a text that is not mathematics or in a language that the encoder does not know.

        Raises:
            DataError: a text is not a string.
        """
        texts = _checked(texts)
        predictions = self.heads.predict(self.encoder.model.encode(texts), top, texts=texts)
        return [self._stated(prediction, text) for prediction, text in zip(predictions, texts, strict=True)]

    def _stated(self, prediction: Prediction, text: str) -> Prediction:
        """Return the parts of a prediction for which the probes beat guessing on held-out questions."""
        if not looks_like_mathematics(text) or not _knows(self.encoder.model, text):
            return Prediction((), None)
        return Prediction(
            prediction.concepts if self.heads.beats_majority else (),
            prediction.difficulty if self.heads.states_difficulty else None,
            prediction.order if detect_language(text) == _ENGLISH else None,
        )


@dataclass(frozen=True, eq=False)
class ParaphraseScorer:
    """Scores how well paraphrases preserve what questions ask.

    Attributes:
        model: the loaded model.
    """

    model: Scorer

    @classmethod
    def load(cls, model: str | Path = "") -> ParaphraseScorer:
        """Load the packaged scorer, or one from a folder; raises what `Encoder.load` raises."""
        scorer: Scorer = CAPABILITIES["paraphrase"].load(_model_folder("paraphrase", model))
        return cls(scorer.with_answers(compared_answers))

    def score(self, pairs: Iterable[tuple[str, str]]) -> list[PairScore | None]:
        """Return the score of each (original, paraphrase); None if the scorer cannot read the pair.

        Raises:
            DataError: a pair is not two strings.
        """
        checked = []
        for pair in _listed(pairs, "pairs"):
            if len(texts := _checked(pair)) != 2:
                raise DataError(f"A pair is an original and a paraphrase, not {len(texts)} texts.")
            checked.append((texts[0], texts[1]))
        readable = [not self.model.unread_reason(*pair) for pair in checked]
        scores = iter(self.model.score([pair for pair, is_read in zip(checked, readable, strict=True) if is_read]))
        return [next(scores) if is_read else None for is_read in readable]


@dataclass(frozen=True, eq=False)
class Solver:
    """Solves word problems by finding an equation, with rules, a trained model and similar solved problems.

    Attributes:
        model: the loaded models together.
    """

    model: RuleSolver

    @classmethod
    def load(cls, model: str | Path = "") -> Solver:
        """Load the packaged solver of a language, or one from a folder; raises what `Encoder.load` raises."""
        solver: ServedSolver = CAPABILITIES["solver"].load(_model_folder("solver", model))
        language = next(iter(solver.languages), _ENGLISH)
        if language not in _packaged("analogy"):
            return cls(RuleSolver(solver))
        return cls(RuleSolver(recalling(solver, CAPABILITIES["analogy"].load(_model_folder("analogy", language)))))

    def solve(self, text: str) -> list[Solution]:
        """Return up to three solutions, the likeliest first; none if the text cannot be solved.

        Raises:
            DataError: the text is not a string.
        """
        if self.unsolvable_reason(text):
            return []
        solutions = self.model.solve([_problem(text)])[0]
        return [] if solutions and solutions[0].value is None else solutions

    def unsolvable_reason(self, text: str) -> str:
        """Return one sentence on why a text cannot be solved; empty if it may be solvable."""
        problem = _problem(text)
        return self.model.unsolvable_reason(problem) or ("" if may_be_solved(text) else "This is not a word problem.")


@dataclass(frozen=True, eq=False)
class Retriever:
    """Finds worked problems with the same computation as a question.

    Attributes:
        model: the loaded retriever.
        solver: finds the computation that the question probably has; None to compare vectors alone.
    """

    model: ServedRetriever
    solver: ServedSolver | None

    @classmethod
    def load(cls, model: str | Path = "") -> Retriever:
        """Load the packaged retriever of a language, or one from a folder; raises what `Encoder.load` raises."""
        retriever: ServedRetriever = CAPABILITIES["analogy"].load(_model_folder("analogy", model))
        language = retriever.datastore.languages[0] if retriever.datastore else _ENGLISH
        if language not in _packaged("solver"):
            return cls(retriever, None)
        return cls(retriever, CAPABILITIES["solver"].load(_model_folder("solver", language)))

    def exemplars(self, text: str, corpus: Iterable[str | Mapping[str, Any]], k: int = 8) -> list[Exemplar]:
        """Return the row numbers of the `k` most helpful problems of a corpus, best first.

        The question itself and copies of it with other numbers are left out. Nothing is found for a text that the
        retriever cannot read.

        Args:
            text: the question.
            corpus: texts, or dictionaries with ``text``, ``equation`` and the other fields of a file of problems.
            k: how many; fewer if the corpus is smaller.

        Raises:
            DataError: the corpus is empty, or a problem cannot be read.
            ValueError: k is below 1.
        """
        question = _problem(text)
        problems = [_problem(each, number) for number, each in enumerate(_listed(corpus, "problems"), 1)]
        texts = [problem.text for problem in problems]
        graphs = [] if self.solver is None else [readable_text_graph(problem) for problem in problems]
        found = ExemplarCorpus(texts, self.model.encode(texts), graphs)
        if not _knows(self.model, text):
            return []
        likely = None
        if self.solver is not None:
            others = [problem for problem in problems if story_key(problem.text) != story_key(text)]
            likely = likely_graphs(RuleSolver(recalling(self.solver, self.model, solved=others)), [question])
        return found.retrieve([text], self.model.encode([text]), k, likely=likely)[0]


def _packaged(word: str) -> dict[str, Path]:
    """Return the folders of a capability's packaged models by language; one without a language counts as English."""
    starters = CAPABILITIES[word].starters
    return {starter.scope or _ENGLISH: starter.path for starter in starters if starter.path.is_dir()}


def _model_folder(word: str, model: str | Path) -> Path:
    """Return the folder from which a capability's model can be loaded; create it if necessary.

    Args:
        word: the capability.
        model: folder, or the language of a packaged model, by default English.
    """
    packaged = _packaged(word)
    folder = Path(model).expanduser() if model else packaged[_ENGLISH]
    if not folder.is_dir():
        if (language := primary_language(str(model))) not in packaged:
            raise ArtifactError(
                f"{model} is neither a folder nor one of the languages with a packaged {word} model"
                f" ({', '.join(packaged)})."
            )
        folder = packaged[language]
    if not (folder / MANIFEST_NAME).is_file():
        raise ArtifactError(f"{folder} holds no model: give a folder that `python -m analytics train {word}` wrote.")
    return _exported(word, folder) if (folder / ADAPTER_NAME).is_file() else folder


def _exported(word: str, adapter: Path) -> Path:
    """Return the cache folder of an adapter's model merged with its encoder; create it on first use."""
    folder = CACHE.expanduser() / f"{word}-{artifact_checksum(adapter)[:16]}"
    if not folder.is_dir():
        with _pytorch(f"The packaged {word} model, which is put together on first use,"):
            CAPABILITIES[word].export(folder, adapter=adapter)
    return folder


def _convert(source: Path, output: Path) -> None:
    """Convert an encoder from the layout of sentence-transformers to our own."""
    if read_modules(source) is None:
        raise BackboneError(
            f"{source} cannot be loaded: its vectors must be the mean of a transformer's states, optionally followed"
            " by one or two layers."
        )
    with _pytorch(f"{source}, which is in the layout of sentence-transformers,"):
        from analytics.backbone.bert import load_backbone
        from analytics.backbone.export import export_trained
    backbone = load_backbone(str(source), device="cpu")
    export_trained(backbone, output, Manifest("encoder", backbone.name))


@contextmanager
def _pytorch(what: str) -> Iterator[None]:
    """Name the extra to install if a package is missing.

    Args:
        what: the thing that needs PyTorch, as the beginning of a sentence.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise EngineError(f"{what} needs {error.name}: run pip install 'kindred[worker]'.") from error


def _knows(model: OnnxEncoder | ServedRetriever, text: str) -> bool:
    return model.unknown_share([text]) <= UNKNOWN_SHARE_LIMIT


def _listed(values: Any, name: str) -> list[Any]:
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise DataError(f"Give a list of {name}, not {type(values).__name__}.")
    return list(values)


def _checked(texts: Any) -> list[str]:
    """Return the texts as a list, after checking that each can be encoded."""
    listed = _listed(texts, "texts")
    for number, text in enumerate(listed, 1):
        if not isinstance(text, str):
            raise DataError(f"Text {number} is not a string but {type(text).__name__}.")
        if problem := string_problem(text, TEXT_LIMIT):
            raise DataError(f"Text {number} {problem}.")
    return listed


def _problem(problem: Any, number: int = 1) -> ProblemRecord:
    """Return the record of a problem, given as its text or as a line of a file."""
    line = problem if isinstance(problem, Mapping) else {"text": problem}
    return _record(problem_record, line, f"Problem {number}")


def _record(read: Callable[[Mapping[str, Any]], Record | None], line: Any, name: str) -> Record:
    """Return a line of a file as `read` reads it.

    Args:
        name: how an error names the line.
    """
    if not isinstance(line, Mapping):
        raise DataError(f"{name} is not a dictionary but {type(line).__name__}.")
    try:
        record = read(line)
    except ValueError as error:
        raise DataError(f"{name}: {error}.") from error
    if record is None:
        raise DataError(f"{name} has no text.")
    return record

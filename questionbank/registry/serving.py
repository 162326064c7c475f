"""What serves now: the vector set of each lens with its encoder, the probes of each hierarchy, the scorer.

`serving()` reads one state of the database; a request calls it once and passes the result on. So everything
that one page shows comes from models that belong together, even during a promotion.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TypeVar, cast

import numpy as np
import numpy.typing as npt
from django.contrib.postgres.expressions import ArraySubquery
from django.db import connection
from django.db.models import Exists, Subquery
from django.db.models.functions import JSONObject

from analytics.analogy.retriever import ServedRetriever
from analytics.catalog import ANALOGY, CAPABILITIES, PARAPHRASE, PROBES, SOLVER, lenses
from analytics.errors import ArtifactError
from analytics.inference.encode import UNKNOWN_SHARE_LIMIT, HashedNgramEncoder, TextEncoder, VocabularyEncoder
from analytics.inference.heads import ProbeHeads
from analytics.inference.onnx import close_unused_sessions, give_back_freed_memory
from analytics.language_model.equations import EquationWriter
from analytics.languages import UNDETERMINED, primary_language
from analytics.paraphrase.scorer import Scorer
from analytics.recalling_solver import recalling
from analytics.records import ProblemRecord
from analytics.solver.rules.solver import RuleSolver, compared_answers
from analytics.solver.second_opinion import SecondOpinionSolver, load_equation_writer
from analytics.solver.solution import ProblemSolver
from questionbank.bank.concept_selectors import default_hierarchy_first
from questionbank.bank.vector_selectors import EXACT_LIMIT
from questionbank.core.cached import VersionedCache
from questionbank.core.capability_catalog import lens_name
from questionbank.core.errors import ServiceUnavailable
from questionbank.core.wording import language_name
from questionbank.models import EmbeddingSet, ModelArtifact, Question
from questionbank.registry.artifact_selectors import (
    artifact_champion,
    artifact_folder,
    language_champion,
    lens_champion,
)
from questionbank.registry.language_model_selectors import packaged_model_folder, packaged_model_is_ready
from questionbank.registry.recalled import bank_recall

logger = logging.getLogger(__name__)

Model = TypeVar("Model")
Vector = npt.NDArray[np.float32]

_PROBE_COLUMNS = ["id", "capability", "scope", "name", "state", "checksum", "location"]
_KEPT_MODELS = 32  # loaded models cached per process: champions, and recently replaced ones
_unused_seconds = 3600.0  # a model is unloaded after so long without use
_LOOK_SECONDS = 60.0
_models: OrderedDict[str, object] = OrderedDict()
_used_at: dict[str, float] = {}
_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class ServedProbes:
    """Probes with the hierarchy that they predict in and the lens whose vectors they read."""

    heads: ProbeHeads
    hierarchy: str
    lens: str


@dataclass(frozen=True, slots=True)
class ServedSolver:
    """A loaded solver of word problems with its registered model.

    Attributes:
        retriever: the retriever in use, if any; the solver uses it to recall similar problems unless its files are
            missing.
    """

    solver: ProblemSolver
    artifact: ModelArtifact
    retriever: ModelArtifact | None = None


@dataclass(frozen=True, slots=True)
class ServedScorer:
    """A loaded paraphrase scorer with its registered model."""

    scorer: Scorer
    artifact: ModelArtifact


@dataclass(frozen=True, slots=True)
class Serving:
    """The models in use at one moment.

    Attributes:
        sets: the vector set in use, by lens; in a large bank only once it has its index.
        language_sets: vector sets for a single language, by language and lens. `for_language` uses them instead of
            the general ones.
        probe_artifacts: champion probes by hierarchy name, oldest first.
        default_hierarchy: name of the bank's default hierarchy; empty if the bank has none.
    """

    sets: Mapping[str, EmbeddingSet]
    probe_artifacts: Mapping[str, ModelArtifact]
    default_hierarchy: str = ""
    language_sets: Mapping[str, Mapping[str, EmbeddingSet]] = field(default_factory=dict)

    def for_language(self, language: str) -> Serving:
        """Return what serves a language: its own sets and, for other lenses, the general ones."""
        specific_sets = self.language_sets.get(primary_language(language))
        return replace(self, sets={**self.sets, **specific_sets}, language_sets={}) if specific_sets else self

    def set_of(self, artifact: ModelArtifact) -> EmbeddingSet | None:
        """Return the set in use that a model made; None if there is none."""
        groups = (self.sets, *self.language_sets.values())
        rows = (row for group in groups for row in group.values() if row.artifact_id == artifact.pk)
        return next(rows, None)

    def embedding_set(self, lens: str) -> EmbeddingSet:
        """Return the set that serves a lens.

        Raises:
            ServiceUnavailable: there is no set yet.
        """
        embedding_set = self.sets.get(lens)
        if embedding_set is None and self.sets:
            raise ServiceUnavailable(
                "No model for this comparison is in use yet. An admin can train one under Admin > Models."
            )
        if embedding_set is None:
            raise ServiceUnavailable("Questions cannot be compared yet. Admin > Health says what is missing.")
        return embedding_set

    def encoder(self, lens: str) -> TextEncoder:
        """Return the encoder that made the lens's set.

        Raises:
            ServiceUnavailable: there is no set yet, or only workers can load its encoder.
        """
        embedding_set = self.embedding_set(lens)
        artifact = embedding_set.artifact
        if artifact is None:
            return _kept(embedding_set.encoder_name, lambda: HashedNgramEncoder(embedding_set.dimension))
        row = CAPABILITIES[artifact.capability]
        if row.serves != "web":
            raise ServiceUnavailable("Under this lens only questions of the bank can be compared.")
        return _load(artifact, row.load)

    def serves(self, lens: str, language: str, sample: Sequence[str] = ()) -> bool:
        """Return whether the lens has vectors for a language: its encoder must know nine tokens in ten.

        A language that the bank has not measured is measured on the sample; without a sample it is assumed to be
        unknown, unless it is English.
        """
        if lenses()[lens].knows_every_language:
            return True
        if lens not in self.sets or language == UNDETERMINED:
            return False
        share = self.sets[lens].unknown_shares.get(language)
        if share is None and language not in ("", "en"):
            artifact = self.sets[lens].artifact
            is_loaded_here = artifact is None or CAPABILITIES[artifact.capability].serves == "web"
            encoder = self.encoder(lens) if sample and is_loaded_here else None
            share = encoder.unknown_share(sample) if isinstance(encoder, VocabularyEncoder) else 1.0
        return share is None or bool(share <= UNKNOWN_SHARE_LIMIT)

    def lens_for(self, lens: str, language: str, sample: Sequence[str] = ()) -> tuple[EmbeddingSet, TextEncoder, str]:
        """Return the set and encoder for a text: the lens's own, or its stand-in's with a notice that says so.

        Args:
            sample: texts in that language, in case the bank has not measured it.

        Raises:
            ServiceUnavailable: the bank has no set of vectors yet, or no other lens can replace it.
        """
        embedding_set, notice = self.set_for(lens, language, sample)
        return embedding_set, self.encoder(embedding_set.lens), notice

    def set_for(self, lens: str, language: str, sample: Sequence[str] = ()) -> tuple[EmbeddingSet, str]:
        """Return the set to compare a text in: like `lens_for`, for a question that may have its vector already.

        Raises:
            ServiceUnavailable: the bank has no set of vectors yet, or no other lens can replace it.
        """
        if self.serves(lens, language, sample):
            return self.embedding_set(lens), ""
        stand_in = lenses()[lens].stand_in
        if not stand_in:
            self.embedding_set(lens)
            raise ServiceUnavailable("Questions in this language cannot be compared in this way.")
        name = "this language" if language == UNDETERMINED else language_name(language)
        compared = lens_name(stand_in).lower()
        notice = f"We cannot read {name} yet, so these are compared by {compared} only."
        return self.embedding_set(stand_in), notice

    def hierarchy(self, name: str | None = None) -> str:
        """Return the hierarchy to predict in: the named one, else the bank's default, never the last trained.

        A bank without a hierarchy has at most the probes that were installed with it.
        """
        return name or self.default_hierarchy or next(iter(self.probe_artifacts), "")

    def probes_for(
        self, *, hierarchy: str | None = None, language: str = "", sample: Sequence[str] = ()
    ) -> ServedProbes | None:
        """Return the probes of a hierarchy that can answer for a text in a language, or None.

        Probes read either the model's vectors or, if they were trained on questions in a language that the model does
        not know, those of the character n-grams.

        Args:
            sample: texts in that language, in case the bank has not measured it.
        """
        name = self.hierarchy(hierarchy)
        artifact = self.probe_artifacts.get(name)
        if artifact is None:
            return None
        heads = _load(artifact, PROBES.load)
        for lens, embedding_set in self.sets.items():
            reads = (heads.encoder, heads.dimension) == (embedding_set.encoder_name, embedding_set.dimension)
            if reads and self.serves(lens, language, sample):
                return ServedProbes(heads, name, lens)
        return None


_SIGNATURE = """
    SELECT (SELECT oid FROM pg_database WHERE datname = current_database()), array_agg(version ORDER BY version) FROM (
        SELECT format('s %s %s %s', id, xmin, ctid) FROM questionbank_embeddingset WHERE is_current
        UNION ALL
        SELECT format('m %s %s %s', id, xmin, ctid) FROM questionbank_modelartifact
            WHERE (capability = 'probes' AND state = 'champion')
            OR id IN (SELECT artifact_id FROM questionbank_embeddingset WHERE is_current)
        UNION ALL
        SELECT format('h %s %s %s', id, xmin, ctid) FROM questionbank_knowledgehierarchy
    ) AS versions (version)
"""


def _signature() -> object:
    with connection.cursor() as cursor:
        cursor.execute(_SIGNATURE)
        return cursor.fetchone()


def _read() -> Serving:
    """Read the models in use in one statement, which sees one state of the database."""
    champions = (
        ModelArtifact.objects.filter(capability="probes", state=ModelArtifact.State.CHAMPION)
        .order_by("pk")
        .values(row=JSONObject(**{name: name for name in _PROBE_COLUMNS}))
    )
    rows = list(
        EmbeddingSet.objects.filter(is_current=True)
        .select_related("artifact")
        .annotate(
            champion_probes=ArraySubquery(champions),
            default_hierarchy=Subquery(default_hierarchy_first().values("name")[:1]),
            # Until the set has its index, each search compares every vector.
            is_large=Exists(Question.unrestricted.order_by().values("pk")[EXACT_LIMIT : EXACT_LIMIT + 1]),
        )
    )
    probes: list[dict[str, object]] = rows[0].champion_probes if rows else []
    language_sets: dict[str, dict[str, EmbeddingSet]] = {}
    for row in rows:
        if row.state != EmbeddingSet.State.BUILDING or not row.is_large:
            language_sets.setdefault(row.scope, {})[row.lens] = row
    return Serving(
        sets=language_sets.pop("", {}),
        language_sets=language_sets,
        probe_artifacts={
            # The other columns never change and are loaded on access.
            str(columns["scope"]): ModelArtifact.from_db(
                "default", _PROBE_COLUMNS, [columns[name] for name in _PROBE_COLUMNS]
            )
            for columns in probes
        },
        default_hierarchy=(rows[0].default_hierarchy or "") if rows else "",
    )


# The models and sets in use, never a mixture of two promotions. Reading them takes longer than checking whether
# one of their rows has changed.
serving: VersionedCache[Serving] = VersionedCache(_signature, _read)


def served_scorer() -> ServedScorer | None:
    """Return the paraphrase scorer in use; None if there is none yet.

    Raises:
        ServiceUnavailable: its files are missing or damaged.
    """
    artifact = artifact_champion(capability="paraphrase")
    return None if artifact is None else scorer_of(artifact)


def scorer_of(artifact: ModelArtifact) -> ServedScorer:
    """Return a registered scorer, whether it is in use or not.

    Raises:
        ServiceUnavailable: its files are missing or damaged, or the model is not a scorer.
    """
    return ServedScorer(_load(artifact, PARAPHRASE.load).with_answers(compared_answers), artifact)


def served_solver(language: str, *, with_bank: bool = True) -> ServedSolver | None:
    """Return the solver in use for word problems in a language; None if there is no solver yet.

    A language without one gets the first solver, which explains why it cannot help.

    Raises:
        ServiceUnavailable: its files are missing or damaged.
    """
    artifact = language_champion(capability="solver", language=language)
    return None if artifact is None else solver_in_use(artifact, with_bank=with_bank)


def solver_in_use(
    artifact: ModelArtifact,
    *,
    solved: Sequence[ProblemRecord] = (),
    with_bank: bool = False,
    with_second_opinion: bool = False,
) -> ServedSolver:
    """Return a solver with access to similar problems solved before, recalled by the retriever in use.

    Rules answer the problems that they recognise first (`analytics.solver.rules`).

    Args:
        solved: problems with equations that are recalled in addition to the retriever's own.
        with_bank: whether to recall the bank's questions with a known equation too, as pages and jobs do.
        with_second_opinion: whether to query the packaged language model too, once it is ready, as jobs and commands
            do: it takes a second per problem, and half a gigabyte of memory.

    Raises:
        ServiceUnavailable: the solver's files are missing or damaged. A retriever's files are optional.
    """
    solver = solver_of(artifact).solver
    retriever = lens_champion(capability="analogy", language=artifact.scope)
    if retriever is not None:
        try:
            embedding_set = serving().set_of(retriever) if with_bank else None
            further = None if embedding_set is None else bank_recall(embedding_set)
            solver = recalling(solver, retriever_of(retriever), solved=solved, further=further)
        except ServiceUnavailable as error:
            logger.warning("Problems are solved without similar ones: %s", error)
    if with_second_opinion and (writer := _equation_writer()) is not None:
        solver = SecondOpinionSolver(solver, writer)
    return ServedSolver(RuleSolver(solver), artifact, retriever)


def _equation_writer() -> EquationWriter | None:
    """Return the packaged language model as an equation writer; None if it is not ready or damaged."""
    if not packaged_model_is_ready():
        return None
    folder = packaged_model_folder()
    try:
        return _kept(f"equations {folder}", lambda: load_equation_writer(folder))
    except ArtifactError as error:
        logger.warning("Problems are solved without a second opinion: %s", error)
        return None


def retriever_of(artifact: ModelArtifact) -> ServedRetriever:
    """Return a registered retriever, whether it is in use or not.

    Raises:
        ServiceUnavailable: its files are missing or damaged, or the model is not a retriever.
    """
    return _load(artifact, ANALOGY.load)


def solver_of(artifact: ModelArtifact) -> ServedSolver:
    """Return a registered solver without retriever or rules, in use or not; comparisons of training runs use it.

    Raises:
        ServiceUnavailable: its files are missing or damaged, or the model is not a solver.
    """
    return ServedSolver(_load(artifact, SOLVER.load), artifact)


def _load(artifact: ModelArtifact, load: Callable[[Path], Model]) -> Model:
    try:
        return _kept(artifact.checksum, lambda: load(artifact_folder(artifact)))
    except ArtifactError as error:
        raise ServiceUnavailable(f"The model “{artifact.name}” cannot be loaded: {error}") from error


def unload_models_after(seconds: float) -> None:
    """Set the idle time after which this process, and those forked from it, unload a model."""
    global _unused_seconds
    _unused_seconds = seconds


def models_unload(unused_seconds: float) -> None:
    """Unload models of this process that were idle for so long; a closed session reopens when it is used again."""
    with _lock:
        for key, used_at in list(_used_at.items()):
            if time.monotonic() - used_at >= unused_seconds:
                del _used_at[key]
                _models.pop(key, None)
    close_unused_sessions(unused_seconds)


@cache
def _unload_beside(_process: int) -> None:
    """Start a thread that frees memory, once per process: a fork does not inherit threads."""

    def look() -> None:
        while True:
            time.sleep(_LOOK_SECONDS)
            models_unload(_unused_seconds)
            give_back_freed_memory()

    threading.Thread(target=look, name="unload-models", daemon=True).start()


def _kept(key: str, make: Callable[[], Model]) -> Model:
    """Return the cached model under `key`, loading it if needed; concurrent callers share one load."""
    _unload_beside(os.getpid())
    model = _models.get(key)
    if model is None:
        with _lock:
            model = _models.get(key)
            if model is None:
                model = make()
                _models[key] = model
                while len(_models) > _KEPT_MODELS:
                    _models.popitem(last=False)
    _used_at[key] = time.monotonic()
    return cast(Model, model)

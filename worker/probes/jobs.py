"""Jobs for probes: training them on tagged questions, also during an encoder's promotion, and computing the map."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from analytics.catalog import main_lens
from analytics.configuration import config_from_strings, field_specs
from analytics.errors import DataError
from analytics.inference.encode import UNKNOWN_SHARE_LIMIT
from analytics.probes.data import ProbeData, ProbesConfig
from analytics.probes.order import LANGUAGE, ladder_texts
from analytics.probes.projection import ProjectionConfig, project_vectors
from analytics.probes.train import train_probes
from analytics.training.context import TrainingContext
from questionbank.bank.question_selectors import concept_paths
from questionbank.bank.vector_selectors import map_set
from questionbank.bank.vector_services import projection_store
from questionbank.core.errors import Conflict, NotFound
from questionbank.core.storage import scratch_folder
from questionbank.models import EmbeddingSet, KnowledgeHierarchy, ModelArtifact, Question, QuestionTag, Retraining, Run
from questionbank.registry.artifact_selectors import artifact_champion
from questionbank.registry.artifact_services import artifact_register
from questionbank.registry.lifecycle_services import comparison_save, probes_promote
from questionbank.registry.model_selectors import gate, serving_problem
from questionbank.training.services import probes_hierarchies, probes_questions
from worker.embedding import query_encoder, set_vectors
from worker.probes.comparison import FIELDS, difficulty_labels, probes_comparison_figures
from worker.reporting import RunReporter

ENCODERS_AWAITED = 3  # how often another encoder may be promoted while probes are trained


def train_probes_run(reporter: RunReporter) -> dict[str, Any]:
    """Execute a training run with the parameters ``{"hierarchy": name, "set": {field: value}}``.

    Raises:
        NotFound: there is no such hierarchy.
    """
    parameters = reporter.run.parameters
    hierarchy = KnowledgeHierarchy.objects.filter(name=parameters["hierarchy"]).first()
    if hierarchy is None:
        raise NotFound(f"There is no hierarchy {parameters['hierarchy']!r}.")
    artifact = train_hierarchy_probes(reporter, hierarchy=hierarchy, settings=parameters.get("set", {}))
    return {
        "model": artifact.pk,
        "metrics": artifact.manifest["metrics"],
        "questions": probes_questions(artifact.manifest),
        "serves": artifact.state == ModelArtifact.State.CHAMPION,
    }


def train_hierarchy_probes(
    reporter: RunReporter, *, hierarchy: KnowledgeHierarchy, settings: Mapping[str, str]
) -> ModelArtifact:
    """Train the probes of one hierarchy on the vectors in use; they serve if they pass the gate, or if none serve yet.

    Those that a schedule has trained stay a candidate. If another encoder is promoted meanwhile, they are trained again
    on its vectors.

    Raises:
        DataError: too few tagged questions have vectors.
        ConfigurationError: a setting is unknown or out of bounds.
    """
    for _attempt in range(ENCODERS_AWAITED):
        embedding_set = probe_set(hierarchy=hierarchy)
        if embedding_set is None:
            raise DataError(f"No question of the hierarchy {hierarchy.name!r} has a vector yet.")
        artifact = fit_hierarchy_probes(reporter, hierarchy=hierarchy, embedding_set=embedding_set, settings=settings)
        try:
            _compare_probes(reporter, artifact)
            if Retraining.objects.filter(training=reporter.run).exists():
                return artifact  # its schedule says whether it may serve
            promoted = probes_promote(
                artifact=artifact,
                embedding_set=embedding_set,
                reason=f"Trained on the bank: {hierarchy.name}.",
                user=reporter.run.requested_by,
            )
        except Conflict as refusal:
            reporter.log(f"It stays a candidate. {refusal}", level="warning")
            return artifact
        if promoted:
            reporter.log(f"{artifact.numbered_name} is now in use.")
            return artifact
        reporter.log("Another encoder was promoted meanwhile: training again on its vectors.")
    raise DataError("The encoder in use changed again and again; train the probes later.")


def _compare_probes(reporter: RunReporter, artifact: ModelArtifact) -> None:
    """Compare probes with those in use, if any serve."""
    champion = artifact_champion(capability=artifact.capability, scope=artifact.scope)
    if champion is None or serving_problem(champion):
        return
    figures = probes_comparison_figures(reporter, candidate=artifact, champion=champion)
    comparison = comparison_save(candidate=artifact, champion=champion, run=reporter.run, figures=figures)
    reporter.log(" ".join(gate(comparison).reasons))


def fit_hierarchy_probes(
    reporter: RunReporter, *, hierarchy: KnowledgeHierarchy, embedding_set: EmbeddingSet, settings: Mapping[str, str]
) -> ModelArtifact:
    """Train the probes of one hierarchy on the vectors of a set, and register them as a candidate.

    Raises:
        DataError: too few tagged questions have vectors.
        ConfigurationError: a setting is unknown or out of bounds.
    """
    config = config_from_strings(ProbesConfig, settings)
    reporter.progress(0, 1, "Reading vectors")
    data = replace(probe_data(hierarchy=hierarchy, embedding_set=embedding_set), ladders=_ladders(embedding_set))
    reporter.log(f"{len(data):,} tagged questions with vectors by {embedding_set.encoder_name}.")
    with scratch_folder(prefix="probes-") as scratch:
        folder = scratch / "probes"
        context = TrainingContext(
            parent=embedding_set.artifact.checksum if embedding_set.artifact else "",
            progress=reporter.progress,
            cancel=reporter.should_stop,
        )
        train_probes(data, config, folder, context, encoder=embedding_set.encoder_name, hierarchy=hierarchy.name)
        return artifact_register(
            folder=folder, scope=hierarchy.name, parent=embedding_set.artifact, user=reporter.run.requested_by
        )


def _ladders(embedding_set: EmbeddingSet) -> np.ndarray | None:
    """Return the vectors of the ladders by a set's encoder; None if it does not know their language."""
    knows_language = embedding_set.unknown_shares.get(LANGUAGE, 0.0) <= UNKNOWN_SHARE_LIMIT
    if embedding_set.artifact is None or not knows_language:
        return None
    return query_encoder(embedding_set).encode(ladder_texts())


def probes_beside(reporter: RunReporter, *, run: Run, embedding_set: EmbeddingSet) -> list[ModelArtifact]:
    """Train candidates on the new vectors for every hierarchy that has probes or enough questions, and return them."""
    candidates = []
    for hierarchy in probes_hierarchies():
        champion = artifact_champion(capability="probes", scope=hierarchy.name)
        chosen = probe_set(hierarchy=hierarchy, instead=embedding_set)
        if chosen is None or (champion is not None and _reads(champion, chosen)):
            continue  # no questions, or its probes read the n-grams and will keep doing so
        reporter.give_way()
        try:
            candidates.append(
                _trained_before(run, hierarchy, chosen)
                or fit_hierarchy_probes(
                    reporter, hierarchy=hierarchy, embedding_set=chosen, settings=_settings(champion)
                )
            )
        except DataError as error:
            reporter.log(f"No probes for {hierarchy.name}: {error}", level="warning")
    reporter.log(f"Probes for {len(candidates)} hierarchies are ready for the new vectors.")
    return candidates


def _trained_before(run: Run, hierarchy: KnowledgeHierarchy, embedding_set: EmbeddingSet) -> ModelArtifact | None:
    """Return the candidate that an earlier attempt of this run trained, if any."""
    return (
        ModelArtifact.objects.filter(
            capability="probes",
            scope=hierarchy.name,
            state=ModelArtifact.State.CANDIDATE,
            manifest__extra__encoder=embedding_set.encoder_name,
            created_at__gte=run.created_at,
        )
        .order_by("-pk")
        .first()
    )


def _reads(probes: ModelArtifact, embedding_set: EmbeddingSet) -> bool:
    return bool(probes.manifest["extra"]["encoder"] == embedding_set.encoder_name)


def _settings(champion: ModelArtifact | None) -> dict[str, str]:
    """Return the settings of the probes in use, without settings that no longer exist."""
    if champion is None:
        return {}
    names = {spec.name for spec in field_specs(ProbesConfig)}
    return {name: str(value) for name, value in champion.manifest["config"].items() if name in names}


def project_run(reporter: RunReporter) -> dict[str, Any]:
    """Compute the map of the encoder in use; parameters ``{"set": {field: value}}`` of `ProjectionConfig`.

    Raises:
        DataError: the bank has no vectors.
        ConfigurationError: a setting is unknown or out of bounds.
        GaveWay: other work waits for this worker; the job starts over later.
    """
    config = config_from_strings(ProjectionConfig, reporter.run.parameters.get("set", {}))
    embedding_set = map_set()
    if embedding_set is None:
        raise DataError("The bank has no vectors yet.")
    reporter.progress(0, 0, "Reading vectors")
    vectors = set_vectors(embedding_set)
    if not vectors:
        raise DataError("The bank has no vectors yet.")
    ids = sorted(vectors)  # the map depends on the order

    def tell(done: int, total: int, message: str) -> None:
        reporter.progress(done, total, message)
        reporter.give_way(begins_again=True)

    made = project_vectors(np.stack([vectors[pk] for pk in ids]), config, progress=tell, cancel=reporter.should_stop)
    reporter.check()
    projection_store(
        embedding_set=embedding_set,
        question_ids=np.array(ids, dtype=np.int64),
        coordinates=made.coordinates,
        method=made.method,
        settings=asdict(config) | {"sampled": made.sampled},
    )
    reporter.log(
        f"{len(ids):,} questions by {made.method}, {made.sampled:,} of them laid out together;"
        f" vectors by {embedding_set.encoder_name}."
    )
    return {"questions": len(ids), "method": made.method}


def probe_set(*, hierarchy: KnowledgeHierarchy, instead: EmbeddingSet | None = None) -> EmbeddingSet | None:
    """Return the set in use whose encoder knows the most frequent language of the hierarchy's questions.

    That is the set of the lens that probes read, else of its stand-in.

    Args:
        hierarchy: one with tagged questions; without any there is no such set.
        instead: a set to use instead of the one in use for its lens.
    """
    tagged = QuestionTag.objects.filter(concept__hierarchy=hierarchy).values_list("question_id")
    languages = Counter(Question.objects.filter(pk__in=tagged).values_list("language", flat=True))
    in_use = {row.lens: row for row in EmbeddingSet.objects.filter(is_current=True, scope="")}
    if instead is not None:
        in_use[instead.lens] = instead
    lens = main_lens()
    if not languages or lens.word not in in_use:
        return None
    language = languages.most_common(1)[0][0]
    knows_language = in_use[lens.word].unknown_shares.get(language, 0.0) <= UNKNOWN_SHARE_LIMIT
    return in_use[lens.word] if knows_language else in_use.get(lens.stand_in)


def probe_data(*, hierarchy: KnowledgeHierarchy, embedding_set: EmbeddingSet) -> ProbeData:
    """Return the questions that probes of a hierarchy learn from, with their vectors in the set.

    Published difficulties on any scale but the most frequent are left out: a probe never mixes scales. Where responses
    tell more than the source does, they take its place (`worker.probes.comparison`).
    """
    rows, vectors = probe_questions(hierarchy=hierarchy, embedding_set=embedding_set)
    labels = difficulty_labels(rows)
    paths = concept_paths([row.pk for row in rows], hierarchy=hierarchy)
    data = ProbeData.of(
        vectors,
        [paths.get(row.pk, []) for row in rows],
        labels.learned,
        texts=[row.analysed_text for row in rows],
        scales=[labels.scale if difficulty is not None else "" for difficulty in labels.learned],
        sources=[row.source for row in rows],
    )
    return replace(data, errors=labels.errors)


def probe_questions(*, hierarchy: KnowledgeHierarchy, embedding_set: EmbeddingSet) -> tuple[list[Question], np.ndarray]:
    """Return ready questions that are tagged in the hierarchy, have a vector in the set and are not paraphrases.

    Returns:
        The questions, and their vectors (questions, dimension).
    """
    tagged = QuestionTag.objects.filter(concept__hierarchy=hierarchy).values("question_id")
    vectors = set_vectors(embedding_set)
    questions = Question.objects.filter(pk__in=tagged, status=Question.Status.READY, paraphrase_of__isnull=True)
    read = questions.only("text", "options", "content", "source", *FIELDS).order_by("pk")
    rows = [row for row in read if row.pk in vectors]
    table = np.array([vectors[row.pk] for row in rows], dtype=np.float32).reshape(-1, embedding_set.dimension)
    return rows, table

"""Training an encoder on the bank, and comparing it with the champion on the fixed suite.

The suite is every ready tagged question that no encoder is ever trained on (`analytics.splits.is_held_out`).
For each encoder, concept and difficulty probes are trained on the other tagged questions, and neighbours are
searched among them. Every figure is stored per question, so that the interval of the difference can be
bootstrapped over questions, drawing the same ones for both encoders.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from analytics.backbone.bert import load_backbone
from analytics.catalog import ENCODER
from analytics.concept_paths import PathTree, retrieval_hits
from analytics.encoder.examples import EncoderExample
from analytics.encoder.train import train_encoder
from analytics.errors import DataError
from analytics.inference.encode import UNKNOWN_SHARE_LIMIT, known_languages, nearest_rows
from analytics.probes.fitting import choose_ridge_penalty, difficulty_probe
from analytics.records import ConceptPath
from analytics.splits import grouped_split, groups_by_masked_text, is_held_out
from analytics.training.checkpoint import kept_or_made
from questionbank.bank.vector_selectors import embedding_set_sample
from questionbank.core.capability_figures import EncoderFigures, Metric
from questionbank.models import EmbeddingSet, ModelArtifact
from questionbank.registry.artifact_selectors import artifact_folder
from questionbank.training.encoder import encoder_report
from questionbank.training.questions import TrainingQuestion, training_questions
from worker.candidates import Beginning, Train, train_candidate
from worker.comparison import ROLES, SEED, Vectors, changed_neighbours, compared_sets, paired_metric, unreadable
from worker.embedding import set_vectors
from worker.encoder.evaluation import read_triples, task_margins
from worker.reporting import RunReporter

_EXAMPLES_NAME = "examples.json.gz"


def train_encoder_run(reporter: RunReporter) -> dict[str, Any]:
    """Execute a training run: `train_candidate`, with ``{"hierarchies": [names] or absent for all}``."""

    def begin(beginning: Beginning) -> Train:
        read = partial(_read_examples, reporter, beginning.start)
        examples = [_example(row) for row in kept_or_made(beginning.folder / _EXAMPLES_NAME, read)]
        return partial(train_encoder, examples, beginning.config, start=beginning.start)

    return train_candidate(reporter, "quesco", begin)


def _read_examples(reporter: RunReporter, start: str) -> list[dict[str, Any]]:
    hierarchies = reporter.run.parameters.get("hierarchies")
    reporter.progress(0, 0, "Reading the questions")
    _log_report(reporter, hierarchies)
    backbone = load_backbone(start, device="cpu")
    feed = encoder_feed(hierarchies=hierarchies, unknown_share=backbone.unknown_share)
    for language, (count, share) in feed.unknown_languages.items():
        reporter.log(
            f"{backbone.name} does not know {share:.0%} of the tokens in language {language!r}:"
            f" its {count:,} questions are left out.",
            level="warning",
        )
    if feed.duplicates:
        reporter.log(f"{feed.duplicates:,} questions that repeat another one exactly are left out.")
    if not feed.examples:
        raise DataError("The bank has no ready question in a language that the backbone knows.")
    return [asdict(example) for example in feed.examples]


def _log_report(reporter: RunReporter, hierarchies: list[str] | None) -> None:
    report = encoder_report(hierarchies=hierarchies)
    count = report.count
    reporter.log(
        f"{count('questions'):,} ready questions, {count('without_concept'):,} without a concept;"
        f" of {count('examined'):,} looked at, {count('held_out'):,} are held out,"
        f" {count('exact_duplicates'):,} repeat another one, {count('near_equal'):,} differ from another one in"
        f" numbers only, {count('test_items_in_train'):,} held-out ones are in the training part too."
    )
    levels = report.tables[0]
    for level in levels.rows:
        questions, concepts, largest_share, rarest, _evenness = level.cells
        reporter.log(
            f"Level {level.label}: {questions:,} questions in {concepts:,} concepts, the commonest with"
            f" {largest_share:.0%}, the rarest with {rarest:,}."
        )
    for sentence in report.advice:
        reporter.log(sentence, level="warning")


def _example(row: dict[str, Any]) -> EncoderExample:
    return EncoderExample(**row | {"paths": tuple(tuple(path) for path in row["paths"])})


@dataclass(frozen=True, slots=True)
class EncoderFeed:
    """Questions of the bank to pre-train an encoder on.

    Attributes:
        examples: including the fixed held-out part, which the training itself removes.
        unknown_languages: {language: (questions left out, share of tokens that the backbone does not know)}.
        duplicates: questions left out because another one in the same hierarchy is exactly the same.
    """

    examples: list[EncoderExample]
    unknown_languages: Mapping[str, tuple[int, float]]
    duplicates: int


def encoder_feed(*, hierarchies: Sequence[str] | None, unknown_share: Callable[[Sequence[str]], float]) -> EncoderFeed:
    """Return ready questions, tagged or not, in the languages that a backbone knows.

    Args:
        hierarchies: only questions tagged in these; by default all.
        unknown_share: returns the share of some texts' tokens that the backbone's vocabulary lacks.
    """
    rows = training_questions(hierarchies=hierarchies)
    languages = Counter(language for language in {row.id: row.language for row in rows}.values())
    shares = {language: unknown_share(embedding_set_sample(language=language)) for language in languages}
    unknown = {language: share for language, share in shares.items() if share > UNKNOWN_SHARE_LIMIT}
    by_text: dict[tuple[str, bytes], TrainingQuestion] = {}
    repeated = 0
    for row in rows:
        if row.language in unknown:
            continue
        repeated += (row.hierarchy, row.content_hash) in by_text
        by_text.setdefault((row.hierarchy, row.content_hash), row)
    return EncoderFeed(
        examples=[
            EncoderExample(
                text=row.text,
                paths=row.paths,
                hierarchy=row.hierarchy,
                solution=row.solution,
                difficulty=row.difficulty,
            )
            for row in by_text.values()
        ],
        unknown_languages={language: (languages[language], share) for language, share in unknown.items()},
        duplicates=repeated,
    )


Floats = npt.NDArray[np.float64]

NEIGHBOURS = 10
LARGEST_SUITE, LARGEST_TRAIN = 5_000, 20_000  # questions of a hierarchy
FEWEST_TRAIN = 20  # a hierarchy needs this many questions to train a probe


def encoder_comparison_figures(
    reporter: RunReporter, *, candidate: ModelArtifact, champion: ModelArtifact
) -> EncoderFigures:
    """Evaluate two encoders, computing missing vectors, which a later promotion reuses."""
    figures = comparison_figures(reporter, **compared_sets(reporter, candidate=candidate, champion=champion))
    figures["metrics"] += _task_metrics(candidate, champion)
    return figures


def comparison_figures(reporter: RunReporter, *, candidate: EmbeddingSet, champion: EmbeddingSet) -> EncoderFigures:
    """Evaluate both sets of vectors."""
    reporter.progress(0, 0, "Reading vectors")
    vectors = {"candidate": set_vectors(candidate), "champion": set_vectors(champion)}
    rows = [row for row in training_questions() if row.paths]
    common = vectors["candidate"].keys() & vectors["champion"].keys()
    suite = [row for row in rows if is_held_out(row.text)]
    suite_ids = {row.id for row in suite}
    training = [row for row in rows if row.id not in suite_ids and row.id in common]
    measured = _Measured()
    used: set[int] = set()
    for hierarchy in sorted({row.hierarchy for row in training}):
        sample = _sample([row for row in suite if row.hierarchy == hierarchy and row.id in common], LARGEST_SUITE)
        among = _sample([row for row in training if row.hierarchy == hierarchy], LARGEST_TRAIN)
        if not sample or len(among) < FEWEST_TRAIN:
            continue
        used.update(row.id for row in sample)
        for role, by_id in vectors.items():
            reporter.check()
            reporter.progress(0, 0, f"Measuring the {role}: {hierarchy}")
            _measure(measured, role, _Part.of(sample, by_id), _Part.of(among, by_id), reporter)
    reporter.progress(0, 0, "Comparing")
    return {
        "suite": {
            "questions": len(used),
            "train_questions": len({row.id for row in training}),
            "left_out": len(suite_ids - vectors["candidate"].keys() - vectors["champion"].keys()),
            "lost": unreadable(suite, vectors["champion"].keys() - vectors["candidate"].keys(), candidate),
            "gained": unreadable(suite, vectors["candidate"].keys() - vectors["champion"].keys(), champion),
            "difficulties": len(measured.truth),
            "seed": SEED,
        },
        "metrics": measured.metrics(),
        "changed": changed_neighbours(vectors, sorted(used), sorted(common), k=NEIGHBOURS),
    }


@dataclass
class _Measured:
    """Figures of every question in the suite, by metric; the lists of the two models are parallel."""

    # (sort, level) -> role -> values, with the matching question ids below
    by_level: dict[tuple[str, int], dict[str, list[float]]] = field(default_factory=dict)
    questions: dict[tuple[str, int], dict[str, list[int]]] = field(default_factory=dict)
    truth: list[float] = field(default_factory=list)
    graded: list[int] = field(default_factory=list)
    estimates: dict[str, list[float]] = field(default_factory=lambda: {"candidate": [], "champion": []})

    def add(self, sort: str, level: int, role: str, ids: Sequence[int], values: Floats) -> None:
        """Add the known values (NaN: the question has no concept at this level)."""
        present = ~np.isnan(values)
        self.by_level.setdefault((sort, level), {}).setdefault(role, []).extend(values[present].tolist())
        asked_ids = [question_id for question_id, is_kept in zip(ids, present, strict=True) if is_kept]
        self.questions.setdefault((sort, level), {}).setdefault(role, []).extend(asked_ids)

    def metrics(self) -> list[Metric]:
        """Return every figure with its interval, in reading order."""
        rng = np.random.default_rng(SEED)
        metrics = []
        for sort in ("concept_accuracy", "precision_at_10"):
            for level in sorted({depth for name, depth in self.by_level if name == sort}):
                values, ids = self.by_level[sort, level], self.questions[sort, level]["candidate"]
                if ids:
                    columns = [values[role] for role in ROLES]
                    metrics.append(paired_metric(f"{sort}_level_{level}", ids, columns, rng))
        if len(self.truth) > 1 and np.ptp(self.truth) > 0:
            estimates = [self.estimates[role] for role in ROLES]
            errors = [np.abs(np.subtract(estimate, self.truth)).tolist() for estimate in estimates]
            metrics.append(paired_metric("difficulty_mae", self.graded, errors, rng))
            columns = [*estimates, self.truth]
            metrics.append(paired_metric("difficulty_pearson", self.graded, columns, rng, kind="pearson"))
        return metrics


@dataclass(frozen=True, slots=True)
class _Part:
    """Questions and their vectors, one row each."""

    questions: Sequence[TrainingQuestion]
    vectors: npt.NDArray[np.float32]

    @classmethod
    def of(cls, questions: Sequence[TrainingQuestion], vectors: Vectors) -> _Part:
        return cls(questions, np.stack([vectors[row.id] for row in questions]))

    @property
    def paths(self) -> list[Sequence[ConceptPath]]:
        return [row.paths for row in self.questions]


def _measure(measured: _Measured, role: str, suite: _Part, among: _Part, reporter: RunReporter) -> None:
    """Fit probes and search neighbours on `among`, and add the results on the suite."""
    from analytics.probes.fitting import choose_penalty, concept_probe  # imports PyTorch; scorers need none

    ids = [row.id for row in suite.questions]
    nearest = nearest_rows(suite.vectors, among.vectors, NEIGHBOURS)
    tree = PathTree.of(path for paths in among.paths for path in paths)
    groups = groups_by_masked_text([row.text for row in among.questions])
    validation = grouped_split(groups, 0.2, np.random.default_rng(SEED))
    targets = tree.targets(among.paths)
    penalty = choose_penalty(among.vectors, targets, validation, tree, cancel=reporter.should_stop)
    logits = concept_probe(among.vectors, targets, tree, penalty=penalty).logits(suite.vectors)
    probabilities = np.exp(logits - logits.max(axis=1, keepdims=True))
    for level in range(1, tree.depth() + 1):
        measured.add("concept_accuracy", level, role, ids, tree.hits(probabilities, suite.paths, level))
        hits = retrieval_hits(nearest, suite.paths, among.paths, level)
        measured.add("precision_at_10", level, role, ids, hits)
    _measure_difficulty(measured, role, suite, among, groups)


def _measure_difficulty(
    measured: _Measured, role: str, suite: _Part, among: _Part, groups: npt.NDArray[np.int64]
) -> None:
    graded = np.array([row.difficulty is not None for row in among.questions])
    truth = np.array([row.difficulty for row in among.questions if row.difficulty is not None])
    with_difficulty = [index for index, row in enumerate(suite.questions) if row.difficulty is not None]
    if len(truth) < FEWEST_TRAIN or np.ptp(truth) == 0 or not with_difficulty:
        return
    scale = np.sqrt(among.vectors.shape[1])  # makes one range of penalties suit vectors of any dimension
    features = among.vectors[graded] * scale
    penalty = choose_ridge_penalty(features, truth, groups[graded], np.random.default_rng(SEED))
    probe = difficulty_probe(features, truth, penalty=penalty)
    estimates = np.clip(probe.values(suite.vectors[with_difficulty] * scale), 0, 1)
    measured.estimates[role].extend(estimates.tolist())
    if role == "candidate":
        measured.truth.extend(suite.questions[index].difficulty or 0.0 for index in with_difficulty)
        measured.graded.extend(suite.questions[index].id for index in with_difficulty)


def _task_metrics(candidate: ModelArtifact, champion: ModelArtifact) -> list[Metric]:
    """Return how often each encoder ranks the same task above the same story, in the languages that both know."""
    models = [ENCODER.load(artifact_folder(artifact)) for artifact in (candidate, champion)]
    triples = read_triples()
    texts = [(triple.language, triple.question) for triple in triples]
    known = set.intersection(*(known_languages(texts, model.unknown_share) for model in models))
    triples = [triple for triple in triples if triple.language in known]
    if not triples:
        return []
    columns = [(task_margins(triples, model.encode) > 0).astype(float).tolist() for model in models]
    return [paired_metric("task_over_story", range(len(triples)), columns, np.random.default_rng(SEED))]


def _sample(rows: Sequence[TrainingQuestion], size: int) -> list[TrainingQuestion]:
    """Return at most `size` rows, always the same ones: chosen by content hash."""
    if len(rows) <= size:
        return list(rows)
    chosen = sorted(rows, key=lambda row: row.content_hash)[:size]
    return sorted(chosen, key=lambda row: row.id)

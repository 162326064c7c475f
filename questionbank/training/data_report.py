"""Reports on the bank for admins, before an encoder or a model of concepts is trained on it."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from django.core.cache import cache
from django.db.models import Count, Max

from analytics.catalog import main_lens
from analytics.inference.vocabulary import UNKNOWN_SHARE_LIMIT
from analytics.probes.data import kept_out
from analytics.records import ConceptPath
from analytics.splits import is_held_out
from analytics.text.copies import story_key
from questionbank.bank.concept_selectors import default_hierarchy
from questionbank.core.wording import counted, language_name
from questionbank.models import EmbeddingSet, Question, QuestionTag
from questionbank.registry.model_selectors import FEWEST_TAGGED
from questionbank.training.questions import TrainingQuestion, is_test_source, training_questions

EXAMINED = 20_000  # most texts compared with each other; masking numbers takes a tenth of a millisecond each
FEWEST = 1_000  # training questions; with fewer, pre-training hardly learns
SKEWED = 0.5  # with a larger share, one concept is nearly all that its level can teach
REPEATED = 0.2  # share of questions that have a near-duplicate
_KEPT_SECONDS = 3600

Report = TypeVar("Report")


@dataclass(frozen=True, slots=True)
class LevelReport:
    """The distribution of the questions over the concepts of a level.

    Attributes:
        questions: questions with a concept at this level.
        largest_share: share of them under the most frequent concept.
        smallest_count: number of them under the rarest concept.
        entropy: normalised entropy, 0 (one concept has all) to 1 (all have equally many).
    """

    level: int
    concepts: int
    questions: int
    largest_share: float
    smallest_count: int
    entropy: float


@dataclass(frozen=True, slots=True)
class LanguageReport:
    """A language of the questions; `unknown_share` of its tokens is None if not measured."""

    language: str
    questions: int
    unknown_share: float | None

    @property
    def known(self) -> bool:
        """Whether the encoder in use knows the language well enough to be trained on it."""
        return self.unknown_share is None or self.unknown_share <= UNKNOWN_SHARE_LIMIT


@dataclass(frozen=True, slots=True)
class DataReport:
    """Counts over the ready questions that a training would use.

    Attributes:
        examined: questions whose texts were compared; all, or a sample of a large bank. The counts from
            `held_out` to `test_sources` refer to these.
        held_out: questions excluded from every training, for the fixed comparison.
        exact_duplicates: questions beyond the first that are exactly the same.
        test_items_in_train: held-out questions that also occur in the training part, apart from their numbers.
        test_sources: training questions whose source is named as a test split.
        levels: by depth, after dropping the leading nodes that nearly all paths of a hierarchy share.
    """

    questions: int
    examined: int
    held_out: int
    exact_duplicates: int
    near_equal: int
    test_items_in_train: int
    test_sources: int
    without_concept: int
    levels: tuple[LevelReport, ...]
    languages: tuple[LanguageReport, ...]
    advice: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KeptReport(Generic[Report]):
    """A report on the bank, cached for an hour while neither the bank nor any of the `versions` changes.

    Attributes:
        count: computes it, for the questions tagged in some hierarchies or for all (None).
        versions: returns versions of other data that it depends on.
    """

    name: str
    count: Callable[[Sequence[str] | None], Report]
    versions: Callable[[], Sequence[str]] = tuple

    def __call__(self, *, hierarchies: Sequence[str] | None = None) -> Report:
        """Return the report, computing it if it is not cached: this takes seconds in a large bank."""
        report = self.kept(hierarchies=hierarchies)
        if report is None:
            report = self.count(hierarchies)
            cache.set(self._key(hierarchies), report, _KEPT_SECONDS)
        return report

    def kept(self, *, hierarchies: Sequence[str] | None = None) -> Report | None:
        """Return the report if it is cached, else None."""
        report: Report | None = cache.get(self._key(hierarchies))
        return report

    def _key(self, hierarchies: Sequence[str] | None) -> str:
        chosen = "all" if hierarchies is None else sorted(hierarchies)
        questions = Question.objects.aggregate(count=Count("pk"), last=Max("updated_at"))
        tags = QuestionTag.objects.aggregate(count=Count("pk"), last=Max("pk"))
        version = "/".join([f"{questions}/{tags}", *self.versions(), str(chosen)])
        return f"{self.name}-data-report/{hashlib.sha256(version.encode()).hexdigest()}"


def _count(rows: Sequence[TrainingQuestion]) -> DataReport:
    by_id = {row.id: row for row in rows}
    examined = sorted(by_id.values(), key=lambda row: row.content_hash)[:EXAMINED]
    digests: set[bytes] = set()
    groups: dict[str, int] = {}
    held: set[str] = set()
    trained: set[str] = set()
    held_out = test_sources = 0
    for row in examined:
        story = story_key(row.text)
        if row.content_hash not in digests:
            groups[story] = groups.get(story, 0) + 1
        digests.add(row.content_hash)
        if is_held_out(row.text):
            held.add(story)
            held_out += 1
        else:
            trained.add(story)
            test_sources += is_test_source(row.source)
    repeated = [count for count in groups.values() if count > 1]
    report = DataReport(
        questions=len(by_id),
        examined=len(examined),
        held_out=held_out,
        exact_duplicates=len(examined) - len(digests),
        near_equal=sum(repeated),
        test_items_in_train=len(held & trained),
        test_sources=test_sources,
        without_concept=sum(not row.paths for row in by_id.values()),
        levels=_levels(rows),
        languages=_languages(by_id.values()),
        advice=(),
    )
    return _with_advice(report)


def _levels(rows: Sequence[TrainingQuestion]) -> tuple[LevelReport, ...]:
    levels: list[LevelReport] = []
    for depth in range(1, max((len(path) for row in rows for path in row.paths), default=0) + 1):
        counts: Counter[tuple[str, ConceptPath]] = Counter()
        questions = set()
        for row in rows:
            for node in {path[:depth] for path in row.paths if len(path) >= depth}:
                counts[row.hierarchy, node] += 1
                questions.add(row.id)
        shares = [count / counts.total() for count in counts.values()]
        levels.append(
            LevelReport(
                level=depth,
                concepts=len(counts),
                questions=len(questions),
                largest_share=max(counts.values()) / len(questions),
                smallest_count=min(counts.values()),
                entropy=-sum(share * math.log(share) for share in shares) / math.log(len(counts))
                if len(counts) > 1
                else 0.0,
            )
        )
    return tuple(levels)


def _languages(rows: Iterable[TrainingQuestion]) -> tuple[LanguageReport, ...]:
    counts = Counter(row.language for row in rows)
    in_use = EmbeddingSet.objects.filter(lens=main_lens().word, is_current=True).first()
    shares = in_use.unknown_shares if in_use else {}
    return tuple(
        LanguageReport(language=language, questions=count, unknown_share=shares.get(language))
        for language, count in counts.most_common()
    )


def _with_advice(report: DataReport) -> DataReport:
    advice = []
    training = report.questions - round(report.questions * report.held_out / max(1, report.examined))
    if training < FEWEST:
        advice.append(f"With fewer than {FEWEST} training questions an encoder learns very little.")
    if report.test_items_in_train:
        copied = counted(report.test_items_in_train, "question", "questions")
        advice.append(f"Copies of {copied} of the fixed comparison are in the training part, and left out of it.")
    if report.test_sources:
        advice.append(
            counted(
                report.test_sources,
                "training question comes from a source that is named as a test split: figures measured on that"
                " split will be too good.",
                "training questions come from sources that are named as a test split: figures measured on those"
                " splits will be too good.",
            )
        )
    if report.without_concept == report.questions > 0:
        advice.append("No question has a concept: choose the ranking “none”, or tag some first.")
    elif report.without_concept > report.questions / 2:
        advice.append("More than half of the questions have no concept: rankings by concept leave them out.")
    if report.near_equal > REPEATED * report.examined:
        advice.append("Many questions differ from another one in their numbers only.")
    advice += [
        f"At level {level.level} one concept has {round(100 * level.largest_share)} % of the questions."
        for level in report.levels
        if level.concepts > 1 and level.largest_share > SKEWED
    ]
    advice += [
        (f"With the same backbone, training leaves out {language.questions:,} questions"
          f" ({language_name(language.language)}): the encoder in use does not know their language.")
        for language in report.languages
        if not language.known
    ]  # fmt: skip
    return replace(report, advice=tuple(advice))


# The data that an encoder would be trained on.
encoder_data_report: KeptReport[DataReport] = KeptReport(
    "encoder", lambda hierarchies: _count(training_questions(hierarchies=hierarchies))
)


@dataclass(frozen=True, slots=True)
class ProbesReport:
    """Counts of the data for training probes.

    Attributes:
        hierarchy: empty if the bank has none.
        questions: ready questions tagged in it, without paraphrases.
        kept_out: number of them excluded from training, to compare models on.
        graded: number of them with a difficulty on the most frequent scale; the others teach no difficulty.
        missing: number of questions still missing for automatic training after an import.
    """

    hierarchy: str
    questions: int
    kept_out: int
    concepts: int
    graded: int
    scale: str
    missing: int


def _default_name() -> str:
    default = default_hierarchy()
    return default.name if default else ""


def _count_of_hierarchies(hierarchies: Sequence[str] | None) -> ProbesReport:
    name = hierarchies[0] if hierarchies else _default_name()
    rows = [row for row in training_questions(hierarchies=[name]) if row.paths]
    scales = Counter(
        Question.objects.filter(pk__in=[row.id for row in rows], difficulty__isnull=False).values_list(
            "difficulty_scale", flat=True
        )
    )
    scale, graded = scales.most_common(1)[0] if scales else ("", 0)
    return ProbesReport(
        hierarchy=name,
        questions=len(rows),
        kept_out=int(kept_out([row.text for row in rows], [row.paths for row in rows]).sum()),
        concepts=len({path for row in rows for path in row.paths}),
        graded=graded,
        scale=scale,
        missing=max(0, FEWEST_TAGGED - len(rows)),
    )


# The data of one hierarchy, by default the bank's default one.
probes_data_report: KeptReport[ProbesReport] = KeptReport("probes", _count_of_hierarchies, lambda: [_default_name()])

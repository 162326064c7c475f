"""Reports on the questions that an encoder, or the probes of a hierarchy, would be trained on."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from analytics.catalog import main_lens
from analytics.inference.encode import UNKNOWN_SHARE_LIMIT
from analytics.probes.data import kept_out
from analytics.records import ConceptPath
from analytics.splits import is_held_out
from analytics.text.fingerprints import story_key
from questionbank.bank.concept_selectors import default_hierarchy
from questionbank.core.capability_report import CachedReport, Report, Row, Table, TableRow
from questionbank.core.wording import counted, language_name
from questionbank.models import EmbeddingSet, Question, QuestionTag, Response
from questionbank.registry.model_selectors import FEWEST_TAGGED
from questionbank.training.questions import EXAMINED, TrainingQuestion, is_test_source, training_questions

FEWEST = 1_000  # training questions; with fewer, pre-training hardly learns
SKEWED = 0.5  # with a larger share, one concept is nearly all that its level can teach
REPEATED = 0.2  # share of questions that have a near-duplicate


def _encoder_report(hierarchies: Sequence[str] | None) -> Report:
    rows = training_questions(hierarchies=hierarchies)
    by_id = {row.id: row for row in rows}
    examined = sorted(by_id.values(), key=lambda row: row.content_hash)[:EXAMINED]
    report = Report(
        rows=tuple(_counts(by_id.values(), examined)),
        tables=(_levels(rows), _languages(by_id.values())),
        introduction=f"Texts were compared for {len(examined):,} of them." if len(examined) < len(by_id) else "",
    )
    return replace(report, advice=(*_count_advice(report), *_table_advice(*report.tables)))


def _counts(questions: Collection[TrainingQuestion], examined: Sequence[TrainingQuestion]) -> Iterator[Row]:
    """Yield the counts of a report.

    Args:
        questions: all questions, each once.
        examined: the questions whose texts are compared: all, or a sample of a large bank.
    """
    digests: set[bytes] = set()
    stories: Counter[str] = Counter()  # of different questions, with the numbers masked
    held: set[str] = set()
    trained: set[str] = set()
    held_out = test_sources = 0
    for row in examined:
        story = story_key(row.text)
        stories[story] += row.content_hash not in digests
        digests.add(row.content_hash)
        if is_held_out(row.text):
            held.add(story)
            held_out += 1
        else:
            trained.add(story)
            test_sources += is_test_source(row.source)
    yield Row("questions", len(questions), "questions")
    yield Row("examined", len(examined))
    yield Row("held_out", held_out, "held out for comparison")
    yield Row("without_concept", sum(not row.paths for row in questions), "without a concept")
    yield Row("exact_duplicates", len(examined) - len(digests), "exact duplicates")
    yield Row("near_equal", sum(count for count in stories.values() if count > 1), "equal except for numbers")
    yield Row("test_items_in_train", len(held & trained), "held out and also in training")
    yield Row("test_sources", test_sources, "from a test split")


def _levels(rows: Sequence[TrainingQuestion]) -> Table:
    """Return the distribution of the questions over the concepts of each level.

    Evenness is the normalised entropy: 0 if one concept has all questions, 1 if all have the same number.
    """
    levels = []
    for depth in range(1, max((len(path) for row in rows for path in row.paths), default=0) + 1):
        counts: Counter[tuple[str, ConceptPath]] = Counter()
        questions = set()
        for row in rows:
            for node in {path[:depth] for path in row.paths if len(path) >= depth}:
                counts[row.hierarchy, node] += 1
                questions.add(row.id)
        shares = [count / counts.total() for count in counts.values()]
        entropy = -sum(share * math.log(share) for share in shares)
        evenness = entropy / math.log(len(counts)) if len(counts) > 1 else 0.0
        largest_share = max(counts.values()) / len(questions)
        cells = (len(questions), len(counts), largest_share, min(counts.values()), evenness)
        levels.append(TableRow(str(depth), cells))
    return Table(
        title="Concepts by level",
        labels="Level",
        columns={
            "Questions": "count",
            "Concepts": "count",
            "Share of the commonest": "share",
            "Questions of the rarest": "count",
            "Evenness": "scale",
        },
        rows=tuple(levels),
    )


def _languages(rows: Iterable[TrainingQuestion]) -> Table:
    """Return the questions by language; those in a language that the encoder in use does not know are left out."""
    counts = Counter(row.language for row in rows)
    in_use = EmbeddingSet.objects.filter(lens=main_lens().word, scope="", is_current=True).first()
    shares = in_use.unknown_shares if in_use else {}
    return Table(
        title="Questions by language",
        labels="Language",
        columns={"Questions": "count", "Unknown tokens": "share"},
        rows=tuple(
            TableRow(
                language_name(language), (count, shares.get(language)), shares.get(language, 0) > UNKNOWN_SHARE_LIMIT
            )
            for language, count in counts.most_common()
        ),
    )


def _count_advice(report: Report) -> Iterator[str]:
    questions = report.count("questions")
    training = questions - round(questions * report.count("held_out") / max(1, report.count("examined")))
    if training < FEWEST:
        yield f"With fewer than {FEWEST} training questions an encoder learns very little."
    if report.count("test_items_in_train"):
        copied = counted(report.count("test_items_in_train"), "question", "questions")
        yield f"Copies of {copied} of the fixed comparison are in the training part, and left out of it."
    if report.count("test_sources"):
        yield counted(
            report.count("test_sources"),
            "training question comes from a source that is named as a test split: figures measured on that"
            " split will be too good.",
            "training questions come from sources that are named as a test split: figures measured on those"
            " splits will be too good.",
        )
    if report.count("without_concept") == questions > 0:
        yield "No question has a concept: choose the ranking “none”, or tag some first."
    elif report.count("without_concept") > questions / 2:
        yield "More than half of the questions have no concept: rankings by concept leave them out."
    if report.count("near_equal") > REPEATED * report.count("examined"):
        yield "Many questions differ from another one in their numbers only."


def _table_advice(levels: Table, languages: Table) -> Iterator[str]:
    for level in levels.rows:
        concepts, largest_share = level.cells[1] or 0, level.cells[2] or 0
        if concepts > 1 and largest_share > SKEWED:
            yield f"At level {level.label} one concept has {round(100 * largest_share)} % of the questions."
    for language in languages.rows:
        if language.is_left_out:
            yield (
                f"With the same backbone, training leaves out {language.cells[0]:,} questions ({language.label}): the"
                " encoder in use does not know their language."
            )


def _encoder_labels(_scope: str) -> int:
    """Count the tags and the published difficulties."""
    return QuestionTag.objects.count() + Question.objects.filter(difficulty__isnull=False).count()


encoder_report = CachedReport("encoder", _encoder_report, _encoder_labels)
"""The report on the data of an encoder."""


def _default_name() -> str:
    default = default_hierarchy()
    return default.name if default else ""


def _probes_report(hierarchies: Sequence[str] | None) -> Report:
    """Return the counts of one hierarchy's questions, without paraphrases; by default the bank's default hierarchy's.

    Only difficulties on the most frequent scale are learned.
    """
    name = hierarchies[0] if hierarchies else _default_name()
    rows = [row for row in training_questions(hierarchies=[name]) if row.paths]
    graded_questions = Question.objects.filter(pk__in=[row.id for row in rows], difficulty__isnull=False)
    scales = Counter(graded_questions.values_list("difficulty_scale", flat=True))
    scale, graded = scales.most_common(1)[0] if scales else ("", 0)
    held_out = int(kept_out([row.text for row in rows], [row.paths for row in rows]).sum())
    missing = counted(FEWEST_TAGGED - len(rows), "more question is labelled", "more questions are labelled")
    return Report(
        rows=(
            Row("questions", len(rows), "questions"),
            Row("held_out", held_out, "held out for comparison"),
            Row("concepts", len({path for row in rows for path in row.paths}), "concepts"),
            Row("graded", graded, f"graded on the scale {scale}" if scale else "graded"),
        ),
        advice=(f"An import queues a training run only after {missing}.",) if len(rows) < FEWEST_TAGGED else (),
        questions=f"Ready questions tagged in {name}.",
        note="No training sees the questions that are held out for comparison. To measure itself, each training first"
        " sets aside a further part of the other questions, as large as its setting says, and then learns from all of"
        " them.",
    )


def _probes_labels(hierarchy: str) -> int:
    """Count the tags in a hierarchy, the published difficulties and the responses."""
    tags = QuestionTag.objects.filter(concept__hierarchy__name=hierarchy).count()
    return tags + Question.objects.filter(difficulty__isnull=False).count() + Response.objects.count()


probes_report = CachedReport("probes", _probes_report, _probes_labels, lambda: [_default_name()])
"""The report on the data of probes."""

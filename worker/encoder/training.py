"""Training an encoder on the bank: questions and data report -> pre-training -> a registered candidate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from analytics.backbone.bert import load_backbone
from analytics.encoder.examples import EncoderExample
from analytics.encoder.train import train_encoder
from analytics.errors import DataError
from analytics.inference.encode import UNKNOWN_SHARE_LIMIT
from analytics.training.checkpoint import kept_or_made
from questionbank.bank.vector_selectors import embedding_set_sample
from questionbank.training.encoder import encoder_report
from questionbank.training.questions import TrainingQuestion, training_questions
from worker.candidates import Beginning, Train, train_candidate
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

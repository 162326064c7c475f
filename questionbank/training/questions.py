"""The questions that a model would be trained on, and their split into parts."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.db.models import QuerySet

from analytics.analysed_text import stored_text
from analytics.concept_paths import drop_common_leading_nodes
from analytics.records import ConceptPath
from analytics.splits import HELD_OUT_SHARE, KeptOut
from questionbank.core.capability_report import Row
from questionbank.formats.scales import scale_percent
from questionbank.models import KnowledgeConcept, KnowledgeHierarchy, Question, QuestionTag

EXAMINED = 20_000  # most texts that a report compares; masking numbers takes a tenth of a millisecond each
_TEST_SPLIT = re.compile(r"(?<![a-z])test(?![a-z])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class TrainingQuestion:
    """A ready question with its tags in one hierarchy.

    Attributes:
        text: `Question.analysed_text`.
        paths: concept paths without the leading nodes that nearly all paths of the hierarchy share.
        hierarchy: empty for a question without a concept.
        difficulty: the published one, from 0 to 1; None if unknown.
    """

    id: int
    text: str
    language: str
    source: str
    content_hash: bytes
    solution: str
    difficulty: float | None
    hierarchy: str
    paths: tuple[ConceptPath, ...]


def training_questions(*, hierarchies: Sequence[str] | None = None) -> list[TrainingQuestion]:
    """Return ready questions by hierarchy and id; a question that two hierarchies tag is listed twice.

    Paraphrases are left out: they repeat their originals, which may be held out.

    Args:
        hierarchies: only questions tagged in these; by default all, including those without a concept.
    """
    owners = KnowledgeHierarchy.objects.order_by("name")
    if hierarchies is not None:
        owners = owners.filter(name__in=hierarchies)
    paths = {owner.name: _paths(owner) for owner in owners}
    ready = original_questions().order_by("pk")
    tagged = set().union(*paths.values()) if paths else set()
    rows = {
        row[0]: row
        for row in ready.values_list(
            *("pk", "text", "language", "source", "content_hash", "solution"),
            *("difficulty", "difficulty_scale", "options", "content"),
        ).iterator()
        if hierarchies is None or row[0] in tagged
    }
    tagged_questions = [
        _question(rows[pk], name, question_paths)
        for name, by_id in paths.items()
        for pk, question_paths in sorted(by_id.items())
        if pk in rows
    ]
    return tagged_questions + [_question(row, "", ()) for pk, row in rows.items() if pk not in tagged]


def original_questions(*, hierarchies: Sequence[str] | None = None) -> QuerySet[Question]:
    """Return ready questions that are not paraphrases."""
    questions = Question.objects.filter(status=Question.Status.READY, paraphrase_of__isnull=True)
    if hierarchies is not None:
        questions = questions.filter(tags__concept__hierarchy__name__in=hierarchies).distinct()
    return questions


def is_test_source(source: str) -> bool:
    """Return whether a source's name marks it as a test split."""
    return _TEST_SPLIT.search(source) is not None


def _question(row: tuple[Any, ...], hierarchy: str, paths: tuple[ConceptPath, ...]) -> TrainingQuestion:
    pk, text, language, source, digest, solution, difficulty, scale, options, content = row
    percent = scale_percent(difficulty, scale)
    return TrainingQuestion(
        id=pk,
        text=stored_text(text, options, content),
        language=language,
        source=source,
        content_hash=bytes(digest),
        solution=solution,
        difficulty=None if percent is None else percent / 100,
        hierarchy=hierarchy,
        paths=paths,
    )


def _paths(hierarchy: KnowledgeHierarchy) -> dict[int, tuple[ConceptPath, ...]]:
    """Return the paths of the hierarchy's ready questions by question id, without common leading nodes."""
    tags = list(
        QuestionTag.objects.filter(
            concept__hierarchy=hierarchy, question__status=Question.Status.READY
        )
        .order_by("concept__path")
        .values_list("question_id", "concept__path")
    )  # fmt: skip
    names = dict(KnowledgeConcept.objects.filter(hierarchy=hierarchy).values_list("path", "name"))
    whole = [tuple(names[prefix] for prefix in KnowledgeConcept.prefixes(path)) for _pk, path in tags]
    by_question: dict[int, list[ConceptPath]] = defaultdict(list)
    for (pk, _path), short in zip(tags, drop_common_leading_nodes(whole), strict=True):
        by_question[pk].append(short)
    return {pk: tuple(dict.fromkeys(question_paths)) for pk, question_paths in by_question.items()}


VALIDATION_SHARE = 0.03

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Parts(Generic[Item]):
    """Items by part; `left_out` counts those excluded because another part or a test split also has them."""

    learned: tuple[Item, ...]
    validation: tuple[Item, ...]
    held_out: tuple[Item, ...]
    left_out: int


class Divider:
    """Assigns texts to parts, and excludes texts that another part has.

    Args:
        places: `analytics.splits.split_place` of every text.
        tests: texts of test splits, which are excluded from every part.
    """

    def __init__(self, places: Mapping[str, float], tests: Iterable[str]) -> None:
        self._places = places
        held = [text for text, place in places.items() if place < HELD_OUT_SHARE]
        validation = [text for text in places if self._is_validation(text)]
        self._from_held_out = KeptOut.of(tests)
        self._from_validation = self._from_held_out.and_of(held)
        self._from_learned = self._from_validation.and_of(validation)

    def parts(self, items: Iterable[Item], texts: Callable[[Item], tuple[str, ...]]) -> Parts[Item]:
        """Split the items by the first of their texts."""
        learned: list[Item] = []
        validation: list[Item] = []
        held_out: list[Item] = []
        left_out = 0
        for item in items:
            item_texts = texts(item)
            if self._places[item_texts[0]] < HELD_OUT_SHARE:
                part, kept_out = held_out, self._from_held_out
            elif self._is_validation(item_texts[0]):
                part, kept_out = validation, self._from_validation
            else:
                part, kept_out = learned, self._from_learned
            if any(kept_out.holds(text) for text in item_texts):
                left_out += 1
            else:
                part.append(item)
        return Parts(tuple(learned), tuple(validation), tuple(held_out), left_out)

    def _is_validation(self, text: str) -> bool:
        return HELD_OUT_SHARE <= self._places[text] < HELD_OUT_SHARE + VALIDATION_SHARE


def part_rows(parts: Parts[Any], *, repeated: int, test_items: int) -> tuple[Row, ...]:
    """Return the counts of a report on what is held out or left out.

    Args:
        repeated: number of questions that exactly repeat another one.
        test_items: number of questions from a test split.
    """
    return (
        Row("held_out", len(parts.held_out), "held out for comparison"),
        Row("left_out", parts.left_out, "left out, near-duplicates of held-out or validation questions"),
        Row("repeated", repeated, "exact duplicates"),
        Row("test_items", test_items, "left out, from a test split"),
    )

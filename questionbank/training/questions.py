"""The questions that a model would be trained on, those with an equation among them, and their split into parts."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.db.models import Count, Q, QuerySet

from analytics.analysed_text import stored_text
from analytics.concept_paths import drop_common_leading_nodes
from analytics.records import ConceptPath
from analytics.splits import HELD_OUT_SHARE, KeptOut
from questionbank.bank.question_selectors import in_language
from questionbank.core.capability_report import Row
from questionbank.formats.scales import scale_percent
from questionbank.models import KnowledgeConcept, KnowledgeHierarchy, Question, QuestionEquation, QuestionTag

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

    def described(self, left_out: Iterable[tuple[int, str]]) -> str:
        """Describe how many items each part gets; reasons that left nothing out are omitted.

        Args:
            left_out: (count, description) of items in none of the parts, such as ``(3, "unreadable")``.
        """
        near = (self.left_out, "near-duplicates of validation, held-out or test questions")
        reasons = ", ".join(f"{count:,} {what}" for count, what in (*left_out, near) if count)
        divided = (
            f"{len(self.learned):,} to learn from, {len(self.validation):,} to validate with,"
            f" {len(self.held_out):,} held out for comparison."
        )
        return f"{divided} Left out: {reasons}." if reasons else divided


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


@dataclass(frozen=True, slots=True)
class EquationMaterial(Generic[Item]):
    """The data of a training run.

    Attributes:
        problems: ready questions whose equation can be used, each text once, without sources named as a test split.
        ready: number of ready questions in any language.
        languages: number of questions with an equation, by language.
        foreign: questions with an equation in an excluded language.
        unreadable: remaining questions whose equation cannot be used.
        repeated: questions that exactly repeat another one.
        test_items: questions from a test split.
    """

    problems: Parts[Item]
    ready: int
    languages: Mapping[str, int]
    foreign: int
    unreadable: int
    repeated: int
    test_items: int

    @property
    def with_equation(self) -> int:
        """The number of ready questions with an equation."""
        return sum(self.languages.values())

    def described(self, *, foreign: str) -> str:
        """Describe how many questions have an equation, and what becomes of them.

        Args:
            foreign: describes questions in an excluded language.
        """
        left_out = (
            (self.foreign, foreign),
            (self.unreadable, "unreadable"),
            (self.repeated, "exact duplicates"),
            (self.test_items, "from a test split"),
        )
        return (
            f"{self.with_equation:,} of {self.ready:,} ready questions have an equation:"
            f" {self.problems.described(left_out)}"
        )


@dataclass(frozen=True, slots=True)
class EquationQuestion:
    """A question with an equation; `graph_key` is empty if its graph is not known."""

    id: str
    text: str
    language: str
    answer: str
    expression: str
    graph_key: str


def usable_problems(
    questions: QuerySet[Question], is_foreign: Callable[[str], bool], read: Callable[[EquationQuestion], Item | None]
) -> tuple[dict[str, Item], list[str], dict[str, Any]]:
    """Read the questions that have an equation.

    Args:
        questions: ready questions.
        is_foreign: returns whether a language is excluded.
        read: returns the problem of a question; None if its equation cannot be used.

    Returns:
        The problems by text, the texts from test splits, and the counts of `EquationMaterial`.
    """
    rows = questions.filter(equation__isnull=False).exclude(kind=Question.Kind.PARTS).order_by("pk")
    columns = ("pk", "text", "language", "answer", "equation__expression", "equation__graph_key", "source")
    problems: dict[str, Item] = {}
    tests: list[str] = []
    languages: Counter[str] = Counter()
    foreign = unreadable = repeated = 0
    for pk, *values, source in rows.values_list(*columns).iterator():
        question = EquationQuestion(str(pk), *values)
        languages[question.language] += 1
        if is_foreign(question.language):
            foreign += 1
        elif is_test_source(source):
            tests.append(question.text)
        elif (problem := read(question)) is None:
            unreadable += 1
        elif question.text in problems:
            repeated += 1
        else:
            problems[question.text] = problem
    counts = {"ready": questions.count(), "languages": languages, "foreign": foreign, "test_items": len(tests)}
    return problems, tests, {**counts, "unreadable": unreadable, "repeated": repeated}


def equations_introduction(*, ready: int, with_equation: int) -> str:
    """Return the introduction of a report on questions with an equation."""
    by_people = QuestionEquation.objects.filter(set_by=QuestionEquation.SetBy.PERSON).count()
    return (
        f"{with_equation:,} of {ready:,} have an equation. In the whole bank, people entered or accepted {by_people:,}."
    )


def equation_count(language: str) -> int:
    """Count the questions with an equation in a language; in all languages if it is empty."""
    questions = Question.objects.filter(equation__isnull=False)
    return (questions.filter(in_language(language)) if language else questions).count()


def equations_version() -> str:
    """Return a text that changes with the number of equations, of those by people, and of graphs."""
    by_people = Count("pk", filter=Q(set_by=QuestionEquation.SetBy.PERSON))
    counts = QuestionEquation.objects.aggregate(
        count=Count("pk"), people=by_people, graphs=Count("graph_key", distinct=True)
    )
    return str(counts)

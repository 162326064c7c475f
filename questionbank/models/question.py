"""Questions, their tags, their pictures, and the items from which they were read.

PostgreSQL computes from a question's wording whether it lacks a figure or has template numbers, by the rules of
`analytics.text.wholeness`, so that the bank agrees with pages and files about a text. PostgreSQL caches 32 compiled
patterns per connection. With more patterns in total, each question compiles them again, which takes four times as long
as matching; so patterns are combined where possible, and a test counts them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from itertools import groupby
from operator import attrgetter, or_

import pghistory
import pgtrigger
from django.conf import settings
from django.contrib.postgres.indexes import GinIndex, HashIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import BooleanField, F, Func, Q, TextField, Value
from django.db.models.expressions import Combinable
from django.db.models.fields.json import KT
from django.db.models.functions import Cast, Now
from django.db.models.lookups import Regex

from analytics.analysed_text import stored_text
from analytics.text.wholeness import FIGURE, PLACEHOLDERS, View
from questionbank.models.facet_count import question_triggers, tag_triggers
from questionbank.models.integrations import question_hooks, question_part_hooks
from questionbank.models.visibility import EVERYBODY, Shown, ViewerManager, audience_field, shown_constraint

_TEXT = F("text")
_OPTIONS = Cast("options", TextField())


def _matches(wording: Combinable, *patterns: str) -> Q:
    """Return the condition that a wording matches one of the patterns."""
    return Q(Regex(wording, "|".join(patterns)))


def _part(view: View, wording: Combinable) -> Combinable:
    for pattern, replacement in view.replacements:
        wording = Func(
            wording, Value(pattern), Value(replacement), Value("g"), function="REGEXP_REPLACE", output_field=TextField()
        )
    return wording


def _has_picture(condition: str) -> Q:
    """Return the condition that the content has a picture for which an SQL/JSON condition holds."""
    path = Value(f"$.pictures[*] ? ({condition})")
    template = "jsonb_path_exists(%(expressions)s::jsonpath)"
    found = Func(F("content"), path, template=template, output_field=BooleanField())
    return Q(found)


_IS_ATTACHED = _has_picture("exists(@.sha256)")
_IS_MISSING = _has_picture("!exists(@.sha256)")

NEEDS_FIGURE = (
    _matches(_TEXT, *FIGURE.marks)
    | _matches(_OPTIONS, *FIGURE.marks)
    | _IS_MISSING
    | _matches(_TEXT, FIGURE.unnamed)
    | _matches(_OPTIONS, FIGURE.unnamed)
    | (
        ~_IS_ATTACHED
        & (
            _matches(_TEXT, FIGURE.picture)
            | _matches(_OPTIONS, FIGURE.picture)
            | (
                _matches(_TEXT, FIGURE.hint)
                & (
                    (_matches(_TEXT, *FIGURE.figures) & ~_matches(_TEXT, *FIGURE.layouts))
                    | (_matches(_TEXT, *FIGURE.tables) & ~_matches(_TEXT, *FIGURE.data))
                )
            )
        )
    )
)


def _placeholders(wording: Combinable) -> Iterator[Q]:
    for (view, hint), rules in groupby(PLACEHOLDERS, attrgetter("view", "hint")):
        found = _matches(_part(view, wording), *(rule.pattern for rule in rules))
        yield _matches(wording, hint) & found if hint else found


DRAWS_NUMBERS = reduce(or_, (condition for wording in (_TEXT, _OPTIONS) for condition in _placeholders(wording)))


VISIBLE = pgtrigger.Trigger(
    name="visible_since",
    when=pgtrigger.Before,
    operation=pgtrigger.Update,
    condition=(pgtrigger.Q(new__status="ready") & ~pgtrigger.Q(old__status="ready"))
    | pgtrigger.Q(old__visibility__df=pgtrigger.F("new__visibility"))
    | pgtrigger.Q(old__school__df=pgtrigger.F("new__school")),
    func="NEW.visible_since = now(); RETURN NEW;",
)


@pghistory.track(
    pghistory.UpdateEvent(row=pghistory.Old),
    pghistory.DeleteEvent(),
    exclude=[
        "search_vector",
        "updated_at",
        "content_hash",
        "import_run",
        "needs_figure",
        "draws_numbers",
        "submission",
        "difficulty_percent",
        "combined",
        "through",
        "audience",
        "visible_since",
        "merged_into",
    ],
    meta={"indexes": [models.Index(fields=("pgh_created_at", "pgh_id"), name="question_event_time")]},
)
class Question(Shown):
    """A mathematical question; formulas are LaTeX in `text`, `options` and `solution`.

    `objects` are the questions that the viewer may see (`questionbank.models.visibility`). `unrestricted` are all of
    them, for what must hold for the whole bank, and for what is shared by all viewers.

    Attributes:
        answer: as people read it; `questionbank.formats.kinds` derives it from options and content.
        content: other data for grading: `analytics.question_content.QuestionContent` as JSON. Its pictures are rows
            of `Attachment`.
        needs_figure: whether the wording refers to a figure or table that is not attached; computed by PostgreSQL.
        draws_numbers: whether the wording contains variables of a template, for which its source draws numbers;
            computed by PostgreSQL.
        difficulty_percent: the difficulty that counts for filters, orders and pages, 0 to 100;
            `questionbank.bank.difficulty_selectors.counted_percent` computes it.
        combined: what responses and the text say together: `percent`, `low` and `high` (95 % interval) and
            `responses`; None without responses. A job computes it (`questionbank.responses.statistics_services`).
        paraphrase_of: the question that this one rewords. Concepts, answer and difficulty were copied from it, so they
            are not independent evidence: nothing is trained on such a question.
        merged_into: the question that replaced this duplicate, which is retired then and cannot be edited; only undoing
            the merge (a `BulkChange`) brings it back.
        import_run: the import that created the question; empty if a person wrote it.
        through: name of the key through which a program wrote it; empty for a page, and for an import (its run has it).
        submission: identifies the form in which it was written, so that a form sent twice creates one question.
        visible_since: when it was written, or last made ready or shown to others; noted by a trigger. Saved searches
            tell by it whether a question is new.
    """

    class Kind(models.TextChoices):
        OPEN = "open", "Open answer"
        CHOICE = "choice", "Multiple choice"
        TRUE_FALSE = "true_false", "True or false"
        NUMBER = "number", "Number"
        SHORT = "short", "Short answer"
        MATCHING = "matching", "Matching"
        ORDERING = "ordering", "Ordering"
        BLANKS = "blanks", "Fill in the blanks"
        PARTS = "parts", "Several parts"
        DESCRIPTION = "description", "Description"
        OPAQUE = "opaque", "Other type"  # stored as its source wrote it

    class Status(models.TextChoices):
        DRAFT = "draft", "Draft"
        READY = "ready", "Ready"
        RETIRED = "retired", "Retired"

    source = models.CharField("source", max_length=120, blank=True)
    source_id = models.CharField("identifier in its source", max_length=200, blank=True)
    text = models.TextField("question")
    language = models.CharField("language", max_length=12, default="en")
    kind = models.CharField("type", max_length=12, choices=Kind.choices, default=Kind.OPEN)
    options = models.JSONField(  # [{label, text, misconception?, weight?, feedback?}]
        "options", default=list, blank=True
    )
    answer = models.TextField("answer", blank=True)
    solution = models.TextField("worked solution", blank=True)
    content = models.JSONField("grading", default=dict, blank=True)  # `QuestionContent` as JSON
    grade = models.CharField("grade", max_length=40, blank=True)
    stage = models.CharField("stage", max_length=80, blank=True)
    status = models.CharField("status", max_length=12, choices=Status.choices, default=Status.READY)

    difficulty = models.FloatField("published difficulty", null=True, blank=True)
    difficulty_scale = models.CharField("difficulty scale", max_length=20, blank=True)
    difficulty_percent = models.FloatField("difficulty in per cent", null=True, blank=True)
    combined = models.JSONField("difficulty by responses and text", null=True, blank=True, editable=False)
    facility = models.FloatField("observed share of correct responses", null=True, blank=True)
    responses = models.PositiveIntegerField("number of responses", default=0)

    paraphrase_of = models.ForeignKey(
        "self", verbose_name="paraphrase of", null=True, blank=True, on_delete=models.SET_NULL, related_name="reworded"
    )
    merged_into = models.ForeignKey(
        "self",
        verbose_name="merged into",
        null=True,
        blank=True,
        editable=False,
        on_delete=models.SET_NULL,
        db_index=False,  # `question_merged`
        related_name="merged",
    )

    import_run = models.ForeignKey(
        "questionbank.Run",
        null=True,
        blank=True,
        editable=False,
        on_delete=models.SET_NULL,
        db_index=False,
        db_constraint=False,  # checking each row would slow down imports; rows of runs are never deleted
        related_name="+",
    )
    needs_figure = models.GeneratedField(
        verbose_name="needs a figure",
        expression=NEEDS_FIGURE,  # type: ignore[arg-type] # Django takes conditions, too
        output_field=models.BooleanField(),
        db_persist=True,
    )
    draws_numbers = models.GeneratedField(
        verbose_name="draws its numbers",
        expression=DRAWS_NUMBERS,  # type: ignore[arg-type]
        output_field=models.BooleanField(),
        db_persist=True,
    )
    content_hash = models.BinaryField(max_length=32, editable=False)
    search_vector = SearchVectorField(null=True, editable=False)
    version = models.PositiveIntegerField(default=1)
    through = models.CharField(max_length=120, blank=True, editable=False, default="", db_default="")
    submission = models.UUIDField(null=True, editable=False)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="questions"
    )
    audience = audience_field("created_by")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    visible_since = models.DateTimeField(db_default=Now(), editable=False)

    objects = ViewerManager["Question"]()
    unrestricted = models.Manager["Question"]()

    class Meta:
        indexes = (
            # With its pending list, without which inserting 100,000 rows costs five times as much; code that
            # writes questions empties it before the commit: bank.search_index.search_index_settle.
            GinIndex(fields=("search_vector",), name="question_search"),
            models.Index(fields=("id",), name="question_unsearched", condition=Q(search_vector__isnull=True)),
            models.Index(fields=("content_hash",), name="question_content_hash"),
            HashIndex(
                KT("content__stimulus__text"), name="question_stimulus", condition=Q(content__has_key="stimulus")
            ),
            models.Index(fields=("source", "source_id"), name="question_source"),
            # Covers everything that a search filters and counts by, so that neither reads the rows with their texts
            # (25 times slower); PostgreSQL 18 skips leading columns that a filter does not use.
            models.Index(
                fields=("status", "audience", "language", "kind", "source", "grade", "difficulty_percent", "id"),
                name="question_filter",
            ),
            models.Index(fields=("audience",), name="question_audience", condition=~Q(audience=EVERYBODY)),
            models.Index(fields=("created_by", "-updated_at"), name="question_owner"),
            models.Index(fields=("id",), name="question_figure", condition=Q(needs_figure=True)),
            models.Index(fields=("id",), name="question_draws", condition=Q(draws_numbers=True)),
            # For browsing in these orders; see `search.search.ORDERS`.
            models.Index(
                fields=("status", "difficulty_percent", "id"),
                name="question_rated",
                condition=Q(difficulty_percent__isnull=False),
            ),
            models.Index(fields=("status", "responses", "id"), name="question_observed", condition=Q(responses__gt=0)),
            models.Index(fields=("visible_since",), name="question_visible"),
            models.Index(fields=("import_run",), name="question_import", condition=Q(import_run__isnull=False)),
            models.Index(fields=("merged_into",), name="question_merged", condition=Q(merged_into__isnull=False)),
        )
        constraints = (
            models.CheckConstraint(
                condition=Q(facility__isnull=True) | Q(facility__gte=0, facility__lte=1),
                name="question_facility_is_a_share",
            ),
            models.CheckConstraint(condition=~Q(text=""), name="question_has_text"),
            shown_constraint("question_has_its_school"),
            models.CheckConstraint(
                condition=Q(merged_into__isnull=True) | Q(status="retired") & ~Q(merged_into=F("id")),
                name="merged_question_is_retired",
            ),
            models.UniqueConstraint(
                fields=("submission",), condition=Q(submission__isnull=False), name="one_question_a_form"
            ),
        )
        triggers = [*question_triggers(), *question_hooks(), VISIBLE]

    def __str__(self) -> str:
        return self.analysed_text[:80]

    @property
    def analysed_text(self) -> str:
        """The text that is searched, embedded and compared: `analytics.analysed_text`."""
        return stored_text(self.text, self.options, self.content)

    @property
    def is_in_parts(self) -> bool:
        """Whether it asks several questions, so that no single equation answers it."""
        return bool(self.content.get("parts"))


@pghistory.track(
    pghistory.InsertEvent(condition=pgtrigger.Q(new__import_run__isnull=True)),
    pghistory.UpdateEvent(row=pghistory.Old),
    pghistory.DeleteEvent(),
    exclude=["import_run"],
    meta={"indexes": [models.Index(fields=("pgh_created_at", "pgh_id"), name="tag_event_time")]},
)
class QuestionTag(models.Model):
    """A concept that a question requires, and who set it.

    Attributes:
        import_run: the import that set the tag. In the history such tags belong to their import and are not listed
            singly.
    """

    class SetBy(models.TextChoices):
        IMPORT = "import", "Imported"
        PERSON = "person", "Person"
        MODEL = "model", "Model"

    question = models.ForeignKey(  # indexed by `tag_once_per_question_and_concept`
        Question, on_delete=models.CASCADE, related_name="tags", db_index=False
    )
    concept = models.ForeignKey(
        "questionbank.KnowledgeConcept",
        on_delete=models.CASCADE,
        related_name="question_tags",
        db_index=False,  # `tag_concept`
    )
    set_by = models.CharField("set by", max_length=8, choices=SetBy.choices, default=SetBy.PERSON)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    probability = models.FloatField("probability given by the model", null=True, blank=True)
    import_run = models.ForeignKey(
        "questionbank.Run",
        null=True,
        blank=True,
        editable=False,
        on_delete=models.SET_NULL,
        db_index=False,
        db_constraint=False,  # checking each row would slow down imports; rows of runs are never deleted
        related_name="+",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = (  # covers the questions too: otherwise reading the tags of a large concept takes ten times as long
            models.Index(fields=("concept", "question"), name="tag_concept"),
        )
        constraints = (
            models.UniqueConstraint(fields=("question", "concept"), name="tag_once_per_question_and_concept"),
        )
        triggers = [*tag_triggers(), *question_part_hooks()]

    def __str__(self) -> str:
        return f"{self.question_id}: {self.concept_id}"


class Attachment(models.Model):
    """A picture, stored once for all its questions; its file in the storage ``attachments`` is named by its hash.

    The `content` of the questions that show it refers to it, with the name used in their texts.

    Attributes:
        sha256: hash of its bytes, in hexadecimal.
        media_type: detected from the bytes, never from a file name.
        used_at: when it was last stored; the sweep spares recent pictures, because an import may be in progress.
    """

    sha256 = models.CharField(max_length=64, primary_key=True)
    media_type = models.CharField("media type", max_length=40)
    size = models.PositiveIntegerField("bytes")
    width = models.PositiveIntegerField("width in pixels")
    height = models.PositiveIntegerField("height in pixels")
    used_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.sha256


class QuestionOriginal(models.Model):
    """The item of a file from which a question was read, so that it can be exported unchanged.

    Attributes:
        format: name of the file's format.
        data: the item's bytes, with pictures that became attachments replaced by their hashes.
        preamble: what precedes the item in the file: comments, the category.
        fields: SHA-256 of our fields as originally read.
    """

    question = models.OneToOneField(
        "questionbank.Question", primary_key=True, on_delete=models.CASCADE, related_name="original"
    )
    format = models.CharField(max_length=20)
    data = models.BinaryField()
    preamble = models.BinaryField(default=b"")
    fields = models.BinaryField(max_length=32)

    def __str__(self) -> str:
        return f"{self.question_id}: {self.format}"

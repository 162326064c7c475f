"""Who may see a row, and the viewer for whom rows are read (decision 164).

The `audience` of a row is one number: 0 for everybody, n for school n, -n for person n alone.
A viewer sees the rows of certain audiences; the system (commands, workers, admins) sees all rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

import pghistory
from django.db import models
from django.db.models import Case, Exists, F, Func, OuterRef, Q, Value, When

EVERYBODY = 0  # the audience of rows that everybody sees
Audiences = tuple[int, ...] | None
"""The audiences that a viewer belongs to; None for the system, which sees all rows."""

_viewer: ContextVar[Callable[[], Audiences] | None] = ContextVar("viewer", default=None)


class Visibility(models.TextChoices):
    """Who sees a row."""

    ALL = "all", "Everybody"
    SCHOOL = "school", "One school"
    PRIVATE = "private", "Only its author"


def viewer_audiences() -> Audiences:
    """Return the audiences of the current viewer."""
    viewer = _viewer.get()
    return None if viewer is None else viewer()


@contextmanager
def viewing(audiences: Callable[[], Audiences] | None) -> Iterator[None]:
    """Read rows for a viewer; nested uses are allowed.

    Args:
        audiences: called for each query, because a request's person is not known when it begins; None for the system.
    """
    token = _viewer.set(audiences)
    try:
        yield
    finally:
        _viewer.reset(token)


def seen_rows(column: str = "audience") -> Q:
    """Return the condition for rows that the viewer may see.

    Args:
        column: the audience, through a relation if need be, such as ``question__audience``.
    """
    audiences = viewer_audiences()
    return Q() if audiences is None else Q(**{f"{column}__in": audiences})


def viewer_schools() -> list[int]:
    """Return the numbers of the viewer's schools; empty for the system, which sees all."""
    return [number for number in viewer_audiences() or () if number > 0]


def seen_sql(table: str = "questionbank_question") -> str:
    """Return `seen_rows` as SQL without parameters, for a table or its alias."""
    audiences = viewer_audiences()
    return "TRUE" if audiences is None else f"{table}.audience = ANY('{{{','.join(map(str, audiences))}}}'::bigint[])"


Row = TypeVar("Row", bound=models.Model, covariant=True)


class ViewerManager(models.Manager[Row]):
    """A manager of the rows that the viewer may see."""

    def get_queryset(self) -> models.QuerySet[Row]:
        """Return the rows that the current viewer may see."""
        return super().get_queryset().filter(seen_rows())


class OfQuestionManager(models.Manager[Row]):
    """A manager of the rows whose `question` the viewer may see, and of rows without one."""

    def get_queryset(self) -> models.QuerySet[Row]:
        """Return the rows whose question the current viewer may see, and those without one."""
        rows = super().get_queryset()
        if viewer_audiences() is None:
            return rows
        questions: Any = self.model._meta.get_field("question").related_model
        return rows.filter(Q(question=None) | Exists(questions.objects.filter(pk=OuterRef("question"))))


class OwnUnlessOfQuestionManager(OfQuestionManager[Row]):
    """A manager of the rows whose `question` the viewer may see; a row without one has an audience of its own."""

    def get_queryset(self) -> models.QuerySet[Row]:
        """Return the rows that the current viewer may see."""
        rows = super().get_queryset()
        return rows if viewer_audiences() is None else rows.filter(Q(question__isnull=False) | seen_rows())


def visibility_field(usual: Visibility) -> models.CharField[str, str]:
    """Return the column that says who sees a row; `usual` sees a new one."""
    return models.CharField(
        "visible to", max_length=7, choices=Visibility.choices, default=usual, db_default=usual.value
    )


class Shown(models.Model):
    """A row that everybody, one school or only its author sees; its class adds `audience_field` and `shown_constraint`.

    Attributes:
        school: the school that sees it; None for other visibilities.
    """

    visibility = visibility_field(Visibility.ALL)
    school = models.ForeignKey(
        "questionbank.School",
        verbose_name="school",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        db_index=False,  # the index of `audience` is used instead
        related_name="+",
    )

    class Meta:
        abstract = True

    @property
    def shown_to(self) -> str:
        """Who sees it, such as "everybody" or the school's name."""
        return self.school.name if self.school is not None else str(Visibility(self.visibility).label).lower()

    @property
    def is_seen(self) -> bool:
        """Whether the viewer may see it."""
        audiences = viewer_audiences()
        return audiences is None or self.audience in audiences  # type: ignore[attr-defined] # `audience_field`

    @property
    def is_shared(self) -> bool:
        """Whether anybody but its author sees it."""
        return self.visibility != Visibility.PRIVATE


def moves_tracked(model: type[Row]) -> type[Row]:
    """Record in a row's `moves` who saw it before, whenever that changes.

    For tables without a history of their own.
    """
    track = pghistory.track(
        pghistory.UpdateEvent(row=pghistory.Old),
        fields=["visibility", "school"],
        obj_field=pghistory.ObjForeignKey(related_name="moves"),
        model_name=f"{model.__name__}Move",
    )
    tracked: type[Row] = track(model)
    return tracked


def audience_field(author: str) -> models.GeneratedField:
    """Return the column `audience`, which PostgreSQL computes.

    It is NULL if the author of a private row was deleted; then only the system sees the row.

    Args:
        author: name of the foreign key to the person for whom a row may be private.
    """
    number = models.BigIntegerField()
    return models.GeneratedField(
        expression=Case(
            When(visibility=Visibility.SCHOOL.value, then=F("school")),
            When(
                visibility=Visibility.PRIVATE.value,
                then=Func(F(author), template="(- %(expressions)s)", output_field=number),
            ),
            default=Value(EVERYBODY),
            output_field=number,
        ),
        output_field=models.BigIntegerField(null=True),
        db_persist=True,
    )


def shown_constraint(name: str) -> models.CheckConstraint:
    """Return the constraint that a row has a school if, and only if, a school sees it."""
    is_of_school = Q(visibility=Visibility.SCHOOL.value)
    return models.CheckConstraint(
        condition=(is_of_school & Q(school__isnull=False)) | (~is_of_school & Q(school__isnull=True)), name=name
    )
